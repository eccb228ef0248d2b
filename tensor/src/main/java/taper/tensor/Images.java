package taper.tensor;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Resizing.Filter;
import taper.tensor.Resizing.Mode;
import taper.tensor.Resizing.Operators.Resizer;
import taper.tensor.Resizing.Outside;
import taper.tensor.Resizing.Resize;
import taper.tensor.Resizing.ResizeInput;
import taper.tensor.Resizing.Sampling;

/// What the declarations of [Resizing] share.
final class Images {
  private static final List<String> MODES =
      List.of("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area");

  private Images() {}

  static Tensor interpolate(Tensor x, InterpolationOptions o) {
    String mode = o.mode();
    if (!MODES.contains(mode)) {
      throw new ArgumentException(
          "interpolate: mode must be one of %s, but is '%s'.".formatted(MODES, mode));
    }
    int rank = x.dim() - 2;
    checkRank(x, mode, rank);
    boolean plain = mode.startsWith("nearest") || mode.equals("area");
    Boolean align = o.alignCorners();
    if (plain && align != null) {
      throw new ArgumentException(
          "interpolate: alignCorners goes with linear, bilinear, bicubic and trilinear, but the mode is '%s'."
              .formatted(mode));
    }
    if (o.antialias() && !mode.equals("bilinear") && !mode.equals("bicubic")) {
      throw new ArgumentException(
          "interpolate: antialias goes with bilinear and bicubic, but the mode is '%s'."
              .formatted(mode));
    }
    List<Long> size = size(x, o, rank);
    if (mode.equals("area")) {
      long[] s = Borders.array(size);
      return switch (rank) {
        case 1 -> x.adaptiveAvgPool1d(s[0]);
        case 2 -> x.adaptiveAvgPool2d(s[0], s[1]);
        default -> x.adaptiveAvgPool3d(s[0], s[1], s[2]);
      };
    }
    List<Double> scales =
        o.scaleFactor().isEmpty() || o.recomputeScaleFactor()
            ? Collections.nCopies(rank, 0.0)
            : spread(o.scaleFactor(), rank);
    return resizer(filter(mode, o.antialias()), rank)
        .forward()
        .on(new Resize(size, scales, align != null && align), x);
  }

  private static void checkRank(Tensor x, String mode, int rank) {
    int wanted =
        switch (mode) {
          case "linear" -> 1;
          case "bilinear", "bicubic" -> 2;
          case "trilinear" -> 3;
          default -> Math.clamp(rank, 1, 3);
        };
    if (rank != wanted) {
      throw new ShapeException(
          "interpolate: mode '%s' takes %d dimensions, [n c ...], but self has shape %s."
              .formatted(mode, wanted + 2, x.shape()));
    }
  }

  private static List<Long> size(Tensor x, InterpolationOptions o, int rank) {
    boolean bySize = !o.size().isEmpty();
    if (bySize == !o.scaleFactor().isEmpty()) {
      throw new ArgumentException(
          "interpolate: either size or scaleFactor must be given, but %s."
              .formatted(bySize ? "both are" : "neither is"));
    }
    if (bySize) {
      return spread(o.size(), rank);
    }
    List<Double> factors = spread(o.scaleFactor(), rank);
    long[] sizes = new long[rank];
    for (int d = 0; d < rank; d++) {
      sizes[d] = (long) Math.floor(x.size(d + 2) * factors.get(d));
    }
    return Borders.list(sizes);
  }

  /// One for each dimension, of one for all or one for each.
  private static <T> List<T> spread(List<T> given, int rank) {
    if (given.size() != 1 && given.size() != rank) {
      throw new ShapeException(
          "interpolate: there must be 1 or %d sizes or factors, but there are %s."
              .formatted(rank, given));
    }
    return given.size() == 1 ? Collections.nCopies(rank, given.get(0)) : given;
  }

  private static Filter filter(String mode, boolean antialias) {
    return switch (mode) {
      case "nearest" -> Filter.NEAREST;
      case "nearest-exact" -> Filter.NEAREST_EXACT;
      case "bicubic" -> antialias ? Filter.CUBIC_SMOOTH : Filter.CUBIC;
      default -> antialias ? Filter.LINEAR_SMOOTH : Filter.LINEAR;
    };
  }

  static Resizer resizer(Filter filter, int rank) {
    return switch (filter) {
      case NEAREST -> Resizing.Operators.NEAREST.get(rank - 1);
      case NEAREST_EXACT -> Resizing.Operators.NEAREST_EXACT.get(rank - 1);
      case LINEAR ->
          switch (rank) {
            case 1 -> Resizing.Operators.LINEAR;
            case 2 -> Resizing.Operators.BILINEAR;
            default -> Resizing.Operators.TRILINEAR;
          };
      case CUBIC -> Resizing.Operators.BICUBIC;
      case LINEAR_SMOOTH -> Resizing.Operators.BILINEAR_ANTIALIAS;
      case CUBIC_SMOOTH -> Resizing.Operators.BICUBIC_ANTIALIAS;
    };
  }

  /// The last `rank` sizes.
  static List<Long> spatial(long[] sizes, int rank) {
    return Borders.list(Arrays.copyOfRange(sizes, sizes.length - rank, sizes.length));
  }

  static List<long[]> resized(String op, int rank, Resize a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    if (x.length != rank + 2) {
      throw new ShapeException(
          "%s: self must have %d dimensions, [n c ...], but has shape %s."
              .formatted(op, rank + 2, Arrays.toString(x)));
    }
    if (a.size().size() != rank || a.scales().size() != rank) {
      throw new ArgumentException(
          "%s: there must be a size and a scale for each of %d dimensions, but they are %s and %s."
              .formatted(op, rank, a.size(), a.scales()));
    }
    for (int d = 0; d < x.length; d++) {
      if (x[d] > Integer.MAX_VALUE || d > 1 && a.size().get(d - 2) > Integer.MAX_VALUE) {
        throw new ShapeException(
            "%s: each dimension must have fewer than 2^31 elements, but self has shape %s and the result %s."
                .formatted(op, Arrays.toString(x), a.size()));
      }
      if (d > 0 && x[d] == 0 || d > 1 && a.size().get(d - 2) < 1) {
        throw new ShapeException(
            "%s: sizes must be at least 1, but self has shape %s and the result %s."
                .formatted(op, Arrays.toString(x), a.size()));
      }
    }
    return with(x, a.size());
  }

  static List<long[]> restored(String op, int rank, ResizeInput a, List<long @Nullable []> shapes) {
    long[] grad = shapes.get(0);
    assert grad != null;
    if (grad.length != rank + 2 || a.from().size() != rank) {
      throw new ShapeException(
          "%s: grad must have %d dimensions, and there must be %d sizes, but it has shape %s and they are %s."
              .formatted(op, rank + 2, rank, Arrays.toString(grad), a.from()));
    }
    long[] x = with(grad, a.from()).getFirst();
    gradientOf(op, resized(op, rank, a.resize(), List.<long @Nullable []>of(x)), grad);
    return List.of(x);
  }

  private static void gradientOf(String op, List<long[]> wanted, long[] grad) {
    if (!Arrays.equals(wanted.getFirst(), grad)) {
      throw new ShapeException(
          "%s: grad must have the shape of the result, %s, but has %s."
              .formatted(op, Arrays.toString(wanted.getFirst()), Arrays.toString(grad)));
    }
  }

  private static List<long[]> with(long[] x, List<Long> last) {
    long[] y = x.clone();
    for (int d = 0; d < last.size(); d++) {
      y[y.length - last.size() + d] = last.get(d);
    }
    return List.of(y);
  }

  static Tensor gridSample(
      Tensor input, Tensor grid, String mode, String paddingMode, boolean alignCorners) {
    Mode between = named(Mode.values(), "mode", mode);
    Outside outside = named(Outside.values(), "paddingMode", paddingMode);
    if (input.dim() != 4 && input.dim() != 5) {
      throw new ShapeException(
          "gridSample: input must have the dimensions [n c h w] or [n c d h w], but has shape %s."
              .formatted(input.shape()));
    }
    if (input.dim() == 5 && between == Mode.BICUBIC) {
      throw new ArgumentException(
          "gridSample: mode 'bicubic' takes images, but input has shape %s."
              .formatted(input.shape()));
    }
    var sampling = new Sampling(between, outside, alignCorners);
    return (input.dim() == 4
            ? Resizing.Operators.GRID_SAMPLE_2D
            : Resizing.Operators.GRID_SAMPLE_3D)
        .on(sampling, input, grid);
  }

  private static <E extends Enum<E>> E named(E[] values, String what, String name) {
    for (E value : values) {
      if (value.name().toLowerCase(Locale.ROOT).equals(name)) {
        return value;
      }
    }
    throw new ArgumentException(
        "gridSample: %s must be one of %s, but is '%s'."
            .formatted(what, Arrays.toString(values).toLowerCase(Locale.ROOT), name));
  }

  static List<long[]> samples(String op, int rank, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    long[] grid = shapes.get(1);
    assert x != null && grid != null;
    if (grid.length != x.length || x.length != rank + 2) {
      throw new ShapeException(
          "%s: input and grid must have %d dimensions, but have shapes %s and %s."
              .formatted(op, rank + 2, Arrays.toString(x), Arrays.toString(grid)));
    }
    if (grid[0] != x[0]) {
      throw new ShapeException(
          "%s: input and grid must have one batch size, but have shapes %s and %s."
              .formatted(op, Arrays.toString(x), Arrays.toString(grid)));
    }
    if (grid[rank + 1] != rank) {
      throw new ShapeException(
          "%s: grid must have %d coordinates, but has shape %s."
              .formatted(op, rank, Arrays.toString(grid)));
    }
    for (int d = 2; d < x.length; d++) {
      if (x[d] == 0) {
        throw new ShapeException(
            "%s: input must not be empty, but has shape %s.".formatted(op, Arrays.toString(x)));
      }
    }
    return with(x, Borders.list(Arrays.copyOfRange(grid, 1, rank + 1)));
  }

  static List<long[]> samples(String op, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    if (x.length != 4 && x.length != 5) {
      throw new ShapeException(
          "%s: input must have 4 or 5 dimensions, but has shape %s."
              .formatted(op, Arrays.toString(x)));
    }
    return samples(op, x.length - 2, shapes);
  }

  /// The shape of the images of which `shapes` has the gradient of samples, the grid, and maybe a direction like it.
  static List<long[]> sampled(String op, List<Long> size, List<long @Nullable []> shapes) {
    long[] grad = shape(shapes, 0);
    if (grad.length != size.size() + 2 || grad.length < 4) {
      throw new ShapeException(
          "%s: grad must have the dimensions [n c ...] for images of %s, but has shape %s."
              .formatted(op, size, Arrays.toString(grad)));
    }
    long[] x = with(grad, size).getFirst();
    long[] grid = shape(shapes, 1);
    for (int d = 2; d < x.length; d++) {
      if (x[d] < 0) {
        throw new ShapeException("%s: sizes must not be negative, but are %s.".formatted(op, size));
      }
    }
    gradientOf(op, samples(op, Arrays.<long @Nullable []>asList(x, grid)), grad);
    alike(op, shapes, 1, 2);
    return List.of(x);
  }

  /// The shape of the grid of which `shapes` has the gradient of samples, the images, the grid, and maybe a direction.
  static List<long[]> grids(String op, List<long @Nullable []> shapes) {
    long[] grid = shape(shapes, 2);
    var operands = Arrays.<long @Nullable []>asList(shape(shapes, 1), grid);
    gradientOf(op, samples(op, operands), shape(shapes, 0));
    alike(op, shapes, 2, 3);
    return List.of(grid.clone());
  }

  /// The shape of what samples change by when the grid, the second input, moves in a direction, the third.
  static List<long[]> slopes(String op, List<long @Nullable []> shapes) {
    alike(op, shapes, 1, 2);
    return samples(op, shapes);
  }

  private static void alike(String op, List<long @Nullable []> shapes, int grid, int direction) {
    if (direction < shapes.size()
        && !Arrays.equals(shape(shapes, grid), shape(shapes, direction))) {
      throw new ShapeException(
          "%s: the direction must have the shape of the grid, %s, but has %s."
              .formatted(
                  op,
                  Arrays.toString(shape(shapes, grid)),
                  Arrays.toString(shape(shapes, direction))));
    }
  }

  private static long[] shape(List<long @Nullable []> shapes, int position) {
    return Objects.requireNonNull(shapes.get(position));
  }

  static Tensor affineGrid(Tensor theta, long[] size, boolean alignCorners) {
    int rank = size.length - 2;
    if (rank != 2 && rank != 3) {
      throw new ShapeException(
          "affineGrid: size must be [n c h w] or [n c d h w], but is %s."
              .formatted(Arrays.toString(size)));
    }
    if (!theta.dtype().isFloatingPoint()) {
      throw new DTypeException(
          "affineGrid: self must be of a floating dtype, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(theta.dtype()));
    }
    if (theta.dim() != 3
        || theta.size(0) != size[0]
        || theta.size(1) != rank
        || theta.size(2) != rank + 1) {
      throw new ShapeException(
          "affineGrid: self must have shape [%d, %d, %d] for the size %s, but has shape %s."
              .formatted(size[0], rank, rank + 1, Arrays.toString(size), theta.shape()));
    }
    for (long s : size) {
      if (s < 1 || s > Integer.MAX_VALUE) {
        throw new ShapeException(
            "affineGrid: sizes must be at least 1 and below 2^31, but are %s."
                .formatted(Arrays.toString(size)));
      }
    }
    long[] all = new long[rank + 1];
    System.arraycopy(size, 2, all, 0, rank);
    all[rank] = 1;
    Tensor[] coordinates = new Tensor[rank + 1];
    for (int d = 0; d < rank; d++) {
      long[] along = new long[rank + 1];
      Arrays.fill(along, 1);
      along[d] = size[d + 2];
      coordinates[rank - 1 - d] =
          line(theta.dtype(), size[d + 2], alignCorners).view(along).expand(all);
    }
    coordinates[rank] = Tensor.ones(theta.dtype(), all);
    Tensor base = Tensor.cat(List.of(coordinates), rank); // [*, rank + 1]
    long points = base.numel() / (rank + 1);
    long[] result = new long[rank + 2];
    result[0] = size[0];
    System.arraycopy(size, 2, result, 1, rank);
    result[rank + 1] = rank;
    return base.view(1, points, rank + 1)
        .expand(size[0], points, rank + 1)
        .bmm(theta.transpose(1, 2))
        .view(result);
  }

  private static Tensor line(DType dtype, long n, boolean alignCorners) {
    double[] places = new double[Math.toIntExact(n)];
    for (int i = 0; i < n; i++) {
      places[i] = n == 1 ? 0 : alignCorners ? 2.0 * i / (n - 1) - 1 : (2.0 * i + 1) / n - 1;
    }
    return Tensor.of(places, n).to(dtype);
  }
}
