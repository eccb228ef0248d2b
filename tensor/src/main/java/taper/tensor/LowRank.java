package taper.tensor;

import org.jspecify.annotations.Nullable;

/// Nearly optimal factors of low rank, from products with random vectors.
///
/// Source: Halko, Martinsson, Tropp 2009, Finding structure with randomness, arXiv:0909.4061, algorithms 4.4 and 5.1
final class LowRank {
  private LowRank() {}

  /// Orthonormal columns that nearly span those of `a - mean`.
  private static Tensor basis(Tensor a, long q, int niter, @Nullable Tensor mean) {
    Tensor random = Tensor.randn(a.dtype(), a.size(-1), q);
    Tensor result = Linalg.qr(times(a, mean, random)).q();
    for (int i = 0; i < niter; i++) {
      Tensor back = times(a.mH(), mean == null ? null : mean.mH(), result);
      result = Linalg.qr(times(a, mean, Linalg.qr(back).q())).q();
    }
    return result;
  }

  /// `(a - mean) x`.
  private static Tensor times(Tensor a, @Nullable Tensor mean, Tensor x) {
    Tensor product = a.matmul(x);
    return mean == null ? product : product.sub(mean.expand(a.sizes()).matmul(x));
  }

  static Decompositions.Svd svd(Tensor a, long q, int niter, @Nullable Tensor mean) {
    LinearSystems.requireMatrix("svdLowrank", a);
    if (q < 0 || q > Math.min(a.size(-2), a.size(-1))) {
      throw new ArgumentException(
          "svdLowrank: q must be in 0..%d, but is %d."
              .formatted(Math.min(a.size(-2), a.size(-1)), q));
    }
    if (niter < 0) {
      throw new ArgumentException(
          "svdLowrank: niter must not be negative, but is %d.".formatted(niter));
    }
    if (a.size(-2) < a.size(-1) || a.size(-1) > q) {
      // the basis is of the rows: the smaller matrix has q columns
      Tensor basis = basis(a.mT(), q, niter, mean == null ? null : mean.mT());
      Linalg.Svd inner = Linalg.svd(times(a, mean, basis.conj()), false);
      return new Decompositions.Svd(inner.u(), inner.s(), basis.matmul(inner.vh().mH()));
    }
    Tensor basis = basis(a, q, niter, mean);
    Tensor small = times(a.mT(), mean == null ? null : mean.mT(), basis.conj());
    Linalg.Svd inner = Linalg.svd(small.mT(), false);
    return new Decompositions.Svd(basis.matmul(inner.u()), inner.s(), inner.vh().mH());
  }

  static Decompositions.Svd pca(Tensor a, long q, boolean center, int niter) {
    LinearSystems.requireMatrix("pcaLowrank", a);
    long smaller = Math.min(a.size(-2), a.size(-1));
    long count = q < 0 ? Math.min(6, smaller) : q;
    return svd(center ? a.sub(a.mean(new int[] {-2}, true)) : a, count, niter, null);
  }
}
