package taper.nn;

import java.util.List;
import java.util.function.Supplier;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.Parameter;

/// Copies of modules.
final class Twins {
  private Twins() {}

  /// A module like `original`: with its values, its mode part by part, and gradients asked for where it asks for them.
  /// Draws no random numbers.
  ///
  /// @param dtype the type of its parameters
  /// @param make makes a module with the same options
  static <M extends Module> M of(M original, DType dtype, Supplier<M> make) {
    try (var _ = Generator.global().fork()) {
      M twin = make.get();
      twin.to(dtype);
      twin.loadStateDict(original.stateDict());
      List<Parameter> parameters = original.parameters();
      for (int i = 0; i < parameters.size(); i++) {
        twin.parameters().get(i).requiresGrad_(parameters.get(i).requiresGrad());
      }
      List<Module> parts = original.modules();
      for (int i = 0; i < parts.size(); i++) {
        twin.modules().get(i).train(parts.get(i).isTraining());
      }
      return twin;
    }
  }
}
