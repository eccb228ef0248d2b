package taper.cpu.parallel;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Loops on several cores.
///
/// A loop is cut into chunks of a size that the caller gives. The cut depends on nothing else, so a result
/// that is gathered per chunk does not depend on the number of threads. Chunks are handed out one by one;
/// the calling thread takes part. A loop inside a loop, or one that starts while the pool serves another
/// thread, runs on its own thread.
///
/// The pool consists of daemon threads that park when idle. After work a thread looks for more for 20 µs
/// before it parks, which spares the wake-up (some 50 µs) between the kernels of one training step.
///
/// The number of threads is `taper.threads` or what [#setThreads] says; by default that of the processors.
public final class Parallel {
  private static final long SPIN_NANOS = 20_000;

  private static final AtomicBoolean BUSY = new AtomicBoolean();
  private static volatile int threads =
      Math.max(1, Integer.getInteger("taper.threads", Runtime.getRuntime().availableProcessors()));
  private static volatile Worker[] workers = {};
  private static volatile @Nullable Job current;

  private Parallel() {}

  private static final class Job {
    final Range body;
    final long size;
    final long grain;
    final long chunks;
    final AtomicLong next = new AtomicLong();
    final AtomicLong left;
    final AtomicInteger helpers;
    final Thread owner = Thread.currentThread();
    volatile @Nullable Throwable failure;

    Job(Range body, long size, long grain, int helpers) {
      this.body = body;
      this.size = size;
      this.grain = grain;
      this.chunks = (size + grain - 1) / grain;
      this.left = new AtomicLong(chunks);
      this.helpers = new AtomicInteger(helpers);
    }

    /// Runs chunks until none is left to take.
    void work() {
      long done = 0;
      for (long chunk = next.getAndIncrement(); chunk < chunks; chunk = next.getAndIncrement()) {
        if (failure == null) {
          try {
            body.run(chunk * grain, Math.min(size, (chunk + 1) * grain));
          } catch (Throwable t) {
            failure = t;
          }
        }
        done++;
      }
      if (done > 0 && left.addAndGet(-done) == 0 && Thread.currentThread() != owner) {
        LockSupport.unpark(owner);
      }
    }
  }

  private static final class Worker extends Thread {
    private final int number;

    private volatile boolean parked;

    Worker(int number) {
      super("taper-" + number);
      this.number = number;
      setDaemon(true);
    }

    void wake() {
      if (parked) {
        LockSupport.unpark(this);
      }
    }

    @Override
    public void run() {
      @Nullable Job last = null;
      long idleSince = System.nanoTime();
      while (true) {
        @Nullable Job job = current;
        if (job != null && job != last) {
          last = job;
          if (number <= job.helpers.get()) {
            job.work();
          }
          idleSince = System.nanoTime();
        } else if (System.nanoTime() - idleSince < SPIN_NANOS) {
          Thread.onSpinWait();
        } else {
          last =
              null; // keeps nothing alive while parked; a finished job is harmless to look at again
          parked = true;
          if (!hasWork()) {
            LockSupport.park(Parallel.class);
          }
          parked = false;
          idleSince = System.nanoTime();
        }
      }
    }

    private static boolean hasWork() {
      @Nullable Job job = current;
      return job != null && job.next.get() < job.chunks;
    }
  }

  /// The number of threads that share a loop, the calling one included.
  public static int threads() {
    return threads;
  }

  /// Sets the number of threads that share a loop.
  ///
  /// @throws IllegalArgumentException if `count` is less than 1
  public static void setThreads(int count) {
    if (count < 1) {
      throw new IllegalArgumentException(
          "setNumThreads: the number of threads must be at least 1, but is " + count + ".");
    }
    threads = count;
  }

  /// Runs `body` on all of `0 … size`, in chunks of `grain` (the last may be smaller).
  ///
  /// What a chunk throws is thrown here, after the chunks under way have ended.
  public static void run(long size, long grain, Range body) {
    if (size <= 0) {
      return;
    }
    int helpers = (int) Math.min(threads, (size + grain - 1) / grain) - 1;
    if (helpers <= 0 || !BUSY.compareAndSet(false, true)) {
      for (long from = 0; from < size; from += grain) {
        body.run(from, Math.min(size, from + grain));
      }
      return;
    }
    var job = new Job(body, size, grain, helpers);
    try {
      Worker[] pool = workers(helpers);
      current = job;
      for (int i = 0; i < helpers; i++) {
        pool[i].wake();
      }
      job.work();
      await(job);
    } finally {
      current = null;
      BUSY.set(false);
    }
    @Nullable Throwable failure = job.failure;
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new AssertionError(failure);
    }
  }

  private static void await(Job job) {
    long since = System.nanoTime();
    boolean interrupted = false;
    while (job.left.get() != 0) {
      if (System.nanoTime() - since < SPIN_NANOS) {
        Thread.onSpinWait();
      } else {
        LockSupport.park(job);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /// Only called while BUSY is held.
  private static Worker[] workers(int count) {
    Worker[] pool = workers;
    if (pool.length >= count) {
      return pool;
    }
    var grown = new Worker[count];
    System.arraycopy(pool, 0, grown, 0, pool.length);
    for (int i = pool.length; i < count; i++) {
      grown[i] = new Worker(i + 1);
      grown[i].start();
    }
    workers = grown;
    return grown;
  }
}
