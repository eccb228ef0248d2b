package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import taper.tensor.SpecialFunctions.Operators;

/// `torch.special`: functions of mathematical physics and statistics, element by element. Stateless.
///
/// Whole numbers become `float32`. Gradients flow unless a function says otherwise.
public final class Special {
  private Special() {}

  /// Returns the Airy function Ai.
  public static Tensor airyAi(Tensor x) {
    return Operators.AIRY_AI.on(NONE, x);
  }

  /// Returns the Bessel function of the first kind, of order 0.
  public static Tensor besselJ0(Tensor x) {
    return Operators.BESSEL_J0.on(NONE, x);
  }

  /// Returns the Bessel function of the first kind, of order 1.
  public static Tensor besselJ1(Tensor x) {
    return Operators.BESSEL_J1.on(NONE, x);
  }

  /// Returns the Bessel function of the second kind, of order 0.
  public static Tensor besselY0(Tensor x) {
    return Operators.BESSEL_Y0.on(NONE, x);
  }

  /// Returns the Bessel function of the second kind, of order 1.
  public static Tensor besselY1(Tensor x) {
    return Operators.BESSEL_Y1.on(NONE, x);
  }

  /// Returns the modified Bessel function of the first kind, of order 0.
  public static Tensor modifiedBesselI0(Tensor x) {
    return Operators.I0.on(NONE, x);
  }

  /// Returns the modified Bessel function of the first kind, of order 1.
  public static Tensor modifiedBesselI1(Tensor x) {
    return Operators.I1.on(NONE, x);
  }

  /// Returns the modified Bessel function of the second kind, of order 0.
  public static Tensor modifiedBesselK0(Tensor x) {
    return Operators.MODIFIED_BESSEL_K0.on(NONE, x);
  }

  /// Returns the modified Bessel function of the second kind, of order 1.
  public static Tensor modifiedBesselK1(Tensor x) {
    return Operators.MODIFIED_BESSEL_K1.on(NONE, x);
  }

  /// Returns the modified Bessel function of the second kind, of order 0, times `eˣ`.
  public static Tensor scaledModifiedBesselK0(Tensor x) {
    return Operators.SCALED_MODIFIED_BESSEL_K0.on(NONE, x);
  }

  /// Returns the modified Bessel function of the second kind, of order 1, times `eˣ`.
  public static Tensor scaledModifiedBesselK1(Tensor x) {
    return Operators.SCALED_MODIFIED_BESSEL_K1.on(NONE, x);
  }

  /// Returns the spherical Bessel function of the first kind, of order 0: `sin(x) / x`.
  public static Tensor sphericalBesselJ0(Tensor x) {
    return Operators.SPHERICAL_BESSEL_J0.on(NONE, x);
  }

  /// Returns the modified Bessel function of the first kind, of order 0.
  public static Tensor i0(Tensor x) {
    return Operators.I0.on(NONE, x);
  }

  /// Returns the modified Bessel function of the first kind, of order 0, times `exp(-|x|)`.
  public static Tensor i0e(Tensor x) {
    return Operators.I0E.on(NONE, x);
  }

  /// Returns the modified Bessel function of the first kind, of order 1.
  public static Tensor i1(Tensor x) {
    return Operators.I1.on(NONE, x);
  }

  /// Returns the modified Bessel function of the first kind, of order 1, times `exp(-|x|)`.
  public static Tensor i1e(Tensor x) {
    return Operators.I1E.on(NONE, x);
  }

  /// Returns `-x log(x)`; 0 at 0 and -∞ below.
  public static Tensor entr(Tensor x) {
    return Operators.ENTR.on(NONE, x);
  }

  /// Returns `exp(x²) erfc(x)`, without overflow for large `x`.
  public static Tensor erfcx(Tensor x) {
    return Operators.ERFCX.on(NONE, x);
  }

  /// Returns the distribution function of the standard normal distribution.
  public static Tensor ndtr(Tensor x) {
    return Operators.NDTR.on(NONE, x);
  }

  /// Returns the logarithm of [#ndtr(Tensor)], exact far below 0.
  public static Tensor logNdtr(Tensor x) {
    return Operators.LOG_NDTR.on(NONE, x);
  }

  /// Returns the quantiles of the standard normal distribution; NaN outside of 0..1.
  public static Tensor ndtri(Tensor x) {
    return Operators.NDTRI.on(NONE, x);
  }

  /// Returns `x · log(1 + y)`, and 0 where `x` is 0.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  public static Tensor xlog1py(Tensor x, Tensor y) {
    return Operators.XLOG1PY.on(NONE, x, y);
  }

  /// Returns `x · log(1 + y)`, and 0 where `x` is 0.
  public static Tensor xlog1py(Tensor x, double y) {
    return Operators.XLOG1PY.on(NONE, x, Tensor.number(y));
  }

  /// Returns `x · log(1 + y)`, and 0 where `x` is 0.
  public static Tensor xlog1py(double x, Tensor y) {
    return Operators.XLOG1PY.on(NONE, Tensor.number(x), y);
  }

  /// Returns Hurwitz' zeta function, the sum of `(k + y)⁻ˣ` over `k`. Gradients flow to `y` only.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  public static Tensor zeta(Tensor x, Tensor y) {
    return Operators.ZETA.on(NONE, x, y);
  }

  /// Returns Hurwitz' zeta function, the sum of `(k + y)⁻ˣ` over `k`. Gradients flow to `y` only.
  public static Tensor zeta(Tensor x, double y) {
    return Operators.ZETA.on(NONE, x, Tensor.number(y));
  }

  /// Returns Hurwitz' zeta function, the sum of `(k + y)⁻ˣ` over `k`. Gradients flow to `y` only.
  public static Tensor zeta(double x, Tensor y) {
    return Operators.ZETA.on(NONE, Tensor.number(x), y);
  }

  /// Returns `x · log(y)`, and 0 where `x` is 0: [Tensor#xlogy(Tensor)].
  public static Tensor xlogy(Tensor x, Tensor y) {
    return x.xlogy(y);
  }

  /// Returns `x · log(y)`, and 0 where `x` is 0: [Tensor#xlogy(double)].
  public static Tensor xlogy(Tensor x, double y) {
    return x.xlogy(y);
  }

  /// Returns `x · log(y)`, and 0 if `x` is 0: [Tensor#xlogy(double, Tensor)].
  public static Tensor xlogy(double x, Tensor y) {
    return Tensor.xlogy(x, y);
  }

  /// Returns Chebyshev's polynomials of the first kind, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor chebyshevPolynomialT(Tensor x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_T.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the first kind, of degree `n`.
  public static Tensor chebyshevPolynomialT(Tensor x, long n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_T.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the first kind, of degree `n`.
  public static Tensor chebyshevPolynomialT(double x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_T.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the second kind, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor chebyshevPolynomialU(Tensor x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_U.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the second kind, of degree `n`.
  public static Tensor chebyshevPolynomialU(Tensor x, long n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_U.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the second kind, of degree `n`.
  public static Tensor chebyshevPolynomialU(double x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_U.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the third kind, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor chebyshevPolynomialV(Tensor x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_V.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the third kind, of degree `n`.
  public static Tensor chebyshevPolynomialV(Tensor x, long n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_V.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the third kind, of degree `n`.
  public static Tensor chebyshevPolynomialV(double x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_V.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the fourth kind, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor chebyshevPolynomialW(Tensor x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_W.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the fourth kind, of degree `n`.
  public static Tensor chebyshevPolynomialW(Tensor x, long n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_W.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the fourth kind, of degree `n`.
  public static Tensor chebyshevPolynomialW(double x, Tensor n) {
    return Operators.CHEBYSHEV_POLYNOMIAL_W.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the first kind, shifted to 0..1, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor shiftedChebyshevPolynomialT(Tensor x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_T.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the first kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialT(Tensor x, long n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_T.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the first kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialT(double x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_T.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the second kind, shifted to 0..1, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor shiftedChebyshevPolynomialU(Tensor x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_U.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the second kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialU(Tensor x, long n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_U.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the second kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialU(double x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_U.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the third kind, shifted to 0..1, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor shiftedChebyshevPolynomialV(Tensor x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_V.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the third kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialV(Tensor x, long n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_V.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the third kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialV(double x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_V.on(NONE, Tensor.number(x), n);
  }

  /// Returns Chebyshev's polynomials of the fourth kind, shifted to 0..1, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor shiftedChebyshevPolynomialW(Tensor x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_W.on(NONE, x, n);
  }

  /// Returns Chebyshev's polynomials of the fourth kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialW(Tensor x, long n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_W.on(NONE, x, Tensor.number(n));
  }

  /// Returns Chebyshev's polynomials of the fourth kind, shifted to 0..1, of degree `n`.
  public static Tensor shiftedChebyshevPolynomialW(double x, Tensor n) {
    return Operators.SHIFTED_CHEBYSHEV_POLYNOMIAL_W.on(NONE, Tensor.number(x), n);
  }

  /// Returns Hermite's polynomials, as physicists define them, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor hermitePolynomialH(Tensor x, Tensor n) {
    return Operators.HERMITE_POLYNOMIAL_H.on(NONE, x, n);
  }

  /// Returns Hermite's polynomials, as physicists define them, of degree `n`.
  public static Tensor hermitePolynomialH(Tensor x, long n) {
    return Operators.HERMITE_POLYNOMIAL_H.on(NONE, x, Tensor.number(n));
  }

  /// Returns Hermite's polynomials, as physicists define them, of degree `n`.
  public static Tensor hermitePolynomialH(double x, Tensor n) {
    return Operators.HERMITE_POLYNOMIAL_H.on(NONE, Tensor.number(x), n);
  }

  /// Returns Hermite's polynomials, as statisticians define them, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor hermitePolynomialHe(Tensor x, Tensor n) {
    return Operators.HERMITE_POLYNOMIAL_HE.on(NONE, x, n);
  }

  /// Returns Hermite's polynomials, as statisticians define them, of degree `n`.
  public static Tensor hermitePolynomialHe(Tensor x, long n) {
    return Operators.HERMITE_POLYNOMIAL_HE.on(NONE, x, Tensor.number(n));
  }

  /// Returns Hermite's polynomials, as statisticians define them, of degree `n`.
  public static Tensor hermitePolynomialHe(double x, Tensor n) {
    return Operators.HERMITE_POLYNOMIAL_HE.on(NONE, Tensor.number(x), n);
  }

  /// Returns Laguerre's polynomials, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor laguerrePolynomialL(Tensor x, Tensor n) {
    return Operators.LAGUERRE_POLYNOMIAL_L.on(NONE, x, n);
  }

  /// Returns Laguerre's polynomials, of degree `n`.
  public static Tensor laguerrePolynomialL(Tensor x, long n) {
    return Operators.LAGUERRE_POLYNOMIAL_L.on(NONE, x, Tensor.number(n));
  }

  /// Returns Laguerre's polynomials, of degree `n`.
  public static Tensor laguerrePolynomialL(double x, Tensor n) {
    return Operators.LAGUERRE_POLYNOMIAL_L.on(NONE, Tensor.number(x), n);
  }

  /// Returns Legendre's polynomials, of degree `n`.
  ///
  /// - Shape: `[*b], [*b] -> [*b]`
  /// - Gradient: none, as in PyTorch
  /// - Source: Abramowitz, Stegun, Handbook of Mathematical Functions, 22
  public static Tensor legendrePolynomialP(Tensor x, Tensor n) {
    return Operators.LEGENDRE_POLYNOMIAL_P.on(NONE, x, n);
  }

  /// Returns Legendre's polynomials, of degree `n`.
  public static Tensor legendrePolynomialP(Tensor x, long n) {
    return Operators.LEGENDRE_POLYNOMIAL_P.on(NONE, x, Tensor.number(n));
  }

  /// Returns Legendre's polynomials, of degree `n`.
  public static Tensor legendrePolynomialP(double x, Tensor n) {
    return Operators.LEGENDRE_POLYNOMIAL_P.on(NONE, Tensor.number(x), n);
  }

  /// The same as [Tensor#digamma()].
  public static Tensor digamma(Tensor x) {
    return x.digamma();
  }

  /// The same as [Tensor#digamma()].
  public static Tensor psi(Tensor x) {
    return x.digamma();
  }

  /// The same as [Tensor#lgamma()].
  public static Tensor gammaln(Tensor x) {
    return x.lgamma();
  }

  /// The same as [Tensor#erf()].
  public static Tensor erf(Tensor x) {
    return x.erf();
  }

  /// The same as [Tensor#erfc()].
  public static Tensor erfc(Tensor x) {
    return x.erfc();
  }

  /// The same as [Tensor#erfinv()].
  public static Tensor erfinv(Tensor x) {
    return x.erfinv();
  }

  /// The same as [Tensor#exp2()].
  public static Tensor exp2(Tensor x) {
    return x.exp2();
  }

  /// The same as [Tensor#expm1()].
  public static Tensor expm1(Tensor x) {
    return x.expm1();
  }

  /// The same as [Tensor#sigmoid()].
  public static Tensor expit(Tensor x) {
    return x.sigmoid();
  }

  /// The same as [Tensor#log1p()].
  public static Tensor log1p(Tensor x) {
    return x.log1p();
  }

  /// The same as [Tensor#sinc()].
  public static Tensor sinc(Tensor x) {
    return x.sinc();
  }

  /// The same as [Tensor#logit()].
  public static Tensor logit(Tensor x) {
    return x.logit();
  }

  /// The same as [Tensor#round()].
  public static Tensor round(Tensor x) {
    return x.round();
  }

  /// The same as [Tensor#logit(double)].
  public static Tensor logit(Tensor x, double eps) {
    return x.logit(eps);
  }

  /// The same as [Tensor#round(int)].
  public static Tensor round(Tensor x, int decimals) {
    return x.round(decimals);
  }

  /// The same as [Tensor#polygamma(long)].
  public static Tensor polygamma(long n, Tensor x) {
    return x.polygamma(n);
  }

  /// The same as [Tensor#mvlgamma(int)].
  public static Tensor multigammaln(Tensor x, int p) {
    return x.mvlgamma(p);
  }

  /// The same as [Tensor#igamma(Tensor)].
  public static Tensor gammainc(Tensor a, Tensor x) {
    return a.igamma(x);
  }

  /// The same as [Tensor#igammac(Tensor)].
  public static Tensor gammaincc(Tensor a, Tensor x) {
    return a.igammac(x);
  }

  /// The same as [Tensor#softmax(int)].
  public static Tensor softmax(Tensor x, int dim) {
    return x.softmax(dim);
  }

  /// The same as [Tensor#logSoftmax(int)].
  public static Tensor logSoftmax(Tensor x, int dim) {
    return x.logSoftmax(dim);
  }

  /// The same as [Tensor#logsumexp(int, boolean)].
  public static Tensor logsumexp(Tensor x, int dim, boolean keepDim) {
    return x.logsumexp(dim, keepDim);
  }
}
