package taper.tensor;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// Which element types an operator takes, in which it computes, and which it returns. Immutable.
///
/// The starting points are the constants; `fixed` and `results` refine them.
public final class DTypes {

  enum Rule {
    /// Inputs are converted to their promoted type.
    PROMOTE,
    /// As PROMOTE, but whole numbers and truth values become `float32`.
    FLOATING,
    /// Inputs must have one type.
    SAME,
    /// As PROMOTE, but at least one input must be no truth value.
    NUMBERS,
    /// As PROMOTE, but no input may be a truth value.
    NO_TRUTH,
    /// As PROMOTE, but at least one input must be floating.
    PROMOTE_FLOATING,
    /// As PROMOTE, but of whole numbers and truth values only.
    BITS,
    /// As PROMOTE, but of whole numbers only.
    WHOLE,
    /// Inputs must have one floating type.
    SAME_FLOATING,
    /// Nothing is converted or compared; the first input's type is that of the output.
    ANY,
    /// As ANY, but whole numbers and truth values become `int64`.
    SUM
  }

  /// What becomes of complex inputs.
  enum Complexity {
    /// They are refused.
    NONE,
    /// The kernel, or the formula, knows them.
    OWN,
    /// As OWN, and `complex32` too.
    OWN_WITH_HALF,
    /// The real kernel runs on real and imaginary parts.
    BY_PARTS,
    /// The real kernel runs on pairs of parts.
    PRODUCT
  }

  /// The type of an output.
  public enum Result {
    /// The type in which the operator computes.
    COMPUTED,
    /// Truth values.
    BOOL,
    /// Indices or counts.
    INT64,
    /// The type of the parts of the complex numbers in which the operator computes.
    REAL,
    /// The complex type whose parts are of the type in which the operator computes.
    COMPLEX,
    /// Exponents, and pivots and codes as LAPACK has them.
    INT32,
    /// Choices among few.
    UINT8
  }

  /// Inputs are converted to the type that PyTorch's promotion gives, which is also the output's.
  public static final DTypes PROMOTE = new DTypes(Rule.PROMOTE, List.of(), Map.of());

  /// As [#PROMOTE], for what truth values alone do not have.
  public static final DTypes NUMBERS = new DTypes(Rule.NUMBERS, List.of(), Map.of());

  /// As [#PROMOTE], for what truth values do not have, not even next to numbers.
  public static final DTypes NO_TRUTH = new DTypes(Rule.NO_TRUTH, List.of(), Map.of());

  /// As [#PROMOTE], for what whole numbers alone do not have.
  public static final DTypes PROMOTE_FLOATING =
      new DTypes(Rule.PROMOTE_FLOATING, List.of(), Map.of());

  /// As [#PROMOTE], for what only whole numbers and truth values have.
  public static final DTypes BITS = new DTypes(Rule.BITS, List.of(), Map.of());

  /// As [#PROMOTE], for what only whole numbers have.
  public static final DTypes WHOLE = new DTypes(Rule.WHOLE, List.of(), Map.of());

  /// As [#PROMOTE], but whole numbers and truth values are computed as `float32`.
  public static final DTypes FLOATING = new DTypes(Rule.FLOATING, List.of(), Map.of());

  /// Inputs are promoted, the output holds truth values.
  public static final DTypes COMPARISON = PROMOTE.results(Result.BOOL);

  /// All inputs must have one type, which is also the output's.
  public static final DTypes SAME = new DTypes(Rule.SAME, List.of(), Map.of());

  /// All inputs must have one floating type, which is also the output's.
  public static final DTypes SAME_FLOATING = new DTypes(Rule.SAME_FLOATING, List.of(), Map.of());

  /// Any type; the output has that of the first input.
  public static final DTypes ANY = new DTypes(Rule.ANY, List.of(), Map.of());

  /// Any type; whole numbers and truth values are summed as `int64`.
  public static final DTypes SUM = new DTypes(Rule.SUM, List.of(), Map.of());

  /// Attributes that name the type of the output.
  public interface Chosen {
    /// The type of the output.
    DType dtype();
  }

  private final Rule rule;
  private final List<Result> results;
  private final Map<String, DType> fixed;
  private final Complexity complex;
  private final boolean half;

  private DTypes(Rule rule, List<Result> results, Map<String, DType> fixed) {
    this(rule, results, fixed, rule == Rule.ANY ? Complexity.OWN_WITH_HALF : Complexity.NONE, true);
  }

  private DTypes(
      Rule rule, List<Result> results, Map<String, DType> fixed, Complexity complex, boolean half) {
    this.rule = rule;
    this.results = results;
    this.fixed = fixed;
    this.complex = complex;
    this.half = half;
  }

  /// The same rule, which refuses `float16` and `bfloat16`.
  public DTypes withoutHalf() {
    return new DTypes(rule, results, fixed, complex, false);
  }

  /// Whether `float16` and `bfloat16` are taken.
  public boolean takesHalf() {
    return half;
  }

  /// The same rule, which takes complex numbers, too. [#ANY] does so by itself, the others refuse them otherwise.
  public DTypes complex() {
    return new DTypes(rule, results, fixed, Complexity.OWN, half);
  }

  /// As [#complex()], and `complex32` is taken, too, which the others refuse: few operators of PyTorch have it.
  public DTypes complexWithHalf() {
    return new DTypes(rule, results, fixed, Complexity.OWN_WITH_HALF, half);
  }

  /// The same rule, which takes complex numbers, too, and treats real and imaginary parts alike: what moves and adds
  /// elements. Its kernel is run once for each part.
  public DTypes complexByParts() {
    return new DTypes(rule, results, fixed, Complexity.BY_PARTS, half);
  }

  /// The same rule, which takes complex numbers, too, and is linear in each of the first two inputs: a product. Its
  /// kernel is run for each pair of parts.
  public DTypes complexProduct() {
    return new DTypes(rule, results, fixed, Complexity.PRODUCT, half);
  }

  /// The same rule, which refuses complex numbers.
  public DTypes real() {
    return new DTypes(rule, results, fixed, Complexity.NONE, half);
  }

  Complexity complexity() {
    return complex;
  }

  /// The same rule with the given types of the outputs.
  public DTypes results(Result... outputs) {
    return new DTypes(rule, List.of(outputs), fixed, complex, half);
  }

  /// The same rule, except that input `name` must be of `dtype` and takes no part in promotion: indices, masks.
  public DTypes fixed(String name, DType dtype) {
    var more = new TreeMap<>(fixed);
    more.put(name, dtype);
    return new DTypes(rule, results, Map.copyOf(more), complex, half);
  }

  Rule rule() {
    return rule;
  }

  boolean hasFixed() {
    return !fixed.isEmpty();
  }

  @Nullable DType fixedType(String input) {
    return fixed.get(input);
  }

  DType result(int output, DType computed) {
    return switch (output < results.size() ? results.get(output) : Result.COMPUTED) {
      case COMPUTED -> computed;
      case BOOL -> DType.BOOL;
      case INT64 -> DType.INT64;
      case UINT8 -> DType.UINT8;
      case REAL -> computed.toReal();
      case COMPLEX -> computed.toComplex();
      case INT32 -> DType.INT32;
    };
  }

  /// The type in which `operator` computes on `inputs`.
  ///
  /// @throws DTypeException if the inputs do not fit the rule
  DType compute(Operator<?> operator, @Nullable Tensor[] inputs) {
    DType type = computed(operator, inputs);
    if (type == DType.COMPLEX32
        && complex != Complexity.OWN_WITH_HALF
        && complex != Complexity.BY_PARTS) {
      throw new DTypeException(
          "%s: the inputs must not be complex32 together, but are. Convert one of them with .to(DType.COMPLEX64)."
              .formatted(operator.name()));
    }
    return type;
  }

  private DType computed(Operator<?> operator, @Nullable Tensor[] inputs) {
    DType quick = uniform(inputs);
    if (quick == DType.FLOAT32 && fixed.isEmpty() && rule != Rule.BITS && rule != Rule.WHOLE) {
      return quick;
    }
    Signature signature = operator.signature();
    DType dimmed = null;
    DType scalars = null;
    DType numbers = null;
    DType first = null;
    String firstName = "";
    for (int i = 0; i < inputs.length; i++) {
      Tensor x = inputs[i];
      if (x == null) {
        continue;
      }
      String name = signature.nameOf(i, inputs.length);
      DType required = fixed.get(signature.operandAt(i, inputs.length).name());
      if (required != null) {
        if (x.dtype() != required && !(required == DType.INT64 && x.dtype() == DType.INT32)) {
          throw new DTypeException(
              "%s: %s must be %s, but is %s. Convert it with .to(DType.%s)."
                  .formatted(operator.name(), name, required, x.dtype(), required.name()));
        }
        continue;
      }
      DType type = x.dtype();
      if (complex == Complexity.NONE && type.isComplex()) {
        throw new DTypeException(
            "%s: %s must be real, but is %s. Use real(), imag(), abs() or viewAsReal()."
                .formatted(operator.name(), name, type));
      }
      if (!half && type.isHalf()) {
        throw new DTypeException(
            "%s: %s must not be of a 16-bit type, but is %s. Convert it with .to(DType.FLOAT32)."
                .formatted(operator.name(), name, type));
      }
      if (first == null) {
        first = type;
        firstName = name;
      } else if ((rule == Rule.SAME || rule == Rule.SAME_FLOATING) && first != type) {
        throw new DTypeException(
            "%s: inputs must have one dtype, but %s is %s and %s is %s. Convert one of them with .to(dtype)."
                .formatted(operator.name(), firstName, first, name, type));
      }
      if (x.isNumber()) {
        DType number = typeOfNumber(type);
        numbers = numbers == null ? number : numbers.promote(number);
      } else if (x.dim() == 0) {
        scalars = scalars == null ? type : scalars.promote(type);
      } else {
        dimmed = dimmed == null ? type : dimmed.promote(type);
      }
    }
    if (first == null) {
      return DType.defaultFloating();
    }
    return switch (rule) {
      case ANY -> first;
      case SAME -> first;
      case SUM -> first.isDifferentiable() ? first : DType.INT64;
      case SAME_FLOATING -> {
        if (!first.isDifferentiable()) {
          throw new DTypeException(
              "%s: %s must be of a floating dtype, but is %s. Convert it with .to(DType.FLOAT32)."
                  .formatted(operator.name(), firstName, first));
        }
        yield first;
      }
      case PROMOTE -> promoted(dimmed, scalars, numbers);
      case NO_TRUTH -> {
        for (int i = 0; i < inputs.length; i++) {
          Tensor x = inputs[i];
          if (x != null && x.dtype() == DType.BOOL) {
            throw new DTypeException(
                "%s: the inputs must hold numbers, but %s is bool. Use logicalNot() or logicalXor, or convert it with .to(DType.INT64)."
                    .formatted(operator.name(), signature.nameOf(i, inputs.length)));
          }
        }
        yield promoted(dimmed, scalars, numbers);
      }
      case NUMBERS -> {
        DType promoted = promoted(dimmed, scalars, numbers);
        if (promoted == DType.BOOL) {
          throw new DTypeException(
              "%s: one of the inputs must hold numbers, but %s is bool. Convert it with .to(DType.INT64)."
                  .formatted(operator.name(), firstName));
        }
        yield promoted;
      }
      case PROMOTE_FLOATING -> {
        DType promoted = promoted(dimmed, scalars, numbers);
        if (!promoted.isDifferentiable()) {
          throw new DTypeException(
              "%s: one of the inputs must hold floating-point numbers, but their promoted dtype is %s. Convert one of them with .to(DType.FLOAT32)."
                  .formatted(operator.name(), promoted));
        }
        yield promoted;
      }
      case BITS, WHOLE -> {
        DType promoted = promoted(dimmed, scalars, numbers);
        if (!promoted.isIntegral() && (promoted != DType.BOOL || rule == Rule.WHOLE)) {
          throw new DTypeException(
              "%s: the inputs must hold whole numbers%s, but their promoted dtype is %s. Convert them with .to(DType.INT64)."
                  .formatted(
                      operator.name(), rule == Rule.BITS ? " or truth values" : "", promoted));
        }
        yield promoted;
      }
      case FLOATING -> {
        DType promoted = promoted(dimmed, scalars, numbers);
        yield promoted.isDifferentiable() ? promoted : DType.defaultFloating();
      }
    };
  }

  /// The type to which operands are promoted.
  static DType resultType(Tensor... operands) {
    DType dimmed = null;
    DType scalars = null;
    DType numbers = null;
    for (Tensor x : operands) {
      DType type = x.dtype();
      if (x.isNumber()) {
        DType number = typeOfNumber(type);
        numbers = numbers == null ? number : numbers.promote(number);
      } else if (x.dim() == 0) {
        scalars = scalars == null ? type : scalars.promote(type);
      } else {
        dimmed = dimmed == null ? type : dimmed.promote(type);
      }
    }
    return promoted(dimmed, scalars, numbers);
  }

  /// Java's `double` is a mere number here, and does not widen.
  private static DType typeOfNumber(DType type) {
    return switch (type) {
      case FLOAT64 -> DType.defaultFloating();
      case COMPLEX128 -> DType.defaultFloating().toComplex();
      default -> type;
    };
  }

  /// The one type of all tensors, or null. Numbers are passed over, if they are real: none of them widens a `float32`.
  private static @Nullable DType uniform(@Nullable Tensor[] inputs) {
    DType type = null;
    for (Tensor x : inputs) {
      if (x != null && x.isNumber()) {
        if (x.dtype().isComplex() || x.dtype() == DType.BOOL) {
          return null;
        }
      } else if (x != null) {
        if (type != null && type != x.dtype()) {
          return null;
        }
        type = x.dtype();
      }
    }
    return type;
  }

  /// PyTorch's rule for operands of different rank: the lower rank matters only if its category is higher.
  private static @Nullable DType combine(@Nullable DType higher, @Nullable DType lower) {
    if (higher == null || lower == null) {
      return higher == null ? lower : higher;
    }
    if (lower.isComplex() && higher.isFloatingPoint()) {
      return higher.toComplex(); // the lower rank says that it is complex, the higher how wide
    }
    return lower.category() <= higher.category() ? higher : higher.promote(lower);
  }

  /// A number as an operand of a computation in `compute`: integers that a narrow type cannot hold wrap around, as in
  /// PyTorch.
  static Strided wrapped(DType compute, Strided number) {
    if (!compute.isIntegral() || compute == DType.INT64) {
      return number;
    }
    long whole = number.longValue();
    long held =
        switch (compute) {
          case INT32 -> (int) whole;
          case INT16 -> (short) whole;
          case INT8 -> (byte) whole;
          default -> whole & 255;
        };
    return held == whole ? number : Strided.number(held);
  }

  private static DType promoted(
      @Nullable DType dimmed, @Nullable DType scalars, @Nullable DType numbers) {
    DType result = combine(dimmed, combine(scalars, numbers));
    return result == null ? DType.defaultFloating() : result;
  }
}
