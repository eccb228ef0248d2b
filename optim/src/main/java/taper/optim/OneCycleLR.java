package taper.optim;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;

/// Raises the rates to `maxLr` and lowers them again to almost nothing, once, while the momentum goes the other way. Stepped
/// after every batch.
///
/// - Source: Smith, Topin 2017, Super-convergence: very fast training of neural networks using large learning rates,
///   arXiv:1708.07120.
public final class OneCycleLR extends LRScheduler {

  /// The way between two values.
  public enum Anneal {
    /// Along half a cosine.
    COS,
    /// In equal steps.
    LINEAR;

    double between(double start, double end, double part) {
      return switch (this) {
        case COS -> end + (start - end) / 2.0 * (Math.cos(Math.PI * part) + 1);
        case LINEAR -> (end - start) * part + start;
      };
    }
  }

  /// The options, with PyTorch's defaults. Immutable.
  ///
  /// @param pctStart the part of the steps in which the rate goes up
  /// @param anneal the way between two values
  /// @param cycleMomentum whether the momentum, or the first beta, goes the other way
  /// @param baseMomentum the momentum at the highest rate
  /// @param maxMomentum the momentum at the beginning and in the end
  /// @param divFactor the highest rate over the first
  /// @param finalDivFactor the first rate over the last
  /// @param threePhase whether the rate comes down to the first one as long as it went up, and then further
  public record Options(
      double pctStart,
      Anneal anneal,
      boolean cycleMomentum,
      double baseMomentum,
      double maxMomentum,
      double divFactor,
      double finalDivFactor,
      boolean threePhase) {

    /// 30 % of the steps up, along cosines, momentum between 0.85 and 0.95, from a 25th of the rate to a 250,000th.
    public static final Options DEFAULT =
        new Options(0.3, Anneal.COS, true, 0.85, 0.95, 25, 1e4, false);

    /// With another part of the steps up.
    public Options pctStart(double pctStart) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }

    /// With another way between two values.
    public Options anneal(Anneal anneal) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }

    /// Moving the momentum, or not.
    public Options cycleMomentum(boolean cycleMomentum) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }

    /// With other bounds of the momentum.
    public Options momentum(double baseMomentum, double maxMomentum) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }

    /// With another quotient of the highest rate and the first.
    public Options divFactor(double divFactor) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }

    /// With another quotient of the first rate and the last.
    public Options finalDivFactor(double finalDivFactor) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }

    /// In three phases, or two.
    public Options threePhase(boolean threePhase) {
      return new Options(
          pctStart,
          anneal,
          cycleMomentum,
          baseMomentum,
          maxMomentum,
          divFactor,
          finalDivFactor,
          threePhase);
    }
  }

  private record Phase(
      double endStep, String startLr, String endLr, String startMomentum, String endMomentum) {

    Map<String, Object> toMap() {
      var map = new LinkedHashMap<String, Object>();
      map.put("end_step", endStep);
      map.put("start_lr", startLr);
      map.put("end_lr", endLr);
      map.put("start_momentum", startMomentum);
      map.put("end_momentum", endMomentum);
      return map;
    }
  }

  private static final String INITIAL = "initial_lr";
  private static final String MAX = "max_lr";
  private static final String MIN = "min_lr";
  private static final String BASE_MOMENTUM = "base_momentum";
  private static final String MAX_MOMENTUM = "max_momentum";

  private final Options options;
  private long totalSteps;
  private List<Phase> phases;

  /// With default options.
  public OneCycleLR(Optimizer<?> optimizer, double maxLr, long totalSteps) {
    this(optimizer, maxLr, totalSteps, o -> o);
  }

  /// @param maxLr the highest rate, of all groups
  /// @param totalSteps the number of steps of the whole training
  public OneCycleLR(
      Optimizer<?> optimizer, double maxLr, long totalSteps, UnaryOperator<Options> options) {
    this(optimizer, forEachGroup("OneCycleLR", optimizer, maxLr), totalSteps, options);
  }

  /// @param maxLrs the highest rate of each group
  /// @param totalSteps the number of steps of the whole training
  public OneCycleLR(
      Optimizer<?> optimizer,
      List<Double> maxLrs,
      long totalSteps,
      UnaryOperator<Options> options) {
    this(optimizer, maxLrs, totalSteps, Ranges.chosen("OneCycleLR", options, Options.DEFAULT));
  }

  private OneCycleLR(
      Optimizer<?> optimizer, List<Double> maxLrs, long totalSteps, Options options) {
    super(prepared(optimizer, maxLrs, totalSteps, options));
    this.options = options;
    this.totalSteps = totalSteps;
    this.phases = phases(totalSteps);
    begin();
  }

  /// Checks everything, and sets the rates that the schedule starts from.
  private static Optimizer<?> prepared(
      Optimizer<?> optimizer, List<Double> maxLrs, long totalSteps, Options o) {
    Ranges.given("OneCycleLR", "the optimizer", optimizer);
    Ranges.given("OneCycleLR", "maxLrs", maxLrs);
    Ranges.given("OneCycleLR", "anneal", o.anneal());
    Ranges.positive("OneCycleLR", "totalSteps", totalSteps);
    Ranges.positive("OneCycleLR", "divFactor", o.divFactor());
    Ranges.positive("OneCycleLR", "finalDivFactor", o.finalDivFactor());
    maxLrs.forEach(maxLr ->
        Ranges.atLeastZero("OneCycleLR", "maxLr", Ranges.given("OneCycleLR", "maxLr", maxLr)));
    if (!(o.pctStart() >= 0 && o.pctStart() <= 1)) {
      throw new ArgumentException(
          "OneCycleLR: pctStart must be in 0..1, but is " + o.pctStart() + ".");
    }
    if (maxLrs.size() != optimizer.groups().size()) {
      throw new ArgumentException(
          "OneCycleLR: there must be one maxLr per group, but there are %d for %d groups."
              .formatted(maxLrs.size(), optimizer.groups().size()));
    }
    for (int i = 0; i < maxLrs.size(); i++) {
      ParameterGroup<?> group = optimizer.groups().get(i);
      Map<String, Double> notes = group.notes();
      double initial = maxLrs.get(i) / o.divFactor();
      notes.put(INITIAL, initial);
      notes.put(MAX, maxLrs.get(i));
      notes.put(MIN, initial / o.finalDivFactor());
      if (o.cycleMomentum()) {
        group.setMomentum(o.maxMomentum());
        notes.put(MAX_MOMENTUM, o.maxMomentum());
        notes.put(BASE_MOMENTUM, o.baseMomentum());
      }
    }
    return optimizer;
  }

  private List<Phase> phases(long total) {
    double up = options.pctStart() * total - 1;
    var result = new ArrayList<Phase>();
    result.add(new Phase(up, INITIAL, MAX, MAX_MOMENTUM, BASE_MOMENTUM));
    if (options.threePhase()) {
      double down = 2 * options.pctStart() * total - 2;
      result.add(new Phase(down, MAX, INITIAL, BASE_MOMENTUM, MAX_MOMENTUM));
      result.add(new Phase(total - 1, INITIAL, MIN, MAX_MOMENTUM, MAX_MOMENTUM));
    } else {
      result.add(new Phase(total - 1, MAX, MIN, BASE_MOMENTUM, MAX_MOMENTUM));
    }
    return List.copyOf(result);
  }

  @Override
  protected double lr(ParameterGroup<?> group, int index) {
    long step = lastEpoch();
    if (step > totalSteps) {
      throw new ArgumentException(
          "OneCycleLR: the schedule must be stepped at most %d times, but this is step %d. Make it with the number of batches of the whole training."
              .formatted(totalSteps, step));
    }
    double start = 0;
    int i = 0;
    while (i < phases.size() - 1 && step > phases.get(i).endStep()) {
      start = phases.get(i).endStep();
      i++;
    }
    Phase phase = phases.get(i);
    double part = (step - start) / (phase.endStep() - start);
    if (options.cycleMomentum()) {
      group.setMomentum(
          options
              .anneal()
              .between(note(group, phase.startMomentum()), note(group, phase.endMomentum()), part));
    }
    return options.anneal().between(note(group, phase.startLr()), note(group, phase.endLr()), part);
  }

  private static double note(ParameterGroup<?> group, String key) {
    Double note = group.notes().get(key);
    if (note == null) {
      throw new ArgumentException(
          "OneCycleLR: the optimizer must keep what the schedule noted with its groups, but %s is gone. Load a state dict of the optimizer that was saved together with the schedule's."
              .formatted(key));
    }
    return note;
  }

  @Override
  protected Map<String, @Nullable Object> settings() {
    Map<String, @Nullable Object> settings = new LinkedHashMap<>();
    settings.put("total_steps", totalSteps);
    settings.put("_schedule_phases", phases.stream().map(Phase::toMap).toList());
    settings.put("cycle_momentum", options.cycleMomentum());
    if (options.cycleMomentum()) {
      settings.put("use_beta1", optimizer() instanceof AdamFamily);
    }
    return settings;
  }

  @Override
  protected void loadSettings(Map<String, ?> settings) {
    totalSteps = count(settings, "total_steps");
    phases = phases(totalSteps);
  }
}
