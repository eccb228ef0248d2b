package taper.cpu;

import org.jspecify.annotations.Nullable;
import taper.cpu.composed.ComposedKernels;
import taper.cpu.composed.Engine;
import taper.cpu.moving.MovingKernels;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Scratch;
import taper.cpu.plain.BlockKernel;
import taper.cpu.reductions.LineKernels;
import taper.cpu.reductions.ParallelLines;
import taper.cpu.separable.ParallelImages;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.KernelLibrary;
import taper.tensor.spi.Part;

/// Kernels in plain Java, for other processors and for JVMs where native access is denied.
public final class JavaLibrary implements KernelLibrary {
  private static final HeavyKernels HEAVY = HeavyKernels.java();
  private static final ComposedKernels COMPOSED = new ComposedKernels(Engine.java());

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
  public void relieve() {
    Scratch.ofThread().relieve();
    Parallel.relieve();
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
  public void run(long size, long grain, Part part) {
    Parallel.run(size, grain, part::run);
  }

  @Override
  public @Nullable Kernel kernel(Operator<?> operator, DType compute, DType result) {
    return switch (operator.definition()) {
      case Definition.Pointwise<?> pointwise ->
          new BlockKernel(pointwise.formula(), operator.signature().inputs().size(), compute);
      case Definition.Structured<?> _ -> structured(operator, compute, result);
      case Definition.Composite<?> _, Definition.View<?> _ -> null;
    };
  }

  private static @Nullable Kernel structured(Operator<?> operator, DType compute, DType result) {
    return switch (operator.name()) {
      case "to" ->
          compute == result
              ? MovingKernels.copyOr(BlockKernel.conversion(compute))
              : BlockKernel.conversion(compute);
      case "fill_" -> BlockKernel.filling(result);
      default -> {
        @Nullable Kernel kernel = HEAVY.kernel(operator, compute);
        if (kernel == null) {
          kernel = COMPOSED.kernel(operator, compute);
        }
        if (kernel == null) {
          kernel = LineKernels.kernel(operator, compute);
        }
        if (kernel == null) {
          kernel = MovingKernels.kernel(operator, compute, null);
        }
        if (kernel == null) {
          kernel = ParallelLines.kernel(operator);
        }
        yield kernel != null ? kernel : ParallelImages.kernel(operator);
      }
    };
  }
}
