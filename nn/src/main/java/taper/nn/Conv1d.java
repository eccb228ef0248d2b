package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The convolution with learned windows along the last dimension.
///
/// - Shape: `[n in l] -> [n out l']` with `l' = (l + 2·padding - dilation·(kernelSize - 1) - 1) / stride + 1`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of inputs of a window
public final class Conv1d extends Layer {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param window stride, padding, dilation and groups
  /// @param bias whether there is a bias
  public record Options(ConvolutionOptions window, boolean bias) {
    /// Stride 1, no padding, dilation 1, one group, a bias.
    public static final Options DEFAULT = new Options(ConvolutionOptions.DEFAULT, true);

    /// With another stride.
    public Options stride(int stride) {
      return new Options(window.stride(stride), bias);
    }

    /// With another padding of zeros on each side.
    public Options padding(int padding) {
      return new Options(window.padding(padding), bias);
    }

    /// With another distance between the elements of a window.
    public Options dilation(int dilation) {
      return new Options(window.dilation(dilation), bias);
    }

    /// With the channels split into `groups` independent convolutions.
    public Options groups(int groups) {
      return new Options(window.groups(groups), bias);
    }

    /// With as much padding as `mode` names: `valid` for none, `same` for as much as keeps the size.
    public Options padding(String mode) {
      return new Options(window.padding(mode), bias);
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
  public Conv1d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public Conv1d(long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    Sizes.positive("Conv1d", "inChannels", inChannels);
    Sizes.positive("Conv1d", "outChannels", outChannels);
    Sizes.positive("Conv1d", "kernelSize", kernelSize);
    this.options = options.apply(Options.DEFAULT);
    int groups = this.options.window().groups();
    if (groups <= 0 || inChannels % groups != 0 || outChannels % groups != 0) {
      throw new ArgumentException(
          "Conv1d: groups must divide inChannels and outChannels, but there are %d groups, %d inputs and %d outputs."
              .formatted(groups, inChannels, outChannels));
    }
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.kernelSize = kernelSize;
    this.weight = Sizes.parameter(outChannels, inChannels / groups, kernelSize);
    this.bias = this.options.bias() ? Sizes.parameter(outChannels) : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public void resetParameters() {
    Sizes.resetWeightAndBias(weight, bias);
  }

  /// The weight, `[out in/groups kernelSize]`.
  public Parameter weight() {
    return weight;
  }

  /// The bias, `[out]`, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.conv1d(weight, bias, _ -> options.window());
  }

  @Override
  protected String extraRepr() {
    ConvolutionOptions window = options.window();
    var text = new StringBuilder();
    text.append(inChannels).append(", ").append(outChannels);
    text.append(", kernel_size=").append(Repr.tuple(kernelSize));
    text.append(", stride=").append(Repr.tuple(window.stride().width()));
    if (window.same()) {
      text.append(", padding=same");
    } else if (window.padding().width() != 0) {
      text.append(", padding=").append(Repr.tuple(window.padding().width()));
    }
    if (window.dilation().width() != 1) {
      text.append(", dilation=").append(Repr.tuple(window.dilation().width()));
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
