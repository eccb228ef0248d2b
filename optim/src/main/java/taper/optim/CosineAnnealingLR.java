package taper.optim;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Lowers the rates to `etaMin` along half a cosine of `tMax` epochs, then raises them again, and so on.
///
/// - Source: Loshchilov, Hutter 2016, SGDR: stochastic gradient descent with warm restarts, arXiv:1608.03983.
public final class CosineAnnealingLR extends LRScheduler {
  private long tMax;
  private double etaMin;

  /// Down to 0.
  public CosineAnnealingLR(Optimizer<?> optimizer, long tMax) {
    this(optimizer, tMax, 0);
  }

  /// @param tMax the number of epochs from the highest rate to the lowest
  /// @param etaMin the lowest rate
  public CosineAnnealingLR(Optimizer<?> optimizer, long tMax, double etaMin) {
    super(optimizer);
    Ranges.positive("CosineAnnealingLR", "tMax", tMax);
    this.tMax = tMax;
    this.etaMin = etaMin;
    begin();
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    long epoch = lastEpoch();
    if (epoch == 0) {
      return group.lr();
    }
    if (Math.floorMod(epoch - 1 - tMax, 2 * tMax) == 0) {
      // the step before was at the lowest point, where the quotient below would be 0 / 0
      return group.lr() + (baseLr(index) - etaMin) * (1 - Math.cos(Math.PI / tMax)) / 2;
    }
    return (1 + Math.cos(Math.PI * epoch / tMax))
            / (1 + Math.cos(Math.PI * (epoch - 1) / tMax))
            * (group.lr() - etaMin)
        + etaMin;
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    return Map.of("T_max", tMax, "eta_min", etaMin);
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    tMax = count(settings, "T_max");
    etaMin = number(settings, "eta_min");
  }
}
