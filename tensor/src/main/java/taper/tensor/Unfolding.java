package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceUnfolding;

/// Windows as columns and back, and channels as pixels and back.
public sealed interface Unfolding permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the windows of `kernel × kernel` elements as columns; see [#unfold(int, int, UnaryOperator)].
  default Tensor unfold(int kernel, UnaryOperator<ConvolutionOptions> options) {
    return unfold(kernel, kernel, options);
  }

  /// Returns the windows that a convolution would see, each as a column.
  ///
  /// - Shape: `[n c h w] -> [n c·height·width l]` with one column for each of `l` windows, in row-major order; the batch
  ///   dimension may be missing
  /// - Types: any
  ///
  /// @param options stride, padding, dilation
  /// @throws ShapeException if no window fits
  default Tensor unfold(int height, int width, UnaryOperator<ConvolutionOptions> options) {
    var blocks = Blocks.of("unfold", height, width, options.apply(ConvolutionOptions.DEFAULT));
    Tensor x = self();
    if (x.dim() != 3 && x.dim() != 4) {
      throw new ShapeException(
          "unfold: self must have the dimensions [n c h w] or [c h w], but has shape %s."
              .formatted(x.shape()));
    }
    return x.dim() == 3
        ? Operators.IM2COL.on(blocks, x.unsqueeze(0)).squeeze(0)
        : Operators.IM2COL.on(blocks, x);
  }

  /// Returns the image of `height × width` pixels whose windows of `kernel × kernel` elements are the columns of this
  /// tensor; see [#fold(long, long, int, int, UnaryOperator)].
  default Tensor fold(
      long height, long width, int kernel, UnaryOperator<ConvolutionOptions> options) {
    return fold(height, width, kernel, kernel, options);
  }

  /// Returns the image whose windows are the columns of this tensor; where windows overlap they are summed.
  ///
  /// - Shape: `[n c·kernelHeight·kernelWidth l] -> [n c height width]`; the batch dimension may be missing
  ///
  /// @param options stride, padding, dilation
  /// @throws ShapeException if the image has another number of windows
  default Tensor fold(
      long height,
      long width,
      int kernelHeight,
      int kernelWidth,
      UnaryOperator<ConvolutionOptions> options) {
    var blocks =
        new BlocksInput(
            Blocks.of("fold", kernelHeight, kernelWidth, options.apply(ConvolutionOptions.DEFAULT)),
            height,
            width);
    Tensor x = self();
    if (x.dim() != 2 && x.dim() != 3) {
      throw new ShapeException(
          "fold: self must have the dimensions [n k l] or [k l], but has shape %s."
              .formatted(x.shape()));
    }
    return x.dim() == 2
        ? Operators.COL2IM.on(blocks, x.unsqueeze(0)).squeeze(0)
        : Operators.COL2IM.on(blocks, x);
  }

  /// Returns an image `factor` times as high and wide, whose pixels were channels.
  ///
  /// - Shape: `[*b c·factor² h w] -> [*b c h·factor w·factor]`
  /// - Source: Shi et al. 2016, Real-time single image and video super-resolution, arXiv:1609.05158
  ///
  /// @throws ShapeException if the channels are no multiple of `factor²`
  default Tensor pixelShuffle(int factor) {
    return Operators.PIXEL_SHUFFLE.on(new Factor(factor), self());
  }

  /// Returns an image whose channels are the pixels of squares of `factor × factor`: the opposite of [#pixelShuffle].
  ///
  /// - Shape: `[*b c h·factor w·factor] -> [*b c·factor² h w]`
  ///
  /// @throws ShapeException if height or width are no multiple of `factor`
  default Tensor pixelUnshuffle(int factor) {
    return Operators.PIXEL_UNSHUFFLE.on(new Factor(factor), self());
  }

  /// Returns the channels in another order: first those that came first in each of `groups` groups, and so on.
  ///
  /// - Shape: `[n c *] -> [n c *]`
  /// - Source: Zhang et al. 2018, ShuffleNet, arXiv:1707.01083
  ///
  /// @throws ShapeException if the channels are no multiple of `groups`
  default Tensor channelShuffle(int groups) {
    return Operators.CHANNEL_SHUFFLE.on(new Factor(groups), self());
  }

  /// How a window moves.
  ///
  /// @param kernelH the rows of the window
  /// @param kernelW the columns of the window
  /// @param dilationH the distance between rows of the window
  /// @param dilationW the distance between columns of the window
  /// @param paddingH rows of zeros above and below
  /// @param paddingW columns of zeros to the left and right
  /// @param strideH the step between windows, downwards
  /// @param strideW the step between windows, to the right
  record Blocks(
      int kernelH,
      int kernelW,
      int dilationH,
      int dilationW,
      int paddingH,
      int paddingW,
      int strideH,
      int strideW) {

    static Blocks of(String op, int height, int width, ConvolutionOptions o) {
      Windows.checkOptions(op, o);
      return new Blocks(
          height,
          width,
          o.dilation().height(),
          o.dilation().width(),
          o.padding().height(),
          o.padding().width(),
          o.stride().height(),
          o.stride().width());
    }

    /// How many windows lie above each other in an image of `height` rows.
    public long rows(long height) {
      return Math.floorDiv(height + 2L * paddingH - dilationH * (kernelH - 1L) - 1, strideH) + 1;
    }

    /// How many windows lie beside each other in an image of `width` columns.
    public long columns(long width) {
      return Math.floorDiv(width + 2L * paddingW - dilationW * (kernelW - 1L) - 1, strideW) + 1;
    }

    /// Checks the window, and that a plane of these sizes is small enough to be walked through as ints.
    private void check(String op, long height, long width) {
      WindowSizes.moves(
          op,
          new int[] {strideH, strideW},
          new int[] {paddingH, paddingW},
          new int[] {dilationH, dilationW},
          1);
      if (kernelH < 1 || kernelW < 1) {
        throw new ArgumentException(
            "%s: the window must be at least 1 × 1, but is %d × %d."
                .formatted(op, kernelH, kernelW));
      }
      if (height > Integer.MAX_VALUE
          || width > Integer.MAX_VALUE
          || rows(height) > Integer.MAX_VALUE
          || columns(width) > Integer.MAX_VALUE) {
        throw new ShapeException(
            "%s: there must be fewer than 2^31 rows and columns, of pixels and of windows, but the plane is %d × %d."
                .formatted(op, height, width));
      }
    }

    private Map<String, Long> unfolded(List<long @Nullable []> shapes) {
      long[] x = shapes.get(0);
      assert x != null;
      check("unfold", x[2], x[3]);
      if (x[1] == 0 || x[2] == 0 || x[3] == 0 || rows(x[2]) < 1 || columns(x[3]) < 1) {
        throw new ShapeException(
            "unfold: a window of %d × %d must fit into the padded input, but self has shape %s."
                .formatted(kernelH, kernelW, Arrays.toString(x)));
      }
      long taps = (long) kernelH * kernelW;
      return Map.of("k", Math.multiplyExact(x[1], taps), "l", rows(x[2]) * columns(x[3]));
    }
  }

  /// How a window moves, and over what.
  ///
  /// @param blocks the window
  /// @param height the rows of the image
  /// @param width its columns
  record BlocksInput(Blocks blocks, long height, long width) {

    private Map<String, Long> folded(List<long @Nullable []> shapes) {
      long[] x = shapes.get(0);
      assert x != null;
      blocks.check("fold", height, width);
      long rows = blocks.rows(height);
      long columns = blocks.columns(width);
      long taps = (long) blocks.kernelH * blocks.kernelW;
      if (height < 1 || width < 1 || rows < 1 || columns < 1 || x[2] != rows * columns) {
        throw new ShapeException(
            "fold: self must have a column for each of %d × %d windows of an image of %d × %d, but has shape %s."
                .formatted(
                    Math.max(0, rows), Math.max(0, columns), height, width, Arrays.toString(x)));
      }
      if (x[1] == 0 || x[1] % taps != 0) {
        throw new ShapeException(
            "fold: dimension k must be a multiple of the %d elements of a window, but self has shape %s."
                .formatted(taps, Arrays.toString(x)));
      }
      return Map.of("c", x[1] / taps, "h", height, "w", width);
    }
  }

  /// A whole number.
  ///
  /// @param value by how much an image grows or shrinks, or the number of groups
  record Factor(int value) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("unfolding");

    static final Operator<Blocks> IM2COL =
        FAMILY
            .<Blocks>structured("im2col", "self[n c h w] -> [n k l]", ReferenceUnfolding.UNFOLD)
            .sizes(Blocks::unfolded)
            .dtypes(DTypes.ANY)
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.COL2IM.on(
                        new BlocksInput(b.attributes(), b.sizes("self")[2], b.sizes("self")[3]),
                        b.grad()))
            .gradientName("Im2ColBackward0")
            .torch(
                "aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding,"
                    + " int[2] stride) -> Tensor")
            .sample(new Blocks(2, 3, 1, 1, 0, 0, 1, 1), "f32[2 3 4 5]")
            .sample(new Blocks(2, 2, 2, 1, 1, 2, 2, 3), "f32[1 2 5 6]")
            .sample(new Blocks(3, 1, 1, 1, 4, 0, 1, 1), "f32[1 1 2 3]")
            .sample(new Blocks(2, 2, 1, 1, 0, 0, 1, 1), "i64[1 1 3 3]")
            .sample(new Blocks(2, 2, 1, 1, 0, 0, 1, 1), "f32[0 1 3 3]")
            .sample(
                new Blocks(
                    3,
                    2,
                    Integer.MAX_VALUE,
                    1,
                    Integer.MAX_VALUE,
                    1 << 20,
                    Integer.MAX_VALUE,
                    1 << 20),
                "f32[1 2 3 3]")
            .rejects(
                new Blocks(2, 0, 1, 1, 0, 0, 1, 1),
                "f32[1 1 2 4]",
                "unfold: the window must be at least 1 × 1, but is 2 × 0.")
            .rejects(
                new Blocks(1, 1, 1, 1, Integer.MAX_VALUE, 0, 1, 1),
                "f32[1 1 2 4]",
                "unfold: there must be fewer than 2^31 rows and columns, of pixels and of windows,"
                    + " but the plane is 2 × 4.")
            .rejects(
                new Blocks(3, 3, 1, 1, 0, 0, 1, 1),
                "f32[1 1 2 4]",
                "unfold: a window of 3 × 3 must fit into the padded input, but self has shape [1,"
                    + " 1, 2, 4].")
            .declare();

    static final Operator<BlocksInput> COL2IM =
        FAMILY
            .<BlocksInput>structured("col2im", "self[n k l] -> [n c h w]", ReferenceUnfolding.FOLD)
            .sizes(BlocksInput::folded)
            .dtypes(DTypes.SAME.complexByParts())
            .gradient(
                "self", Keeps.NOTHING, b -> Operators.IM2COL.on(b.attributes().blocks(), b.grad()))
            .gradientName("Col2ImBackward0")
            .torch(
                "aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2]"
                    + " dilation, int[2] padding, int[2] stride) -> Tensor")
            .sample(new BlocksInput(new Blocks(2, 3, 1, 1, 0, 0, 1, 1), 4, 5), "f32[2 12 9]")
            .sample(new BlocksInput(new Blocks(2, 2, 2, 1, 1, 2, 2, 3), 5, 6), "f32[1 8 9]")
            .sample(
                new BlocksInput(
                    new Blocks(
                        3,
                        2,
                        Integer.MAX_VALUE,
                        1,
                        Integer.MAX_VALUE,
                        1 << 20,
                        Integer.MAX_VALUE,
                        1 << 20),
                    3,
                    3),
                "f32[1 12 3]")
            .rejects(
                new BlocksInput(new Blocks(1 << 16, 1 << 16, 1, 1, 0, 0, 1, 1), 1 << 16, 1 << 16),
                "f32[1 4 1]",
                "fold: dimension k must be a multiple of the 4294967296 elements of a window, but"
                    + " self has shape [1, 4, 1].")
            .rejects(
                new BlocksInput(new Blocks(2, 2, 1, 1, 0, 0, 1, 1), 3, 3),
                "f32[1 4 5]",
                "fold: self must have a column for each of 2 × 2 windows of an image of 3 × 3, but"
                    + " has shape [1, 4, 5].")
            .declare();

    static final Operator<Factor> PIXEL_SHUFFLE =
        FAMILY
            .<Factor>structured("pixelShuffle", "self[*] -> [*]", ReferenceUnfolding.SHUFFLE)
            .shape(Operators::shuffled)
            .dtypes(DTypes.ANY)
            .gradient(
                "self", Keeps.NOTHING, b -> Operators.PIXEL_UNSHUFFLE.on(b.attributes(), b.grad()))
            .torch("aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor")
            .sample(new Factor(2), "f32[2 8 2 3]")
            .sample(new Factor(3), "f32[9 1 2]")
            .rejects(
                new Factor(2),
                "f32[1 3 2 2]",
                "pixelShuffle: the channels must be a multiple of 2 × 2, but self has shape [1, 3,"
                    + " 2, 2].")
            .declare();

    static final Operator<Factor> PIXEL_UNSHUFFLE =
        FAMILY
            .<Factor>structured("pixelUnshuffle", "self[*] -> [*]", ReferenceUnfolding.UNSHUFFLE)
            .shape(Operators::unshuffled)
            .dtypes(DTypes.ANY)
            .gradient(
                "self", Keeps.NOTHING, b -> Operators.PIXEL_SHUFFLE.on(b.attributes(), b.grad()))
            .torch("aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor")
            .sample(new Factor(2), "f32[2 3 4 6]")
            .sample(new Factor(3), "f32[1 3 3]")
            .rejects(
                new Factor(2),
                "f32[1 3 2 3]",
                "pixelUnshuffle: height and width must be multiples of 2, but self has shape [1, 3,"
                    + " 2, 3].")
            .declare();

    static final Operator<Factor> CHANNEL_SHUFFLE =
        FAMILY
            .<Factor>composite(
                "channelShuffle", "self[*] -> [*]", (a, in) -> channels(a, in.get("self")))
            .dtypes(DTypes.ANY)
            .torch("aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor")
            .sample(new Factor(2), "f32[2 6 2 3]")
            .sample(new Factor(3), "f32[1 3 4]")
            .rejects(
                new Factor(2),
                "f32[1 3 2 3]",
                "channelShuffle: the channels must be a multiple of 2 groups, but self has shape"
                    + " [1, 3, 2, 3].")
            .declare();

    private static List<long[]> shuffled(Factor a, List<long @Nullable []> shapes) {
      long[] x = shapes.get(0);
      assert x != null;
      checkFactor("pixelShuffle", a.value(), x, 3);
      int r = a.value();
      int c = x.length - 3;
      if (x[c] % ((long) r * r) != 0) {
        throw new ShapeException(
            "pixelShuffle: the channels must be a multiple of %d × %d, but self has shape %s."
                .formatted(r, r, Arrays.toString(x)));
      }
      long[] y = x.clone();
      y[c] /= (long) r * r;
      y[c + 1] = Math.multiplyExact(y[c + 1], r);
      y[c + 2] = Math.multiplyExact(y[c + 2], r);
      return List.of(y);
    }

    private static List<long[]> unshuffled(Factor a, List<long @Nullable []> shapes) {
      long[] x = shapes.get(0);
      assert x != null;
      checkFactor("pixelUnshuffle", a.value(), x, 3);
      int r = a.value();
      int c = x.length - 3;
      if (x[c + 1] % r != 0 || x[c + 2] % r != 0) {
        throw new ShapeException(
            "pixelUnshuffle: height and width must be multiples of %d, but self has shape %s."
                .formatted(r, Arrays.toString(x)));
      }
      long[] y = x.clone();
      y[c] = Math.multiplyExact(y[c], (long) r * r);
      y[c + 1] /= r;
      y[c + 2] /= r;
      return List.of(y);
    }

    private static Tensor channels(Factor a, Tensor x) {
      checkFactor("channelShuffle", a.value(), x.sizes(), 3);
      long[] sizes = x.sizes();
      if (sizes[1] % a.value() != 0) {
        throw new ShapeException(
            "channelShuffle: the channels must be a multiple of %d groups, but self has shape %s."
                .formatted(a.value(), x.shape()));
      }
      long[] parts = new long[sizes.length + 1];
      System.arraycopy(sizes, 0, parts, 1, sizes.length);
      parts[0] = sizes[0];
      parts[1] = a.value();
      parts[2] = sizes[1] / a.value();
      return x.reshape(parts).transpose(1, 2).reshape(sizes);
    }

    private static void checkFactor(String op, int factor, long[] x, int rank) {
      if (factor < 1) {
        throw new ArgumentException(
            "%s: the factor must be at least 1, but is %d.".formatted(op, factor));
      }
      if (x.length < rank) {
        throw new ShapeException(
            "%s: self must have at least %d dimensions, but has shape %s."
                .formatted(op, rank, Arrays.toString(x)));
      }
    }

    private Operators() {}
  }
}
