package taper.vision;

import taper.tensor.Tensor;

/// Turns the image of a data set into what a model is fed. Threads share it.
@FunctionalInterface
public interface Transform {
  /// The transformed image; the given one is left as it is.
  Tensor apply(Tensor image);

  /// Whether nobody but the caller gets hold of the tensors that it makes. False unless overridden.
  default boolean letsNothingEscape() {
    return false;
  }

  /// Leaves images as they are in the file.
  static Transform none() {
    return new Compose();
  }
}
