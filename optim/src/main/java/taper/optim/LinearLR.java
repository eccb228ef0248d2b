package taper.optim;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;

/// Multiplies the rates by a factor that goes from `startFactor` to `endFactor` in equal steps over `totalIters` epochs.
public final class LinearLR extends LRScheduler {
  private double startFactor;
  private double endFactor;
  private long totalIters;

  /// From a third to the whole rate in 5 epochs.
  public LinearLR(Optimizer<?> optimizer) {
    this(optimizer, 1.0 / 3, 1, 5);
  }

  /// @param startFactor the factor in the first epoch
  /// @param endFactor the factor in the end
  /// @param totalIters the number of epochs until then
  public LinearLR(Optimizer<?> optimizer, double startFactor, double endFactor, long totalIters) {
    super(optimizer);
    if (!(startFactor > 0 && startFactor <= 1)) {
      throw new ArgumentException(
          "LinearLR: startFactor must be above 0 and at most 1, but is " + startFactor + ".");
    }
    if (!(endFactor >= 0 && endFactor <= 1)) {
      throw new ArgumentException("LinearLR: endFactor must be in 0..1, but is " + endFactor + ".");
    }
    this.startFactor = startFactor;
    this.endFactor = endFactor;
    this.totalIters = totalIters;
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    long epoch = lastEpoch();
    if (epoch == 0) {
      return group.lr() * startFactor;
    }
    if (epoch > totalIters) {
      return group.lr();
    }
    double step = endFactor - startFactor;
    return group.lr() * (1 + step / (totalIters * startFactor + (epoch - 1) * step));
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    return Map.of("start_factor", startFactor, "end_factor", endFactor, "total_iters", totalIters);
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    startFactor = number(settings, "start_factor");
    endFactor = number(settings, "end_factor");
    totalIters = (long) number(settings, "total_iters");
  }
}
