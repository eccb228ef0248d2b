package taper.tensor.internal;

import taper.tensor.spi.Strided;

/// A matrix of complex numbers in double precision, for the plain algorithms of linear algebra. Real matrices have
/// imaginary parts of zero.
///
/// Elements lie in row-major order. Not safe to share between threads.
final class Matrix {
  final int rows;
  final int columns;
  final double[] re;
  final double[] im;

  Matrix(int rows, int columns) {
    this.rows = rows;
    this.columns = columns;
    this.re = new double[rows * columns];
    this.im = new double[rows * columns];
  }

  /// The identity.
  static Matrix eye(int n) {
    var result = new Matrix(n, n);
    for (int i = 0; i < n; i++) {
      result.re[i * n + i] = 1;
    }
    return result;
  }

  Matrix copy() {
    var result = new Matrix(rows, columns);
    System.arraycopy(re, 0, result.re, 0, re.length);
    System.arraycopy(im, 0, result.im, 0, im.length);
    return result;
  }

  int at(int i, int j) {
    return i * columns + j;
  }

  /// The size of an element: |re| + |im|, which is as good as the absolute value for comparing, and cheaper.
  double size(int i, int j) {
    return Math.abs(re[at(i, j)]) + Math.abs(im[at(i, j)]);
  }

  /// The conjugate transpose.
  Matrix adjoint() {
    var result = new Matrix(columns, rows);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        result.re[j * rows + i] = re[at(i, j)];
        result.im[j * rows + i] = -im[at(i, j)];
      }
    }
    return result;
  }

  /// The first `count` columns.
  Matrix leading(int count) {
    var result = new Matrix(rows, count);
    for (int i = 0; i < rows; i++) {
      System.arraycopy(re, i * columns, result.re, i * count, count);
      System.arraycopy(im, i * columns, result.im, i * count, count);
    }
    return result;
  }

  /// The product with `other`.
  Matrix times(Matrix other) {
    var result = new Matrix(rows, other.columns);
    for (int i = 0; i < rows; i++) {
      for (int k = 0; k < columns; k++) {
        double ar = re[at(i, k)];
        double ai = im[at(i, k)];
        for (int j = 0; j < other.columns; j++) {
          double br = other.re[other.at(k, j)];
          double bi = other.im[other.at(k, j)];
          result.re[result.at(i, j)] += ar * br - ai * bi;
          result.im[result.at(i, j)] += ar * bi + ai * br;
        }
      }
    }
    return result;
  }

  void set(int i, int j, double real, double imaginary) {
    re[at(i, j)] = real;
    im[at(i, j)] = imaginary;
  }

  void swapRows(int i, int k) {
    for (int j = 0; j < columns && i != k; j++) {
      swap(re, at(i, j), at(k, j));
      swap(im, at(i, j), at(k, j));
    }
  }

  private static void swap(double[] x, int i, int k) {
    double t = x[i];
    x[i] = x[k];
    x[k] = t;
  }

  /// The 2-norm of column `j` from row `first` on.
  double columnNorm(int j, int first) {
    double scale = 0;
    for (int i = first; i < rows; i++) {
      scale = Math.max(scale, Math.max(Math.abs(re[at(i, j)]), Math.abs(im[at(i, j)])));
    }
    if (scale == 0 || !Double.isFinite(scale)) {
      return scale;
    }
    double sum = 0;
    for (int i = first; i < rows; i++) {
      double r = re[at(i, j)] / scale;
      double s = im[at(i, j)] / scale;
      sum += r * r + s * s;
    }
    return scale * Math.sqrt(sum);
  }

  /// Makes columns `p` and `q` of the first `count` rows `a·p + b·q` and `c·p + d·q`; each number is given by its two parts.
  void combineColumns(int p, int q, int count, double[] a, double[] b, double[] c, double[] d) {
    for (int i = 0; i < count; i++) {
      combine(at(i, p), at(i, q), a, b, c, d);
    }
  }

  /// Makes rows `p` and `q` from column `first` on `a·p + b·q` and `c·p + d·q`.
  void combineRows(int p, int q, int first, double[] a, double[] b, double[] c, double[] d) {
    for (int j = first; j < columns; j++) {
      combine(at(p, j), at(q, j), a, b, c, d);
    }
  }

  private void combine(int x, int y, double[] a, double[] b, double[] c, double[] d) {
    double xr = re[x];
    double xi = im[x];
    double yr = re[y];
    double yi = im[y];
    re[x] = a[0] * xr - a[1] * xi + b[0] * yr - b[1] * yi;
    im[x] = a[0] * xi + a[1] * xr + b[0] * yi + b[1] * yr;
    re[y] = c[0] * xr - c[1] * xi + d[0] * yr - d[1] * yi;
    im[y] = c[0] * xi + c[1] * xr + d[0] * yi + d[1] * yr;
  }

  /// The matrix whose column `j` is column `order[j]` of this one.
  Matrix columnsInOrder(int[] order) {
    var result = new Matrix(rows, order.length);
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < order.length; j++) {
        result.set(i, j, re[at(i, order[j])], im[at(i, order[j])]);
      }
    }
    return result;
  }

  /// How many matrices the last two dimensions of `x` hold.
  static int count(Strided x) {
    int count = 1;
    for (int d = 0; d < x.rank() - 2; d++) {
      count = Math.multiplyExact(count, Math.toIntExact(x.size(d)));
    }
    return count;
  }

  /// Matrix `number` of a contiguous stack.
  static Matrix read(Strided x, int number) {
    int rows = Math.toIntExact(x.size(x.rank() - 2));
    int columns = Math.toIntExact(x.size(x.rank() - 1));
    var result = new Matrix(rows, columns);
    read(x, number, result);
    return result;
  }

  private static void read(Strided x, int number, Matrix result) {
    var elements = new Elements(x);
    long start = (long) number * result.re.length;
    for (int i = 0; i < result.re.length; i++) {
      result.re[i] = elements.realAt(start + i);
      result.im[i] = elements.imaginaryAt(start + i);
    }
  }

  /// Writes this to place `number` of a contiguous stack.
  void write(Strided x, int number) {
    var elements = new Elements(x);
    long start = (long) number * re.length;
    for (int i = 0; i < re.length; i++) {
      elements.set(start + i, re[i], im[i]);
    }
  }
}
