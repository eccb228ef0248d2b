package taper.tensor.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The memory of all tensors on the CPU.
///
/// Idea: sizes are rounded up to classes, four to each power of two (at most a quarter is wasted), and a
/// released block waits in the list of its class for the next tensor of that size; a training loop, which
/// asks for the same sizes at each step, makes no system call after its first. Blocks are cut one after
/// another from slabs. Where a kernel library reserves memory that is taken as it is touched, a slab is 256 MiB;
/// the JVM's own memory is touched at once, so its slabs have 8, and a block of more than one is a slab of its own.
/// Every block begins on a cache line, with one line between neighbours, so that neither rows nor threads share
/// lines by accident.
///
/// Layout of the classes: class `4 e + m` holds `64 · 2^e · (1 + m/4)` bytes, rounded up to 64.
///
/// Slabs are mapped for the life of the process: a handle that is misused in a race may read stale numbers,
/// but never unmapped memory.
final class Pool {
  static final long ALIGNMENT = 64;
  private static final long SLAB = 8L << 20;
  private static final long LARGEST_SHARED = 1L << 20;
  private static final long RESERVED_SLAB = 256L << 20;
  private static final int CLASSES = 4 * 48;

  private final List<ArrayDeque<Block>> free = new ArrayList<>(CLASSES);
  private final ReentrantLock lock = new ReentrantLock();
  private final Arena arena = Arena.ofShared();

  private MemorySegment slab = MemorySegment.NULL;
  private long slabUsed;
  private long reserved;
  private LongFunction<@Nullable MemorySegment> reserve = _ -> null;

  Pool() {
    for (int i = 0; i < CLASSES; i++) {
      free.add(new ArrayDeque<>());
    }
  }

  /// The class whose blocks hold at least `bytes`.
  static int sizeClass(long bytes) {
    if (bytes <= 64) {
      return 0;
    }
    long quarters = (bytes + 15) / 16; // in units of 16 bytes, a quarter of the smallest block
    int exponent = 61 - Long.numberOfLeadingZeros(quarters - 1 | 4); // quarters in 4·2^e .. 8·2^e
    long step = 1L << exponent;
    long m = (quarters - 4 * step + step - 1) / step;
    int result = 4 * exponent + (int) m;
    return result;
  }

  /// How many bytes a block of the class holds.
  static long classBytes(int sizeClass) {
    long quarters = (4L + (sizeClass & 3)) << (sizeClass >> 2);
    return (quarters * 16 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  }

  /// A free block of the class, or null if a new one would have to be made.
  @Nullable Block take(int sizeClass) {
    lock.lock();
    try {
      return free.get(sizeClass).pollFirst();
    } finally {
      lock.unlock();
    }
  }

  /// A new block of the class.
  ///
  /// @throws OutOfMemoryError if the system has none left
  Block grow(int sizeClass) {
    long bytes = classBytes(sizeClass);
    long step = bytes + ALIGNMENT;
    lock.lock();
    try {
      if (slab.byteSize() - slabUsed < step) {
        MemorySegment fresh = reserve.apply(Math.max(step, RESERVED_SLAB));
        if (fresh == null && bytes > LARGEST_SHARED) {
          reserved += bytes;
          return new Block(arena.allocate(step, ALIGNMENT), 0, sizeClass);
        }
        slab = fresh != null ? fresh : arena.allocate(SLAB, ALIGNMENT);
        slabUsed = 0;
      }
      var block = new Block(slab, slabUsed, sizeClass);
      slabUsed += step;
      reserved += step;
      return block;
    } finally {
      lock.unlock();
    }
  }

  /// Has slabs come from `source`, which returns null if it has no memory of its own.
  void setReserve(LongFunction<@Nullable MemorySegment> source) {
    lock.lock();
    try {
      reserve = source;
    } finally {
      lock.unlock();
    }
  }

  void give(Block block) {
    lock.lock();
    try {
      free.get(block.sizeClass()).addFirst(block);
    } finally {
      lock.unlock();
    }
  }

  /// How many bytes blocks have been made of.
  long reserved() {
    lock.lock();
    try {
      return reserved;
    } finally {
      lock.unlock();
    }
  }
}
