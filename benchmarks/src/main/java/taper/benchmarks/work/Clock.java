package taper.benchmarks.work;

import java.lang.management.ManagementFactory;
import java.util.Arrays;

/// Times one workload in this JVM; every library runs through this loop.
///
/// A workload runs unmeasured until a time has passed, some steps were made, and the JVM has compiled what
/// leads to them (its compilers share the processors with the threads that compute); it is then timed step
/// by step for as long again. Steps of less than 20 µs are timed several at once.
final class Clock {
  private static final double SAMPLE_NANOS = 20_000;
  private static final int MOST_SAMPLES = 20_000;
  private static final int COMPILED_AFTER = 20_000;
  private static final double COMPILED_SECONDS = 0.7;

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
    double spent = 0;
    var compilers = new Compilers(Math.min(1, 2 * seconds));
    while (steps < Math.max(3, least / 2)
        || spent < seconds
        || steps < COMPILED_AFTER && spent < COMPILED_SECONDS
        || compilers.areBusy()) {
      step();
      steps++;
      spent = (System.nanoTime() - start) / 1e9;
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
}
