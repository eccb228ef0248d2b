package taper.optim;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Multiplies the rates by `gamma` in every epoch.
public final class ExponentialLR extends LRScheduler {
  private double gamma;

  /// @param gamma the factor
  public ExponentialLR(Optimizer<?> optimizer, double gamma) {
    super(optimizer);
    this.gamma = gamma;
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    return lastEpoch() == 0 ? group.lr() : group.lr() * gamma;
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    return Map.of("gamma", gamma);
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    gamma = number(settings, "gamma");
  }
}
