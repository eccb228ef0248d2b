package taper.tensor;

import java.util.Arrays;

/// How far windows reach and how often they fit, in long arithmetic that refuses what would overflow.
///
/// Dimensions are named from the last one on: columns, rows, planes.
final class WindowSizes {
  private static final String[] NAMES = {"columns", "rows", "planes"};

  /// No side of an image or a window is that long, so that sums of some of them do not overflow.
  private static final long LONGEST = 1L << 60;

  private WindowSizes() {}

  /// The sizes of the result of a convolution, behind batch and channels.
  ///
  /// @param stride for each of these dimensions, as `padding` and `dilation`
  /// @param x the shape of the input, with batch and channels
  /// @param w the shape of the weight
  static long[] convolved(
      String op, int[] stride, int[] padding, int[] dilation, int groups, long[] x, long[] w) {
    moves(op, stride, padding, dilation, groups);
    if (x[1] % groups != 0 || x[1] / groups != w[1]) {
      throw new ShapeException(
          "%s: input must have groups × i channels, but input %s has %d and weight %s takes %d in each of %d groups. Permute the input to [n c%s], or create the weight for its channels."
              .formatted(
                  op,
                  Arrays.toString(x),
                  x[1],
                  Arrays.toString(w),
                  w[1],
                  groups,
                  x.length == 5 ? " d h w" : " h w"));
    }
    if (w[0] % groups != 0) {
      throw new ShapeException(
          "%s: the output channels must be a multiple of groups, but weight %s has %d and groups is %d."
              .formatted(op, Arrays.toString(w), w[0], groups));
    }
    sides(op, "input", x);
    sides(op, "weight", w);
    long[] y = new long[stride.length];
    for (int d = 0; d < y.length; d++) {
      long covered = covered(op, w[d + 2], dilation[d]);
      long padded = padded(op, x[d + 2], padding[d]);
      if (covered > padded) {
        throw new ShapeException(
            "%s: the window must fit into the padded input, but it covers %d %s of %d in input %s with weight %s. Use more padding or a smaller kernel."
                .formatted(
                    op,
                    covered,
                    NAMES[y.length - 1 - d],
                    padded,
                    Arrays.toString(x),
                    Arrays.toString(w)));
      }
      y[d] = (padded - covered) / stride[d] + 1;
    }
    return y;
  }

  /// Checks how a window moves.
  static void moves(String op, int[] stride, int[] padding, int[] dilation, int groups) {
    if (least(stride) < 1) {
      throw new ArgumentException(
          "%s: stride must be at least 1, but is %s.".formatted(op, text(stride)));
    }
    if (least(padding) < 0) {
      throw new ArgumentException(
          "%s: padding must not be negative, but is %s.".formatted(op, text(padding)));
    }
    if (least(dilation) < 1) {
      throw new ArgumentException(
          "%s: dilation must be at least 1, but is %s.".formatted(op, text(dilation)));
    }
    groups(op, groups);
  }

  /// Checks into how many independent convolutions channels are cut.
  static void groups(String op, int groups) {
    if (groups < 1) {
      throw new ArgumentException(
          "%s: groups must be at least 1, but is %d.".formatted(op, groups));
    }
  }

  private static int least(int[] numbers) {
    return Arrays.stream(numbers).min().orElse(1);
  }

  private static String text(int[] numbers) {
    return String.join(" × ", Arrays.stream(numbers).mapToObj(Integer::toString).toList());
  }

  /// Checks that only the first two dimensions may be empty.
  static void sides(String op, String name, long[] shape) {
    for (int d = 2; d < shape.length; d++) {
      if (shape[d] == 0) {
        throw new ShapeException(
            "%s: only the first two dimensions of %s may be empty, but it has shape %s."
                .formatted(op, name, Arrays.toString(shape)));
      }
    }
  }

  /// How many elements a window covers from its first to its last.
  static long covered(String op, long kernel, int dilation) {
    if (kernel > LONGEST / dilation) {
      throw new ShapeException(
          "%s: a window must cover fewer than 2^60 elements along each dimension, but has %d that are %d apart."
              .formatted(op, kernel, dilation));
    }
    return (kernel - 1) * dilation + 1;
  }

  /// How many elements a dimension has with its padding at both sides.
  static long padded(String op, long size, int padding) {
    if (size > LONGEST) {
      throw new ShapeException(
          "%s: each side must have at most 2^60 elements, but one has %d.".formatted(op, size));
    }
    return size + 2L * padding;
  }

  /// How many elements a dimension of the result of a transposed convolution has.
  static long grown(
      String op, long size, int stride, int padding, int dilation, long kernel, int extra) {
    if (size > LONGEST / stride) {
      throw new ShapeException(
          "%s: each side of the result must have fewer than 2^61 elements, but %d elements shall be %d apart."
              .formatted(op, size, stride));
    }
    long result = (size - 1) * stride - 2L * padding + covered(op, kernel, dilation) + extra;
    if (size < 1 || result < 1) {
      throw new ShapeException(
          "%s: the result must not be empty, but a dimension of %d elements becomes %d. Use less padding."
              .formatted(op, size, result));
    }
    return result;
  }
}
