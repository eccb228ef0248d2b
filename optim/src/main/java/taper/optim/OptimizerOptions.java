package taper.optim;

/// The options of an optimizer, for one group of parameters. Immutable; every optimizer has a record of its own with
/// PyTorch's names and defaults.
///
/// @param <O> the record itself
public interface OptimizerOptions<O extends OptimizerOptions<O>> {

  /// The learning rate.
  double lr();

  /// With another learning rate.
  O lr(double lr);

  /// What a one-cycle schedule moves against the learning rate: the momentum of [SGD], the first beta of [Adam].
  double momentum();

  /// With another momentum, or first beta.
  O momentum(double momentum);
}
