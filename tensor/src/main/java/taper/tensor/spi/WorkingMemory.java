package taper.tensor.spi;

import taper.tensor.internal.Heap;

/// The account of what kernels hold besides tensors: working memory, packed operands, code. It is under the same limit as
/// tensors, and part of [taper.tensor.Memory#allocated()].
public final class WorkingMemory {
  private WorkingMemory() {}

  /// Counts `bytes` that are about to be taken.
  ///
  /// @throws taper.tensor.MemoryLimitException if they would exceed the limit
  public static void take(long bytes) {
    Heap.takeWorking(bytes);
  }

  /// Counts `bytes` that were given back.
  public static void give(long bytes) {
    Heap.giveWorking(bytes);
  }

  /// Counts `bytes` that nothing can do without, whatever the limit: assembled code.
  public static void count(long bytes) {
    Heap.countWorking(bytes);
  }

  /// The most bytes that a thread may keep for the next kernel.
  public static long mostKept() {
    return Heap.limit() / 4;
  }

  /// How often memory has been short. A thread gives back what it keeps when this has changed, before its next kernel.
  public static int shortages() {
    return Heap.shortages();
  }

  /// Says that working memory is not to be kept any longer.
  public static void announceShortage() {
    Heap.announceShortage();
  }
}
