package taper.tensor;

import java.util.List;

/// The options of [Autograd#grad], with PyTorch's names and defaults. Immutable.
///
/// @param gradOutputs the gradient of something by each output; empty if the outputs are scalars
/// @param retainGraph whether another pass may follow
/// @param createGraph whether the gradients are themselves recorded, for higher derivatives; the graph is then retained
/// @param allowUnused whether an input without influence gets null instead of an error
/// @param materializeGrads whether an input without influence gets zeros instead of an error
/// @param isGradsBatched whether each of `gradOutputs` has one more dimension in front, over which gradients are computed
/// one after the other and stacked
public record GradOptions(
    List<Tensor> gradOutputs,
    boolean retainGraph,
    boolean createGraph,
    boolean allowUnused,
    boolean materializeGrads,
    boolean isGradsBatched) {

  /// No gradients of outputs; the graph is freed; every input must take part.
  public static final GradOptions DEFAULT =
      new GradOptions(List.of(), false, false, false, false, false);

  /// Copies the list.
  public GradOptions {
    gradOutputs = List.copyOf(gradOutputs);
  }

  /// With the gradient by each output.
  public GradOptions gradOutputs(List<Tensor> gradients) {
    return new GradOptions(
        gradients, retainGraph, createGraph, allowUnused, materializeGrads, isGradsBatched);
  }

  /// With the gradient by each output.
  public GradOptions gradOutputs(Tensor... gradients) {
    return gradOutputs(List.of(gradients));
  }

  /// With a graph that another pass may walk.
  public GradOptions retainGraph(boolean on) {
    return new GradOptions(
        gradOutputs, on, createGraph, allowUnused, materializeGrads, isGradsBatched);
  }

  /// With gradients that are recorded.
  public GradOptions createGraph(boolean on) {
    return new GradOptions(
        gradOutputs, retainGraph, on, allowUnused, materializeGrads, isGradsBatched);
  }

  /// With null for inputs that take no part.
  public GradOptions allowUnused(boolean on) {
    return new GradOptions(
        gradOutputs, retainGraph, createGraph, on, materializeGrads, isGradsBatched);
  }

  /// With zeros for inputs that take no part.
  public GradOptions materializeGrads(boolean on) {
    return new GradOptions(gradOutputs, retainGraph, createGraph, allowUnused, on, isGradsBatched);
  }

  /// With several gradients for each output, along dimension 0.
  public GradOptions isGradsBatched(boolean on) {
    return new GradOptions(
        gradOutputs, retainGraph, createGraph, allowUnused, materializeGrads, on);
  }
}
