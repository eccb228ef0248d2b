package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Range;
import taper.tensor.DType;
import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.AvgPool2dInput;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.spi.Places;
import taper.tensor.spi.Strided;

/// Pooling in plain Java, for `float32` and `float64`, all operands contiguous: `[n c h w]` in, `[n c oh ow]`
/// out, or back. Planes are independent and are shared between threads.
public final class JavaPooling {
  /// So many elements are worth handing to another thread.
  private static final long GRAIN = 1 << 14;

  /// The elements of a plane that a thread has room for.
  private static final long MOST = 1 << 25;

  /// Padding may be wider than the image by so much.
  private static final long WIDEST = 64;

  private JavaPooling() {}

  /// Whether planes are so small, and windows so near, that kernels here have room for them and compute places as ints. What
  /// is left goes to plain kernels.
  public static boolean covers(Strided large, Strided small, int paddingH, int paddingW) {
    double n = (double) large.size(2) * large.size(3);
    double m = (double) small.size(2) * small.size(3);
    return large.numel() > 0
        && small.numel() > 0
        && Math.max(n, m) <= MOST
        && paddingH <= large.size(2) + WIDEST
        && paddingW <= large.size(3) + WIDEST;
  }

  /// Runs `body` on ranges of planes of `x[n c h w]`.
  static void planes(Strided x, Range body) {
    long plane = Math.max(1, x.size(2) * x.size(3));
    Parallel.run(x.size(0) * x.size(1), Math.max(1, GRAIN / plane), body);
  }

  private interface Pool {
    void plane(Planes planes, long[] places);
  }

  /// `y` from `x`, plane by plane, and the places if there are any.
  private static void pool(Strided y, Strided places, boolean hasPlaces, Strided x, Pool pool) {
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    planes(
        x,
        (from, to) -> {
          Planes planes = Planes.of(x, y).doubles();
          int n = planes.n();
          int m = planes.m();
          long[] found = (hasPlaces ? planes.places() : planes).places;
          for (long p = from; p < to; p++) {
            in.load(p * n, planes.large, n);
            pool.plane(planes, found);
            out.store(planes.small, p * m, m);
            if (hasPlaces) {
              MemorySegment.copy(
                  found,
                  0,
                  places.memory(),
                  JAVA_LONG_UNALIGNED,
                  places.byteOffset() + 8 * p * m,
                  m);
            }
          }
        });
  }

  private interface Spread {
    void plane(Planes planes);
  }

  /// `dx` from `dy`, plane by plane; the large plane is zero at first.
  private static void spread(Strided dx, Strided dy, Spread spread) {
    Numbers in = Numbers.of(dy);
    Numbers out = Numbers.of(dx);
    planes(
        dx,
        (from, to) -> {
          Planes planes = Planes.of(dx, dy).doubles();
          int n = planes.n();
          int m = planes.m();
          for (long p = from; p < to; p++) {
            in.load(p * m, planes.small, m);
            planes.clear();
            spread.plane(planes);
            out.store(planes.large, p * n, n);
          }
        });
  }

  /// Maxima of windows, and their places in their planes. The first of equal maxima counts; a NaN beats
  /// every number, and an earlier NaN.
  public static void max(MaxPool2d a, Strided y, Strided indices, Strided x) {
    if (x.dtype() == DType.FLOAT32) {
      JavaMaxPool.max(a, y, indices, x);
      return;
    }
    pool(y, indices, true, x, (planes, places) -> max(a, planes, places));
  }

  /// Maxima of windows of 2 × 2, side by side, and in which corner each lies, row by row. What counts is as for [#max].
  public static void maxOfCorners(Strided y, Strided corners, Strided x) {
    if (x.dtype() == DType.FLOAT32) {
      JavaMaxPool2x2.run(y, corners, x);
      return;
    }
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    planes(
        x,
        (from, to) -> {
          Planes planes = Planes.of(x, y).doubles().corners();
          int n = planes.n();
          int m = planes.m();
          byte[] found = planes.corners;
          for (long p = from; p < to; p++) {
            in.load(p * n, planes.large, n);
            maxOfCorners(planes, found);
            out.store(planes.small, p * m, m);
            MemorySegment.copy(
                found, 0, corners.memory(), JAVA_BYTE, corners.byteOffset() + p * m, m);
          }
        });
  }

  private static void maxOfCorners(Planes planes, byte[] corners) {
    double[] x = planes.large;
    int w = planes.w;
    int o = 0;
    for (int r = 0; r < planes.oh; r++) {
      int at = 2 * r * w;
      for (int c = 0; c < planes.ow; c++, o++, at += 2) {
        double best = x[at];
        int corner = 0;
        for (int i = 1; i < 4; i++) {
          double value = x[at + (i >> 1) * w + (i & 1)];
          if (value > best || Double.isNaN(value)) {
            best = value;
            corner = i;
          }
        }
        planes.small[o] = best;
        corners[o] = (byte) corner;
      }
    }
  }

  /// `dx` is zero but for the corners of maxima, which get the gradients of `dy`.
  public static void cornerGradient(Strided dx, Strided dy, Strided corners) {
    corners(
        dx,
        dy,
        corners,
        Numbers.of(dy),
        Numbers.of(dx),
        (planes, at, o) -> planes.large[at] = planes.small[o],
        true);
  }

  /// The elements of `x` in the given corners of its windows.
  public static void pickCorners(Strided y, Strided x, Strided corners) {
    corners(
        x,
        y,
        corners,
        Numbers.of(x),
        Numbers.of(y),
        (planes, at, o) -> planes.small[o] = planes.large[at],
        false);
  }

  private interface Corner {
    void move(Planes planes, int at, int o);
  }

  private static void corners(
      Strided large,
      Strided small,
      Strided corners,
      Numbers in,
      Numbers out,
      Corner body,
      boolean spread) {
    planes(
        large,
        (from, to) -> {
          Planes planes = Planes.of(large, small).doubles().corners();
          int n = planes.n();
          int m = planes.m();
          byte[] which = planes.corners;
          for (long p = from; p < to; p++) {
            MemorySegment.copy(
                corners.memory(), JAVA_BYTE, corners.byteOffset() + p * m, which, 0, m);
            if (spread) {
              in.load(p * m, planes.small, m);
              planes.clear();
            } else {
              in.load(p * n, planes.large, n);
            }
            for (int o = 0; o < m; o++) {
              int at = 2 * (o / planes.ow) * planes.w + 2 * (o % planes.ow);
              int corner = which[o] & 255;
              if (corner < 4) {
                body.move(planes, at + (corner >> 1) * planes.w + (corner & 1), o);
              } else if (!spread) {
                planes.small[o] = 0;
              }
            }
            if (spread) {
              out.store(planes.large, p * n, n);
            } else {
              out.store(planes.small, p * m, m);
            }
          }
        });
  }

  private static void max(MaxPool2d a, Planes planes, long[] places) {
    double[] x = planes.large;
    int w = planes.w;
    int o = 0;
    for (int r = 0; r < planes.oh; r++) {
      int top = r * a.strideH() - a.paddingH();
      for (int c = 0; c < planes.ow; c++, o++) {
        int left = c * a.strideW() - a.paddingW();
        double best = Double.NEGATIVE_INFINITY;
        int place = -1;
        for (int i = 0; i < a.kernelH(); i++) {
          int y = top + i * a.dilationH();
          if (y < 0 || y >= planes.h) {
            continue;
          }
          for (int j = 0; j < a.kernelW(); j++) {
            int v = left + j * a.dilationW();
            if (v < 0 || v >= w) {
              continue;
            }
            double value = x[y * w + v];
            if (place < 0 || value > best || Double.isNaN(value)) {
              best = value;
              place = y * w + v;
            }
          }
        }
        planes.small[o] = best;
        places[o] = Math.max(place, 0); // a dilated window may miss the image
      }
    }
  }

  /// Maxima of adaptive windows, and their places.
  public static void adaptiveMax(Strided y, Strided indices, Strided x) {
    if (x.dtype() == DType.FLOAT32) {
      JavaMaxPool.adaptiveMax(y, indices, x);
      return;
    }
    pool(y, indices, true, x, JavaPooling::adaptiveMax);
  }

  private static void adaptiveMax(Planes planes, long[] places) {
    int w = planes.w;
    int o = 0;
    for (int r = 0; r < planes.oh; r++) {
      int bottom = end(r, planes.h, planes.oh);
      for (int c = 0; c < planes.ow; c++, o++) {
        int right = end(c, w, planes.ow);
        double best = Double.NEGATIVE_INFINITY;
        int place = -1;
        for (int i = start(r, planes.h, planes.oh); i < bottom; i++) {
          for (int j = start(c, w, planes.ow); j < right; j++) {
            double value = planes.large[i * w + j];
            if (place < 0 || value > best || Double.isNaN(value)) {
              best = value;
              place = i * w + j;
            }
          }
        }
        planes.small[o] = best;
        places[o] = place;
      }
    }
  }

  static int start(int index, int size, int windows) {
    return (int) ((long) index * size / windows);
  }

  static int end(int index, int size, int windows) {
    return (int) Math.ceilDiv((index + 1L) * size, windows);
  }

  /// `dx` is zero but for the places of maxima, which get the gradients of `dy`.
  public static void maxGradient(Strided dx, Strided dy, Strided indices) {
    if (dx.dtype() == DType.FLOAT32) {
      JavaMaxPool.gradient(dx, dy, indices);
      return;
    }
    Numbers in = Numbers.of(dy);
    Numbers out = Numbers.of(dx);
    planes(
        dx,
        (from, to) -> {
          Planes planes = Planes.of(dx, dy).doubles().places();
          int n = planes.n();
          int m = planes.m();
          long[] places = planes.places;
          for (long p = from; p < to; p++) {
            in.load(p * m, planes.small, m);
            loadPlaces(indices, p * m, places, m);
            planes.clear();
            for (int o = 0; o < m; o++) {
              int place = (int) Places.check("maxPool2dGradient", places[o], n);
              planes.large[place] += planes.small[o];
            }
            out.store(planes.large, p * n, n);
          }
        });
  }

  private static void loadPlaces(Strided indices, long from, long[] places, int m) {
    long offset = indices.byteOffset() + 8 * from;
    MemorySegment.copy(indices.memory(), JAVA_LONG_UNALIGNED, offset, places, 0, m);
  }

  /// The elements of `x` at `indices` of each plane.
  public static void pick(Strided y, Strided x, Strided indices) {
    if (x.dtype() == DType.FLOAT32) {
      JavaMaxPool.pick(y, x, indices);
      return;
    }
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    planes(
        y,
        (from, to) -> {
          Planes planes = Planes.of(x, y).doubles().places();
          int n = planes.n();
          int m = planes.m();
          long[] places = planes.places;
          for (long p = from; p < to; p++) {
            in.load(p * n, planes.large, n);
            loadPlaces(indices, p * m, places, m);
            for (int o = 0; o < m; o++) {
              int place = (int) Places.check("maxPool2dPick", places[o], n);
              planes.small[o] = planes.large[place];
            }
            out.store(planes.small, p * m, m);
          }
        });
  }

  /// The windows along one dimension: window `o` has the elements `from[o]` to `to[o]`, and each counts `share[o]`.
  private record Line(int[] from, int[] to, double[] share, boolean pairs) {

    static Line of(int windows, IntUnaryOperator from, IntUnaryOperator to, double[] share) {
      int[] first = new int[windows];
      int[] end = new int[windows];
      boolean pairs = true;
      for (int o = 0; o < windows; o++) {
        first[o] = from.applyAsInt(o);
        end[o] = Math.max(first[o], to.applyAsInt(o));
        pairs &= end[o] - first[o] == 2;
      }
      return new Line(first, end, share, pairs);
    }

    static Line moving(AvgPool2d a, int size, int windows, int kernel, int stride, int padding) {
      boolean divided = a.divisorOverride() != 0;
      double[] share = new double[windows];
      for (int o = 0; o < windows; o++) {
        int begin = o * stride - padding;
        int inside = Math.min(begin + kernel, size) - Math.max(begin, 0);
        int counted =
            a.countIncludePad() ? Math.min(begin + kernel, size + padding) - begin : inside;
        share[o] = divided ? 1 : 1.0 / Math.max(1, counted);
      }
      return of(
          windows,
          o -> Math.max(0, o * stride - padding),
          o -> Math.min(o * stride - padding + kernel, size),
          share);
    }

    static Line adaptive(int size, int windows) {
      double[] share = new double[windows];
      for (int o = 0; o < windows; o++) {
        share[o] = 1.0 / (end(o, size, windows) - start(o, size, windows));
      }
      return of(windows, o -> start(o, size, windows), o -> end(o, size, windows), share);
    }
  }

  /// Averages of windows.
  public static void average(AvgPool2d a, Strided y, Strided x) {
    Line rows = rows(a, x, y);
    Line columns = columns(a, x, y);
    double scale = a.divisorOverride() == 0 ? 1 : 1.0 / a.divisorOverride();
    pool(y, y, false, x, (planes, none) -> average(planes, rows, columns, scale));
  }

  private static Line rows(AvgPool2d a, Strided x, Strided y) {
    int size = (int) x.size(2);
    int windows = (int) y.size(2);
    return Line.moving(a, size, windows, a.kernelH(), a.strideH(), a.paddingH());
  }

  private static Line columns(AvgPool2d a, Strided x, Strided y) {
    int size = (int) x.size(3);
    int windows = (int) y.size(3);
    return Line.moving(a, size, windows, a.kernelW(), a.strideW(), a.paddingW());
  }

  /// Rows are summed first, by columns, then the columns: a window of `k × k` takes `2 k` sums that way.
  private static void average(Planes planes, Line rows, Line columns, double scale) {
    double[] sums = planes.sums;
    for (int r = 0; r < planes.oh; r++) {
      sumRows(planes, rows.from[r], rows.to[r], sums);
      double share = rows.share[r] * scale;
      if (columns.pairs) {
        sumPairs(sums, columns, share, planes.small, r * planes.ow);
      } else {
        sumColumns(sums, columns, share, planes.small, r * planes.ow);
      }
    }
  }

  private static void sumRows(Planes planes, int top, int bottom, double[] sums) {
    double[] x = planes.large;
    int w = planes.w;
    if (bottom - top < 2) {
      Arrays.fill(sums, 0, w, 0);
      if (top < bottom) {
        System.arraycopy(x, top * w, sums, 0, w);
      }
      return;
    }
    int at = top * w;
    for (int j = 0; j < w; j++) {
      sums[j] = x[at + j] + x[at + w + j];
    }
    int i = top + 2;
    for (; i + 1 < bottom; i += 2) {
      int row = i * w;
      for (int j = 0; j < w; j++) {
        sums[j] += x[row + j] + x[row + w + j];
      }
    }
    if (i < bottom) {
      int row = i * w;
      for (int j = 0; j < w; j++) {
        sums[j] += x[row + j];
      }
    }
  }

  private static void sumPairs(double[] sums, Line columns, double share, double[] y, int at) {
    int[] from = columns.from;
    double[] shares = columns.share;
    for (int c = 0; c < from.length; c++) {
      int left = from[c];
      y[at + c] = (sums[left] + sums[left + 1]) * (shares[c] * share);
    }
  }

  private static void sumColumns(double[] sums, Line columns, double share, double[] y, int at) {
    int[] from = columns.from;
    int[] to = columns.to;
    double[] shares = columns.share;
    for (int c = 0; c < from.length; c++) {
      double sum = 0;
      for (int j = from[c], end = to[c]; j < end; j++) {
        sum += sums[j];
      }
      y[at + c] = sum * (shares[c] * share);
    }
  }

  /// What the sum over the window at (`top`, `left`) is divided by: 0 if the window is empty.
  private static double divisor(AvgPool2d a, int top, int left, int h, int w) {
    long rows = Math.min(top + a.kernelH(), h) - Math.max(top, 0);
    long columns = Math.min(left + a.kernelW(), w) - Math.max(left, 0);
    if (rows <= 0 || columns <= 0) {
      return 0;
    }
    if (a.divisorOverride() != 0) {
      return a.divisorOverride();
    }
    if (!a.countIncludePad()) {
      return rows * columns;
    }
    long paddedRows = Math.min(top + a.kernelH(), h + a.paddingH()) - top;
    long paddedColumns = Math.min(left + a.kernelW(), w + a.paddingW()) - left;
    return paddedRows * paddedColumns;
  }

  /// The gradients of averages, spread over their windows.
  public static void averageGradient(AvgPool2dInput input, Strided dx, Strided dy) {
    spread(dx, dy, planes -> averageGradient(input.pool(), planes));
  }

  private static void averageGradient(AvgPool2d a, Planes planes) {
    int h = planes.h;
    int w = planes.w;
    int o = 0;
    for (int r = 0; r < planes.oh; r++) {
      int top = r * a.strideH() - a.paddingH();
      int bottom = Math.min(top + a.kernelH(), h);
      for (int c = 0; c < planes.ow; c++, o++) {
        int left = c * a.strideW() - a.paddingW();
        int right = Math.min(left + a.kernelW(), w);
        double divisor = divisor(a, top, left, h, w);
        if (divisor != 0) {
          double share = planes.small[o] / divisor;
          add(planes, share, Math.max(0, top), bottom, Math.max(0, left), right);
        }
      }
    }
  }

  private static void add(Planes planes, double share, int top, int bottom, int left, int right) {
    for (int i = top; i < bottom; i++) {
      for (int j = left; j < right; j++) {
        planes.large[i * planes.w + j] += share;
      }
    }
  }

  /// Averages of adaptive windows.
  public static void adaptiveAverage(Strided y, Strided x) {
    if (y.size(2) == 1 && y.size(3) == 1 && x.dtype() == DType.FLOAT32) {
      JavaMean.run(y, x);
      return;
    }
    Line rows = Line.adaptive((int) x.size(2), (int) y.size(2));
    Line columns = Line.adaptive((int) x.size(3), (int) y.size(3));
    pool(y, y, false, x, (planes, none) -> average(planes, rows, columns, 1));
  }

  /// The gradients of averages of adaptive windows, spread over their windows.
  public static void adaptiveAverageGradient(Strided dx, Strided dy) {
    if (dy.size(2) == 1 && dy.size(3) == 1 && dx.dtype() == DType.FLOAT32) {
      JavaMean.gradient(dx, dy);
      return;
    }
    spread(
        dx,
        dy,
        planes -> {
          int o = 0;
          for (int r = 0; r < planes.oh; r++) {
            int top = start(r, planes.h, planes.oh);
            int bottom = end(r, planes.h, planes.oh);
            for (int c = 0; c < planes.ow; c++, o++) {
              int left = start(c, planes.w, planes.ow);
              int right = end(c, planes.w, planes.ow);
              double count = (double) (bottom - top) * (right - left);
              add(planes, planes.small[o] / count, top, bottom, left, right);
            }
          }
        });
  }
}
