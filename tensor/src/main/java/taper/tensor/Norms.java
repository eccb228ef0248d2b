package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What [Normalization] does besides its operators.
final class Norms {
  private Norms() {}

  /// `x`, as `float32` if it is of a half type and one of the parameters is not.
  static Tensor wide(Tensor x, @Nullable Tensor... parameters) {
    if (x.dtype() == DType.BFLOAT16 || x.dtype() == DType.FLOAT16) {
      for (Tensor parameter : parameters) {
        if (parameter != null && parameter.dtype() == DType.FLOAT32) {
          return x.to(DType.FLOAT32);
        }
      }
    }
    return x;
  }

  /// Statistics that nobody has computed.
  static Tensor none(Tensor like) {
    return Tensor.empty(like.dtype().compute(), 0);
  }

  /// Nothing, normalized: nothing, but with a history.
  static Tensor empty(Tensor x, @Nullable Tensor weight, @Nullable Tensor bias) {
    Tensor result = x.clone();
    if (weight != null) {
      result = result.mul(weight.select(0, 0));
    }
    return bias == null ? result : result.add(bias.select(0, 0));
  }

  static Tensor localResponse(Tensor x, int size, double alpha, double beta, double k) {
    if (x.dim() < 3) {
      throw new ShapeException(
          "localResponseNorm: self must have at least 3 dimensions [n c *], but has shape %s."
              .formatted(x.shape()));
    }
    if (size <= 0) {
      throw new ArgumentException(
          "localResponseNorm: size must be positive, but is %d.".formatted(size));
    }
    if (x.numel() == 0) {
      return x;
    }
    Tensor squares = x.mul(x);
    long channels = x.size(1);
    Tensor padded = padded(squares, size / 2, (size - 1) / 2);
    Tensor sum = padded.narrow(1, 0, channels);
    for (int i = 1; i < size; i++) {
      sum = sum.add(padded.narrow(1, i, channels));
    }
    Tensor mean =
        x.dtype().isFloatingPoint() ? sum.div((double) size) : sum.floorDivide((long) size);
    return x.div(mean.mul(alpha).add(k).pow(beta));
  }

  private static Tensor padded(Tensor x, long before, long after) {
    var parts = new ArrayList<Tensor>(List.of(x));
    if (before > 0) {
      parts.addFirst(zeros(x, before));
    }
    if (after > 0) {
      parts.add(zeros(x, after));
    }
    return parts.size() == 1 ? x : Tensor.cat(parts, 1);
  }

  private static Tensor zeros(Tensor like, long channels) {
    long[] sizes = like.sizes();
    sizes[1] = channels;
    return Tensor.zeros(like.dtype(), sizes);
  }
}
