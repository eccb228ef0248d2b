package taper.tensor.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Comparator;
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
/// mapped for the life of the process, only their content goes; the JVM's own slabs go as a whole, once all of their blocks are free.
final class Pool {
  static final long ALIGNMENT = 64;

  /// More than any system has, and little enough to be computed with.
  static final long LARGEST = 1L << 52;

  private static final long SLAB = 8L << 20;
  private static final long LARGEST_SHARED = 128L << 10;
  private static final long RESERVED_SLAB = 256L << 20;
  private static final int CLASSES = 4 * 48;

  /// Less is not worth looking for.
  private static final long WORTH_A_PASS = 4L << 20;

  private static final Slab NONE = new Slab(MemorySegment.NULL, null);

  private final @Nullable Block[] free = new Block[CLASSES];
  private final ReentrantLock lock = new ReentrantLock();

  private Slab slab = NONE;
  private long resident; // bytes of blocks, but those that are cold
  private long waiting; // bytes of free blocks, but those that are cold
  private long stuck; // what of it could not be given back the last time
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
  /// give theirs back to make room for it.
  ///
  /// @param most how many bytes blocks may hold, the one that is asked for included
  @Nullable Block take(int sizeClass, long most) {
    long bytes = classBytes(sizeClass);
    lock.lock();
    try {
      Block block = free[sizeClass];
      if (block == null || block.cold) {
        makeRoom(most - bytes);
        block = free[sizeClass];
      }
      if (block != null) {
        free[sizeClass] = block.next;
        block.next = null;
        if (block.cold) {
          block.cold = false;
          resident += bytes;
        } else {
          waiting -= bytes;
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
      makeRoom(most);
    } finally {
      lock.unlock();
    }
  }

  private void makeRoom(long most) {
    if (resident > most && waiting - stuck >= WORTH_A_PASS) {
      discardFree();
      stuck = waiting;
    }
  }

  /// Has all free blocks give their memory back. Neighbours do so together, since the system takes whole pages; those that
  /// did before do it again, since the system gives large pages, which reach into neighbours. Afterwards lists begin with
  /// the lowest address, so that what is taken next lies close together.
  private void discardFree() {
    int count = 0;
    for (Block first : free) {
      for (Block block = first; block != null; block = block.next) {
        count++;
      }
    }
    Block[] all = new Block[count];
    int n = 0;
    for (Block first : free) {
      for (Block block = first; block != null; block = block.next) {
        all[n++] = block;
      }
    }
    Arrays.sort(all, Comparator.comparingLong(Block::address));
    for (int i = 0, end; i < n; i = end) {
      end = spanEnd(all, i);
      if (isWholeSlab(all[i], all[end - 1]) && close(all[i].of)) {
        for (int k = i; k < end; k++) {
          gone(all[k]);
          all[k].cold = true;
        }
      }
    }
    Arrays.fill(free, null);
    for (int i = n - 1; i >= 0; i--) {
      Block block = all[i];
      if (!block.cold || block.of.own == null) {
        block.next = free[block.sizeClass()];
        free[block.sizeClass()] = block;
      }
    }
    for (int i = 0, end; i < n; i = end) {
      end = spanEnd(all, i);
      if (all[i].of.own == null) {
        long from = all[i].byteOffset();
        discard.accept(all[i].slab().asSlice(from, all[end - 1].end() - from));
        for (int k = i; k < end; k++) {
          if (!all[k].cold) {
            all[k].cold = true;
            gone(all[k]);
          }
        }
      }
    }
  }

  /// One behind the last of the blocks from `begin` on that are neighbours.
  private static int spanEnd(Block[] all, int begin) {
    int end = begin + 1;
    while (end < all.length
        && all[end].of == all[begin].of
        && all[end].byteOffset() == all[end - 1].end()) {
      end++;
    }
    return end;
  }

  private static boolean isWholeSlab(Block first, Block last) {
    return first.of.own != null && first.byteOffset() == 0 && last.end() == first.of.used;
  }

  /// Gives a slab back, and says whether it could: a thread may still look at what was in it.
  private boolean close(Slab old) {
    Arena own = old.own;
    try {
      if (own != null) {
        own.close();
      }
    } catch (IllegalStateException e) {
      return false;
    }
    if (slab == old) {
      slab = NONE;
    }
    return true;
  }

  private void gone(Block block) {
    long bytes = classBytes(block.sizeClass());
    resident -= bytes;
    waiting -= bytes;
  }

  /// A new block of the class.
  ///
  /// @throws OutOfMemoryError if the system has none left
  Block grow(int sizeClass) {
    long bytes = classBytes(sizeClass);
    long step = bytes + ALIGNMENT;
    lock.lock();
    try {
      boolean alone = bytes > LARGEST_SHARED && slab.own != null;
      if (alone || slab.memory.byteSize() - slab.used < step) {
        MemorySegment fresh = reserve.apply(Math.max(step, RESERVED_SLAB));
        if (fresh == null && bytes > LARGEST_SHARED) {
          return cut(slab(step), sizeClass, step);
        }
        slab = fresh != null ? new Slab(fresh, null) : slab(SLAB);
      }
      return cut(slab, sizeClass, step);
    } finally {
      lock.unlock();
    }
  }

  private Block cut(Slab from, int sizeClass, long step) {
    var block = new Block(from, from.used, sizeClass);
    from.used += step;
    resident += classBytes(sizeClass);
    return block;
  }

  /// A slab of the JVM's memory.
  @SuppressWarnings("MustBeClosedChecker") // the slab closes it
  private static Slab slab(long bytes) {
    Arena own = Arena.ofShared();
    try {
      return new Slab(own.allocate(bytes, ALIGNMENT), own);
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
      waiting += classBytes(block.sizeClass());
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
