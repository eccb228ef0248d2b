package taper.cpu.pooling;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.cpu.parallel.Parallel;
import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.AvgPool2dInput;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.spi.Strided;

/// Pooling in plain Java, for `float32` and `float64`, all operands contiguous: `[n c h w]` in, `[n c oh ow]`
/// out, or back. Planes are independent and are shared between threads.
public final class JavaPooling {
  /// So many elements are worth handing to another thread.
  private static final long GRAIN = 1 << 14;

  private JavaPooling() {}

  /// Runs `body` on ranges of planes of `x[n c h w]`.
  static void planes(Strided x, taper.cpu.parallel.Range body) {
    long plane = Math.max(1, x.size(2) * x.size(3));
    Parallel.run(x.size(0) * x.size(1), Math.max(1, GRAIN / plane), body);
  }

  /// Maxima of windows, and their places in their planes. The first of equal maxima counts; a NaN beats
  /// every number, and an earlier NaN.
  public static void max(MaxPool2d a, Strided y, Strided indices, Strided x) {
    int h = (int) x.size(2);
    int w = (int) x.size(3);
    int oh = (int) y.size(2);
    int ow = (int) y.size(3);
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    MemorySegment places = indices.memory();
    planes(
        x,
        (from, to) -> {
          for (long p = from; p < to; p++) {
            long plane = p * h * w;
            long o = p * oh * ow;
            for (int r = 0; r < oh; r++) {
              int top = r * a.strideH() - a.paddingH();
              for (int c = 0; c < ow; c++, o++) {
                int left = c * a.strideW() - a.paddingW();
                double best = Double.NEGATIVE_INFINITY;
                int place = -1;
                for (int i = 0; i < a.kernelH(); i++) {
                  int y0 = top + i * a.dilationH();
                  if (y0 < 0 || y0 >= h) {
                    continue;
                  }
                  for (int j = 0; j < a.kernelW(); j++) {
                    int x0 = left + j * a.dilationW();
                    if (x0 < 0 || x0 >= w) {
                      continue;
                    }
                    double value = in.at(plane + y0 * w + x0);
                    if (place < 0 || value > best || Double.isNaN(value)) {
                      best = value;
                      place = y0 * w + x0;
                    }
                  }
                }
                out.set(o, best);
                places.set(JAVA_LONG_UNALIGNED, indices.byteOffset() + 8 * o, place);
              }
            }
          }
        });
  }

  /// Maxima of adaptive windows, and their places.
  public static void adaptiveMax(Strided y, Strided indices, Strided x) {
    int h = (int) x.size(2);
    int w = (int) x.size(3);
    int oh = (int) y.size(2);
    int ow = (int) y.size(3);
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    MemorySegment places = indices.memory();
    planes(
        x,
        (from, to) -> {
          for (long p = from; p < to; p++) {
            long plane = p * h * w;
            long o = p * oh * ow;
            for (int r = 0; r < oh; r++) {
              for (int c = 0; c < ow; c++, o++) {
                double best = Double.NEGATIVE_INFINITY;
                int place = -1;
                for (int i = start(r, h, oh); i < end(r, h, oh); i++) {
                  for (int j = start(c, w, ow); j < end(c, w, ow); j++) {
                    double value = in.at(plane + i * w + j);
                    if (place < 0 || value > best || Double.isNaN(value)) {
                      best = value;
                      place = i * w + j;
                    }
                  }
                }
                out.set(o, best);
                places.set(JAVA_LONG_UNALIGNED, indices.byteOffset() + 8 * o, place);
              }
            }
          }
        });
  }

  private static int start(int index, int size, int windows) {
    return (int) ((long) index * size / windows);
  }

  private static int end(int index, int size, int windows) {
    return (int) Math.ceilDiv((index + 1L) * size, windows);
  }

  /// `dx` is zero but for the places of maxima, which get the gradients of `dy`.
  public static void maxGradient(Strided dx, Strided dy, Strided indices) {
    long plane = dx.size(2) * dx.size(3);
    long outPlane = dy.size(2) * dy.size(3);
    Numbers out = Numbers.of(dx);
    Numbers in = Numbers.of(dy);
    MemorySegment places = indices.memory();
    planes(
        dx,
        (from, to) -> {
          out.clear(from * plane, to * plane);
          for (long p = from; p < to; p++) {
            for (long o = p * outPlane; o < (p + 1) * outPlane; o++) {
              long place = places.get(JAVA_LONG_UNALIGNED, indices.byteOffset() + 8 * o);
              long at = p * plane + place;
              out.set(at, out.at(at) + in.at(o));
            }
          }
        });
  }

  /// The elements of `x` at `indices` of each plane.
  public static void pick(Strided y, Strided x, Strided indices) {
    long plane = x.size(2) * x.size(3);
    long outPlane = y.size(2) * y.size(3);
    Numbers out = Numbers.of(y);
    Numbers in = Numbers.of(x);
    MemorySegment places = indices.memory();
    planes(
        y,
        (from, to) -> {
          for (long p = from; p < to; p++) {
            for (long o = p * outPlane; o < (p + 1) * outPlane; o++) {
              long place = places.get(JAVA_LONG_UNALIGNED, indices.byteOffset() + 8 * o);
              out.set(o, in.at(p * plane + place));
            }
          }
        });
  }

  /// Averages of windows.
  public static void average(AvgPool2d a, Strided y, Strided x) {
    int h = (int) x.size(2);
    int w = (int) x.size(3);
    int oh = (int) y.size(2);
    int ow = (int) y.size(3);
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    planes(
        x,
        (from, to) -> {
          for (long p = from; p < to; p++) {
            long plane = p * h * w;
            long o = p * oh * ow;
            for (int r = 0; r < oh; r++) {
              int top = r * a.strideH() - a.paddingH();
              int rows = Math.min(top + a.kernelH(), h);
              for (int c = 0; c < ow; c++, o++) {
                int left = c * a.strideW() - a.paddingW();
                int columns = Math.min(left + a.kernelW(), w);
                double sum = 0;
                for (int i = Math.max(0, top); i < rows; i++) {
                  for (int j = Math.max(0, left); j < columns; j++) {
                    sum += in.at(plane + i * w + j);
                  }
                }
                double divisor = divisor(a, top, left, h, w);
                out.set(o, divisor == 0 ? 0 : sum / divisor);
              }
            }
          }
        });
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
    AvgPool2d a = input.pool();
    int h = (int) dx.size(2);
    int w = (int) dx.size(3);
    int oh = (int) dy.size(2);
    int ow = (int) dy.size(3);
    Numbers out = Numbers.of(dx);
    Numbers in = Numbers.of(dy);
    planes(
        dx,
        (from, to) -> {
          out.clear(from * h * w, to * h * w);
          for (long p = from; p < to; p++) {
            long plane = p * h * w;
            long o = p * oh * ow;
            for (int r = 0; r < oh; r++) {
              int top = r * a.strideH() - a.paddingH();
              for (int c = 0; c < ow; c++, o++) {
                int left = c * a.strideW() - a.paddingW();
                double divisor = divisor(a, top, left, h, w);
                if (divisor != 0) {
                  spread(
                      out,
                      in.at(o) / divisor,
                      plane,
                      w,
                      Math.max(0, top),
                      Math.min(top + a.kernelH(), h),
                      Math.max(0, left),
                      Math.min(left + a.kernelW(), w));
                }
              }
            }
          }
        });
  }

  private static void spread(
      Numbers out, double share, long plane, int w, int top, int bottom, int left, int right) {
    for (int i = top; i < bottom; i++) {
      for (int j = left; j < right; j++) {
        long at = plane + (long) i * w + j;
        out.set(at, out.at(at) + share);
      }
    }
  }

  /// Averages of adaptive windows.
  public static void adaptiveAverage(Strided y, Strided x) {
    int h = (int) x.size(2);
    int w = (int) x.size(3);
    int oh = (int) y.size(2);
    int ow = (int) y.size(3);
    Numbers in = Numbers.of(x);
    Numbers out = Numbers.of(y);
    planes(
        x,
        (from, to) -> {
          for (long p = from; p < to; p++) {
            long plane = p * h * w;
            long o = p * oh * ow;
            for (int r = 0; r < oh; r++) {
              int top = start(r, h, oh);
              int bottom = end(r, h, oh);
              for (int c = 0; c < ow; c++, o++) {
                int left = start(c, w, ow);
                int right = end(c, w, ow);
                double sum = 0;
                for (int i = top; i < bottom; i++) {
                  for (int j = left; j < right; j++) {
                    sum += in.at(plane + i * w + j);
                  }
                }
                out.set(o, sum / ((double) (bottom - top) * (right - left)));
              }
            }
          }
        });
  }

  /// The gradients of averages of adaptive windows, spread over their windows.
  public static void adaptiveAverageGradient(Strided dx, Strided dy) {
    int h = (int) dx.size(2);
    int w = (int) dx.size(3);
    int oh = (int) dy.size(2);
    int ow = (int) dy.size(3);
    Numbers out = Numbers.of(dx);
    Numbers in = Numbers.of(dy);
    planes(
        dx,
        (from, to) -> {
          out.clear(from * h * w, to * h * w);
          for (long p = from; p < to; p++) {
            long plane = p * h * w;
            long o = p * oh * ow;
            for (int r = 0; r < oh; r++) {
              int top = start(r, h, oh);
              int bottom = end(r, h, oh);
              for (int c = 0; c < ow; c++, o++) {
                int left = start(c, w, ow);
                int right = end(c, w, ow);
                double count = (double) (bottom - top) * (right - left);
                spread(out, in.at(o) / count, plane, w, top, bottom, left, right);
              }
            }
          }
        });
  }
}
