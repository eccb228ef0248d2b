package taper.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/// Times the training steps of one workload in this JVM; every contestant runs through this loop.
public final class StepClock {
  private StepClock() {}

  /// What a contestant is asked to do.
  ///
  /// @param threads how many threads may compute
  /// @param warmUp how many steps go unmeasured
  /// @param steps how many steps are measured
  /// @param batchSize the number of images in a batch
  /// @param batches the input
  public record Task(int threads, int warmUp, int steps, int batchSize, Batches batches) {
    /// Reads `--threads N --warm-up N --steps N --batch-size N --data FOLDER`, all optional.
    ///
    /// @throws IllegalArgumentException if there is any other option
    /// @throws IOException if the folder cannot be read
    public static Task of(String... arguments) throws IOException {
      Map<String, String> options = new TreeMap<>();
      for (int i = 0; i + 1 < arguments.length; i += 2) {
        options.put(arguments[i], arguments[i + 1]);
      }
      int threads = number(options, "--threads", 2);
      int warmUp = number(options, "--warm-up", 20);
      int steps = number(options, "--steps", 60);
      int batchSize = number(options, "--batch-size", 64);
      String folder = options.remove("--data");
      if (!options.isEmpty() || arguments.length % 2 != 0) {
        throw new IllegalArgumentException(
            "options are --threads N --warm-up N --steps N --batch-size N --data FOLDER, but got "
                + String.join(" ", arguments));
      }
      Batches batches =
          folder == null
              ? Batches.random(Math.min(40, warmUp + steps), batchSize)
              : Batches.mnist(Path.of(folder), Math.min(40, warmUp + steps), batchSize);
      return new Task(threads, warmUp, steps, batchSize, batches);
    }

    private static int number(Map<String, String> options, String name, int usual) {
      String text = options.remove(name);
      return text == null ? usual : Integer.parseInt(text);
    }
  }

  /// Runs the task and returns the time of each measured step.
  public static Measurement measure(Workload workload, Task task) {
    Batches batches = task.batches();
    var clock = ManagementFactory.getThreadMXBean();
    long[] nanos = new long[task.steps()];
    long[] cpuNanos = new long[task.steps()];
    float first = Float.NaN;
    float last = Float.NaN;
    for (int step = 0; step < task.warmUp() + task.steps(); step++) {
      long cpuStart = clock.getCurrentThreadCpuTime();
      long start = System.nanoTime();
      last = workload.step(step % batches.count());
      long end = System.nanoTime();
      long cpuEnd = clock.getCurrentThreadCpuTime();
      if (step == 0) {
        first = last;
      }
      if (step >= task.warmUp()) {
        nanos[step - task.warmUp()] = end - start;
        cpuNanos[step - task.warmUp()] = cpuEnd - cpuStart;
      }
    }
    return Measurement.of(
        workload.name(), task.threads(), task.batchSize(), nanos, cpuNanos, first, last);
  }

  /// Runs the task and prints the measurement as one line of JSON.
  public static void report(Workload workload, Task task, PrintStream out) {
    out.println(measure(workload, task).json());
  }
}
