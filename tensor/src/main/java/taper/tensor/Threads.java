package taper.tensor;

import taper.tensor.spi.KernelLibrary;

/// How many threads kernels use. Results do not depend on it, to the last bit.
///
/// The default is the number of processors, or the system property `taper.threads`.
public final class Threads {
  private Threads() {}

  /// Sets the number of threads that kernels share their work between, the calling one included.
  ///
  /// @throws ArgumentException if it is below 1
  public static void setNumThreads(int threads) {
    if (threads < 1) {
      throw new ArgumentException(
          "setNumThreads: there must be at least 1 thread, but " + threads + " were asked for.");
    }
    Libraries.all().forEach(library -> library.setThreads(threads));
  }

  /// The number of threads that kernels share their work between.
  public static int numThreads() {
    return Libraries.all().stream().mapToInt(KernelLibrary::threads).max().orElse(1);
  }

  /// The names of the kernel libraries in use, best first, such as `[x86, java]`.
  public static java.util.List<String> kernelLibraries() {
    return Libraries.all().stream().map(KernelLibrary::name).toList();
  }
}
