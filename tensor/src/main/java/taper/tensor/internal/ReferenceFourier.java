package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import taper.tensor.DType;
import taper.tensor.Spectral.Transform;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Kernels of Fourier transforms along dimensions of tensors: lines are read into arrays, several at a time and
/// interleaved, transformed in double precision, and written back.
public final class ReferenceFourier {
  private static final int TILE =
      8192; // elements of interleaved lines, so that they stay in the cache
  private static final int LINES = 16;

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;

  private ReferenceFourier() {}

  /// Complex to complex, along each of the dimensions in turn.
  public static final Kernel COMPLEX =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var a = (Transform) attributes;
        Strided from = in[0];
        double scale = a.scale();
        for (int dim : a.dims()) {
          run(out[0], from, dim, out[0].size(dim), a.forward(), scale, Kind.COMPLEX);
          from = out[0];
          scale = 1;
        }
      });

  /// Real to complex along one dimension: the first half of the spectrum.
  public static final Kernel FROM_REAL =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var a = (Transform) attributes;
        int dim = a.dims()[0];
        run(out[0], in[0], dim, in[0].size(dim), a.forward(), a.scale(), Kind.FROM_REAL);
      });

  /// Complex to real along one dimension: from the first half of a spectrum.
  public static final Kernel TO_REAL =
      Kernel.ofAnyStrides((attributes, out, in) -> {
        var a = (Transform) attributes;
        int dim = a.dims()[0];
        run(out[0], in[0], dim, out[0].size(dim), a.forward(), a.scale(), Kind.TO_REAL);
      });

  private enum Kind {
    COMPLEX,
    FROM_REAL,
    TO_REAL
  }

  private static void run(
      Strided out, Strided in, int dim, long size, boolean forward, double scale, Kind kind) {
    if (out.numel() == 0) {
      return;
    }
    int n = Math.toIntExact(size);
    boolean halves = n % 2 == 0 && kind != Kind.COMPLEX;
    Fourier plan = Fourier.of(halves ? n / 2 : n);
    int lines = Math.clamp(TILE / Math.max(1, plan.room()), 1, LINES);
    int room = Math.multiplyExact(Math.max(plan.room(), n / 2 + 1), lines);
    var tile = new Tile(n, lines, room);
    long[] sizes = out.sizes();
    sizes[dim] = 1;
    var walk = new Odometer(sizes, out.strides(), in.strides());
    long count = walk.numel();
    long[] targets = new long[lines];
    long[] sources = new long[lines];
    for (long first = 0; first < count; first += lines) {
      int now = (int) Math.min(lines, count - first);
      for (int b = 0; b < now; b++) {
        targets[b] = walk.at(0);
        sources[b] = walk.at(1);
        walk.step();
      }
      tile.lines = now;
      switch (kind) {
        case COMPLEX -> {
          tile.read(in, sources, in.stride(dim), n);
          tile.transform(plan, forward);
        }
        case FROM_REAL -> tile.fromReal(plan, halves, forward, in, sources, in.stride(dim));
        case TO_REAL -> tile.toReal(plan, halves, forward, in, sources, dim);
      }
      tile.scale(scale, Math.toIntExact(out.size(dim)), halves && kind == Kind.TO_REAL);
      if (halves && kind == Kind.TO_REAL) {
        tile.writePairs(out, targets, out.stride(dim));
      } else {
        tile.write(out, targets, out.stride(dim), Math.toIntExact(out.size(dim)));
      }
    }
  }

  /// Some lines, interleaved: element `j` of line `b` at `j · lines + b`.
  private static final class Tile {
    private final int n;
    private final double[] re;
    private final double[] im;
    private final double[] workRe;
    private final double[] workIm;
    private final double[] buffer;
    private final float[] floats;
    private int lines;

    Tile(int n, int lines, int room) {
      this.n = n;
      this.lines = lines;
      re = new double[room];
      im = new double[room];
      workRe = new double[room];
      workIm = new double[room];
      buffer = new double[2 * Math.max(n + 2, lines)];
      floats = new float[buffer.length];
    }

    void transform(Fourier plan, boolean forward) {
      if (forward) {
        plan.run(re, im, workRe, workIm, lines);
      } else {
        plan.run(im, re, workIm, workRe, lines);
      }
    }

    void scale(double scale, int size, boolean pairs) {
      if (scale != 1) {
        int count = (pairs ? size / 2 : size) * lines;
        for (int i = 0; i < count; i++) {
          re[i] *= scale;
          im[i] *= scale;
        }
      }
    }

    /// The spectrum of real lines. Of an even number, pairs of neighbours are transformed as complex numbers, and the
    /// spectra of even and odd ones are taken apart.
    void fromReal(
        Fourier plan, boolean halves, boolean forward, Strided in, long[] sources, long stride) {
      if (!halves) {
        read(in, sources, stride, n);
        transform(plan, forward);
        return;
      }
      int h = n / 2;
      readPairs(in, sources, stride, h);
      plan.run(re, im, workRe, workIm, lines);
      for (int k = 0; k <= h / 2; k++) {
        int l = k == 0 ? 0 : h - k;
        double c = Fourier.cos(k, n);
        double s = -Fourier.sin(k, n);
        for (int b = 0; b < lines; b++) {
          int i = k * lines + b;
          int j = l * lines + b;
          double evenR = 0.5 * (re[i] + re[j]);
          double evenI = 0.5 * (im[i] - im[j]);
          double oddR = 0.5 * (im[i] + im[j]);
          double oddI = -0.5 * (re[i] - re[j]);
          double turnR = oddR * c - oddI * s;
          double turnI = oddR * s + oddI * c;
          if (k == 0) {
            re[h * lines + b] = evenR - oddR;
            im[h * lines + b] = 0;
            re[i] = evenR + oddR;
            im[i] = 0;
          } else {
            re[i] = evenR + turnR;
            im[i] = evenI + turnI;
            re[j] = evenR - turnR;
            im[j] = -(evenI - turnI);
          }
        }
      }
      if (!forward) {
        for (int i = 0, count = (h + 1) * lines; i < count; i++) {
          im[i] = -im[i];
        }
      }
    }

    /// Real lines from the first halves of spectra; the inverse of the above.
    void toReal(
        Fourier plan, boolean halves, boolean forward, Strided in, long[] sources, int dim) {
      int h = n / 2;
      read(in, sources, in.stride(dim), h + 1);
      for (int b = 0; b < lines; b++) {
        im[b] = 0; // as a real line has it
        if (halves) {
          im[h * lines + b] = 0;
        }
      }
      if (forward) {
        for (int i = 0, count = (h + 1) * lines; i < count; i++) {
          im[i] = -im[i];
        }
      }
      if (!halves) {
        for (int k = h + 1; k < n; k++) {
          for (int b = 0; b < lines; b++) {
            re[k * lines + b] = re[(n - k) * lines + b];
            im[k * lines + b] = -im[(n - k) * lines + b];
          }
        }
        transform(plan, false);
        return;
      }
      for (int k = 0; k <= h / 2; k++) {
        int l = h - k;
        double c = Fourier.cos(k, n);
        double s = Fourier.sin(k, n);
        for (int b = 0; b < lines; b++) {
          int i = k * lines + b;
          int j = l * lines + b;
          double evenR = re[i] + re[j];
          double evenI = im[i] - im[j];
          double differR = re[i] - re[j];
          double differI = im[i] + im[j];
          double oddR = differR * c - differI * s;
          double oddI = differR * s + differI * c;
          re[i] = evenR - oddI;
          im[i] = evenI + oddR;
          if (l < h) {
            re[j] = evenR + oddI;
            im[j] = oddR - evenI;
          }
        }
      }
      transform(plan, false);
    }

    void read(Strided x, long[] from, long stride, int count) {
      int width = x.dtype().isComplex() ? 2 : 1;
      boolean adjacent = lines > 1 && adjacent(from);
      if (stride == 1 || !adjacent) {
        for (int b = 0; b < lines; b++) {
          take(x, from[b], stride, count, width);
          if (width == 2) {
            for (int j = 0, to = b; j < count; j++, to += lines) {
              re[to] = buffer[2 * j];
              im[to] = buffer[2 * j + 1];
            }
          } else {
            for (int j = 0, to = b; j < count; j++, to += lines) {
              re[to] = buffer[j];
              im[to] = 0;
            }
          }
        }
        return;
      }
      for (int j = 0; j < count; j++) {
        take(x, from[0] + j * stride, 1, lines, width);
        int to = j * lines;
        for (int b = 0; b < lines; b++) {
          re[to + b] = buffer[width * b];
          im[to + b] = width == 2 ? buffer[2 * b + 1] : 0;
        }
      }
    }

    private void readPairs(Strided x, long[] from, long stride, int pairs) {
      for (int b = 0; b < lines; b++) {
        take(x, from[b], stride, 2 * pairs, 1);
        for (int j = 0, to = b; j < pairs; j++, to += lines) {
          re[to] = buffer[2 * j];
          im[to] = buffer[2 * j + 1];
        }
      }
    }

    void write(Strided x, long[] to, long stride, int count) {
      int width = x.dtype().isComplex() ? 2 : 1;
      boolean adjacent = lines > 1 && adjacent(to);
      if (stride == 1 || !adjacent) {
        for (int b = 0; b < lines; b++) {
          if (width == 2) {
            for (int j = 0, from = b; j < count; j++, from += lines) {
              buffer[2 * j] = re[from];
              buffer[2 * j + 1] = im[from];
            }
          } else {
            for (int j = 0, from = b; j < count; j++, from += lines) {
              buffer[j] = re[from];
            }
          }
          give(x, to[b], stride, count, width);
        }
        return;
      }
      for (int j = 0; j < count; j++) {
        int from = j * lines;
        for (int b = 0; b < lines; b++) {
          buffer[width * b] = re[from + b];
          if (width == 2) {
            buffer[2 * b + 1] = im[from + b];
          }
        }
        give(x, to[0] + j * stride, 1, lines, width);
      }
    }

    void writePairs(Strided x, long[] to, long stride) {
      for (int b = 0; b < lines; b++) {
        for (int j = 0, from = b; j < n / 2; j++, from += lines) {
          buffer[2 * j] = re[from];
          buffer[2 * j + 1] = im[from];
        }
        give(x, to[b], stride, n, 1);
      }
    }

    /// Whether the lines lie side by side.
    private boolean adjacent(long[] starts) {
      for (int b = 1; b < lines; b++) {
        if (starts[b] != starts[0] + b) {
          return false;
        }
      }
      return true;
    }

    /// Fills the buffer with `count` elements of `width` numbers from element `first` on.
    private void take(Strided x, long first, long stride, int count, int width) {
      MemorySegment memory = x.memory();
      boolean single = x.dtype().toReal() == DType.FLOAT32;
      int size = x.dtype().byteSize();
      long at = x.byteOffset() + first * size;
      if (stride == 1) {
        if (single) {
          MemorySegment.copy(memory, FLOAT, at, floats, 0, count * width);
          for (int i = 0; i < count * width; i++) {
            buffer[i] = floats[i];
          }
        } else {
          MemorySegment.copy(memory, DOUBLE, at, buffer, 0, count * width);
        }
        return;
      }
      for (int i = 0; i < count; i++, at += stride * size) {
        for (int w = 0; w < width; w++) {
          buffer[width * i + w] =
              single
                  ? memory.get(FLOAT, at + w * (long) Float.BYTES)
                  : memory.get(DOUBLE, at + w * (long) Double.BYTES);
        }
      }
    }

    /// Writes what the buffer holds to `count` elements of `width` numbers from element `first` on.
    private void give(Strided x, long first, long stride, int count, int width) {
      MemorySegment memory = x.memory();
      boolean single = x.dtype().toReal() == DType.FLOAT32;
      int size = x.dtype().byteSize();
      long at = x.byteOffset() + first * size;
      if (stride == 1) {
        if (single) {
          for (int i = 0; i < count * width; i++) {
            floats[i] = (float) buffer[i];
          }
          MemorySegment.copy(floats, 0, memory, FLOAT, at, count * width);
        } else {
          MemorySegment.copy(buffer, 0, memory, DOUBLE, at, count * width);
        }
        return;
      }
      for (int i = 0; i < count; i++, at += stride * size) {
        for (int w = 0; w < width; w++) {
          double value = buffer[width * i + w];
          if (single) {
            memory.set(FLOAT, at + w * (long) Float.BYTES, (float) value);
          } else {
            memory.set(DOUBLE, at + w * (long) Double.BYTES, value);
          }
        }
      }
    }
  }
}
