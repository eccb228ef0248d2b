package taper.cpu.moving;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.spi.Strided;

/// Tensors behind each other along a dimension.
///
/// Where all are dense, rows of the result consist of one row of each, and one loop writes all of them. Otherwise, and along the
/// first dimension, each tensor is a copy of its own.
final class Concatenation {
  private static final long GRAIN = 1 << 15;

  private Concatenation() {}

  static void run(int dim, Strided out, Strided[] in, @Nullable Loops loops) {
    long rows = 1;
    for (int d = 0; d < dim; d++) {
      rows *= out.size(d);
    }
    if (loops != null && rows > 1 && out.numel() > 0 && areDense(out, in, rows, loops)) {
      together(out, in, rows, loops);
    } else {
      oneByOne(dim, out, in, loops);
    }
  }

  private static boolean areDense(Strided out, Strided[] in, long rows, Loops loops) {
    if (!out.isContiguous()) {
      return false;
    }
    for (Strided x : in) {
      if (x.numel() > 0 && !(x.isContiguous() && loops.covers(rowBytes(x, rows)))) {
        return false;
      }
    }
    return true;
  }

  private static long rowBytes(Strided x, long rows) {
    return x.numel() / rows * x.dtype().byteSize();
  }

  private static void together(Strided out, Strided[] in, long rows, Loops loops) {
    long row = rowBytes(out, rows);
    Parallel.run(
        rows,
        Math.max(1, GRAIN / (out.numel() / rows)),
        (first, last) -> {
          long to = out.address() + first * row;
          for (Strided x : in) {
            if (x.numel() > 0) {
              long bytes = rowBytes(x, rows);
              loops.rows(last - first, bytes, to, row, x.address() + first * bytes, bytes);
              to += bytes;
            }
          }
        });
    Reference.reachabilityFence(out); // the code sees addresses only
    Reference.reachabilityFence(in);
  }

  private static void oneByOne(int dim, Strided out, Strided[] in, @Nullable Loops loops) {
    long start = 0;
    for (Strided x : in) {
      if (x.numel() == 0) {
        continue;
      }
      StridedCopy.run(out.view(start * out.stride(dim), x.sizes(), out.strides()), x, loops);
      start += x.size(dim);
    }
  }
}
