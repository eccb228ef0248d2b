package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import taper.tensor.Device;

/// The memory behind one or more tensors, counted by the handles that refer to it.
///
/// A storage begins with no holder: the first handle retains it. When the last holder lets go, the block goes
/// back to the pool, for good. Holders are handles and, while they run, kernels, so that no thread gives memory away that
/// another works on. The version counts in-place writes; views share it with their base, which is how
/// autograd notices that a saved tensor has been overwritten.
public final class Storage {
  private static final VarHandle HOLDERS;
  private static final VarHandle VERSION;

  /// So far below 0 that no number of threads which come too late makes up for it.
  private static final int GONE = Integer.MIN_VALUE / 2;

  static {
    try {
      HOLDERS = MethodHandles.lookup().findVarHandle(Storage.class, "holders", int.class);
      VERSION = MethodHandles.lookup().findVarHandle(Storage.class, "version", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySegment memory;
  private final Device device;
  private final @Nullable Block block;

  @SuppressWarnings("unused") // through HOLDERS
  private volatile int holders;

  private volatile int version;

  private Storage(MemorySegment memory, Device device, @Nullable Block block) {
    this.memory = memory;
    this.device = device;
    this.block = block;
  }

  /// A new storage of `byteSize` bytes on the CPU, not zeroed, for a tensor of the thread that `context` belongs to.
  public static Storage allocate(long byteSize, Context context) {
    Block block = Heap.allocate(byteSize, context.hasScope());
    try {
      return new Storage(block.slab().asSlice(block.byteOffset(), byteSize), Device.CPU, block);
    } catch (Throwable t) { // the heap is full
      Heap.abandon(block);
      throw t;
    }
  }

  /// Gives the memory back if no handle has come to hold it, since its tensor could not be made.
  public void abandon() {
    if (holders == 0 && block != null) {
      HOLDERS.setVolatile(this, GONE);
      Heap.free(block, memory);
    }
  }

  /// The bytes of this storage, and no others: what reaches beyond is refused by whoever touches memory through it.
  public MemorySegment memory() {
    return memory;
  }

  /// How many bytes the storage holds.
  public long byteSize() {
    return memory.byteSize();
  }

  /// Where the memory lives.
  public Device device() {
    return device;
  }

  /// The number of in-place writes so far.
  public int version() {
    return version;
  }

  /// Counts one in-place write.
  public void written() {
    VERSION.getAndAdd(this, 1);
  }

  /// Whether exactly one handle refers to this storage, and no kernel runs on it.
  public boolean isHeldOnce() {
    return holders == 1;
  }

  /// Adds a holder, unless the memory has been given back.
  boolean retain() {
    if ((int) HOLDERS.getAndAdd(this, 1) >= 0) {
      return true;
    }
    HOLDERS.getAndAdd(this, -1);
    return false;
  }

  /// Takes a holder away. Whoever takes the last one gives the memory back, unless another has come meanwhile.
  void release() {
    if ((int) HOLDERS.getAndAdd(this, -1) == 1
        && HOLDERS.compareAndSet(this, 0, GONE)
        && block != null) {
      Heap.free(block, memory);
    }
  }
}
