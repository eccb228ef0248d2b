package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Brings each channel of each sample to mean 0 and variance 1, and then, if asked for, to a learned scale and shift.
///
/// With running averages these are kept in training mode and used in evaluation mode; without, each sample always has its
/// own.
///
/// - Initial values: weight 1, bias 0, running mean 0 and variance 1
/// - Source: Ulyanov, Vedaldi, Lempitsky 2016, Instance normalization, arXiv:1607.08022
public abstract sealed class InstanceNorm extends RunningNorm
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

  private final transient int places;
  private final Options options;

  InstanceNorm(long numFeatures, int places, UnaryOperator<Options> options) {
    this(numFeatures, places, Sizes.chosen("InstanceNorm", options, Options.DEFAULT));
  }

  private InstanceNorm(long numFeatures, int places, Options options) {
    super(numFeatures, options.affine(), options.trackRunningStats());
    this.places = places;
    this.options = options;
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
    return repr(options.eps(), options.momentum());
  }
}
