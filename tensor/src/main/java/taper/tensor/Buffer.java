package taper.tensor;

/// A tensor that belongs to the state of a module but is not learned, such as a running mean. It belongs to no scope.
public final class Buffer extends Tensor {

  /// Shares the memory of `data`, whose history is left behind.
  public Buffer(Tensor data) {
    super(data);
  }
}
