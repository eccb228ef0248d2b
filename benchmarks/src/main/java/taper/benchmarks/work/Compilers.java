package taper.benchmarks.work;

import java.lang.management.ManagementFactory;

/// Tells when the JVM's compilers rest: while they work they share the processors with the threads that compute.
public final class Compilers {
  private static final double BUSY_SHARE = 0.03;
  private static final double SECONDS_AT_MOST = 15;

  private final long start = System.nanoTime();
  private final double window;
  private long millis = compiled();
  private double since;
  private boolean busy = true;

  /// Looks at them from now on, once in `window` seconds.
  public Compilers(double window) {
    this.window = window;
  }

  /// Whether it is worth waiting: they worked a moment ago, and have not done so for too long.
  public boolean areBusy() {
    double seconds = (System.nanoTime() - start) / 1e9;
    if (seconds - since >= window) {
      long now = compiled();
      busy = (now - millis) / 1e3 > BUSY_SHARE * (seconds - since);
      millis = now;
      since = seconds;
    }
    return busy && seconds < SECONDS_AT_MOST;
  }

  private static long compiled() {
    return ManagementFactory.getCompilationMXBean().getTotalCompilationTime();
  }
}
