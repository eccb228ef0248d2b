package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;

/// Conditions, element by element.
public sealed interface Comparisons permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns where elements are not a number.
  default Tensor isnan() {
    return Operators.ISNAN.on(NONE, self());
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("comparisons");

    static final Operator<Operator.None> ISNAN =
        FAMILY
            .pointwise("isnan", x -> Formula.compare(x, Comparison.NOT_EQUAL, x))
            .dtypes(DTypes.COMPARISON)
            .notDifferentiable()
            .torch("aten::isnan(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .declare();

    private Operators() {}
  }
}
