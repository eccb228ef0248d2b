package taper.tensor;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// Prints tensors as PyTorch does, to the last blank: `torch/_tensor_str.py` with its default options.
///
/// All elements that are printed share one format. Of a tensor with more elements than the threshold of its
/// [PrintOptions] only the first and last indices of every dimension are printed, and only they decide on the format.
final class Printing {
  private static final String PREFIX = "tensor(";

  private final Strided data;
  private final PrintOptions options;
  private final Elements elements;
  private final @Nullable Elements imaginary;
  private final int apart; // how many real elements an element takes
  private final boolean summarize;
  private final Format format;
  private final Format imaginaryFormat;

  private Printing(Strided data, PrintOptions options) {
    this.data = data;
    this.options = options;
    boolean complex = data.dtype().isComplex();
    this.elements = new Elements(complex ? data.part(0) : data);
    this.imaginary = complex ? new Elements(data.part(1)) : null;
    this.apart = complex ? 2 : 1;
    this.summarize = data.numel() > options.threshold();
    var printed = new ArrayList<Long>();
    collect(0, 0, printed);
    this.format = Format.of(data.dtype().toReal(), elements, printed, options);
    this.imaginaryFormat =
        imaginary == null ? format : Format.of(data.dtype().toReal(), imaginary, printed, options);
  }

  static String print(Tensor x, PrintOptions options) {
    List<String> suffixes = new ArrayList<>();
    DType dtype = x.dtype();
    if (!x.device().equals(Device.CPU)) {
      suffixes.add("device='" + x.device() + "'");
    }
    String body;
    boolean usual =
        dtype == DType.defaultFloating()
            || dtype == DType.defaultFloating().toComplex()
            || dtype == DType.INT64
            || dtype == DType.BOOL;
    if (x.numel() == 0) {
      if (x.dim() != 1) {
        suffixes.add("size=" + tuple(x.sizesInternal()));
      }
      usual = dtype == DType.defaultFloating();
      body = "[]";
    } else {
      body = x.whileHeld(data -> new Printing(data, options).text(0, 0, PREFIX.length()));
    }
    if (!usual) {
      suffixes.add("dtype=torch." + dtype);
    }
    Node node = x.gradFn();
    if (node != null) {
      suffixes.add("grad_fn=<" + node.name() + ">");
    } else if (x.requiresGrad()) {
      suffixes.add("requires_grad=True");
    }
    String heading = x instanceof Parameter ? "Parameter containing:\n" : "";
    return heading + withSuffixes(PREFIX + body, suffixes, options.lineWidth());
  }

  private static String tuple(long[] sizes) {
    return LongStream.of(sizes)
        .mapToObj(Long::toString)
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private static String withSuffixes(String text, List<String> suffixes, int line) {
    var result = new StringBuilder(text);
    int last = text.length() - text.lastIndexOf('\n') + 1;
    for (String suffix : suffixes) {
      if (last + suffix.length() + 2 > line) {
        result.append(",\n").append(" ".repeat(PREFIX.length())).append(suffix);
        last = PREFIX.length() + suffix.length();
      } else {
        result.append(", ").append(suffix);
        last += suffix.length() + 2;
      }
    }
    return result.append(')').toString();
  }

  /// Whether dimension `d` is printed with a gap.
  private boolean hasGap(int d) {
    return summarize && data.size(d) > 2L * options.edgeItems();
  }

  /// Collects where the printed elements of dimensions `d` and on lie, from `distance` on.
  private void collect(int d, long distance, List<Long> printed) {
    if (d == data.rank()) {
      printed.add(distance * apart);
      return;
    }
    boolean gap = hasGap(d);
    for (long i = 0; i < data.size(d); i++) {
      if (gap && i == options.edgeItems()) {
        i = data.size(d) - options.edgeItems();
      }
      collect(d + 1, distance + i * data.stride(d), printed);
    }
  }

  /// The text of dimensions `d` and on, from `distance` on.
  private String text(int d, long distance, int indent) {
    if (d == data.rank()) {
      return element(distance);
    }
    if (d == data.rank() - 1) {
      return vector(d, distance, indent);
    }
    List<String> slices = new ArrayList<>();
    boolean gap = hasGap(d);
    for (long i = 0; i < data.size(d); i++) {
      if (gap && i == options.edgeItems()) {
        slices.add("...");
        i = data.size(d) - options.edgeItems();
      }
      slices.add(text(d + 1, distance + i * data.stride(d), indent + 1));
    }
    String separator = "," + "\n".repeat(data.rank() - d - 1) + " ".repeat(indent + 1);
    return "[" + String.join(separator, slices) + "]";
  }

  private String element(long distance) {
    String real = format.text(elements, distance * apart);
    if (imaginary == null) {
      return real;
    }
    String other = imaginaryFormat.text(imaginary, distance * apart).strip() + "j";
    return real + (other.startsWith("-") ? "" : "+") + other;
  }

  private String vector(int d, long distance, int indent) {
    int width = format.width() + (imaginary == null ? 0 : imaginaryFormat.width() + 1);
    int perLine = Math.max(1, (options.lineWidth() - indent) / (width + 2));
    List<String> values = new ArrayList<>();
    boolean gap = hasGap(d);
    for (long i = 0; i < data.size(d); i++) {
      if (gap && i == options.edgeItems()) {
        values.add(" ...");
        i = data.size(d) - options.edgeItems();
      }
      values.add(element(distance + i * data.stride(d)));
    }
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < values.size(); i += perLine) {
      lines.add(String.join(", ", values.subList(i, Math.min(i + perLine, values.size()))));
    }
    return "[" + String.join(",\n" + " ".repeat(indent + 1), lines) + "]";
  }

  private enum Style {
    TRUTH,
    WHOLE,
    /// Floating-point numbers without a fraction: `2.`.
    POINT,
    FIXED,
    SCIENTIFIC
  }

  /// How each of the elements is printed.
  private record Format(Style style, int width, int precision) {

    static Format of(DType dtype, Elements elements, List<Long> printed, PrintOptions options) {
      int precision = options.precision();
      if (!dtype.isFloatingPoint()) {
        var style = new Format(dtype == DType.BOOL ? Style.TRUTH : Style.WHOLE, 1, precision);
        return style.fitted(elements, printed);
      }
      List<Long> ordinary =
          printed.stream()
              .filter(i -> Double.isFinite(elements.atDistance(i)) && elements.atDistance(i) != 0)
              .toList();
      if (ordinary.isEmpty()) {
        return new Format(Style.POINT, 1, precision);
      }
      double min = Double.POSITIVE_INFINITY;
      double max = 0;
      boolean whole = true;
      for (long i : ordinary) {
        double value = elements.atDistance(i);
        min = Math.min(min, Math.abs(value));
        max = Math.max(max, Math.abs(value));
        whole &= value == Math.ceil(value);
      }
      boolean wide = max / min > 1000 || max > 1e8 || !whole && min < 1e-4;
      if (options.sciMode() != null) {
        wide = options.sciMode();
      }
      Style style = wide ? Style.SCIENTIFIC : whole ? Style.POINT : Style.FIXED;
      return new Format(style, 1, precision).fitted(elements, ordinary);
    }

    private Format fitted(Elements elements, List<Long> printed) {
      int widest = 1;
      for (long i : printed) {
        widest = Math.max(widest, plain(elements, i).length());
      }
      return new Format(style, widest, precision);
    }

    String text(Elements elements, long distance) {
      String text = plain(elements, distance);
      return " ".repeat(Math.max(0, width - text.length())) + text;
    }

    private String plain(Elements elements, long distance) {
      if (style == Style.TRUTH) {
        return elements.wholeAtDistance(distance) != 0 ? "True" : "False";
      }
      if (style == Style.WHOLE) {
        return Long.toString(elements.wholeAtDistance(distance));
      }
      double value = elements.atDistance(distance);
      if (Double.isNaN(value)) {
        return "nan";
      }
      if (Double.isInfinite(value)) {
        return value > 0 ? "inf" : "-inf";
      }
      String sign = Math.copySign(1, value) < 0 ? "-" : "";
      BigDecimal exact = new BigDecimal(Math.abs(value));
      return switch (style) {
        case POINT -> sign + exact.setScale(0, RoundingMode.HALF_EVEN).toPlainString() + ".";
        case FIXED -> sign + exact.setScale(precision, RoundingMode.HALF_EVEN).toPlainString();
        case SCIENTIFIC -> sign + scientific(exact);
        case TRUTH, WHOLE -> throw new AssertionError(style);
      };
    }

    /// `d.dddde+dd`, as C prints it.
    private String scientific(BigDecimal exact) {
      if (exact.signum() == 0) {
        return "0." + "0".repeat(precision) + "e+00";
      }
      BigDecimal rounded = exact.round(new MathContext(precision + 1, RoundingMode.HALF_EVEN));
      int exponent = rounded.precision() - rounded.scale() - 1;
      String digits = rounded.unscaledValue().toString();
      digits += "0".repeat(Math.max(0, precision + 1 - digits.length()));
      return "%s.%se%s%02d"
          .formatted(
              digits.substring(0, 1),
              digits.substring(1, precision + 1),
              exponent < 0 ? "-" : "+",
              Math.abs(exponent));
    }
  }
}
