package taper.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.lang.reflect.Array;
import java.util.ArrayList;
import java.util.Arrays;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// Between tensors and Java's arrays, flat and nested.
final class NestedArrays {
  private NestedArrays() {}

  static Tensor read(Object nested) {
    return switch (nested) { // javac prefers this method to those with sizes where none are given
      case float[] x -> Tensor.of(x, x.length);
      case double[] x -> Tensor.of(x, x.length);
      case long[] x -> Tensor.of(x, x.length);
      case int[] x -> Tensor.of(x, x.length);
      default -> readNested(nested);
    };
  }

  private static Tensor readNested(Object nested) {
    var sizes = new ArrayList<Long>();
    Object level = nested;
    Class<?> type = nested.getClass();
    while (type.isArray()) {
      int length = Array.getLength(level);
      sizes.add((long) length);
      type = type.getComponentType();
      if (type.isArray() && length == 0) {
        while (type.isArray()) {
          sizes.add(0L);
          type = type.getComponentType();
        }
      } else if (type.isArray()) {
        level = element(level, 0);
      }
    }
    DType dtype = dtype(type, nested);
    long[] shape = sizes.stream().mapToLong(Long::longValue).toArray();
    if (shape.length == 0) {
      throw notAnArray(nested);
    }
    Tensor result = Tensor.empty(dtype, shape);
    copy(nested, shape, 0, new Elements(result.data()), 0);
    Reference.reachabilityFence(result);
    return result;
  }

  private static Object element(Object array, int i) {
    Object element = Array.get(array, i);
    if (element == null) {
      throw new ArgumentException(
          "tensor: nested arrays must be complete, but one at index " + i + " is null.");
    }
    return element;
  }

  private static ArgumentException notAnArray(Object nested) {
    return new ArgumentException(
        "tensor: the values must be arrays of numbers or truth values, but are %s. Use Tensor.scalar for a single number."
            .formatted(nested.getClass().getSimpleName()));
  }

  private static DType dtype(Class<?> type, Object nested) {
    if (type == float.class) {
      return DType.FLOAT32;
    } else if (type == double.class) {
      return DType.FLOAT64;
    } else if (type == long.class) {
      return DType.INT64;
    } else if (type == int.class) {
      return DType.INT32;
    } else if (type == short.class) {
      return DType.INT16;
    } else if (type == byte.class) {
      return DType.INT8;
    } else if (type == boolean.class) {
      return DType.BOOL;
    } else if (type == Complex.class) {
      return DType.COMPLEX128;
    }
    throw notAnArray(nested);
  }

  /// Copies `array`, at depth `depth`, to the elements from `at` on, and returns where the next array begins.
  private static long copy(Object array, long[] shape, int depth, Elements to, long at) {
    int length = Array.getLength(array);
    if (length != shape[depth]) {
      throw new ShapeException(
          "tensor: arrays at one depth must have one length, but one at depth %d has %d elements and the first has %d (shape %s)."
              .formatted(depth, length, shape[depth], Arrays.toString(shape)));
    }
    if (depth < shape.length - 1) {
      for (int i = 0; i < length; i++) {
        at = copy(element(array, i), shape, depth + 1, to, at);
      }
      return at;
    }
    for (int i = 0; i < length; i++) {
      switch (array) {
        case float[] x -> to.set(at++, x[i]);
        case double[] x -> to.set(at++, x[i]);
        case long[] x -> to.set(at++, x[i]);
        case int[] x -> to.set(at++, (long) x[i]);
        case short[] x -> to.set(at++, (long) x[i]);
        case byte[] x -> to.set(at++, (long) x[i]);
        case boolean[] x -> to.set(at++, x[i] ? 1L : 0L);
        case Complex[] x -> to.set(at++, x[i].re(), x[i].im());
        default -> throw notAnArray(array);
      }
    }
    return at;
  }

  /// The elements of `x` as nested arrays of the Java type of its own: `float[][]` for a `float32` matrix.
  static Object write(Tensor x) {
    long[] sizes = x.sizesInternal();
    int[] lengths = new int[sizes.length];
    for (int d = 0; d < sizes.length; d++) {
      if (sizes[d] > Integer.MAX_VALUE - 8) {
        throw new ShapeException(
            "toArray: a Java array holds at most 2^31 - 9 elements, but dimension %d of shape %s has %d."
                .formatted(d, x.shape(), sizes[d]));
      }
      lengths[d] = (int) sizes[d];
    }
    return x.whileHeld(data -> {
      var from = new Elements(data);
      if (lengths.length == 0) {
        Object one = Array.newInstance(javaType(x.dtype()), 1);
        fill(one, from, 0);
        return Array.get(one, 0);
      }
      Object result = Array.newInstance(javaType(x.dtype()), lengths);
      fill(result, from, 0);
      return result;
    });
  }

  private static Class<?> javaType(DType dtype) {
    return switch (dtype) {
      case FLOAT32, FLOAT16, BFLOAT16 -> float.class;
      case FLOAT64 -> double.class;
      case INT64 -> long.class;
      case INT32 -> int.class;
      case INT16, UINT8 -> short.class;
      case INT8 -> byte.class;
      case BOOL -> boolean.class;
      case COMPLEX32, COMPLEX64, COMPLEX128 -> Complex.class;
    };
  }

  private static long fill(Object array, Elements from, long at) {
    int length = Array.getLength(array);
    for (int i = 0; i < length; i++) {
      switch (array) {
        case float[] x -> x[i] = (float) from.at(at++);
        case double[] x -> x[i] = from.at(at++);
        case long[] x -> x[i] = from.wholeAt(at++);
        case int[] x -> x[i] = (int) from.wholeAt(at++);
        case short[] x -> x[i] = (short) from.wholeAt(at++);
        case byte[] x -> x[i] = (byte) from.wholeAt(at++);
        case boolean[] x -> x[i] = from.wholeAt(at++) != 0;
        case Complex[] x -> {
          x[i] = new Complex(from.realAt(at), from.imaginaryAt(at));
          at++;
        }
        default -> at = fill(Array.get(array, i), from, at);
      }
    }
    return at;
  }

  // Flat arrays

  static float[] floats(Strided x) {
    float[] result = new float[length(x)];
    if (x.dtype() == DType.FLOAT32 && x.isContiguous()) {
      MemorySegment.copy(
          x.memory(), ValueLayout.JAVA_FLOAT_UNALIGNED, x.byteOffset(), result, 0, result.length);
    } else {
      var elements = new Elements(x);
      for (int i = 0; i < result.length; i++) {
        result[i] = (float) elements.at(i);
      }
    }
    return result;
  }

  static double[] doubles(Strided x) {
    double[] result = new double[length(x)];
    var elements = new Elements(x);
    for (int i = 0; i < result.length; i++) {
      result[i] = elements.at(i);
    }
    return result;
  }

  static long[] longs(Strided x) {
    long[] result = new long[length(x)];
    var elements = new Elements(x);
    for (int i = 0; i < result.length; i++) {
      result[i] = elements.wholeAt(i);
    }
    return result;
  }

  static Complex[] complexNumbers(Strided x) {
    Complex[] result = new Complex[length(x)];
    var elements = new Elements(x);
    for (int i = 0; i < result.length; i++) {
      result[i] = new Complex(elements.realAt(i), elements.imaginaryAt(i));
    }
    return result;
  }

  private static int length(Strided x) {
    if (x.numel() > Integer.MAX_VALUE - 8) {
      throw new ShapeException(
          "toArray: a Java array holds at most 2^31 - 9 elements, but the tensor has %d. Copy it in parts, see narrow."
              .formatted(x.numel()));
    }
    return (int) x.numel();
  }

  /// Writes the elements of `x`, converted to `dtype`, to the beginning of `target`.
  static void copyTo(Tensor x, DType dtype, MemorySegment target) {
    long bytes = x.numel() * dtype.byteSize();
    if (target.byteSize() < bytes) {
      throw new ArgumentException(
          "copyTo: the target must have room for the %d elements of shape %s, but has %d bytes and they take %d."
              .formatted(x.numel(), x.shape(), target.byteSize(), bytes));
    }
    if (bytes == 0) {
      return;
    }
    boolean plain = x.dtype() == dtype && x.isContiguous();
    Tensor dense = plain ? x : Copies.converted(x, dtype);
    dense.whileHeld(from -> {
      long held = Math.min(bytes, from.numel() * dtype.byteSize());
      MemorySegment.copy(
          from.memory(),
          ValueLayout.JAVA_BYTE,
          from.byteOffset(),
          target,
          ValueLayout.JAVA_BYTE,
          0,
          held);
      return held;
    });
    if (!plain) {
      dense.releaseNow();
    }
  }
}
