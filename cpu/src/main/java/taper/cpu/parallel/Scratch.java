package taper.cpu.parallel;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/// Memory for the intermediate results of a kernel, one buffer a thread: aligned to 64 bytes, kept between
/// calls, grown when needed, not zeroed. A kernel that calls another must not expect its contents to
/// survive.
public final class Scratch {
  private static final ThreadLocal<Scratch> OWN = ThreadLocal.withInitial(Scratch::new);

  private MemorySegment memory = MemorySegment.NULL;

  private Scratch() {}

  /// At least `bytes` bytes that belong to this thread until it asks again.
  public static MemorySegment bytes(long bytes) {
    Scratch own = OWN.get();
    if (own.memory.byteSize() < bytes) {
      long grown = Math.max(bytes + bytes / 4, 1 << 16);
      own.memory = Arena.ofAuto().allocate(grown, 64);
    }
    return own.memory;
  }
}
