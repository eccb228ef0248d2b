package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Sees the inputs of a module before it runs, and may replace them.
@FunctionalInterface
public interface ForwardPreHook {

  /// Called before `module` runs.
  ///
  /// @return the inputs to run with, or null to leave them as they are
  @Nullable List<Tensor> before(Module module, List<Tensor> inputs);
}
