package taper.tensor;

import static taper.tensor.Operator.None.NONE;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.maximum;
import static taper.tensor.spi.Formula.minimum;
import static taper.tensor.spi.Formula.parameter;

import java.util.List;
import taper.tensor.spi.Formula;

/// Arithmetic and elementary functions, element by element.
///
/// Operands broadcast, and are promoted to one type as in PyTorch. Where an operand may be a Java number, it counts as
/// PyTorch's Python numbers do: it does not widen the type of a tensor of its category.
public sealed interface Pointwise permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns `self + other`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  default Tensor add(Tensor other) {
    return Operators.ADD.on(NONE, self(), other);
  }

  /// Returns `self + other`.
  default Tensor add(double other) {
    return Operators.ADD.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self + other`.
  default Tensor add(long other) {
    return Operators.ADD.on(NONE, self(), Tensor.number(other));
  }

  /// Adds `other` to this tensor in place.
  default Tensor add_(Tensor other) {
    return Operators.ADD.inPlace(NONE, self(), other);
  }

  /// Returns `self - other`.
  default Tensor sub(Tensor other) {
    return Operators.SUB.on(NONE, self(), other);
  }

  /// Returns `self · other`.
  default Tensor mul(Tensor other) {
    return Operators.MUL.on(NONE, self(), other);
  }

  /// Returns `self · other`.
  default Tensor mul(double other) {
    return Operators.MUL.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self · other`.
  default Tensor mul(long other) {
    return Operators.MUL.on(NONE, self(), Tensor.number(other));
  }

  /// Multiplies this tensor in place.
  default Tensor mul_(Tensor other) {
    return Operators.MUL.inPlace(NONE, self(), other);
  }

  /// Returns `self / other`; whole numbers are divided as `float32`.
  default Tensor div(Tensor other) {
    return Operators.DIV.on(NONE, self(), other);
  }

  /// Returns `-self`.
  default Tensor neg() {
    return Operators.NEG.on(NONE, self());
  }

  /// Returns `eˣ`.
  default Tensor exp() {
    return Operators.EXP.on(NONE, self());
  }

  /// Returns the elements limited to `min..max`; NaN stays.
  default Tensor clamp(double min, double max) {
    return Operators.CLAMP.on(new Clamp(min, max), self());
  }

  /// The bounds of [#clamp(double, double)].
  ///
  /// @param min the lowest value
  /// @param max the highest value
  record Clamp(double min, double max) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("pointwise");

    static final Operator<Operator.None> ADD =
        FAMILY
            .pointwise2("add", Formula::plus)
            .torch("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "i64[3 1], f32[1 4]")
            .rejects(
                NONE,
                "f32[2 3], f32[5 4]",
                "add: shapes must broadcast, but dimension -1 is 3 in self [2, 3] and 4 in other [5, 4]. Sizes must be equal or 1; see unsqueeze and expand.")
            .declare();

    static final Operator<Operator.None> SUB =
        FAMILY
            .pointwise2("sub", Formula::minus)
            .torch("aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .declare();

    static final Operator<Operator.None> MUL =
        FAMILY
            .pointwise2("mul", Formula::times)
            .torch("aten::mul.Tensor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4]")
            .declare();

    static final Operator<Operator.None> DIV =
        FAMILY
            .pointwise2("div", Formula::dividedBy)
            .dtypes(DTypes.FLOATING)
            .torch("aten::div.Tensor(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[3 4] in 1..2")
            .declare();

    static final Operator<Operator.None> NEG =
        FAMILY
            .pointwise("neg", Formula::negate)
            .torch("aten::neg(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .declare();

    static final Operator<Operator.None> EXP =
        FAMILY
            .pointwise("exp", Formula::exp)
            .dtypes(DTypes.FLOATING)
            .torch("aten::exp(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -20..20")
            .declare();

    static final Operator<Clamp> CLAMP =
        FAMILY
            .<Clamp>pointwise(
                "clamp",
                List.of("self"),
                minimum(maximum(input(0), parameter(0)), parameter(1)),
                a -> Parameters.of(a.min(), a.max()))
            .torch("aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor")
            .sample(new Clamp(-0.5, 0.5), "f32[3 4]")
            .declare();

    private Operators() {}
  }
}
