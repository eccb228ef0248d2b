package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.Decompositions.Eigen;
import taper.tensor.Decompositions.Orthogonal;
import taper.tensor.Decompositions.Permutation;
import taper.tensor.Decompositions.Singular;
import taper.tensor.Decompositions.Symmetry;
import taper.tensor.Decompositions.Triangle;
import taper.tensor.Decompositions.TriangularSystem;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain decompositions of stacks of matrices, real or complex, in double precision.
public final class ReferenceDecompositions {
  private ReferenceDecompositions() {}

  /// `[*b n n] -> [*b n n], info[*b]`: the lower or the upper factor.
  public static final Kernel CHOLESKY = ReferenceDecompositions::cholesky;

  /// `[*b m n] -> [*b m n], pivots[*b k], info[*b]`.
  public static final Kernel LU = ReferenceDecompositions::lu;

  /// `pivots[*b k] -> [*b m]`: the rows in the order into which exchanges bring them, or the inverse of it.
  public static final Kernel PERMUTATION = ReferenceDecompositions::permutation;

  /// `a[*b n n], b[*b n k] -> [*b n k]`.
  public static final Kernel SOLVE_TRIANGULAR = ReferenceDecompositions::solveTriangular;

  /// `[*b m n] -> q[*b m k], r[*b k n]`.
  public static final Kernel QR = ReferenceDecompositions::qr;

  /// `[*b m n] -> [*b m n], tau[*b k]`.
  public static final Kernel GEQRF = ReferenceDecompositions::geqrf;

  /// `[*b n n] -> values[*b n], vectors[*b n n]`.
  public static final Kernel EIGH = ReferenceDecompositions::eigh;

  /// `[*b n n] -> values[*b n], vectors[*b n n]`, both complex.
  public static final Kernel EIG = ReferenceDecompositions::eig;

  /// `[*b m n] -> u[*b m k], s[*b k], vh[*b k n]`.
  public static final Kernel SVD = ReferenceDecompositions::svd;

  /// `[*b n n] -> [*b n n], pivots[*b n], info[*b]`.
  public static final Kernel LDL = ReferenceDecompositions::ldl;

  /// `[*b n n], pivots[*b n], b[*b n k] -> [*b n k]`.
  public static final Kernel LDL_SOLVE = ReferenceDecompositions::ldlSolve;

  private static void cholesky(Record attributes, Strided[] out, Strided[] in) {
    var infos = new Elements(out[1]);
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      boolean upper = ((Triangle) attributes).upper();
      Matrix a = Matrix.read(in[0], b);
      a = upper ? a.adjoint() : a;
      infos.set(b, (long) Factorizations.cholesky(a));
      (upper ? a.adjoint() : a).write(out[0], b);
    }
  }

  private static void lu(Record attributes, Strided[] out, Strided[] in) {
    var infos = new Elements(out[2]);
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Matrix a = Matrix.read(in[0], b);
      int[] pivots = new int[Math.min(a.rows, a.columns)];
      infos.set(b, (long) Factorizations.lu(a, pivots));
      a.write(out[0], b);
      write(out[1], b, pivots);
    }
  }

  private static void write(Strided to, int number, int[] values) {
    var elements = new Elements(to);
    for (int i = 0; i < values.length; i++) {
      elements.set((long) number * values.length + i, (long) values[i]);
    }
  }

  private static int[] readPivots(Strided from, int number) {
    int[] values = new int[Math.toIntExact(from.size(from.rank() - 1))];
    var elements = new Elements(from);
    for (int i = 0; i < values.length; i++) {
      values[i] = (int) elements.wholeAt((long) number * values.length + i);
    }
    return values;
  }

  private static void permutation(Record attributes, Strided[] out, Strided[] in) {
    var a = (Permutation) attributes;
    int rows = Math.toIntExact(a.rows());
    long batch = rows == 0 ? 0 : out[0].numel() / rows;
    for (int b = 0; b < batch; b++) {
      int[] pivots = readPivots(in[0], b);
      int[] order = new int[rows];
      Arrays.setAll(order, i -> i);
      for (int i = 0; i < pivots.length; i++) {
        int other = pivots[i] - 1;
        int kept = order[i];
        order[i] = order[other];
        order[other] = kept;
      }
      int[] result = order;
      if (a.inverse()) {
        result = new int[rows];
        for (int i = 0; i < rows; i++) {
          result[order[i]] = i;
        }
      }
      write(out[0], b, result);
    }
  }

  private static void solveTriangular(Record attributes, Strided[] out, Strided[] in) {
    var how = (TriangularSystem) attributes;
    for (int b = 0; b < Matrix.count(in[1]); b++) {
      Matrix x = Matrix.read(in[1], b);
      Factorizations.solveTriangular(Matrix.read(in[0], b), x, how.upper(), how.unitriangular());
      x.write(out[0], b);
    }
  }

  private static void qr(Record attributes, Strided[] out, Strided[] in) {
    var how = (Orthogonal) attributes;
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Matrix a = Matrix.read(in[0], b);
      int k = Math.min(a.rows, a.columns);
      double[] tauRe = new double[k];
      double[] tauIm = new double[k];
      Factorizations.qr(a, tauRe, tauIm);
      if (how.vectors()) {
        Factorizations.householderProduct(a, tauRe, tauIm, how.complete() ? a.rows : k)
            .write(out[0], b);
      }
      var r = new Matrix(how.complete() ? a.rows : k, a.columns);
      for (int i = 0; i < k; i++) {
        for (int j = i; j < a.columns; j++) {
          r.set(i, j, a.re[a.at(i, j)], a.im[a.at(i, j)]);
        }
      }
      r.write(out[1], b);
    }
  }

  private static void geqrf(Record attributes, Strided[] out, Strided[] in) {
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Matrix a = Matrix.read(in[0], b);
      var tau = new Matrix(Math.min(a.rows, a.columns), 1);
      Factorizations.qr(a, tau.re, tau.im);
      a.write(out[0], b);
      tau.write(out[1], b);
    }
  }

  private static void eigh(Record attributes, Strided[] out, Strided[] in) {
    var how = (Eigen) attributes;
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Matrix a = Matrix.read(in[0], b);
      for (int i = 0; i < a.rows; i++) {
        for (int j = 0; j < i; j++) {
          int from = how.upper() ? a.at(j, i) : a.at(i, j);
          a.set(how.upper() ? i : j, how.upper() ? j : i, a.re[from], -a.im[from]);
        }
      }
      Spectra.Hermitian found = Spectra.hermitian(a);
      writeReal(out[0], b, found.values());
      if (how.vectors()) {
        found.vectors().write(out[1], b);
      }
    }
  }

  private static void writeReal(Strided to, int number, double[] values) {
    var elements = new Elements(to);
    for (int i = 0; i < values.length; i++) {
      elements.set((long) number * values.length + i, values[i]);
    }
  }

  private static void eig(Record attributes, Strided[] out, Strided[] in) {
    var how = (Eigen) attributes;
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Spectra.General found = Spectra.general(Matrix.read(in[0], b));
      var values = new Matrix(found.re().length, 1);
      System.arraycopy(found.re(), 0, values.re, 0, values.rows);
      System.arraycopy(found.im(), 0, values.im, 0, values.rows);
      values.write(out[0], b);
      if (how.vectors()) {
        found.vectors().write(out[1], b);
      }
    }
  }

  private static void svd(Record attributes, Strided[] out, Strided[] in) {
    var how = (Singular) attributes;
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Spectra.Singular found = Spectra.singular(Matrix.read(in[0], b), how.full());
      writeReal(out[1], b, found.s());
      if (how.vectors()) {
        found.u().write(out[0], b);
        found.v().adjoint().write(out[2], b);
      }
    }
  }

  private static void ldl(Record attributes, Strided[] out, Strided[] in) {
    var how = (Symmetry) attributes;
    var infos = new Elements(out[2]);
    for (int b = 0; b < Matrix.count(in[0]); b++) {
      Matrix a = Matrix.read(in[0], b);
      int[] pivots = new int[a.rows];
      infos.set(b, (long) Factorizations.ldl(a, pivots, how.hermitian()));
      a.write(out[0], b);
      write(out[1], b, pivots);
    }
  }

  private static void ldlSolve(Record attributes, Strided[] out, Strided[] in) {
    var how = (Symmetry) attributes;
    for (int b = 0; b < Matrix.count(in[2]); b++) {
      Matrix x = Matrix.read(in[2], b);
      Factorizations.solveLdl(Matrix.read(in[0], b), readPivots(in[1], b), x, how.hermitian());
      x.write(out[0], b);
    }
  }
}
