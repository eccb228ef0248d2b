package taper.tensor;

import org.jspecify.annotations.Nullable;

/// Stands where the graph must not be walked any further: behind a gradient that cannot be differentiated again.
final class ErrorNode extends Node {
  private final String message;
  private final @Nullable Edge[] edges;

  private ErrorNode(String message, @Nullable Edge[] edges) {
    this.message = message;
    this.edges = edges;
  }

  /// `gradient` with a history that says, when a second derivative is asked for, that there is none.
  ///
  /// @param edges where the second derivative would go
  static Tensor behind(Tensor gradient, String message, @Nullable Edge... edges) {
    Tensor result = gradient.detach();
    result.attach(new ErrorNode(message, edges), 0);
    return result;
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
    return edges;
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    throw new UnsupportedException(message);
  }

  @Override
  void release() {}

  @Override
  boolean isReleased() {
    return false;
  }
}
