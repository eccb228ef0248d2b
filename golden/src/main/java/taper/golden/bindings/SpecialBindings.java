package taper.golden.bindings;

import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Special;
import taper.tensor.Tensor;

/// Special functions.
public final class SpecialBindings {
  private SpecialBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.LOOSE);
    methods(table);
    unary(table);
    polynomials(table);
    aliases(table);
  }

  private static void one(
      Bindings table, String name, String ours, UnaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(a.self()));
  }

  private static void two(
      Bindings table, String name, String ours, BinaryOperator<Tensor> function) {
    table.bind(name, ours, a -> function.apply(first(a, "other"), a.operand(1, "other")));
  }

  /// The first argument, a number only if the second is none.
  private static Tensor first(Arguments a, String second) {
    return a.value(1, second) instanceof Tensor ? a.self() : a.tensor(0, "input");
  }

  private static void methods(Bindings table) {
    one(table, "lgamma", "lgamma()", Tensor::lgamma);
    one(table, "digamma", "digamma()", Tensor::digamma);
    one(table, "erf", "erf()", Tensor::erf);
    one(table, "erfc", "erfc()", Tensor::erfc);
    one(table, "erfinv", "erfinv()", Tensor::erfinv);
    one(table, "i0", "i0()", Tensor::i0);
    one(table, "sinc", "sinc()", Tensor::sinc);
    table.bind("igamma", "igamma(other)", a -> a.tensor(0, "input").igamma(a.tensor(1, "other")));
    table.bind(
        "igammac", "igammac(other)", a -> a.tensor(0, "input").igammac(a.tensor(1, "other")));
    two(table, "xlogy", "xlogy(other)", Tensor::xlogy);
    table.bind("polygamma", "polygamma(n)", a -> a.self().polygamma(a.integer(1, "n")));
    table.bind("mvlgamma", "mvlgamma(p)", SpecialBindings::mvlgamma);
    table.bind("logit", "logit(eps)", SpecialBindings::logit);
  }

  private static Tensor mvlgamma(Arguments a) {
    return a.self().mvlgamma(Math.toIntExact(a.integer(1, "p")));
  }

  private static Tensor logit(Arguments a) {
    Double eps = a.findNumber(1, "eps");
    return eps == null ? a.self().logit() : a.self().logit(eps);
  }

  private static void unary(Bindings table) {
    one(table, "special.airy_ai", "Special.airyAi(x)", Special::airyAi);
    one(table, "special.bessel_j0", "Special.besselJ0(x)", Special::besselJ0);
    one(table, "special.bessel_j1", "Special.besselJ1(x)", Special::besselJ1);
    one(table, "special.bessel_y0", "Special.besselY0(x)", Special::besselY0);
    one(table, "special.bessel_y1", "Special.besselY1(x)", Special::besselY1);
    one(
        table,
        "special.modified_bessel_i0",
        "Special.modifiedBesselI0(x)",
        Special::modifiedBesselI0);
    one(
        table,
        "special.modified_bessel_i1",
        "Special.modifiedBesselI1(x)",
        Special::modifiedBesselI1);
    one(
        table,
        "special.modified_bessel_k0",
        "Special.modifiedBesselK0(x)",
        Special::modifiedBesselK0);
    one(
        table,
        "special.modified_bessel_k1",
        "Special.modifiedBesselK1(x)",
        Special::modifiedBesselK1);
    one(
        table,
        "special.scaled_modified_bessel_k0",
        "Special.scaledModifiedBesselK0(x)",
        Special::scaledModifiedBesselK0);
    one(
        table,
        "special.scaled_modified_bessel_k1",
        "Special.scaledModifiedBesselK1(x)",
        Special::scaledModifiedBesselK1);
    one(
        table,
        "special.spherical_bessel_j0",
        "Special.sphericalBesselJ0(x)",
        Special::sphericalBesselJ0);
    one(table, "special.i0", "Special.i0(x)", Special::i0);
    one(table, "special.i0e", "Special.i0e(x)", Special::i0e);
    one(table, "special.i1", "Special.i1(x)", Special::i1);
    one(table, "special.i1e", "Special.i1e(x)", Special::i1e);
    one(table, "special.entr", "Special.entr(x)", Special::entr);
    one(table, "special.erfcx", "Special.erfcx(x)", Special::erfcx);
    one(table, "special.ndtr", "Special.ndtr(x)", Special::ndtr);
    one(table, "special.log_ndtr", "Special.logNdtr(x)", Special::logNdtr);
    one(table, "special.ndtri", "Special.ndtri(x)", Special::ndtri);
    two(table, "special.xlogy", "Special.xlogy(x, y)", Special::xlogy);
    two(table, "special.xlog1py", "Special.xlog1py(x, y)", Special::xlog1py);
    two(table, "special.zeta", "Special.zeta(x, y)", Special::zeta);
  }

  private static void polynomials(Bindings table) {
    polynomial(table, "chebyshev_polynomial_t", Special::chebyshevPolynomialT);
    polynomial(table, "chebyshev_polynomial_u", Special::chebyshevPolynomialU);
    polynomial(table, "chebyshev_polynomial_v", Special::chebyshevPolynomialV);
    polynomial(table, "chebyshev_polynomial_w", Special::chebyshevPolynomialW);
    polynomial(table, "shifted_chebyshev_polynomial_t", Special::shiftedChebyshevPolynomialT);
    polynomial(table, "shifted_chebyshev_polynomial_u", Special::shiftedChebyshevPolynomialU);
    polynomial(table, "shifted_chebyshev_polynomial_v", Special::shiftedChebyshevPolynomialV);
    polynomial(table, "shifted_chebyshev_polynomial_w", Special::shiftedChebyshevPolynomialW);
    polynomial(table, "hermite_polynomial_h", Special::hermitePolynomialH);
    polynomial(table, "hermite_polynomial_he", Special::hermitePolynomialHe);
    polynomial(table, "laguerre_polynomial_l", Special::laguerrePolynomialL);
    polynomial(table, "legendre_polynomial_p", Special::legendrePolynomialP);
  }

  private static void polynomial(Bindings table, String name, BinaryOperator<Tensor> function) {
    table.bind(
        "special." + name,
        "Special." + camelCase(name) + "(x, n)",
        a -> function.apply(first(a, "n"), a.operand(1, "n")));
  }

  private static String camelCase(String name) {
    var result = new StringBuilder();
    for (String word : name.split("_")) {
      result.append(
          result.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return result.toString();
  }

  private static void aliases(Bindings table) {
    one(table, "special.digamma", "Special.digamma(x)", Special::digamma);
    one(table, "special.psi", "Special.psi(x)", Special::psi);
    one(table, "special.gammaln", "Special.gammaln(x)", Special::gammaln);
    one(table, "special.erf", "Special.erf(x)", Special::erf);
    one(table, "special.erfc", "Special.erfc(x)", Special::erfc);
    one(table, "special.erfinv", "Special.erfinv(x)", Special::erfinv);
    one(table, "special.exp2", "Special.exp2(x)", Special::exp2);
    one(table, "special.expm1", "Special.expm1(x)", Special::expm1);
    one(table, "special.expit", "Special.expit(x)", Special::expit);
    one(table, "special.log1p", "Special.log1p(x)", Special::log1p);
    one(table, "special.sinc", "Special.sinc(x)", Special::sinc);
    two(table, "special.gammainc", "Special.gammainc(a, x)", Special::gammainc);
    two(table, "special.gammaincc", "Special.gammaincc(a, x)", Special::gammaincc);
    table.bind("special.logit", "Special.logit(x, eps)", SpecialBindings::logit);
    table.bind(
        "special.round",
        "Special.round(x, decimals)",
        a -> Special.round(a.self(), Math.toIntExact(a.integer(-1, "decimals", 0))));
    table.bind(
        "special.polygamma",
        "Special.polygamma(n, x)",
        a -> Special.polygamma(a.integer(1, "n"), a.self()));
    table.bind("special.multigammaln", "Special.multigammaln(x, p)", SpecialBindings::mvlgamma);
    table.bind(
        "special.softmax",
        "Special.softmax(x, dim)",
        a -> Special.softmax(a.self(), a.dim(1, "dim")));
    table.bind(
        "special.log_softmax",
        "Special.logSoftmax(x, dim)",
        a -> Special.logSoftmax(a.self(), a.dim(1, "dim")));
    table.bind(
        "special.logsumexp",
        "Special.logsumexp(x, dim, keepDim)",
        a -> Special.logsumexp(a.self(), a.dim(1, "dim"), a.flag(2, "keepdim", false)));
  }
}
