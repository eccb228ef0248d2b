package taper.tensor;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Scope;

/// What is kept in the place of tensors that the graph saves while it is in force.
interface SavedTensorHooks {
  /// What to keep of `tensor`.
  Object pack(Tensor tensor);

  /// The tensor again.
  Tensor unpack(Object packed);

  /// Lets go of what was kept.
  default void release(Object packed) {}

  /// Puts `hooks` in force on this thread until the guard is closed; null for none.
  static Guard use(@Nullable SavedTensorHooks hooks) {
    return Setting.of("savedTensorsHooks", Setting.Mode.SAVED_HOOKS, hooks);
  }

  /// A user's functions. They are not recorded, nor applied to what they save themselves. What they make is the user's.
  ///
  /// @param packing what to keep of a tensor
  /// @param unpacking the tensor again
  /// @param <P> what is kept
  record Custom<P>(
      Function<? super Tensor, ? extends P> packing, Function<? super P, Tensor> unpacking)
      implements SavedTensorHooks {

    @Override
    public Object pack(Tensor tensor) {
      Context context = Context.current();
      int version = tensor.version();
      Object packed;
      Scope inside = Scope.leaveFrames(context);
      try (var _ = use(null);
          var _ = Autograd.noGrad()) {
        packed = packing.apply(tensor.detach());
      } finally {
        Scope.reenter(context, inside);
      }
      if (packed == null) {
        throw new AutogradException(
            "savedTensorsHooks: pack must return what is to be kept, but returned null.");
      }
      if (packed instanceof Tensor made) {
        made.pin();
      }
      if (tensor.version() != version) {
        throw new AutogradException(
            "savedTensorsHooks: pack must leave the tensor as it is, but changed a %s tensor of shape %s in place. Use clone() first."
                .formatted(tensor.dtype(), tensor.shape()));
      }
      return packed;
    }

    @Override
    @SuppressWarnings("unchecked") // pack made it
    public Tensor unpack(Object packed) {
      Context context = Context.current();
      Scope inside = Scope.leaveFrames(context);
      try (var _ = use(null);
          var _ = Autograd.noGrad()) {
        return unpacking.apply((P) packed);
      } finally {
        Scope.reenter(context, inside);
      }
    }

    @Override
    public void release(Object packed) {
      if (packed instanceof Tensor made) {
        made.unpin();
      }
    }
  }
}
