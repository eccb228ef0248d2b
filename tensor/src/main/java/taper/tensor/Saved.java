package taper.tensor;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// A tensor that a node keeps for its gradient, and the version it had then; or what the hooks in force made of it.
final class Saved {
  private static final VarHandle RELEASED;

  static {
    try {
      RELEASED = MethodHandles.lookup().findVarHandle(Saved.class, "released", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private @Nullable Tensor tensor; // null while it is packed
  private final int version;
  private final @Nullable Packed packed;
  private volatile boolean released;

  /// What hooks made of a tensor, and what the tensor is to be again.
  private record Packed(
      SavedTensorHooks hooks,
      Object content,
      DType dtype,
      long[] sizes,
      Node.@Nullable Edge edge,
      boolean leaf) {}

  /// An input of `node`, or something else that has its history already.
  Saved(Tensor tensor) {
    this(tensor, null, 0);
  }

  /// Output `output` of `node`, which will be its history.
  ///
  /// @throws AutogradException if it was made in inference mode
  Saved(Tensor tensor, @Nullable Node node, int output) {
    if (tensor.isInference()) {
      throw new AutogradException(
          "autograd: a tensor made in inference mode cannot be saved for a backward pass, but this %s tensor of shape %s was made there. Use clone() on it outside, or noGrad() in the place of inferenceMode()."
              .formatted(tensor.dtype(), tensor.shape()));
    }
    this.version = tensor.version();
    var hooks = (SavedTensorHooks) Context.current().savedHooks;
    if (hooks == null || tensor.isNumber()) {
      this.tensor = tensor;
      this.packed = null;
      tensor.pin();
    } else {
      this.packed =
          new Packed(
              hooks,
              hooks.pack(tensor),
              tensor.dtype(),
              tensor.sizes(),
              node != null ? new Node.Edge(node, output) : tensor.edge(),
              node == null && tensor.isLeaf());
    }
  }

  /// The tensor, unchanged since it was saved.
  ///
  /// @param node the node that keeps it, or null for a checkpointed segment
  /// @throws AutogradException if it has been written to
  Tensor get(@Nullable Node node, String role) {
    String owner = node == null ? "Checkpoint" : node.name();
    if (released) {
      throw Autograd.freed(owner);
    }
    Tensor known = tensor;
    if (packed != null) {
      if (known == null) {
        known = unpacked(packed);
        tensor = known; // until the node has run
      }
      return known;
    }
    assert known != null;
    int now = known.version();
    if (now != version) {
      throw new AutogradException(
          ("%s: %s, a %s tensor of shape %s, must be as it was in the forward pass, but has been"
                  + " changed in place since (version %d, expected %d). Use the out-of-place form of"
                  + " the operator that changed it, or clone() the tensor first.")
              .formatted(owner, role, known.dtype(), known.shape(), now, version));
    }
    return known;
  }

  private static Tensor unpacked(Packed packed) {
    Tensor content = packed.hooks.unpack(packed.content);
    if (content == null
        || content.dtype() != packed.dtype
        || !Arrays.equals(content.sizesInternal(), packed.sizes)) {
      throw new AutogradException(
          "savedTensorsHooks: unpack must return the tensor that was packed, a %s tensor of shape %s, but returned %s."
              .formatted(
                  packed.dtype,
                  Arrays.toString(packed.sizes),
                  content == null
                      ? "null"
                      : "a %s tensor of shape %s".formatted(content.dtype(), content.shape())));
    }
    Node.Edge edge = packed.edge;
    if (edge == null) {
      return content;
    }
    Tensor result = content.detach(); // with the history of the tensor that was packed
    if (packed.leaf) {
      result.meta().requiresGrad = true;
      result.meta().accumulator = (AccumulateGrad) edge.node();
    } else {
      result.attach(edge.node(), edge.output());
    }
    return result;
  }

  /// Says that the node has run: what was unpacked for it is not needed any more.
  void used() {
    if (packed != null) {
      tensor = null;
    }
  }

  void release() {
    if (RELEASED.compareAndSet(this, false, true)) {
      if (packed != null) {
        packed.hooks.release(packed.content);
      } else if (tensor != null) {
        tensor.unpin();
      }
    }
  }

  static void usedAll(@Nullable Saved[] all) {
    for (Saved saved : all) {
      if (saved != null) {
        saved.used();
      }
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
