package taper.nn;

import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// `x` of every positive element, a learned slope times it of the others: one for all, or one for each channel.
///
/// - Shape: `[n c *] -> [n c *]`
/// - Source: He, Zhang, Ren, Sun 2015, arXiv:1502.01852
public final class PReLU extends Layer {
  private final Parameter weight;

  /// With one slope, 0.25 at first.
  public PReLU() {
    this(1, 0.25);
  }

  /// @param numParameters how many slopes: 1, or one for each channel
  /// @param init what they are at first
  public PReLU(long numParameters, double init) {
    Sizes.positive("PReLU", "numParameters", numParameters);
    this.weight = Sizes.parameter(numParameters);
    Init.constant_(weight, init);
  }

  /// The slopes, `[numParameters]`.
  public Parameter weight() {
    return weight;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.prelu(weight);
  }

  @Override
  protected String extraRepr() {
    return "num_parameters=" + weight.numel();
  }
}
