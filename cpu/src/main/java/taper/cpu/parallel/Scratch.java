package taper.cpu.parallel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// The working memory of one thread, a piece for each use: aligned to 64 bytes, kept between calls, grown when needed, not
/// zeroed.
public final class Scratch {
  private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

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

  private Scratch() {}

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
    MemorySegment piece = HugePages.allocate(bytes + bytes / 4 + shift + 64).asSlice(shift);
    pieces[use.ordinal()] = piece;
    owners[use.ordinal()] = null;
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
