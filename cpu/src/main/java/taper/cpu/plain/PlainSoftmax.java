package taper.cpu.plain;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.cpu.parallel.Parallel;
import taper.tensor.Activations.Along;
import taper.tensor.DType;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Softmax, or its logarithm, along any dimension of contiguous operands, computed in double precision.
///
/// @param logarithm whether to return the logarithm
public record PlainSoftmax(boolean logarithm) implements Kernel {
  private static final long BLOCK = 4096;

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Strided x = inputs[0];
    if (x.numel() == 0) {
      return;
    }
    int dim = ((Along) attributes).dim();
    int length = x.rank() == 0 ? 1 : Math.toIntExact(x.size(dim));
    long inner = 1;
    for (int d = dim + 1; d < x.rank(); d++) {
      inner *= x.size(d);
    }
    long step = inner;
    Parallel.run(
        x.numel() / length,
        Math.max(1, BLOCK / length),
        (from, to) -> {
          double[] line = new double[length];
          for (long i = from; i < to; i++) {
            long start = i / step * length * step + i % step;
            read(x, start, step, line);
            compute(line);
            write(outputs[0], start, step, line);
          }
        });
  }

  private static void read(Strided x, long start, long step, double[] line) {
    MemorySegment memory = x.memory();
    boolean single = x.dtype() == DType.FLOAT32;
    for (int i = 0; i < line.length; i++) {
      long at = start + i * step;
      line[i] =
          single
              ? memory.get(JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * at)
              : memory.get(JAVA_DOUBLE_UNALIGNED, x.byteOffset() + 8 * at);
    }
  }

  private static void write(Strided out, long start, long step, double[] line) {
    MemorySegment memory = out.memory();
    boolean single = out.dtype() == DType.FLOAT32;
    for (int i = 0; i < line.length; i++) {
      long at = start + i * step;
      if (single) {
        memory.set(JAVA_FLOAT_UNALIGNED, out.byteOffset() + 4 * at, (float) line[i]);
      } else {
        memory.set(JAVA_DOUBLE_UNALIGNED, out.byteOffset() + 8 * at, line[i]);
      }
    }
  }

  private void compute(double[] line) {
    double max = Double.NEGATIVE_INFINITY;
    for (double x : line) {
      max = Math.max(max, x);
    }
    double sum = 0;
    for (int i = 0; i < line.length; i++) {
      double shifted = line[i] - max;
      double e = Math.exp(shifted);
      sum += e;
      line[i] = logarithm ? shifted : e;
    }
    double log = Math.log(sum);
    for (int i = 0; i < line.length; i++) {
      line[i] = logarithm ? line[i] - log : line[i] / sum;
    }
  }
}
