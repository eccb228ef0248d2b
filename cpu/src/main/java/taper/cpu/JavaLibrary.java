package taper.cpu;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.KernelLibrary;

/// Kernels in plain Java, for other processors and for JVMs where native access is denied.
public final class JavaLibrary implements KernelLibrary {
  private static final HeavyKernels HEAVY = HeavyKernels.java();

  /// Created by the service loader.
  public JavaLibrary() {}

  @Override
  public String name() {
    return "java";
  }

  @Override
  public int priority() {
    return 100;
  }

  @Override
  public @Nullable String unavailable() {
    return null;
  }

  @Override
  public void setThreads(int threads) {
    Parallel.setThreads(threads);
  }

  @Override
  public int threads() {
    return Parallel.threads();
  }

  @Override
  public @Nullable Kernel kernel(Operator<?> operator, DType compute, DType result) {
    return switch (operator.definition()) {
      case Definition.Structured<?> _ -> HEAVY.kernel(operator, compute);
      case Definition.Pointwise<?> _, Definition.Composite<?> _, Definition.View<?> _ -> null;
    };
  }
}
