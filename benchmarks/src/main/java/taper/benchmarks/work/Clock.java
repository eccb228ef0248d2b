package taper.benchmarks.work;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/// Times one workload in this JVM; every library runs through this loop.
///
/// A workload runs until a time has passed and some steps were made, unmeasured, and is then timed step
/// by step for as long again. Steps of less than 20 µs are timed several at once.
final class Clock {
  private static final double SAMPLE_NANOS = 20_000;
  private static final int MOST_SAMPLES = 20_000;

  private final Workload workload;
  private final double seconds;
  private int run;
  private float first = Float.NaN;
  private float last = Float.NaN;

  private Clock(Workload workload, double seconds) {
    this.workload = workload;
    this.seconds = seconds;
  }

  /// Measures a workload.
  ///
  /// @param seconds how long, unless the setting says otherwise
  /// @param least how many steps at least
  static Measurement measure(
      String library, String name, Workload workload, Setting setting, double seconds, int least) {
    var clock = new Clock(workload, setting.seconds() > 0 ? setting.seconds() : seconds);
    return clock.measure(library, name, setting, least);
  }

  private Measurement measure(String library, String name, Setting setting, int least) {
    boolean counted = setting.steps() > 0;
    int repeats = 1;
    if (counted) {
      for (int i = 0; i < setting.warmUp(); i++) {
        step();
      }
    } else {
      repeats = warmUp(least);
    }
    var threads = ManagementFactory.getThreadMXBean();
    double[] millis = new double[counted ? setting.steps() : MOST_SAMPLES];
    double[] cpuMillis = new double[millis.length];
    long busyBefore = Machine.busyNanos();
    long ownBefore = Machine.ownNanos();
    long start = System.nanoTime();
    int samples = 0;
    while (samples < millis.length
        && (counted || samples < least || System.nanoTime() - start < seconds * 1e9)) {
      long cpu = threads.getCurrentThreadCpuTime();
      long before = System.nanoTime();
      for (int i = 0; i < repeats; i++) {
        step();
      }
      millis[samples] = (System.nanoTime() - before) / 1e6 / repeats;
      cpuMillis[samples++] = (threads.getCurrentThreadCpuTime() - cpu) / 1e6 / repeats;
    }
    double wall = System.nanoTime() - start;
    double others = Machine.busyNanos() - busyBefore - (Machine.ownNanos() - ownBefore);
    Arrays.sort(millis, 0, samples);
    Arrays.sort(cpuMillis, 0, samples);
    return new Measurement(
        library,
        name,
        setting.threads(),
        samples * repeats,
        millis[0],
        millis[samples / 2],
        cpuMillis[0],
        Math.max(0, others / wall),
        workload.parameters(),
        first,
        last,
        Machine.peakBytes());
  }

  /// Runs unmeasured; returns how many steps make a sample.
  private int warmUp(int least) {
    long start = System.nanoTime();
    int steps = 0;
    while (steps < Math.max(3, least / 2) || System.nanoTime() - start < seconds * 1e9) {
      step();
      steps++;
    }
    double each = Double.MAX_VALUE;
    for (int i = 0; i < 5; i++) {
      long before = System.nanoTime();
      step();
      each = Math.min(each, System.nanoTime() - before);
    }
    return (int) Math.max(1, Math.ceil(SAMPLE_NANOS / Math.max(each, 10)));
  }

  private void step() {
    last = workload.run(run);
    if (run++ == 0) {
      first = last;
    }
  }

  /// What the system says about this process and the machine; zeros where it is no Linux.
  private static final class Machine {
    private static final long TICK_NANOS = 10_000_000;

    private Machine() {}

    /// The time that all processors together were busy since the machine started.
    static long busyNanos() {
      try (var lines = Files.lines(Path.of("/proc/stat"))) {
        long[] ticks =
            Arrays.stream(lines.findFirst().orElse("cpu 0 0 0 0 0 0 0 0").trim().split(" +"))
                .skip(1)
                .mapToLong(Long::parseLong)
                .toArray();
        // user, nice, system, and, past idle and waiting, interrupts, soft ones, stolen time
        return (ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]) * TICK_NANOS;
      } catch (IOException _) {
        return 0;
      }
    }

    static long ownNanos() {
      return ManagementFactory.getOperatingSystemMXBean()
              instanceof com.sun.management.OperatingSystemMXBean system
          ? system.getProcessCpuTime()
          : 0;
    }

    static long peakBytes() {
      try (var lines = Files.lines(Path.of("/proc/self/status"))) {
        return lines
            .filter(line -> line.startsWith("VmHWM:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
            .findFirst()
            .orElse(0);
      } catch (IOException _) {
        return 0;
      }
    }
  }
}
