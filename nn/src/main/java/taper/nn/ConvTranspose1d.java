package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The transposed convolution with learned windows over the last dimension.
///
/// - Shape: `[n in l] -> [n out l']` with `l' = (l - 1)·stride - 2·padding + dilation·(kernelSize - 1) + outputPadding + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of outputs of a group times the elements of a window
public final class ConvTranspose1d extends Layer {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param window stride, padding, dilation, outputPadding and groups
  /// @param bias whether there is a bias
  public record Options(ConvolutionOptions window, boolean bias) {
    /// Stride 1, no padding, dilation 1, one group, a bias.
    public static final Options DEFAULT = new Options(ConvolutionOptions.DEFAULT, true);

    /// With another stride.
    public Options stride(int stride) {
      return new Options(window.stride(stride), bias);
    }

    /// With another padding cut off on each side.
    public Options padding(int padding) {
      return new Options(window.padding(padding), bias);
    }

    /// With another distance between the elements of a window.
    public Options dilation(int dilation) {
      return new Options(window.dilation(dilation), bias);
    }

    /// With elements added at the end of the output.
    public Options outputPadding(int outputPadding) {
      return new Options(window.outputPadding(outputPadding), bias);
    }

    /// With the channels split into `groups` independent convolutions.
    public Options groups(int groups) {
      return new Options(window.groups(groups), bias);
    }

    /// With a bias, or without.
    public Options bias(boolean bias) {
      return new Options(window, bias);
    }
  }

  private final long inChannels;
  private final long outChannels;
  private final int kernelSize;
  private final Options options;
  private final Parameter weight;
  private final @Nullable Parameter bias;

  /// With default options.
  public ConvTranspose1d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public ConvTranspose1d(
      long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    Sizes.positive("ConvTranspose1d", "inChannels", inChannels);
    Sizes.positive("ConvTranspose1d", "outChannels", outChannels);
    Sizes.positive("ConvTranspose1d", "kernelSize", kernelSize);
    this.options = options.apply(Options.DEFAULT);
    int groups = this.options.window().groups();
    if (groups <= 0 || inChannels % groups != 0 || outChannels % groups != 0) {
      throw new ArgumentException(
          "ConvTranspose1d: groups must divide inChannels and outChannels, but there are %d groups, %d inputs and %d outputs."
              .formatted(groups, inChannels, outChannels));
    }
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.kernelSize = kernelSize;
    this.weight = Sizes.parameter(inChannels, outChannels / groups, kernelSize);
    this.bias = this.options.bias() ? Sizes.parameter(outChannels) : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public void resetParameters() {
    Sizes.resetWeightAndBias(weight, bias);
  }

  /// The weight, `[in out/groups kernelSize]`.
  public Parameter weight() {
    return weight;
  }

  /// The bias, `[out]`, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.convTranspose1d(weight, bias, _ -> options.window());
  }

  @Override
  protected String extraRepr() {
    ConvolutionOptions window = options.window();
    var text = new StringBuilder();
    text.append(inChannels).append(", ").append(outChannels);
    text.append(", kernel_size=").append(Repr.tuple(kernelSize));
    text.append(", stride=").append(Repr.tuple(window.stride().width()));
    if (window.padding().width() != 0) {
      text.append(", padding=").append(Repr.tuple(window.padding().width()));
    }
    if (window.dilation().width() != 1) {
      text.append(", dilation=").append(Repr.tuple(window.dilation().width()));
    }
    if (window.outputPadding().width() != 0) {
      text.append(", output_padding=").append(Repr.tuple(window.outputPadding().width()));
    }
    if (window.groups() != 1) {
      text.append(", groups=").append(window.groups());
    }
    if (bias == null) {
      text.append(", bias=False");
    }
    return text.toString();
  }
}
