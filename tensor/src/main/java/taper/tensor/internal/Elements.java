package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import taper.tensor.DType;
import taper.tensor.DTypeException;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Truncation;

/// Reads and writes the elements of a strided region one at a time, of any type. For reference kernels, printing and
/// copies to arrays; not for hot paths.
public final class Elements {
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
  private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;

  private final Strided region;
  private final MemorySegment memory;
  private final long base;
  private final DType dtype;
  private final int byteSize;
  private final boolean contiguous;

  /// Access to `region`.
  public Elements(Strided region) {
    this.region = region;
    this.memory = region.memory();
    this.base = region.byteOffset();
    this.dtype = region.dtype();
    this.byteSize = dtype.byteSize();
    this.contiguous = region.isContiguous();
  }

  /// Whether the elements are whole numbers or truth values.
  public boolean isWhole() {
    return !dtype.isDifferentiable();
  }

  /// Whether the elements are complex numbers.
  public boolean isComplex() {
    return dtype.isComplex();
  }

  /// The number of elements.
  public long numel() {
    return region.numel();
  }

  /// Where element `index` in row-major order lies in the memory, in bytes.
  private long offset(long index) {
    if (contiguous) {
      return base + index * byteSize;
    }
    long elements = 0;
    for (int d = region.rank() - 1; d >= 0; d--) {
      long size = region.size(d);
      elements += index % size * region.stride(d);
      index /= size;
    }
    return base + elements * byteSize;
  }

  /// Element `index` in row-major order, as a floating-point number.
  public double at(long index) {
    return region.isNumber() ? region.doubleValue() : atOffset(offset(index));
  }

  /// The element `elements` elements away from the first in memory, as a floating-point number.
  public double atDistance(long elements) {
    return region.isNumber() ? region.doubleValue() : atOffset(base + elements * byteSize);
  }

  private double atOffset(long o) {
    return switch (dtype) {
      case FLOAT32 -> memory.get(FLOAT, o);
      case FLOAT64 -> memory.get(DOUBLE, o);
      case BFLOAT16 -> Halves.fromBfloat16(memory.get(SHORT, o));
      case FLOAT16 -> Float.float16ToFloat(memory.get(SHORT, o));
      case INT64 -> memory.get(LONG, o);
      case INT32 -> memory.get(INT, o);
      case INT16 -> memory.get(SHORT, o);
      case INT8, BOOL -> memory.get(ValueLayout.JAVA_BYTE, o);
      case UINT8 -> memory.get(ValueLayout.JAVA_BYTE, o) & 255;
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw unread();
    };
  }

  /// A kernel that would read complex numbers as real ones stops here.
  private DTypeException unread() {
    return new DTypeException(
        "elements: this operator takes real numbers, but was given %s. Use real() and imag(), or viewAsReal()."
            .formatted(dtype));
  }

  /// The real part of element `index` in row-major order.
  public double realAt(long index) {
    return region.isNumber() ? region.doubleValue() : realAtOffset(offset(index));
  }

  /// The imaginary part of element `index` in row-major order; 0 for real types.
  public double imaginaryAt(long index) {
    return region.isNumber() ? region.imaginaryValue() : imaginaryAtOffset(offset(index));
  }

  /// The real part of the element `elements` elements away from the first in memory.
  public double realAtDistance(long elements) {
    return region.isNumber() ? region.doubleValue() : realAtOffset(base + elements * byteSize);
  }

  /// The imaginary part of the element `elements` elements away from the first in memory.
  public double imaginaryAtDistance(long elements) {
    return region.isNumber()
        ? region.imaginaryValue()
        : imaginaryAtOffset(base + elements * byteSize);
  }

  private double realAtOffset(long o) {
    return switch (dtype) {
      case COMPLEX32 -> Float.float16ToFloat(memory.get(SHORT, o));
      case COMPLEX64 -> memory.get(FLOAT, o);
      case COMPLEX128 -> memory.get(DOUBLE, o);
      default -> atOffset(o);
    };
  }

  private double imaginaryAtOffset(long o) {
    return switch (dtype) {
      case COMPLEX32 -> Float.float16ToFloat(memory.get(SHORT, o + Short.BYTES));
      case COMPLEX64 -> memory.get(FLOAT, o + Float.BYTES);
      case COMPLEX128 -> memory.get(DOUBLE, o + Double.BYTES);
      default -> 0;
    };
  }

  /// Whether the element `elements` elements away from the first in memory is not 0.
  public boolean truthAtDistance(long elements) {
    return isComplex()
        ? realAtDistance(elements) != 0 || imaginaryAtDistance(elements) != 0
        : atDistance(elements) != 0;
  }

  /// Sets element `index` in row-major order to a complex number; a real type loses the imaginary part.
  public void set(long index, double re, double im) {
    setAtOffset(offset(index), re, im);
  }

  /// Sets the element `elements` elements away from the first in memory to a complex number.
  public void setAtDistance(long elements, double re, double im) {
    setAtOffset(base + elements * byteSize, re, im);
  }

  private void setAtOffset(long o, double re, double im) {
    switch (dtype) {
      case COMPLEX32 -> {
        memory.set(SHORT, o, Float.floatToFloat16((float) re));
        memory.set(SHORT, o + Short.BYTES, Float.floatToFloat16((float) im));
      }
      case COMPLEX64 -> {
        memory.set(FLOAT, o, (float) re);
        memory.set(FLOAT, o + Float.BYTES, (float) im);
      }
      case COMPLEX128 -> {
        memory.set(DOUBLE, o, re);
        memory.set(DOUBLE, o + Double.BYTES, im);
      }
      case BOOL -> memory.set(ValueLayout.JAVA_BYTE, o, (byte) (re != 0 || im != 0 ? 1 : 0));
      default -> setAtOffset(o, re);
    }
  }

  /// Sets element `index` in row-major order to element `fromIndex` of `from`, converted.
  public void copy(long index, Elements from, long fromIndex) {
    if (isComplex() || from.isComplex()) {
      set(index, from.realAt(fromIndex), from.imaginaryAt(fromIndex));
    } else if (isWhole() && from.isWhole()) {
      set(index, from.wholeAt(fromIndex));
    } else {
      set(index, from.at(fromIndex));
    }
  }

  /// Element `index` in row-major order, as a whole number; fractions are cut off.
  public long wholeAt(long index) {
    if (region.isNumber()) {
      return region.longValue();
    }
    return wholeAtOffset(offset(index));
  }

  /// The element `elements` elements away from the first in memory, as a whole number.
  public long wholeAtDistance(long elements) {
    return region.isNumber() ? region.longValue() : wholeAtOffset(base + elements * byteSize);
  }

  private long wholeAtOffset(long o) {
    return dtype == DType.INT64 ? memory.get(LONG, o) : Truncation.toInt64(atOffset(o));
  }

  /// Sets element `index` in row-major order.
  public void set(long index, double value) {
    setAtOffset(offset(index), value);
  }

  /// Sets the element `elements` elements away from the first in memory.
  public void setAtDistance(long elements, double value) {
    setAtOffset(base + elements * byteSize, value);
  }

  private void setAtOffset(long o, double value) {
    switch (dtype) {
      case FLOAT32 -> memory.set(FLOAT, o, (float) value);
      case FLOAT64 -> memory.set(DOUBLE, o, value);
      case BFLOAT16 -> memory.set(SHORT, o, Halves.toBfloat16((float) value));
      case FLOAT16 -> memory.set(SHORT, o, Float.floatToFloat16((float) value));
      case BOOL -> memory.set(ValueLayout.JAVA_BYTE, o, (byte) (value != 0 ? 1 : 0));
      case INT64, INT32, INT16, INT8, UINT8 -> setWholeAtOffset(o, Truncation.to(dtype, value));
      case COMPLEX32, COMPLEX64, COMPLEX128 -> setAtOffset(o, value, 0);
    }
  }

  /// Sets element `index` in row-major order to a whole number, which wraps around if the type is narrower.
  public void set(long index, long value) {
    setWholeAtOffset(offset(index), value);
  }

  /// Sets the element `elements` elements away from the first in memory to a whole number.
  public void setWholeAtDistance(long elements, long value) {
    setWholeAtOffset(base + elements * byteSize, value);
  }

  private void setWholeAtOffset(long o, long value) {
    switch (dtype) {
      case INT64 -> memory.set(LONG, o, value);
      case INT32 -> memory.set(INT, o, (int) value);
      case INT16 -> memory.set(SHORT, o, (short) value);
      case INT8, UINT8 -> memory.set(ValueLayout.JAVA_BYTE, o, (byte) value);
      case BOOL -> memory.set(ValueLayout.JAVA_BYTE, o, (byte) (value != 0 ? 1 : 0));
      case FLOAT32, FLOAT64, BFLOAT16, FLOAT16 -> setAtOffset(o, (double) value);
      case COMPLEX32, COMPLEX64, COMPLEX128 -> setAtOffset(o, (double) value, 0);
    }
  }
}
