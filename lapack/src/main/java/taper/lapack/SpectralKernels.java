package taper.lapack;

import org.netlib.lapack.Dgesdd;
import org.netlib.lapack.Dgesvd;
import org.netlib.lapack.Dsyevd;
import org.netlib.util.intW;
import taper.tensor.Decompositions.Eigen;
import taper.tensor.Decompositions.Singular;
import taper.tensor.LinearAlgebraException;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Eigenvalues and singular values.
final class SpectralKernels {
  private SpectralKernels() {}

  static final Kernel EIGH = SpectralKernels::eigh;
  static final Kernel EIG = SpectralKernels::eig;
  static final Kernel SVD = SpectralKernels::svd;

  private static void eigh(Record attributes, Strided[] out, Strided[] in) {
    var how = (Eigen) attributes;
    int n = Columns.rows(in[0]);
    double[] work = new double[1 + 6 * n + (how.vectors() ? 2 * n * n : 0)];
    int[] wholes = new int[3 + 5 * n];
    Columns.each(
        n == 0 ? 0 : Columns.count(in[0]),
        b -> {
          double[] a = Columns.read(in[0], b);
          double[] values = new double[n];
          var info = new intW(0);
          Dsyevd.dsyevd(
              how.vectors() ? "V" : "N",
              how.upper() ? "U" : "L",
              n,
              a,
              0,
              n,
              values,
              0,
              work,
              0,
              work.length,
              wholes,
              0,
              wholes.length,
              info);
          requireConvergence("eigh", info.val, b);
          Columns.writeNumbers(out[0], b, values);
          if (how.vectors()) {
            Columns.write(out[1], b, a, n);
          }
        });
  }

  private static void requireConvergence(String op, int info, int number) {
    if (info > 0) {
      throw new LinearAlgebraException(
          "%s: the iteration must converge, but it does not for matrix %d. Scale it, or add a little to its diagonal."
              .formatted(op, number));
    }
  }

  private static void eig(Record attributes, Strided[] out, Strided[] in) {
    boolean vectors = ((Eigen) attributes).vectors();
    int n = Columns.rows(in[0]);
    Columns.each(
        n == 0 ? 0 : Columns.count(in[0]),
        b -> {
          var found = new Eigenvalues(Columns.read(in[0], b), n, vectors);
          requireConvergence("eig", found.info(), b);
          double[] values = new double[2 * n];
          for (int i = 0; i < n; i++) {
            values[2 * i] = found.re()[i];
            values[2 * i + 1] = found.im()[i];
          }
          Columns.writePairs(out[0], b, values);
          if (vectors) {
            Columns.writePairs(out[1], b, vectors(n, found.im(), found.vectors()));
          }
        });
  }

  /// Row-major complex vectors: LAPACK gives those of a conjugate pair as two columns, of real and of imaginary parts.
  private static double[] vectors(int n, double[] im, double[] right) {
    double[] result = new double[2 * n * n];
    for (int j = 0; j < n; j++) {
      boolean pair = im[j] != 0;
      for (int i = 0; i < n; i++) {
        int at = 2 * (i * n + j);
        result[at] = right[j * n + i];
        if (pair) {
          double part = right[(j + 1) * n + i];
          result[at + 1] = part;
          result[at + 2] = right[j * n + i];
          result[at + 3] = -part;
        }
      }
      j += pair ? 1 : 0;
    }
    return result;
  }

  private static void svd(Record attributes, Strided[] out, Strided[] in) {
    var how = (Singular) attributes;
    int m = Columns.rows(in[0]);
    int n = Columns.columns(in[0]);
    int k = Math.min(m, n);
    String job = !how.vectors() ? "N" : how.full() ? "A" : "S";
    int height = how.full() ? n : k;
    int[] wholes = new int[8 * k];
    Columns.each(
        Columns.count(in[0]),
        b -> {
          double[] s = new double[k];
          double[] u = new double[Math.max(1, how.vectors() ? m * (how.full() ? m : k) : 1)];
          double[] vt = new double[Math.max(1, how.vectors() ? height * n : 1)];
          if (k > 0) {
            decompose(job, m, n, in[0], b, s, u, vt, height, wholes);
          } else {
            identity(u, m);
            identity(vt, n);
          }
          Columns.writeNumbers(out[1], b, s);
          if (how.vectors()) {
            Columns.write(out[0], b, u, m);
            Columns.write(out[2], b, vt, height);
          }
        });
  }

  private static void identity(double[] x, int n) {
    for (int i = 0; i < n && (long) i * n + i < x.length; i++) {
      x[i * n + i] = 1;
    }
  }

  /// Divide and conquer; where it does not converge, QR steps.
  private static void decompose(
      String job,
      int m,
      int n,
      Strided from,
      int number,
      double[] s,
      double[] u,
      double[] vt,
      int height,
      int[] wholes) {
    var info = new intW(0);
    int ldu = job.equals("N") ? 1 : m;
    int ldvt = job.equals("N") ? 1 : height;
    double[] asked = new double[1];
    double[] a = Columns.read(from, number);
    Dgesdd.dgesdd(job, m, n, a, 0, m, s, 0, u, 0, ldu, vt, 0, ldvt, asked, 0, -1, wholes, 0, info);
    int k = Math.min(m, n);
    // the answer of this release may be too small for a few shapes
    int enough = 3 * k + Math.max(Math.max(m, n), 5 * k * k + 4 * k);
    double[] work = new double[Math.max((int) asked[0], enough)];
    Dgesdd.dgesdd(
        job, m, n, a, 0, m, s, 0, u, 0, ldu, vt, 0, ldvt, work, 0, work.length, wholes, 0, info);
    if (info.val > 0) {
      a = Columns.read(from, number);
      Dgesvd.dgesvd(
          job, job, m, n, a, 0, m, s, 0, u, 0, ldu, vt, 0, ldvt, work, 0, work.length, info);
      requireConvergence("svd", info.val, number);
    }
  }
}
