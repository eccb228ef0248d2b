package taper.cpu.x86;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Runs kernels on arrays, and makes the arrays that functions of two arguments are tested on.
final class OnArrays {
  private OnArrays() {}

  static float[] run(Kernel kernel, float[]... operands) {
    var result = new float[operands[0].length];
    run(
        kernel,
        DType.FLOAT32,
        MemorySegment.ofArray(result),
        Stream.of(operands).map(MemorySegment::ofArray));
    return result;
  }

  static double[] run(Kernel kernel, double[]... operands) {
    var result = new double[operands[0].length];
    run(
        kernel,
        DType.FLOAT64,
        MemorySegment.ofArray(result),
        Stream.of(operands).map(MemorySegment::ofArray));
    return result;
  }

  static long[] run(Kernel kernel, long[]... operands) {
    var result = new long[operands[0].length];
    run(
        kernel,
        DType.INT64,
        MemorySegment.ofArray(result),
        Stream.of(operands).map(MemorySegment::ofArray));
    return result;
  }

  /// Kernels want memory outside of the Java heap.
  private static void run(
      Kernel kernel, DType type, MemorySegment result, Stream<MemorySegment> operands) {
    try (Arena arena = Arena.ofConfined()) {
      Strided out = strided(arena, type, result.byteSize());
      Strided[] in =
          operands
              .map(operand -> {
                Strided copy = strided(arena, type, operand.byteSize());
                copy.memory().copyFrom(operand);
                return copy;
              })
              .toArray(Strided[]::new);
      kernel.run(Parameters.NONE, new Strided[] {out}, in);
      result.copyFrom(out.memory());
    }
  }

  private static Strided strided(Arena arena, DType type, long bytes) {
    long[] sizes = {bytes / type.byteSize()};
    return Strided.of(arena.allocate(bytes, 64), 0, type, sizes, new long[] {1});
  }

  /// Each of the numbers with each.
  static List<double[]> pairs(double... numbers) {
    var pairs = new ArrayList<double[]>();
    for (double x : numbers) {
      for (double y : numbers) {
        pairs.add(new double[] {x, y});
      }
    }
    return pairs;
  }

  /// The first numbers of the pairs, or with `place` 1 the second.
  static double[] doubles(List<double[]> pairs, int place) {
    return pairs.stream().mapToDouble(pair -> pair[place]).toArray();
  }

  /// The same, rounded.
  static float[] floats(List<double[]> pairs, int place) {
    var floats = new float[pairs.size()];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) pairs.get(i)[place];
    }
    return floats;
  }
}
