package taper.cpu.moving;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.cpu.moving.Loops.Way;
import taper.tensor.Combine;
import taper.tensor.DType;
import taper.tensor.Scattering.ScatterReduce;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Combines elements where indices say, for floating numbers.
///
/// How many values have come to a place is counted only where it matters: for means, and where what was there before does
/// not take part.
final class ReduceKernels {
  private ReduceKernels() {}

  static Kernel scatterReduce(DType type, @Nullable Loops loops) {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      PickKernels.begin(out[0], in[0], loops);
      var how = (ScatterReduce) attributes;
      if (in[1].numel() == 0) {
        return;
      }
      if (loops != null && how.reduce() != Combine.MEAN) {
        assembled(loops, type, how, out[0], in[1], in[2]);
      } else {
        new Run(type == DType.FLOAT32, how, out[0], in[1], in[2]).run();
      }
    });
  }

  /// What was there before, and is not to take part, makes room for the number that changes nothing.
  private static void assembled(
      Loops loops, DType type, ScatterReduce how, Strided out, Strided index, Strided source) {
    Strided to = PickKernels.vector(out);
    Strided places = PickKernels.vector(index);
    if (!how.includeSelf()) {
      double neutral =
          switch (how.reduce()) {
            case SUM, MEAN -> 0;
            case PROD -> 1;
            case AMAX -> Double.NEGATIVE_INFINITY;
            case AMIN -> Double.POSITIVE_INFINITY;
          };
      IndexWalks.fill(loops, type, how.dim(), to, places, neutral);
    }
    Way way =
        switch (how.reduce()) {
          case SUM, MEAN -> Way.ADD;
          case PROD -> Way.MULTIPLY;
          case AMAX -> Way.MAXIMUM;
          case AMIN -> Way.MINIMUM;
        };
    IndexWalks.scatter(loops, way, how.dim(), to, to, places, PickKernels.vector(source));
  }

  private static final class Run {
    private final boolean single;
    private final Combine way;
    private final boolean fresh;
    private final int width;
    private final Strided out;
    private final Strided index;
    private final Strided source;
    private final int dim;
    private final int[] counts;
    private final long[] dense; // the strides of the counts

    Run(boolean single, ScatterReduce a, Strided out, Strided index, Strided source) {
      this.single = single;
      this.way = a.reduce();
      this.fresh = !a.includeSelf();
      this.width = single ? 4 : 8;
      this.out = PickKernels.vector(out);
      this.index = PickKernels.vector(index);
      this.source = PickKernels.vector(source);
      this.dim = a.dim();
      this.dense = Strided.contiguousStrides(this.out.sizes());
      boolean counted = fresh || way == Combine.MEAN;
      this.counts = new int[counted ? Math.toIntExact(this.out.numel()) : 0];
    }

    void run() {
      Strided places = out.view(0, out.sizes(), dense);
      var walk =
          new LineWalk(
              index.sizes(),
              PickKernels.without(out, dim),
              index.strides(),
              source.strides(),
              PickKernels.without(places, dim));
      MemorySegment m = out.memory();
      MemorySegment indices = index.memory();
      long stride = out.stride(dim) * width;
      boolean counted = counts.length > 0;
      int length = walk.length();
      for (long n = walk.lines(); n > 0; n--) {
        long t = out.byteOffset() + walk.at[0] * width;
        long x = index.byteOffset() + walk.at[1] * 8;
        long f = source.byteOffset() + walk.at[2] * width;
        long c = walk.at[3];
        for (int i = 0; i < length; i++) {
          long at = indices.get(JAVA_LONG_UNALIGNED, x + i * walk.step(1) * 8);
          long place = t + i * walk.step(0) * width + at * stride;
          long from = f + i * walk.step(2) * width;
          boolean first =
              counted && counts[(int) (c + i * walk.step(3) + at * dense[dim])]++ == 0 && fresh;
          combine(m, place, from, first);
        }
        walk.next();
      }
      if (way == Combine.MEAN) {
        divide(m);
      }
    }

    private void combine(MemorySegment m, long place, long from, boolean first) {
      if (single) {
        float value = source.memory().get(JAVA_FLOAT_UNALIGNED, from);
        float old = m.get(JAVA_FLOAT_UNALIGNED, place);
        m.set(JAVA_FLOAT_UNALIGNED, place, first ? value : combined(old, value));
      } else {
        double value = source.memory().get(JAVA_DOUBLE_UNALIGNED, from);
        double old = m.get(JAVA_DOUBLE_UNALIGNED, place);
        m.set(JAVA_DOUBLE_UNALIGNED, place, first ? value : combined(old, value));
      }
    }

    private float combined(float a, float b) {
      return switch (way) {
        case SUM, MEAN -> a + b;
        case PROD -> a * b;
        case AMAX -> Math.max(a, b);
        case AMIN -> Math.min(a, b);
      };
    }

    private double combined(double a, double b) {
      return switch (way) {
        case SUM, MEAN -> a + b;
        case PROD -> a * b;
        case AMAX -> Math.max(a, b);
        case AMIN -> Math.min(a, b);
      };
    }

    private void divide(MemorySegment m) {
      for (int i = 0; i < counts.length; i++) {
        int count = counts[i] + (fresh ? 0 : 1);
        if (counts[i] == 0 || count == 1) {
          continue;
        }
        long rest = i;
        long distance = 0;
        for (int d = 0; d < dense.length; d++) {
          distance += rest / dense[d] * out.stride(d);
          rest %= dense[d];
        }
        long at = out.byteOffset() + distance * width;
        if (single) {
          m.set(JAVA_FLOAT_UNALIGNED, at, m.get(JAVA_FLOAT_UNALIGNED, at) / count);
        } else {
          m.set(JAVA_DOUBLE_UNALIGNED, at, m.get(JAVA_DOUBLE_UNALIGNED, at) / count);
        }
      }
    }
  }
}
