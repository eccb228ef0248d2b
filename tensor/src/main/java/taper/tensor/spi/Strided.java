package taper.tensor.spi;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.ShapeException;

/// What a kernel sees of a tensor: memory, sizes, strides and the type of the elements.
///
/// A region that reaches beyond its memory, or has 2^63 elements or more, cannot be made. So whoever holds one may
/// trust its sizes, strides and offset.
///
/// Immutable, and safe to share between threads; the memory behind it is not. Whoever calls a kernel
/// keeps the memory alive for the time of the call. An operand that was a Java number has rank 0 and no
/// memory, see [#isNumber()].
public final class Strided {
  private static final long[] NONE = {};

  private final MemorySegment memory;
  private final long byteOffset;
  private final DType dtype;
  private final long[] sizes;
  private final long[] strides;
  private final long numel;
  private final boolean contiguous;
  private final boolean number;
  private final double doubleValue;
  private final double imaginaryValue;
  private final long longValue;

  private Strided(
      MemorySegment memory,
      long byteOffset,
      DType dtype,
      long[] sizes,
      long[] strides,
      boolean number,
      double doubleValue,
      double imaginaryValue,
      long longValue) {
    this.memory = memory;
    this.byteOffset = byteOffset;
    this.dtype = dtype;
    this.sizes = sizes;
    this.strides = strides;
    this.number = number;
    this.doubleValue = doubleValue;
    this.imaginaryValue = imaginaryValue;
    this.longValue = longValue;
    long n = 1;
    boolean dense = true;
    boolean overflow = false;
    boolean empty = false;
    boolean negative = false;
    for (int d = sizes.length - 1; d >= 0; d--) {
      long size = sizes[d];
      negative |= size < 0;
      dense &= size == 1 || strides[d] == n;
      overflow |= Math.multiplyHigh(n, size) != 0 || n * size < 0;
      empty |= size == 0;
      n *= size;
    }
    if (negative) {
      throw CheckedSizes.negative(sizes);
    }
    if (overflow && !empty) {
      throw CheckedSizes.tooMany(sizes);
    }
    this.numel = empty ? 0 : n;
    this.contiguous = dense || empty;
    if (!empty && memory.address() != 0) { // else it is a geometry without memory
      requireInside();
    }
  }

  /// Refuses a region that reaches beyond its memory, so that no kernel can be handed one.
  private void requireInside() {
    long first = 0; // the lowest element, counted from the one at the offset
    long last = numel - 1; // the highest
    if (!contiguous) {
      last = 0;
      for (int d = 0; d < sizes.length; d++) {
        long reach = CheckedSizes.times(sizes[d] - 1, strides[d], sizes);
        first = CheckedSizes.plus(first, Math.min(reach, 0), sizes);
        last = CheckedSizes.plus(last, Math.max(reach, 0), sizes);
      }
    }
    int bytes = dtype.byteSize();
    long room = memory.byteSize();
    // Compared in elements, where no product overflows.
    if (byteOffset < 0
        || byteOffset > room
        || first < -(byteOffset / bytes)
        || last >= (room - byteOffset) / bytes) {
      throw new ShapeException(
          "tensor: every element must lie inside the storage of %d bytes, but shape %s with strides %s does not, from byte %d on."
              .formatted(room, Arrays.toString(sizes), Arrays.toString(strides), byteOffset));
    }
  }

  /// A region of `memory` that starts at `byteOffset` (in bytes). The arrays are owned by the result:
  /// the caller must not change them afterwards.
  public static Strided of(
      MemorySegment memory, long byteOffset, DType dtype, long[] sizes, long[] strides) {
    assert sizes.length == strides.length;
    return new Strided(memory, byteOffset, dtype, sizes, strides, false, 0, 0, 0);
  }

  /// The floating-point number `value`, as an operand of rank 0.
  public static Strided number(double value) {
    return new Strided(
        MemorySegment.NULL,
        0,
        DType.FLOAT64,
        NONE,
        NONE,
        true,
        value,
        0,
        Truncation.toInt64(value));
  }

  /// The whole number `value`, as an operand of rank 0.
  public static Strided number(long value) {
    return new Strided(MemorySegment.NULL, 0, DType.INT64, NONE, NONE, true, value, 0, value);
  }

  /// The truth value `value`, as an operand of rank 0.
  public static Strided number(boolean value) {
    return new Strided(
        MemorySegment.NULL, 0, DType.BOOL, NONE, NONE, true, value ? 1 : 0, 0, value ? 1 : 0);
  }

  /// The complex number `value`, as an operand of rank 0.
  public static Strided number(Complex value) {
    return new Strided(
        MemorySegment.NULL,
        0,
        DType.COMPLEX128,
        NONE,
        NONE,
        true,
        value.re(),
        value.im(),
        Truncation.toInt64(value.re()));
  }

  /// The strides of a contiguous tensor of the given sizes, in elements.
  public static long[] contiguousStrides(long[] sizes) {
    long[] strides = new long[sizes.length];
    long n = 1;
    for (int d = sizes.length - 1; d >= 0; d--) {
      strides[d] = n;
      n *= Math.max(sizes[d], 1);
    }
    return strides;
  }

  /// The native memory that holds the elements, usually much more than this operand.
  public MemorySegment memory() {
    return memory;
  }

  /// Where the first element lies inside [#memory()], in bytes.
  public long byteOffset() {
    return byteOffset;
  }

  /// The absolute address of the first element.
  public long address() {
    return memory.address() + byteOffset;
  }

  /// The type of the elements.
  public DType dtype() {
    return dtype;
  }

  /// The number of dimensions.
  public int rank() {
    return sizes.length;
  }

  /// The size of dimension `dim`, which counts from 0.
  public long size(int dim) {
    return sizes[dim];
  }

  /// The distance between neighbours along `dim`, in elements; 0 for an expanded dimension.
  public long stride(int dim) {
    return strides[dim];
  }

  /// A copy of the sizes.
  public long[] sizes() {
    return sizes.clone();
  }

  /// A copy of the strides, in elements.
  public long[] strides() {
    return strides.clone();
  }

  /// The number of elements.
  public long numel() {
    return numel;
  }

  /// Whether the elements lie densely in row-major order.
  public boolean isContiguous() {
    return contiguous;
  }

  /// Whether this operand was a Java number.
  public boolean isNumber() {
    return number;
  }

  /// The value of a number operand.
  public double doubleValue() {
    return doubleValue;
  }

  /// The imaginary part of a number operand.
  public double imaginaryValue() {
    return imaginaryValue;
  }

  /// The value of a whole-number operand.
  public long longValue() {
    return longValue;
  }

  /// The same elements repeated up to `sizes`: dimensions that are new, or have one element, stand still.
  public Strided expanded(long[] sizes) {
    long[] all = new long[sizes.length];
    int lead = sizes.length - rank();
    for (int d = 0; d < rank(); d++) {
      all[lead + d] = size(d) == 1 ? 0 : stride(d);
    }
    return view(0, sizes.clone(), all);
  }

  /// The same memory seen with other sizes and strides, `elementOffset` elements further on.
  public Strided view(long elementOffset, long[] sizes, long[] strides) {
    return new Strided(
        memory,
        number
            ? 0
            : CheckedSizes.plus(
                byteOffset, CheckedSizes.times(elementOffset, dtype.byteSize(), sizes), sizes),
        dtype,
        sizes,
        strides,
        number,
        doubleValue,
        imaginaryValue,
        longValue);
  }

  /// The real parts (0) or the imaginary parts (1) of complex elements, where they lie.
  public Strided part(int which) {
    long[] apart = strides.clone();
    for (int d = 0; d < apart.length; d++) {
      apart[d] *= 2;
    }
    DType real = dtype.toReal();
    return of(memory, byteOffset + (long) which * real.byteSize(), real, sizes, apart);
  }

  /// The real and imaginary parts of complex elements, where they lie, along a last dimension of size 2.
  public Strided parts() {
    int rank = sizes.length;
    long[] wide = Arrays.copyOf(sizes, rank + 1);
    long[] apart = Arrays.copyOf(strides, rank + 1);
    for (int d = 0; d < rank; d++) {
      apart[d] *= 2;
    }
    wide[rank] = 2;
    apart[rank] = 1;
    return of(memory, byteOffset, dtype.toReal(), wide, apart);
  }

  /// Complex elements whose parts these are, along a last dimension of size 2 and stride 1; other strides are even.
  public Strided pairs() {
    int rank = sizes.length - 1;
    long[] close = Arrays.copyOf(strides, rank);
    for (int d = 0; d < rank; d++) {
      close[d] /= 2;
    }
    return of(memory, byteOffset, dtype.toComplex(), Arrays.copyOf(sizes, rank), close);
  }

  /// A contiguous region of other memory, with the sizes of this one.
  public Strided contiguousIn(MemorySegment otherMemory, long otherOffset, DType otherType) {
    long[] dense = contiguous && numel > 0 ? strides : contiguousStrides(sizes);
    return new Strided(otherMemory, otherOffset, otherType, sizes, dense, false, 0, 0, 0);
  }

  /// How many bytes the elements would take, one after another, in `type`.
  ///
  /// @throws ShapeException if there are 2^63 bytes or more
  public long byteSize(DType type) {
    return CheckedSizes.bytes(type, numel, sizes);
  }

  /// Whether the sizes are these.
  public boolean hasSizes(long[] others) {
    return Arrays.equals(sizes, others);
  }

  /// Whether both have the same sizes.
  public boolean sameSizes(Strided other) {
    return Arrays.equals(sizes, other.sizes);
  }

  @Override
  public String toString() {
    return number
        ? Double.toString(doubleValue)
        : dtype + Arrays.toString(sizes) + " strides " + Arrays.toString(strides);
  }
}
