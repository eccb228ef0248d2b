package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Element-wise kernels that no formula can say, since they read the bits of a type.
public final class ReferenceElements {
  private ReferenceElements() {}

  /// The next numbers after those of the first input, in the direction of the second.
  public static void nextAfter(Record attributes, Strided[] outputs, Strided[] inputs) {
    if (outputs[0].dtype() == DType.FLOAT32
        && inputs[0].sameSizes(outputs[0])
        && inputs[1].sameSizes(outputs[0])) {
      nextFloats(outputs[0], inputs[0], inputs[1]);
      return;
    }
    var out = new Elements(outputs[0]);
    var from = new Elements(inputs[0].expanded(outputs[0].sizes()));
    var to = new Elements(inputs[1].expanded(outputs[0].sizes()));
    for (long i = 0, n = out.numel(); i < n; i++) {
      double x = from.at(i);
      double y = to.at(i);
      double next =
          switch (outputs[0].dtype()) {
            case FLOAT64 -> Math.nextAfter(x, y);
            case FLOAT32 -> Math.nextAfter((float) x, y);
            case BFLOAT16 -> {
              short bits = after(Halves.toBfloat16((float) x), x, y);
              yield Halves.fromBfloat16(bits);
            }
            default -> Float.float16ToFloat(after(Float.floatToFloat16((float) x), x, y));
          };
      out.set(i, Double.isNaN(x + y) && (Double.isNaN(x) || Double.isNaN(y)) ? x + y : next);
    }
  }

  private static void nextFloats(Strided out, Strided from, Strided to) {
    MemorySegment target = out.memory();
    MemorySegment first = from.memory();
    MemorySegment second = to.memory();
    for (long i = 0, n = 4 * out.numel(); i < n; i += 4) {
      float x = first.get(ValueLayout.JAVA_FLOAT_UNALIGNED, from.byteOffset() + i);
      float y = second.get(ValueLayout.JAVA_FLOAT_UNALIGNED, to.byteOffset() + i);
      target.set(
          ValueLayout.JAVA_FLOAT_UNALIGNED, out.byteOffset() + i, Math.nextAfter(x, (double) y));
    }
  }

  /// The bits of the neighbour of `x` in the direction of `y`; magnitudes are ordered as their bits are.
  private static short after(short bits, double x, double y) {
    if (x == y) {
      return bits;
    }
    if (x == 0) {
      return (short) (y > 0 ? 1 : 0x8001);
    }
    return (short) (x > 0 == y > x ? bits + 1 : bits - 1);
  }

  /// Mantissas and exponents.
  public static void frexp(Record attributes, Strided[] outputs, Strided[] inputs) {
    if (inputs[0].dtype() == DType.FLOAT32) {
      frexpOfFloats(outputs, inputs[0]);
      return;
    }
    var mantissas = new Elements(outputs[0]);
    var exponents = new Elements(outputs[1]);
    var in = new Elements(inputs[0]);
    for (long i = 0, n = in.numel(); i < n; i++) {
      double x = in.at(i);
      if (x == 0 || !Double.isFinite(x)) {
        mantissas.set(i, x);
        exponents.set(i, 0L);
        continue;
      }
      boolean denormal = Math.abs(x) < Double.MIN_NORMAL;
      double scaled = denormal ? x * 0x1p54 : x;
      int exponent = Math.getExponent(scaled) + 1;
      mantissas.set(i, Math.scalb(scaled, -exponent));
      exponents.set(i, (long) (denormal ? exponent - 54 : exponent));
    }
  }

  private static void frexpOfFloats(Strided[] outputs, Strided in) {
    MemorySegment mantissas = outputs[0].memory();
    MemorySegment exponents = outputs[1].memory();
    MemorySegment numbers = in.memory();
    for (long i = 0, n = 4 * in.numel(); i < n; i += 4) {
      // A float32 is a normal float64, so its exponent can be read from the bits.
      double x = numbers.get(ValueLayout.JAVA_FLOAT_UNALIGNED, in.byteOffset() + i);
      long bits = Double.doubleToRawLongBits(x);
      int biased = (int) (bits >> 52) & 0x7FF;
      boolean regular = biased != 0 && biased != 0x7FF;
      double mantissa = regular ? Double.longBitsToDouble(bits & ~(0x7FFL << 52) | 1022L << 52) : x;
      mantissas.set(
          ValueLayout.JAVA_FLOAT_UNALIGNED, outputs[0].byteOffset() + i, (float) mantissa);
      exponents.set(
          ValueLayout.JAVA_INT_UNALIGNED, outputs[1].byteOffset() + i, regular ? biased - 1022 : 0);
    }
  }
}
