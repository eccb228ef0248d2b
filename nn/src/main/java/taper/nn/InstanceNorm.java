package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.Buffer;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Brings each channel of each sample to mean 0 and variance 1, and then, if asked for, to a learned scale and shift.
///
/// With running averages these are kept in training mode and used in evaluation mode; without, each sample always has its
/// own.
///
/// - Initial values: weight 1, bias 0, running mean 0 and variance 1
/// - Source: Ulyanov, Vedaldi, Lempitsky 2016, Instance normalization, arXiv:1607.08022
public abstract sealed class InstanceNorm extends Layer
    permits InstanceNorm1d, InstanceNorm2d, InstanceNorm3d {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param eps added to the variance
  /// @param momentum how much of a batch goes into the running averages
  /// @param affine whether scale and shift are learned
  /// @param trackRunningStats whether running averages are kept
  public record Options(double eps, double momentum, boolean affine, boolean trackRunningStats) {

    /// A hundred-thousandth, a tenth, neither learned nor kept.
    public static final Options DEFAULT = new Options(1e-5, 0.1, false, false);

    /// With another summand of the variance.
    public Options eps(double eps) {
      return new Options(eps, momentum, affine, trackRunningStats);
    }

    /// With another share of a batch in the running averages.
    public Options momentum(double momentum) {
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

  private final long numFeatures;
  private final transient int places;
  private final Options options;
  private final @Nullable Parameter weight;
  private final @Nullable Parameter bias;

  @Key("running_mean")
  private final @Nullable Buffer runningMean;

  @Key("running_var")
  private final @Nullable Buffer runningVar;

  @Key("num_batches_tracked")
  private final @Nullable Buffer numBatchesTracked;

  InstanceNorm(long numFeatures, int places, UnaryOperator<Options> options) {
    Sizes.positive(typeName(), "numFeatures", numFeatures);
    this.numFeatures = numFeatures;
    this.places = places;
    this.options = options.apply(Options.DEFAULT);
    boolean affine = this.options.affine();
    boolean track = this.options.trackRunningStats();
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

  @Override
  protected final Tensor forward(Tensor input) {
    if (input.dim() != places + 1 && input.dim() != places + 2) {
      throw new ShapeException(
          "instanceNorm: the input must have %d dimensions, or %d without a batch, but has shape %s."
              .formatted(places + 2, places + 1, input.shape()));
    }
    boolean single = input.dim() == places + 1;
    Tensor result =
        (single ? input.unsqueeze(0) : input)
            .instanceNorm(
                runningMean,
                runningVar,
                weight,
                bias,
                isTraining() || runningMean == null,
                options.momentum(),
                options.eps());
    return single ? result.squeeze(0) : result;
  }

  @Override
  protected final String extraRepr() {
    return "%d, eps=%s, momentum=%s, affine=%s, track_running_stats=%s"
        .formatted(
            numFeatures,
            Repr.number(options.eps()),
            Repr.number(options.momentum()),
            Repr.truth(options.affine()),
            Repr.truth(options.trackRunningStats()));
  }
}
