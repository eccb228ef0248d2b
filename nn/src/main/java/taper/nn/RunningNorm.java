package taper.nn;

import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.Buffer;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// A norm of channels that may keep running averages of their mean and variance.
abstract sealed class RunningNorm extends Layer permits BatchNorm, InstanceNorm {
  final long numFeatures;
  final @Nullable Parameter weight;
  final @Nullable Parameter bias;

  @Key("running_mean")
  final @Nullable Buffer runningMean;

  @Key("running_var")
  final @Nullable Buffer runningVar;

  @Key("num_batches_tracked")
  final @Nullable Buffer numBatchesTracked;

  RunningNorm(long numFeatures, boolean affine, boolean track) {
    Sizes.positive(typeName(), "numFeatures", numFeatures);
    this.numFeatures = numFeatures;
    weight = affine ? new Parameter(Tensor.ones(numFeatures)) : null;
    bias = affine ? new Parameter(Tensor.zeros(numFeatures)) : null;
    runningMean = track ? new Buffer(Tensor.zeros(numFeatures)) : null;
    runningVar = track ? new Buffer(Tensor.ones(numFeatures)) : null;
    numBatchesTracked = track ? new Buffer(Tensor.zeros(DType.INT64)) : null;
  }

  /// The scale, `[numFeatures]`, or null.
  public final @Nullable Parameter weight() {
    return weight;
  }

  /// The shift, `[numFeatures]`, or null.
  public final @Nullable Parameter bias() {
    return bias;
  }

  /// The running mean, `[numFeatures]`, or null.
  public final @Nullable Buffer runningMean() {
    return runningMean;
  }

  /// The running variance, `[numFeatures]`, or null.
  public final @Nullable Buffer runningVar() {
    return runningVar;
  }

  /// Forgets the running averages.
  public final void resetRunningStats() {
    Autograd.noGrad(() -> {
      if (runningMean != null && runningVar != null && numBatchesTracked != null) {
        runningMean.zero_();
        runningVar.fill_(1);
        numBatchesTracked.zero_();
      }
    });
  }

  /// The options that both kinds have, as PyTorch prints them.
  final String repr(double eps, @Nullable Double momentum) {
    return "%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s"
        .formatted(
            numFeatures,
            Repr.number(eps),
            momentum == null ? "None" : Repr.number(momentum),
            Repr.truth(weight != null),
            Repr.truth(runningMean != null));
  }
}
