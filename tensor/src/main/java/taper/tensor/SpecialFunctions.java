package taper.tensor;

import static taper.tensor.Operator.None.NONE;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import java.util.List;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// Gamma, Bessel and other special functions, element by element. Those that PyTorch has under `torch.special` only are in
/// [Special].
public sealed interface SpecialFunctions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns `log |Γ(x)|`; infinite at 0 and at negative whole numbers.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor lgamma() {
    return Operators.LGAMMA.on(NONE, self());
  }

  /// As [#lgamma()], in place.
  default Tensor lgamma_() {
    return Operators.LGAMMA.inPlace(NONE, self());
  }

  /// Returns the derivative of `log Γ(x)`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor digamma() {
    return Operators.DIGAMMA.on(NONE, self());
  }

  /// As [#digamma()], in place.
  default Tensor digamma_() {
    return Operators.DIGAMMA.inPlace(NONE, self());
  }

  /// Returns the derivative of order `n` of [#digamma()].
  ///
  /// - Types: whole numbers become `float32`
  ///
  /// @throws ArgumentException if `n` is negative
  default Tensor polygamma(long n) {
    return n == 1
        ? Operators.TRIGAMMA.on(HalfTurn.of(self()), self())
        : Operators.POLYGAMMA.on(Order.of(n), self());
  }

  /// As [#polygamma(long)], in place.
  default Tensor polygamma_(long n) {
    return n == 1
        ? Operators.TRIGAMMA.inPlace(HalfTurn.of(self()), self())
        : Operators.POLYGAMMA.inPlace(Order.of(n), self());
  }

  /// Returns the logarithm of the multivariate gamma function of dimension `p`.
  ///
  /// - Types: whole numbers become `float32`
  ///
  /// @throws ArgumentException if `p` is below 1
  default Tensor mvlgamma(int p) {
    if (p < 1) {
      throw new ArgumentException("mvlgamma: p must be at least 1, but is %d.".formatted(p));
    }
    Tensor sum = self().lgamma();
    for (int j = 1; j < p; j++) {
      sum = sum.add(self().sub(0.5 * j).lgamma());
    }
    return p == 1 ? sum : sum.add(p * (p - 1) / 4.0 * Math.log(Math.PI));
  }

  /// As [#mvlgamma(int)], in place.
  default Tensor mvlgamma_(int p) {
    return self().copy_(mvlgamma(p));
  }

  /// Returns the regularized lower incomplete gamma function `P(self, other)`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: floating
  /// - Gradient: to `other` only
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor igamma(Tensor other) {
    return Operators.IGAMMA.on(NONE, self(), other);
  }

  /// As [#igamma(Tensor)], in place.
  default Tensor igamma_(Tensor other) {
    return Operators.IGAMMA.inPlace(NONE, self(), other);
  }

  /// Returns the regularized upper incomplete gamma function `Q(self, other)`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: floating
  /// - Gradient: to `other` only
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor igammac(Tensor other) {
    return Operators.IGAMMAC.on(NONE, self(), other);
  }

  /// As [#igammac(Tensor)], in place.
  default Tensor igammac_(Tensor other) {
    return Operators.IGAMMAC.inPlace(NONE, self(), other);
  }

  /// Returns the inverse of the error function; NaN beyond -1 and 1.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor erfinv() {
    return Operators.ERFINV.on(NONE, self());
  }

  /// As [#erfinv()], in place.
  default Tensor erfinv_() {
    return Operators.ERFINV.inPlace(NONE, self());
  }

  /// Returns the modified Bessel function of the first kind, of order 0.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor i0() {
    return Operators.I0.on(NONE, self());
  }

  /// As [#i0()], in place.
  default Tensor i0_() {
    return Operators.I0.inPlace(NONE, self());
  }

  /// Returns `log(x / (1 - x))`.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor logit() {
    return Operators.LOGIT.on(NONE, self());
  }

  /// As [#logit()], in place.
  default Tensor logit_() {
    return Operators.LOGIT.inPlace(NONE, self());
  }

  /// Returns `log(x / (1 - x))` of elements limited to `eps` … `1 - eps`.
  ///
  /// - Gradient: 0 beyond the limits
  default Tensor logit(double eps) {
    return Operators.LOGIT_CLAMPED.on(new Margin(eps), self());
  }

  /// As [#logit(double)], in place.
  default Tensor logit_(double eps) {
    return Operators.LOGIT_CLAMPED.inPlace(new Margin(eps), self());
  }

  /// Returns `sin(πx) / (πx)`, and 1 at 0.
  ///
  /// - Types: whole numbers become `float32`
  default Tensor sinc() {
    return Operators.SINC.on(NONE, self());
  }

  /// As [#sinc()], in place.
  default Tensor sinc_() {
    return Operators.SINC.inPlace(NONE, self());
  }

  /// Returns `self · log(other)`, and 0 where `self` is 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Types: whole numbers become `float32`
  ///
  /// @throws ShapeException if the shapes do not broadcast
  default Tensor xlogy(Tensor other) {
    return Operators.XLOGY.on(NONE, self(), other);
  }

  /// Returns `self · log(other)`, and 0 where `self` is 0.
  default Tensor xlogy(double other) {
    return Operators.XLOGY.on(NONE, self(), Tensor.number(other));
  }

  /// Returns `self · log(other)`, and 0 where `self` is 0.
  default Tensor xlogy(long other) {
    return Operators.XLOGY.on(NONE, self(), Tensor.number(other));
  }

  /// As [#xlogy(Tensor)], in place.
  default Tensor xlogy_(Tensor other) {
    return Operators.XLOGY.inPlace(NONE, self(), other);
  }

  /// As [#xlogy(double)], in place.
  default Tensor xlogy_(double other) {
    return Operators.XLOGY.inPlace(NONE, self(), Tensor.number(other));
  }

  /// As [#xlogy(long)], in place.
  default Tensor xlogy_(long other) {
    return Operators.XLOGY.inPlace(NONE, self(), Tensor.number(other));
  }

  /// An order of differentiation.
  ///
  /// @param n at least 0
  record Order(double n) {
    static Order of(long n) {
      if (n < 0) {
        throw new ArgumentException("polygamma: n must be at least 0, but is %d.".formatted(n));
      }
      return new Order(n);
    }
  }

  /// π in the precision of the type, which decides how large the function is at its poles.
  ///
  /// @param pi its value
  record HalfTurn(double pi) {
    static HalfTurn of(Tensor self) {
      return new HalfTurn(self.dtype() == DType.FLOAT64 ? Math.PI : (float) Math.PI);
    }
  }

  /// How near to 0 and 1 arguments may come.
  ///
  /// @param eps the distance
  record Margin(double eps) {}

  /// The declarations behind the methods above and those of [Special].
  final class Operators {
    static final Family FAMILY = new Family("special functions");

    private static final Formula ZERO = Formula.constant(0);
    private static final Formula ONE = Formula.constant(1);
    private static final String CEPHES = "Moshier: Cephes mathematical library";

    private static Formula of(Function function, Formula x) {
      return Formula.apply(function, x);
    }

    static final Operator<Operator.None> LGAMMA =
        FAMILY
            .pointwise("lgamma", x -> of(Function.LGAMMA, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::lgamma(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.2..9")
            .sample(NONE, "f32[5] in 1..800")
            .sample(NONE, "f32[5] in -2.9..-2.1")
            .declare();

    static final Operator<Operator.None> DIGAMMA =
        FAMILY
            .pointwise("digamma", x -> of(Function.DIGAMMA, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::digamma(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..9")
            .sample(NONE, "f32[5] in -2.8..-2.2")
            .source(CEPHES)
            .declare();

    static final Operator<HalfTurn> TRIGAMMA =
        FAMILY
            .<HalfTurn>pointwise(
                "trigamma", List.of("self"), trigamma(input(0)), a -> Parameters.of(a.pi()))
            .dtypes(DTypes.FLOATING)
            .derivative("self", Formula.apply(Arithmetic.POLYGAMMA, Formula.constant(2), input(0)))
            .gradientName("PolygammaBackward0")
            .torch("aten::polygamma(int n, Tensor self) -> Tensor")
            .sample(new HalfTurn(Math.PI), "f32[3 4] in 0.7..9")
            .sample(new HalfTurn(Math.PI), "f32[3 4] in -0.8..-0.2")
            .declare();

    /// The second derivative of `log Γ`; below ½ by reflection.
    private static Formula trigamma(Formula x) {
      Formula ratio = parameter(0).dividedBy(Formula.sin(parameter(0).times(x)));
      return Formula.select(
          x,
          Comparison.LESS,
          Formula.constant(0.5),
          ratio.squared().minus(of(Function.TRIGAMMA, ONE.minus(x))),
          of(Function.TRIGAMMA, x));
    }

    static final Operator<Order> POLYGAMMA =
        FAMILY
            .<Order>pointwise(
                "polygamma",
                List.of("self"),
                Formula.apply(Arithmetic.POLYGAMMA, parameter(0), input(0)),
                a -> Parameters.of(a.n()))
            .dtypes(DTypes.FLOATING)
            .torch("aten::polygamma(int n, Tensor self) -> Tensor")
            .sample(new Order(0), "f32[3 4] in 0.5..9")
            .sample(new Order(2), "f32[3 4] in 0.5..9")
            .sample(new Order(3), "f32[3 4] in 0.8..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> IGAMMA =
        FAMILY
            .pointwise2("igamma", (a, b) -> Formula.apply(Arithmetic.GAMMA_P, a, b))
            .dtypes(DTypes.PROMOTE_FLOATING)
            .constant("self")
            .gradient("self", Gradient.Keeps.NOTHING, b -> null)
            .torch("aten::igamma(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..4, f32[4] in 0.5..4")
            .declare();

    static final Operator<Operator.None> IGAMMAC =
        FAMILY
            .pointwise2("igammac", (a, b) -> Formula.apply(Arithmetic.GAMMA_Q, a, b))
            .dtypes(DTypes.PROMOTE_FLOATING)
            .constant("self")
            .gradient("self", Gradient.Keeps.NOTHING, b -> null)
            .torch("aten::igammac(Tensor self, Tensor other) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..4, f32[4] in 0.5..4")
            .declare();

    static final Operator<Operator.None> ERFINV =
        FAMILY
            .pointwise("erfinv", x -> of(Function.ERFINV, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::erfinv(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -0.9..0.9")
            .declare();

    static final Operator<Operator.None> I0 =
        FAMILY
            .pointwise("i0", x -> Formula.exp(Formula.abs(x)).times(of(Function.BESSEL_I0E, x)))
            .dtypes(DTypes.FLOATING)
            .derivative("self", of(Function.BESSEL_I1, input(0)))
            .torch("aten::i0(Tensor self) -> Tensor")
            .torch("aten::special_modified_bessel_i0(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in -20..20")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> LOGIT =
        FAMILY
            .pointwise("logit", x -> logit(x))
            .dtypes(DTypes.FLOATING)
            .derivative(
                "self",
                Formula.select(
                    input(0),
                    Comparison.LESS,
                    ZERO,
                    Formula.constant(Double.NaN),
                    Formula.select(
                        input(0),
                        Comparison.GREATER,
                        ONE,
                        Formula.constant(Double.NaN),
                        logitSlope(input(0)))))
            .torch("aten::logit(Tensor self, float? eps=None) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..0.9")
            .declare();

    private static Formula logit(Formula x) {
      return Formula.log(x.dividedBy(ONE.minus(x)));
    }

    private static Formula logitSlope(Formula x) {
      return x.times(ONE.minus(x)).reciprocal();
    }

    static final Operator<Margin> LOGIT_CLAMPED =
        FAMILY
            .<Margin>pointwise(
                "logitClamped",
                List.of("self"),
                logit(
                    Formula.minimum(
                        Formula.maximum(input(0), parameter(0)), ONE.minus(parameter(0)))),
                a -> Parameters.of(a.eps()))
            .dtypes(DTypes.FLOATING)
            .derivative(
                "self",
                Formula.select(
                    input(0),
                    Comparison.LESS,
                    parameter(0),
                    ZERO,
                    Formula.select(
                        input(0),
                        Comparison.GREATER,
                        ONE.minus(parameter(0)),
                        ZERO,
                        logitSlope(input(0)))))
            .gradientName("LogitBackward0")
            .torch("aten::logit(Tensor self, float? eps=None) -> Tensor")
            .sample(new Margin(0.2), "f32[3 4] in 0.1..0.9")
            .declare();

    static final Operator<Operator.None> SINC =
        FAMILY
            .pointwise("sinc", x -> sinc(x.times(Math.PI)))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::sinc(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..3")
            .declare();

    private static Formula sinc(Formula x) {
      return Formula.select(x, Comparison.EQUAL, ZERO, ONE, Formula.sin(x).dividedBy(x));
    }

    static final Operator<Operator.None> XLOGY =
        FAMILY
            .pointwise2("xlogy", (a, b) -> timesLog(a, b, Formula.log(b)))
            .dtypes(DTypes.FLOATING)
            .derivative(
                "self",
                Formula.select(
                    input(0),
                    Comparison.EQUAL,
                    ZERO,
                    Formula.select(
                        input(1), Comparison.LESS_EQUAL, ZERO, ZERO, Formula.log(input(1))),
                    Formula.log(input(1))))
            .derivative("other", input(0).dividedBy(input(1)))
            .torch("aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor")
            .torch("aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor")
            .torch("aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4] in 0.5..4")
            .sample(NONE, "f32[3 4], 2.5")
            .sample(NONE, "3, f32[3 4] in 0.5..4")
            .declare();

    /// `a · logarithm`, but 0 where `a` is 0 and `b` is a number.
    private static Formula timesLog(Formula a, Formula b, Formula logarithm) {
      return Formula.select(
          b,
          Comparison.NOT_EQUAL,
          b,
          b,
          Formula.select(a, Comparison.EQUAL, ZERO, ZERO, a.times(logarithm)));
    }

    static final Operator<Operator.None> XLOG1PY =
        FAMILY
            .pointwise2("xlog1py", (a, b) -> timesLog(a, b, Formula.log1p(b)))
            .dtypes(DTypes.FLOATING)
            .derivative(
                "self",
                Formula.select(
                    input(0),
                    Comparison.EQUAL,
                    ZERO,
                    Formula.select(
                        input(1),
                        Comparison.LESS_EQUAL,
                        Formula.constant(-1),
                        ZERO,
                        Formula.log1p(input(1))),
                    Formula.log1p(input(1))))
            .derivative("other", input(0).dividedBy(input(1).plus(1)))
            .torch("aten::special_xlog1py(Tensor self, Tensor other) -> Tensor")
            .torch("aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor")
            .torch("aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4], f32[4] in 0.5..4")
            .sample(NONE, "f32[3 4], 2.5")
            .declare();

    static final Operator<Operator.None> ENTR =
        FAMILY
            .pointwise(
                "entr",
                x ->
                    Formula.select(
                        x,
                        Comparison.EQUAL,
                        ZERO,
                        ZERO,
                        Formula.select(
                            x,
                            Comparison.LESS,
                            ZERO,
                            Formula.constant(Double.NEGATIVE_INFINITY),
                            x.negate().times(Formula.log(x)))))
            .dtypes(DTypes.FLOATING)
            .derivative("self", Formula.log(input(0)).plus(1).negate())
            .torch("aten::special_entr(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4")
            .declare();

    static final Operator<Operator.None> ERFCX =
        FAMILY
            .pointwise("erfcx", x -> of(Function.ERFCX, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_erfcx(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[5] in 1..800")
            .declare();

    static final Operator<Operator.None> NDTR =
        FAMILY
            .pointwise("ndtr", x -> of(Function.ERFC, x.times(-Math.sqrt(0.5))).times(0.5))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_ndtr(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .sample(NONE, "f32[5] in -800..800")
            .declare();

    static final Operator<Operator.None> LOG_NDTR =
        FAMILY
            .pointwise("logNdtr", x -> logNdtr(x, x.times(Math.sqrt(0.5))))
            .dtypes(DTypes.FLOATING)
            .derivative(
                "self",
                Formula.constant(Math.sqrt(2 / Math.PI))
                    .dividedBy(of(Function.ERFCX, input(0).times(-Math.sqrt(0.5)))))
            .torch("aten::special_log_ndtr(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -3..3")
            .sample(NONE, "f32[5] in -800..5")
            .declare();

    private static Formula logNdtr(Formula x, Formula t) {
      return Formula.select(
          x,
          Comparison.LESS,
          Formula.constant(-1),
          Formula.log(of(Function.ERFCX, t.negate()).times(0.5)).minus(t.squared()),
          Formula.log1p(of(Function.ERFC, t).times(-0.5)));
    }

    static final Operator<Operator.None> NDTRI =
        FAMILY
            .pointwise("ndtri", x -> of(Function.NDTRI, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_ndtri(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..0.9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> I0E =
        FAMILY
            .pointwise("i0e", x -> of(Function.BESSEL_I0E, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_i0e(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> I1 =
        FAMILY
            .pointwise("i1", x -> Formula.exp(Formula.abs(x)).times(of(Function.BESSEL_I1E, x)))
            .dtypes(DTypes.FLOATING)
            .derivative(
                "self",
                Formula.select(
                    input(0),
                    Comparison.EQUAL,
                    ZERO,
                    Formula.constant(0.5),
                    of(Function.BESSEL_I0, input(0))
                        .minus(of(Function.BESSEL_I1, input(0)).dividedBy(input(0)))))
            .torch("aten::special_i1(Tensor self) -> Tensor")
            .torch("aten::special_modified_bessel_i1(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> I1E =
        FAMILY
            .pointwise("i1e", x -> of(Function.BESSEL_I1E, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_i1e(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> BESSEL_J0 =
        FAMILY
            .pointwise("besselJ0", x -> of(Function.BESSEL_J0, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_bessel_j0(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4.5")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> BESSEL_J1 =
        FAMILY
            .pointwise("besselJ1", x -> of(Function.BESSEL_J1, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_bessel_j1(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..4.5")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> BESSEL_Y0 =
        FAMILY
            .pointwise("besselY0", x -> of(Function.BESSEL_Y0, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_bessel_y0(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..4.5")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> BESSEL_Y1 =
        FAMILY
            .pointwise("besselY1", x -> of(Function.BESSEL_Y1, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_bessel_y1(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..4.5")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> MODIFIED_BESSEL_K0 =
        FAMILY
            .pointwise("modifiedBesselK0", x -> of(Function.BESSEL_K0, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_modified_bessel_k0(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> MODIFIED_BESSEL_K1 =
        FAMILY
            .pointwise("modifiedBesselK1", x -> of(Function.BESSEL_K1, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_modified_bessel_k1(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> SCALED_MODIFIED_BESSEL_K0 =
        FAMILY
            .pointwise("scaledModifiedBesselK0", x -> of(Function.BESSEL_K0E, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_scaled_modified_bessel_k0(Tensor x) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> SCALED_MODIFIED_BESSEL_K1 =
        FAMILY
            .pointwise("scaledModifiedBesselK1", x -> of(Function.BESSEL_K1E, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_scaled_modified_bessel_k1(Tensor x) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.5..9")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> AIRY_AI =
        FAMILY
            .pointwise("airyAi", x -> of(Function.AIRY, x))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_airy_ai(Tensor x) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> SPHERICAL_BESSEL_J0 =
        FAMILY
            .pointwise("sphericalBesselJ0", x -> sphericalBesselJ0(x, x.squared()))
            .dtypes(DTypes.FLOATING)
            .torch("aten::special_spherical_bessel_j0(Tensor x) -> Tensor")
            .sample(NONE, "f32[3 4] in 0.1..9")
            .declare();

    /// `sin(x) / x`; near 0 its series, at infinity 0.
    private static Formula sphericalBesselJ0(Formula x, Formula square) {
      Formula series = Formula.constant(1.0 / 6227020800.0);
      for (double factorial : new double[] {-39916800, 362880, -5040, 120, -6, 1}) {
        series = series.times(square).plus(1 / factorial);
      }
      Formula magnitude = Formula.abs(x);
      return Formula.select(
          magnitude,
          Comparison.LESS,
          Formula.constant(0.5),
          series,
          Formula.select(
              magnitude,
              Comparison.EQUAL,
              Formula.constant(Double.POSITIVE_INFINITY),
              ZERO,
              Formula.sin(x).dividedBy(x)));
    }

    static final Operator<Operator.None> ZETA =
        FAMILY
            .pointwise2("zeta", (a, b) -> Formula.apply(Arithmetic.ZETA, a, b))
            .dtypes(DTypes.FLOATING)
            .constant("self")
            .gradient("self", Gradient.Keeps.NOTHING, b -> null)
            .torch("aten::special_zeta(Tensor self, Tensor other) -> Tensor")
            .torch("aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor")
            .torch("aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor")
            .sample(NONE, "f32[3 4] in 1.5..4, f32[4] in 0.8..4")
            .sample(NONE, "2, f32[3 4] in 0.8..4")
            .source(CEPHES)
            .declare();

    static final Operator<Operator.None> CHEBYSHEV_POLYNOMIAL_T =
        FAMILY
            .pointwise(
                "chebyshevPolynomialT",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_T, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> CHEBYSHEV_POLYNOMIAL_U =
        FAMILY
            .pointwise(
                "chebyshevPolynomialU",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_U, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> CHEBYSHEV_POLYNOMIAL_V =
        FAMILY
            .pointwise(
                "chebyshevPolynomialV",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_V, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> CHEBYSHEV_POLYNOMIAL_W =
        FAMILY
            .pointwise(
                "chebyshevPolynomialW",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_W, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> SHIFTED_CHEBYSHEV_POLYNOMIAL_T =
        FAMILY
            .pointwise(
                "shiftedChebyshevPolynomialT",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_T, input(0).times(2).minus(1), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_shifted_chebyshev_polynomial_t(Tensor x, Tensor n) -> Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_t.x_scalar(Scalar x, Tensor n) ->"
                    + " Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_t.n_scalar(Tensor x, Scalar n) ->"
                    + " Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> SHIFTED_CHEBYSHEV_POLYNOMIAL_U =
        FAMILY
            .pointwise(
                "shiftedChebyshevPolynomialU",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_U, input(0).times(2).minus(1), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_shifted_chebyshev_polynomial_u(Tensor x, Tensor n) -> Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_u.x_scalar(Scalar x, Tensor n) ->"
                    + " Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_u.n_scalar(Tensor x, Scalar n) ->"
                    + " Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> SHIFTED_CHEBYSHEV_POLYNOMIAL_V =
        FAMILY
            .pointwise(
                "shiftedChebyshevPolynomialV",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_V, input(0).times(2).minus(1), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_shifted_chebyshev_polynomial_v(Tensor x, Tensor n) -> Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_v.x_scalar(Scalar x, Tensor n) ->"
                    + " Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_v.n_scalar(Tensor x, Scalar n) ->"
                    + " Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> SHIFTED_CHEBYSHEV_POLYNOMIAL_W =
        FAMILY
            .pointwise(
                "shiftedChebyshevPolynomialW",
                List.of("x", "n"),
                Formula.apply(Arithmetic.CHEBYSHEV_W, input(0).times(2).minus(1), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_shifted_chebyshev_polynomial_w(Tensor x, Tensor n) -> Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_w.x_scalar(Scalar x, Tensor n) ->"
                    + " Tensor")
            .torch(
                "aten::special_shifted_chebyshev_polynomial_w.n_scalar(Tensor x, Scalar n) ->"
                    + " Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> HERMITE_POLYNOMIAL_H =
        FAMILY
            .pointwise(
                "hermitePolynomialH",
                List.of("x", "n"),
                Formula.apply(Arithmetic.HERMITE_H, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_hermite_polynomial_h(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_hermite_polynomial_h.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_hermite_polynomial_h.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> HERMITE_POLYNOMIAL_HE =
        FAMILY
            .pointwise(
                "hermitePolynomialHe",
                List.of("x", "n"),
                Formula.apply(Arithmetic.HERMITE_HE, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_hermite_polynomial_he(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_hermite_polynomial_he.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_hermite_polynomial_he.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> LAGUERRE_POLYNOMIAL_L =
        FAMILY
            .pointwise(
                "laguerrePolynomialL",
                List.of("x", "n"),
                Formula.apply(Arithmetic.LAGUERRE, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_laguerre_polynomial_l(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_laguerre_polynomial_l.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_laguerre_polynomial_l.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    static final Operator<Operator.None> LEGENDRE_POLYNOMIAL_P =
        FAMILY
            .pointwise(
                "legendrePolynomialP",
                List.of("x", "n"),
                Formula.apply(Arithmetic.LEGENDRE, input(0), input(1)))
            .dtypes(DTypes.FLOATING)
            .notDifferentiable()
            .torch("aten::special_legendre_polynomial_p(Tensor x, Tensor n) -> Tensor")
            .torch("aten::special_legendre_polynomial_p.x_scalar(Scalar x, Tensor n) -> Tensor")
            .torch("aten::special_legendre_polynomial_p.n_scalar(Tensor x, Scalar n) -> Tensor")
            .sample(NONE, "f32[3 4] in -1..1, i64[4] in 0..5")
            .sample(NONE, "f32[3 4] in -1.5..1.5, 3")
            .declare();

    private Operators() {}
  }
}
