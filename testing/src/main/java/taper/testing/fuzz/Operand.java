package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import taper.tensor.Catalogue;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Tensor;
import taper.testing.SampleInputs;
import taper.testing.Tensors;

/// A tensor of a call as text. Immutable.
///
/// `none` is an absent one, `2.5` a Java number, `same 0` the tensor that the call has first, `f32[3 4] in -2..2` a new one as in
/// samples. A new one may have a layout, `f32[3 4] strides[1 3] offset 2`, be a view of an earlier one, `of 0[3] strides[2] offset
/// 1`, and hold `extreme` values.
sealed interface Operand {

  /// No tensor.
  record Absent() implements Operand {
    @Override
    public String toString() {
      return "none";
    }
  }

  /// A Java number.
  record JavaNumber(String text) implements Operand {
    @Override
    public String toString() {
      return text;
    }
  }

  /// An earlier tensor of the call.
  record Same(int position) implements Operand {
    @Override
    public String toString() {
      return "same " + position;
    }
  }

  /// A region of memory.
  ///
  /// @param of the position of the tensor of the call that it is a view of, or -1
  /// @param dtype the type as samples write it
  /// @param values what is behind the sizes in a sample, or `extreme`
  /// @param strides in elements, or null if it is contiguous
  /// @param offset in elements
  record Region(
      int of,
      String dtype,
      List<Long> sizes,
      String values,
      @Nullable List<Long> strides,
      long offset)
      implements Operand {
    public Region {
      sizes = List.copyOf(sizes);
    }

    Region withSizes(List<Long> others) {
      return new Region(
          of,
          dtype,
          others,
          values,
          strides == null || strides.size() == others.size() ? strides : null,
          offset);
    }

    Region withType(String other) {
      return new Region(of, other, sizes, values, strides, offset);
    }

    Region withValues(String others) {
      return new Region(of, dtype, sizes, others, strides, offset);
    }

    Region withLayout(@Nullable List<Long> otherStrides, long otherOffset) {
      return new Region(of, dtype, sizes, values, otherStrides, otherOffset);
    }

    Region viewOf(int position) {
      return new Region(position, "", sizes, "", strides == null ? dense(sizes) : strides, offset);
    }

    /// The number of elements, saturating.
    long numel() {
      long numel = 1;
      for (long size : sizes) {
        numel = size == 0 ? 0 : saturated(numel, size);
      }
      return sizes.contains(0L) ? 0 : numel;
    }

    @Override
    public String toString() {
      return (of >= 0 ? "of " + of : dtype)
          + words(sizes)
          + (values.isEmpty() ? "" : " " + values)
          + (strides == null ? "" : " strides" + words(strides))
          + (offset == 0 ? "" : " offset " + offset);
    }
  }

  /// Words of types that samples know, and of the one that they do not.
  List<String> TYPES =
      List.of(
          "f32", "f64", "bf16", "f16", "i64", "i32", "i16", "i8", "u8", "bool", "c64", "c128",
          "c32");

  private static String words(List<Long> numbers) {
    return numbers.stream().map(String::valueOf).collect(Collectors.joining(" ", "[", "]"));
  }

  private static long saturated(long a, long b) {
    return Math.multiplyHigh(a, b) != 0 || a * b < 0 ? Long.MAX_VALUE : a * b;
  }

  /// Strides of contiguous elements; where they overflow, nobody can look.
  static List<Long> dense(List<Long> sizes) {
    var strides = new Long[sizes.size()];
    long n = 1;
    for (int d = strides.length - 1; d >= 0; d--) {
      strides[d] = n;
      n = saturated(n, Math.max(1, sizes.get(d)));
    }
    return List.of(strides);
  }

  /// Reads what `toString()` writes.
  ///
  /// @throws IllegalArgumentException if the text has another form
  static Operand parse(String text) {
    if (text.matches("none|-")) {
      return new Absent();
    }
    if (text.startsWith("same ")) {
      return new Same(Integer.parseInt(text.substring(5)));
    }
    Matcher m = Text.REGION.matcher(text);
    if (!m.matches()) {
      return new JavaNumber(text);
    }
    return new Region(
        m.group(1) == null ? -1 : Integer.parseInt(m.group(1)),
        m.group(2) == null ? "" : m.group(2),
        numbers(m.group(3)),
        m.group(4) == null ? "" : m.group(4),
        m.group(5) == null ? null : numbers(m.group(5)),
        m.group(6) == null ? 0 : Long.parseLong(m.group(6)));
  }

  private static List<Long> numbers(String words) {
    return words.isBlank()
        ? List.of()
        : Arrays.stream(words.strip().split("\\s+")).map(Long::parseLong).toList();
  }

  /// Makes the tensor, the same one each time.
  ///
  /// @param earlier the tensors that the call has before it
  default @Nullable Tensor tensor(List<@Nullable Tensor> earlier) {
    return switch (this) {
      case Absent _ -> null;
      case JavaNumber number -> Text.number(number.text());
      case Same same -> same.position() < earlier.size() ? earlier.get(same.position()) : null;
      case Region region -> Text.region(region, earlier);
    };
  }

  /// How texts become tensors.
  final class Text {
    private static final Pattern REGION =
        Pattern.compile(
            "(?:of (\\d+)|(\\w+))\\[([-\\d\\s]*)\\](?:\\s+((?:in|extreme|symmetric|definite|regular|lower|upper)\\b.*?))?"
                + "(?:\\s+strides\\[([-\\d ]*)\\])?(?:\\s+offset (-?\\d+))?");
    private static final double[] EXTREME = {
      Double.NaN,
      Double.POSITIVE_INFINITY,
      Double.NEGATIVE_INFINITY,
      0.0,
      -0.0,
      1,
      -1,
      0.5,
      Double.MAX_VALUE,
      -Double.MAX_VALUE,
      Double.MIN_VALUE,
      Float.MAX_VALUE,
      Float.MIN_VALUE,
      0x1p31,
      -0x1p31,
      0x1p63,
      -0x1p63,
      255,
      256,
      128,
      -129,
      65504
    };

    /// More elements than this are zeros: what is tested then is whether there is memory for them.
    private static final long MANY = 1 << 16;

    private Text() {}

    static Tensor number(String text) {
      if (text.matches("true|false")) {
        return Catalogue.number(Boolean.parseBoolean(text));
      }
      if (text.matches("-?\\d+")) {
        return Catalogue.number(Long.parseLong(text));
      }
      Matcher complex = Pattern.compile("(-?[\\d.]+)([+-][\\d.]+)j").matcher(text);
      return complex.matches()
          ? Catalogue.number(
              new Complex(
                  Double.parseDouble(complex.group(1)), Double.parseDouble(complex.group(2))))
          : Catalogue.number(Double.parseDouble(text));
    }

    static @Nullable Tensor region(Region region, List<@Nullable Tensor> earlier) {
      List<Long> strides = region.strides();
      if (region.of() < 0 && strides == null && region.offset() == 0) {
        return fresh(region.dtype(), region.sizes(), region.values());
      }
      List<Long> steps = strides == null ? dense(region.sizes()) : strides;
      Tensor memory;
      if (region.of() >= 0) {
        memory = region.of() < earlier.size() ? earlier.get(region.of()) : null;
        if (memory == null || Catalogue.isNumber(memory)) {
          return memory;
        }
      } else {
        long needed = needed(region.sizes(), steps, region.offset());
        String plain = region.values().replaceAll("symmetric|definite|regular|lower|upper", "");
        memory = fresh(region.dtype(), List.of(needed > 1 << 24 ? 64 : needed), plain.strip());
      }
      return memory.asStrided(array(region.sizes()), array(steps), region.offset());
    }

    private static long needed(List<Long> sizes, List<Long> strides, long offset) {
      long last = Math.max(0, offset);
      for (int d = 0; d < sizes.size(); d++) {
        if (sizes.get(d) <= 0) {
          return Math.max(1, offset);
        }
        last += saturated(sizes.get(d) - 1, Math.max(0, strides.get(d)));
        last = last < 0 ? Long.MAX_VALUE - 1 : last;
      }
      return last + 1;
    }

    private static long[] array(List<Long> numbers) {
      return numbers.stream().mapToLong(Long::longValue).toArray();
    }

    private static Tensor fresh(String dtype, List<Long> sizes, String values) {
      long numel = new Region(-1, dtype, sizes, "", null, 0).numel();
      String drawn = dtype.equals("c32") ? "c64" : dtype;
      String text = drawn + words(sizes);
      if (numel > MANY) {
        DType type = SampleInputs.parse(drawn + "[1]", null)[0].dtype();
        return Tensor.zeros(type, array(sizes));
      }
      if (values.equals("extreme")) {
        return extreme(drawn, sizes, (int) numel);
      }
      boolean matrices =
          sizes.size() >= 2
              && numel > 0
              && sizes.get(sizes.size() - 1).equals(sizes.get(sizes.size() - 2));
      if (!matrices) {
        values = values.replaceAll("symmetric|definite|regular|lower|upper", "").strip();
      }
      if (numel == 0) {
        return Tensor.zeros(SampleInputs.parse(drawn + "[1]", null)[0].dtype(), array(sizes));
      }
      Tensor made = SampleInputs.parse(values.isEmpty() ? text : text + " " + values, null)[0];
      return dtype.equals("c32") ? made.to(DType.COMPLEX32) : made;
    }

    private static Tensor extreme(String dtype, List<Long> sizes, int numel) {
      DType type = SampleInputs.parse(dtype + "[1]", null)[0].dtype();
      var random = new SplittableRandom(numel);
      double[] values = new double[type.isComplex() ? 2 * numel : numel];
      for (int i = 0; i < values.length; i++) {
        double value = EXTREME[random.nextInt(EXTREME.length)];
        values[i] = type.isDifferentiable() ? value : within(type, value);
      }
      return type.isComplex()
          ? Tensors.ofParts(type, values, array(sizes))
          : Tensors.of(type, values, array(sizes));
    }
  }

  /// A whole number that the type has: what a cast makes of others is another question.
  private static double within(DType type, double value) {
    int bits = 8 * type.byteSize();
    double high =
        type == DType.BOOL ? 1 : type == DType.UINT8 ? 255 : Math.scalb(1.0, bits - 1) - 1;
    double low = type == DType.BOOL || type == DType.UINT8 ? 0 : -Math.scalb(1.0, bits - 1);
    double most = bits == 64 ? Math.nextDown(0x1p63) : high;
    return Double.isNaN(value) ? 0 : Math.clamp(Math.rint(value), low, most);
  }

  /// The operands that the text of a sample describes.
  static List<Operand> ofSample(String inputs) {
    var result = new ArrayList<Operand>();
    if (!inputs.isBlank()) {
      for (String part : inputs.split(",")) {
        result.add(parse(part.strip().replaceAll("\\s+", " ")));
      }
    }
    return result;
  }
}
