package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A piece of a slab, handed out for one storage at a time. While it is free, the pool's list goes through it, so that to
/// give it back takes no memory.
final class Block {
  final Slab of;
  private final long byteOffset;
  private final int sizeClass;

  /// The next free block of the class.
  @Nullable Block next;

  /// Whether the system has taken its memory back, and gives it again when it is touched.
  boolean cold;

  Block(Slab slab, long byteOffset, int sizeClass) {
    this.of = slab;
    this.byteOffset = byteOffset;
    this.sizeClass = sizeClass;
  }

  MemorySegment slab() {
    return of.memory;
  }

  long byteOffset() {
    return byteOffset;
  }

  long address() {
    return of.memory.address() + byteOffset;
  }

  /// Where the next block of the slab begins, in bytes.
  long end() {
    return byteOffset + Pool.classBytes(sizeClass) + Pool.ALIGNMENT;
  }

  int sizeClass() {
    return sizeClass;
  }
}
