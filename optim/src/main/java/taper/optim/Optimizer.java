package taper.optim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Changes parameters along their gradients.
///
/// ```java
/// var optimizer = new AdamW(model.parameters(), o -> o.lr(3e-4));
/// for (var batch : loader) {
///   optimizer.zeroGrad();
///   loss(batch).backward();
///   optimizer.step();
/// }
/// ```
///
/// Parameters fall into groups with options of their own, see [#addParamGroup(List, UnaryOperator)]. A parameter without
/// gradient is left alone. Mutable; for one thread at a time. Its state lives as long as it does: memory scopes do not
/// release it.
///
/// @param <O> the options
public abstract class Optimizer<O extends OptimizerOptions<O>> {
  private final String name;
  private final O defaults;
  private final List<ParameterGroup<O>> groups = new ArrayList<>();
  private final IdentityHashMap<Tensor, ParameterState> state = new IdentityHashMap<>();

  /// For subclasses.
  ///
  /// @param name the name for errors and printing
  /// @param defaults the options of groups that say nothing else
  @SuppressWarnings("this-escape") // checked looks at its argument only
  protected Optimizer(String name, O defaults) {
    this.name = name;
    this.defaults = checked(defaults);
  }

  final String optimizerName() {
    return name;
  }

  /// Returns `options` if they make sense.
  ///
  /// @throws ArgumentException if they do not
  protected abstract O checked(O options);

  /// Changes one parameter in place. Runs without being recorded. What it makes and does not keep is the collector's, or
  /// that of a [Memory#tidy(Runnable)] around it.
  protected abstract void update(Tensor parameter, Tensor grad, ParameterState state, O options);

  /// A parameter that is to be changed.
  ///
  /// @param parameter the parameter
  /// @param grad its gradient
  /// @param state what the optimizer remembers of it
  public record Update(Tensor parameter, Tensor grad, ParameterState state) {}

  /// Changes the parameters of one group that have a gradient, in place. Runs without being recorded. Takes one after the
  /// other, unless an optimizer knows how to change many at once.
  protected void update(List<Update> updates, O options) {
    for (Update one : updates) {
      if (isOurs()) {
        Memory.tidy(() -> update(one.parameter(), one.grad(), one.state(), options));
      } else {
        update(one.parameter(), one.grad(), one.state(), options);
      }
    }
  }

  /// Whether what an update makes is released when it ends; an optimizer of somebody else may keep it.
  private boolean isOurs() {
    return this instanceof AdamFamily || this instanceof SGD;
  }

  /// The options as PyTorch's state dicts write them.
  protected abstract Map<String, @Nullable Object> toMap(O options);

  /// The options that a group of a state dict has; what it does not say is as in `options`.
  protected abstract O fromMap(O options, Map<String, ?> group);

  /// The names of the tensors that the state of a parameter may have.
  protected abstract List<String> stateNames();

  /// Adds parameters with the options of the optimizer.
  ///
  /// @return the group
  public final ParameterGroup<O> addParamGroup(List<? extends Tensor> parameters) {
    return addParamGroup(parameters, o -> o);
  }

  /// Adds parameters with options of their own.
  ///
  /// @param change changes the options of the optimizer into those of the group
  /// @return the group
  /// @throws ArgumentException if there are none, or one is in a group already, or is no leaf
  public final ParameterGroup<O> addParamGroup(
      List<? extends Tensor> parameters, UnaryOperator<O> change) {
    if (Ranges.given(name, "parameters", parameters).isEmpty()) {
      throw new ArgumentException(
          name
              + ": a group must have a parameter, but the list is empty. Pass model.parameters().");
    }
    Set<Tensor> known = Collections.newSetFromMap(new IdentityHashMap<>());
    groups.forEach(group -> known.addAll(group.parameters()));
    for (int i = 0; i < parameters.size(); i++) {
      Tensor parameter = Ranges.given(name, "parameter " + i, parameters.get(i));
      if (!parameter.isLeaf()) {
        throw new ArgumentException(
            "%s: parameters must be leaves, but parameter %d, of shape %s, is the result of %s. Pass the tensors that it is computed from."
                .formatted(name, i, parameter.shape(), parameter.gradFn()));
      }
      if (!known.add(parameter)) {
        throw new ArgumentException(
            "%s: a parameter must be in one group only, but parameter %d, of shape %s, is there twice."
                .formatted(name, i, parameter.shape()));
      }
    }
    var group =
        new ParameterGroup<O>(
            List.copyOf(parameters), checked(Ranges.chosen(name, change, defaults)));
    groups.add(group);
    return group;
  }

  /// The groups, in the order in which they were added.
  public final List<ParameterGroup<O>> groups() {
    return Collections.unmodifiableList(groups);
  }

  /// The options of groups that say nothing else.
  public final O defaults() {
    return defaults;
  }

  /// Changes every parameter that has a gradient.
  public final void step() {
    if (groups.isEmpty()) {
      throw new ArgumentException(
          name
              + ": step: there must be parameters, but there is no group. Call addParamGroup"
              + " first.");
    }
    try (var _ = Autograd.noGrad()) {
      for (ParameterGroup<O> group : groups) {
        var updates = new ArrayList<Update>(group.parameters().size());
        for (Tensor parameter : group.parameters()) {
          Tensor grad = parameter.grad();
          if (grad != null) {
            ParameterState own = state.computeIfAbsent(parameter, _ -> new ParameterState());
            updates.add(new Update(parameter, grad, own));
          }
        }
        if (isOurs()) {
          Memory.tidy(() -> update(updates, group.options()));
        } else {
          update(updates, group.options());
        }
      }
    }
  }

  /// Runs `closure`, which computes the loss and its gradients, and then changes every parameter.
  ///
  /// @return the loss
  public Tensor step(Supplier<Tensor> closure) {
    Tensor loss;
    try (var _ = Autograd.enableGrad()) {
      loss = Ranges.given(name, "the closure", closure).get();
    }
    step();
    return loss;
  }

  /// Takes the gradients of all parameters away.
  public final void zeroGrad() {
    zeroGrad(true);
  }

  /// Takes the gradients of all parameters away, or fills them with zeros.
  public final void zeroGrad(boolean setToNone) {
    for (ParameterGroup<O> group : groups) {
      for (Tensor parameter : group.parameters()) {
        Tensor grad = parameter.grad();
        if (setToNone) {
          parameter.setGrad(null);
        } else if (grad != null) {
          Autograd.noGrad(() -> grad.zero_());
        }
      }
    }
  }

  /// The state in PyTorch's shape: `state` holds, by the number of the parameter, its tensors by name; `param_groups` the
  /// options of each group with the numbers of its parameters under `params`. The tensors share memory with the state.
  public final Map<String, Object> stateDict() {
    var numbered = new LinkedHashMap<Long, Map<String, @Nullable Object>>();
    var packed = new ArrayList<Map<String, @Nullable Object>>();
    long number = 0;
    for (ParameterGroup<O> group : groups) {
      var numbers = new ArrayList<Long>();
      for (Tensor parameter : group.parameters()) {
        ParameterState own = state.get(parameter);
        if (own != null) {
          numbered.put(number, toMap(own));
        }
        numbers.add(number++);
      }
      Map<String, @Nullable Object> options = new LinkedHashMap<>(toMap(group.options()));
      options.putAll(group.notes());
      options.put("params", numbers);
      packed.add(options);
    }
    var result = new LinkedHashMap<String, Object>();
    result.put("state", numbered);
    result.put("param_groups", packed);
    return result;
  }

  /// The state of one parameter as PyTorch's state dicts write it.
  protected abstract Map<String, @Nullable Object> toMap(ParameterState state);

  /// Continues from `stateDict`, which came from [#stateDict()] or from PyTorch. Tensors are copied, and take the type of
  /// their parameter.
  ///
  /// @throws taper.tensor.StateDictException if it has other groups or shapes; nothing has changed then
  public final void loadStateDict(Map<String, ?> stateDict) {
    Ranges.given(name, "the state dict", stateDict);
    var loading = new StateLoader(name, stateNames());
    loading.load(stateDict, groups.stream().map(ParameterGroup::parameters).toList());
    List<O> options = new ArrayList<>();
    for (int g = 0; g < groups.size(); g++) {
      options.add(checked(fromMap(groups.get(g).options(), loading.groups().get(g))));
    }
    for (int g = 0; g < groups.size(); g++) {
      ParameterGroup<O> group = groups.get(g);
      group.setOptions(options.get(g));
      group.notes().clear();
      group.notes().putAll(loading.notes(g));
    }
    state.clear();
    state.putAll(loading.state());
  }

  @Override
  public final String toString() {
    var text = new StringBuilder(name).append(" (");
    for (int g = 0; g < groups.size(); g++) {
      text.append("\nParameter Group ").append(g);
      toMap(groups.get(g).options())
          .forEach((key, value) -> text.append("\n    ").append(key).append(": ").append(value));
      text.append('\n');
    }
    return text.append(')').toString();
  }
}
