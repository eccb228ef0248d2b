package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.MemoryLimitException;

/// Counts the bytes that tensors hold, and keeps them below the limit.
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
  public static void setReserve(LongFunction<@Nullable MemorySegment> reserve) {
    POOL.setReserve(reserve);
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
      return new Block(foreign.allocate(bytes), 0, FOREIGN);
    }
    int sizeClass = Pool.sizeClass(bytes);
    long size = Pool.classBytes(sizeClass);
    if (LIVE.get() + size > softLimit) {
      makeRoom(size);
    }
    if (!scoped) {
      mirror(bytes); // after the check of the limit: a request that fails must not fill the heap
    }
    Block block = POOL.take(sizeClass);
    if (block == null) {
      block = grow(sizeClass, size);
    }
    long live = LIVE.addAndGet(size);
    if (live > PEAK.get()) {
      PEAK.accumulateAndGet(live, Math::max);
    }
    if (CANARY) {
      block.slab().asSlice(block.byteOffset(), size + Pool.ALIGNMENT).fill(CANARY_BYTE);
    }
    return block;
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
      Block block = POOL.take(sizeClass);
      if (block != null) {
        return block;
      }
      throw exhausted(size, "the system has no more");
    }
  }

  /// Collects when live bytes have passed the soft limit, and moves it.
  private static void makeRoom(long size) {
    COLLECTING.lock();
    try {
      if (LIVE.get() + size <= softLimit) {
        return; // another thread has just collected
      }
      collect();
      mirrorShift = Math.max(0, mirrorShift - 1);
      long live = LIVE.get();
      if (live + size > limit) {
        throw exhausted(size, "the limit is " + limit + " bytes");
      }
      softLimit =
          Math.min(limit, Math.max(initialSoftLimit(), Math.max(live + size, live / 2 * 3)));
    } finally {
      COLLECTING.unlock();
    }
  }

  private static MemoryLimitException exhausted(long size, String why) {
    return new MemoryLimitException(
        ("memory: %d bytes were asked for, but %d are held by live tensors and %s. Use smaller"
                + " batches, run evaluation under noGrad, open a Memory.scope() around each step, or"
                + " raise -Dtaper.memory.limit.%n%s")
            .formatted(size, LIVE.get(), why, Report.of(Handle.live(), "Held are:")));
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

  /// The bytes behind a tensor up to the next block must be as they were: a kernel that wrote there is broken.
  private static void checkCanary(Block block, long from, long to) {
    for (long i = from; i < to; i++) {
      if (block.slab().get(java.lang.foreign.ValueLayout.JAVA_BYTE, i) != CANARY_BYTE) {
        throw new IllegalStateException(
            "memory: a kernel wrote %d bytes behind the end of a tensor".formatted(i - from + 1));
      }
    }
  }

  /// The bytes that live tensors hold, rounded up to the sizes of the pool.
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
