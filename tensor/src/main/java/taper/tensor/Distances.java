package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceDistances;

/// Distances and similarities of vectors.
///
/// A norm of order `p` is `(Σ |x|ᵖ)^(1/p)`; of order 0 the number of elements that are not 0, of infinite order the largest.
public sealed interface Distances permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the cosine of the angle between both vectors along dimension 1.
  default Tensor cosineSimilarity(Tensor other) {
    return cosineSimilarity(other, 1, 1e-8);
  }

  /// Returns the cosine of the angle between both vectors along `dim`.
  ///
  /// - Shape: `[*b], [*b] -> [*]`, where `dim` is gone
  /// - Types: floating
  ///
  /// @param eps stands in for a smaller norm
  /// @throws ArgumentException if there is no such dimension
  default Tensor cosineSimilarity(Tensor other, int dim, double eps) {
    return Vectors.cosineSimilarity(self(), other, dim, eps);
  }

  /// Returns the Euclidean distances between the vectors along the last dimension.
  default Tensor pairwiseDistance(Tensor other) {
    return pairwiseDistance(other, 2, 1e-6, false);
  }

  /// Returns the norm of order `p` of `self - other + eps` along the last dimension.
  ///
  /// - Shape: `[*b m], [*b m] -> [*b]`
  /// - Types: whole numbers become `float32`
  ///
  /// @param keepDim whether the dimension stays, with size 1
  default Tensor pairwiseDistance(Tensor other, double p, double eps, boolean keepDim) {
    return self().sub(other).add(eps).norm(p, new int[] {-1}, keepDim);
  }

  /// Returns the Euclidean distances between all pairs of rows.
  default Tensor pdist() {
    return pdist(2);
  }

  /// Returns the distances of order `p` between all pairs of rows `i < j`, in the order `(0, 1), (0, 2), …, (1, 2), …`.
  ///
  /// - Shape: `[n m] -> [n (n - 1) / 2]`
  /// - Types: floating
  /// - Gradient: 0 where a distance is 0
  ///
  /// @throws ArgumentException if `p` is negative
  /// @throws ShapeException if there are not 2 dimensions
  default Tensor pdist(double p) {
    Vectors.checkOrder("pdist", p);
    return Operators.PDIST.on(new Order(p), self());
  }

  /// Returns the Euclidean distances between all rows of this tensor and all rows of the other.
  default Tensor cdist(Tensor other) {
    return cdist(other, 2);
  }

  /// Returns the distances of order `p` between all rows of this tensor and all rows of the other.
  default Tensor cdist(Tensor other, double p) {
    return cdist(other, p, ComputeMode.IF_NECESSARY);
  }

  /// Returns the distances of order `p` between all rows of this tensor and all rows of the other.
  ///
  /// - Shape: `[*b p m], [*b r m] -> [*b p r]`
  /// - Types: floating
  /// - Gradient: 0 where a distance is 0
  ///
  /// @param mode whether Euclidean distances come from a matrix product, which is faster and less exact
  /// @throws ArgumentException if `p` is negative
  /// @throws ShapeException if the shapes do not fit
  default Tensor cdist(Tensor other, double p, ComputeMode mode) {
    return Vectors.cdist(self(), other, p, mode);
  }

  /// Returns `x1ᵀ weight[k] x2 + bias[k]` for every output `k`, where `x1` and `x2` are the vectors along the last dimension of
  /// this tensor and the other.
  ///
  /// - Shape: `[*b n], [*b m], weight[o n m], bias[o] -> [*b o]`
  ///
  /// @param bias may be null: nothing is added
  /// @throws ShapeException if the shapes do not fit
  default Tensor bilinear(Tensor other, Tensor weight, @Nullable Tensor bias) {
    return Operators.BILINEAR.on(NONE, self(), other, weight, bias);
  }

  /// How [#cdist(Tensor, double, ComputeMode)] computes Euclidean distances.
  enum ComputeMode {
    /// From a matrix product if there are more than 25 rows.
    IF_NECESSARY,
    /// From a matrix product.
    MATRIX_PRODUCT,
    /// From the differences.
    EXACT
  }

  /// The order of a norm.
  ///
  /// @param p the order
  record Order(double p) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("distances");

    static final Operator<Order> PDIST =
        FAMILY
            .<Order>structured("pdist", "self[n m] -> [k]", ReferenceDistances.PDIST)
            .sizes((a, in) -> {
              long[] self = in.getFirst();
              assert self != null;
              return Map.of("k", self[0] * (self[0] - 1) / 2);
            })
            .dtypes(DTypes.SAME_FLOATING)
            .gradient("self", Keeps.inputs("self").andOutputs(0), Vectors::pdistGradient)
            .torch("aten::pdist(Tensor self, float p=2) -> Tensor")
            .sample(new Order(2), "f32[4 3]")
            .sample(new Order(1), "f32[3 5]")
            .sample(new Order(3), "f32[3 5]")
            .sample(new Order(Double.POSITIVE_INFINITY), "f32[3 5]")
            .sample(new Order(2), "f32[1 5]")
            .declare();

    static final Operator<Order> PDIST_GRADIENT =
        FAMILY
            .<Order>structured(
                "pdistGradient",
                "grad[k], self[n m], result[k] -> [n m]",
                ReferenceDistances.PDIST_GRADIENT)
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::_pdist_backward(Tensor grad, Tensor self, float p, Tensor pdist) -> Tensor")
            .sample(new Order(2), "f32[3], f32[3 4], f32[3] in 0.5..2")
            .declare();

    static final Operator<Order> CDIST =
        FAMILY
            .<Order>structured(
                "cdist", "self[b p m], other[b r m] -> [b p r]", ReferenceDistances.CDIST)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self", "other").andOutputs(0),
                b ->
                    Vectors.cdistGradient(
                        b.attributes(), b.grad(), b.input("self"), b.input("other"), b.output()))
            .gradient(
                "other",
                Keeps.inputs("self", "other").andOutputs(0),
                b ->
                    Vectors.cdistGradient(
                        b.attributes(),
                        b.grad().mT(),
                        b.input("other"),
                        b.input("self"),
                        b.output().mT()))
            .torch("aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor")
            .torch(
                "aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor")
            .sample(new Order(2), "f32[2 3 4], f32[2 5 4]")
            .sample(new Order(1), "f32[2 3 4], f32[2 2 4]")
            .sample(new Order(0), "f32[2 3 4], f32[2 2 4]")
            .sample(new Order(1.5), "f32[1 3 4], f32[1 2 4]")
            .sample(new Order(3), "f32[1 3 4], f32[1 2 4]")
            .sample(new Order(Double.POSITIVE_INFINITY), "f32[1 3 4], f32[1 2 4]")
            .sample(new Order(2), "f32[1 3 0], f32[1 2 0]")
            .rejects(
                new Order(2),
                "f32[1 3 4], f32[1 2 5]",
                "cdist: dimension m is 4 in self [1, 3, 4], but 5 in other [1, 2, 5]. They must be"
                    + " equal; see transpose and reshape.")
            .declare();

    static final Operator<Order> CDIST_GRADIENT =
        FAMILY
            .<Order>structured(
                "cdistGradient",
                "grad[b p r], self[b p m], other[b r m], result[b p r] -> [b p m]",
                ReferenceDistances.CDIST_GRADIENT)
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::_cdist_backward(Tensor grad, Tensor x1, Tensor x2, float p, Tensor cdist) ->"
                    + " Tensor")
            .sample(new Order(2), "f32[2 3 5], f32[2 3 4], f32[2 5 4], f32[2 3 5] in 0.5..2")
            .sample(new Order(1), "f32[2 3 5], f32[2 3 4], f32[2 5 4], f32[2 3 5] in 0.5..2")
            .declare();

    // Euclidean distances as |x|² - 2 x·y + |y|², all in one product
    static final Operator<Operator.None> EUCLIDEAN =
        FAMILY
            .<Operator.None>composite(
                "euclideanDistance",
                "self[b p m], other[b r m] -> [b p r]",
                (a, in) -> Vectors.euclidean(in.get("self"), in.get("other")))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self", "other").andOutputs(0),
                b ->
                    Vectors.euclideanGradient(
                        b.grad(), b.input("self"), b.input("other"), b.output()))
            .gradient(
                "other",
                Keeps.inputs("self", "other").andOutputs(0),
                b ->
                    Vectors.euclideanGradient(
                        b.grad().mT(), b.input("other"), b.input("self"), b.output().mT()))
            .gradientName("EuclideanDistBackward0")
            .torch("aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor")
            .sample(NONE, "f32[2 3 4], f32[2 5 4]")
            .declare();

    static final Operator<Operator.None> BILINEAR =
        FAMILY
            .<Operator.None>composite(
                "bilinear",
                "self[*b n], other[*b m], weight[o n m], bias?[o] -> [*b o]",
                (a, in) -> Vectors.bilinear(Operators.BILINEAR, in))
            .dtypes(DTypes.SAME)
            .torch(
                "aten::bilinear(Tensor input1, Tensor input2, Tensor weight, Tensor? bias=None) ->"
                    + " Tensor")
            .sample(NONE, "f32[2 3], f32[2 4], f32[5 3 4], f32[5]")
            .sample(NONE, "f32[3], f32[4], f32[5 3 4], none")
            .sample(NONE, "f32[2 0 3], f32[2 0 4], f32[5 3 4], f32[5]")
            .rejects(
                NONE,
                "f32[2 3], f32[2 4], f32[5 3 3], none",
                "bilinear: dimension m is 4 in other [2, 4], but 3 in weight [5, 3, 3]. They must"
                    + " be equal; see transpose and reshape.")
            .declare();

    private Operators() {}
  }
}
