package taper.cpu.products;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.HugePages;

/// The working memory of one thread: argument blocks and packed panels. Grows, and is kept.
public final class Scratch {
  /// All memory, for accesses at absolute addresses that were checked before.
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

  /// What a piece of scratch memory is for; each use has its own.
  public enum Use {
    ARGUMENTS,
    LEFT,
    RIGHT,
    TABLE,
    PLANES,
    GRADIENT,
    DEALT,
    RESULT,
    PARTS,
    BIASES,
    FIELD
  }

  private final @Nullable MemorySegment[] pieces = new MemorySegment[Use.values().length];
  private final @Nullable Object[] owners = new Object[Use.values().length];

  private Scratch() {}

  /// The memory of the calling thread.
  public static Scratch ofThread() {
    return OF_THREAD.get();
  }

  /// The address of at least `bytes` bytes for `use`, aligned to 64; their content is undefined.
  public long address(Use use, long bytes) {
    MemorySegment piece = pieces[use.ordinal()];
    if (piece == null || piece.byteSize() < bytes) {
      // Pieces differ in their distance from a page, so that equal places in them do not collide.
      long shift = use.ordinal() * 320L;
      piece = HugePages.allocate(bytes + bytes / 4 + shift + 64).asSlice(shift);
      pieces[use.ordinal()] = piece;
      owners[use.ordinal()] = null;
    }
    return piece.address();
  }

  /// Whether the memory for `use` was last claimed by someone who does not equal `owner`, or never. Who
  /// relies on what an earlier call left there must share it with nobody who does not claim it.
  public boolean claim(Use use, Object owner) {
    boolean changed = !owner.equals(owners[use.ordinal()]);
    owners[use.ordinal()] = owner;
    return changed;
  }

  /// Makes `bytes` bytes from `address` on zero.
  public static void clear(long address, long bytes) {
    ALL.asSlice(address, bytes).fill((byte) 0);
  }

  /// The `long` at `address`.
  public static long get(long address) {
    return ALL.get(JAVA_LONG_UNALIGNED, address);
  }

  /// Writes a `long` to `address`.
  public static void put(long address, long value) {
    ALL.set(JAVA_LONG_UNALIGNED, address, value);
  }

  /// Copies one element, a `double` if `wide`, else a `float`.
  public static void copyElement(long to, long from, boolean wide) {
    if (wide) {
      ALL.set(JAVA_DOUBLE_UNALIGNED, to, ALL.get(JAVA_DOUBLE_UNALIGNED, from));
    } else {
      ALL.set(JAVA_FLOAT_UNALIGNED, to, ALL.get(JAVA_FLOAT_UNALIGNED, from));
    }
  }

  /// Writes one element, a `double` if `wide`, else a `float`.
  public static void set(long to, double value, boolean wide) {
    if (wide) {
      ALL.set(JAVA_DOUBLE_UNALIGNED, to, value);
    } else {
      ALL.set(JAVA_FLOAT_UNALIGNED, to, (float) value);
    }
  }
}
