package taper.optim;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Lowers the rates to `etaMin` along half a cosine, again and again, each time over `tMult` times as many epochs.
///
/// - Source: Loshchilov, Hutter 2016, SGDR: stochastic gradient descent with warm restarts, arXiv:1608.03983.
public final class CosineAnnealingWarmRestarts extends LRScheduler {
  private long t0;
  private long tMult;
  private double etaMin;
  private long period;
  private long current = -1;

  /// Down to 0, and always over `t0` epochs.
  public CosineAnnealingWarmRestarts(Optimizer<?> optimizer, long t0) {
    this(optimizer, t0, 1, 0);
  }

  /// @param t0 the number of epochs up to the first restart
  /// @param tMult how many times longer each period is than the one before
  /// @param etaMin the lowest rate
  public CosineAnnealingWarmRestarts(Optimizer<?> optimizer, long t0, long tMult, double etaMin) {
    super(optimizer);
    Ranges.positive("CosineAnnealingWarmRestarts", "t0", t0);
    Ranges.positive("CosineAnnealingWarmRestarts", "tMult", tMult);
    this.t0 = t0;
    this.tMult = tMult;
    this.etaMin = etaMin;
    this.period = t0;
    begin();
  }

  @Override
  protected void advance() {
    current++;
    if (current >= period) {
      current -= period;
      period *= tMult;
    }
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    double part = (double) current / period;
    return etaMin + (baseLr(index) - etaMin) * (1 + Math.cos(Math.PI * part)) / 2;
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    return Map.of("T_0", t0, "T_i", period, "T_mult", tMult, "eta_min", etaMin, "T_cur", current);
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    t0 = count(settings, "T_0");
    period = count(settings, "T_i");
    tMult = count(settings, "T_mult");
    etaMin = number(settings, "eta_min");
    current = (long) number(settings, "T_cur");
  }
}
