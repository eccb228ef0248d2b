package taper.tensor.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// Memory of which blocks are cut, one after another. Guarded by the lock of the pool.
final class Slab {
  final MemorySegment memory;

  /// What gives it back as a whole, or null if it stays and only what it holds is given back.
  final @Nullable Arena own;

  /// How many bytes blocks have been made of.
  long used;

  Slab(MemorySegment memory, @Nullable Arena own) {
    this.memory = memory;
    this.own = own;
  }
}
