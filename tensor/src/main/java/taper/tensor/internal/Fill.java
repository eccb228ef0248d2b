package taper.tensor.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Writes values one after the other into the elements of a tensor, in the order in which PyTorch's
/// iterator visits them, and converts them to the type of the elements.
///
/// PyTorch visits a tensor in the order of its strides, the smallest innermost: a transposed matrix is
/// filled in the order of memory, not of its indices. Dimensions that lie densely one inside the other
/// are merged first, so most tensors are one run.
///
/// Mutable; belongs to one thread and one pass over the tensor.
final class Fill {
  private final MemorySegment memory;
  private final DType dtype;
  private final int bytes;
  private final int rank;
  // innermost dimension first, strides in bytes
  private final long[] sizes;
  private final long[] strides;
  private final long[] index;
  private long offset;
  private long remaining;

  Fill(Strided out) {
    this(out, out);
  }

  /// Visits `operand`, of the same sizes as `leader`, in the order of `leader`.
  Fill(Strided leader, Strided operand) {
    assert leader.sameSizes(operand);
    memory = operand.memory();
    dtype = operand.dtype();
    bytes = dtype.byteSize();
    offset = operand.byteOffset();
    remaining = operand.numel();
    int[] order = order(leader);
    sizes = new long[Math.max(1, order.length)];
    strides = new long[Math.max(1, order.length)];
    sizes[0] = 1;
    strides[0] = bytes;
    int last = 0;
    for (int dim : order) {
      long size = operand.size(dim);
      long stride = operand.stride(dim) * bytes;
      if (size == 1) {
        continue;
      }
      if (sizes[last] == 1) {
        sizes[last] = size;
        strides[last] = stride;
      } else if (stride == sizes[last] * strides[last]) {
        sizes[last] *= size;
      } else {
        last++;
        sizes[last] = size;
        strides[last] = stride;
      }
    }
    rank = last + 1;
    index = new long[rank];
  }

  /// The dimensions in the order of PyTorch's `TensorIteratorBase::reorder_dimensions`, innermost
  /// first: an insertion sort by stride in which dimensions of stride 0 compare equal to all others.
  private static int[] order(Strided out) {
    int[] order = new int[out.rank()];
    for (int i = 0; i < order.length; i++) {
      order[i] = order.length - 1 - i;
    }
    for (int i = 1; i < order.length; i++) {
      int at = i;
      for (int before = i - 1; before >= 0; before--) {
        int comparison = compare(out, order[before], order[at]);
        if (comparison > 0) {
          int dim = order[before];
          order[before] = order[at];
          order[at] = dim;
          at = before;
        } else if (comparison < 0) {
          break;
        }
      }
    }
    return order;
  }

  private static int compare(Strided out, int a, int b) {
    long strideA = out.stride(a);
    long strideB = out.stride(b);
    if (strideA == 0 || strideB == 0) {
      return 0;
    }
    if (strideA != strideB) {
      return Long.compare(strideA, strideB);
    }
    return out.size(a) > out.size(b) ? 1 : 0;
  }

  /// How many elements are still to be written.
  long remaining() {
    return remaining;
  }

  /// How many values the next block has: the remaining ones, at most `limit`.
  int block(int limit) {
    return (int) Math.min(remaining, limit);
  }

  /// Whether all elements lie in one run without gaps.
  boolean dense() {
    return rank == 1 && strides[0] == bytes;
  }

  /// Writes the first `count` of `values`.
  void put(float[] values, int count) {
    if (dense() && dtype == DType.FLOAT32) {
      MemorySegment.copy(values, 0, memory, JAVA_FLOAT_UNALIGNED, offset, count);
      skip(count);
      return;
    }
    for (int i = 0; i < count; i++) {
      switch (dtype) {
        case FLOAT64 -> memory.set(JAVA_DOUBLE_UNALIGNED, offset, values[i]);
        case INT64, INT32, INT16, INT8, UINT8 -> putWhole((long) values[i]);
        case BOOL -> memory.set(JAVA_BYTE, offset, (byte) (values[i] != 0 ? 1 : 0));
        case FLOAT32, BFLOAT16, FLOAT16 -> putFloat(values[i]);
        case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
      }
      step();
    }
  }

  /// Writes the first `count` of `values`.
  void put(double[] values, int count) {
    if (dense() && dtype == DType.FLOAT64) {
      MemorySegment.copy(values, 0, memory, JAVA_DOUBLE_UNALIGNED, offset, count);
      skip(count);
      return;
    }
    for (int i = 0; i < count; i++) {
      switch (dtype) {
        case FLOAT64 -> memory.set(JAVA_DOUBLE_UNALIGNED, offset, values[i]);
        case INT64, INT32, INT16, INT8, UINT8 -> putWhole((long) values[i]);
        case BOOL -> memory.set(JAVA_BYTE, offset, (byte) (values[i] != 0 ? 1 : 0));
        case FLOAT32, BFLOAT16, FLOAT16 -> putFloat((float) values[i]);
        case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
      }
      step();
    }
  }

  /// Writes the first `count` of `values`; integers keep the lower bits of what does not fit.
  void put(long[] values, int count) {
    if (dense() && dtype == DType.INT64) {
      MemorySegment.copy(values, 0, memory, JAVA_LONG_UNALIGNED, offset, count);
      skip(count);
      return;
    }
    for (int i = 0; i < count; i++) {
      switch (dtype) {
        case FLOAT64 -> memory.set(JAVA_DOUBLE_UNALIGNED, offset, (double) values[i]);
        case INT64, INT32, INT16, INT8, UINT8 -> putWhole(values[i]);
        case BOOL -> memory.set(JAVA_BYTE, offset, (byte) (values[i] != 0 ? 1 : 0));
        case FLOAT32, BFLOAT16, FLOAT16 -> putFloat((float) values[i]);
        case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
      }
      step();
    }
  }

  /// Writes the first `count` of `values`, which are the bits of elements of 4 bytes.
  void putBits(int[] values, int count) {
    assert bytes == 4;
    if (dense()) {
      MemorySegment.copy(values, 0, memory, JAVA_INT_UNALIGNED, offset, count);
      skip(count);
      return;
    }
    for (int i = 0; i < count; i++) {
      memory.set(JAVA_INT_UNALIGNED, offset, values[i]);
      step();
    }
  }

  /// Writes the first `count` of `values`, which are the bits of elements of 1 byte.
  void putBits(byte[] values, int count) {
    assert bytes == 1;
    if (dense()) {
      MemorySegment.copy(values, 0, memory, JAVA_BYTE, offset, count);
      skip(count);
      return;
    }
    for (int i = 0; i < count; i++) {
      memory.set(JAVA_BYTE, offset, values[i]);
      step();
    }
  }

  /// Reads the next element.
  double next() {
    double value = read(memory, dtype, offset);
    step();
    return value;
  }

  /// The element of type `dtype` at `offset` (in bytes) of `memory`.
  static double read(MemorySegment memory, DType dtype, long offset) {
    return switch (dtype) {
      case FLOAT32 -> memory.get(JAVA_FLOAT_UNALIGNED, offset);
      case FLOAT64 -> memory.get(JAVA_DOUBLE_UNALIGNED, offset);
      case BFLOAT16 -> Halves.fromBfloat16(memory.get(JAVA_SHORT_UNALIGNED, offset));
      case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT_UNALIGNED, offset));
      case INT64 -> memory.get(JAVA_LONG_UNALIGNED, offset);
      case INT32 -> memory.get(JAVA_INT_UNALIGNED, offset);
      case INT16 -> memory.get(JAVA_SHORT_UNALIGNED, offset);
      case INT8 -> memory.get(JAVA_BYTE, offset);
      case UINT8, BOOL -> Byte.toUnsignedInt(memory.get(JAVA_BYTE, offset));
      case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
    };
  }

  private void putFloat(float value) {
    switch (dtype) {
      case FLOAT32 -> memory.set(JAVA_FLOAT_UNALIGNED, offset, value);
      case BFLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, offset, Halves.toBfloat16(value));
      case FLOAT16 -> memory.set(JAVA_SHORT_UNALIGNED, offset, Float.floatToFloat16(value));
      case FLOAT64, INT64, INT32, INT16, INT8, UINT8, BOOL, COMPLEX32, COMPLEX64, COMPLEX128 ->
          throw new AssertionError(dtype);
    }
  }

  private void putWhole(long value) {
    switch (bytes) {
      case 8 -> memory.set(JAVA_LONG_UNALIGNED, offset, value);
      case 4 -> memory.set(JAVA_INT_UNALIGNED, offset, (int) value);
      case 2 -> memory.set(JAVA_SHORT_UNALIGNED, offset, (short) value);
      default -> memory.set(JAVA_BYTE, offset, (byte) value);
    }
  }

  /// Leaves out `count` elements of a run without gaps.
  void skip(long count) {
    offset += count * bytes;
    remaining -= count;
  }

  private void step() {
    remaining--;
    offset += strides[0];
    if (++index[0] < sizes[0]) {
      return;
    }
    carry();
  }

  private void carry() {
    for (int d = 0; d + 1 < rank; d++) {
      index[d] = 0;
      offset += strides[d + 1] - sizes[d] * strides[d];
      if (++index[d + 1] < sizes[d + 1]) {
        return;
      }
    }
  }

  /// `value` rounded to the precision of the half type `dtype`.
  static float rounded(DType dtype, float value) {
    return dtype == DType.BFLOAT16
        ? Halves.fromBfloat16(Halves.toBfloat16(value))
        : Float.float16ToFloat(Float.floatToFloat16(value));
  }
}
