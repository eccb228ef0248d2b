package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.CheckedSizes;

/// What the declarations of [Padding] share.
final class Borders {
  private Borders() {}

  static List<Long> list(long[] numbers) {
    return Arrays.stream(numbers).boxed().toList();
  }

  static long[] array(List<Long> numbers) {
    return numbers.stream().mapToLong(Long::longValue).toArray();
  }

  static Tensor pad(Tensor x, long[] pad, String mode) {
    Padding.Edge edge =
        switch (mode) {
          case "constant" -> null;
          case "reflect" -> Padding.Edge.REFLECT;
          case "replicate" -> Padding.Edge.REPLICATE;
          case "circular" -> Padding.Edge.CIRCULAR;
          default ->
              throw new ArgumentException(
                  "pad: mode must be one of %s, but is '%s'."
                      .formatted(List.of("constant", "reflect", "replicate", "circular"), mode));
        };
    return edge == null
        ? x.constantPadNd(pad, 0)
        : Padding.Operators.of(edge).on(new Padding.Border(edge, list(pad)), x);
  }

  static List<long[]> padded(String op, List<Long> pad, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    if (pad.size() % 2 != 0 || pad.size() > 2 * x.length) {
      throw new ShapeException(
          "%s: pad must have a pair for each of at most %d dimensions, but is %s."
              .formatted(op, x.length, pad));
    }
    long[] y = x.clone();
    for (int k = 0; k < pad.size(); k += 2) {
      int d = x.length - 1 - k / 2;
      long before = pad.get(k);
      long after = pad.get(k + 1);
      if (before < -x[d] || after < -x[d]) {
        throw new ShapeException(
            "%s: no more must be cut off than there is, but pad %s cuts more than the %d elements of dimension %d of shape %s."
                .formatted(op, pad, x[d], d, Arrays.toString(x)));
      }
      y[d] = CheckedSizes.plus(CheckedSizes.plus(x[d], before, x), after, x);
      if (y[d] < 0) {
        throw new ShapeException(
            "%s: the result must not have a negative size, but pad %s makes dimension %d of shape %s %d."
                .formatted(op, pad, d, Arrays.toString(x), y[d]));
      }
    }
    for (long size : y) {
      if (size > Integer.MAX_VALUE) {
        throw new ShapeException(
            "%s: each dimension of the result must have fewer than 2^31 elements, but pad %s makes shape %s of %s."
                .formatted(op, pad, Arrays.toString(y), Arrays.toString(x)));
      }
    }
    return List.of(y);
  }

  /// The shape that was padded, of which `shapes` has the gradient.
  static List<long[]> restored(Padding.BorderInput a, List<long @Nullable []> shapes) {
    long[] grad = shapes.get(0);
    assert grad != null;
    long[] x = array(a.sizes());
    long[] wanted =
        bordered("borderGradient", a.border(), Arrays.<long @Nullable []>asList(x, x)).getFirst();
    if (!Arrays.equals(wanted, grad)) {
      throw new ShapeException(
          "borderGradient: grad must have the padded shape %s, but has %s."
              .formatted(Arrays.toString(wanted), Arrays.toString(grad)));
    }
    return List.of(x);
  }

  static List<long[]> bordered(String op, Padding.Border a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    assert x != null;
    int padded = a.pad().size() / 2;
    if (a.pad().size() % 2 != 0
        || padded < 1
        || padded > 3
        || x.length < padded + 1
        || x.length > padded + 2) {
      throw new ShapeException(
          "%s: %d or %d dimensions are needed to pad the last %d, but self has shape %s."
              .formatted(op, padded + 1, padded + 2, padded, Arrays.toString(x)));
    }
    for (int d = x.length - padded; d < x.length; d++) {
      if (x[d] == 0) {
        throw new ShapeException(
            "%s: the padded dimensions must not be empty, but self has shape %s."
                .formatted(op, Arrays.toString(x)));
      }
      int k = 2 * (x.length - 1 - d);
      long most = Math.max(a.pad().get(k), a.pad().get(k + 1));
      long limit =
          switch (a.edge()) {
            case REFLECT -> x[d] - 1;
            case REPLICATE -> Long.MAX_VALUE;
            case CIRCULAR -> x[d];
          };
      if (most > limit) {
        throw new ShapeException(
            "%s: the border must be at most %d wide, but pad %s asks for %d at dimension %d of self %s."
                .formatted(op, limit, a.pad(), most, d, Arrays.toString(x)));
      }
    }
    long[] y = padded(op, a.pad(), shapes).get(0);
    for (int d = x.length - padded; d < x.length; d++) {
      int k = 2 * (x.length - 1 - d);
      long kept = x[d] + Math.min(a.pad().get(k), 0) + Math.min(a.pad().get(k + 1), 0);
      if (y[d] < 1 || a.edge() == Padding.Edge.CIRCULAR && kept < 1) {
        throw new ShapeException(
            "%s: the result must not be empty, but pad %s leaves nothing of dimension %d of self %s."
                .formatted(op, a.pad(), d, Arrays.toString(x)));
      }
    }
    return List.of(y);
  }
}
