package taper.tensor.spi;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Operator;

/// The kernels of one backend, found with [java.util.ServiceLoader].
///
/// An operator asks the libraries in the order of their priority; the first that has a kernel for the
/// types at hand is used, and the reference kernel where none has.
public interface KernelLibrary {

  /// A short name, such as `x86`: the value of the system property `taper.kernels` that selects it.
  String name();

  /// Libraries of a higher priority are asked first.
  int priority();

  /// Why this library cannot be used here (another processor, native access denied), or null if it can.
  @Nullable String unavailable();

  /// Whether to ask this library for kernels that take or return complex numbers.
  default boolean knowsComplex() {
    return false;
  }

  /// The kernel of `operator`.
  ///
  /// @param compute the type that the inputs have after promotion
  /// @param result the type of the first output
  /// @return the kernel, or null if this library has none for these types
  @Nullable Kernel kernel(Operator<?> operator, DType compute, DType result);

  /// Reserves memory for tensors: `bytes` bytes, aligned to 64, all zero, taken from the system only as they are
  /// touched, and never given back. Null, if the JVM's own memory is as good.
  default @Nullable MemorySegment reserve(long bytes) {
    return null;
  }

  /// Gives back to the system what a part of memory that [#reserve] gave holds; it may be used again, and holds anything.
  default void discard(MemorySegment part) {}

  /// Has threads give back the working memory that they keep: the calling one, on which no kernel runs, at once, others
  /// before their next work.
  default void relieve() {}

  /// Sets how many threads the kernels may use. Results do not depend on it.
  default void setThreads(int threads) {}

  /// How many threads the kernels may use.
  default int threads() {
    return 1;
  }

  /// Runs `part` on all of `0 … size`, in pieces of at most `grain`, on as many threads as kernels use. Where pieces begin
  /// depends on the number of threads, so results must not.
  default void run(long size, long grain, Part part) {
    part.run(0, size);
  }

  /// Whether all elements of `x`, a contiguous region of `int64`, lie in `low..high`: what indices are asked before they
  /// are followed.
  default boolean isWithin(Strided x, long low, long high) {
    long[] chunk = new long[(int) Math.min(1024, x.numel())];
    long signs = 0; // a difference is negative if an element does not
    for (long begin = 0; begin < x.numel(); begin += chunk.length) {
      int n = (int) Math.min(chunk.length, x.numel() - begin);
      MemorySegment.copy(
          x.memory(), ValueLayout.JAVA_LONG_UNALIGNED, x.byteOffset() + 8 * begin, chunk, 0, n);
      for (int i = 0; i < n; i++) {
        signs |= chunk[i] - low | high - chunk[i];
      }
    }
    return signs >= 0;
  }
}
