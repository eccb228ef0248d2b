package taper.tensor.internal;

import java.lang.foreign.MemorySegment;

/// A piece of a slab, handed out for one storage at a time.
record Block(MemorySegment slab, long byteOffset, int sizeClass) {}
