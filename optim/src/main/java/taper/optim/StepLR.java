package taper.optim;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Multiplies the rates by `gamma` every `stepSize` epochs.
public final class StepLR extends LRScheduler {
  private long stepSize;
  private double gamma;

  /// With `gamma` 0.1.
  public StepLR(Optimizer<?> optimizer, long stepSize) {
    this(optimizer, stepSize, 0.1);
  }

  /// @param stepSize the number of epochs between two changes
  /// @param gamma the factor
  public StepLR(Optimizer<?> optimizer, long stepSize, double gamma) {
    super(optimizer);
    Ranges.positive("StepLR", "stepSize", stepSize);
    this.stepSize = stepSize;
    this.gamma = gamma;
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    boolean stays = lastEpoch() == 0 || lastEpoch() % stepSize != 0;
    return stays ? group.lr() : group.lr() * gamma;
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    return Map.of("step_size", stepSize, "gamma", gamma);
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    stepSize = count(settings, "step_size");
    gamma = number(settings, "gamma");
  }
}
