package taper.tensor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// The geometry of views: sizes and strides, no memory.
final class Views {
  private Views() {}

  /// The same elements repeated along dimensions of size 1, or along new leading ones.
  static Strided expand(Strided x, long[] sizes) {
    long[] strides = new long[sizes.length];
    int lead = sizes.length - x.rank();
    for (int d = 0; d < x.rank(); d++) {
      strides[lead + d] = x.size(d) == 1 && sizes[lead + d] != 1 ? 0 : x.stride(d);
    }
    return x.view(0, sizes, strides);
  }

  /// The strides with which a tensor can be seen as `sizes` without a copy, or null if it cannot.
  static long @Nullable [] reshaped(Strided x, long[] sizes) {
    if (x.isContiguous()) {
      return Strided.contiguousStrides(sizes);
    }
    // Runs of dimensions that lie densely within each other may be cut anew; see PyTorch's computeStride.
    long[] strides = new long[sizes.length];
    int to = sizes.length - 1;
    long run = 1;
    long wanted = 1;
    long step = x.rank() == 0 ? 1 : x.stride(x.rank() - 1);
    for (int d = x.rank() - 1; d >= 0; d--) {
      run *= x.size(d);
      boolean ends = d == 0 || x.size(d - 1) != 1 && x.stride(d - 1) != run * step;
      if (ends) {
        while (to >= 0 && (wanted < run || sizes[to] == 1)) {
          strides[to] = wanted * step;
          wanted *= sizes[to];
          to--;
        }
        if (wanted != run) {
          return null;
        }
        if (d > 0) {
          step = x.stride(d - 1);
          run = 1;
          wanted = 1;
        }
      }
    }
    return to == -1 ? strides : null;
  }

  /// `sizes` with a -1 replaced by what is left of `numel`.
  static long[] inferred(String op, long[] sizes, long numel, long[] from) {
    long known = 1;
    int unknown = -1;
    for (int d = 0; d < sizes.length; d++) {
      if (sizes[d] == -1) {
        if (unknown >= 0) {
          throw new ShapeException(
              "%s: only one size may be -1, but the shape is %s.".formatted(op, Arrays.toString(sizes)));
        }
        unknown = d;
      } else if (sizes[d] < 0) {
        throw new ShapeException(
            "%s: sizes must not be negative, but the shape is %s.".formatted(op, Arrays.toString(sizes)));
      } else {
        known *= sizes[d];
      }
    }
    boolean fits = unknown < 0 ? known == numel : known != 0 && numel % known == 0;
    if (!fits) {
      throw new ShapeException(
          "%s: the number of elements must stay the same, but %s has %d elements and shape %s asks for %s%d."
              .formatted(
                  op,
                  Arrays.toString(from),
                  numel,
                  Arrays.toString(sizes),
                  unknown < 0 ? "" : "a multiple of ",
                  known));
    }
    long[] result = sizes.clone();
    if (unknown >= 0) {
      result[unknown] = numel / known;
    }
    return result;
  }
}
