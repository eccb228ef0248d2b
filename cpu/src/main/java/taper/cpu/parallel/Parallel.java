package taper.cpu.parallel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// Loops on several cores.
///
/// A loop is cut into chunks of about a size that the caller gives. Every thread, the calling one included, has a share of
/// neighbouring chunks, the same part of the loop in all loops, so that it finds in its own cache what it wrote in the
/// loop before; whoever is done with its share helps with those of the others. A loop inside a loop, or one that starts
/// while the pool serves another thread, runs on its own thread.
///
/// The pool consists of daemon threads that park when idle. After work a thread looks for more for 200 µs
/// before it parks, which spares the wake-up (some 50 µs) between the kernels of one training step; much less
/// where there are more threads than processors, since somebody else could use them.
///
/// The number of threads is `taper.threads` or what [#setThreads] says; by default that of the processors.
public final class Parallel {
  private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();
  private static final long SPIN_NANOS = 200_000;
  private static final long CROWDED_SPIN_NANOS = 5_000;

  /// The distance of the shares' counters: two cache lines, since processors fetch them in pairs.
  private static final int APART = 16;

  /// Chunks are multiples of this, if the grain is.
  private static final long UNIT = 64;

  private static final VarHandle BUSY;

  static {
    try {
      BUSY = MethodHandles.lookup().findStaticVarHandle(Parallel.class, "busy", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /// Whether the pool serves somebody. Cleared without a call, which a full stack would prevent.
  private static volatile boolean busy;

  private static volatile int threads =
      Math.max(1, Integer.getInteger("taper.threads", PROCESSORS));
  private static volatile Worker[] workers = {};
  private static volatile @Nullable Job current;

  private Parallel() {}

  private static final class Job {
    final Range body;
    final long size;
    final long grain;
    final long chunks;
    final int shares;

    /// By share, the next of its chunks that nobody has taken.
    final AtomicLongArray next;

    final AtomicLong left;
    final Thread owner = Thread.currentThread();
    volatile @Nullable Throwable failure;

    Job(Range body, long size, long grain, int shares) {
      this.body = body;
      this.size = size;
      this.grain = grain;
      this.chunks = (size + grain - 1) / grain;
      this.shares = shares;
      this.next = new AtomicLongArray((shares + 1) * APART);
      for (int share = 0; share < shares; share++) {
        next.setPlain(at(share), start(share));
      }
      this.left = new AtomicLong(chunks);
    }

    private static int at(int share) {
      return (share + 1) * APART;
    }

    private long start(int share) {
      return chunks * share / shares;
    }

    /// Runs the chunks of a share, then what is left of the others.
    void work(int first) {
      long done = 0;
      for (int i = 0; i < shares; i++) {
        int share = first + i < shares ? first + i : first + i - shares;
        long end = start(share + 1);
        while (next.getPlain(at(share)) < end) {
          long chunk = next.getAndIncrement(at(share));
          if (chunk >= end) {
            break;
          }
          if (failure == null) {
            try {
              body.run(chunk * grain, Math.min(size, (chunk + 1) * grain));
            } catch (Throwable t) {
              failure = t;
            }
          }
          done++;
        }
      }
      if (done > 0 && left.addAndGet(-done) == 0 && Thread.currentThread() != owner) {
        LockSupport.unpark(owner);
      }
    }

    boolean hasWork() {
      for (int share = 0; share < shares; share++) {
        if (next.get(at(share)) < start(share + 1)) {
          return true;
        }
      }
      return false;
    }
  }

  private static final class Worker extends Thread {
    private final int number;

    private volatile boolean parked;

    /// Whether this thread may be running a chunk of the current job.
    private volatile boolean active;

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
          relieveIfStale();
          active = true;
          if (current == job && number < job.shares) {
            job.work(number);
            idleSince = System.nanoTime();
          }
          active = false;
        } else if (System.nanoTime() - idleSince < spin()) {
          Thread.onSpinWait();
        } else {
          last =
              null; // keeps nothing alive while parked; a finished job is harmless to look at again
          parked = true;
          if (!hasWork()) {
            relieveIfStale();
            LockSupport.park(Parallel.class);
          }
          parked = false;
          idleSince = System.nanoTime();
        }
      }
    }

    private static void relieveIfStale() {
      Scratch scratch = Scratch.ofThread();
      if (scratch.isStale()) {
        scratch.relieve();
      }
    }

    private static boolean hasWork() {
      @Nullable Job job = current;
      return job != null && job.hasWork();
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

  /// Runs `body` on all of `0 … size`, in chunks of at most `grain`, each but the last a multiple of the power of two,
  /// up to 64, that `grain` is a multiple of.
  ///
  /// Where chunks begin depends on the number of threads, so results must not: what is gathered is gathered for each index.
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
    try {
      pooled(new Job(body, size, evenly(size, grain, helpers + 1), helpers + 1));
    } finally {
      busy = false;
    }
  }

  /// The chunk that gives each of `shares` as many of them.
  static long evenly(long size, long grain, int shares) {
    long rounds = Math.ceilDiv(size, grain * shares);
    long unit = Math.min(Long.lowestOneBit(grain), UNIT);
    return Math.ceilDiv(Math.ceilDiv(size, rounds * shares), unit) * unit;
  }

  /// Whether each thread may have a processor of its own, so that waiting for each other is short.
  public static boolean mayMeet() {
    return threads > 1 && threads <= PROCESSORS;
  }

  /// Runs `body` on all of `parts` parts, `phases` times. A phase begins when the one before has ended for all parts, which
  /// costs a microsecond where a loop of its own costs several. Each part stays with one thread, and so with its
  /// cache, as long as that thread comes in time.
  ///
  /// What a part throws is thrown here, after the parts under way have ended.
  public static void phases(int parts, int phases, Phase body) {
    int shares = Math.min(threads, parts);
    if (shares <= 1 || !BUSY.compareAndSet(false, true)) {
      for (int phase = 0; phase < phases; phase++) {
        for (int part = 0; part < parts; part++) {
          body.run(part, phase);
        }
      }
      return;
    }
    try {
      pooled(new Job(new Meeting(parts, phases, body), parts, 1, shares));
    } finally {
      busy = false;
    }
  }

  /// Runs a job while the pool is busy with nothing else.
  private static void pooled(Job job) {
    try {
      Worker[] pool = workers(job.shares - 1);
      current = job;
      try {
        wake(pool, job);
        job.work(0);
        await(job);
      } catch (Throwable t) { // the stack is full, but nothing that workers do may outlive the call
        job.failure = t;
        current = null;
        for (Worker worker : pool) {
          while (worker.active) {
            // calls nothing
          }
        }
      }
    } finally {
      current = null;
    }
    @Nullable Throwable failure = job.failure;
    switch (failure) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      default -> throw new AssertionError(failure);
    }
  }

  /// Has idle threads give back the working memory that they keep, and busy ones before their next work.
  public static void relieve() {
    for (Worker worker : workers) {
      worker.wake();
    }
  }

  private static void wake(Worker[] pool, Job job) {
    for (int i = 0; i < pool.length && i < job.shares - 1; i++) {
      pool[i].wake();
    }
  }

  /// How long a thread waits before it lets others have the processor, in nanoseconds.
  static long spin() {
    return threads <= PROCESSORS ? SPIN_NANOS : CROWDED_SPIN_NANOS;
  }

  /// Waits for the chunks that other threads run.
  private static void await(Job job) {
    long since = System.nanoTime();
    boolean interrupted = false;
    while (job.left.get() != 0) {
      if (System.nanoTime() - since < spin()) {
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

  /// At least `count` workers, unless the system has no more threads to give: then those there are do the work. Only called
  /// while the pool is busy for the caller.
  private static Worker[] workers(int count) {
    Worker[] pool = workers;
    if (pool.length >= count) {
      return pool;
    }
    List<Worker> grown = new ArrayList<>(Arrays.asList(pool));
    try {
      while (grown.size() < count) {
        var worker = new Worker(grown.size() + 1);
        worker.start();
        grown.add(worker);
      }
    } catch (OutOfMemoryError e) {
      if (grown.size() == pool.length) {
        return pool;
      }
    }
    Worker[] all = grown.toArray(new Worker[0]);
    workers = all;
    return all;
  }
}
