package taper.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import taper.benchmarks.work.Setting;
import taper.tensor.Call;
import taper.tensor.Interpreter;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Says where the time of a workload goes on Taper, by operator and sizes.
///
/// ```
/// StepProfile [--threads 2] [--warm-up 20] [--steps 60] [--data FOLDER] [mnist-cnn-train]
/// ```
///
/// Times are those that the calling thread spent on a processor, without the operators that a composed
/// one calls; so with one thread they hold on a busy machine too.
public final class StepProfile {
  /// How many are named; an optimizer's step takes the tensors of all parameters.
  private static final int SHAPES = 7;

  private final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
  private final Map<String, long[]> rows = new HashMap<>();
  private long inner;

  private StepProfile() {}

  /// Profiles the steps and prints a table, the dearest first.
  public static void main(String... arguments) {
    Setting setting = Setting.of(arguments);
    String name = setting.names().isEmpty() ? "mnist-cnn-train" : setting.names().getFirst();
    int steps = setting.steps() == 0 ? 60 : setting.steps();
    int warmUp = setting.warmUp() == 0 ? 20 : setting.warmUp();
    Threads.setNumThreads(setting.threads());
    StepProfile profile = new StepProfile();
    try (var workload = new TaperSide().workload(name, setting)) {
      for (int step = 0; step < warmUp; step++) {
        workload.run(step);
      }
      long start = profile.clock.getCurrentThreadCpuTime();
      try (var _ = Interpreter.use(profile::interpret)) {
        for (int step = 0; step < steps; step++) {
          workload.run(step);
        }
      }
      long total = profile.clock.getCurrentThreadCpuTime() - start;
      profile.print(total, steps);
    }
  }

  private List<Tensor> interpret(Call<?> call) {
    long before = inner;
    inner = 0;
    long start = clock.getCurrentThreadCpuTime();
    try (var _ = Interpreter.use(this::interpret)) {
      return call.proceed();
    } finally {
      long time = clock.getCurrentThreadCpuTime() - start;
      String sizes =
          Arrays.stream(call.inputs())
              .filter(Objects::nonNull)
              .limit(SHAPES)
              .map(input -> input.shape().toString())
              .collect(Collectors.joining(" "));
      long[] row = rows.computeIfAbsent(call.operator() + " " + sizes, _ -> new long[2]);
      row[0]++;
      row[1] += time - inner;
      inner = before + time;
    }
  }

  private void print(long total, int steps) {
    long accounted = rows.values().stream().mapToLong(row -> row[1]).sum();
    System.out.printf(Locale.ROOT, "%10s %8s  %s%n", "ms a step", "calls", "operator, sizes");
    rows.entrySet().stream()
        .sorted(Comparator.comparingLong(entry -> -entry.getValue()[1]))
        .forEach(entry ->
            System.out.printf(
                Locale.ROOT,
                "%10.3f %8.1f  %s%n",
                entry.getValue()[1] / 1e6 / steps,
                entry.getValue()[0] / (double) steps,
                entry.getKey()));
    System.out.printf(
        Locale.ROOT, "%10.3f %8s  outside of operators%n", (total - accounted) / 1e6 / steps, "");
    System.out.printf(Locale.ROOT, "%10.3f %8s  the whole step%n", total / 1e6 / steps, "");
  }
}
