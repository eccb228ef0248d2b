package taper.cpu.parallel;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.WorkingMemory;

/// The working memory of one thread, a piece for each use: aligned to 64 bytes, kept between calls, grown when needed, not
/// zeroed. It counts as [WorkingMemory]; when memory has been short, or a thread keeps very much, it is given back before
/// the thread's next kernel.
public final class Scratch {
  private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

  private static final Cleaner CLEANER = Cleaner.create();
  private static final long DISCARDED = 2L << 20; // smaller ones are the JVM's
  private static final long MOST_SPARE = 16L << 20;

  /// What a piece is for. Those of different kernels may be in use at the same time, a piece only by one at a time.
  public enum Use {
    /// The arguments of a kernel of products.
    ARGUMENTS,
    /// The left operand of a product, packed.
    LEFT,
    /// The right one.
    RIGHT,
    /// The right one, packed for all parts of a product.
    KEPT,
    /// Where rows of a product lie.
    TABLE,
    /// Images as a convolution wants them.
    PLANES,
    /// Their gradients.
    GRADIENT,
    /// What one thread prepares of what all share.
    DEALT,
    /// Results that are still to be put where they belong.
    RESULT,
    /// What all threads share.
    PARTS,
    /// Biases, padded to whole vectors.
    BIASES,
    /// Images that one thread brings into another order.
    FIELD,
    /// Rows that are gathered for a vector kernel.
    ROWS,
    /// Partial results of reductions.
    PARTIAL,
    /// Normalized elements.
    NORMAL,
    /// Elements times a weight.
    WEIGHTED,
    /// Tiles of attention.
    ATTENTION,
    /// A weight of a recurrent layer, packed.
    WEIGHT,
    /// Another one.
    SECOND_WEIGHT,
    /// Sums of biases of a recurrent layer.
    BIAS,
    /// States that are not given.
    ZEROS,
    /// Rows of images that others are made of.
    IMAGE_ROWS,
    /// A plane of an image with a border around it, which stays.
    FRAME
  }

  private final @Nullable MemorySegment[] pieces = new MemorySegment[Use.values().length];
  private final @Nullable Object[] owners = new Object[Use.values().length];

  private final AtomicLong held = new AtomicLong();
  private int shortages = WorkingMemory.shortages();

  private Scratch() {
    AtomicLong left = held;
    CLEANER.register(this, () -> WorkingMemory.give(left.getAndSet(0)));
  }

  /// Whether the calling thread has to [#relieve()] before its next work.
  boolean isStale() {
    return shortages != WorkingMemory.shortages();
  }

  /// Gives all memory of this thread back, on which no kernel runs.
  public void relieve() {
    shortages = WorkingMemory.shortages();
    for (int i = 0; i < pieces.length; i++) {
      MemorySegment piece = pieces[i];
      if (piece != null) {
        pieces[i] = null;
        owners[i] = null;
        discard(piece);
      }
    }
  }

  /// Its mapping goes when the collector finds it; what it holds goes now.
  private void discard(MemorySegment piece) {
    if (piece.byteSize() >= DISCARDED) {
      HugePages.discard(piece);
    }
    WorkingMemory.give(piece.byteSize());
    held.addAndGet(-piece.byteSize());
  }

  /// The memory of the calling thread.
  public static Scratch ofThread() {
    return OF_THREAD.get();
  }

  /// At least `bytes` bytes for `use`.
  public MemorySegment memory(Use use, long bytes) {
    MemorySegment piece = pieces[use.ordinal()];
    return piece != null && piece.byteSize() >= bytes ? piece : grow(use, bytes);
  }

  private MemorySegment grow(Use use, long bytes) {
    // Pieces differ in their distance from a page, so that equal places in them do not collide.
    long shift = use.ordinal() * 320L;
    MemorySegment old = pieces[use.ordinal()];
    if (old != null) {
      pieces[use.ordinal()] = null;
      owners[use.ordinal()] = null;
      discard(old);
    }
    long room = bytes + Math.min(bytes / 4, MOST_SPARE) + 64;
    WorkingMemory.take(room);
    MemorySegment piece;
    try {
      piece = HugePages.allocate(shift + room).asSlice(shift);
    } catch (Throwable t) {
      WorkingMemory.give(room);
      throw t;
    }
    if (held.addAndGet(room) > WorkingMemory.mostKept()) {
      WorkingMemory.announceShortage();
    }
    pieces[use.ordinal()] = piece;
    return piece;
  }

  /// The address of at least `bytes` bytes for `use`.
  public long address(Use use, long bytes) {
    return memory(use, bytes).address();
  }

  /// Whether the memory for `use` was last claimed by someone who does not equal `owner`, or never. Who
  /// relies on what an earlier call left there must share it with nobody who does not claim it.
  public boolean claim(Use use, Object owner) {
    boolean changed = !owner.equals(owners[use.ordinal()]);
    owners[use.ordinal()] = owner;
    return changed;
  }
}
