package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// Brings groups of channels of each sample to mean 0 and variance 1, and then each channel to a learned scale and shift.
///
/// - Shape: `[n c *] -> [n c *]`
/// - Initial values: weight 1, bias 0
/// - Source: Wu, He 2018, Group normalization, arXiv:1803.08494
public final class GroupNorm extends Layer {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param eps added to the variance
  /// @param affine whether scale and shift are learned
  public record Options(double eps, boolean affine) {
    /// A hundred-thousandth, learned.
    public static final Options DEFAULT = new Options(1e-5, true);

    /// With another summand of the variance.
    public Options eps(double eps) {
      return new Options(eps, affine);
    }

    /// With a learned scale and shift, or without.
    public Options affine(boolean affine) {
      return new Options(eps, affine);
    }
  }

  private final int numGroups;
  private final long numChannels;
  private final Options options;
  private final @Nullable Parameter weight;
  private final @Nullable Parameter bias;

  /// With default options.
  public GroupNorm(int numGroups, long numChannels) {
    this(numGroups, numChannels, o -> o);
  }

  /// @param numGroups into how many groups the channels fall
  /// @param numChannels the number of channels
  /// @param options as in `o -> o.affine(false)`
  /// @throws ArgumentException if the groups do not divide the channels
  public GroupNorm(int numGroups, long numChannels, UnaryOperator<Options> options) {
    Sizes.positive("GroupNorm", "numGroups", numGroups);
    Sizes.positive("GroupNorm", "numChannels", numChannels);
    if (numChannels % numGroups != 0) {
      throw new ArgumentException(
          "GroupNorm: numGroups must divide numChannels, but numGroups is %d and numChannels %d."
              .formatted(numGroups, numChannels));
    }
    this.numGroups = numGroups;
    this.numChannels = numChannels;
    this.options = Sizes.chosen("GroupNorm", options, Options.DEFAULT);
    weight = this.options.affine() ? new Parameter(Tensor.ones(numChannels)) : null;
    bias = this.options.affine() ? new Parameter(Tensor.zeros(numChannels)) : null;
  }

  /// The scale, `[numChannels]`, or null.
  public @Nullable Parameter weight() {
    return weight;
  }

  /// The shift, `[numChannels]`, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.groupNorm(numGroups, weight, bias, options.eps());
  }

  @Override
  protected String extraRepr() {
    return "%d, %d, eps=%s, affine=%s"
        .formatted(
            numGroups, numChannels, Repr.number(options.eps()), Repr.truth(options.affine()));
  }
}
