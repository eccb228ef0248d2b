package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.Pooling.AvgPool3d;
import taper.tensor.Pooling.AvgPool3dInput;
import taper.tensor.Pooling.FractionalPool;
import taper.tensor.Pooling.MaxPool3d;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.SeparableKernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

/// Plain pooling of volumes on contiguous operands, and what is rare in two dimensions.
public final class ReferencePooling3d {
  private ReferencePooling3d() {}

  /// `self[n c d h w] -> [n c od oh ow], [n c od oh ow]`: maxima and their places.
  public static final Kernel MAX =
      (attributes, out, in) -> {
        var a = (MaxPool3d) attributes;
        int[] x = sizes(in[0], 2);
        int[] y = sizes(out[0], 2);
        Span[] spans = {
          Span.moving(
              x[0],
              y[0],
              a.kernel().depth(),
              a.stride().depth(),
              a.padding().depth(),
              a.dilation().depth()),
          Span.moving(
              x[1],
              y[1],
              a.kernel().height(),
              a.stride().height(),
              a.padding().height(),
              a.dilation().height()),
          Span.moving(
              x[2],
              y[2],
              a.kernel().width(),
              a.stride().width(),
              a.padding().width(),
              a.dilation().width())
        };
        maxima(out, in[0], 3, _ -> spans);
      };

  /// `self[n c d h w] -> [n c od oh ow], [n c od oh ow]`: maxima of adaptive windows and their places.
  public static final Kernel ADAPTIVE_MAX =
      (attributes, out, in) -> {
        int[] x = sizes(in[0], 2);
        int[] y = sizes(out[0], 2);
        Span[] spans = {
          Span.adaptive(x[0], y[0]), Span.adaptive(x[1], y[1]), Span.adaptive(x[2], y[2])
        };
        maxima(out, in[0], 3, _ -> spans);
      };

  /// `self[n c h w], samples[n c 2] -> [n c oh ow], [n c oh ow]` and the same with a depth: maxima of windows that begin
  /// where the samples say. The samples of a plane are for columns and rows, those of a volume for depth, rows, columns.
  public static final Kernel FRACTIONAL_MAX =
      (attributes, out, in) -> {
        var a = (FractionalPool) attributes;
        int rank = in[0].rank() - 2;
        int[] x = sizes(in[0], 2);
        int[] y = sizes(out[0], 2);
        var samples = new Elements(in[1]);
        boolean single = in[0].dtype() != DType.FLOAT64;
        maxima(
            out,
            in[0],
            rank,
            slice -> {
              Span[] spans = new Span[rank];
              for (int d = 0; d < rank; d++) {
                int sample = rank == 2 ? 1 - d : d;
                spans[d] =
                    Span.fractional(
                        x[d], y[d], window(a, d, rank), samples.at(slice * rank + sample), single);
              }
              return spans;
            });
      };

  private static int window(FractionalPool a, int d, int rank) {
    return switch (d + 3 - rank) {
      case 0 -> a.kernel().depth();
      case 1 -> a.kernel().height();
      default -> a.kernel().width();
    };
  }

  /// `self[*b], indices[*b] -> [n c h w]`: each element goes to its place in its plane, the rest is 0.
  public static final Kernel UNPOOL =
      (attributes, out, in) -> {
        Strided y = out[0];
        y.memory().asSlice(y.byteOffset(), y.numel() * y.dtype().byteSize()).fill((byte) 0);
        long plane = y.size(2) * y.size(3);
        long small = in[0].size(2) * in[0].size(3);
        var indices = new Elements(in[1]);
        for (long i = 0, count = in[0].numel(); i < count; i++) {
          ReferenceShapes.copyBlock(y, i / small * plane + indices.wholeAt(i), in[0], i, 1);
        }
      };

  /// `self[n c d h w] -> [n c od oh ow]`: averages.
  public static final Kernel AVERAGE =
      SeparableKernel.of(
          ReferencePooling3d::averages,
          (attributes, out, in) -> {
            if (in[0].dtype().isFloatingPoint()) {
              Separable.apply(out[0], in[0], averages(attributes, out[0], in[0]));
            } else {
              wholeAverages(
                  (AvgPool3d) attributes, out[0], in[0], sizes(in[0], 2), sizes(out[0], 2));
            }
          });

  /// `grad[n c od oh ow] -> [n c d h w]`: each gradient is spread over its window.
  public static final Kernel AVERAGE_GRADIENT =
      Separable.kernel((attributes, dx, dy) -> {
        AvgPool3d a = ((AvgPool3dInput) attributes).pool();
        return transposed(averages(a, sizes(dx, 2), sizes(dy, 2)));
      });

  /// `self[n c d h w] -> [n c od oh ow]`: averages over adaptive windows.
  public static final Kernel ADAPTIVE_AVERAGE =
      Separable.kernel((attributes, y, x) -> adaptive(sizes(x, 2), sizes(y, 2)));

  /// `grad[n c od oh ow] -> [n c d h w]`: each gradient is spread over its adaptive window.
  public static final Kernel ADAPTIVE_AVERAGE_GRADIENT =
      Separable.kernel((attributes, dx, dy) -> transposed(adaptive(sizes(dx, 2), sizes(dy, 2))));

  static int[] sizes(Strided x, int from) {
    int[] sizes = new int[x.rank() - from];
    for (int d = 0; d < sizes.length; d++) {
      sizes[d] = Math.toIntExact(x.size(from + d));
    }
    return sizes;
  }

  static Taps[] transposed(Taps[] taps) {
    return Arrays.stream(taps).map(Taps::transposed).toArray(Taps[]::new);
  }

  static Taps[] adaptive(int[] x, int[] y) {
    Taps[] taps = new Taps[x.length];
    for (int d = 0; d < taps.length; d++) {
      Span span = Span.adaptive(x[d], y[d]);
      taps[d] =
          Taps.of(
              x[d],
              y[d],
              (o, into) -> {
                for (int i = span.begin[o]; i < span.end[o]; i++) {
                  into.add(i, 1.0 / (span.end[o] - span.begin[o]));
                }
              });
    }
    return taps;
  }

  private static Taps[] averages(Record attributes, Strided y, Strided x) {
    return averages((AvgPool3d) attributes, sizes(x, 2), sizes(y, 2));
  }

  private static Taps[] averages(AvgPool3d a, int[] x, int[] y) {
    double scale = a.divisorOverride() == 0 ? 0 : 1.0 / a.divisorOverride();
    return new Taps[] {
      average(
          new Windows(
              a.kernel().depth(), a.stride().depth(), a.padding().depth(), a.countIncludePad()),
          x[0],
          y[0],
          scale),
      average(
          new Windows(
              a.kernel().height(), a.stride().height(), a.padding().height(), a.countIncludePad()),
          x[1],
          y[1],
          scale == 0 ? 0 : 1),
      average(
          new Windows(
              a.kernel().width(), a.stride().width(), a.padding().width(), a.countIncludePad()),
          x[2],
          y[2],
          scale == 0 ? 0 : 1)
    };
  }

  /// The windows of averages along one dimension.
  ///
  /// @param padded whether padding counts
  record Windows(int kernel, int stride, int padding, boolean padded) {}

  /// One dimension of an average; `scale` is the weight of an element, or 0 if it follows from the window.
  static Taps average(Windows a, int in, int out, double scale) {
    return Taps.of(
        in,
        out,
        (o, into) -> {
          long begin = (long) o * a.stride - a.padding;
          int first = Math.clamp(begin, 0, in);
          int end = (int) Math.min(begin + a.kernel, in);
          long counted =
              a.padded
                  ? Math.min(begin + a.kernel, (long) in + a.padding) - begin
                  : (long) end - first;
          for (int i = first; i < end; i++) {
            into.add(i, scale != 0 ? scale : 1.0 / counted);
          }
        });
  }

  /// Averages of whole numbers are cut off after the division.
  private static void wholeAverages(AvgPool3d a, Strided out, Strided in, int[] x, int[] y) {
    var ones =
        new AvgPool3d(a.kernel(), a.stride(), a.padding(), a.ceilMode(), a.countIncludePad(), 1);
    Separable.apply(out, in, averages(ones, x, y));
    Taps[] shares = averages(a, x, y);
    var elements = new Elements(out);
    for (long i = 0, count = elements.numel(); i < count; i++) {
      double divisor = a.divisorOverride();
      if (divisor == 0) {
        int w = (int) (i % y[2]);
        int h = (int) (i / y[2] % y[1]);
        int d = (int) (i / ((long) y[2] * y[1]) % y[0]);
        divisor = Math.rint(1 / (share(shares[0], d) * share(shares[1], h) * share(shares[2], w)));
      }
      elements.set(i, (long) (elements.wholeAt(i) / divisor));
    }
  }

  private static double share(Taps taps, int o) {
    return taps.start()[o] == taps.start()[o + 1] ? 1 : taps.weight()[taps.start()[o]];
  }

  /// Where the windows along one dimension lie: window `o` has every `step`-th element from `begin[o]` to `end[o]`.
  private record Span(int[] begin, int[] end, int step) {

    static Span moving(int in, int out, int kernel, int stride, int padding, int dilation) {
      int[] begin = new int[out];
      int[] end = new int[out];
      for (int o = 0; o < out; o++) {
        long first = (long) o * stride - padding;
        end[o] = Math.clamp(first + (kernel - 1L) * dilation + 1, 0, in);
        long inside = first < 0 ? first + Math.ceilDiv(-first, dilation) * dilation : first;
        begin[o] = (int) Math.min(inside, in);
      }
      return new Span(begin, end, dilation);
    }

    static Span adaptive(int in, int out) {
      int[] begin = new int[out];
      int[] end = new int[out];
      for (int o = 0; o < out; o++) {
        begin[o] = (int) ((long) o * in / out);
        end[o] = (int) Math.ceilDiv((o + 1L) * in, out);
      }
      return new Span(begin, end, 1);
    }

    /// As in PyTorch, positions are computed in the type of the elements.
    static Span fractional(int in, int out, int kernel, double sample, boolean single) {
      int[] begin = new int[out];
      int[] end = new int[out];
      for (int o = 0; o < out; o++) {
        if (o == out - 1) {
          begin[o] = in - kernel;
        } else if (single) {
          float alpha = (float) (in - kernel) / (float) (out - 1);
          begin[o] = (int) ((o + (float) sample) * alpha) - (int) ((float) sample * alpha);
        } else {
          double alpha = (double) (in - kernel) / (out - 1);
          begin[o] = (int) ((o + sample) * alpha) - (int) (sample * alpha);
        }
        begin[o] = Math.clamp(begin[o], 0, in - kernel);
        end[o] = begin[o] + kernel;
      }
      return new Span(begin, end, 1);
    }
  }

  private interface Placement {
    Span[] of(long slice);
  }

  private static void maxima(Strided[] out, Strided in, int rank, Placement placement) {
    if (out[0].numel() == 0) {
      return;
    }
    int[] x = new int[3];
    int[] y = new int[3];
    for (int d = 0; d < 3; d++) {
      x[d] = d < 3 - rank ? 1 : Math.toIntExact(in.size(d - 3 + in.rank()));
      y[d] = d < 3 - rank ? 1 : Math.toIntExact(out[0].size(d - 3 + in.rank()));
    }
    int n = Math.multiplyExact(Math.multiplyExact(x[0], x[1]), x[2]);
    int m = Math.multiplyExact(Math.multiplyExact(y[0], y[1]), y[2]);
    double[] values = new double[n];
    double[] found = new double[m];
    long[] places = new long[m];
    Span whole = new Span(new int[] {0}, new int[] {1}, 1);
    boolean exact = in.dtype() == DType.INT64;
    long slices = m == 0 ? 0 : out[0].numel() / m;
    for (long s = 0; s < slices; s++) {
      Span[] spans = placement.of(s);
      Ranges.read(in, s * n, n, values);
      slice(
          values, x, rank == 3 ? spans[0] : whole, spans[rank - 2], spans[rank - 1], found, places);
      if (exact) {
        for (int o = 0; o < m; o++) {
          ReferenceShapes.copyBlock(out[0], s * m + o, in, s * n + places[o], 1);
        }
      } else {
        Ranges.write(out[0], s * m, m, found);
      }
      MemorySegment.copy(
          places, 0, out[1].memory(), JAVA_LONG_UNALIGNED, out[1].byteOffset() + 8 * s * m, m);
    }
  }

  /// The first of equal elements stays; a NaN beats every number and an earlier NaN.
  private static void slice(
      double[] x, int[] sizes, Span depth, Span height, Span width, double[] y, long[] places) {
    int h = sizes[1];
    int w = sizes[2];
    int o = 0;
    for (int d = 0; d < depth.begin.length; d++) {
      for (int r = 0; r < height.begin.length; r++) {
        for (int c = 0; c < width.begin.length; c++, o++) {
          double best = Double.NEGATIVE_INFINITY;
          int place =
              Math.min(x.length - 1, (depth.begin[d] * h + height.begin[r]) * w + width.begin[c]);
          int left = width.begin[c];
          int right = width.end[c];
          for (int i = depth.begin[d]; i < depth.end[d]; i += depth.step) {
            for (int j = height.begin[r]; j < height.end[r]; j += height.step) {
              int row = (i * h + j) * w;
              for (int k = left; k < right; k += width.step) {
                double value = x[row + k];
                if (value > best || Double.isNaN(value)) {
                  best = value;
                  place = row + k;
                }
              }
            }
          }
          y[o] = best;
          places[o] = place;
        }
      }
    }
  }
}
