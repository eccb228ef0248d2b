package taper.cpu.parallel;

import java.lang.foreign.MemorySegment;

/// Memory for the intermediate results of a kernel, one buffer a thread and use: aligned to 64 bytes, kept
/// between calls, grown when needed, not zeroed.
public final class Scratch {
  private static final ThreadLocal<Scratch> OWN = ThreadLocal.withInitial(Scratch::new);

  /// What a buffer is for. Uses of different kernels may be in force at the same time, those of one may not.
  public enum Use {
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
    ZEROS
  }

  private final MemorySegment[] memory = new MemorySegment[Use.values().length];

  private Scratch() {
    java.util.Arrays.fill(memory, MemorySegment.NULL);
  }

  /// At least `bytes` bytes that belong to this thread until it asks again for the same use.
  public static MemorySegment bytes(Use use, long bytes) {
    Scratch own = OWN.get();
    int at = use.ordinal();
    if (own.memory[at].byteSize() < bytes) {
      long grown = Math.max(bytes + bytes / 4, 1 << 16);
      own.memory[at] = HugePages.allocate(grown);
    }
    return own.memory[at];
  }
}
