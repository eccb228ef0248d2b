package taper.tensor;

import org.jspecify.annotations.Nullable;

/// The inputs of one application of an operator, by name or position. Belongs to the call.
public final class Inputs {
  private final Operator<?> operator;
  private final @Nullable Tensor[] tensors;

  Inputs(Operator<?> operator, @Nullable Tensor[] tensors) {
    this.operator = operator;
    this.tensors = tensors;
  }

  /// The input called `name`.
  ///
  /// @throws IllegalArgumentException if it is absent or does not exist
  public Tensor get(String name) {
    Tensor tensor = tensors[operator.signature().position(name)];
    if (tensor == null) {
      throw new IllegalArgumentException(operator.name() + ": input " + name + " is absent");
    }
    return tensor;
  }

  /// The input called `name`, or null if the caller left it out.
  public @Nullable Tensor find(String name) {
    int position = operator.signature().position(name);
    return position < tensors.length ? tensors[position] : null;
  }

  /// All inputs, in order.
  public @Nullable Tensor[] all() {
    return tensors.clone();
  }
}
