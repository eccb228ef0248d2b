package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Sees the gradients that pass through a module in the backward pass, and may replace those of its inputs.
@FunctionalInterface
public interface BackwardHook {

  /// Called when the gradients by the inputs of `module` are known.
  ///
  /// @param gradInputs the gradient by each input, null where none is asked for
  /// @param gradOutputs the gradient by each output, null where none has arrived
  /// @return the gradients by the inputs to go on with, or null to leave them as they are
  @Nullable List<@Nullable Tensor> backward(
      Module module, List<@Nullable Tensor> gradInputs, List<@Nullable Tensor> gradOutputs);
}
