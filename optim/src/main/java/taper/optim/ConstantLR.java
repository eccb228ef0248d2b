package taper.optim;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;

/// Multiplies the rates by `factor` until `totalIters` epochs have passed.
public final class ConstantLR extends LRScheduler {
  private double factor;
  private long totalIters;

  /// A third of the rate for 5 epochs.
  public ConstantLR(Optimizer<?> optimizer) {
    this(optimizer, 1.0 / 3, 5);
  }

  /// @param factor the factor
  /// @param totalIters the number of epochs with it
  public ConstantLR(Optimizer<?> optimizer, double factor, long totalIters) {
    super(optimizer);
    if (!(factor > 0 && factor <= 1)) {
      throw new ArgumentException(
          "ConstantLR: factor must be above 0 and at most 1, but is " + factor + ".");
    }
    this.factor = factor;
    this.totalIters = totalIters;
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    if (lastEpoch() == 0) {
      return group.lr() * factor;
    }
    return lastEpoch() == totalIters ? group.lr() * (1.0 / factor) : group.lr();
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    return Map.of("factor", factor, "total_iters", totalIters);
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    factor = number(settings, "factor");
    totalIters = (long) number(settings, "total_iters");
  }
}
