package taper.testing.fuzz;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import taper.tensor.MemoryLimitException;

/// Has every tensor lie between two pages that cannot be touched, so that a kernel that reads or writes a byte beyond an operand
/// ends the process. What remains between a tensor and the other page has a pattern that is looked at when it is freed.
final class GuardedMemory {
  private static final long PAGE = 4096;
  private static final byte PATTERN = (byte) 0xA5;

  private record Region(long base, long mapped, MemorySegment pages, MemorySegment used) {}

  private final boolean after;
  private final long limit;
  private final MethodHandle mmap;
  private final MethodHandle mprotect;
  private final MethodHandle munmap;
  private final Map<Long, Region> regions = new ConcurrentHashMap<>();
  private final AtomicLong held = new AtomicLong();

  /// @param after whether tensors end at a page, rather than begin at one
  /// @param limit the most bytes that all hold
  GuardedMemory(boolean after, long limit) {
    this.after = after;
    this.limit = limit;
    this.mmap =
        function(
            "mmap",
            FunctionDescriptor.of(
                JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
    this.mprotect =
        function("mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
    this.munmap = function("munmap", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));
  }

  @SuppressWarnings(
      "restricted") // only in the worker's process, which is started with native access
  private static MethodHandle function(String name, FunctionDescriptor descriptor) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  /// Has tensors take their memory from here. By reflection, since the package is nobody else's.
  void install() throws ReflectiveOperationException {
    Class<?> source = Class.forName("taper.tensor.internal.Heap$Source");
    Object proxy =
        Proxy.newProxyInstance(
            source.getClassLoader(),
            new Class<?>[] {source},
            (_, method, arguments) -> {
              if (method.getName().equals("allocate")) {
                return allocate((long) arguments[0]);
              }
              free((MemorySegment) arguments[0]);
              return null;
            });
    Class.forName("taper.tensor.internal.Heap").getMethod("setSource", source).invoke(null, proxy);
  }

  @SuppressWarnings("restricted")
  private MemorySegment allocate(long bytes) throws Throwable {
    if (bytes < 0) {
      throw new IllegalStateException("memory: a negative number of bytes is asked for");
    }
    long inner = Math.max(1, (bytes + PAGE - 1) / PAGE) * PAGE;
    long mapped = inner + 2 * PAGE;
    if (bytes > limit || held.addAndGet(mapped) > limit) {
      held.addAndGet(bytes > limit ? 0 : -mapped);
      throw new MemoryLimitException(
          "memory: %d bytes were asked for, but the fuzzer allows %d.".formatted(bytes, limit));
    }
    long base = (long) mmap.invokeExact(0L, mapped, 0, 0x22, -1, 0L);
    if (base == -1 || (int) mprotect.invokeExact(base + PAGE, inner, 3) != 0) {
      throw new IllegalStateException("no guarded memory of " + bytes + " bytes");
    }
    MemorySegment pages = MemorySegment.ofAddress(base + PAGE).reinterpret(inner);
    MemorySegment used = pages.asSlice(after ? inner - bytes : 0, bytes);
    if (after) {
      pages.asSlice(0, inner - bytes).fill(PATTERN);
    } else {
      pages.asSlice(bytes, inner - bytes).fill(PATTERN);
    }
    used.fill((byte) 0xFF);
    regions.put(used.address(), new Region(base, mapped, pages, used));
    return used;
  }

  private void free(MemorySegment memory) throws Throwable {
    Region region = regions.remove(memory.address());
    if (region == null) {
      return;
    }
    held.addAndGet(-region.mapped());
    MemorySegment pages = region.pages();
    long bytes = region.used().byteSize();
    long from = after ? 0 : bytes;
    long to = after ? pages.byteSize() - bytes : pages.byteSize();
    boolean touched = false;
    for (long i = from; i < to; i++) {
      touched |= pages.get(JAVA_BYTE, i) != PATTERN;
    }
    int unmapped = (int) munmap.invokeExact(region.base(), region.mapped());
    if (touched || unmapped != 0) {
      throw new IllegalStateException(
          "memory: a kernel wrote beside a tensor of " + bytes + " bytes");
    }
  }
}
