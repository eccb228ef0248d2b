package taper.cpu.moving;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Shapes.Dims;
import taper.tensor.Shapes.ResultDim;
import taper.tensor.Shapes.Roll;
import taper.tensor.Shapes.Triangle;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The kernels that move elements of any type, by the names of their operators.
public final class MovingKernels {
  private static final long GRAIN = 1 << 16;

  private MovingKernels() {}

  /// The kernel of `operator`, or null if it is not of this kind.
  ///
  /// @param loops assembled loops, null if there are none
  public static @Nullable Kernel kernel(
      Operator<?> operator, DType compute, @Nullable Loops loops) {
    if (!(operator.definition() instanceof Definition.Structured<?> structured)) {
      return null;
    }
    return switch (operator.name()) {
      case "cat" ->
          Kernel.ofAnyStrides((attributes, out, in) ->
              Concatenation.run(((ResultDim) attributes).dim(), out[0], in, loops));
      case "flip" ->
          Kernel.ofAnyStrides(
              (attributes, out, in) -> flip((Dims) attributes, out[0], in[0], loops));
      case "roll" ->
          Kernel.ofAnyStrides(
              (attributes, out, in) -> roll((Roll) attributes, out[0], in[0], loops));
      case "triu" -> (attributes, out, in) -> triangle((Triangle) attributes, out[0], in[0], true);
      case "tril" -> (attributes, out, in) -> triangle((Triangle) attributes, out[0], in[0], false);
      default -> PickKernels.kernel(operator.name(), compute, structured.reference(), loops);
    };
  }

  /// The conversion `conversion` with a copy in its place where nothing is to be converted.
  public static Kernel copyOr(Kernel conversion) {
    return copyOr(conversion, null);
  }

  /// As [#copyOr(Kernel)], with assembled loops.
  public static Kernel copyOr(Kernel conversion, @Nullable Loops loops) {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      if (out[0].dtype() != in[0].dtype()
          || in[0].isNumber()
          || out[0].isContiguous() && in[0].isContiguous()) {
        conversion.run(attributes, out, in);
      } else {
        StridedCopy.run(out[0], in[0], loops);
      }
    });
  }

  private static void flip(Dims a, Strided out, Strided in, @Nullable Loops loops) {
    long[] strides = in.strides();
    long offset = 0;
    for (int d : a.dims()) {
      if (in.rank() > 0 && in.size(d) > 0) {
        offset += (in.size(d) - 1) * strides[d];
        strides[d] = -strides[d];
      }
    }
    StridedCopy.run(out, in, offset, strides, loops);
  }

  /// Each dimension falls into two pieces that change places: one copy for each choice of pieces.
  private static void roll(Roll a, Strided out, Strided in, @Nullable Loops loops) {
    if (in.numel() == 0) {
      return;
    }
    long[] shifts = new long[in.rank()];
    for (int i = 0; i < a.dims().length; i++) {
      shifts[a.dims()[i]] += a.shifts()[i];
    }
    for (int d = 0; d < shifts.length; d++) {
      shifts[d] = Math.floorMod(shifts[d], in.size(d));
    }
    roll(shifts, 0, in.sizes(), 0, 0, out, in, loops);
  }

  private static void roll(
      long[] shifts,
      int d,
      long[] sizes,
      long toOffset,
      long fromOffset,
      Strided out,
      Strided in,
      @Nullable Loops loops) {
    if (d == shifts.length) {
      StridedCopy.run(
          out.view(toOffset, sizes, out.strides()),
          in.view(fromOffset, sizes, in.strides()),
          loops);
      return;
    }
    long whole = in.size(d);
    long shift = shifts[d];
    long[] first = sizes.clone();
    first[d] = whole - shift; // what moves up
    roll(shifts, d + 1, first, toOffset + shift * out.stride(d), fromOffset, out, in, loops);
    if (shift > 0) {
      long[] second = sizes.clone();
      second[d] = shift; // what leaves at the end
      long from = fromOffset + (whole - shift) * in.stride(d);
      roll(shifts, d + 1, second, toOffset, from, out, in, loops);
    }
  }

  private static void triangle(Triangle a, Strided out, Strided in, boolean upper) {
    int width = in.dtype().byteSize();
    long rows = in.size(in.rank() - 2);
    long columns = in.size(in.rank() - 1);
    if (in.numel() == 0) {
      return;
    }
    MemorySegment to = out.memory();
    MemorySegment from = in.memory();
    long all = in.numel() / columns;
    boolean same = out.address() == in.address();
    Parallel.run(
        all,
        Math.max(1, GRAIN / columns),
        (first, last) -> {
          for (long r = first; r < last; r++) {
            long diagonal = r % rows + a.diagonal();
            long begin = upper ? Math.clamp(diagonal, 0, columns) : 0;
            long end = upper ? columns : Math.clamp(diagonal + 1, 0, columns);
            long t = out.byteOffset() + r * columns * width;
            long f = in.byteOffset() + r * columns * width;
            Bits.clear(to, t, begin * width);
            if (!same) {
              MemorySegment.copy(
                  from, f + begin * width, to, t + begin * width, (end - begin) * width);
            }
            Bits.clear(to, t + end * width, (columns - end) * width);
          }
        });
  }
}
