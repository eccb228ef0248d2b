package taper.tensor;

import java.util.List;

/// The options of [Autograd#backward], with PyTorch's names and defaults. Immutable.
///
/// @param gradTensors the gradient of something by each tensor; empty if the tensors are scalars
/// @param retainGraph whether another backward pass may follow
/// @param createGraph whether the gradients are themselves recorded, for higher derivatives; the graph is then retained
/// @param inputs the tensors whose `grad` is to be added to; empty for all leaves
public record BackwardOptions(
    List<Tensor> gradTensors, boolean retainGraph, boolean createGraph, List<Tensor> inputs) {

  /// No gradients of outputs; the graph is freed; all leaves.
  public static final BackwardOptions DEFAULT =
      new BackwardOptions(List.of(), false, false, List.of());

  /// Copies the lists.
  public BackwardOptions {
    gradTensors = List.copyOf(gradTensors);
    inputs = List.copyOf(inputs);
  }

  /// With the gradient by each tensor.
  public BackwardOptions gradTensors(Tensor... gradients) {
    return new BackwardOptions(List.of(gradients), retainGraph, createGraph, inputs);
  }

  /// With a graph that another pass may walk.
  public BackwardOptions retainGraph(boolean on) {
    return new BackwardOptions(gradTensors, on, createGraph, inputs);
  }

  /// With gradients that are recorded.
  public BackwardOptions createGraph(boolean on) {
    return new BackwardOptions(gradTensors, retainGraph, on, inputs);
  }

  /// With gradients for these tensors alone. They need not be leaves; see [Tensor#retainGrad()].
  public BackwardOptions inputs(Tensor... tensors) {
    return new BackwardOptions(gradTensors, retainGraph, createGraph, List.of(tensors));
  }
}
