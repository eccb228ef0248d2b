package taper.cpu.products;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/// Rows of numbers on the heap, and the one loop over them that does the arithmetic of [JavaProducts].
///
/// Every row is an array of its own: C2 turns [#add4x4] into vector code only if no two rows that it
/// touches share an array, since it cannot show that offsets into one array do not overlap. Four rows
/// times four steps keep 16 fused multiply-adds for 4 loads, 4 loads and 4 stores: 70 GFLOP/s where two
/// rows reach 49 and one reaches 38.
abstract sealed class Rows {
  /// Rows of the matrix on the right: the depth of a block.
  static final int DEPTH = 256;

  /// Columns of a block.
  static final int WIDTH = 256;

  /// Rows of the result that are computed together.
  static final int HEIGHT = 4;

  /// The row of zeros that stands for missing rows of the matrix on the right.
  static final int ZERO = DEPTH + HEIGHT;

  private static final ThreadLocal<Rows> FLOATS = ThreadLocal.withInitial(Floats::new);
  private static final ThreadLocal<Rows> DOUBLES = ThreadLocal.withInitial(Doubles::new);

  /// The scratch rows of this thread.
  static Rows ofThread(boolean wide) {
    return wide ? DOUBLES.get() : FLOATS.get();
  }

  /// The row of the result number `i`.
  static int result(int i) {
    return DEPTH + i;
  }

  abstract int byteSize();

  /// Copies `n` numbers that are `byteStride` apart into `row` from column `at` on.
  abstract void load(int row, int at, MemorySegment from, long offset, long byteStride, int n);

  /// Sets columns `at` to `at + n` of `row`.
  abstract void fill(int row, int at, int n, double value);

  /// Adds `value` to the first `n` columns of `row`.
  abstract void shift(int row, int n, double value);

  /// Adds the first `n` columns of `other` to those of `row`.
  abstract void add(int row, int other, int n);

  /// Writes the first `n` columns of `row`.
  abstract void store(int row, MemorySegment to, long offset, int n, boolean relu);

  /// Sets the coefficients of row `r` of `height` to `n` numbers that are `byteStride` apart, followed by
  /// zeros up to a multiple of four.
  abstract void coefficients(
      MemorySegment from, long offset, long byteStride, int n, int r, int height);

  /// Makes the image at least `size` numbers large and all of it zero.
  abstract void clearImage(int size);

  /// Copies `n` numbers into the image, `step` apart, from `at` on.
  abstract void loadImage(int at, int step, MemorySegment from, long offset, int n);

  /// Copies `n` numbers of the image, `step` apart, from `from` on, into `row` from column `at` on.
  abstract void takeImage(int row, int at, int from, int step, int n);

  /// Copies the numbers of the image at distances `j` to `j + n` from `base` into `row`.
  abstract void gather(int row, int base, int[] distances, int j, int n);

  /// Result rows 0 to 3 += coefficients `at` to `at + 15` × rows `b0` to `b3`.
  abstract void add4x4(int b0, int b1, int b2, int b3, int n, int at);

  /// Result row 0 += coefficients `at` to `at + 3` × rows `b0` to `b3`.
  abstract void add1x4(int b0, int b1, int b2, int b3, int n, int at);

  static double read(MemorySegment memory, long offset, boolean wide) {
    return wide
        ? memory.get(JAVA_DOUBLE_UNALIGNED, offset)
        : memory.get(JAVA_FLOAT_UNALIGNED, offset);
  }

  private static final class Floats extends Rows {
    private final float[][] rows = new float[ZERO + 1][WIDTH];
    private final float[] coefficients = new float[DEPTH * HEIGHT];
    private final float[] line = new float[DEPTH];
    private float[] image = {};

    @Override
    int byteSize() {
      return 4;
    }

    @Override
    void load(int row, int at, MemorySegment from, long offset, long byteStride, int n) {
      float[] to = rows[row];
      if (byteStride == 4) {
        MemorySegment.copy(from, JAVA_FLOAT_UNALIGNED, offset, to, at, n);
        return;
      }
      for (int j = 0; j < n; j++) {
        to[at + j] = from.get(JAVA_FLOAT_UNALIGNED, offset + j * byteStride);
      }
    }

    @Override
    void fill(int row, int at, int n, double value) {
      Arrays.fill(rows[row], at, at + n, (float) value);
    }

    @Override
    void shift(int row, int n, double value) {
      float[] r = rows[row];
      float v = (float) value;
      for (int j = 0; j < n; j++) {
        r[j] += v;
      }
    }

    @Override
    void add(int row, int other, int n) {
      float[] r = rows[row];
      float[] o = rows[other];
      for (int j = 0; j < n; j++) {
        r[j] += o[j];
      }
    }

    @Override
    void store(int row, MemorySegment to, long offset, int n, boolean relu) {
      float[] r = rows[row];
      if (relu) {
        for (int j = 0; j < n; j++) {
          r[j] = Math.max(r[j], 0); // keeps NaN; a conditional would be a jump
        }
      }
      MemorySegment.copy(r, 0, to, JAVA_FLOAT_UNALIGNED, offset, n);
    }

    @Override
    void coefficients(MemorySegment from, long offset, long byteStride, int n, int r, int height) {
      float[] to = coefficients;
      float[] line = this.line;
      if (byteStride == 4) {
        MemorySegment.copy(from, JAVA_FLOAT_UNALIGNED, offset, line, 0, n);
      } else {
        for (int q = 0; q < n; q++) {
          line[q] = from.get(JAVA_FLOAT_UNALIGNED, offset + q * byteStride);
        }
      }
      Arrays.fill(line, n, n + 3 & ~3, 0);
      for (int q = 0; q < n; q += 4) {
        System.arraycopy(line, q, to, q * height + 4 * r, 4);
      }
    }

    @Override
    void clearImage(int size) {
      if (image.length < size) {
        image = new float[size];
      } else {
        Arrays.fill(image, 0, size, 0);
      }
    }

    @Override
    void loadImage(int at, int step, MemorySegment from, long offset, int n) {
      if (step == 1) {
        MemorySegment.copy(from, JAVA_FLOAT_UNALIGNED, offset, image, at, n);
        return;
      }
      for (int j = 0; j < n; j++) {
        image[at + j * step] = from.get(JAVA_FLOAT_UNALIGNED, offset + 4L * j);
      }
    }

    @Override
    void takeImage(int row, int at, int from, int step, int n) {
      float[] to = rows[row];
      float[] source = image;
      if (step == 1) {
        System.arraycopy(source, from, to, at, n);
        return;
      }
      for (int j = 0; j < n; j++) {
        to[at + j] = source[from + j * step];
      }
    }

    @Override
    void gather(int row, int base, int[] distances, int j, int n) {
      float[] to = rows[row];
      float[] source = image;
      for (int q = 0; q < n; q++) {
        to[q] = source[base + distances[j + q]];
      }
    }

    @Override
    void add4x4(int i0, int i1, int i2, int i3, int n, int at) {
      loop(
          rows[DEPTH],
          rows[DEPTH + 1],
          rows[DEPTH + 2],
          rows[DEPTH + 3],
          rows[i0],
          rows[i1],
          rows[i2],
          rows[i3],
          n,
          coefficients,
          at);
    }

    private static void loop(
        float[] c,
        float[] d,
        float[] e,
        float[] f,
        float[] b0,
        float[] b1,
        float[] b2,
        float[] b3,
        int n,
        float[] a,
        int i) {
      float a00 = a[i];
      float a01 = a[i + 1];
      float a02 = a[i + 2];
      float a03 = a[i + 3];
      float a10 = a[i + 4];
      float a11 = a[i + 5];
      float a12 = a[i + 6];
      float a13 = a[i + 7];
      float a20 = a[i + 8];
      float a21 = a[i + 9];
      float a22 = a[i + 10];
      float a23 = a[i + 11];
      float a30 = a[i + 12];
      float a31 = a[i + 13];
      float a32 = a[i + 14];
      float a33 = a[i + 15];
      for (int j = 0; j < n; j++) {
        float x = b0[j];
        float y = b1[j];
        float z = b2[j];
        float w = b3[j];
        c[j] = Math.fma(a03, w, Math.fma(a02, z, Math.fma(a01, y, Math.fma(a00, x, c[j]))));
        d[j] = Math.fma(a13, w, Math.fma(a12, z, Math.fma(a11, y, Math.fma(a10, x, d[j]))));
        e[j] = Math.fma(a23, w, Math.fma(a22, z, Math.fma(a21, y, Math.fma(a20, x, e[j]))));
        f[j] = Math.fma(a33, w, Math.fma(a32, z, Math.fma(a31, y, Math.fma(a30, x, f[j]))));
      }
    }

    @Override
    void add1x4(int i0, int i1, int i2, int i3, int n, int at) {
      float[] a = coefficients;
      loop(
          rows[DEPTH],
          rows[i0],
          rows[i1],
          rows[i2],
          rows[i3],
          n,
          a[at],
          a[at + 1],
          a[at + 2],
          a[at + 3]);
    }

    private static void loop(
        float[] c,
        float[] b0,
        float[] b1,
        float[] b2,
        float[] b3,
        int n,
        float a0,
        float a1,
        float a2,
        float a3) {
      for (int j = 0; j < n; j++) {
        c[j] =
            Math.fma(
                a3, b3[j], Math.fma(a2, b2[j], Math.fma(a1, b1[j], Math.fma(a0, b0[j], c[j]))));
      }
    }
  }

  private static final class Doubles extends Rows {
    private final double[][] rows = new double[ZERO + 1][WIDTH];
    private final double[] coefficients = new double[DEPTH * HEIGHT];
    private final double[] line = new double[DEPTH];
    private double[] image = {};

    @Override
    int byteSize() {
      return 8;
    }

    @Override
    void load(int row, int at, MemorySegment from, long offset, long byteStride, int n) {
      double[] to = rows[row];
      if (byteStride == 8) {
        MemorySegment.copy(from, JAVA_DOUBLE_UNALIGNED, offset, to, at, n);
        return;
      }
      for (int j = 0; j < n; j++) {
        to[at + j] = from.get(JAVA_DOUBLE_UNALIGNED, offset + j * byteStride);
      }
    }

    @Override
    void fill(int row, int at, int n, double value) {
      Arrays.fill(rows[row], at, at + n, value);
    }

    @Override
    void shift(int row, int n, double value) {
      double[] r = rows[row];
      double v = value;
      for (int j = 0; j < n; j++) {
        r[j] += v;
      }
    }

    @Override
    void add(int row, int other, int n) {
      double[] r = rows[row];
      double[] o = rows[other];
      for (int j = 0; j < n; j++) {
        r[j] += o[j];
      }
    }

    @Override
    void store(int row, MemorySegment to, long offset, int n, boolean relu) {
      double[] r = rows[row];
      if (relu) {
        for (int j = 0; j < n; j++) {
          r[j] = Math.max(r[j], 0); // keeps NaN; a conditional would be a jump
        }
      }
      MemorySegment.copy(r, 0, to, JAVA_DOUBLE_UNALIGNED, offset, n);
    }

    @Override
    void coefficients(MemorySegment from, long offset, long byteStride, int n, int r, int height) {
      double[] to = coefficients;
      double[] line = this.line;
      if (byteStride == 8) {
        MemorySegment.copy(from, JAVA_DOUBLE_UNALIGNED, offset, line, 0, n);
      } else {
        for (int q = 0; q < n; q++) {
          line[q] = from.get(JAVA_DOUBLE_UNALIGNED, offset + q * byteStride);
        }
      }
      Arrays.fill(line, n, n + 3 & ~3, 0);
      for (int q = 0; q < n; q += 4) {
        System.arraycopy(line, q, to, q * height + 4 * r, 4);
      }
    }

    @Override
    void clearImage(int size) {
      if (image.length < size) {
        image = new double[size];
      } else {
        Arrays.fill(image, 0, size, 0);
      }
    }

    @Override
    void loadImage(int at, int step, MemorySegment from, long offset, int n) {
      if (step == 1) {
        MemorySegment.copy(from, JAVA_DOUBLE_UNALIGNED, offset, image, at, n);
        return;
      }
      for (int j = 0; j < n; j++) {
        image[at + j * step] = from.get(JAVA_DOUBLE_UNALIGNED, offset + 8L * j);
      }
    }

    @Override
    void takeImage(int row, int at, int from, int step, int n) {
      double[] to = rows[row];
      double[] source = image;
      if (step == 1) {
        System.arraycopy(source, from, to, at, n);
        return;
      }
      for (int j = 0; j < n; j++) {
        to[at + j] = source[from + j * step];
      }
    }

    @Override
    void gather(int row, int base, int[] distances, int j, int n) {
      double[] to = rows[row];
      double[] source = image;
      for (int q = 0; q < n; q++) {
        to[q] = source[base + distances[j + q]];
      }
    }

    @Override
    void add4x4(int i0, int i1, int i2, int i3, int n, int at) {
      loop(
          rows[DEPTH],
          rows[DEPTH + 1],
          rows[DEPTH + 2],
          rows[DEPTH + 3],
          rows[i0],
          rows[i1],
          rows[i2],
          rows[i3],
          n,
          coefficients,
          at);
    }

    private static void loop(
        double[] c,
        double[] d,
        double[] e,
        double[] f,
        double[] b0,
        double[] b1,
        double[] b2,
        double[] b3,
        int n,
        double[] a,
        int i) {
      double a00 = a[i];
      double a01 = a[i + 1];
      double a02 = a[i + 2];
      double a03 = a[i + 3];
      double a10 = a[i + 4];
      double a11 = a[i + 5];
      double a12 = a[i + 6];
      double a13 = a[i + 7];
      double a20 = a[i + 8];
      double a21 = a[i + 9];
      double a22 = a[i + 10];
      double a23 = a[i + 11];
      double a30 = a[i + 12];
      double a31 = a[i + 13];
      double a32 = a[i + 14];
      double a33 = a[i + 15];
      for (int j = 0; j < n; j++) {
        double x = b0[j];
        double y = b1[j];
        double z = b2[j];
        double w = b3[j];
        c[j] = Math.fma(a03, w, Math.fma(a02, z, Math.fma(a01, y, Math.fma(a00, x, c[j]))));
        d[j] = Math.fma(a13, w, Math.fma(a12, z, Math.fma(a11, y, Math.fma(a10, x, d[j]))));
        e[j] = Math.fma(a23, w, Math.fma(a22, z, Math.fma(a21, y, Math.fma(a20, x, e[j]))));
        f[j] = Math.fma(a33, w, Math.fma(a32, z, Math.fma(a31, y, Math.fma(a30, x, f[j]))));
      }
    }

    @Override
    void add1x4(int i0, int i1, int i2, int i3, int n, int at) {
      double[] a = coefficients;
      loop(
          rows[DEPTH],
          rows[i0],
          rows[i1],
          rows[i2],
          rows[i3],
          n,
          a[at],
          a[at + 1],
          a[at + 2],
          a[at + 3]);
    }

    private static void loop(
        double[] c,
        double[] b0,
        double[] b1,
        double[] b2,
        double[] b3,
        int n,
        double a0,
        double a1,
        double a2,
        double a3) {
      for (int j = 0; j < n; j++) {
        c[j] =
            Math.fma(
                a3, b3[j], Math.fma(a2, b2[j], Math.fma(a1, b1[j], Math.fma(a0, b0[j], c[j]))));
      }
    }
  }
}
