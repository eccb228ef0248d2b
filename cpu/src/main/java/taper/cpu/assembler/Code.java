package taper.cpu.assembler;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;

/// Machine code that can be run. Immutable; threads may share it; lives until the JVM ends.
///
/// Arguments are addresses and whole numbers, all passed as `long`: nothing is allocated by a call. Each
/// signature has one constant handle that takes the entry first, which makes a call cost 8 ns; a handle
/// that is not a constant costs 30 ns.
///
/// @param entry the address of the first instruction
/// @param size the size in bytes, constants included
public record Code(MemorySegment entry, int size) {

  private static MethodHandle handle(int arguments) {
    var types = new MemoryLayout[arguments];
    Arrays.fill(types, JAVA_LONG);
    return Linker.nativeLinker().downcallHandle(FunctionDescriptor.ofVoid(types));
  }

  private static final class One {
    static final MethodHandle HANDLE = handle(1);
  }

  private static final class Two {
    static final MethodHandle HANDLE = handle(2);
  }

  private static final class Three {
    static final MethodHandle HANDLE = handle(3);
  }

  private static final class Four {
    static final MethodHandle HANDLE = handle(4);
  }

  private static final class Five {
    static final MethodHandle HANDLE = handle(5);
  }

  private static final class Six {
    static final MethodHandle HANDLE = handle(6);
  }

  private static AssertionError failed(Throwable cause) {
    return new AssertionError("assembled code does not throw", cause);
  }

  /// Calls the code.
  public void run(long a) {
    try {
      One.HANDLE.invokeExact(entry, a);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /// Calls the code.
  public void run(long a, long b) {
    try {
      Two.HANDLE.invokeExact(entry, a, b);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /// Calls the code.
  public void run(long a, long b, long c) {
    try {
      Three.HANDLE.invokeExact(entry, a, b, c);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /// Calls the code.
  public void run(long a, long b, long c, long d) {
    try {
      Four.HANDLE.invokeExact(entry, a, b, c, d);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /// Calls the code.
  public void run(long a, long b, long c, long d, long e) {
    try {
      Five.HANDLE.invokeExact(entry, a, b, c, d, e);
    } catch (Throwable t) {
      throw failed(t);
    }
  }

  /// Calls the code.
  public void run(long a, long b, long c, long d, long e, long f) {
    try {
      Six.HANDLE.invokeExact(entry, a, b, c, d, e, f);
    } catch (Throwable t) {
      throw failed(t);
    }
  }
}
