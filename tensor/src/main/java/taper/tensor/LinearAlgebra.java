package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceProducts;

/// Products of matrices and vectors.
///
/// All products take operands of one element type. Half types are multiplied and summed in `float32`.
public sealed interface LinearAlgebra permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the matrix product with `other`, by the ranks of both as in PyTorch: vectors give a dot product, a
  /// matrix and a vector their product, more dimensions a batch of products, whose leading dimensions broadcast.
  ///
  /// - Shape: `[k], [k] -> []`; `[*b n k], [k] -> [*b n]`; `[k], [*b k m] -> [*b m]`; `[*b n k], [*b k m] -> [*b n m]`
  /// - Gradient: to both
  ///
  /// @throws ShapeException if dimension `k` differs, the leading dimensions do not broadcast, or one has rank 0
  default Tensor matmul(Tensor other) {
    return Operators.MATMUL.on(NONE, self(), other);
  }

  /// Returns the product of two matrices.
  ///
  /// - Shape: `[n k], [k m] -> [n m]`
  ///
  /// @throws ShapeException if dimension `k` differs, or one is no matrix
  default Tensor mm(Tensor other) {
    return Operators.MM.on(NONE, self(), other);
  }

  /// Returns the products of two batches of matrices.
  ///
  /// - Shape: `[b n k], [b k m] -> [b n m]`
  ///
  /// @throws ShapeException if dimensions `b` or `k` differ, or one has another rank than 3
  default Tensor bmm(Tensor other) {
    return Operators.BMM.on(NONE, self(), other);
  }

  /// Returns the product of this matrix and a vector.
  ///
  /// - Shape: `[n k], [k] -> [n]`
  ///
  /// @throws ShapeException if dimension `k` differs
  default Tensor mv(Tensor vector) {
    return Operators.MV.on(NONE, self(), vector);
  }

  /// Returns the dot product of two vectors.
  ///
  /// - Shape: `[k], [k] -> []`
  ///
  /// @throws ShapeException if their lengths differ
  default Tensor dot(Tensor other) {
    return Operators.DOT.on(NONE, self(), other);
  }

  /// Returns the products of all pairs of elements of two vectors.
  ///
  /// - Shape: `[n], [m] -> [n m]`
  default Tensor outer(Tensor other) {
    return Operators.OUTER.on(NONE, self(), other);
  }

  /// Returns `self + mat1 @ mat2`; this tensor broadcasts to the product.
  ///
  /// - Shape: `[*], [n k], [k m] -> [n m]`
  default Tensor addmm(Tensor mat1, Tensor mat2) {
    return addmm(mat1, mat2, 1, 1);
  }

  /// Returns `beta · self + alpha · (mat1 @ mat2)`; this tensor broadcasts to the product. With a `beta` of 0 it is not
  /// read, so its NaNs do not spread.
  ///
  /// - Shape: `[*], [n k], [k m] -> [n m]`
  ///
  /// @throws ShapeException if dimension `k` differs or this tensor does not broadcast to `[n m]`
  default Tensor addmm(Tensor mat1, Tensor mat2, double beta, double alpha) {
    return self().isComplex()
        ? MatrixProducts.sum("addmm", self(), mat1.mm(mat2), beta, alpha)
        : Operators.ADDMM.on(new Scale(beta, alpha), self(), mat1, mat2);
  }

  /// Adds `mat1 @ mat2` to this tensor in place.
  default Tensor addmm_(Tensor mat1, Tensor mat2) {
    return addmm_(mat1, mat2, 1, 1);
  }

  /// Returns `beta · self + alpha · (mat1 @ mat2)` with complex factors.
  default Tensor addmm(Tensor mat1, Tensor mat2, Complex beta, Complex alpha) {
    return MatrixProducts.sum("addmm", self(), mat1.mm(mat2), beta, alpha);
  }

  /// Makes this tensor `beta · self + alpha · (mat1 @ mat2)`.
  default Tensor addmm_(Tensor mat1, Tensor mat2, double beta, double alpha) {
    if (self().isComplex()) {
      return self().copy_(addmm(mat1, mat2, beta, alpha));
    }
    return Operators.ADDMM.inPlace(new Scale(beta, alpha), self(), mat1, mat2);
  }

  /// Returns `self + batch1 @ batch2` for batches of matrices; this tensor broadcasts to the products.
  ///
  /// - Shape: `[*], [b n k], [b k m] -> [b n m]`
  default Tensor baddbmm(Tensor batch1, Tensor batch2) {
    return baddbmm(batch1, batch2, 1, 1);
  }

  /// Returns `beta · self + alpha · (batch1 @ batch2)` for batches of matrices.
  ///
  /// - Shape: `[*], [b n k], [b k m] -> [b n m]`
  ///
  /// @throws ShapeException if dimensions `b` or `k` differ or this tensor does not broadcast to `[b n m]`
  default Tensor baddbmm(Tensor batch1, Tensor batch2, double beta, double alpha) {
    return self().isComplex()
        ? MatrixProducts.sum("baddbmm", self(), batch1.bmm(batch2), beta, alpha)
        : Operators.BADDBMM.on(new Scale(beta, alpha), self(), batch1, batch2);
  }

  /// Returns `beta · self + alpha · (batch1 @ batch2)` with complex factors.
  default Tensor baddbmm(Tensor batch1, Tensor batch2, Complex beta, Complex alpha) {
    return MatrixProducts.sum("baddbmm", self(), batch1.bmm(batch2), beta, alpha);
  }

  /// Adds `batch1 @ batch2` to this tensor in place.
  default Tensor baddbmm_(Tensor batch1, Tensor batch2) {
    return baddbmm_(batch1, batch2, 1, 1);
  }

  /// Makes this tensor `beta · self + alpha · (batch1 @ batch2)`.
  default Tensor baddbmm_(Tensor batch1, Tensor batch2, double beta, double alpha) {
    if (self().isComplex()) {
      return self().copy_(baddbmm(batch1, batch2, beta, alpha));
    }
    return Operators.BADDBMM.inPlace(new Scale(beta, alpha), self(), batch1, batch2);
  }

  /// Returns `self + mat @ vec`; this tensor broadcasts to the product.
  ///
  /// - Shape: `[*], [n k], [k] -> [n]`
  default Tensor addmv(Tensor mat, Tensor vec) {
    return addmv(mat, vec, 1, 1);
  }

  /// Returns `beta · self + alpha · (mat @ vec)`. With a `beta` of 0 this tensor is not read.
  ///
  /// - Shape: `[*], [n k], [k] -> [n]`
  default Tensor addmv(Tensor mat, Tensor vec, double beta, double alpha) {
    return MatrixProducts.sum("addmv", self(), mat.mv(vec), beta, alpha);
  }

  /// Returns `beta · self + alpha · (mat @ vec)` with complex factors.
  default Tensor addmv(Tensor mat, Tensor vec, Complex beta, Complex alpha) {
    return MatrixProducts.sum("addmv", self(), mat.mv(vec), beta, alpha);
  }

  /// Makes this tensor `beta · self + alpha · (mat @ vec)`.
  default Tensor addmv_(Tensor mat, Tensor vec, double beta, double alpha) {
    return self().copy_(addmv(mat, vec, beta, alpha));
  }

  /// Returns `self` plus the products of all pairs of elements of two vectors; this tensor broadcasts.
  ///
  /// - Shape: `[*], [n], [m] -> [n m]`
  default Tensor addr(Tensor vec1, Tensor vec2) {
    return addr(vec1, vec2, 1, 1);
  }

  /// Returns `beta · self + alpha · outer(vec1, vec2)`. With a `beta` of 0 this tensor is not read.
  ///
  /// - Shape: `[*], [n], [m] -> [n m]`
  default Tensor addr(Tensor vec1, Tensor vec2, double beta, double alpha) {
    return MatrixProducts.sum("addr", self(), vec1.outer(vec2), beta, alpha);
  }

  /// Returns `beta · self + alpha · outer(vec1, vec2)` with complex factors.
  default Tensor addr(Tensor vec1, Tensor vec2, Complex beta, Complex alpha) {
    return MatrixProducts.sum("addr", self(), vec1.outer(vec2), beta, alpha);
  }

  /// Makes this tensor `beta · self + alpha · outer(vec1, vec2)`.
  default Tensor addr_(Tensor vec1, Tensor vec2, double beta, double alpha) {
    return self().copy_(addr(vec1, vec2, beta, alpha));
  }

  /// Returns `self` plus the sum of the products of two batches of matrices; this tensor broadcasts.
  ///
  /// - Shape: `[*], [b n k], [b k m] -> [n m]`
  default Tensor addbmm(Tensor batch1, Tensor batch2) {
    return addbmm(batch1, batch2, 1, 1);
  }

  /// Returns `beta · self + alpha · Σ (batch1 @ batch2)`. With a `beta` of 0 this tensor is not read.
  ///
  /// - Shape: `[*], [b n k], [b k m] -> [n m]`
  default Tensor addbmm(Tensor batch1, Tensor batch2, double beta, double alpha) {
    return addbmm(batch1, batch2, Complex.of(beta), Complex.of(alpha));
  }

  /// Returns `beta · self + alpha · Σ (batch1 @ batch2)` with complex factors.
  default Tensor addbmm(Tensor batch1, Tensor batch2, Complex beta, Complex alpha) {
    Tensor product = batch1.bmm(batch2);
    Tensor sum = product.sum(0).to(product.dtype());
    return MatrixProducts.sum("addbmm", self(), sum, beta, alpha);
  }

  /// Makes this tensor `beta · self + alpha · Σ (batch1 @ batch2)`.
  default Tensor addbmm_(Tensor batch1, Tensor batch2, double beta, double alpha) {
    return self().copy_(addbmm(batch1, batch2, beta, alpha));
  }

  /// Returns the dot product of two vectors, of which this one is conjugated.
  ///
  /// - Shape: `[k], [k] -> []`
  ///
  /// @throws ShapeException if their lengths differ
  default Tensor vdot(Tensor other) {
    return self().conj().dot(other);
  }

  /// Returns the products summed along the last dimension of both; with a scalar, its products.
  ///
  /// - Shape: `[*a k], [*b k] -> [*a *b]`
  ///
  /// @throws ShapeException if the last dimensions differ
  default Tensor inner(Tensor other) {
    return MatrixProducts.inner(self(), other);
  }

  /// Returns the products of all pairs of elements of two vectors: [#outer(Tensor)].
  default Tensor ger(Tensor other) {
    return outer(other);
  }

  /// Returns the Kronecker product: every element of this tensor replaced by its product with `other`.
  ///
  /// - Shape: `[a b], [c d] -> [ac bd]`
  default Tensor kron(Tensor other) {
    return MatrixProducts.kron(self(), other);
  }

  /// Returns the sum of the diagonal of a matrix.
  ///
  /// - Shape: `[n m] -> []`
  /// - Types: whole numbers are summed as `int64`
  ///
  /// @throws ShapeException if it has another rank than 2
  default Tensor trace() {
    return MatrixProducts.trace(self());
  }

  /// Returns the cross products of vectors along the first dimension that has size 3.
  ///
  /// @throws ShapeException if there is none
  default Tensor cross(Tensor other) {
    return MatrixProducts.cross(self(), other);
  }

  /// Returns the cross products of vectors along `dim`, whose size must be 3; other dimensions broadcast.
  ///
  /// @throws ShapeException if it has another size
  default Tensor cross(Tensor other, int dim) {
    return MatrixProducts.cross(self(), other, dim);
  }

  /// Returns the powers of the elements of a vector, from the highest, `n - 1`, to 0.
  ///
  /// - Shape: `[m] -> [m n]`
  ///
  /// @param increasing whether to begin with 0
  default Tensor vander(long n, boolean increasing) {
    Tensor powers = MatrixProducts.powers(self(), n);
    return increasing ? powers : powers.flip(-1);
  }

  /// Returns `self @ weightᵀ + bias`, the values of a fully connected layer.
  ///
  /// - Shape: `[*b k], weight[m k], bias[m] -> [*b m]`
  ///
  /// @param bias may be null: nothing is added
  /// @throws ShapeException if dimensions `k` or `m` differ
  default Tensor linear(Tensor weight, @Nullable Tensor bias) {
    if (self().isComplex()) {
      Tensor product = self().matmul(weight.mT());
      return bias == null ? product : product.add(bias);
    }
    return Operators.LINEAR.on(NONE, self(), weight, bias);
  }

  /// Returns a view with the two dimensions of a matrix exchanged; vectors and scalars stay as they are.
  ///
  /// @throws ShapeException if there are more than two dimensions
  default Tensor t() {
    int rank = self().dim();
    if (rank > 2) {
      throw new ShapeException(
          "t: there must be at most 2 dimensions, but self has shape %s. Use mT() or transpose."
              .formatted(self().shape()));
    }
    return rank < 2 ? self() : self().transpose(0, 1);
  }

  /// Returns a view with the last two dimensions exchanged.
  ///
  /// @throws ShapeException if there is only one
  default Tensor mT() {
    if (self().dim() == 0) {
      return self();
    }
    if (self().dim() < 2) {
      throw new ShapeException(
          "mT: there must be at least 2 dimensions, but self has shape %s."
              .formatted(self().shape()));
    }
    return self().transpose(-2, -1);
  }

  /// The factors of a sum with a product.
  ///
  /// @param beta of the tensor that is added
  /// @param alpha of the product
  record Scale(double beta, double alpha) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("linear algebra");

    static final Operator<Operator.None> MATMUL =
        FAMILY
            .<Operator.None>composite(
                "matmul", "self[*], other[*] -> [*]", (a, in) -> MatrixProducts.matmul(in))
            .dtypes(DTypes.SAME.complex())
            .torch("aten::matmul(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[4], f32[4]")
            .sample(NONE, "f32[3 4], f32[4]")
            .sample(NONE, "f32[4], f32[4 2]")
            .sample(NONE, "f32[3 4], f32[4 2]")
            .sample(NONE, "f32[5 3 4], f32[4 2]")
            .sample(NONE, "f32[2 5 3 4], f32[4]")
            .sample(NONE, "f32[4], f32[5 4 2]")
            .sample(NONE, "f32[2 1 5 3], f32[6 3 4]")
            .sample(NONE, "f32[0 3 4], f32[4 2]")
            .sample(NONE, "f32[2 3 0], f32[2 0 4]")
            .sample(NONE, "c64[5 3 4], c64[4 2]")
            .rejects(
                NONE,
                "f32[64 1568], f32[3136 128]",
                "matmul: dimension k is 1568 in self [64, 1568], but 3136 in other [3136, 128]."
                    + " They must be equal; see transpose and reshape.")
            .rejects(
                NONE,
                "f32[2 3 4], f32[5 4 2]",
                "matmul: shapes must broadcast, but dimension -1 is 2 in self [2, 3, 4] and 5 in"
                    + " other [5, 4, 2]. Sizes must be equal or 1; see unsqueeze and expand.")
            .rejects(
                NONE,
                "f32[], f32[3]",
                "matmul: both inputs must have at least 1 dimension, but self has shape [] and"
                    + " other [3]. Use mul for products with a scalar.")
            .rejects(
                NONE,
                "f32[2 3], f64[3 2]",
                "matmul: inputs must have one dtype, but self is float32 and other is float64."
                    + " Convert one of them with .to(dtype).")
            .declare();

    static final Operator<Operator.None> MM =
        FAMILY
            .<Operator.None>structured(
                "mm", "self[n k], other[k m] -> [n m]", ReferenceProducts.BMM)
            .dtypes(DTypes.SAME.complexProduct())
            .gradient("self", Keeps.inputs("other"), b -> b.grad().mm(b.input("other").mT().conj()))
            .gradient("other", Keeps.inputs("self"), b -> b.input("self").mT().conj().mm(b.grad()))
            .torch("aten::mm(Tensor self, Tensor mat2) -> Tensor")
            .sample(NONE, "f32[3 5], f32[5 4]")
            .sample(NONE, "f32[1 1], f32[1 1]")
            .sample(NONE, "f32[17 13], f32[13 19]")
            .sample(NONE, "f32[0 5], f32[5 4]")
            .sample(NONE, "f32[3 0], f32[0 4]")
            .sample(NONE, "i64[3 5], i64[5 4]")
            .sample(NONE, "c64[3 5], c64[5 4]")
            .rejects(
                NONE,
                "f32[3 5], f32[4 2]",
                "mm: dimension k is 5 in self [3, 5], but 4 in other [4, 2]."
                    + " They must be equal; see transpose and reshape.")
            .rejects(
                NONE,
                "f32[2 3 5], f32[5 2]",
                "mm: self must have 2 dimensions [n k], but has shape [2, 3, 5].")
            .declare();

    static final Operator<Operator.None> BMM =
        FAMILY
            .<Operator.None>structured(
                "bmm", "self[b n k], other[b k m] -> [b n m]", ReferenceProducts.BMM)
            .dtypes(DTypes.SAME.complexProduct())
            .gradient(
                "self", Keeps.inputs("other"), b -> b.grad().bmm(b.input("other").mT().conj()))
            .gradient("other", Keeps.inputs("self"), b -> b.input("self").mT().conj().bmm(b.grad()))
            .torch("aten::bmm(Tensor self, Tensor mat2) -> Tensor")
            .sample(NONE, "f32[2 3 5], f32[2 5 4]")
            .sample(NONE, "f32[0 3 5], f32[0 5 4]")
            .sample(NONE, "c64[2 3 5], c64[2 5 4]")
            .rejects(
                NONE,
                "f32[2 3 5], f32[3 5 4]",
                "bmm: dimension b is 2 in self [2, 3, 5], but 3 in other [3, 5, 4]."
                    + " They must be equal; see transpose and reshape.")
            .declare();

    static final Operator<Operator.None> MV =
        FAMILY
            .<Operator.None>structured("mv", "self[n k], vector[k] -> [n]", ReferenceProducts.MV)
            .dtypes(DTypes.SAME.complexProduct())
            .gradient("self", Keeps.inputs("vector"), b -> b.grad().outer(b.input("vector").conj()))
            .gradient("vector", Keeps.inputs("self"), b -> b.input("self").mT().conj().mv(b.grad()))
            .torch("aten::mv(Tensor self, Tensor vec) -> Tensor")
            .sample(NONE, "f32[3 5], f32[5]")
            .sample(NONE, "f32[0 5], f32[5]")
            .sample(NONE, "f32[3 0], f32[0]")
            .sample(NONE, "c64[3 5], c64[5]")
            .declare();

    static final Operator<Operator.None> DOT =
        FAMILY
            .<Operator.None>structured("dot", "self[k], other[k] -> []", ReferenceProducts.DOT)
            .dtypes(DTypes.SAME.complexProduct())
            .gradient("self", Keeps.inputs("other"), b -> b.grad().mul(b.input("other").conj()))
            .gradient("other", Keeps.inputs("self"), b -> b.grad().mul(b.input("self").conj()))
            .torch("aten::dot(Tensor self, Tensor tensor) -> Tensor")
            .sample(NONE, "f32[5], f32[5]")
            .sample(NONE, "f32[0], f32[0]")
            .sample(NONE, "c64[5], c64[5]")
            .rejects(
                NONE,
                "f32[5], f32[4]",
                "dot: dimension k is 5 in self [5], but 4 in other [4]."
                    + " They must be equal; see transpose and reshape.")
            .declare();

    static final Operator<Operator.None> OUTER =
        FAMILY
            .<Operator.None>composite(
                "outer",
                "self[n], other[m] -> [n m]",
                (a, in) -> {
                  Tensor x = in.get("self");
                  Tensor y = in.get("other");
                  MatrixProducts.check(Operators.OUTER, in);
                  return x.reshape(x.numel(), 1).mul(y);
                })
            .dtypes(DTypes.PROMOTE.complex())
            .torch("aten::outer(Tensor self, Tensor vec2) -> Tensor")
            .sample(NONE, "f32[3], f32[4]")
            .rejects(
                NONE,
                "f32[3 2], f32[4]",
                "outer: self must have 1 dimension [n], but has shape [3, 2].")
            .declare();

    static final Operator<Scale> ADDMM =
        FAMILY
            .<Scale>structured(
                "addmm", "self[*], mat1[n k], mat2[k m] -> [n m]", ReferenceProducts.ADD_PRODUCT)
            .shape((a, in) -> MatrixProducts.addShape(Operators.ADDMM, in))
            .dtypes(DTypes.SAME)
            .gradient(
                "self", Keeps.NOTHING, b -> MatrixProducts.scaled(b.grad(), b.attributes().beta()))
            .gradient(
                "mat1",
                Keeps.inputs("mat2"),
                b ->
                    MatrixProducts.scaled(
                        b.grad().mm(b.input("mat2").mT()), b.attributes().alpha()))
            .gradient(
                "mat2",
                Keeps.inputs("mat1"),
                b ->
                    MatrixProducts.scaled(
                        b.input("mat1").mT().mm(b.grad()), b.attributes().alpha()))
            .torch(
                "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar"
                    + " alpha=1) -> Tensor")
            .sample(new Scale(1, 1), "f32[4], f32[3 5], f32[5 4]")
            .sample(new Scale(0.5, -2), "f32[3 4], f32[3 5], f32[5 4]")
            .sample(new Scale(0, 2), "f32[3 1], f32[3 5], f32[5 4]")
            .sample(new Scale(1, 1), "f32[], f32[3 0], f32[0 4]")
            .rejects(
                new Scale(1, 1),
                "f32[5], f32[3 5], f32[5 4]",
                "addmm: self must broadcast to the product's shape [3, 4], but has shape [5].")
            .rejects(
                new Scale(1, 1),
                "f32[4], f32[3 5], f32[6 4]",
                "addmm: dimension k is 5 in mat1 [3, 5], but 6 in mat2 [6, 4]."
                    + " They must be equal; see transpose and reshape.")
            .declare();

    static final Operator<Scale> BADDBMM =
        FAMILY
            .<Scale>structured(
                "baddbmm",
                "self[*], batch1[b n k], batch2[b k m] -> [b n m]",
                ReferenceProducts.ADD_PRODUCT)
            .shape((a, in) -> MatrixProducts.addShape(Operators.BADDBMM, in))
            .dtypes(DTypes.SAME)
            .gradient(
                "self", Keeps.NOTHING, b -> MatrixProducts.scaled(b.grad(), b.attributes().beta()))
            .gradient(
                "batch1",
                Keeps.inputs("batch2"),
                b ->
                    MatrixProducts.scaled(
                        b.grad().bmm(b.input("batch2").mT()), b.attributes().alpha()))
            .gradient(
                "batch2",
                Keeps.inputs("batch1"),
                b ->
                    MatrixProducts.scaled(
                        b.input("batch1").mT().bmm(b.grad()), b.attributes().alpha()))
            .torch(
                "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar"
                    + " alpha=1) -> Tensor")
            .sample(new Scale(1, 1), "f32[4], f32[2 3 5], f32[2 5 4]")
            .sample(new Scale(0.5, -2), "f32[2 3 4], f32[2 3 5], f32[2 5 4]")
            .declare();

    static final Operator<Operator.None> LINEAR =
        FAMILY
            .<Operator.None>structured(
                "linear", "x[*b k], weight[m k], bias?[m] -> [*b m]", ReferenceProducts.LINEAR)
            .dtypes(DTypes.SAME)
            .gradient("x", Keeps.inputs("weight"), b -> b.grad().matmul(b.input("weight")))
            .gradient(
                "weight",
                Keeps.inputs("x"),
                b -> MatrixProducts.rows(b.grad()).mT().mm(MatrixProducts.rows(b.input("x"))))
            .gradient("bias", Keeps.NOTHING, Backward::grad)
            .gradientName("AddmmBackward0")
            .torch("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor")
            .sample(NONE, "f32[3 5], f32[4 5], f32[4]")
            .sample(NONE, "f32[3 5], f32[4 5], none")
            .sample(NONE, "f32[5], f32[4 5], f32[4]")
            .sample(NONE, "f32[2 3 5], f32[4 5], f32[4]")
            .sample(NONE, "f32[0 5], f32[4 5], f32[4]")
            .sample(NONE, "f32[3 0], f32[4 0], f32[4]")
            .rejects(
                NONE,
                "f32[64 1568], f32[128 3136], f32[128]",
                "linear: dimension k is 1568 in x [64, 1568], but 3136 in weight [128, 3136]."
                    + " They must be equal; see transpose and reshape.")
            .rejects(
                NONE,
                "f32[3 5], f32[4 5], f32[3]",
                "linear: dimension m is 4 in weight [4, 5], but 3 in bias [3]."
                    + " They must be equal; see transpose and reshape.")
            .declare();

    /// `relu(linear(x))`.
    static final Operator<Operator.None> LINEAR_RELU =
        FAMILY
            .<Operator.None>structured(
                "linearRelu",
                "x[*b k], weight[m k], bias?[m] -> [*b m]",
                ReferenceProducts.LINEAR_RELU)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "x",
                Keeps.inputs("weight").andOutputs(0),
                b -> OnePass.reluGradient(b).matmul(b.input("weight")))
            .gradient(
                "weight",
                Keeps.inputs("x").andOutputs(0),
                b ->
                    MatrixProducts.rows(OnePass.reluGradient(b))
                        .mT()
                        .mm(MatrixProducts.rows(b.input("x"))))
            .gradient("bias", Keeps.OUTPUT, OnePass::reluGradient)
            .gradientName("ReluBackward0")
            .own()
            .sample(NONE, "f32[3 5], f32[4 5], f32[4]")
            .sample(NONE, "f32[2 3 17], f32[35 17], none")
            .sample(NONE, "f32[5], f32[4 5], f32[4]")
            .sample(NONE, "f32[0 5], f32[4 5], f32[4]")
            .declare();

    private Operators() {}
  }
}
