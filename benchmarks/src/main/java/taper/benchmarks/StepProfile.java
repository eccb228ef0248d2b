package taper.benchmarks;

import java.io.IOException;
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
import taper.tensor.Call;
import taper.tensor.Interpreter;
import taper.tensor.Tensor;

/// Says where the time of Taper's training step goes, by operator and sizes.
///
/// ```
/// StepProfile [--threads 1] [--warm-up 20] [--steps 60] [--data FOLDER]
/// ```
///
/// Times are those that the calling thread spent on a processor, without the operators that a composed
/// one calls; so with one thread they hold on a busy machine too.
public final class StepProfile {
  private final ThreadMXBean clock = ManagementFactory.getThreadMXBean();
  private final Map<String, long[]> rows = new HashMap<>();
  private long inner;

  private StepProfile() {}

  /// Profiles the steps and prints a table, the dearest first.
  ///
  /// @throws IOException if the data cannot be read
  public static void main(String... arguments) throws IOException {
    StepClock.Task task = StepClock.Task.of(arguments);
    StepProfile profile = new StepProfile();
    try (var workload = TaperMnist.on(task)) {
      for (int step = 0; step < task.warmUp(); step++) {
        workload.step(step % task.batches().count());
      }
      long start = profile.clock.getCurrentThreadCpuTime();
      try (var _ = Interpreter.use(profile::interpret)) {
        for (int step = 0; step < task.steps(); step++) {
          workload.step(step % task.batches().count());
        }
      }
      long total = profile.clock.getCurrentThreadCpuTime() - start;
      profile.print(total, task.steps());
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
