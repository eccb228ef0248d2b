package taper.testing.fuzz;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/// Ends the process when a call does not return, and says where it is.
final class Watchdog {
  private static final long PATIENCE = Long.getLong("taper.fuzz.patience", 10) * 1_000_000_000L;

  /// With more elements than this a call may take long.
  private static final long MANY = 1 << 24;

  private final PrintStream out;
  private final Thread worker;
  private volatile long since;
  private volatile long largest;

  Watchdog(PrintStream out, Thread worker) {
    this.out = out;
    this.worker = worker;
    Thread.ofPlatform().daemon().name("watchdog").start(this::watch);
  }

  void begin(long elements) {
    largest = elements;
    since = System.nanoTime();
  }

  void end() {
    since = 0;
  }

  private void watch() {
    while (true) {
      LockSupport.parkNanos(200_000_000);
      if (Thread.interrupted()) {
        return;
      }
      long begun = since;
      long patience = largest > MANY ? PATIENCE / 4 : PATIENCE;
      if (begun != 0 && System.nanoTime() - begun > patience) {
        stop();
      }
    }
  }

  private void stop() {
    String where =
        Arrays.stream(worker.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith("taper."))
            .limit(4)
            .map(f ->
                f.getClassName().replaceAll(".*\\.", "")
                    + "."
                    + f.getMethodName()
                    + ":"
                    + f.getLineNumber())
            .collect(Collectors.joining(" at "));
    boolean reference =
        Arrays.stream(worker.getStackTrace())
            .anyMatch(f -> f.getMethodName().equals("withReferenceKernels"));
    out.println("DONE " + (largest > MANY || reference ? "SLOW " : "FAULT hangs at ") + where);
    out.flush();
    Runtime.getRuntime().halt(3);
  }
}
