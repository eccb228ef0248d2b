package taper.tensor.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/// The memory of all tensors on the CPU.
///
/// Idea: sizes are rounded up to classes, four to each power of two (at most a quarter is wasted), and a
/// released block waits in the list of its class for the next tensor of that size; a training loop, which
/// asks for the same sizes at each step, makes no system call after its first. Blocks are cut one after
/// another from slabs. Where a kernel library reserves memory that is taken as it is touched, a slab is 256 MiB;
/// the JVM's own memory is touched at once, so its slabs have 8, and a block of more than 128 KiB is a slab of its own.
/// Every block begins on a cache line, with one line between neighbours, so that neither rows nor threads share
/// lines by accident.
///
/// Layout of the classes: class `4 e + m` holds `64 · 2^e · (1 + m/4)` bytes, rounded up to 64.
///
/// When what is held and what waits would together exceed the limit, free blocks go back to the system. Reserved slabs stay
/// mapped for the life of the process, only their content goes; the JVM's own slabs of one block are closed.
final class Pool {
  static final long ALIGNMENT = 64;

  /// More than any system has, and little enough to be computed with.
  static final long LARGEST = 1L << 52;

  private static final long SLAB = 8L << 20;
  private static final long LARGEST_SHARED = 128L << 10;
  private static final long RESERVED_SLAB = 256L << 20;
  private static final int CLASSES = 4 * 48;

  /// Below this, giving back is not worth a system call.
  private static final long SMALLEST_DISCARDED = 64L << 10;

  private final @Nullable Block[] free = new Block[CLASSES];
  private final ReentrantLock lock = new ReentrantLock();
  private final Arena arena = Arena.ofShared();

  private MemorySegment slab = MemorySegment.NULL;
  private long slabUsed;
  private long resident;
  private LongFunction<@Nullable MemorySegment> reserve = _ -> null;
  private Consumer<MemorySegment> discard = _ -> {};

  Pool() {}

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

  /// A free block of the class, or null if a new one would have to be made. If there is none that holds memory already, others
  /// give theirs back until there is room for it.
  ///
  /// @param most how many bytes blocks may hold, the one that is asked for included
  @Nullable Block take(int sizeClass, long most) {
    lock.lock();
    try {
      Block block = free[sizeClass];
      if (block != null) {
        free[sizeClass] = block.next;
        block.next = null;
      }
      if (block == null || block.cold) {
        long bytes = classBytes(sizeClass);
        discardBeyond(most - bytes);
        if (block != null) {
          block.cold = false;
          resident += bytes;
        }
      }
      return block;
    } finally {
      lock.unlock();
    }
  }

  /// Has free blocks give memory back, if blocks hold more than `most` bytes.
  void keepBelow(long most) {
    lock.lock();
    try {
      discardBeyond(most);
    } finally {
      lock.unlock();
    }
  }

  private void discardBeyond(long most) {
    for (int c = CLASSES - 1; c >= 0 && resident > most; c--) {
      long bytes = classBytes(c);
      if (bytes < SMALLEST_DISCARDED) {
        return;
      }
      Block kept = null;
      for (Block block = free[c]; block != null; ) {
        Block next = block.next;
        boolean gone = false;
        if (!block.cold && resident > most) {
          Arena own = block.own;
          if (own != null) {
            own.close();
            gone = true;
          } else if (block.slab().byteSize() >= RESERVED_SLAB) {
            discard.accept(block.slab().asSlice(block.byteOffset(), bytes));
            block.cold = true;
          }
          if (gone || block.cold) {
            resident -= bytes;
          }
        }
        if (!gone) {
          block.next = kept;
          kept = block;
        }
        block = next;
      }
      free[c] = kept;
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
      boolean alone = bytes > LARGEST_SHARED && slab.byteSize() < RESERVED_SLAB;
      if (alone || slab.byteSize() - slabUsed < step) {
        MemorySegment fresh = reserve.apply(Math.max(step, RESERVED_SLAB));
        if (fresh == null && bytes > LARGEST_SHARED) {
          return alone(sizeClass, bytes, step);
        }
        slab = fresh != null ? fresh : arena.allocate(SLAB, ALIGNMENT);
        slabUsed = 0;
      }
      var block = new Block(slab, slabUsed, sizeClass);
      slabUsed += step;
      resident += bytes;
      return block;
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // the block closes it
  private Block alone(int sizeClass, long bytes, long step) {
    Arena own = Arena.ofShared();
    try {
      var block = new Block(own.allocate(step, ALIGNMENT), 0, sizeClass, own);
      resident += bytes;
      return block;
    } catch (Throwable t) {
      own.close();
      throw t;
    }
  }

  /// Has slabs come from `source`, which returns null if it has no memory of its own.
  ///
  /// @param giveBack gives back to the system what a part of them holds
  void setReserve(LongFunction<@Nullable MemorySegment> source, Consumer<MemorySegment> giveBack) {
    lock.lock();
    try {
      reserve = source;
      discard = giveBack;
    } finally {
      lock.unlock();
    }
  }

  void give(Block block) {
    lock.lock();
    try {
      block.next = free[block.sizeClass()];
      free[block.sizeClass()] = block;
    } finally {
      lock.unlock();
    }
  }

  /// How many bytes blocks hold, those included that are free and have not given theirs back.
  long reserved() {
    lock.lock();
    try {
      return resident;
    } finally {
      lock.unlock();
    }
  }
}
