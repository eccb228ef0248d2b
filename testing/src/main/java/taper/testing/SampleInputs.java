package taper.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import taper.tensor.Catalogue;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Makes tensors from the text of an operator's sample, such as `f32[3 4] in -2..2, i64[3] in 0..4, -`.
///
/// `none` (or a dash) is an absent input, and a number such as `2.5`, `3` or `1-2j` an operand that is a number. Without a range, floating elements lie in -2..2, whole ones in -4..4 (0..4 if unsigned). The
/// elements are random, but always the same for the same text.
///
/// A word behind it makes matrices of a kind: `symmetric`; `definite`, symmetric with positive eigenvalues; `regular`, with
/// a heavy diagonal, so that they are far from singular; `lower` and `upper`, triangular and regular.
public final class SampleInputs {
  private static final Pattern ONE =
      Pattern.compile(
          "(\\w+)\\[([^\\]]*)\\](?:\\s+in\\s+(-?[\\d.eE+-]+?)\\.\\.(-?[\\d.eE+-]+))?"
              + "(?:\\s+(symmetric|definite|regular|lower|upper))?");
  private static final Pattern NUMBER = Pattern.compile("-?\\d+(\\.\\d+)?");
  private static final Pattern COMPLEX = Pattern.compile("(-?[\\d.]+)([+-][\\d.]+)j");
  private static final Map<String, DType> TYPES =
      Map.ofEntries(
          Map.entry("f32", DType.FLOAT32),
          Map.entry("f64", DType.FLOAT64),
          Map.entry("bf16", DType.BFLOAT16),
          Map.entry("f16", DType.FLOAT16),
          Map.entry("i64", DType.INT64),
          Map.entry("i32", DType.INT32),
          Map.entry("i16", DType.INT16),
          Map.entry("i8", DType.INT8),
          Map.entry("u8", DType.UINT8),
          Map.entry("bool", DType.BOOL),
          Map.entry("c64", DType.COMPLEX64),
          Map.entry("c128", DType.COMPLEX128));

  private SampleInputs() {}

  /// The inputs that `text` describes; floating ones are made as `floating`, if that is given, complex ones of such parts.
  ///
  /// @throws IllegalArgumentException if the text has another form
  public static @Nullable Tensor[] parse(String text, @Nullable DType floating) {
    List<@Nullable Tensor> result = new ArrayList<>();
    var random = new SplittableRandom(text.hashCode());
    if (!text.isBlank()) {
      for (String part : text.split(",")) {
        result.add(part.strip().matches("-|none") ? null : one(part.strip(), floating, random));
      }
    }
    return result.toArray(new Tensor[0]);
  }

  /// `x`, the input that `text` describes, brought back to the kind of matrices that it names, after an element has moved.
  static Tensor ofItsKind(String text, Tensor x) {
    String kind = text.strip().replaceAll(".*\\s", "");
    return switch (kind) {
      case "symmetric", "definite" -> x.add(x.mH()).mul(0.5);
      case "lower" -> x.tril();
      case "upper" -> x.triu();
      default -> x;
    };
  }

  /// Makes the square matrices in `values` of the given kind; only the diagonal of `regular` ones is touched.
  ///
  /// @param parts how many numbers an element has
  private static void shape(double[] values, String kind, long[] sizes, int parts) {
    int rows = Math.toIntExact(sizes[sizes.length - 2]);
    int columns = Math.toIntExact(sizes[sizes.length - 1]);
    int step = rows * columns * parts;
    boolean symmetric = kind.equals("symmetric") || kind.equals("definite");
    for (int start = 0; start < values.length; start += step) {
      for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
          int at = start + (i * columns + j) * parts;
          boolean other = kind.equals("lower") && i < j || kind.equals("upper") && i > j;
          if (other) {
            Arrays.fill(values, at, at + parts, 0);
          }
          if (i < j && symmetric) {
            int below = start + (j * columns + i) * parts;
            values[at] = values[below];
            if (parts > 1) {
              values[at + 1] = -values[below + 1];
            }
          }
          if (i == j && !kind.equals("symmetric")) {
            values[at] += 2 * rows;
          }
          if (i == j && parts > 1 && symmetric) {
            values[at + 1] = 0;
          }
        }
      }
    }
  }

  private static Tensor one(String text, @Nullable DType floating, SplittableRandom random) {
    if (NUMBER.matcher(text).matches()) {
      return text.matches("-?\\d+")
          ? Catalogue.number(Long.parseLong(text))
          : Catalogue.number(Double.parseDouble(text));
    }
    Matcher number = COMPLEX.matcher(text);
    if (number.matches()) {
      return Catalogue.number(
          new Complex(Double.parseDouble(number.group(1)), Double.parseDouble(number.group(2))));
    }
    Matcher m = ONE.matcher(text);
    DType type = m.matches() ? TYPES.get(m.group(1)) : null;
    if (type == null) {
      throw new IllegalArgumentException(
          "a sample reads like f32[3 4] in -2..2, but is '" + text + "'");
    }
    String sizesText = m.group(2).strip();
    long[] sizes =
        sizesText.isEmpty()
            ? new long[0]
            : Pattern.compile("\\s+").splitAsStream(sizesText).mapToLong(Long::parseLong).toArray();
    double low = type.isDifferentiable() ? -2 : type == DType.UINT8 || type == DType.BOOL ? 0 : -4;
    double high = type.isDifferentiable() ? 2 : type == DType.BOOL ? 2 : 4;
    if (m.group(3) != null) {
      low = Double.parseDouble(m.group(3));
      high = Double.parseDouble(m.group(4));
    }
    int n = 1;
    for (long size : sizes) {
      n = Math.multiplyExact(n, Math.toIntExact(size));
    }
    double[] values = new double[type.isComplex() ? 2 * n : n];
    for (int i = 0; i < values.length; i++) {
      double value = low < high ? random.nextDouble(low, high) : low;
      values[i] = type.isDifferentiable() ? value : Math.floor(value);
    }
    if (m.group(5) != null) {
      shape(values, m.group(5), sizes, type.isComplex() ? 2 : 1);
    }
    if (type.isComplex()) {
      return Tensors.ofParts(
          floating != null ? floating.compute().toComplex() : type, values, sizes);
    }
    DType made = floating != null && type.isFloatingPoint() ? floating : type;
    return Tensors.of(made, values, sizes);
  }
}
