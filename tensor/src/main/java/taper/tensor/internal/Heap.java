package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.MemoryLimitException;

/// Counts the bytes that tensors and kernels hold, and keeps them below the limit.
///
/// The collector sees handles of a hundred bytes, not the megabytes behind them. So: an allocation first lets
/// go of what the collector has found already (one field read when there is nothing). When live bytes pass a
/// soft limit it asks for a collection and waits for the queue; the soft limit then moves to
/// one and a half times of what survived, so that a program which truly holds much does not collect at each
/// step. To make that rare, what is allocated outside scopes is mirrored by a share of it in garbage on the
/// heap, so that the collector's young collections, a few milliseconds each, come in time. The share begins at
/// a sixteenth and doubles with each forced collection: how large it must be depends on the collector and the heap.
public final class Heap {
  private static final Pool POOL = new Pool();
  private static final AtomicLong LIVE = new AtomicLong();
  private static final AtomicLong PEAK = new AtomicLong();
  private static final AtomicLong FORCED = new AtomicLong();
  private static final ReentrantLock COLLECTING = new ReentrantLock();
  private static final long FLOOR = 2L << 30;
  private static final int BALLAST_CHUNK = 32 << 10;

  private static volatile long limit = configuredLimit();
  private static volatile long softLimit = initialSoftLimit();

  /// Whether released memory is filled with NaN, so that a use after release shows itself.
  private static final boolean POISON = Boolean.getBoolean("taper.memory.poison");

  private static final boolean CANARY = Boolean.getBoolean("taper.memory.canary");
  private static final byte CANARY_BYTE = (byte) 0xC5;

  private static volatile int mirrorShift = 4;

  private static final String TENSOR = "";
  private static final String WORKING_MEMORY = " of working memory";
  private static final AtomicLong WORKING = new AtomicLong();
  private static final AtomicInteger SHORTAGES = new AtomicInteger();
  private static volatile Runnable relief = () -> {};

  @SuppressWarnings("unused") // written so that the garbage is not optimised away
  private static volatile byte @Nullable [] ballast;

  /// Where memory comes from in the place of the pool, for tests that put guard pages around every tensor.
  public interface Source {
    /// Memory of exactly `bytes` bytes.
    MemorySegment allocate(long bytes);

    /// Takes it back.
    void free(MemorySegment memory);
  }

  private static final int FOREIGN = -1; // the size class of a block that is not the pool's
  private static volatile @Nullable Source source;

  private Heap() {}

  /// Has the pool take its memory from `reserve`, which returns null if it has none.
  ///
  /// @param discard gives back to the system what such memory holds
  /// @param relieve has the kernels' threads give working memory back, the calling one at once
  public static void setReserve(
      LongFunction<@Nullable MemorySegment> reserve,
      Consumer<MemorySegment> discard,
      Runnable relieve) {
    POOL.setReserve(reserve, discard);
    relief = relieve;
  }

  /// Has new tensors take their memory from `other`, or from the pool again if it is null.
  public static void setSource(@Nullable Source other) {
    source = other;
  }

  private static long configuredLimit() {
    String text = System.getProperty("taper.memory.limit");
    if (text != null) {
      return parse(text);
    }
    // The heap's maximum is a quarter of the machine (or container) unless the user says otherwise.
    long heap = Runtime.getRuntime().maxMemory();
    return heap > Long.MAX_VALUE / 4 ? 8L << 30 : heap * 3;
  }

  /// Parses a number of bytes such as `512m` or `2g`.
  static long parse(String text) {
    var matcher = java.util.regex.Pattern.compile("(\\d{1,15})([kmgKMG]?)").matcher(text.trim());
    if (!matcher.matches()) {
      throw new ArgumentException(
          "taper.memory.limit: the value must be a number of bytes such as 512m or 2g, but is '"
              + text
              + "'.");
    }
    int shift =
        switch (matcher.group(2).toLowerCase(java.util.Locale.ROOT)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    return Long.parseLong(matcher.group(1)) << shift;
  }

  private static long initialSoftLimit() {
    return Math.min(limit / 2, FLOOR);
  }

  static Block allocate(long bytes, boolean scoped) {
    Handle.drain();
    Source foreign = source;
    if (foreign != null) {
      return new Block(new Slab(foreign.allocate(bytes), null), 0, FOREIGN);
    }
    if (bytes > Pool.LARGEST) {
      throw exhausted(bytes, 0, TENSOR, "the limit is " + limit + " bytes");
    }
    int sizeClass = Pool.sizeClass(bytes);
    long size = Pool.classBytes(sizeClass);
    count(size, TENSOR);
    Block block;
    try {
      if (!scoped) {
        mirror(bytes); // after the check of the limit: a request that fails must not fill the heap
      }
      block = POOL.take(sizeClass, limit - WORKING.get());
      if (block == null) {
        block = grow(sizeClass, size);
      }
    } catch (Throwable t) {
      LIVE.addAndGet(-size);
      throw t;
    }
    if (CANARY) {
      block.slab().asSlice(block.byteOffset(), size + Pool.ALIGNMENT).fill(CANARY_BYTE);
    }
    return block;
  }

  /// Counts bytes that are about to be taken.
  private static void count(long size, String what) {
    long live = LIVE.addAndGet(size);
    if (live > softLimit || live < 0) {
      try {
        makeRoom(size, what);
      } catch (Throwable t) {
        LIVE.addAndGet(-size);
        throw t;
      }
    }
    if (live > PEAK.get()) {
      PEAK.accumulateAndGet(live, Math::max);
    }
  }

  /// Counts working memory of kernels, which is about to be taken.
  public static void takeWorking(long bytes) {
    if (bytes > Pool.LARGEST) {
      throw exhausted(bytes, 0, WORKING_MEMORY, "the limit is " + limit + " bytes");
    }
    count(bytes, WORKING_MEMORY);
    WORKING.addAndGet(bytes);
    POOL.keepBelow(limit - WORKING.get());
  }

  /// Counts memory that is there already and that nothing can do without: assembled code.
  public static void countWorking(long bytes) {
    WORKING.addAndGet(bytes);
    LIVE.addAndGet(bytes);
  }

  /// Working memory has been given back.
  public static void giveWorking(long bytes) {
    WORKING.addAndGet(-bytes);
    LIVE.addAndGet(-bytes);
  }

  /// The working memory that kernels hold.
  public static long working() {
    return WORKING.get();
  }

  /// How often memory has been short. Who keeps working memory for the next call gives it back when this has changed.
  public static int shortages() {
    return SHORTAGES.get();
  }

  /// Says that working memory is not to be kept any longer.
  public static void announceShortage() {
    SHORTAGES.incrementAndGet();
  }

  private static void mirror(long bytes) {
    for (long garbage = bytes >> mirrorShift; garbage > 64; garbage -= BALLAST_CHUNK) {
      ballast = new byte[(int) Math.min(garbage, BALLAST_CHUNK)];
    }
  }

  private static Block grow(int sizeClass, long size) {
    try {
      return POOL.grow(sizeClass);
    } catch (OutOfMemoryError e) {
      collect();
      POOL.keepBelow(0);
      Block block = POOL.take(sizeClass, limit);
      if (block != null) {
        return block;
      }
      try {
        return POOL.grow(sizeClass);
      } catch (OutOfMemoryError still) {
        throw exhausted(size, size, TENSOR, "the system has no more");
      }
    }
  }

  /// Collects when live bytes, `size` more than before, have passed the soft limit, and moves it.
  private static void makeRoom(long size, String what) {
    if (size > limit) {
      throw exhausted(size, size, what, "the limit is " + limit + " bytes");
    }
    COLLECTING.lock();
    try {
      if (LIVE.get() <= softLimit) {
        return; // another thread has just collected
      }
      announceShortage();
      if (what.equals(TENSOR)) {
        relief.run(); // no kernel runs on this thread
      }
      collect();
      mirrorShift = Math.max(0, mirrorShift - 1);
      long live = LIVE.get();
      if (live > limit) {
        throw exhausted(size, size, what, "the limit is " + limit + " bytes");
      }
      softLimit = Math.min(limit, Math.max(initialSoftLimit(), live / 2 * 3));
    } finally {
      COLLECTING.unlock();
    }
  }

  /// @param counted how much of `size` is counted as live already
  private static MemoryLimitException exhausted(long size, long counted, String what, String why) {
    long working = WORKING.get();
    long held = Math.max(0, LIVE.get() - working - counted);
    return new MemoryLimitException(
        ("memory: %d bytes%s were asked for, but %d are held by live tensors%s and %s. Use smaller"
                + " batches, run evaluation under noGrad, open a Memory.scope() around each step, or"
                + " raise -Dtaper.memory.limit.%n%s")
            .formatted(
                size,
                what,
                held,
                working == 0 ? "" : ", %d by kernels,".formatted(working),
                why,
                Report.of(Handle.live(), "Held are:")));
  }

  /// Asks for a collection and lets go of what it finds.
  public static void collect() {
    FORCED.incrementAndGet();
    long before = LIVE.get();
    System.gc();
    // The collector hands references over on a thread of its own: wait for the first, then for a
    // quiet moment.
    long deadline = System.nanoTime() + 200_000_000;
    try {
      while (System.nanoTime() < deadline) {
        if (QueueWait.next(LIVE.get() == before ? 20 : 1) == 0) {
          break;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /// Waits for references to arrive and lets go of all that did.
  private static final class QueueWait {
    static int next(long millis) throws InterruptedException {
      var reference = Handle.QUEUE.remove(millis);
      if (reference instanceof Handle handle) {
        handle.release("the collector");
        return 1 + Handle.drain();
      }
      return 0;
    }
  }

  static void free(Block block, MemorySegment memory) {
    if (block.sizeClass() == FOREIGN) {
      Source foreign = source;
      if (foreign != null) {
        foreign.free(block.slab());
      }
      return;
    }
    if (CANARY) {
      checkCanary(
          block,
          block.byteOffset() + memory.byteSize(),
          block.byteOffset() + Pool.classBytes(block.sizeClass()) + Pool.ALIGNMENT);
    }
    if (POISON) {
      memory.fill((byte) 0xFF); // NaN in every floating type
    }
    LIVE.addAndGet(-Pool.classBytes(block.sizeClass()));
    POOL.give(block);
  }

  /// Takes back a block that has come to hold no storage.
  static void abandon(Block block) {
    if (block.sizeClass() != FOREIGN) {
      LIVE.addAndGet(-Pool.classBytes(block.sizeClass()));
      POOL.give(block);
    }
  }

  /// The bytes behind a tensor up to the next block must be as they were: a kernel that wrote there is broken.
  private static void checkCanary(Block block, long from, long to) {
    for (long i = from; i < to; i++) {
      if (block.slab().get(java.lang.foreign.ValueLayout.JAVA_BYTE, i) != CANARY_BYTE) {
        throw new IllegalStateException(
            "memory: a kernel wrote %d bytes behind the end of a tensor".formatted(i - from + 1));
      }
    }
  }

  /// The bytes that live tensors hold, rounded up to the sizes of the pool, and the working memory of kernels.
  public static long live() {
    Handle.drain();
    return LIVE.get();
  }

  /// The largest value of [#live()] since the last [#resetPeak()].
  public static long peak() {
    return PEAK.get();
  }

  /// Begins a new measurement of the peak.
  public static void resetPeak() {
    PEAK.set(LIVE.get());
  }

  /// The bytes asked of the system.
  public static long reserved() {
    return POOL.reserved();
  }

  /// How many collections were forced.
  public static long forcedCollections() {
    return FORCED.get();
  }

  /// The most bytes that tensors may hold.
  public static long limit() {
    return limit;
  }

  /// Sets the most bytes that tensors may hold.
  public static void setLimit(long bytes) {
    limit = bytes;
    softLimit = initialSoftLimit();
  }
}
