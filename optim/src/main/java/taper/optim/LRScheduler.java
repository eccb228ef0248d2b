package taper.optim;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.StateDictException;

/// Changes the learning rates of an optimizer as training goes on.
///
/// Making one sets the rates of the first step; [#step()], after the optimizer's, sets those of the next one. What a step is,
/// a batch or an epoch, is up to the caller. Most schedules change the rate that they find, so several can be chained on one
/// optimizer. Mutable; for one thread at a time.
public abstract class LRScheduler {
  private final Optimizer<?> optimizer;
  private List<Double> baseLrs;
  private List<Double> lastLrs = List.of();
  private long lastEpoch = -1;
  private long steps;

  /// For subclasses, whose constructors call [#begin()] when their fields are set.
  protected LRScheduler(Optimizer<?> optimizer) {
    this.optimizer = Ranges.given(name(), "the optimizer", optimizer);
    var initial = new ArrayList<Double>();
    for (ParameterGroup<?> group : optimizer.groups()) {
      initial.add(group.notes().computeIfAbsent("initial_lr", _ -> group.lr()));
    }
    this.baseLrs = List.copyOf(initial);
  }

  /// Sets the rates of the first step.
  protected final void begin() {
    step();
  }

  /// The rate of group `index` in epoch [#lastEpoch()], from the one it has.
  protected abstract double lr(ParameterGroup<?> group, int index);

  /// The numbers of the schedule by PyTorch's names.
  protected abstract Map<String, @Nullable Object> settings();

  /// Takes over the numbers of the schedule from a state dict.
  protected abstract void loadSettings(Map<String, ?> settings);

  /// Called before rates are computed, when the epoch has been counted.
  protected void advance() {}

  /// Goes on to the next epoch, and sets its rates.
  public final void step() {
    steps++;
    lastEpoch++;
    advance();
    var lrs = new ArrayList<Double>();
    List<? extends ParameterGroup<?>> groups = optimizer.groups();
    for (int i = 0; i < groups.size(); i++) {
      lrs.add(lr(groups.get(i), i));
    }
    for (int i = 0; i < groups.size(); i++) {
      groups.get(i).setLr(lrs.get(i));
    }
    lastLrs = List.copyOf(lrs);
  }

  /// The optimizer.
  protected final Optimizer<?> optimizer() {
    return optimizer;
  }

  /// The rate that group `index` had before any schedule.
  protected final double baseLr(int index) {
    if (index >= baseLrs.size()) {
      throw new ArgumentException(
          "%s: all groups must be added before the scheduler is made, but there were %d, and now there are %d."
              .formatted(name(), baseLrs.size(), optimizer.groups().size()));
    }
    return baseLrs.get(index);
  }

  /// How many epochs have passed: 0 after construction.
  public final long lastEpoch() {
    return lastEpoch;
  }

  /// The rates set last, one per group.
  public final List<Double> lastLr() {
    return lastLrs;
  }

  /// The state in PyTorch's shape. The rates themselves are part of the optimizer's.
  public final Map<String, @Nullable Object> stateDict() {
    Map<String, @Nullable Object> state = new LinkedHashMap<>(settings());
    state.put("base_lrs", baseLrs);
    state.put("last_epoch", lastEpoch);
    state.put("verbose", false);
    state.put("_step_count", steps);
    state.put("_get_lr_called_within_step", false);
    state.put("_last_lr", lastLrs);
    return state;
  }

  /// Continues from `state`, which came from [#stateDict()] or from PyTorch. The optimizer's own state has to be loaded too.
  ///
  /// @throws StateDictException if entries are missing or of another kind
  public final void loadStateDict(Map<String, ?> state) {
    Ranges.given(name(), "the state dict", state);
    List<Double> bases = numbers(state, "base_lrs");
    if (bases.size() != optimizer.groups().size()) {
      throw new StateDictException(
          "%s: base_lrs of the state dict must have one number per group, but it has %d for %d groups."
              .formatted(name(), bases.size(), optimizer.groups().size()));
    }
    List<Double> last = numbers(state, "_last_lr");
    long epoch = (long) number(state, "last_epoch");
    long count = (long) number(state, "_step_count");
    loadSettings(state);
    baseLrs = bases;
    lastLrs = last;
    lastEpoch = epoch;
    steps = count;
  }

  /// `value` once for each group.
  static <T> List<T> forEachGroup(String who, @Nullable Optimizer<?> optimizer, @Nullable T value) {
    int groups = Ranges.given(who, "the optimizer", optimizer).groups().size();
    return Collections.nCopies(groups, Ranges.given(who, "the value for each group", value));
  }

  final String name() {
    return getClass().getSimpleName();
  }

  /// The number under `key`.
  ///
  /// @throws StateDictException if there is none
  protected final double number(Map<String, ?> state, String key) {
    if (state.get(key) instanceof Number number) {
      return number.doubleValue();
    }
    throw new StateDictException(
        "%s: %s of the state dict must be a number, but is %s."
            .formatted(name(), key, state.get(key) == null ? "missing" : state.get(key)));
  }

  /// The number of steps or epochs under `key`, which is positive.
  final long count(Map<String, ?> state, String key) {
    double number = number(state, key);
    if (!(number >= 1)) {
      throw new StateDictException(
          "%s: %s of the state dict must be positive, but is %s.".formatted(name(), key, number));
    }
    return (long) number;
  }

  private List<Double> numbers(Map<String, ?> state, String key) {
    if (state.get(key) instanceof List<?> list
        && list.stream().allMatch(Number.class::isInstance)) {
      return list.stream().map(x -> ((Number) x).doubleValue()).toList();
    }
    throw new StateDictException(
        "%s: %s of the state dict must be a list of numbers, but is %s."
            .formatted(name(), key, state.get(key) == null ? "missing" : state.get(key)));
  }
}
