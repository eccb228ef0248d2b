package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceGridSample;
import taper.tensor.internal.ReferenceResizing;

/// Interpolation and sampling of images.
public sealed interface Resizing permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns this image in another size, as in `x.interpolate(o -> o.scaleFactor(2).mode("bilinear"))`.
  ///
  /// - Shape: `[n c *] -> [n c *]`, with one, two or three dimensions that change
  /// - Types: floating; `nearest` takes any
  ///
  /// @param options size or scaleFactor, mode, alignCorners, recomputeScaleFactor, antialias
  /// @throws ArgumentException if both or neither of size and scale are given, or options do not fit the mode
  /// @throws ShapeException if the mode takes another number of dimensions
  default Tensor interpolate(UnaryOperator<InterpolationOptions> options) {
    return Images.interpolate(self(), options.apply(InterpolationOptions.DEFAULT));
  }

  /// Returns this image in another size: [#interpolate], by its older name.
  default Tensor upsample(UnaryOperator<InterpolationOptions> options) {
    return interpolate(options);
  }

  /// Returns this image in another size, made of the nearest pixels.
  ///
  /// @param options size or scaleFactor
  default Tensor upsampleNearest(UnaryOperator<InterpolationOptions> options) {
    return interpolate(o -> options.apply(o).mode("nearest"));
  }

  /// Returns this image in another size, interpolated between the centres of the corner pixels.
  ///
  /// @param options size or scaleFactor
  default Tensor upsampleBilinear(UnaryOperator<InterpolationOptions> options) {
    return interpolate(o -> options.apply(o).mode("bilinear").alignCorners(true));
  }

  /// Returns the values of this image at the places of `grid`, interpolated; places outside are 0.
  ///
  /// - Shape: `[n c h w], grid[n oh ow 2] -> [n c oh ow]` or `[n c d h w], grid[n od oh ow 3] -> [n c od oh ow]`
  default Tensor gridSample(Tensor grid) {
    return gridSample(grid, "bilinear", "zeros", false);
  }

  /// Returns the values of this image at the places of `grid`, whose coordinates (x, y and z) run from -1 to 1.
  ///
  /// - Shape: `[n c h w], grid[n oh ow 2] -> [n c oh ow]` or `[n c d h w], grid[n od oh ow 3] -> [n c od oh ow]`
  /// - Types: floating
  /// - Gradient: to both, and to the gradient again
  ///
  /// @param mode `bilinear`, `nearest`, or `bicubic` for images
  /// @param paddingMode what lies outside: `zeros`, `border` or `reflection`
  /// @param alignCorners whether -1 and 1 are the centres of the corner pixels, rather than the corners of the image
  default Tensor gridSample(Tensor grid, String mode, String paddingMode, boolean alignCorners) {
    return Images.gridSample(self(), grid, mode, paddingMode, alignCorners);
  }

  /// Returns a grid for [#gridSample(Tensor)]: the places to which these affine maps take the pixels of an image.
  ///
  /// - Shape: `[n 2 3] -> [n h w 2]` for `size` `n c h w`, `[n 3 4] -> [n d h w 3]` for `n c d h w`
  default Tensor affineGrid(long[] size, boolean alignCorners) {
    return Images.affineGrid(self(), size, alignCorners);
  }

  /// How the pixels of another size are found.
  enum Filter {
    /// The pixel whose corner is nearest, as older programs do it.
    NEAREST,
    /// The pixel whose centre is nearest.
    NEAREST_EXACT,
    /// Between neighbours.
    LINEAR,
    /// Along a cubic curve through four neighbours.
    CUBIC,
    /// A linear filter as wide as the pixels of the result.
    LINEAR_SMOOTH,
    /// A cubic filter as wide as the pixels of the result.
    CUBIC_SMOOTH
  }

  /// Another size of an image.
  ///
  /// @param size the size, without batch and channels
  /// @param scales by how much each dimension is said to grow; 0 if that follows from the sizes
  /// @param alignCorners whether the corner pixels have the same centre
  record Resize(List<Long> size, List<Double> scales, boolean alignCorners) {}

  /// Another size of an image, and the one it had.
  ///
  /// @param resize the new size
  /// @param from the old size, without batch and channels
  record ResizeInput(Resize resize, List<Long> from) {}

  /// How an image is read between its pixels.
  enum Mode {
    /// Linear in every direction.
    BILINEAR,
    /// The nearest pixel.
    NEAREST,
    /// Along cubic curves.
    BICUBIC
  }

  /// What lies outside an image.
  enum Outside {
    /// Zeros.
    ZEROS,
    /// The outermost pixels.
    BORDER,
    /// The image in a mirror.
    REFLECTION
  }

  /// How an image is read at any place.
  ///
  /// @param mode between pixels
  /// @param outside outside the image
  /// @param alignCorners whether -1 and 1 are the centres of the corner pixels
  record Sampling(Mode mode, Outside outside, boolean alignCorners) {}

  /// How an image is read, and its size.
  ///
  /// @param sampling how it is read
  /// @param size the size, without batch and channels
  record SamplingInput(Sampling sampling, List<Long> size) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("resizing");

    static final List<Resizer> NEAREST =
        nearest("upsampleNearest", "upsample_nearest", Filter.NEAREST);

    static final List<Resizer> NEAREST_EXACT =
        nearest("upsampleNearestExact", "_upsample_nearest_exact", Filter.NEAREST_EXACT);

    static final Resizer LINEAR = smooth("upsampleLinear1d", "upsample_linear1d", Filter.LINEAR, 1);

    static final Resizer BILINEAR =
        smooth("upsampleBilinear2d", "upsample_bilinear2d", Filter.LINEAR, 2);

    static final Resizer TRILINEAR =
        smooth("upsampleTrilinear3d", "upsample_trilinear3d", Filter.LINEAR, 3);

    static final Resizer BICUBIC =
        smooth("upsampleBicubic2d", "upsample_bicubic2d", Filter.CUBIC, 2);

    static final Resizer BILINEAR_ANTIALIAS =
        smooth("upsampleBilinear2dAntialias", "_upsample_bilinear2d_aa", Filter.LINEAR_SMOOTH, 2);

    static final Resizer BICUBIC_ANTIALIAS =
        smooth("upsampleBicubic2dAntialias", "_upsample_bicubic2d_aa", Filter.CUBIC_SMOOTH, 2);

    /// A filter in both directions.
    ///
    /// @param forward makes the result
    /// @param gradient takes gradients back
    record Resizer(Operator<Resize> forward, Operator<ResizeInput> gradient) {}

    private static List<Resizer> nearest(String name, String torch, Filter filter) {
      var result = new ArrayList<Resizer>();
      for (int rank = 1; rank <= 3; rank++) {
        result.add(
            declare(
                name + rank + "d",
                schema(torch + rank + "d", rank, ""),
                filter,
                rank,
                DTypes.SAME));
      }
      return List.copyOf(result);
    }

    private static Resizer smooth(String name, String torch, Filter filter, int rank) {
      return declare(
          name, schema(torch, rank, "bool align_corners, "), filter, rank, DTypes.SAME_FLOATING);
    }

    private static String schema(String torch, int rank, String align) {
      return "aten::%s(Tensor self, SymInt[%d] output_size, %s%s) -> Tensor"
          .formatted(torch, rank, align, scales(rank));
    }

    private static String scales(int rank) {
      return switch (rank) {
        case 1 -> "float? scales=None";
        case 2 -> "float? scales_h=None, float? scales_w=None";
        default -> "float? scales_d=None, float? scales_h=None, float? scales_w=None";
      };
    }

    private static Resizer declare(
        String name, String schema, Filter filter, int rank, DTypes dtypes) {
      String[] inputs = {"f32[2 3 5]", "f32[2 1 4 5]", "f32[1 2 3 2 4]"};
      var larger = new Resize(List.of(7L, 6L, 9L).subList(0, rank), none(rank), false);
      var smaller = new Resize(List.of(3L, 3L, 2L).subList(0, rank), none(rank), true);
      var scaled =
          new Resize(
              List.of(8L, 6L, 3L).subList(0, rank), List.of(1.7, 1.6, 1.4).subList(0, rank), false);
      boolean plain = filter == Filter.NEAREST || filter == Filter.NEAREST_EXACT;
      var forward =
          FAMILY
              .<Resize>structured(name, "self[*] -> [*]", ReferenceResizing.resize(filter))
              .shape((a, in) -> Images.resized(name, rank, a, in))
              .dtypes(dtypes)
              .gradient(
                  "self",
                  Keeps.NOTHING,
                  b ->
                      Images.resizer(filter, rank)
                          .gradient()
                          .on(
                              new ResizeInput(
                                  b.attributes(), Images.spatial(b.sizes("self"), rank)),
                              b.grad()))
              .torch(schema)
              .sample(larger, inputs[rank - 1])
              .sample(plain ? larger : smaller, inputs[rank - 1])
              .sample(scaled, inputs[rank - 1])
              .rejects(
                  larger,
                  "f32[3]",
                  "%s: self must have %d dimensions, [n c ...], but has shape [3]."
                      .formatted(name, rank + 2))
              .declare();
      var gradient =
          FAMILY
              .<ResizeInput>structured(
                  name + "Gradient", "grad[*] -> [*]", ReferenceResizing.gradient(filter))
              .shape((a, in) -> Images.restored(name + "Gradient", rank, a, in))
              .dtypes(dtypes)
              .gradient("grad", Keeps.NOTHING, b -> forward.on(b.attributes().resize(), b.grad()))
              .own()
              .sample(
                  new ResizeInput(scaled, List.of(5L, 4L, 2L).subList(0, rank)),
                  new String[] {"f32[2 3 8]", "f32[2 1 8 6]", "f32[1 2 8 6 3]"}[rank - 1])
              .rejects(
                  new ResizeInput(scaled, List.of(5L, 4L, 2L).subList(0, rank)),
                  "f32[3]",
                  "%sGradient: grad must have %d dimensions, and there must be %d sizes, but it has"
                          .formatted(name, rank + 2, rank)
                      + " shape [3] and they are "
                      + List.of(5L, 4L, 2L).subList(0, rank)
                      + ".")
              .declare();
      return new Resizer(forward, gradient);
    }

    private static List<Double> none(int rank) {
      return List.of(0.0, 0.0, 0.0).subList(0, rank);
    }

    static final Operator<Sampling> GRID_SAMPLE_2D =
        sampler("gridSample2d", "input[n c h w], grid[n oh ow two] -> [n c oh ow]", 2)
            .sample(sampling(Mode.BILINEAR, Outside.ZEROS, false), "f32[2 3 4 5], f32[2 3 2 2]")
            .sample(sampling(Mode.BILINEAR, Outside.REFLECTION, true), "f32[1 2 4 3], f32[1 3 2 2]")
            .sample(
                sampling(Mode.BICUBIC, Outside.BORDER, false),
                "f32[1 2 4 5], f32[1 3 2 2] in -1..1")
            .rejects(
                sampling(Mode.NEAREST, Outside.ZEROS, false),
                "f32[1 2 4 5], f32[1 3 2 3]",
                "gridSample2d: grid must have 2 coordinates, but has shape [1, 3, 2, 3].")
            .declare();

    static final Operator<Sampling> GRID_SAMPLE_3D =
        sampler("gridSample3d", "input[n c d h w], grid[n od oh ow three] -> [n c od oh ow]", 3)
            .sample(sampling(Mode.BILINEAR, Outside.ZEROS, false), "f32[2 2 2 4 3], f32[2 2 1 2 3]")
            .sample(sampling(Mode.NEAREST, Outside.BORDER, true), "f32[2 2 2 4 3], f32[2 2 1 2 3]")
            .declare();

    static final Operator<SamplingInput> GRID_SAMPLE_INPUT_GRADIENT =
        FAMILY
            .<SamplingInput>structured(
                "gridSampleInputGradient",
                "grad[*], grid[*] -> [*]",
                ReferenceGridSample.INPUT_GRADIENT)
            .shape((a, in) -> Images.sampled("gridSampleInputGradient", a.size(), in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "grad",
                Keeps.inputs("grid"),
                b ->
                    sampler(b.sizes("grid"))
                        .on(b.attributes().sampling(), b.grad(), b.input("grid")))
            .gradient(
                "grid",
                Keeps.inputs("grad", "grid"),
                b ->
                    Operators.GRID_SAMPLE_GRID_GRADIENT.on(
                        b.attributes().sampling(), b.input("grad"), b.grad(), b.input("grid")))
            .own()
            .sample(
                new SamplingInput(sampling(Mode.BILINEAR, Outside.ZEROS, false), List.of(4L, 5L)),
                "f32[2 3 3 2], f32[2 3 2 2]")
            .rejects(
                new SamplingInput(sampling(Mode.BILINEAR, Outside.ZEROS, false), List.of(4L, 5L)),
                "f32[2 3 3 2], f32[2 2 2 2]",
                "gridSampleInputGradient: grad must have the shape of the result, [2, 3, 2, 2], but"
                    + " has [2, 3, 3, 2].")
            .declare();

    static final Operator<Sampling> GRID_SAMPLE_GRID_GRADIENT =
        FAMILY
            .<Sampling>structured(
                "gridSampleGridGradient",
                "grad[*], input[*], grid[*] -> [*]",
                ReferenceGridSample.GRID_GRADIENT)
            .shape((a, in) -> Images.grids("gridSampleGridGradient", in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "grad",
                Keeps.inputs("input", "grid"),
                b ->
                    Operators.GRID_SAMPLE_SLOPE.on(
                        b.attributes(), b.input("input"), b.input("grid"), b.grad()))
            .gradient(
                "input",
                Keeps.inputs("grad", "grid"),
                b ->
                    Operators.GRID_SAMPLE_SLOPE_INPUT_GRADIENT.on(
                        new SamplingInput(
                            b.attributes(),
                            Images.spatial(b.sizes("input"), b.sizes("input").length - 2)),
                        b.input("grad"),
                        b.input("grid"),
                        b.grad()))
            .gradient(
                "grid",
                Keeps.inputs("grad", "input", "grid"),
                b ->
                    slopeGridGradient(
                        b.attributes(),
                        b.input("grad"),
                        b.input("input"),
                        b.input("grid"),
                        b.grad()))
            .own()
            .sample(
                sampling(Mode.BILINEAR, Outside.ZEROS, false),
                "f32[2 3 3 2], f32[2 3 4 5], f32[2 3 2 2]")
            .declare();

    static final Operator<Sampling> GRID_SAMPLE_SLOPE =
        FAMILY
            .<Sampling>structured(
                "gridSampleSlope",
                "input[*], grid[*], direction[*] -> [*]",
                ReferenceGridSample.SLOPE)
            .shape((a, in) -> Images.slopes("gridSampleSlope", in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "input",
                Keeps.inputs("grid", "direction"),
                b ->
                    Operators.GRID_SAMPLE_SLOPE_INPUT_GRADIENT.on(
                        new SamplingInput(
                            b.attributes(),
                            Images.spatial(b.sizes("input"), b.sizes("input").length - 2)),
                        b.grad(),
                        b.input("grid"),
                        b.input("direction")))
            .gradient(
                "grid",
                Keeps.inputs("input", "grid", "direction"),
                b ->
                    slopeGridGradient(
                        b.attributes(),
                        b.grad(),
                        b.input("input"),
                        b.input("grid"),
                        b.input("direction")))
            .gradient(
                "direction",
                Keeps.inputs("input", "grid"),
                b ->
                    Operators.GRID_SAMPLE_GRID_GRADIENT.on(
                        b.attributes(), b.grad(), b.input("input"), b.input("grid")))
            .own()
            .sample(
                sampling(Mode.BICUBIC, Outside.ZEROS, false),
                "f32[2 3 4 5], f32[2 3 2 2], f32[2 3 2 2]")
            .declare();

    static final Operator<SamplingInput> GRID_SAMPLE_SLOPE_INPUT_GRADIENT =
        FAMILY
            .<SamplingInput>structured(
                "gridSampleSlopeInputGradient",
                "grad[*], grid[*], direction[*] -> [*]",
                ReferenceGridSample.SLOPE_INPUT_GRADIENT)
            .shape((a, in) -> Images.sampled("gridSampleSlopeInputGradient", a.size(), in))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "grad",
                Keeps.inputs("grid", "direction"),
                b ->
                    Operators.GRID_SAMPLE_SLOPE.on(
                        b.attributes().sampling(), b.grad(), b.input("grid"), b.input("direction")))
            .gradient(
                "grid",
                Keeps.inputs("grad", "grid", "direction"),
                b ->
                    slopeGridGradient(
                        b.attributes().sampling(),
                        b.input("grad"),
                        b.grad(),
                        b.input("grid"),
                        b.input("direction")))
            .gradient(
                "direction",
                Keeps.inputs("grad", "grid"),
                b ->
                    Operators.GRID_SAMPLE_GRID_GRADIENT.on(
                        b.attributes().sampling(), b.input("grad"), b.grad(), b.input("grid")))
            .own()
            .sample(
                new SamplingInput(sampling(Mode.BILINEAR, Outside.ZEROS, false), List.of(4L, 5L)),
                "f32[2 3 3 2], f32[2 3 2 2], f32[2 3 2 2]")
            .declare();

    static final Operator<Sampling> GRID_SAMPLE_SLOPE_GRID_GRADIENT =
        FAMILY
            .<Sampling>structured(
                "gridSampleSlopeGridGradient",
                "grad[*], input[*], grid[*], direction[*] -> [*]",
                ReferenceGridSample.SLOPE_GRID_GRADIENT)
            .shape((a, in) -> Images.grids("gridSampleSlopeGridGradient", in))
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .own()
            .sample(
                sampling(Mode.BILINEAR, Outside.ZEROS, false),
                "f32[2 3 3 2], f32[2 3 4 5], f32[2 3 2 2], f32[2 3 2 2]")
            .declare();

    private static Tensor slopeGridGradient(
        Sampling attributes, Tensor grad, Tensor input, Tensor grid, Tensor direction) {
      Tensor result = GRID_SAMPLE_SLOPE_GRID_GRADIENT.on(attributes, grad, input, grid, direction);
      return Autograd.isGradEnabled()
          ? ErrorNode.behind(
              result,
              "gridSample: the second derivative by the grid must not be differentiated again, but"
                  + " a third one was asked for.",
              grad.edge(),
              input.edge(),
              grid.edge(),
              direction.edge())
          : result;
    }

    private static Operator<Sampling> sampler(long[] grid) {
      return grid.length == 4 ? GRID_SAMPLE_2D : GRID_SAMPLE_3D;
    }

    private static Sampling sampling(Mode mode, Outside outside, boolean alignCorners) {
      return new Sampling(mode, outside, alignCorners);
    }

    private static Operator.Declaration<Sampling> sampler(String name, String signature, int rank) {
      return FAMILY
          .<Sampling>structured(name, signature, ReferenceGridSample.SAMPLE)
          .shape((a, in) -> Images.samples(name, rank, in))
          .dtypes(DTypes.SAME_FLOATING)
          .gradient(
              "input",
              Keeps.inputs("grid"),
              b ->
                  Operators.GRID_SAMPLE_INPUT_GRADIENT.on(
                      new SamplingInput(b.attributes(), Images.spatial(b.sizes("input"), rank)),
                      b.grad(),
                      b.input("grid")))
          .gradient(
              "grid",
              Keeps.inputs("input", "grid"),
              b ->
                  Operators.GRID_SAMPLE_GRID_GRADIENT.on(
                      b.attributes(), b.grad(), b.input("input"), b.input("grid")))
          .gradientName("GridSampler" + rank + "DBackward0")
          .torch(
              "aten::grid_sampler_%dd(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor"
                  .formatted(rank));
    }

    private Operators() {}
  }
}
