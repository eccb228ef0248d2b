package taper.tensor;

import org.jspecify.annotations.Nullable;

/// Stands where the graph must not be walked any further: behind the gradient of a function that can be differentiated
/// only once.
final class ErrorNode extends Node {
  private final String message;

  ErrorNode(String message) {
    this.message = message;
  }

  @Override
  public String name() {
    return "Error";
  }

  @Override
  int outputCount() {
    return 1;
  }

  @Override
  @Nullable Edge[] edges() {
    return new Edge[0];
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    throw new AutogradException(message);
  }

  @Override
  void release() {}

  @Override
  boolean isReleased() {
    return false;
  }
}
