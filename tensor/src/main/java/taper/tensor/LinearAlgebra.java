package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceProducts;

/// Products of matrices and vectors.
public sealed interface LinearAlgebra permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns a view with the last two dimensions exchanged.
  default Tensor mT() {
    return self().transpose(-2, -1);
  }

  /// Returns the products of two batches of matrices.
  ///
  /// - Shape: `[b n k], [b k m] -> [b n m]`
  default Tensor bmm(Tensor other) {
    return Operators.BMM.on(NONE, self(), other);
  }

  /// Returns the product of two matrices.
  ///
  /// - Shape: `[n k], [k m] -> [n m]`
  default Tensor mm(Tensor other) {
    return Operators.MM.on(NONE, self(), other);
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("linear algebra");

    static final Operator<Operator.None> BMM =
        FAMILY
            .<Operator.None>structured("bmm", "self[b n k], other[b k m] -> [b n m]", ReferenceProducts.BMM)
            .dtypes(DTypes.SAME)
            .gradient("self", Keeps.inputs("other"), b -> b.grad().bmm(b.input("other").mT()))
            .gradient("other", Keeps.inputs("self"), b -> b.input("self").mT().bmm(b.grad()))
            .torch("aten::bmm(Tensor self, Tensor mat2) -> Tensor")
            .sample(NONE, "f32[2 3 5], f32[2 5 4]")
            .declare();

    static final Operator<Operator.None> MM =
        FAMILY
            .<Operator.None>structured("mm", "self[n k], other[k m] -> [n m]", ReferenceProducts.BMM)
            .dtypes(DTypes.SAME)
            .gradient("self", Keeps.inputs("other"), b -> b.grad().mm(b.input("other").mT()))
            .gradient("other", Keeps.inputs("self"), b -> b.input("self").mT().mm(b.grad()))
            .torch("aten::mm(Tensor self, Tensor mat2) -> Tensor")
            .sample(NONE, "f32[3 5], f32[5 4]")
            .rejects(
                NONE,
                "f32[3 5], f32[4 2]",
                "mm: dimension k is 5 in self [3, 5], but 4 in other [4, 2].")
            .declare();

    private Operators() {}
  }
}
