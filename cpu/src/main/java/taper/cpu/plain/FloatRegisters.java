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

/// Blocks of `float32`. Functions are computed in double precision and rounded.
final class FloatRegisters extends Registers {
  private final FloatChoice choice = new FloatChoice();
  private float[][] r = {};

  @Override
  void prepare(int count) {
    if (r.length < count) {
      r = Arrays.copyOf(r, count);
      for (int i = 0; i < count; i++) {
        if (r[i] == null) {
          r[i] = new float[BLOCK];
        }
      }
    }
  }

  @Override
  void fill(int to, Parameters parameters, Steps.Fixed number) {
    float value =
        number.parameter() < 0
            ? (float) number.value()
            : (float) parameters.values()[number.parameter()];
    Arrays.fill(r[to], value);
  }

  @Override
  void load(int to, int first, Strided x, long offset, long stride, int count) {
    MemorySegment memory = x.memory();
    float[] d = r[to];
    int end = first + count;
    if (stride == x.dtype().byteSize() && x.dtype() == DType.FLOAT32) {
      MemorySegment.copy(memory, JAVA_FLOAT_UNALIGNED, offset, d, first, count);
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
          d[i] = (float) memory.get(JAVA_DOUBLE_UNALIGNED, at);
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
    float[] s = r[from];
    int end = first + count;
    if (stride == x.dtype().byteSize() && x.dtype() == DType.FLOAT32) {
      MemorySegment.copy(s, first, memory, JAVA_FLOAT_UNALIGNED, offset, count);
      return;
    }
    long at = offset;
    switch (x.dtype()) {
      case FLOAT32 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_FLOAT_UNALIGNED, at, s[i]);
        }
      }
      case FLOAT64 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_DOUBLE_UNALIGNED, at, s[i]);
        }
      }
      case BFLOAT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_SHORT_UNALIGNED, at, Bfloat16.of(s[i]));
        }
      }
      case FLOAT16 -> {
        for (int i = first; i < end; i++, at += stride) {
          memory.set(JAVA_SHORT_UNALIGNED, at, Float.floatToFloat16(s[i]));
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
    float[] d = r[to];
    float[] x = r[from];
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
          d[i] = (float) Math.sqrt(x[i]);
        }
      }
      case RECIPROCAL -> {
        for (int i = 0; i < count; i++) {
          d[i] = 1 / x[i];
        }
      }
      case RELU -> {
        for (int i = 0; i < count; i++) {
          d[i] = Math.max(x[i], 0f); // keeps NaN; a conditional would be a jump
        }
      }
      case EXP -> {
        for (int i = 0; i < count; i++) {
          d[i] = (float) Math.exp(x[i]);
        }
      }
      case LOG -> {
        for (int i = 0; i < count; i++) {
          d[i] = (float) Math.log(x[i]);
        }
      }
      default -> {
        for (int i = 0; i < count; i++) {
          d[i] = (float) function.at((double) x[i]);
        }
      }
    }
  }

  @Override
  void two(int to, Arithmetic arithmetic, int left, int right, int count) {
    float[] d = r[to];
    float[] x = r[left];
    float[] y = r[right];
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
      default -> {
        for (int i = 0; i < count; i++) {
          d[i] = arithmetic.at(x[i], y[i]);
        }
      }
    }
  }

  @Override
  void fused(int to, int left, int right, int rest, int count) {
    float[] d = r[to];
    float[] x = r[left];
    float[] y = r[right];
    float[] z = r[rest];
    for (int i = 0; i < count; i++) {
      d[i] = (float) ((double) x[i] * y[i] + z[i]);
    }
  }

  @Override
  void minusProduct(int to, int left, int right, int rest, int count) {
    float[] d = r[to];
    float[] x = r[left];
    float[] y = r[right];
    float[] z = r[rest];
    for (int i = 0; i < count; i++) {
      d[i] = (float) (z[i] - (double) x[i] * y[i]);
    }
  }

  @Override
  void minusRest(int to, int left, int right, int rest, int count) {
    float[] d = r[to];
    float[] x = r[left];
    float[] y = r[right];
    float[] z = r[rest];
    for (int i = 0; i < count; i++) {
      d[i] = (float) ((double) x[i] * y[i] - z[i]);
    }
  }

  @Override
  void choose(
      int to, int left, Comparison comparison, int right, int then, int otherwise, int count) {
    choice.choose(r[to], r[left], comparison, r[right], r[then], r[otherwise], count);
  }
}
