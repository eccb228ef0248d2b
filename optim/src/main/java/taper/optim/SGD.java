package taper.optim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.OptimizerSteps;
import taper.tensor.Tensor;

/// Stochastic gradient descent, with momentum.
///
/// With gradient g of parameter p: g += weightDecay · p; b = momentum · b + (1 − dampening) · g, where the first b is g;
/// p −= lr · b, or with Nesterov's momentum p −= lr · (g + momentum · b).
///
/// - Source: Sutskever, Martens, Dahl, Hinton 2013, On the importance of initialization and momentum in deep learning.
public final class SGD extends Optimizer<SGD.Options> {

  /// The options, with PyTorch's defaults. Immutable.
  ///
  /// @param lr the learning rate
  /// @param momentum how much of the last direction stays
  /// @param dampening how much of a gradient is left out of the direction
  /// @param weightDecay how much of a parameter is added to its gradient
  /// @param nesterov whether the step looks ahead along the direction
  /// @param maximize whether to go up instead of down
  public record Options(
      double lr,
      double momentum,
      double dampening,
      double weightDecay,
      boolean nesterov,
      boolean maximize)
      implements OptimizerOptions<Options> {

    /// Learning rate 0.001, and nothing else.
    public static final Options DEFAULT = new Options(1e-3, 0, 0, 0, false, false);

    @Override
    public Options lr(double lr) {
      return new Options(lr, momentum, dampening, weightDecay, nesterov, maximize);
    }

    @Override
    public Options momentum(double momentum) {
      return new Options(lr, momentum, dampening, weightDecay, nesterov, maximize);
    }

    /// With another dampening.
    public Options dampening(double dampening) {
      return new Options(lr, momentum, dampening, weightDecay, nesterov, maximize);
    }

    /// With another weight decay.
    public Options weightDecay(double weightDecay) {
      return new Options(lr, momentum, dampening, weightDecay, nesterov, maximize);
    }

    /// With Nesterov's momentum, or without.
    public Options nesterov(boolean nesterov) {
      return new Options(lr, momentum, dampening, weightDecay, nesterov, maximize);
    }

    /// Going up, or down.
    public Options maximize(boolean maximize) {
      return new Options(lr, momentum, dampening, weightDecay, nesterov, maximize);
    }
  }

  private static final String BUFFER = "momentum_buffer";

  /// For `parameters`, with default options.
  public SGD(List<? extends Tensor> parameters) {
    this(parameters, o -> o);
  }

  /// For `parameters`.
  ///
  /// @throws ArgumentException if the options make no sense
  public SGD(List<? extends Tensor> parameters, UnaryOperator<Options> options) {
    this(options);
    addParamGroup(parameters);
  }

  /// For groups that are added afterwards.
  ///
  /// @throws ArgumentException if the options make no sense
  public SGD(UnaryOperator<Options> options) {
    super("SGD", Ranges.chosen("SGD", options, Options.DEFAULT));
  }

  @Override
  protected Options checked(Options options) {
    Ranges.atLeastZero("SGD", "lr", options.lr());
    Ranges.atLeastZero("SGD", "momentum", options.momentum());
    Ranges.atLeastZero("SGD", "weightDecay", options.weightDecay());
    if (Double.isNaN(options.dampening())) {
      throw new ArgumentException("SGD: dampening must be a number, but is NaN.");
    }
    if (options.nesterov() && (options.momentum() <= 0 || options.dampening() != 0)) {
      throw new ArgumentException(
          "SGD: Nesterov's momentum needs a positive momentum and no dampening, but momentum is %s and dampening %s."
              .formatted(options.momentum(), options.dampening()));
    }
    return options;
  }

  @Override
  protected void update(Tensor parameter, Tensor grad, ParameterState state, Options o) {
    update(List.of(new Update(parameter, grad, state)), o);
  }

  @Override
  protected void update(List<Update> updates, Options o) {
    var batches = new Batches<OptimizerSteps.Sgd>();
    for (Update one : updates) {
      Tensor parameter = one.parameter();
      boolean first = one.state().find(BUFFER) == null;
      var numbers =
          new OptimizerSteps.Sgd(
              o.lr(),
              o.momentum(),
              o.dampening(),
              o.weightDecay(),
              o.nesterov(),
              o.maximize(),
              first);
      if (o.momentum() == 0) {
        batches.add(numbers, parameter, one.grad());
      } else {
        Tensor buffer = one.state().tensor(BUFFER, () -> Tensor.emptyLike(parameter));
        batches.add(numbers, parameter, one.grad(), buffer);
      }
    }
    batches.forEach((numbers, lists) ->
        OptimizerSteps.sgd(
            lists.get(0), lists.get(1), lists.size() > 2 ? lists.get(2) : List.of(), numbers));
  }

  @Override
  protected List<String> stateNames() {
    return List.of(BUFFER);
  }

  @Override
  protected Map<String, @Nullable Object> toMap(ParameterState state) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put(BUFFER, state.find(BUFFER));
    return map;
  }

  @Override
  protected Map<String, @Nullable Object> toMap(Options o) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("lr", o.lr());
    map.put("momentum", o.momentum());
    map.put("dampening", o.dampening());
    map.put("weight_decay", o.weightDecay());
    map.put("nesterov", o.nesterov());
    map.put("maximize", o.maximize());
    map.put("foreach", null);
    map.put("differentiable", false);
    return map;
  }

  @Override
  protected Options fromMap(Options o, Map<String, ?> group) {
    var entries = new GroupReader("SGD", group);
    return new Options(
        entries.number("lr", o.lr()),
        entries.number("momentum", o.momentum()),
        entries.number("dampening", o.dampening()),
        entries.number("weight_decay", o.weightDecay()),
        entries.truth("nesterov", o.nesterov()),
        entries.truth("maximize", o.maximize()));
  }
}
