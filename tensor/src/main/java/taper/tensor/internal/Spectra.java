package taper.tensor.internal;

import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;

/// Eigenvalues and singular values of one matrix.
///
/// Hermitian matrices and singular values go by Jacobi's rotations: in turn, each pair of rows and columns is rotated so
/// that the element that joins them vanishes, until all have; for singular values the pairs are columns, made orthogonal
/// (Hestenes). The cost is some ten sweeps of order n³, the accuracy as good as can be. Other matrices are reduced to
/// Hessenberg form by reflectors, then to triangular form by QR steps with Wilkinson's shifts.
///
/// Source: Golub, Van Loan 2013, Matrix Computations, sections 7.5, 8.5 and 8.6
final class Spectra {
  private static final double EPSILON = 0x1p-53;
  private static final int SWEEPS = 60;

  private Spectra() {}

  /// Eigenvalues in ascending order, with the eigenvectors as columns.
  ///
  /// @param values the eigenvalues
  /// @param vectors the eigenvectors
  record Hermitian(double[] values, Matrix vectors) {}

  /// Singular values in descending order, with the vectors as columns: `a = u diag(s) vᴴ`.
  ///
  /// @param u the left vectors
  /// @param s the values
  /// @param v the right vectors
  record Singular(Matrix u, double[] s, Matrix v) {}

  /// Eigenvalues with the eigenvectors as columns of length 1.
  ///
  /// @param re the real parts of the values
  /// @param im the imaginary parts
  /// @param vectors the eigenvectors
  record General(double[] re, double[] im, Matrix vectors) {}

  /// The eigenvalues of the Hermitian matrix `a`, which is overwritten.
  static Hermitian hermitian(Matrix a) {
    int n = a.rows;
    Matrix v = Matrix.eye(n);
    double norm = 0;
    for (int i = 0; i < n; i++) {
      norm = Math.hypot(norm, a.columnNorm(i, 0));
      a.im[a.at(i, i)] = 0;
    }
    boolean rotated = true;
    for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
      rotated = false;
      for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
          int pq = a.at(p, q);
          double joint = Math.hypot(a.re[pq], a.im[pq]);
          if (joint > EPSILON * EPSILON * norm) {
            boolean large = joint > EPSILON * norm;
            rotate(a, v, p, q, joint);
            rotated |= large;
          }
        }
      }
    }
    double[] values = new double[n];
    for (int i = 0; i < n; i++) {
      values[i] = a.re[a.at(i, i)];
    }
    int[] order = order(values, Comparator.naturalOrder());
    return new Hermitian(
        Arrays.stream(order).mapToDouble(i -> values[i]).toArray(), v.columnsInOrder(order));
  }

  private static int[] order(double[] values, Comparator<Double> by) {
    return IntStream.range(0, values.length)
        .boxed()
        .sorted(Comparator.comparing(i -> values[i], by))
        .mapToInt(Integer::intValue)
        .toArray();
  }

  private static void rotate(Matrix a, Matrix v, int p, int q, double joint) {
    double re = a.re[a.at(p, q)] / joint;
    double im = a.im[a.at(p, q)] / joint;
    double[] turn = rotation(a.re[a.at(p, p)], a.re[a.at(q, q)], joint);
    double c = turn[0];
    double s = turn[1];
    double[] cosine = {c, 0};
    double[] below = {-s * re, s * im};
    double[] above = {s * re, s * im};
    a.combineColumns(p, q, a.rows, cosine, below, above, cosine);
    a.combineRows(
        p, q, 0, cosine, new double[] {-s * re, -s * im}, new double[] {s * re, -s * im}, cosine);
    a.set(p, q, 0, 0);
    a.set(q, p, 0, 0);
    a.im[a.at(p, p)] = 0;
    a.im[a.at(q, q)] = 0;
    v.combineColumns(p, q, v.rows, cosine, below, above, cosine);
  }

  /// Cosine and sine of the smaller angle that makes `[p joint; joint q]` diagonal.
  private static double[] rotation(double p, double q, double joint) {
    double theta = (q - p) / (2 * joint);
    double t = Math.copySign(1, theta) / (Math.abs(theta) + Math.hypot(theta, 1));
    double c = 1 / Math.hypot(t, 1);
    return new double[] {c, t * c};
  }

  /// The singular values of `a`, with as many vectors as the smaller dimension, or all if `full`.
  static Singular singular(Matrix a, boolean full) {
    if (a.rows < a.columns) {
      Singular turned = singular(a.adjoint(), full);
      return new Singular(turned.v(), turned.s(), turned.u());
    }
    int n = a.columns;
    Matrix u = a.copy();
    double scale = scaleDown(u);
    Matrix v = Matrix.eye(n);
    boolean rotated = true;
    for (int sweep = 0; rotated && sweep < SWEEPS; sweep++) {
      rotated = false;
      for (int p = 0; p < n; p++) {
        for (int q = p + 1; q < n; q++) {
          rotated |= orthogonalize(u, v, p, q);
        }
      }
    }
    double[] s = new double[n];
    for (int j = 0; j < n; j++) {
      s[j] = u.columnNorm(j, 0);
    }
    int[] order = order(s, Comparator.reverseOrder());
    Matrix left = u.columnsInOrder(order);
    int rank = 0;
    double[] values = new double[n];
    for (int j = 0; j < n; j++) {
      double norm = s[order[j]];
      values[j] = norm * scale;
      if (norm > 0) {
        rank++;
        for (int i = 0; i < left.rows; i++) {
          left.re[left.at(i, j)] /= norm;
          left.im[left.at(i, j)] /= norm;
        }
      }
    }
    return new Singular(
        completed(left, rank, full ? left.rows : n), values, v.columnsInOrder(order));
  }

  /// Divides by the largest part of an element, which is returned; 1 if all are 0.
  private static double scaleDown(Matrix a) {
    double scale = 0;
    for (int i = 0; i < a.re.length; i++) {
      scale = Math.max(scale, Math.max(Math.abs(a.re[i]), Math.abs(a.im[i])));
    }
    if (scale == 0) {
      return 1;
    }
    for (int i = 0; i < a.re.length; i++) {
      a.re[i] /= scale;
      a.im[i] /= scale;
    }
    return scale;
  }

  /// Rotates columns `p` and `q` so that they are orthogonal; returns whether they were not.
  private static boolean orthogonalize(Matrix u, Matrix v, int p, int q) {
    double pp = 0;
    double qq = 0;
    double re = 0;
    double im = 0;
    for (int i = 0; i < u.rows; i++) {
      double pr = u.re[u.at(i, p)];
      double pi = u.im[u.at(i, p)];
      double qr = u.re[u.at(i, q)];
      double qi = u.im[u.at(i, q)];
      pp += pr * pr + pi * pi;
      qq += qr * qr + qi * qi;
      re += pr * qr + pi * qi;
      im += pr * qi - pi * qr;
    }
    double joint = Math.hypot(re, im);
    if (joint == 0 || joint <= 4 * EPSILON * Math.sqrt(pp) * Math.sqrt(qq)) {
      return false;
    }
    double[] turn = rotation(pp, qq, joint);
    double[] cosine = {turn[0], 0};
    double s = turn[1];
    double[] below = {-s * re / joint, s * im / joint};
    double[] above = {s * re / joint, s * im / joint};
    u.combineColumns(p, q, u.rows, cosine, below, above, cosine);
    v.combineColumns(p, q, v.rows, cosine, below, above, cosine);
    return true;
  }

  /// The first `rank` columns of `u`, which are orthonormal, with more, up to `columns`, that are orthonormal to them.
  private static Matrix completed(Matrix u, int rank, int columns) {
    if (rank == columns) {
      return u;
    }
    Matrix reflectors = u.leading(rank);
    double[] tauRe = new double[rank];
    double[] tauIm = new double[rank];
    Factorizations.qr(reflectors, tauRe, tauIm);
    Matrix all = Factorizations.householderProduct(reflectors, tauRe, tauIm, columns);
    for (int i = 0; i < u.rows; i++) {
      for (int j = 0; j < rank; j++) {
        all.set(i, j, u.re[u.at(i, j)], u.im[u.at(i, j)]);
      }
    }
    return all;
  }

  /// The eigenvalues of any matrix `a`, which is overwritten.
  static General general(Matrix a) {
    int n = a.rows;
    Matrix q = hessenberg(a);
    triangularize(a, q);
    double[] re = new double[n];
    double[] im = new double[n];
    for (int i = 0; i < n; i++) {
      re[i] = a.re[a.at(i, i)];
      im[i] = a.im[a.at(i, i)];
    }
    Matrix vectors = q.times(triangularVectors(a));
    for (int j = 0; j < n; j++) {
      normalize(vectors, j);
    }
    return new General(re, im, vectors);
  }

  /// Reduces `a` to Hessenberg form and returns the unitary matrix that does it.
  private static Matrix hessenberg(Matrix a) {
    int n = a.rows;
    Matrix q = Matrix.eye(n);
    double[] tauRe = new double[n];
    double[] tauIm = new double[n];
    var v = new Matrix(n, n);
    for (int k = 0; k + 2 < n; k++) {
      for (int i = k + 1; i < n; i++) {
        v.set(i, k, a.re[a.at(i, k)], a.im[a.at(i, k)]);
      }
      Factorizations.reflector(v, k + 1, k, tauRe, tauIm);
      Factorizations.reflect(v, k + 1, k, tauRe[k], -tauIm[k], a, 0);
      for (int i = k + 2; i < n; i++) {
        a.set(i, k, 0, 0);
      }
      reflectRight(v, k + 1, k, tauRe[k], tauIm[k], a);
      reflectRight(v, k + 1, k, tauRe[k], tauIm[k], q);
    }
    return q;
  }

  /// Applies `I - tau v vᴴ` from the right.
  private static void reflectRight(Matrix a, int k, int j, double tauRe, double tauIm, Matrix x) {
    for (int row = 0; row < x.rows; row++) {
      double r = x.re[x.at(row, k)];
      double s = x.im[x.at(row, k)];
      for (int i = k + 1; i < a.rows; i++) {
        double vr = a.re[a.at(i, j)];
        double vi = a.im[a.at(i, j)];
        r += vr * x.re[x.at(row, i)] - vi * x.im[x.at(row, i)];
        s += vr * x.im[x.at(row, i)] + vi * x.re[x.at(row, i)];
      }
      double tr = tauRe * r - tauIm * s;
      double ti = tauRe * s + tauIm * r;
      x.re[x.at(row, k)] -= tr;
      x.im[x.at(row, k)] -= ti;
      for (int i = k + 1; i < a.rows; i++) {
        double vr = a.re[a.at(i, j)];
        double vi = -a.im[a.at(i, j)];
        x.re[x.at(row, i)] -= tr * vr - ti * vi;
        x.im[x.at(row, i)] -= tr * vi + ti * vr;
      }
    }
  }

  /// Takes the Hessenberg matrix `h` to triangular form by QR steps, which `q` gathers.
  private static void triangularize(Matrix h, Matrix q) {
    int last = h.rows - 1;
    double norm = 0;
    for (double x : h.re) {
      norm = Math.max(norm, Math.abs(x));
    }
    for (int step = 0; last > 0; step++) {
      int first = last;
      while (first > 0) {
        double near = h.size(first - 1, first - 1) + h.size(first, first);
        if (h.size(first, first - 1) <= EPSILON * (near == 0 ? norm : near)) {
          h.set(first, first - 1, 0, 0);
          break;
        }
        first--;
      }
      if (first == last) {
        last--;
        step = 0;
      } else {
        double[] shift =
            step % 11 == 10
                ? new double[] {h.size(last, last - 1) + h.re[h.at(last, last)], 0}
                : wilkinson(h, last);
        chase(h, q, first, last, shift);
        if (step > 1000) {
          last--; // the values have not settled to the last digit; no better ones are to be had
          step = 0;
        }
      }
    }
  }

  /// The eigenvalue of the last two rows and columns that is nearer to the last element.
  private static double[] wilkinson(Matrix h, int k) {
    double ar = h.re[h.at(k - 1, k - 1)];
    double ai = h.im[h.at(k - 1, k - 1)];
    double dr = h.re[h.at(k, k)];
    double di = h.im[h.at(k, k)];
    double br = h.re[h.at(k - 1, k)];
    double bi = h.im[h.at(k - 1, k)];
    double cr = h.re[h.at(k, k - 1)];
    double ci = h.im[h.at(k, k - 1)];
    double mr = (ar - dr) / 2;
    double mi = (ai - di) / 2;
    double pr = br * cr - bi * ci;
    double pi = br * ci + bi * cr;
    double[] root = root(mr * mr - mi * mi + pr, 2 * mr * mi + pi);
    if (mr * root[0] + mi * root[1] < 0) {
      root[0] = -root[0];
      root[1] = -root[1];
    }
    double nr = mr + root[0];
    double ni = mi + root[1];
    if (nr == 0 && ni == 0) {
      return new double[] {dr, di};
    }
    double[] step = Factorizations.quotient(pr, pi, nr, ni);
    return new double[] {dr - step[0], di - step[1]};
  }

  private static double[] root(double re, double im) {
    double size = Math.hypot(re, im);
    double r = Math.sqrt((size + Math.abs(re)) / 2);
    if (r == 0) {
      return new double[] {0, 0};
    }
    return re >= 0
        ? new double[] {r, im / (2 * r)}
        : new double[] {Math.abs(im) / (2 * r), Math.copySign(r, im)};
  }

  /// One QR step with the given shift on rows `first` to `last`.
  private static void chase(Matrix h, Matrix q, int first, int last, double[] shift) {
    double xr = h.re[h.at(first, first)] - shift[0];
    double xi = h.im[h.at(first, first)] - shift[1];
    double yr = h.re[h.at(first + 1, first)];
    double yi = h.im[h.at(first + 1, first)];
    for (int k = first; k < last; k++) {
      double r = Math.hypot(Math.hypot(xr, xi), Math.hypot(yr, yi));
      if (r > 0) {
        double[] x = {xr / r, xi / r};
        double[] y = {yr / r, yi / r};
        double[] xc = {x[0], -x[1]};
        double[] yc = {y[0], -y[1]};
        double[] minusY = {-y[0], -y[1]};
        double[] minusYc = {-y[0], y[1]};
        h.combineRows(k, k + 1, Math.max(first, k - 1), xc, yc, minusY, x);
        h.combineColumns(k, k + 1, Math.min(k + 2, last) + 1, x, y, minusYc, xc);
        q.combineColumns(k, k + 1, q.rows, x, y, minusYc, xc);
      }
      if (k > first) {
        h.set(k + 1, k - 1, 0, 0);
      }
      if (k + 2 <= last) {
        xr = h.re[h.at(k + 1, k)];
        xi = h.im[h.at(k + 1, k)];
        yr = h.re[h.at(k + 2, k)];
        yi = h.im[h.at(k + 2, k)];
      }
    }
  }

  /// The eigenvectors of the upper triangular matrix `t`, by substitution.
  private static Matrix triangularVectors(Matrix t) {
    int n = t.rows;
    var x = new Matrix(n, n);
    double norm = 0;
    for (int i = 0; i < t.re.length; i++) {
      norm = Math.max(norm, Math.abs(t.re[i]) + Math.abs(t.im[i]));
    }
    double least = Math.max(EPSILON * norm, Double.MIN_NORMAL);
    for (int k = 0; k < n; k++) {
      x.set(k, k, 1, 0);
      for (int i = k - 1; i >= 0; i--) {
        double r = 0;
        double s = 0;
        for (int j = i + 1; j <= k; j++) {
          double tr = t.re[t.at(i, j)];
          double ti = t.im[t.at(i, j)];
          r -= tr * x.re[x.at(j, k)] - ti * x.im[x.at(j, k)];
          s -= tr * x.im[x.at(j, k)] + ti * x.re[x.at(j, k)];
        }
        double dr = t.re[t.at(i, i)] - t.re[t.at(k, k)];
        double di = t.im[t.at(i, i)] - t.im[t.at(k, k)];
        if (Math.abs(dr) + Math.abs(di) < least) {
          dr = least;
          di = 0;
        }
        double[] value = Factorizations.quotient(r, s, dr, di);
        x.set(i, k, value[0], value[1]);
      }
      normalize(x, k);
    }
    return x;
  }

  /// Makes column `j` one of length 1 whose largest element is real.
  private static void normalize(Matrix v, int j) {
    double norm = v.columnNorm(j, 0);
    int largest = 0;
    double size = -1;
    for (int i = 0; i < v.rows; i++) {
      double here = Math.hypot(v.re[v.at(i, j)], v.im[v.at(i, j)]);
      if (here > size * (1 + 1e-9)) {
        largest = i;
        size = here;
      }
    }
    double pr = v.re[v.at(largest, j)] / size;
    double pi = -v.im[v.at(largest, j)] / size;
    for (int i = 0; i < v.rows; i++) {
      double r = v.re[v.at(i, j)] / norm;
      double s = v.im[v.at(i, j)] / norm;
      v.set(i, j, r * pr - s * pi, i == largest ? 0 : r * pi + s * pr);
    }
  }
}
