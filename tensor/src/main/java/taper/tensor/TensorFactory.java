package taper.tensor;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import taper.tensor.internal.Context;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Strided;

/// The static methods of [Tensor] that make tensors: what is `torch.zeros` in Python is `Tensor.zeros` in Java.
abstract sealed class TensorFactory extends WindowFactory permits Tensor {

  // Filled

  /// A tensor of zeros, `float32`.
  public static Tensor zeros(long... sizes) {
    return full(DType.defaultFloating(), 0, sizes);
  }

  /// A tensor of zeros.
  public static Tensor zeros(DType dtype, long... sizes) {
    return full(dtype, 0, sizes);
  }

  /// A tensor of zeros with the sizes, type and device of `like`.
  public static Tensor zerosLike(Tensor like) {
    return fullLike(like, 0);
  }

  /// A tensor of ones, `float32`.
  public static Tensor ones(long... sizes) {
    return full(DType.defaultFloating(), 1, sizes);
  }

  /// A tensor of ones.
  public static Tensor ones(DType dtype, long... sizes) {
    return full(dtype, 1, sizes);
  }

  /// A tensor of ones with the sizes, type and device of `like`.
  public static Tensor onesLike(Tensor like) {
    return fullLike(like, 1);
  }

  /// A tensor whose elements all are `value`.
  ///
  /// @throws ShapeException if a size is negative
  public static Tensor full(DType dtype, double value, long... sizes) {
    Checks.fits("full", dtype, value);
    Tensor result = empty(dtype, sizes);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor whose elements all are the complex number `value`.
  ///
  /// @throws DTypeException if `dtype` is not complex
  public static Tensor full(DType dtype, Complex value, long... sizes) {
    if (!dtype.isComplex()) {
      throw new DTypeException(
          "full: the dtype must be complex64 or complex128 for a complex value, but is %s."
              .formatted(dtype));
    }
    Tensor result = empty(dtype, sizes);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor whose elements all are the whole number `value`, which may be too large for a `double`.
  ///
  /// @throws ShapeException if a size is negative
  public static Tensor full(DType dtype, long value, long... sizes) {
    Checks.fits("full", dtype, value);
    Tensor result = empty(dtype, sizes);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor of zeros with the sizes and device of `like`.
  public static Tensor zerosLike(Tensor like, DType dtype) {
    return fullLike(like, 0, dtype);
  }

  /// A tensor of ones with the sizes and device of `like`.
  public static Tensor onesLike(Tensor like, DType dtype) {
    return fullLike(like, 1, dtype);
  }

  /// A tensor whose elements all are `value`, with the sizes and device of `like`.
  public static Tensor fullLike(Tensor like, double value, DType dtype) {
    Tensor result = emptyLike(like, dtype);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor whose elements all are the whole number `value`, with the sizes, type and device of `like`.
  public static Tensor fullLike(Tensor like, long value) {
    Tensor result = emptyLike(like);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor whose elements are whatever the memory holds, with the sizes and device of `like`.
  public static Tensor emptyLike(Tensor like, DType dtype) {
    return Tensor.allocate(Context.current(), dtype, like.sizesInternal(), like.device());
  }

  /// A tensor whose elements all are `value`, with the sizes, type and device of `like`.
  public static Tensor fullLike(Tensor like, double value) {
    Tensor result = emptyLike(like);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor whose elements all are the complex number `value`, with the sizes and device of `like`.
  ///
  /// @throws DTypeException if `dtype` is not complex
  public static Tensor fullLike(Tensor like, Complex value, DType dtype) {
    return full(dtype, value, like.sizes());
  }

  /// A tensor whose elements are whatever the memory holds, `float32`.
  public static Tensor empty(long... sizes) {
    return empty(DType.defaultFloating(), sizes);
  }

  /// A tensor whose elements are whatever the memory holds, with the given strides (in elements).
  ///
  /// @throws ArgumentException if there is not one stride for each size, or one is negative
  public static Tensor emptyStrided(DType dtype, long[] sizes, long[] strides) {
    Views.checkGeometry("emptyStrided", sizes, strides, 0);
    long extent = Arrangements.extent(sizes, strides);
    return empty(dtype, extent).asStrided(sizes, strides, 0);
  }

  /// A tensor whose elements are whatever the memory holds.
  ///
  /// @throws ShapeException if a size is negative
  public static Tensor empty(DType dtype, long... sizes) {
    return Tensor.allocate(Context.current(), dtype, sizes, Device.CPU);
  }

  /// A tensor whose elements are whatever the memory holds, with the sizes, type and device of `like`.
  public static Tensor emptyLike(Tensor like) {
    return Tensor.allocate(Context.current(), like.dtype(), like.sizesInternal(), like.device());
  }

  /// The matrix with ones on its diagonal and zeros elsewhere, `float32`.
  public static Tensor eye(long n) {
    return eye(DType.defaultFloating(), n, n);
  }

  /// The matrix of `n` rows and `m` columns with ones on its diagonal and zeros elsewhere, `float32`.
  public static Tensor eye(long n, long m) {
    return eye(DType.defaultFloating(), n, m);
  }

  /// The square matrix with ones on its diagonal and zeros elsewhere.
  public static Tensor eye(DType dtype, long n) {
    return eye(dtype, n, n);
  }

  /// The rows and columns of the elements on and below a diagonal of a matrix, `int64`.
  ///
  /// - Shape: `[2 k]`
  ///
  /// @param offset 0 for the main diagonal, positive ones lie above it
  /// @throws ArgumentException if `rows` or `columns` is negative
  public static Tensor trilIndices(long rows, long columns, long offset) {
    return trilIndices(DType.INT64, rows, columns, offset);
  }

  /// The rows and columns of the elements on and below a diagonal of a matrix.
  public static Tensor trilIndices(DType dtype, long rows, long columns, long offset) {
    return Arrangements.triangle("trilIndices", dtype, rows, columns, offset, false);
  }

  /// The rows and columns of the elements on and above a diagonal of a matrix, `int64`.
  ///
  /// - Shape: `[2 k]`
  ///
  /// @param offset 0 for the main diagonal, positive ones lie above it
  /// @throws ArgumentException if `rows` or `columns` is negative
  public static Tensor triuIndices(long rows, long columns, long offset) {
    return triuIndices(DType.INT64, rows, columns, offset);
  }

  /// The rows and columns of the elements on and above a diagonal of a matrix.
  public static Tensor triuIndices(DType dtype, long rows, long columns, long offset) {
    return Arrangements.triangle("triuIndices", dtype, rows, columns, offset, true);
  }

  /// The matrix of `n` rows and `m` columns with ones on its diagonal and zeros elsewhere.
  public static Tensor eye(DType dtype, long n, long m) {
    if (n < 0 || m < 0) {
      throw new ArgumentException(
          "eye: n and m must not be negative, but are %d and %d.".formatted(n, m));
    }
    Tensor result = zeros(dtype, n, m);
    var elements = new Elements(result.data());
    for (long i = 0; i < Math.min(n, m); i++) {
      elements.set(i * (m + 1), 1L);
    }
    Reference.reachabilityFence(result);
    return result;
  }

  // Sequences

  /// The whole numbers from 0 to `end`, which is excluded, `int64`.
  public static Tensor arange(long end) {
    return arange(0L, end, 1L);
  }

  /// The whole numbers from `start` to `end`, which is excluded, `int64`.
  public static Tensor arange(long start, long end) {
    return arange(start, end, 1L);
  }

  /// Every `step`-th whole number from `start` to `end`, which is excluded, `int64`.
  ///
  /// @throws ArgumentException if `step` is 0 or leads away from `end`
  public static Tensor arange(long start, long end, long step) {
    return arange(DType.INT64, start, end, step);
  }

  /// Every `step`-th whole number from `start` to `end`, which is excluded.
  ///
  /// @throws ArgumentException if `step` is 0 or leads away from `end`
  public static Tensor arange(DType dtype, long start, long end, long step) {
    return Sequences.arange(dtype, start, end, step);
  }

  /// Numbers from `start` in steps of `step`, all before `end`, `float32`.
  ///
  /// @throws ArgumentException if `step` is 0 or leads away from `end`, or a bound is not finite
  public static Tensor arange(double start, double end, double step) {
    return arange(DType.defaultFloating(), start, end, step);
  }

  /// Numbers from `start` in steps of `step`, all before `end`.
  ///
  /// @throws ArgumentException if `step` is 0 or leads away from `end`, or a bound is not finite
  public static Tensor arange(DType dtype, double start, double end, double step) {
    return Sequences.arange(dtype, start, end, step);
  }

  /// `steps` numbers from `start` to `end`, both included, evenly spaced, `float32`.
  public static Tensor linspace(double start, double end, long steps) {
    return linspace(DType.defaultFloating(), start, end, steps);
  }

  /// `steps` numbers from `start` to `end`, both included, evenly spaced.
  ///
  /// @throws ArgumentException if `steps` is negative
  public static Tensor linspace(DType dtype, double start, double end, long steps) {
    return Sequences.linspace(dtype, start, end, steps);
  }

  /// `steps` numbers from `10^start` to `10^end`, both included, with evenly spaced logarithms, `float32`.
  ///
  /// @throws ArgumentException if `steps` is negative
  public static Tensor logspace(double start, double end, long steps) {
    return logspace(DType.defaultFloating(), start, end, steps, 10);
  }

  /// `steps` numbers from `base^start` to `base^end`, both included, with evenly spaced logarithms.
  ///
  /// @throws ArgumentException if `steps` is negative
  public static Tensor logspace(DType dtype, double start, double end, long steps, double base) {
    return Sequences.logspace(dtype, start, end, steps, base);
  }

  // From Java values

  /// A tensor of rank 0, `float32`.
  public static Tensor scalar(double value) {
    return full(DType.defaultFloating(), value);
  }

  /// A tensor of rank 0.
  public static Tensor scalar(DType dtype, double value) {
    return full(dtype, value);
  }

  /// A tensor of rank 0, `complex64`.
  public static Tensor scalar(Complex value) {
    return full(DType.defaultFloating().toComplex(), value);
  }

  /// A tensor of rank 0, `int64`.
  public static Tensor scalar(long value) {
    Tensor result = empty(DType.INT64);
    Copies.fill(result.data(), Strided.number(value));
    return result;
  }

  /// A tensor of rank 0, `bool`.
  public static Tensor scalar(boolean value) {
    return full(DType.BOOL, value ? 1 : 0);
  }

  /// A `float32` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(float[] values, long... sizes) {
    return copied(DType.FLOAT32, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// A `float64` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(double[] values, long... sizes) {
    return copied(DType.FLOAT64, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// A `complex128` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(Complex[] values, long... sizes) {
    double[] parts = new double[2 * values.length];
    for (int i = 0; i < values.length; i++) {
      parts[2 * i] = values[i].re();
      parts[2 * i + 1] = values[i].im();
    }
    return copied(DType.COMPLEX128, MemorySegment.ofArray(parts), values.length, sizes);
  }

  /// An `int64` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(long[] values, long... sizes) {
    return copied(DType.INT64, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// An `int32` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(int[] values, long... sizes) {
    return copied(DType.INT32, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// An `int16` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(short[] values, long... sizes) {
    return copied(DType.INT16, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// An `int8` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(byte[] values, long... sizes) {
    return copied(DType.INT8, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// A `uint8` tensor of the given bytes, read as 0 to 255, in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor ofUnsigned(byte[] values, long... sizes) {
    return copied(DType.UINT8, MemorySegment.ofArray(values), values.length, sizes);
  }

  /// A `bool` tensor with the given elements in row-major order; a vector if no sizes are given.
  ///
  /// @throws ShapeException if their number is not the product of the sizes
  public static Tensor of(boolean[] values, long... sizes) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) (values[i] ? 1 : 0);
    }
    return copied(DType.BOOL, MemorySegment.ofArray(bytes), values.length, sizes);
  }

  /// A tensor with the elements of nested arrays, such as `float[][][]`, whose type follows from that of the innermost
  /// arrays as in the methods for flat arrays.
  ///
  /// @throws ShapeException if arrays at one depth have different lengths
  /// @throws ArgumentException if `nested` is no array of numbers or truth values
  public static Tensor of(Object nested) {
    return NestedArrays.read(nested);
  }

  /// A tensor with a copy of the elements that lie densely at the beginning of `segment`, in row-major order and the
  /// byte order of the machine.
  ///
  /// @throws ShapeException if the segment is too small
  public static Tensor fromSegment(MemorySegment segment, DType dtype, long... sizes) {
    Tensor result = empty(dtype, sizes);
    long bytes = result.numel() * dtype.byteSize();
    if (segment.byteSize() < bytes) {
      throw new ShapeException(
          "fromSegment: the segment must hold %d bytes for a %s tensor of shape %s, but holds %d."
              .formatted(bytes, dtype, result.shape(), segment.byteSize()));
    }
    return fill(result, segment, bytes);
  }

  private static Tensor copied(DType dtype, MemorySegment values, long count, long[] sizes) {
    Tensor result = empty(dtype, sizes.length == 0 ? new long[] {count} : sizes);
    if (result.numel() != count) {
      throw new ShapeException(
          "tensor: there must be %d elements for shape %s, but there are %d."
              .formatted(result.numel(), result.shape(), count));
    }
    return fill(result, values, count * dtype.byteSize());
  }

  private static Tensor fill(Tensor result, MemorySegment from, long bytes) {
    Strided x = result.data();
    if (bytes > 0) {
      MemorySegment.copy(
          from, ValueLayout.JAVA_BYTE, 0, x.memory(), ValueLayout.JAVA_BYTE, x.byteOffset(), bytes);
    }
    Reference.reachabilityFence(result);
    return result;
  }

  // Into a tensor that is there

  /// Has the result of `body` end up in `out`, which is returned: `Tensor.into(sum, () -> x.add(y))` is PyTorch's
  /// `torch.add(x, y, out=sum)`. The operator writes straight into `out` where shape and type fit; nothing is allocated
  /// then. Without elements, `out` is given the shape of the result.
  ///
  /// @param body one operator, as a rule; whatever it returns is copied into `out`, if need be
  /// @throws AutogradException if gradients are being recorded and `out` or an input requires grad
  /// @throws ArgumentException if `out` shares memory with what is read, but not element by element, or is expanded
  /// @throws DTypeException if the type of the result cannot be written into `out`
  /// @throws ShapeException if `out` has elements and another shape
  public static Tensor into(Tensor out, Supplier<Tensor> body) {
    return OutSlot.fill("into", out, body);
  }

  // From other tensors

  /// Complex numbers of the given parts, which broadcast.
  ///
  /// - Shape: `real[*b], imag[*b] -> [*b]`
  /// - Types: `float64` parts give `complex128`, others `complex64`
  ///
  /// @throws DTypeException if the parts are of different or not of floating types
  public static Tensor complex(Tensor real, Tensor imag) {
    return ComplexParts.Operators.COMPLEX.on(Operator.None.NONE, real, imag);
  }

  /// Complex numbers of the given absolute values and angles (in radians), which broadcast.
  ///
  /// - Shape: `abs[*b], angle[*b] -> [*b]`
  /// - Types: `float64` gives `complex128`, others `complex64`
  ///
  /// @throws DTypeException if the two are of different or not of floating types
  public static Tensor polar(Tensor abs, Tensor angle) {
    return ComplexParts.Operators.POLAR.on(Operator.None.NONE, abs, angle);
  }

  /// The tensors one behind the other along dimension 0.
  public static Tensor cat(List<Tensor> tensors) {
    return cat(tensors, 0);
  }

  /// The tensors one behind the other along dimension `dim`; types are promoted.
  ///
  /// - Shape: `[a b], [a c] -> [a b+c]` for dimension 1
  ///
  /// @throws ShapeException if sizes other than those of `dim` differ
  public static Tensor cat(List<Tensor> tensors, int dim) {
    checkSome("cat", tensors);
    int rank =
        tensors.stream()
            .filter(x -> !Views.isSkipped(x.sizesInternal()))
            .mapToInt(Tensor::dim)
            .findFirst()
            .orElse(1);
    if (rank == 0) {
      throw new ShapeException(
          "cat: tensors must have at least 1 dimension, but tensors[0] has shape []. Use stack.");
    }
    return Shapes.Operators.CAT.on(
        new Shapes.ResultDim(Checks.dim("cat", dim, rank)), tensors.toArray(Tensor[]::new));
  }

  /// The tensors one behind the other along a new dimension 0.
  public static Tensor stack(List<Tensor> tensors) {
    return stack(tensors, 0);
  }

  /// The tensors, which have one shape, one behind the other along a new dimension `dim`.
  ///
  /// - Shape: `[a b], [a b], [a b] -> [a 3 b]` for dimension 1
  ///
  /// @throws ShapeException if shapes differ
  public static Tensor stack(List<Tensor> tensors, int dim) {
    checkSome("stack", tensors);
    int at = Checks.dim("stack", dim, tensors.getFirst().dim() + 1);
    return Shapes.Operators.STACK.on(new Shapes.ResultDim(at), tensors.toArray(Tensor[]::new));
  }

  private static void checkSome(String op, List<Tensor> tensors) {
    if (tensors.isEmpty()) {
      throw new ArgumentException(
          op + ": there must be at least one tensor, but the list is empty.");
    }
  }

  /// The places at which `values` would have to be put into the sorted lines of `sortedSequence` to keep them in order:
  /// how many elements are smaller.
  ///
  /// - Shape: `[m], [*] -> [*]`; `[*b m], [*b n] -> [*b n]`
  /// - Types: both of one type; the result is `int64`
  ///
  /// @throws ShapeException if leading dimensions differ
  public static Tensor searchsorted(Tensor sortedSequence, Tensor values) {
    return searchsorted(sortedSequence, values, o -> o);
  }

  /// As [#searchsorted(Tensor, Tensor)], with options: `o -> o.right(true)` counts equal elements, too.
  public static Tensor searchsorted(
      Tensor sortedSequence, Tensor values, UnaryOperator<SearchOptions> options) {
    return Distinct.search(sortedSequence, values, options.apply(SearchOptions.DEFAULT));
  }

  /// The tensors side by side: along dimension 1, vectors along dimension 0.
  ///
  /// @throws ShapeException if other sizes differ
  public static Tensor hstack(List<Tensor> tensors) {
    return Arrangements.hstack(tensors);
  }

  /// The tensors below each other: along dimension 0; vectors become rows.
  ///
  /// @throws ShapeException if other sizes differ
  public static Tensor vstack(List<Tensor> tensors) {
    return cat(Arrangements.some("vstack", tensors).stream().map(Tensor::atleast2d).toList(), 0);
  }

  /// The tensors below each other: [#vstack(List)] under another name.
  public static Tensor rowStack(List<Tensor> tensors) {
    return vstack(tensors);
  }

  /// The tensors behind each other: along dimension 2, which vectors and matrices get first.
  ///
  /// @throws ShapeException if other sizes differ
  public static Tensor dstack(List<Tensor> tensors) {
    return cat(Arrangements.some("dstack", tensors).stream().map(Tensor::atleast3d).toList(), 2);
  }

  /// The tensors side by side, vectors as columns.
  ///
  /// @throws ShapeException if other sizes differ
  public static Tensor columnStack(List<Tensor> tensors) {
    return Arrangements.columnStack(tensors);
  }

  /// The matrix with the tensors, which have at most 2 dimensions, as blocks on its diagonal and zeros elsewhere; types
  /// are promoted.
  ///
  /// - Shape: `[a b], [c], [] -> [a+2 b+c+1]`
  ///
  /// @throws ShapeException if a tensor has more dimensions
  public static Tensor blockDiag(Tensor... tensors) {
    return Arrangements.blockDiag(tensors.length == 0 ? List.of(empty(0)) : List.of(tensors));
  }

  /// All combinations of one element of each vector, one in each row; of one vector, that vector.
  ///
  /// - Shape: `[a], [b] -> [a·b 2]`
  ///
  /// @throws ShapeException if a tensor is no vector
  public static Tensor cartesianProd(Tensor... vectors) {
    return Arrangements.cartesianProduct(Arrangements.some("cartesianProd", List.of(vectors)));
  }

  /// Views of the tensors, expanded to the shape to which all broadcast.
  ///
  /// @throws ShapeException if they do not
  public static List<Tensor> broadcastTensors(Tensor... tensors) {
    return Arrangements.broadcast("broadcastTensors", List.of(tensors));
  }

  /// The shape to which all shapes broadcast.
  ///
  /// @throws ShapeException if they do not
  public static Shape broadcastShapes(Shape... shapes) {
    return Shape.of(
        Arrangements.broadcast(
            "broadcastShapes", Arrays.stream(shapes).map(Shape::toArray).toArray(long[][]::new)));
  }

  /// The coordinates of a grid, one tensor for each vector; `float32` vectors `x[n]` and `y[m]` give two tensors of
  /// shape `[n m]`, as views.
  ///
  /// @throws ShapeException if one has more than one dimension
  public static List<Tensor> meshgrid(Tensor... vectors) {
    return meshgrid("ij", vectors);
  }

  /// The coordinates of a grid; with `indexing` `ij` the first vector runs along dimension 0, with `xy` along 1.
  ///
  /// @throws ArgumentException if `indexing` is something else
  /// @throws ShapeException if a tensor has more than one dimension
  public static List<Tensor> meshgrid(String indexing, Tensor... vectors) {
    return Views.meshgrid(indexing, vectors);
  }

  TensorFactory() {}
}
