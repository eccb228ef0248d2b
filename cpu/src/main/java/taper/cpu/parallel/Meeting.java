package taper.cpu.parallel;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;

/// The state of a loop in phases, see [Parallel#phases].
///
/// A part of the phase under way is done by whoever claims it first: its own thread, or one that has nothing else to do. So
/// a thread waits only for parts that another one is running, and all gets done by a single thread, too.
final class Meeting implements Range {
  /// The distance of counters that are written by different threads.
  private static final int APART = 16;

  private static final int DONE = 0;

  private static final long POLL_NANOS = 20_000;

  private final int parts;
  private final int phases;
  private final Phase body;

  /// How many parts have been done in all phases together; then, by part, how many of its phases have been claimed.
  private final AtomicLongArray state;

  private volatile boolean failed;

  Meeting(int parts, int phases, Phase body) {
    this.parts = parts;
    this.phases = phases;
    this.body = body;
    this.state = new AtomicLongArray((parts + 2) * APART);
  }

  /// Takes part from the phase under way to the last.
  ///
  /// @param own the part that belongs to the calling thread
  @Override
  public void run(long own, long end) {
    long phase = state.get(DONE) / parts;
    while (phase < phases && !failed) {
      for (int i = 0; i < parts; i++) {
        int part = (int) ((own + i) % parts);
        if (state.compareAndSet((part + 1) * APART, phase, phase + 1)) {
          step(part, (int) phase);
        }
      }
      await((phase + 1) * parts);
      phase = state.get(DONE) / parts;
    }
  }

  private void step(int part, int phase) {
    boolean ended = false;
    try {
      body.run(part, phase);
      ended = true;
    } finally {
      if (!ended) {
        failed = true;
      }
    }
    state.incrementAndGet(DONE);
  }

  private void await(long done) {
    long since = System.nanoTime();
    while (state.get(DONE) < done && !failed) {
      if (System.nanoTime() - since < Parallel.spin()) {
        Thread.onSpinWait();
      } else {
        LockSupport.parkNanos(POLL_NANOS); // others need the processor
      }
    }
  }
}
