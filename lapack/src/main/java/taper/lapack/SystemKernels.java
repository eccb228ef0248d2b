package taper.lapack;

import java.util.Arrays;
import org.netlib.blas.Dtrsm;
import org.netlib.lapack.Dgeqrf;
import org.netlib.lapack.Dgetrf;
import org.netlib.lapack.Dorgqr;
import org.netlib.lapack.Dpotrf;
import org.netlib.lapack.Dsytrf;
import org.netlib.util.intW;
import taper.tensor.Decompositions.Orthogonal;
import taper.tensor.Decompositions.Symmetry;
import taper.tensor.Decompositions.Triangle;
import taper.tensor.Decompositions.TriangularSystem;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Factorizations and triangular systems.
final class SystemKernels {
  private static final int BLOCK = 32;

  private SystemKernels() {}

  static final Kernel CHOLESKY = SystemKernels::cholesky;
  static final Kernel LU = SystemKernels::lu;
  static final Kernel SOLVE_TRIANGULAR = SystemKernels::solveTriangular;
  static final Kernel QR = SystemKernels::qr;
  static final Kernel GEQRF = SystemKernels::geqrf;
  static final Kernel LDL = SystemKernels::ldl;

  private static void cholesky(Record attributes, Strided[] out, Strided[] in) {
    boolean upper = ((Triangle) attributes).upper();
    int n = Columns.rows(in[0]);
    Columns.each(
        Columns.count(in[0]),
        b -> {
          double[] a = Columns.read(in[0], b);
          var info = new intW(0);
          if (n > 0) {
            Dpotrf.dpotrf(upper ? "U" : "L", n, a, 0, n, info);
          }
          for (int j = 0; j < n && info.val == 0; j++) {
            info.val = Double.isNaN(a[j * n + j]) ? j + 1 : 0;
          }
          for (int j = 0; j < n; j++) {
            Arrays.fill(a, upper ? j * n + j + 1 : j * n, upper ? (j + 1) * n : j * n + j, 0);
          }
          Columns.write(out[0], b, a, n);
          Columns.writeWhole(out[1], b, info.val);
        });
  }

  private static void lu(Record attributes, Strided[] out, Strided[] in) {
    int m = Columns.rows(in[0]);
    int n = Columns.columns(in[0]);
    int k = Math.min(m, n);
    Columns.each(
        Columns.count(in[0]),
        b -> {
          double[] a = Columns.read(in[0], b);
          int[] pivots = new int[k];
          var info = new intW(0);
          if (k > 0) {
            Dgetrf.dgetrf(m, n, a, 0, m, pivots, 0, info);
          }
          Columns.write(out[0], b, a, m);
          Columns.writeWhole(out[1], b, pivots);
          Columns.writeWhole(out[2], b, info.val);
        });
  }

  private static void solveTriangular(Record attributes, Strided[] out, Strided[] in) {
    var how = (TriangularSystem) attributes;
    int n = Columns.rows(in[1]);
    int k = Columns.columns(in[1]);
    Columns.each(
        Columns.count(in[1]),
        b -> {
          double[] x = Columns.read(in[1], b);
          if (n > 0 && k > 0) {
            double[] a = Columns.read(in[0], b);
            String triangle = how.upper() ? "U" : "L";
            String diagonal = how.unitriangular() ? "U" : "N";
            Dtrsm.dtrsm("L", triangle, "N", diagonal, n, k, 1, a, 0, n, x, 0, n);
          }
          Columns.write(out[0], b, x, n);
        });
  }

  private static void qr(Record attributes, Strided[] out, Strided[] in) {
    var how = (Orthogonal) attributes;
    int m = Columns.rows(in[0]);
    int n = Columns.columns(in[0]);
    int k = Math.min(m, n);
    int width = how.complete() ? m : k;
    Columns.each(
        Columns.count(in[0]),
        b -> {
          double[] a = Columns.read(in[0], b);
          double[] tau = new double[k];
          factor(a, m, n, tau);
          if (how.vectors()) {
            double[] q = new double[m * width];
            System.arraycopy(a, 0, q, 0, m * Math.min(n, width));
            if (width > 0) {
              double[] work = new double[width * BLOCK];
              Dorgqr.dorgqr(m, width, k, q, 0, m, tau, 0, work, 0, work.length, new intW(0));
            }
            Columns.write(out[0], b, q, m);
          }
          double[] r = new double[width * n];
          for (int j = 0; j < n; j++) {
            System.arraycopy(a, j * m, r, j * width, Math.min(j + 1, k));
          }
          Columns.write(out[1], b, r, width);
        });
  }

  private static void factor(double[] a, int m, int n, double[] tau) {
    if (m > 0 && n > 0) {
      double[] work = new double[n * BLOCK];
      Dgeqrf.dgeqrf(m, n, a, 0, m, tau, 0, work, 0, work.length, new intW(0));
    }
  }

  private static void geqrf(Record attributes, Strided[] out, Strided[] in) {
    int m = Columns.rows(in[0]);
    int n = Columns.columns(in[0]);
    Columns.each(
        Columns.count(in[0]),
        b -> {
          double[] a = Columns.read(in[0], b);
          double[] tau = new double[Math.min(m, n)];
          factor(a, m, n, tau);
          Columns.write(out[0], b, a, m);
          Columns.writeNumbers(out[1], b, tau);
        });
  }

  private static void ldl(Record attributes, Strided[] out, Strided[] in) {
    int n = Columns.rows(in[0]);
    assert attributes instanceof Symmetry : "real matrices that are Hermitian are symmetric";
    Columns.each(
        Columns.count(in[0]),
        b -> {
          double[] a = Columns.read(in[0], b);
          int[] pivots = new int[n];
          var info = new intW(0);
          if (n > 0) {
            double[] work = new double[n * BLOCK];
            Dsytrf.dsytrf("L", n, a, 0, n, pivots, 0, work, 0, work.length, info);
          }
          Columns.write(out[0], b, a, n);
          Columns.writeWhole(out[1], b, pivots);
          Columns.writeWhole(out[2], b, info.val);
        });
  }
}
