package taper.tensor;

/// A tensor that a module learns: it requires grad, belongs to no scope, and is registered by the module that has it as a
/// field.
public final class Parameter extends Tensor {

  /// Shares the memory of `data`, whose history is left behind.
  public Parameter(Tensor data) {
    super(data);
    requiresGrad_(data.dtype().isDifferentiable());
  }
}
