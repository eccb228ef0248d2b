package taper.tensor;

import org.jspecify.annotations.Nullable;

/// A tensor that a node keeps for its gradient, and the version it had then.
final class Saved {
  private final Tensor tensor;
  private final int version;
  private boolean released;

  Saved(Tensor tensor) {
    this.tensor = tensor;
    this.version = tensor.version();
    tensor.pin();
  }

  /// The tensor, unchanged since it was saved.
  ///
  /// @throws AutogradException if it has been written to
  Tensor get(Node node, String role) {
    if (released) {
      throw Autograd.freed(node);
    }
    int now = tensor.version();
    if (now != version) {
      throw new AutogradException(
          ("%s: %s, a %s tensor of shape %s, must be as it was in the forward pass, but has been changed in place since (version %d, expected %d)."
                  + " Use the out-of-place form of the operator that changed it, or clone() the tensor first.")
              .formatted(node.name(), role, tensor.dtype(), tensor.shape(), now, version));
    }
    return tensor;
  }

  void release() {
    if (!released) {
      released = true;
      tensor.unpin();
    }
  }

  static void releaseAll(@Nullable Saved[] all) {
    for (Saved saved : all) {
      if (saved != null) {
        saved.release();
      }
    }
  }
}
