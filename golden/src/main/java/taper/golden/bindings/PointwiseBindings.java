package taper.golden.bindings;

import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Pointwise.Rounding;
import taper.tensor.Tensor;

/// Element-wise operators, comparisons, and the promotion of types.
public final class PointwiseBindings {
  private PointwiseBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    arithmetic(table);
    rounding(table);
    functions(table);
    choices(table);
    comparisons(table);
    bits(table);
    reflected(table);
    inPlace(table);
    types(table);
  }

  private static void unary(
      Bindings table, String name, String ours, UnaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(a.self()));
  }

  private static void binary(
      Bindings table, String name, String ours, BinaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(a.tensor(0, "input"), a.operand(1, "other")));
  }

  /// Operators of which PyTorch takes no numbers.
  private static void tensors(
      Bindings table, String name, String ours, BinaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(a.tensor(0, "input"), a.tensor(1, "other")));
  }

  /// Operators either of whose operands may be a number, but not both.
  private static void numbers(
      Bindings table, String name, String ours, BinaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(first(a), a.operand(1, "other")));
  }

  private static Tensor first(Arguments a) {
    return a.value(1, "other") instanceof Tensor ? a.self() : a.tensor(0, "input");
  }

  /// The operators of Python, whose operands change places.
  private static void swapped(
      Bindings table, String name, String ours, BinaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(a.operand(1, "other"), a.tensor(0, "input")));
  }

  private static void arithmetic(Bindings table) {
    table.bind("add", "add(other, alpha)", a -> add(a, first(a)));
    table.bind("sub", "sub(other, alpha)", a -> sub(a, first(a)));
    table.bind("subtract", "subtract(other)", a -> sub(a, first(a)));
    table.bind(
        "rsub",
        "rsub(other, alpha)",
        a -> {
          double alpha = a.number(2, "alpha", 1);
          Tensor other = a.operand(1, "other");
          Tensor self = a.tensor(0, "input");
          return alpha == 1 ? self.rsub(other) : self.rsub(other, alpha);
        });
    numbers(table, "mul", "mul(other)", Tensor::mul);
    numbers(table, "multiply", "multiply(other)", Tensor::multiply);
    numbers(table, "true_divide", "trueDivide(other)", Tensor::trueDivide);
    numbers(table, "floor_divide", "floorDivide(other)", Tensor::floorDivide);
    binary(table, "fmod", "fmod(other)", Tensor::fmod);
    numbers(table, "remainder", "remainder(other)", Tensor::remainder);
    tensors(table, "maximum", "maximum(other)", Tensor::maximum);
    tensors(table, "minimum", "minimum(other)", Tensor::minimum);
    tensors(table, "fmax", "fmax(other)", Tensor::fmax);
    tensors(table, "fmin", "fmin(other)", Tensor::fmin);
    tensors(table, "atan2", "atan2(other)", Tensor::atan2);
    tensors(table, "arctan2", "arctan2(other)", Tensor::arctan2);
    tensors(table, "hypot", "hypot(other)", Tensor::hypot);
    binary(table, "copysign", "copysign(other)", Tensor::copysign);
    tensors(table, "nextafter", "nextafter(other)", Tensor::nextafter);
    tensors(table, "logaddexp", "logaddexp(other)", Tensor::logaddexp);
    tensors(table, "logaddexp2", "logaddexp2(other)", Tensor::logaddexp2);
    tensors(table, "ldexp", "ldexp(other)", Tensor::ldexp);
    tensors(table, "gcd", "gcd(other)", Tensor::gcd);
    tensors(table, "lcm", "lcm(other)", Tensor::lcm);
    table.bind("div", "div(other, rounding)", a -> div(a));
    table.bind("divide", "divide(other)", a -> div(a));
    table.bind("pow", "pow(exponent)", a -> first(a).pow(a.operand(1, "exponent")));
    table.bind(
        "float_power",
        "floatPower(exponent)",
        a -> {
          Tensor base = a.self();
          return base.floatPower(a.operand(1, "exponent"));
        });
    table.bind(
        "heaviside",
        "heaviside(values)",
        a -> a.tensor(0, "input").heaviside(a.tensor(1, "values")));
    table.bind(
        "addcmul",
        "addcmul(tensor1, tensor2, value)",
        a ->
            a.self()
                .addcmul(
                    a.operand(1, "tensor1"), a.operand(2, "tensor2"), a.number(-1, "value", 1)));
    table.bind(
        "addcdiv",
        "addcdiv(tensor1, tensor2, value)",
        a ->
            a.self()
                .addcdiv(
                    a.operand(1, "tensor1"), a.operand(2, "tensor2"), a.number(-1, "value", 1)));
    table.bind(
        "lerp",
        "lerp(end, weight)",
        a -> a.self().lerp(a.operand(1, "end"), a.operand(2, "weight")));
    table.bind("frexp", "frexp()", a -> a.self().frexp());
  }

  private static Tensor add(Arguments a, Tensor self) {
    double alpha = a.number(-1, "alpha", 1);
    Tensor other = a.operand(1, "other");
    return alpha == 1 ? self.add(other) : self.add(other, alpha);
  }

  private static Tensor sub(Arguments a, Tensor self) {
    double alpha = a.number(-1, "alpha", 1);
    Tensor other = a.operand(1, "other");
    return alpha == 1 ? self.sub(other) : self.sub(other, alpha);
  }

  private static Tensor div(Arguments a) {
    String mode = a.findText(-1, "rounding_mode");
    Tensor self = first(a);
    Tensor other = a.operand(1, "other");
    if (mode != null) {
      return self.div(other, rounding(mode));
    }
    // Python's operator: Tensor.div(self, other)
    return Catalogue.isNumber(self) ? other.reciprocal().mul(self) : self.div(other);
  }

  private static Rounding rounding(String mode) {
    return mode.equals("trunc") ? Rounding.TRUNC : Rounding.FLOOR;
  }

  private static void rounding(Bindings table) {
    unary(table, "floor", "floor()", Tensor::floor);
    unary(table, "ceil", "ceil()", Tensor::ceil);
    unary(table, "trunc", "trunc()", Tensor::trunc);
    unary(table, "fix", "fix()", Tensor::fix);
    unary(table, "frac", "frac()", Tensor::frac);
    table.bind(
        "round",
        "round(decimals)",
        a -> {
          Long decimals = a.findInteger(-1, "decimals");
          return decimals == null ? a.self().round() : a.self().round(Math.toIntExact(decimals));
        });
  }

  private static void functions(Bindings table) {
    unary(table, "abs", "abs()", Tensor::abs);
    unary(table, "absolute", "absolute()", Tensor::absolute);
    unary(table, "neg", "neg()", Tensor::neg);
    unary(table, "negative", "negative()", Tensor::negative);
    unary(table, "positive", "positive()", Tensor::positive);
    unary(table, "sign", "sign()", Tensor::sign);
    unary(table, "sqrt", "sqrt()", Tensor::sqrt);
    unary(table, "rsqrt", "rsqrt()", Tensor::rsqrt);
    unary(table, "square", "square()", Tensor::square);
    unary(table, "reciprocal", "reciprocal()", Tensor::reciprocal);
    unary(table, "exp", "exp()", Tensor::exp);
    unary(table, "exp2", "exp2()", Tensor::exp2);
    unary(table, "expm1", "expm1()", Tensor::expm1);
    unary(table, "log", "log()", Tensor::log);
    unary(table, "log1p", "log1p()", Tensor::log1p);
    unary(table, "log2", "log2()", Tensor::log2);
    unary(table, "log10", "log10()", Tensor::log10);
    unary(table, "sin", "sin()", Tensor::sin);
    unary(table, "cos", "cos()", Tensor::cos);
    unary(table, "tan", "tan()", Tensor::tan);
    unary(table, "asin", "asin()", Tensor::asin);
    unary(table, "acos", "acos()", Tensor::acos);
    unary(table, "atan", "atan()", Tensor::atan);
    unary(table, "sinh", "sinh()", Tensor::sinh);
    unary(table, "cosh", "cosh()", Tensor::cosh);
    unary(table, "tanh", "tanh()", Tensor::tanh);
    unary(table, "asinh", "asinh()", Tensor::asinh);
    unary(table, "acosh", "acosh()", Tensor::acosh);
    unary(table, "atanh", "atanh()", Tensor::atanh);
    unary(table, "arcsin", "arcsin()", Tensor::arcsin);
    unary(table, "arccos", "arccos()", Tensor::arccos);
    unary(table, "arctan", "arctan()", Tensor::arctan);
    unary(table, "arcsinh", "arcsinh()", Tensor::arcsinh);
    unary(table, "arccosh", "arccosh()", Tensor::arccosh);
    unary(table, "arctanh", "arctanh()", Tensor::arctanh);
    unary(table, "sigmoid", "sigmoid()", Tensor::sigmoid);
    unary(table, "deg2rad", "deg2rad()", Tensor::deg2rad);
    unary(table, "rad2deg", "rad2deg()", Tensor::rad2deg);
    table.bind(
        "nan_to_num",
        "nanToNum(nan, posinf, neginf)",
        a ->
            a.self()
                .nanToNum(
                    a.number(1, "nan", 0), a.findNumber(2, "posinf"), a.findNumber(3, "neginf")));
  }

  private static void choices(Bindings table) {
    table.bind("clamp", "clamp(min, max)", a -> clamp(a));
    table.bind("clip", "clip(min, max)", a -> clamp(a));
    table.bind(
        "clamp_min", "clampMin(min)", a -> a.tensor(0, "input").clampMin(a.operand(1, "min")));
    table.bind(
        "clamp_max", "clampMax(max)", a -> a.tensor(0, "input").clampMax(a.operand(1, "max")));
    table.bind(
        "where",
        "Tensor.where(condition, self, other)",
        a -> Tensor.where(a.tensor(1, "condition"), a.self(), a.operand(2, "other")));
  }

  private static Tensor clamp(Arguments a) {
    return a.self().clamp(operand(a, 1, "min"), operand(a, 2, "max"));
  }

  private static @Nullable Tensor operand(Arguments a, int position, String name) {
    return a.has(position, name) ? a.operand(position, name) : null;
  }

  private static void comparisons(Bindings table) {
    binary(table, "eq", "eq(other)", Tensor::eq);
    binary(table, "ne", "ne(other)", Tensor::ne);
    binary(table, "lt", "lt(other)", Tensor::lt);
    binary(table, "le", "le(other)", Tensor::le);
    binary(table, "gt", "gt(other)", Tensor::gt);
    binary(table, "ge", "ge(other)", Tensor::ge);
    binary(table, "not_equal", "notEqual(other)", Tensor::notEqual);
    binary(table, "less", "less(other)", Tensor::less);
    binary(table, "less_equal", "lessEqual(other)", Tensor::lessEqual);
    binary(table, "greater", "greater(other)", Tensor::greater);
    binary(table, "greater_equal", "greaterEqual(other)", Tensor::greaterEqual);
    tensors(table, "logical_and", "logicalAnd(other)", Tensor::logicalAnd);
    tensors(table, "logical_or", "logicalOr(other)", Tensor::logicalOr);
    tensors(table, "logical_xor", "logicalXor(other)", Tensor::logicalXor);
    unary(table, "logical_not", "logicalNot()", Tensor::logicalNot);
    unary(table, "isnan", "isnan()", Tensor::isnan);
    unary(table, "isinf", "isinf()", Tensor::isinf);
    unary(table, "isfinite", "isfinite()", Tensor::isfinite);
    unary(table, "isposinf", "isposinf()", Tensor::isposinf);
    unary(table, "isneginf", "isneginf()", Tensor::isneginf);
    unary(table, "signbit", "signbit()", Tensor::signbit);
    table.bind("equal", "equal(other)", a -> a.self().equal(a.tensor(1, "other")));
    table.bind(
        "isclose",
        "isclose(other, rtol, atol, equalNan)",
        a ->
            a.tensor(0, "input")
                .isclose(
                    a.tensor(1, "other"),
                    a.number(2, "rtol", 1e-5),
                    a.number(3, "atol", 1e-8),
                    a.flag(4, "equal_nan", false)));
    table.bind(
        "allclose",
        "allclose(other, rtol, atol, equalNan)",
        a ->
            a.self()
                .allclose(
                    a.tensor(1, "other"),
                    a.number(2, "rtol", 1e-5),
                    a.number(3, "atol", 1e-8),
                    a.flag(4, "equal_nan", false)));
  }

  private static void bits(Bindings table) {
    unary(table, "bitwise_not", "bitwiseNot()", Tensor::bitwiseNot);
    numbers(table, "bitwise_and", "bitwiseAnd(other)", Tensor::bitwiseAnd);
    numbers(table, "bitwise_or", "bitwiseOr(other)", Tensor::bitwiseOr);
    numbers(table, "bitwise_xor", "bitwiseXor(other)", Tensor::bitwiseXor);
    numbers(table, "bitwise_left_shift", "bitwiseLeftShift(other)", Tensor::bitwiseLeftShift);
    numbers(table, "bitwise_right_shift", "bitwiseRightShift(other)", Tensor::bitwiseRightShift);
    binary(table, "__and__", "bitwiseAnd(other)", Tensor::bitwiseAnd);
    binary(table, "__or__", "bitwiseOr(other)", Tensor::bitwiseOr);
    binary(table, "__xor__", "bitwiseXor(other)", Tensor::bitwiseXor);
    binary(table, "__lshift__", "bitwiseLeftShift(other)", Tensor::bitwiseLeftShift);
    binary(table, "__rshift__", "bitwiseRightShift(other)", Tensor::bitwiseRightShift);
  }

  private static void reflected(Bindings table) {
    swapped(table, "__radd__", "add(other)", Tensor::add);
    swapped(table, "__rsub__", "rsub(other)", Tensor::sub);
    swapped(table, "__rmul__", "mul(other)", Tensor::mul);
    swapped(
        table,
        "__rpow__",
        "Tensor.pow(other, self)",
        (other, self) -> (Catalogue.isNumber(other) ? other : other.detach()).pow(self));
    swapped(table, "__rmod__", "Tensor.remainder(other, self)", Tensor::remainder);
    swapped(table, "__rand__", "bitwiseAnd(other)", Tensor::bitwiseAnd);
    swapped(table, "__ror__", "bitwiseOr(other)", Tensor::bitwiseOr);
    swapped(table, "__rxor__", "bitwiseXor(other)", Tensor::bitwiseXor);
    swapped(
        table,
        "__rdiv__",
        "Tensor.div(other, self)",
        (other, self) -> self.reciprocal().mul(other));
  }

  private static void inPlace(Bindings table) {
    table.bind(
        "Tensor.add_",
        "add_(other, alpha)",
        a -> {
          double alpha = a.number(-1, "alpha", 1);
          Tensor other = a.operand(1, "other");
          return alpha == 1 ? a.self().add_(other) : a.self().add_(other, alpha);
        });
    binary(table, "Tensor.sub_", "sub_(other)", Tensor::sub_);
    binary(table, "Tensor.mul_", "mul_(other)", Tensor::mul_);
    binary(table, "Tensor.div_", "div_(other)", Tensor::div_);
    binary(table, "Tensor.floor_divide_", "floorDivide_(other)", Tensor::floorDivide_);
    binary(table, "Tensor.eq_", "eq_(other)", Tensor::eq_);
    table.bind("Tensor.pow_", "pow_(exponent)", a -> a.self().pow_(a.operand(1, "exponent")));
  }

  private static void types(Bindings table) {
    table.bind(
        "promote_types",
        "type.promote(other)",
        a -> type(a, 0, "type1").promote(type(a, 1, "type2")));
    table.bind("can_cast", "from.canCast(to)", a -> type(a, 0, "from_").canCast(type(a, 1, "to")));
    table.bind(
        "result_type",
        "Tensor.resultType(tensor1, tensor2)",
        a -> Tensor.resultType(a.operand(0, "tensor1"), a.operand(1, "tensor2")));
  }

  private static DType type(Arguments a, int position, String name) {
    DType type = a.dtype(position, name);
    if (type == null) {
      throw new IllegalArgumentException("The argument " + name + " is missing.");
    }
    return type;
  }
}
