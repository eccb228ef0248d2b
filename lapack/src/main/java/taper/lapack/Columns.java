package taper.lapack;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.locks.ReentrantLock;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Matrices of a contiguous stack as LAPACK wants them: in double precision, column behind column.
final class Columns {
  /// The translation of LAPACK keeps some of Fortran's local variables in static fields, so one call is made at a time.
  static final ReentrantLock LOCK = new ReentrantLock();

  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  private Columns() {}

  /// Computes one matrix of a stack.
  @FunctionalInterface
  interface One {
    void run(int number);
  }

  /// Computes the matrices numbered 0 to `count - 1`, one after the other.
  static void each(int count, One body) {
    LOCK.lock();
    try {
      for (int b = 0; b < count; b++) {
        body.run(b);
      }
    } finally {
      LOCK.unlock();
    }
  }

  /// How many matrices there are in front of the last two dimensions.
  static int count(Strided x) {
    int count = 1;
    for (int d = 0; d < x.rank() - 2; d++) {
      count = Math.multiplyExact(count, Math.toIntExact(x.size(d)));
    }
    return count;
  }

  static int rows(Strided x) {
    return Math.toIntExact(x.size(x.rank() - 2));
  }

  static int columns(Strided x) {
    return Math.toIntExact(x.size(x.rank() - 1));
  }

  /// Matrix `number` of `x`.
  static double[] read(Strided x, int number) {
    int rows = rows(x);
    int columns = columns(x);
    double[] dense = numbers(x, number, rows * columns);
    double[] result = new double[dense.length];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        result[j * rows + i] = dense[i * columns + j];
      }
    }
    return result;
  }

  /// The `count` numbers at place `number` of `x`.
  private static double[] numbers(Strided x, int number, int count) {
    MemorySegment memory = x.memory();
    long from = x.byteOffset() + (long) number * count * x.dtype().byteSize();
    double[] result = new double[count];
    if (x.dtype() == DType.FLOAT64) {
      MemorySegment.copy(memory, DOUBLE, from, result, 0, count);
    } else {
      for (int i = 0; i < count; i++) {
        result[i] = memory.get(FLOAT, from + (long) i * Float.BYTES);
      }
    }
    return result;
  }

  /// Writes `values`, the columns of a matrix of `height` rows, to place `number` of `x`, as many as it has.
  static void write(Strided x, int number, double[] values, int height) {
    int rows = rows(x);
    int columns = columns(x);
    double[] dense = new double[rows * columns];
    for (int i = 0; i < rows; i++) {
      for (int j = 0; j < columns; j++) {
        dense[i * columns + j] = values[j * height + i];
      }
    }
    writeNumbers(x, number, dense);
  }

  /// Writes the numbers to place `number` of `x`.
  static void writeNumbers(Strided x, int number, double[] values) {
    MemorySegment memory = x.memory();
    int size = x.dtype().byteSize();
    long to = x.byteOffset() + (long) number * values.length * size;
    if (x.dtype().toReal() == DType.FLOAT64) {
      MemorySegment.copy(values, 0, memory, DOUBLE, to, values.length);
    } else {
      for (int i = 0; i < values.length; i++) {
        memory.set(FLOAT, to + (long) i * Float.BYTES, (float) values[i]);
      }
    }
  }

  /// Writes complex numbers, given by pairs of parts, to place `number` of `x`.
  static void writePairs(Strided x, int number, double[] parts) {
    Strided pairs =
        Strided.of(x.memory(), x.byteOffset(), x.dtype().toReal(), new long[] {0}, new long[] {1});
    writeNumbers(pairs, number, parts);
  }

  /// Writes whole numbers to place `number` of `x`, which is `int32`.
  static void writeWhole(Strided x, int number, int... values) {
    long to = x.byteOffset() + (long) number * values.length * Integer.BYTES;
    MemorySegment.copy(values, 0, x.memory(), INT, to, values.length);
  }
}
