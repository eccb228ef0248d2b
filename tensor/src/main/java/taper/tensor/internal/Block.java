package taper.tensor.internal;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A piece of a slab, handed out for one storage at a time. While it is free, the pool's list goes through it, so that to
/// give it back takes no memory.
final class Block {
  private final MemorySegment slab;
  private final long byteOffset;
  private final int sizeClass;

  /// What a slab that consists of this block alone is closed with, or null.
  final @Nullable Arena own;

  /// The next free block of the class.
  @Nullable Block next;

  /// Whether the system has taken its memory back, and gives it again when it is touched.
  boolean cold;

  Block(MemorySegment slab, long byteOffset, int sizeClass, @Nullable Arena own) {
    this.slab = slab;
    this.byteOffset = byteOffset;
    this.sizeClass = sizeClass;
    this.own = own;
  }

  Block(MemorySegment slab, long byteOffset, int sizeClass) {
    this(slab, byteOffset, sizeClass, null);
  }

  MemorySegment slab() {
    return slab;
  }

  long byteOffset() {
    return byteOffset;
  }

  long address() {
    return slab.address() + byteOffset;
  }

  /// Where the next block of the slab begins.
  long end() {
    return address() + Pool.classBytes(sizeClass) + Pool.ALIGNMENT;
  }

  int sizeClass() {
    return sizeClass;
  }
}
