package taper.cpu.composed;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.cpu.reductions.ReductionKernels;
import taper.tensor.DType;
import taper.tensor.Operator;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;

/// The composed kernels and the reductions, by the names of their operators. Immutable.
public final class ComposedKernels {
  private final ReductionKernels reductions;
  private final OptimizerKernels optimizers;
  private final NormalizationKernels normalizations;
  private final ClassKernels classes;
  private final Engine engine;

  /// Kernels on the given engine.
  public ComposedKernels(Engine engine) {
    Formula exponential = Formula.exp(Formula.input(0).minus(Formula.input(1)));
    List<DType> floats = List.of(DType.FLOAT32, DType.FLOAT32);
    this.reductions =
        new ReductionKernels(
            engine.folding(),
            engine.pointwise(List.of(exponential), DType.FLOAT32, floats, List.of(DType.FLOAT32)));
    this.optimizers = new OptimizerKernels(engine);
    this.normalizations = new NormalizationKernels(engine);
    this.classes = new ClassKernels(engine);
    this.engine = engine;
  }

  /// The kernel of means along dimensions.
  public Kernel mean() {
    return reductions.mean();
  }

  /// The kernel of `operator`, or null if there is none here.
  public @Nullable Kernel kernel(Operator<?> operator, DType compute) {
    if (compute != DType.FLOAT32 && compute != DType.FLOAT64) {
      return null;
    }
    return switch (operator.name()) {
      case "sgdStep" -> optimizers.sgd();
      case "adamStep" -> optimizers.adam();
      case "softmax" -> engine.softmax(compute, false);
      case "logSoftmax" -> engine.softmax(compute, true);
      case "softmaxGradient" -> classes.softmaxGradient(compute);
      case "logSoftmaxGradient" -> classes.logSoftmaxGradient(compute);
      case "crossEntropy" -> classes.crossEntropy();
      case "crossEntropyGradient" -> classes.crossEntropyGradient();
      case "nllLoss" -> classes.nllLoss();
      case "nllLossGradient" -> classes.nllLossGradient();
      case "embeddingBag" -> EmbeddingKernels.bag();
      case "batchNorm" -> normalizations.batchNorm();
      case "batchNormGradient" -> normalizations.batchNormGradient();
      case "batchNormRelu" -> normalizations.batchNormRelu();
      case "normalizeChannels" -> normalizations.normalizeChannels();
      case "layerNorm" -> normalizations.layerNorm();
      case "layerNormGradient" -> normalizations.layerNormGradient();
      default -> reductions.kernel(operator, compute);
    };
  }
}
