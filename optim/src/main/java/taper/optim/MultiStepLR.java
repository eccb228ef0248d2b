package taper.optim;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import taper.tensor.StateDictException;

/// Multiplies the rates by `gamma` in each of the given epochs.
public final class MultiStepLR extends LRScheduler {
  private final Map<Long, Long> milestones = new TreeMap<>(); // epoch → how often it was named
  private double gamma;

  /// With `gamma` 0.1.
  public MultiStepLR(Optimizer<?> optimizer, long... milestones) {
    this(optimizer, milestones, 0.1);
  }

  /// @param milestones the epochs; one that is named twice counts twice
  /// @param gamma the factor
  public MultiStepLR(Optimizer<?> optimizer, long[] milestones, double gamma) {
    super(optimizer);
    for (long milestone : Ranges.given("MultiStepLR", "milestones", milestones)) {
      this.milestones.merge(milestone, 1L, Long::sum);
    }
    this.gamma = gamma;
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    Long count = milestones.get(lastEpoch());
    return count == null ? group.lr() : group.lr() * Math.pow(gamma, count);
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("milestones", new TreeMap<>(milestones));
    settings.put("gamma", gamma);
    return settings;
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    if (!(settings.get("milestones") instanceof Map<?, ?> counts)) {
      throw new StateDictException(
          "MultiStepLR: milestones of the state dict must be a map from epochs to counts, but is %s."
              .formatted(settings.get("milestones")));
    }
    var read = new TreeMap<Long, Long>();
    counts.forEach((epoch, count) -> read.put(whole(epoch), whole(count)));
    milestones.clear();
    milestones.putAll(read);
    gamma = number(settings, "gamma");
  }

  private static long whole(@Nullable Object value) {
    try {
      return Long.parseLong(String.valueOf(value));
    } catch (NumberFormatException e) {
      throw new StateDictException(
          "MultiStepLR: milestones of the state dict must be a map from epochs to counts, but has %s in it."
              .formatted(value));
    }
  }
}
