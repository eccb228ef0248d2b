package taper.cpu.plain;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Truncation;

/// Blocks of `float64`.
final class DoubleRegisters extends Registers {
  private double[][] r = {};

  @Override
  void prepare(int count) {
    if (r.length < count) {
      r = Arrays.copyOf(r, count);
      for (int i = 0; i < count; i++) {
        if (r[i] == null) {
          r[i] = new double[BLOCK];
        }
      }
    }
  }

  @Override
  void fill(int to, Parameters parameters, Steps.Fixed number) {
    double value =
        number.parameter() < 0 ? number.value() : parameters.values()[number.parameter()];
    Arrays.fill(r[to], value);
  }

  @Override
  void load(int to, int first, Strided x, long offset, long stride, int count) {
    MemorySegment memory = x.memory();
    double[] d = r[to];
    int end = first + count;
    if (stride == x.dtype().byteSize() && x.dtype() == DType.FLOAT64) {
      MemorySegment.copy(memory, JAVA_DOUBLE_UNALIGNED, offset, d, first, count);
      return;
    }
    long at = offset;
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_FLOAT_UNALIGNED, at);
        }
      }
      case FLOAT64 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_DOUBLE_UNALIGNED, at);
        }
      }
      case BFLOAT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = Float.intBitsToFloat(memory.get(JAVA_SHORT_UNALIGNED, at) << 16);
        }
      }
      case FLOAT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, at));
        }
      }
      case INT64 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_LONG_UNALIGNED, at);
        }
      }
      case INT32 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_INT_UNALIGNED, at);
        }
      }
      case INT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_SHORT_UNALIGNED, at);
        }
      }
      case INT8, BOOL -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_BYTE, at);
        }
      }
      case UINT8 -> {
        for (int i = first; i < end; i++, at += stride) {
          d[i] = memory.get(JAVA_BYTE, at) & 255;
        }
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(x.dtype());
    }
  }

  @Override
  void store(int from, int first, Strided x, long offset, long stride, int count) {
    MemorySegment memory = x.memory();
    double[] s = r[from];
    int end = first + count;
    if (stride == x.dtype().byteSize() && x.dtype() == DType.FLOAT64) {
      MemorySegment.copy(s, first, memory, JAVA_DOUBLE_UNALIGNED, offset, count);
      return;
    }
    long at = offset;
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_FLOAT_UNALIGNED, at, (float) s[i]);
        }
      }
      case FLOAT64 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_DOUBLE_UNALIGNED, at, s[i]);
        }
      }
      case BFLOAT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_SHORT_UNALIGNED, at, Bfloat16.of((float) s[i]));
        }
      }
      case FLOAT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16((float) s[i]));
        }
      }
      case INT64 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_LONG_UNALIGNED, at, Truncation.toInt64(s[i]));
        }
      }
      case INT32 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_INT_UNALIGNED, at, Truncation.toInt32(s[i]));
        }
      }
      case INT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_SHORT_UNALIGNED, at, (short) Truncation.toInt32(s[i]));
        }
      }
      case INT8 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_BYTE, at, (byte) Truncation.toInt32(s[i]));
        }
      }
      case UINT8 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_BYTE, at, (byte) Truncation.toInt64(s[i]));
        }
      }
      case BOOL -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_BYTE, at, (byte) (s[i] != 0 ? 1 : 0));
        }
      }
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(x.dtype());
    }
  }

  @Override
  void one(int to, Function function, int from, int count) {
    double[] d = r[to];
    double[] x = r[from];
    switch (function) {
      case NEGATE -> {
        for (int i = 0; i < count; i++) {
          d[i] = -x[i];
        }
      }
      case ABS -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.abs(x[i]);
        }
      }
      case SQRT -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.sqrt(x[i]);
        }
      }
      case RECIPROCAL -> {
        for (int i = 0; i < count; i++) {
          d[i] = 1 / x[i];
        }
      }
      case RELU -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] <= 0 ? 0 : x[i];
        }
      }
      case EXP -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.exp(x[i]);
        }
      }
      case LOG -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.log(x[i]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          d[i] = function.at(x[i]);
        }
      }
    }
  }

  @Override
  void two(int to, Arithmetic arithmetic, int left, int right, int count) {
    double[] d = r[to];
    double[] x = r[left];
    double[] y = r[right];
    switch (arithmetic) {
      case PLUS -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] + y[i];
        }
      }
      case MINUS -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] - y[i];
        }
      }
      case TIMES -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] * y[i];
        }
      }
      case DIVIDED_BY -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] / y[i];
        }
      }
      case MAXIMUM -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.max(x[i], y[i]);
        }
      }
      case MINIMUM -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.min(x[i], y[i]);
        }
      }
      case HYPOT -> {
        for (int i = 0; i < count; i++) {
          double square = x[i] * x[i] + y[i] * y[i];
          d[i] = square > 1e-280 && square < 1e280 ? Math.sqrt(square) : Math.hypot(x[i], y[i]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          d[i] = arithmetic.at(x[i], y[i]);
        }
      }
    }
  }

  @Override
  void fused(int to, int left, int right, int rest, int count) {
    double[] d = r[to];
    double[] x = r[left];
    double[] y = r[right];
    double[] z = r[rest];
    for (int i = 0; i < count; i++) {
      d[i] = Math.fma(x[i], y[i], z[i]);
    }
  }

  @Override
  void minusProduct(int to, int left, int right, int rest, int count) {
    double[] d = r[to];
    double[] x = r[left];
    double[] y = r[right];
    double[] z = r[rest];
    for (int i = 0; i < count; i++) {
      d[i] = Math.fma(-x[i], y[i], z[i]);
    }
  }

  @Override
  void minusRest(int to, int left, int right, int rest, int count) {
    double[] d = r[to];
    double[] x = r[left];
    double[] y = r[right];
    double[] z = r[rest];
    for (int i = 0; i < count; i++) {
      d[i] = Math.fma(x[i], y[i], -z[i]);
    }
  }

  @Override
  void choose(
      int to, int left, Comparison comparison, int right, int then, int otherwise, int count) {
    double[] d = r[to];
    double[] x = r[left];
    double[] y = r[right];
    double[] a = r[then];
    double[] b = r[otherwise];
    switch (comparison) {
      case LESS -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] < y[i] ? a[i] : b[i];
        }
      }
      case LESS_EQUAL -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] <= y[i] ? a[i] : b[i];
        }
      }
      case EQUAL -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] == y[i] ? a[i] : b[i];
        }
      }
      case NOT_EQUAL -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] != y[i] ? a[i] : b[i];
        }
      }
      case GREATER -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] > y[i] ? a[i] : b[i];
        }
      }
      case GREATER_EQUAL -> {
        for (int i = 0; i < count; i++) {
          d[i] = x[i] >= y[i] ? a[i] : b[i];
        }
      }
    }
  }
}
