package taper.optim;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// What an optimizer remembers of one parameter: tensors by PyTorch's names, and how many steps it has made. Mutable.
public final class ParameterState {
  private final Map<String, Tensor> tensors = new LinkedHashMap<>();
  private long steps;

  ParameterState() {}

  ParameterState(Map<String, Tensor> tensors, long steps) {
    this.tensors.putAll(tensors);
    this.steps = steps;
  }

  /// Counts one more step, and returns their number, 1 at first.
  public long nextStep() {
    return ++steps;
  }

  /// The number of steps so far.
  public long steps() {
    return steps;
  }

  /// The tensor called `name`, made by `initial` if there is none yet. It stays until the optimizer goes.
  public Tensor tensor(String name, Supplier<Tensor> initial) {
    Tensor tensor = tensors.get(name);
    if (tensor == null) {
      tensor = initial.get().keep();
      tensors.put(name, tensor);
    }
    return tensor;
  }

  /// The tensor called `name`, or null.
  public @Nullable Tensor find(String name) {
    return tensors.get(name);
  }

  /// The tensors by name.
  public Map<String, Tensor> tensors() {
    return Collections.unmodifiableMap(tensors);
  }
}
