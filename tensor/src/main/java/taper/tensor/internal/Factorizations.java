package taper.tensor.internal;

/// Triangular factors of one matrix, by the unblocked algorithms of LAPACK, in place.
///
/// Rows and columns count from 0, but pivots and the positions of failures from 1, as in LAPACK and PyTorch.
///
/// Sources: Anderson et al. 1999, LAPACK Users' Guide; Bunch, Kaufman 1977, Some Stable Methods for Calculating Inertia
/// and Solving Symmetric Linear Systems.
final class Factorizations {
  private Factorizations() {}

  /// Overwrites `a` with its factors L (below the diagonal, which is 1) and U; row `i` was exchanged with row
  /// `pivots[i]`. Returns 0, or the position of the first zero on the diagonal of U.
  static int lu(Matrix a, int[] pivots) {
    int info = 0;
    for (int k = 0; k < pivots.length; k++) {
      int best = k;
      for (int i = k + 1; i < a.rows; i++) {
        if (a.size(i, k) > a.size(best, k)) {
          best = i;
        }
      }
      pivots[k] = best + 1;
      a.swapRows(k, best);
      if (a.size(k, k) == 0) {
        info = info == 0 ? k + 1 : info;
        continue;
      }
      double[] one = inverse(a, k, k);
      for (int i = k + 1; i < a.rows; i++) {
        int ik = a.at(i, k);
        double r = a.re[ik] * one[0] - a.im[ik] * one[1];
        double s = a.re[ik] * one[1] + a.im[ik] * one[0];
        a.re[ik] = r;
        a.im[ik] = s;
        for (int j = k + 1; j < a.columns; j++) {
          subtract(a, i, j, r, s, a.re[a.at(k, j)], a.im[a.at(k, j)]);
        }
      }
    }
    return info;
  }

  private static double[] inverse(Matrix a, int i, int j) {
    return quotient(1, 0, a.re[a.at(i, j)], a.im[a.at(i, j)]);
  }

  /// `(a + bi) / (c + di)`, scaled against overflow.
  static double[] quotient(double a, double b, double c, double d) {
    if (d == 0) {
      return new double[] {a / c, b / c};
    }
    if (Math.abs(c) >= Math.abs(d)) {
      double r = d / c;
      double n = c + d * r;
      return new double[] {(a + b * r) / n, (b - a * r) / n};
    }
    double r = c / d;
    double n = c * r + d;
    return new double[] {(a * r + b) / n, (b * r - a) / n};
  }

  private static void subtract(Matrix a, int i, int j, double xr, double xi, double yr, double yi) {
    int ij = a.at(i, j);
    a.re[ij] -= xr * yr - xi * yi;
    a.im[ij] -= xr * yi + xi * yr;
  }

  /// Overwrites `a` with its lower Cholesky factor, of which it reads the lower triangle only. Returns 0, or the order of
  /// the first leading minor that is not positive.
  static int cholesky(Matrix a) {
    int n = a.rows;
    int info = 0;
    for (int j = 0; j < n && info == 0; j++) {
      double sum = a.re[a.at(j, j)];
      for (int k = 0; k < j; k++) {
        double r = a.re[a.at(j, k)];
        double s = a.im[a.at(j, k)];
        sum -= r * r + s * s;
      }
      if (!(sum > 0)) {
        info = j + 1;
        break;
      }
      double root = Math.sqrt(sum);
      a.set(j, j, root, 0);
      for (int i = j + 1; i < n; i++) {
        for (int k = 0; k < j; k++) {
          subtract(
              a, i, j, a.re[a.at(i, k)], a.im[a.at(i, k)], a.re[a.at(j, k)], -a.im[a.at(j, k)]);
        }
        a.re[a.at(i, j)] /= root;
        a.im[a.at(i, j)] /= root;
      }
    }
    for (int i = 0; i < n; i++) {
      for (int j = i + 1; j < n; j++) {
        a.set(i, j, 0, 0);
      }
    }
    return info;
  }

  /// Overwrites `b` with the solution of `a x = b`, where `a` is triangular.
  static void solveTriangular(Matrix a, Matrix b, boolean upper, boolean unit) {
    int n = a.rows;
    for (int step = 0; step < n; step++) {
      int i = upper ? n - 1 - step : step;
      for (int j = 0; j < b.columns; j++) {
        for (int k = upper ? i + 1 : 0; k < (upper ? n : i); k++) {
          subtract(b, i, j, a.re[a.at(i, k)], a.im[a.at(i, k)], b.re[b.at(k, j)], b.im[b.at(k, j)]);
        }
        if (!unit) {
          int ij = b.at(i, j);
          double[] q = quotient(b.re[ij], b.im[ij], a.re[a.at(i, i)], a.im[a.at(i, i)]);
          b.set(i, j, q[0], q[1]);
        }
      }
    }
  }

  /// Overwrites `a` with the reflectors and R of its QR factorization: `H = I - tau v vᴴ`, with `v` below the diagonal.
  static void qr(Matrix a, double[] tauRe, double[] tauIm) {
    for (int k = 0; k < tauRe.length; k++) {
      reflector(a, k, k, tauRe, tauIm);
      reflect(a, k, k, tauRe[k], -tauIm[k], a, k + 1);
    }
  }

  /// Makes the reflector that takes column `j` from row `k` on to a multiple of the first unit vector.
  static void reflector(Matrix a, int k, int j, double[] tauRe, double[] tauIm) {
    double alphaRe = a.re[a.at(k, j)];
    double alphaIm = a.im[a.at(k, j)];
    double rest = a.columnNorm(j, k + 1);
    if (rest == 0 && alphaIm == 0) {
      tauRe[j] = 0;
      tauIm[j] = 0;
      return;
    }
    double beta = -Math.copySign(Math.hypot(Math.hypot(alphaRe, alphaIm), rest), alphaRe);
    tauRe[j] = (beta - alphaRe) / beta;
    tauIm[j] = -alphaIm / beta;
    double[] scale = quotient(1, 0, alphaRe - beta, alphaIm);
    for (int i = k + 1; i < a.rows; i++) {
      double r = a.re[a.at(i, j)];
      double s = a.im[a.at(i, j)];
      a.set(i, j, r * scale[0] - s * scale[1], r * scale[1] + s * scale[0]);
    }
    a.set(k, j, beta, 0);
  }

  /// Applies `I - tau v vᴴ` from the left to the columns of `x` from `first` on; `v` is 1 at row `k` and stands below it in
  /// column `j` of `a`.
  static void reflect(Matrix a, int k, int j, double tauRe, double tauIm, Matrix x, int first) {
    for (int c = first; c < x.columns; c++) {
      double r = x.re[x.at(k, c)];
      double s = x.im[x.at(k, c)];
      for (int i = k + 1; i < a.rows; i++) {
        double vr = a.re[a.at(i, j)];
        double vi = -a.im[a.at(i, j)];
        r += vr * x.re[x.at(i, c)] - vi * x.im[x.at(i, c)];
        s += vr * x.im[x.at(i, c)] + vi * x.re[x.at(i, c)];
      }
      double tr = tauRe * r - tauIm * s;
      double ti = tauRe * s + tauIm * r;
      x.re[x.at(k, c)] -= tr;
      x.im[x.at(k, c)] -= ti;
      for (int i = k + 1; i < a.rows; i++) {
        subtract(x, i, c, a.re[a.at(i, j)], a.im[a.at(i, j)], tr, ti);
      }
    }
  }

  /// The first `columns` columns of the product of the reflectors.
  static Matrix householderProduct(Matrix a, double[] tauRe, double[] tauIm, int columns) {
    var q = new Matrix(a.rows, columns);
    for (int i = 0; i < Math.min(a.rows, columns); i++) {
      q.set(i, i, 1, 0);
    }
    for (int k = tauRe.length - 1; k >= 0; k--) {
      reflect(a, k, k, tauRe[k], tauIm[k], q, 0);
    }
    return q;
  }

  /// Overwrites the lower triangle of the symmetric (or Hermitian) `a` with L and the blocks of D in `P L D Lᵀ Pᵀ`, by
  /// Bunch and Kaufman's pivoting. A negative pair of pivots marks a block of two. Returns 0, or the position of the
  /// first block of zeros.
  static int ldl(Matrix a, int[] pivots, boolean hermitian) {
    int n = a.rows;
    int info = 0;
    double bound = (1 + Math.sqrt(17)) / 8;
    for (int k = 0; k < n; ) {
      int step = 1;
      int pivot = k;
      double diagonal = hermitian ? Math.abs(a.re[a.at(k, k)]) : a.size(k, k);
      int largest = k;
      double columnMax = 0;
      for (int i = k + 1; i < n; i++) {
        if (a.size(i, k) > columnMax) {
          largest = i;
          columnMax = a.size(i, k);
        }
      }
      if (Math.max(diagonal, columnMax) == 0) {
        info = info == 0 ? k + 1 : info;
        pivots[k] = k + 1;
        k++;
        continue;
      }
      if (diagonal < bound * columnMax) {
        double rowMax = 0;
        for (int j = k; j < largest; j++) {
          rowMax = Math.max(rowMax, a.size(largest, j));
        }
        for (int i = largest + 1; i < n; i++) {
          rowMax = Math.max(rowMax, a.size(i, largest));
        }
        if (diagonal < bound * columnMax * (columnMax / rowMax)) {
          pivot = largest;
          step = a.size(largest, largest) >= bound * rowMax ? 1 : 2;
        }
      }
      exchange(a, k, k + step - 1, pivot, hermitian);
      if (step == 1) {
        eliminate(a, k, hermitian);
        pivots[k] = pivot + 1;
      } else {
        eliminatePair(a, k, hermitian);
        pivots[k] = -(pivot + 1);
        pivots[k + 1] = -(pivot + 1);
      }
      k += step;
    }
    return info;
  }

  /// Exchanges rows and columns `from` and `to` of the trailing matrix that starts at `k`.
  private static void exchange(Matrix a, int k, int from, int to, boolean hermitian) {
    double sign = hermitian ? -1 : 1;
    if (from == to) {
      if (hermitian) {
        a.im[a.at(from, from)] = 0;
      }
      return;
    }
    for (int i = to + 1; i < a.rows; i++) {
      exchange(a, a.at(i, from), a.at(i, to), 1);
    }
    for (int j = from + 1; j < to; j++) {
      exchange(a, a.at(j, from), a.at(to, j), sign);
    }
    a.im[a.at(to, from)] *= sign;
    exchange(a, a.at(from, from), a.at(to, to), 1);
    if (from > k) {
      exchange(a, a.at(k + 1, k), a.at(to, k), 1);
    }
  }

  private static void exchange(Matrix a, int x, int y, double sign) {
    double r = a.re[x];
    double s = a.im[x];
    a.re[x] = a.re[y];
    a.im[x] = sign * a.im[y];
    a.re[y] = r;
    a.im[y] = sign * s;
  }

  private static void eliminate(Matrix a, int k, boolean hermitian) {
    double sign = hermitian ? -1 : 1;
    double[] d = inverse(a, k, k);
    for (int j = k + 1; j < a.rows; j++) {
      double r = a.re[a.at(j, k)];
      double s = sign * a.im[a.at(j, k)];
      double wr = r * d[0] - s * d[1];
      double wi = r * d[1] + s * d[0];
      for (int i = j; i < a.rows; i++) {
        subtract(a, i, j, a.re[a.at(i, k)], a.im[a.at(i, k)], wr, wi);
      }
    }
    for (int i = k + 1; i < a.rows; i++) {
      double r = a.re[a.at(i, k)];
      double s = a.im[a.at(i, k)];
      a.set(i, k, r * d[0] - s * d[1], r * d[1] + s * d[0]);
    }
  }

  /// Eliminates with the inverse of the block of two at `k`.
  private static void eliminatePair(Matrix a, int k, boolean hermitian) {
    double sign = hermitian ? -1 : 1;
    double[] d = pairInverse(a, k, hermitian);
    for (int j = k + 2; j < a.rows; j++) {
      double pr = a.re[a.at(j, k)];
      double pi = a.im[a.at(j, k)];
      double qr = a.re[a.at(j, k + 1)];
      double qi = a.im[a.at(j, k + 1)];
      // the row [p q] times the inverse block [d0 d2; d1 d3]
      double wr = pr * d[0] - pi * d[1] + qr * d[2] - qi * d[3];
      double wi = pr * d[1] + pi * d[0] + qr * d[3] + qi * d[2];
      double xr = pr * d[4] - pi * d[5] + qr * d[6] - qi * d[7];
      double xi = pr * d[5] + pi * d[4] + qr * d[7] + qi * d[6];
      for (int i = j; i < a.rows; i++) {
        subtract(a, i, j, a.re[a.at(i, k)], a.im[a.at(i, k)], wr, sign * wi);
        subtract(a, i, j, a.re[a.at(i, k + 1)], a.im[a.at(i, k + 1)], xr, sign * xi);
      }
      a.set(j, k, wr, wi);
      a.set(j, k + 1, xr, xi);
    }
  }

  /// The inverse of the block of two at `k`, by columns: the parts of elements (0,0), (1,0), (0,1), (1,1).
  static double[] pairInverse(Matrix a, int k, boolean hermitian) {
    double br = a.re[a.at(k + 1, k)];
    double bi = a.im[a.at(k + 1, k)];
    double cr = br;
    double ci = hermitian ? -bi : bi;
    double ar = a.re[a.at(k, k)];
    double ai = hermitian ? 0 : a.im[a.at(k, k)];
    double dr = a.re[a.at(k + 1, k + 1)];
    double di = hermitian ? 0 : a.im[a.at(k + 1, k + 1)];
    // divided by the element off the diagonal, which is the largest, so that nothing overflows
    double scale = Math.max(Math.abs(br), Math.abs(bi));
    ar /= scale;
    ai /= scale;
    br /= scale;
    bi /= scale;
    cr /= scale;
    ci /= scale;
    dr /= scale;
    di /= scale;
    double detRe = ar * dr - ai * di - (br * cr - bi * ci);
    double detIm = ar * di + ai * dr - (br * ci + bi * cr);
    double[] one = quotient(1 / scale, 0, detRe, detIm);
    return new double[] {
      dr * one[0] - di * one[1],
      dr * one[1] + di * one[0],
      -(br * one[0] - bi * one[1]),
      -(br * one[1] + bi * one[0]),
      -(cr * one[0] - ci * one[1]),
      -(cr * one[1] + ci * one[0]),
      ar * one[0] - ai * one[1],
      ar * one[1] + ai * one[0]
    };
  }

  /// Overwrites `b` with the solution of the system whose factors `ldl` has made.
  static void solveLdl(Matrix a, int[] pivots, Matrix b, boolean hermitian) {
    int n = a.rows;
    for (int k = 0; k < n; ) {
      int step = pivots[k] > 0 ? 1 : 2;
      int last = k + step - 1;
      b.swapRows(last, Math.abs(pivots[k]) - 1);
      for (int i = k + step; i < n; i++) {
        for (int c = k; c <= last; c++) {
          for (int j = 0; j < b.columns; j++) {
            subtract(
                b, i, j, a.re[a.at(i, c)], a.im[a.at(i, c)], b.re[b.at(c, j)], b.im[b.at(c, j)]);
          }
        }
      }
      for (int j = 0; j < b.columns; j++) {
        divide(a, k, step, b, j, hermitian);
      }
      k += step;
    }
    double sign = hermitian ? -1 : 1;
    for (int k = n - 1; k >= 0; ) {
      int step = pivots[k] > 0 ? 1 : 2;
      for (int c = k; c > k - step; c--) {
        for (int j = 0; j < b.columns; j++) {
          for (int i = k + 1; i < n; i++) {
            subtract(
                b,
                c,
                j,
                a.re[a.at(i, c)],
                sign * a.im[a.at(i, c)],
                b.re[b.at(i, j)],
                b.im[b.at(i, j)]);
          }
        }
      }
      b.swapRows(k, Math.abs(pivots[k]) - 1);
      k -= step;
    }
  }

  private static void divide(Matrix a, int k, int step, Matrix b, int j, boolean hermitian) {
    int kj = b.at(k, j);
    if (step == 1) {
      double[] q = quotient(b.re[kj], b.im[kj], a.re[a.at(k, k)], hermitian ? 0 : a.im[a.at(k, k)]);
      b.set(k, j, q[0], q[1]);
      return;
    }
    double[] d = pairInverse(a, k, hermitian);
    int next = b.at(k + 1, j);
    double pr = b.re[kj];
    double pi = b.im[kj];
    double qr = b.re[next];
    double qi = b.im[next];
    b.set(
        k,
        j,
        d[0] * pr - d[1] * pi + d[4] * qr - d[5] * qi,
        d[0] * pi + d[1] * pr + d[4] * qi + d[5] * qr);
    b.set(
        k + 1,
        j,
        d[2] * pr - d[3] * pi + d[6] * qr - d[7] * qi,
        d[2] * pi + d[3] * pr + d[6] * qi + d[7] * qr);
  }
}
