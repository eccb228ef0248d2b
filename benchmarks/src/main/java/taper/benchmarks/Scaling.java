package taper.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import taper.benchmarks.work.Compilers;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Workload;
import taper.tensor.Threads;

/// Says how much faster a step of Taper is on several threads than on one.
///
/// ```
/// Scaling [--threads 2] [--seconds 2] [--steps 10] [gpt-small-train]
/// ```
///
/// One process does both, in turns of some seconds, as often as there are steps: a machine that is shared changes its
/// speed by more, from minute to minute, than the threads would tell. The ratio is that of the best steps, and the median of
/// those of the turns.
public final class Scaling {
  private final Workload workload;
  private int step;

  private Scaling(Workload workload) {
    this.workload = workload;
  }

  /// Measures and prints a line.
  public static void main(String... arguments) {
    Setting setting = Setting.of(arguments);
    String name = setting.names().isEmpty() ? "gpt-small-train" : setting.names().getFirst();
    int turns = setting.steps() == 0 ? 10 : setting.steps();
    double seconds = setting.seconds() == 0 ? 2 : setting.seconds();
    try (var workload = new TaperSide().workload(name, setting)) {
      var scaling = new Scaling(workload);
      var compilers = new Compilers(1);
      while (compilers.areBusy()) {
        scaling.turn(setting.threads(), 1);
      }
      double alone = Double.MAX_VALUE;
      double together = Double.MAX_VALUE;
      double[] ratios = new double[turns];
      for (int turn = 0; turn < turns; turn++) {
        double[] one = scaling.turn(1, seconds);
        double[] several = scaling.turn(setting.threads(), seconds);
        alone = Math.min(alone, one[0]);
        together = Math.min(together, several[0]);
        ratios[turn] = one[one.length / 2] / several[several.length / 2];
      }
      Arrays.sort(ratios);
      System.out.printf(
          Locale.ROOT,
          "%s: %.2f ms on 1 thread, %.2f ms on %d: %.2f; of medians %.2f (%.2f to %.2f)%n",
          name,
          alone,
          together,
          setting.threads(),
          alone / together,
          ratios[turns / 2],
          ratios[0],
          ratios[turns - 1]);
    }
  }

  /// The times of steps in milliseconds, the best first.
  private double[] turn(int threads, double seconds) {
    Threads.setNumThreads(threads);
    List<Double> times = new ArrayList<>();
    long start = System.nanoTime();
    while (times.isEmpty() || System.nanoTime() - start < seconds * 1e9) {
      long before = System.nanoTime();
      workload.run(step++);
      times.add((System.nanoTime() - before) / 1e6);
    }
    return times.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }
}
