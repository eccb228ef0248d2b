package taper.optim;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.OptimizerSteps;
import taper.tensor.Tensor;

/// What [Adam] and [AdamW] share: all but the way of weight decay.
abstract sealed class AdamFamily extends Optimizer<AdamOptions> permits Adam, AdamW {
  private static final String MEAN = "exp_avg";
  private static final String SQUARE = "exp_avg_sq";
  private static final String LARGEST = "max_exp_avg_sq";

  private final boolean decoupled;

  AdamFamily(String name, boolean decoupled, AdamOptions defaults) {
    super(name, defaults);
    this.decoupled = decoupled;
  }

  @Override
  protected final AdamOptions checked(AdamOptions options) {
    Ranges.atLeastZero(optimizerName(), "lr", options.lr());
    Ranges.atLeastZero(optimizerName(), "eps", options.eps());
    Ranges.atLeastZero(optimizerName(), "weightDecay", options.weightDecay());
    Ranges.fraction(optimizerName(), "beta1", options.beta1());
    Ranges.fraction(optimizerName(), "beta2", options.beta2());
    return options;
  }

  @Override
  protected final void update(Tensor parameter, Tensor grad, ParameterState state, AdamOptions o) {
    update(List.of(new Update(parameter, grad, state)), o);
  }

  @Override
  protected final void update(List<Update> updates, AdamOptions o) {
    var batches = new Batches<OptimizerSteps.Adam>();
    for (Update one : updates) {
      Tensor parameter = one.parameter();
      ParameterState state = one.state();
      Tensor mean = state.tensor(MEAN, () -> zerosLike(parameter));
      Tensor square = state.tensor(SQUARE, () -> zerosLike(parameter));
      var numbers =
          new OptimizerSteps.Adam(
              o.lr(),
              o.beta1(),
              o.beta2(),
              o.eps(),
              o.weightDecay(),
              decoupled,
              o.maximize(),
              state.nextStep());
      if (o.amsgrad()) {
        Tensor largest = state.tensor(LARGEST, () -> zerosLike(parameter));
        batches.add(numbers, parameter, one.grad(), mean, square, largest);
      } else {
        batches.add(numbers, parameter, one.grad(), mean, square);
      }
    }
    batches.forEach((numbers, lists) ->
        OptimizerSteps.adam(
            lists.get(0),
            lists.get(1),
            lists.get(2),
            lists.get(3),
            lists.size() > 4 ? lists.get(4) : List.of(),
            numbers));
  }

  private static Tensor zerosLike(Tensor parameter) {
    return Tensor.zeros(parameter.dtype(), parameter.shape().toArray());
  }

  @Override
  protected final List<String> stateNames() {
    return List.of(MEAN, SQUARE, LARGEST);
  }

  @Override
  protected final Map<String, @Nullable Object> toMap(ParameterState state) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("step", Tensor.full(DType.FLOAT32, state.steps()));
    map.putAll(state.tensors());
    return map;
  }

  @Override
  protected final Map<String, @Nullable Object> toMap(AdamOptions o) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    map.put("lr", o.lr());
    map.put("betas", List.of(o.beta1(), o.beta2()));
    map.put("eps", o.eps());
    map.put("weight_decay", o.weightDecay());
    map.put("amsgrad", o.amsgrad());
    map.put("maximize", o.maximize());
    map.put("foreach", null);
    map.put("capturable", false);
    map.put("differentiable", false);
    map.put("fused", null);
    return map;
  }

  @Override
  protected final AdamOptions fromMap(AdamOptions o, Map<String, ?> group) {
    var entries = new GroupReader(optimizerName(), group);
    return new AdamOptions(
        entries.number("lr", o.lr()),
        entries.number("betas", 0, o.beta1()),
        entries.number("betas", 1, o.beta2()),
        entries.number("eps", o.eps()),
        entries.number("weight_decay", o.weightDecay()),
        entries.truth("amsgrad", o.amsgrad()),
        entries.truth("maximize", o.maximize()));
  }
}
