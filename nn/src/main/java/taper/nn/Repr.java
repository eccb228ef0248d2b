package taper.nn;

import java.util.Arrays;
import java.util.stream.Collectors;
import taper.tensor.ConvolutionOptions;
import taper.tensor.InterpolationOptions;

/// Numbers and tuples as Python writes them.
final class Repr {
  private Repr() {}

  /// Such as `1e-05`, `0.1`, `2.0`.
  static String number(double x) {
    if (!Double.isFinite(x)) {
      return Double.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
    }
    double size = Math.abs(x);
    if (size != 0 && size < 1e-4 || size >= 1e16) {
      String text = Double.toString(x).replace(".0E", "E");
      int e = text.indexOf('E');
      int exponent = Integer.parseInt(text.substring(e + 1));
      return "%se%s%02d"
          .formatted(text.substring(0, e), exponent < 0 ? "-" : "+", Math.abs(exponent));
    }
    return size != 0 && (size < 1e-3 || size >= 1e7)
        ? new java.math.BigDecimal(Double.toString(x)).toPlainString()
        : Double.toString(x);
  }

  /// `True` or `False`.
  static String truth(boolean x) {
    return x ? "True" : "False";
  }

  /// Such as `2`, or `(2, 3, 1)` if the numbers differ.
  static String oneOr(long... values) {
    return Arrays.stream(values).allMatch(v -> v == values[0])
        ? Long.toString(values[0])
        : tuple(values);
  }

  /// Such as `scale_factor=2.0` or `size=(3, 4)`.
  static String resizing(InterpolationOptions o) {
    return o.size().isEmpty()
        ? "scale_factor="
            + (o.scaleFactor().size() == 1
                ? number(o.scaleFactor().getFirst())
                : o.scaleFactor().stream()
                    .map(Repr::number)
                    .collect(Collectors.joining(", ", "(", ")")))
        : "size="
            + (o.size().size() == 1
                ? o.size().getFirst()
                : tuple(o.size().stream().mapToLong(Long::longValue).toArray()));
  }

  /// Such as `, dilation=1, padding=0, stride=1`.
  static String blocks(ConvolutionOptions o) {
    return ", dilation=%s, padding=%s, stride=%s"
        .formatted(
            oneOr(o.dilation().height(), o.dilation().width()),
            oneOr(o.padding().height(), o.padding().width()),
            oneOr(o.stride().height(), o.stride().width()));
  }

  /// Such as `(32,)` or `(4, 8)`.
  static String tuple(long... values) {
    if (values.length == 1) {
      return "(" + values[0] + ",)";
    }
    return "(" + String.join(", ", Arrays.stream(values).mapToObj(Long::toString).toList()) + ")";
  }
}
