package taper.cpu.assembler;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.WorkingMemory;

/// The memory that holds assembled code: bounded, and never writable and executable at once.
///
/// One region of address space is reserved on first use. Each piece of code gets pages of its own, which
/// are writable while the bytes are copied and then executable for ever, so that no page that may be
/// running is touched again. The bound is `taper.codeBytes` (in bytes, default 64 MiB).
public final class CodeMemory {
  private static final long PAGE = 4096;
  private static final int NONE = 0;
  private static final int READ_WRITE = 3;
  private static final int READ_EXECUTE = 5;

  /// That no more code can be installed. Whoever assembles has another way: a Java kernel.
  public static final class UnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1;

    UnavailableException(String message) {
      super(message);
    }
  }

  private record State(
      @Nullable String unavailable,
      long base,
      long capacity,
      @Nullable MethodHandle protect,
      @Nullable MethodHandle copy) {}

  private static final class Holder {
    static final State STATE = reserve();
  }

  /// As much as a call may assemble, by far.
  private static final long AMPLE = 1 << 20;

  private static long used;
  private static volatile boolean scarce;

  private CodeMemory() {}

  /// Why code cannot be run here, or null if it can.
  public static @Nullable String unavailable() {
    return Holder.STATE.unavailable;
  }

  /// The bytes taken so far.
  public static synchronized long used() {
    return used;
  }

  /// Whether so little is left that [#install] may fail before long.
  public static boolean isShort() {
    return scarce;
  }

  private static State unavailable(String reason) {
    return new State(reason, 0, 0, null, null);
  }

  private static State reserve() {
    String architecture = System.getProperty("os.arch", "");
    if (!architecture.equals("amd64") && !architecture.equals("x86_64")) {
      return unavailable("the processor is " + architecture + ", not x86-64");
    }
    String system = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    boolean mac = system.contains("mac");
    if (!mac && !system.contains("linux")) {
      return unavailable("the operating system is neither Linux nor macOS");
    }
    try {
      Linker linker = Linker.nativeLinker();
      MethodHandle map =
          function(
              linker,
              "mmap",
              FunctionDescriptor.of(
                  JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG));
      MethodHandle protect =
          function(
              linker, "mprotect", FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT));
      MethodHandle copy =
          function(linker, "memcpy", FunctionDescriptor.of(ADDRESS, ADDRESS, ADDRESS, JAVA_LONG));
      long capacity = Long.getLong("taper.codeBytes", 64L << 20) / PAGE * PAGE;
      int flags = mac ? 0x1042 : 0x4022; // private, anonymous, not reserved in swap space
      long base = (long) map.invokeExact(0L, capacity, NONE, flags, -1, 0L);
      if (base == -1) {
        return unavailable("mmap refused to reserve " + capacity + " bytes for code");
      }
      return new State(null, base, capacity, protect, copy);
    } catch (IllegalCallerException e) {
      return unavailable(
          "native access is denied; start Java with --enable-native-access=taper.cpu");
    } catch (Throwable t) {
      return unavailable(String.valueOf(t));
    }
  }

  private static MethodHandle function(Linker linker, String name, FunctionDescriptor descriptor) {
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor);
  }

  /// Makes `bytes` executable. They must not depend on where they lie, but start at a page.
  ///
  /// @throws UnavailableException if code cannot be run here, or the memory for it is used up
  public static synchronized Code install(byte[] bytes) {
    State state = Holder.STATE;
    if (state.unavailable != null || state.protect == null || state.copy == null) {
      throw new UnavailableException("code memory: " + state.unavailable);
    }
    long size = (bytes.length + PAGE - 1) / PAGE * PAGE;
    if (used + size + AMPLE > state.capacity) {
      scarce = true;
    }
    if (used + size > state.capacity) {
      throw new UnavailableException(
          "code memory: all " + state.capacity + " bytes are used; raise -Dtaper.codeBytes");
    }
    MemorySegment target = MemorySegment.ofAddress(state.base + used);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment source = arena.allocateFrom(JAVA_BYTE, bytes);
      protect(state.protect, target, size, READ_WRITE);
      MemorySegment _ = (MemorySegment) state.copy.invokeExact(target, source, (long) bytes.length);
      protect(state.protect, target, size, READ_EXECUTE);
    } catch (UnavailableException e) {
      throw e;
    } catch (Throwable t) {
      throw new AssertionError(t);
    }
    used += size;
    WorkingMemory.count(size);
    return new Code(target, bytes.length);
  }

  private static void protect(MethodHandle protect, MemorySegment pages, long size, int access)
      throws Throwable {
    if ((int) protect.invokeExact(pages.address(), size, access) != 0) {
      throw new UnavailableException("code memory: mprotect refused to change the access to pages");
    }
  }
}
