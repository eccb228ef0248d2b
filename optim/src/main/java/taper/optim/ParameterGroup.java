package taper.optim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import taper.tensor.Tensor;

/// Parameters that share options. Mutable through [#update(UnaryOperator)] and [#setLr(double)]; belongs to one
/// [Optimizer].
///
/// @param <O> the options of the optimizer
public final class ParameterGroup<O extends OptimizerOptions<O>> {
  private final List<Tensor> parameters;
  private O options;
  private final Map<String, Double> notes = new LinkedHashMap<>();

  ParameterGroup(List<Tensor> parameters, O options) {
    this.parameters = List.copyOf(parameters);
    this.options = options;
  }

  /// The parameters.
  public List<Tensor> parameters() {
    return parameters;
  }

  /// The options in force.
  public O options() {
    return options;
  }

  /// Changes the options, from the next step on.
  public void update(UnaryOperator<O> change) {
    options = Ranges.chosen("ParameterGroup", change, options);
  }

  /// The learning rate in force.
  public double lr() {
    return options.lr();
  }

  /// Changes the learning rate, from the next step on.
  public void setLr(double lr) {
    options = options.lr(lr);
  }

  double momentum() {
    return options.momentum();
  }

  void setMomentum(double momentum) {
    options = options.momentum(momentum);
  }

  void setOptions(O loaded) {
    options = loaded;
  }

  /// What schedules keep with the group, as PyTorch does: `initial_lr`, `max_lr` and so on.
  Map<String, Double> notes() {
    return notes;
  }
}
