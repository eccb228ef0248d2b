package taper.tensor;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.Reductions.Cumulative;
import taper.tensor.Reductions.Extremes;
import taper.tensor.internal.ReferenceScans;

/// Running sums, products and extremes along a dimension; differences of neighbours, and integrals.
public sealed interface Scans permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the sums of the elements up to and with each, along `dim`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers and truth values are summed as `int64`
  ///
  /// @throws ArgumentException if there is no such dimension
  default Tensor cumsum(int dim) {
    return Operators.CUMSUM.on(forwards("cumsum", dim), self());
  }

  /// Returns the running sums along `dim` of the elements, which are converted to `dtype` first.
  default Tensor cumsum(int dim, DType dtype) {
    return self().to(dtype).cumsum(dim).to(dtype);
  }

  /// Replaces the elements by the sums up to and with each, along `dim`.
  default Tensor cumsum_(int dim) {
    return self().copy_(cumsum(dim));
  }

  /// Returns the products of the elements up to and with each, along `dim`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers and truth values are multiplied as `int64`
  ///
  /// @throws ArgumentException if there is no such dimension
  default Tensor cumprod(int dim) {
    return Operators.CUMPROD.on(forwards("cumprod", dim), self());
  }

  /// Returns the running products along `dim` of the elements, which are converted to `dtype` first.
  default Tensor cumprod(int dim, DType dtype) {
    return self().to(dtype).cumprod(dim).to(dtype);
  }

  /// Replaces the elements by the products up to and with each, along `dim`.
  default Tensor cumprod_(int dim) {
    return self().copy_(cumprod(dim));
  }

  /// Returns the largest of the elements up to and with each along `dim`, and where it is: the last of equal ones.
  ///
  /// - Shape: `[*] -> [*], [*]`
  /// - Gradient: to the element at the returned index
  ///
  /// @throws ArgumentException if there is no such dimension
  default Extremes cummax(int dim) {
    Tensor[] out = Operators.CUMMAX.all(forwards("cummax", dim), self());
    return new Extremes(out[0], out[1]);
  }

  /// Returns the smallest of the elements up to and with each along `dim`, and where it is: the last of equal ones.
  ///
  /// - Shape: `[*] -> [*], [*]`
  /// - Gradient: to the element at the returned index
  ///
  /// @throws ArgumentException if there is no such dimension
  default Extremes cummin(int dim) {
    Tensor[] out = Operators.CUMMIN.all(forwards("cummin", dim), self());
    return new Extremes(out[0], out[1]);
  }

  /// Returns the logarithms of the sums of the exponentials of the elements up to and with each, along `dim`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating
  ///
  /// @throws ArgumentException if there is no such dimension
  default Tensor logcumsumexp(int dim) {
    return Operators.LOGCUMSUMEXP.on(forwards("logcumsumexp", dim), self());
  }

  private Cumulative forwards(String op, int dim) {
    return new Cumulative(Checks.dim(op, dim, self().dim()), false);
  }

  /// Returns the differences of neighbours along the last dimension.
  default Tensor diff() {
    return diff(1, -1);
  }

  /// Returns the `n`th differences of neighbours along `dim`.
  default Tensor diff(int n, int dim) {
    return diff(n, dim, null, null);
  }

  /// Returns the `n`th differences of neighbours along `dim`, with more elements at the ends.
  ///
  /// - Shape: `[a b c] -> [a b-n c]` for dimension 1
  /// - Types: truth values differ where they are not equal
  ///
  /// @param prepend elements before the first, or null
  /// @param append elements behind the last, or null
  /// @throws ArgumentException if there is no such dimension or `n` is negative
  default Tensor diff(int n, int dim, @Nullable Tensor prepend, @Nullable Tensor append) {
    return Differences.diff(self(), n, dim, prepend, append);
  }

  /// Returns estimates of the derivatives along all dimensions, from samples at a distance of 1.
  default List<Tensor> gradient() {
    return gradient(o -> o);
  }

  /// Returns estimates of the derivatives, one tensor a dimension, from the values of a function at sample points:
  /// `x.gradient(o -> o.spacing(0.1).dim(0).edgeOrder(2))`. Second order inside, one-sided at the ends.
  ///
  /// @throws ArgumentException if options contradict each other, or a dimension has too few samples
  default List<Tensor> gradient(UnaryOperator<GradientOptions> options) {
    return Differences.gradient(self(), options.apply(GradientOptions.DEFAULT));
  }

  /// Returns the integral along the last dimension by the trapezoidal rule, of samples at a distance of 1.
  default Tensor trapezoid() {
    return trapezoid(1.0, -1);
  }

  /// Returns the integrals along `dim` by the trapezoidal rule, of samples at a distance of `dx`.
  default Tensor trapezoid(double dx, int dim) {
    return Differences.trapezoid(self(), dx, dim);
  }

  /// Returns the integrals along `dim` by the trapezoidal rule, of samples at the places `x`.
  ///
  /// @param x a vector, or a tensor whose dimensions are matched with the last ones of this
  default Tensor trapezoid(Tensor x, int dim) {
    return Differences.trapezoid(self(), x, dim);
  }

  /// Returns the integral along the last dimension: [#trapezoid(Tensor, int)].
  default Tensor trapezoid(Tensor x) {
    return trapezoid(x, -1);
  }

  /// Returns the running integrals along the last dimension by the trapezoidal rule, of samples at a distance of 1.
  default Tensor cumulativeTrapezoid() {
    return cumulativeTrapezoid(1.0, -1);
  }

  /// Returns the running integrals along `dim` by the trapezoidal rule, of samples at a distance of `dx`.
  default Tensor cumulativeTrapezoid(double dx, int dim) {
    return Differences.cumulativeTrapezoid(self(), dx, dim);
  }

  /// Returns the running integrals along `dim` by the trapezoidal rule, of samples at the places `x`.
  default Tensor cumulativeTrapezoid(Tensor x, int dim) {
    return Differences.cumulativeTrapezoid(self(), x, dim);
  }

  /// Returns the running integrals along the last dimension, of samples at the places `x`.
  default Tensor cumulativeTrapezoid(Tensor x) {
    return cumulativeTrapezoid(x, -1);
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("scans");

    private static final DTypes VALUES_AND_PLACES =
        DTypes.SAME.results(DTypes.Result.COMPUTED, DTypes.Result.INT64);

    static final Operator<Cumulative> CUMSUM =
        FAMILY
            .<Cumulative>structured("cumsum", "self[*b] -> [*b]", ReferenceScans.CUMSUM)
            .dtypes(DTypes.SUM.complexByParts())
            .gradient(
                "self", Keeps.NOTHING, b -> Operators.CUMSUM.on(opposite(b.attributes()), b.grad()))
            .torch("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
            .sample(new Cumulative(1, false), "f32[3 4 2]")
            .sample(new Cumulative(0, true), "f32[3 4]")
            .sample(new Cumulative(0, false), "i64[3 4]")
            .sample(new Cumulative(0, false), "f32[]")
            .sample(new Cumulative(1, true), "f32[2 2100]")
            .sample(new Cumulative(0, false), "f32[2 2100]")
            .sample(new Cumulative(1, false), "c64[3 4 2]")
            .declare();

    static final Operator<Cumulative> CUMPROD =
        FAMILY
            .<Cumulative>structured("cumprod", "self[*b] -> [*b]", ReferenceScans.CUMPROD)
            .dtypes(DTypes.SUM.complex())
            .gradient("self", Keeps.inputs("self"), Differences::cumprodGradient)
            .torch("aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor")
            .sample(new Cumulative(1, false), "f32[3 4 2]")
            .sample(new Cumulative(0, false), "i64[3 4]")
            .sample(new Cumulative(0, false), "f32[]")
            .sample(new Cumulative(0, false), "f32[4] in 0..0")
            .sample(new Cumulative(0, false), "f32[1100] in 0.9..1.1")
            .sample(new Cumulative(1, false), "c64[3 4 2]")
            .declare();

    static final Operator<Cumulative> CUMMAX =
        FAMILY
            .<Cumulative>structured("cummax", "self[*b] -> [*b], [*b]", ReferenceScans.CUMMAX)
            .dtypes(VALUES_AND_PLACES)
            .gradient("self", Keeps.NOTHING.andOutputs(1), Operators::returned)
            .torch("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)")
            .sample(new Cumulative(1, false), "f32[3 4 2]")
            .sample(new Cumulative(0, false), "i64[7] in -2..2")
            .sample(new Cumulative(0, false), "f32[]")
            .declare();

    static final Operator<Cumulative> CUMMIN =
        FAMILY
            .<Cumulative>structured("cummin", "self[*b] -> [*b], [*b]", ReferenceScans.CUMMIN)
            .dtypes(VALUES_AND_PLACES)
            .gradient("self", Keeps.NOTHING.andOutputs(1), Operators::returned)
            .torch("aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)")
            .sample(new Cumulative(1, false), "f32[3 4 2]")
            .sample(new Cumulative(0, false), "i64[7] in -2..2")
            .sample(new Cumulative(0, false), "f32[]")
            .declare();

    static final Operator<Cumulative> LOGCUMSUMEXP =
        FAMILY
            .<Cumulative>structured("logcumsumexp", "self[*b] -> [*b]", ReferenceScans.LOGCUMSUMEXP)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient("self", Keeps.inputs("self").andOutputs(0), Differences::logcumsumexpGradient)
            .torch("aten::logcumsumexp(Tensor self, int dim) -> Tensor")
            .sample(new Cumulative(1, false), "f32[3 4 2]")
            .sample(new Cumulative(0, true), "f32[5]")
            .sample(new Cumulative(0, false), "f32[]")
            .sample(new Cumulative(0, false), "f32[7] in -800..800")
            .declare();

    static final Operator<Cumulative> RECURRENCE =
        FAMILY
            .<Cumulative>structured(
                "recurrence", "self[*b], factor[*b] -> [*b]", ReferenceScans.RECURRENCE)
            .shape((a, in) -> List.of(in.get(0).clone()))
            .dtypes(DTypes.SAME_FLOATING.complex())
            .gradient("self", Keeps.inputs("factor"), Differences::recurrenceGradient)
            .gradient(
                "factor",
                Keeps.inputs("factor").andOutputs(0),
                b ->
                    Differences.recurrenceGradient(b)
                        .mul(
                            Differences.shifted(
                                b.output().conj(),
                                b.attributes().dim(),
                                !b.attributes().reverse())))
            .own()
            .sample(new Cumulative(1, false), "f32[3 4 2], f32[3 4 2]")
            .sample(new Cumulative(0, true), "f32[5], f32[5]")
            .sample(new Cumulative(0, true), "c64[5], c64[5]")
            .declare();

    static Cumulative opposite(Cumulative a) {
      return new Cumulative(a.dim(), !a.reverse());
    }

    private static Tensor returned(Backward<Cumulative> b) {
      return Tensor.zeros(b.grad().dtype(), b.sizes("self"))
          .scatterAdd(b.attributes().dim(), b.output(1), b.grad());
    }

    private Operators() {}
  }
}
