package taper.cpu.parallel;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;
import taper.tensor.MemoryLimitException;

/// Memory in pages of 2 MiB, where the system has them.
///
/// A training step walks through more memory than the processor can translate addresses for with pages of
/// 4 KiB, and a virtual machine pays twice for each miss. Linux gives large pages to regions that ask for
/// them (`madvise(2)`, `MADV_HUGEPAGE`), one at a time as they are first touched, so a region may be larger
/// than what will be used of it. Elsewhere, and where native access is denied, memory is the JVM's own.
public final class HugePages {
  private static final long PAGE = 2L << 20;
  private static final int READ_WRITE = 3;
  private static final int PRIVATE_ANONYMOUS_UNRESERVED = 0x4022;
  private static final int ADVISE_HUGE = 14;
  private static final int ADVISE_NOT_NEEDED = 4;
  private static final long SMALL_PAGE = 4096;

  private record Functions(MethodHandle map, MethodHandle advise, MethodHandle unmap) {}

  private static final @Nullable Functions FUNCTIONS = find();

  private HugePages() {}

  private static @Nullable Functions find() {
    if (!System.getProperty("os.name", "").toLowerCase(Locale.ROOT).contains("linux")) {
      return null;
    }
    try {
      return new Functions(
          function(
              "mmap",
              FunctionDescriptor.of(
                  JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG)),
          function("madvise", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT)),
          function("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG)));
    } catch (IllegalCallerException | UnsupportedOperationException | NoSuchElementException e) {
      return null; // native access is denied, or the JVM or the system has no such calls
    }
  }

  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  /// A region of `bytes` bytes, all zero, that takes memory only where it is touched and lives as long as the process;
  /// null if the system cannot give one.
  public static @Nullable MemorySegment reserve(long bytes) {
    long address = map(bytes);
    return address == 0 ? null : MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /// Working memory of `bytes` bytes, aligned to 64, that is given back when nobody refers to it any more.
  public static MemorySegment allocate(long bytes) {
    long address = bytes < PAGE ? 0 : map(bytes);
    if (address == 0) {
      try {
        return Arena.ofAuto().allocate(bytes, 64);
      } catch (OutOfMemoryError e) {
        throw new MemoryLimitException(
            "memory: %d bytes of working memory were asked for, but the system has no more. Use smaller batches."
                .formatted(bytes));
      }
    }
    return MemorySegment.ofAddress(address)
        .reinterpret(bytes, Arena.ofAuto(), _ -> unmap(address, bytes));
  }

  /// Gives back to the system what whole pages of `part` hold. They stay mapped, and are zero when they are touched again.
  public static void discard(MemorySegment part) {
    long from = (part.address() + SMALL_PAGE - 1) / SMALL_PAGE * SMALL_PAGE;
    long to = (part.address() + part.byteSize()) / SMALL_PAGE * SMALL_PAGE;
    if (FUNCTIONS == null || to <= from) {
      return;
    }
    try {
      int _ = (int) FUNCTIONS.advise.invokeExact(from, to - from, ADVISE_NOT_NEEDED);
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  /// The address of a new mapping that begins at a large page, or 0.
  private static long map(long bytes) {
    if (FUNCTIONS == null) {
      return 0;
    }
    try {
      long size = pages(bytes) + PAGE;
      long base =
          (long)
              FUNCTIONS.map.invokeExact(0L, size, READ_WRITE, PRIVATE_ANONYMOUS_UNRESERVED, -1, 0L);
      if (base == -1) {
        return 0;
      }
      long address = pages(base);
      cut(base, address - base);
      cut(address + pages(bytes), base + size - address - pages(bytes));
      // A system without large pages refuses; the memory is as good otherwise.
      int _ = (int) FUNCTIONS.advise.invokeExact(address, pages(bytes), ADVISE_HUGE);
      return address;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static void unmap(long address, long bytes) {
    try {
      cut(address, pages(bytes));
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }

  private static void cut(long address, long bytes) throws Throwable {
    if (FUNCTIONS != null && bytes > 0) {
      int _ = (int) FUNCTIONS.unmap.invokeExact(address, bytes);
    }
  }

  private static long pages(long bytes) {
    return (bytes + PAGE - 1) / PAGE * PAGE;
  }
}
