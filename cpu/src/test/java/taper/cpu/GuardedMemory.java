package taper.cpu;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/// Native memory between two pages that cannot be touched: a kernel that reads or writes one byte too
/// far kills the JVM, which no test overlooks.
///
/// The memory lies flush against one of the two pages. What remains between it and the other page is
/// filled with a pattern that [#check()] looks for.
public final class GuardedMemory implements AutoCloseable {

  /// Which page the memory touches.
  public enum Side {
    /// Its first byte follows the page before it.
    BEFORE,
    /// Its last byte is followed by the page after it.
    AFTER
  }

  private static final long PAGE = 4096;
  private static final byte PATTERN = (byte) 0xA5;
  private static final Linker LINKER = Linker.nativeLinker();
  private static final MethodHandle MMAP =
      function(
          "mmap",
          FunctionDescriptor.of(
              JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
  private static final MethodHandle MPROTECT =
      function("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
  private static final MethodHandle MUNMAP =
      function("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

  private final long base;
  private final long mapped;
  private final MemorySegment pages;
  private final MemorySegment segment;

  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    return LINKER.downcallHandle(LINKER.defaultLookup().findOrThrow(name), descriptor);
  }

  /// Maps `bytes` bytes that touch the page at `side`, zeroed.
  public GuardedMemory(long bytes, Side side) {
    long inner = Math.max(1, (bytes + PAGE - 1) / PAGE) * PAGE;
    mapped = inner + 2 * PAGE;
    int anonymous = System.getProperty("os.name").startsWith("Mac") ? 0x1002 : 0x22;
    try {
      base = (long) MMAP.invokeExact(0L, mapped, 0, anonymous, -1, 0L);
      if (base == -1 || (int) MPROTECT.invokeExact(base + PAGE, inner, 3) != 0) {
        throw new AssertionError("no memory for a guarded region of " + bytes + " bytes");
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    pages = MemorySegment.ofAddress(base + PAGE).reinterpret(inner);
    pages.fill(PATTERN);
    segment = pages.asSlice(side == Side.BEFORE ? 0 : inner - bytes, bytes);
    segment.fill((byte) 0);
  }

  /// The memory.
  public MemorySegment segment() {
    return segment;
  }

  /// The address of the first byte.
  public long address() {
    return segment.address();
  }

  /// Checks that nothing was written outside the memory.
  public void check() {
    long first = segment.address() - pages.address();
    for (long i = 0; i < pages.byteSize(); i++) {
      boolean inside = i >= first && i < first + segment.byteSize();
      if (!inside && pages.get(JAVA_BYTE, i) != PATTERN) {
        throw new AssertionError("a write " + (i - first) + " bytes from the start of the memory");
      }
    }
  }

  @Override
  public void close() {
    check();
    try {
      if ((int) MUNMAP.invokeExact(base, mapped) != 0) {
        throw new AssertionError("munmap failed");
      }
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
  }
}
