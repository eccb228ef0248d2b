package taper.lapack;

import org.netlib.lapack.Dgebak;
import org.netlib.lapack.Dgebal;
import org.netlib.lapack.Dgeev;
import org.netlib.lapack.Dgehrd;
import org.netlib.lapack.Dlahqr;
import org.netlib.lapack.Dorghr;
import org.netlib.lapack.Dtrevc;
import org.netlib.util.intW;

/// The eigenvalues of one real matrix, by the steps of LAPACK's driver `dgeev`: balancing, reduction to Hessenberg form, QR
/// steps, substitution, normalization.
///
/// One step differs. The driver hands matrices of more than 75 rows to QR steps with many shifts, which in this translation
/// take ten times as long as those with two, so two are used throughout.
final class Eigenvalues {
  private final int n;
  private final double[] re;
  private final double[] im;
  private final double[] vectors;
  private final int info;

  /// Computes those of `a`, which is overwritten.
  Eigenvalues(double[] a, int n, boolean wanted) {
    this.n = n;
    this.re = new double[n];
    this.im = new double[n];
    this.vectors = new double[wanted ? n * n : 1];
    var code = new intW(0);
    double[] copy = a.clone();
    if (!ordinary(a) || !steps(copy, wanted, code)) {
      driver(a, wanted, code);
    }
    this.info = code.val;
  }

  /// 0, or positive if the iteration has not converged.
  int info() {
    return info;
  }

  double[] re() {
    return re;
  }

  double[] im() {
    return im;
  }

  /// The vectors, column behind column; a conjugate pair has its real and imaginary parts.
  double[] vectors() {
    return vectors;
  }

  /// Whether squares of the elements neither overflow nor vanish.
  private static boolean ordinary(double[] a) {
    double largest = 0;
    for (double x : a) {
      largest = Math.max(largest, Math.abs(x));
    }
    return largest == 0 || largest > 1e-120 && largest < 1e120;
  }

  private void driver(double[] a, boolean wanted, intW code) {
    double[] work = new double[40 * n];
    Dgeev.dgeev(
        "N",
        wanted ? "V" : "N",
        n,
        a,
        0,
        n,
        re,
        0,
        im,
        0,
        new double[1],
        0,
        1,
        vectors,
        0,
        wanted ? n : 1,
        work,
        0,
        work.length,
        code);
  }

  private boolean steps(double[] a, boolean wanted, intW code) {
    var low = new intW(1);
    var high = new intW(n);
    double[] scale = new double[n];
    double[] tau = new double[n];
    double[] work = new double[40 * n];
    Dgebal.dgebal("B", n, a, 0, n, low, high, scale, 0, code);
    Dgehrd.dgehrd(n, low.val, high.val, a, 0, n, tau, 0, work, 0, work.length, code);
    if (wanted) {
      System.arraycopy(a, 0, vectors, 0, a.length);
      Dorghr.dorghr(n, low.val, high.val, vectors, 0, n, tau, 0, work, 0, work.length, code);
    }
    for (int j = 0; j < n; j++) {
      for (int i = j + 2; i < n; i++) {
        a[j * n + i] = 0;
      }
      re[j] = a[j * n + j]; // those that balancing has isolated stay
      im[j] = 0;
    }
    Dlahqr.dlahqr(
        wanted,
        wanted,
        n,
        low.val,
        high.val,
        a,
        0,
        n,
        re,
        0,
        im,
        0,
        1,
        n,
        vectors,
        0,
        wanted ? n : 1,
        code);
    if (code.val != 0) {
      code.val = 0;
      return false;
    }
    if (wanted) {
      var found = new intW(0);
      Dtrevc.dtrevc(
          "R",
          "B",
          new boolean[n],
          0,
          n,
          a,
          0,
          n,
          new double[1],
          0,
          1,
          vectors,
          0,
          n,
          n,
          found,
          work,
          0,
          code);
      Dgebak.dgebak("B", "R", n, low.val, high.val, scale, 0, n, vectors, 0, n, code);
      normalize();
    }
    return true;
  }

  /// Makes vectors of length 1; the largest element of a complex one becomes real.
  private void normalize() {
    for (int j = 0; j < n; j++) {
      boolean pair = im[j] != 0;
      int x = j * n;
      int y = pair ? x + n : x;
      double sum = 0;
      double largest = -1;
      int at = 0;
      for (int i = 0; i < n; i++) {
        double size = vectors[x + i] * vectors[x + i];
        size += pair ? vectors[y + i] * vectors[y + i] : 0;
        sum += size;
        if (size > largest) {
          largest = size;
          at = i;
        }
      }
      double length = Math.sqrt(sum);
      double size = Math.sqrt(largest);
      double cosine = pair ? vectors[x + at] / size : 1;
      double sine = pair ? vectors[y + at] / size : 0;
      for (int i = 0; i < n; i++) {
        double u = vectors[x + i] / length;
        if (pair) {
          double v = vectors[y + i] / length;
          vectors[x + i] = cosine * u + sine * v;
          vectors[y + i] = i == at ? 0 : cosine * v - sine * u;
        } else {
          vectors[x + i] = u;
        }
      }
      j += pair ? 1 : 0;
    }
  }
}
