package taper.cpu.products;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Memory that ends exactly where an unreadable page begins, filled with NaN: a kernel that touches one
/// byte too many crashes the test, and one that leaves an element out shows a NaN. Another unreadable page
/// lies before it. Regions are recycled once their arena is collected, so tests may allocate many.
final class GuardedMemory {
  private static final long PAGE = 4096;
  private static final MethodHandle MAP;
  private static final MethodHandle UNMAP;
  private static final MethodHandle PROTECT;

  static {
    Linker linker = Linker.nativeLinker();
    MAP =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("mmap"),
            FunctionDescriptor.of(
                ADDRESS, ADDRESS, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    UNMAP =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("munmap"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG));
    PROTECT =
        linker.downcallHandle(
            linker.defaultLookup().findOrThrow("mprotect"),
            FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_LONG, JAVA_INT));
  }

  private GuardedMemory() {}

  static MemorySegment of(long bytes) {
    try {
      long inside = (bytes + PAGE - 1) / PAGE * PAGE;
      long total = inside + 2 * PAGE;
      MemorySegment raw =
          (MemorySegment) MAP.invokeExact(MemorySegment.NULL, total, 3, 0x22, -1, 0L);
      MemorySegment all =
          raw.reinterpret(
              total,
              Arena.ofAuto(),
              region -> {
                try {
                  int _ = (int) UNMAP.invokeExact(region, total);
                } catch (Throwable e) {
                  throw new AssertionError(e);
                }
              });
      all.asSlice(PAGE, inside).fill((byte) 0xFF);
      int before = (int) PROTECT.invokeExact(all.asSlice(0, PAGE), PAGE, 0);
      int after = (int) PROTECT.invokeExact(all.asSlice(PAGE + inside, PAGE), PAGE, 0);
      assert before == 0 && after == 0;
      return all.asSlice(PAGE + inside - bytes, bytes);
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }
}
