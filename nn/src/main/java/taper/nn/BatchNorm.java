package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.Buffer;
import taper.tensor.OnePass;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Brings each channel to mean 0 and variance 1, and then to a learned scale and shift.
///
/// In training mode mean and variance are those of the batch, and running averages of them are kept; in evaluation mode the
/// running averages are used. The batch is normalised by its biased variance, the running average takes the unbiased one.
///
/// - Initial values: weight 1, bias 0, running mean 0 and variance 1
/// - Source: Ioffe, Szegedy 2015, Batch normalization, arXiv:1502.03167
public abstract sealed class BatchNorm extends RunningNorm
    permits BatchNorm1d, BatchNorm2d, BatchNorm3d {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param eps added to the variance
  /// @param momentum how much of a batch goes into the running averages; null for the plain average of all batches
  /// @param affine whether scale and shift are learned
  /// @param trackRunningStats whether running averages are kept; without them the batch is used in evaluation too
  public record Options(
      double eps, @Nullable Double momentum, boolean affine, boolean trackRunningStats) {

    /// A hundred-thousandth, a tenth, learned, kept.
    public static final Options DEFAULT = new Options(1e-5, 0.1, true, true);

    /// With another summand of the variance.
    public Options eps(double eps) {
      return new Options(eps, momentum, affine, trackRunningStats);
    }

    /// With another share of a batch in the running averages, or null for the plain average.
    public Options momentum(@Nullable Double momentum) {
      return new Options(eps, momentum, affine, trackRunningStats);
    }

    /// With a learned scale and shift, or without.
    public Options affine(boolean affine) {
      return new Options(eps, momentum, affine, trackRunningStats);
    }

    /// With running averages, or without.
    public Options trackRunningStats(boolean trackRunningStats) {
      return new Options(eps, momentum, affine, trackRunningStats);
    }
  }

  private final Options options;

  BatchNorm(long numFeatures, UnaryOperator<Options> options) {
    this(numFeatures, Sizes.chosen("BatchNorm", options, Options.DEFAULT));
  }

  private BatchNorm(long numFeatures, Options options) {
    super(numFeatures, options.affine(), options.trackRunningStats());
    this.options = options;
  }

  /// What normalizes as long as nothing is learned: the running averages, if there are some and they stay as they are.
  final OnePass.Norm given() {
    return new OnePass.Norm(runningMean, runningVar, weight, bias, isTraining(), 0, options.eps());
  }

  /// @throws ShapeException if the input has another number of dimensions than the layer takes
  abstract void checkDimensions(Tensor input);

  @Override
  protected final Tensor forward(Tensor input) {
    checkDimensions(input);
    OnePass.Norm norm = next();
    return input.batchNorm(
        norm.runningMean(),
        norm.runningVar(),
        norm.weight(),
        norm.bias(),
        norm.training(),
        norm.momentum(),
        norm.eps());
  }

  /// What a rectifier makes of the sum of `addend`, or nothing, and what [#forward(Tensor)] gives.
  final Tensor rectified(Tensor input, @Nullable Tensor addend) {
    checkDimensions(input);
    return OnePass.batchNorm(input, next(), addend);
  }

  /// How the next batch is normalized. In training mode it is counted.
  private OnePass.Norm next() {
    Double momentum = options.momentum();
    double share = momentum == null ? 0 : momentum;
    Buffer count = numBatchesTracked;
    if (isTraining() && count != null) {
      Autograd.noGrad(() -> count.add_(1L));
      if (momentum == null) {
        share = 1.0 / count.itemLong();
      }
    }
    boolean useBatch = isTraining() || runningMean == null;
    return new OnePass.Norm(runningMean, runningVar, weight, bias, useBatch, share, options.eps());
  }

  @Override
  protected final String extraRepr() {
    return repr(options.eps(), options.momentum());
  }
}
