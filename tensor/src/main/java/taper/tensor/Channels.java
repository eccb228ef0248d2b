package taper.tensor;

import java.util.Arrays;

/// Vectors with one element per channel, and the shapes in which they broadcast against dimension 1.
final class Channels {
  private Channels() {}

  /// `vector`, seen so that its elements belong to the channels of `x`.
  ///
  /// @throws ShapeException if it has neither one element nor as many as channels
  static Tensor along(String op, String name, Tensor vector, Tensor x) {
    long channels = x.dim() < 2 ? 1 : x.size(1);
    if (vector.dim() > 1 || vector.numel() != channels && vector.numel() != 1) {
      throw new ShapeException(
          "%s: %s must have one element or one for each of the %d channels, but has shape %s and self has %s."
              .formatted(op, name, channels, vector.shape(), x.shape()));
    }
    return x.dim() < 2 ? vector.view() : vector.view(shape(vector.numel(), x.dim()));
  }

  /// `[1 c 1 …]`, with `rank` dimensions.
  static long[] shape(long channels, int rank) {
    long[] shape = new long[rank];
    Arrays.fill(shape, 1);
    shape[1] = channels;
    return shape;
  }
}
