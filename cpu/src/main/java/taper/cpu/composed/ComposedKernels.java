package taper.cpu.composed;

import org.jspecify.annotations.Nullable;
import taper.cpu.reductions.ReductionKernels;
import taper.tensor.DType;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;

/// The composed kernels and the reductions, by the names of their operators. Immutable.
public final class ComposedKernels {
  private final ReductionKernels reductions;
  private final OptimizerKernels optimizers;

  /// Kernels on the given engine.
  public ComposedKernels(Engine engine) {
    this.reductions = new ReductionKernels(engine.folding());
    this.optimizers = new OptimizerKernels(engine);
  }

  /// The kernel of `operator`, or null if there is none here.
  public @Nullable Kernel kernel(Operator<?> operator, DType compute) {
    if (compute != DType.FLOAT32 && compute != DType.FLOAT64) {
      return null;
    }
    return switch (operator.name()) {
      case "sgdStep" -> optimizers.sgd();
      case "adamStep" -> optimizers.adam();
      default -> reductions.kernel(operator, compute);
    };
  }
}
