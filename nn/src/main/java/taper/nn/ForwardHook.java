package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Sees the outputs of a module after it has run, and may replace them.
@FunctionalInterface
public interface ForwardHook {

  /// Called after `module` has run.
  ///
  /// @return the outputs to go on with, or null to leave them as they are
  @Nullable List<Tensor> after(Module module, List<Tensor> inputs, List<Tensor> outputs);
}
