package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The transposed convolution with learned windows over rows and columns.
///
/// - Shape: `[n in h w] -> [n out h' w']` with `l' = (l - 1)·stride - 2·padding + dilation·(kernelSize - 1) + outputPadding + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of outputs of a group times the elements of a window
public final class ConvTranspose2d extends Layer {

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

    /// With another stride for rows and columns.
    public Options stride(int height, int width) {
      return new Options(window.stride(height, width), bias);
    }

    /// With another padding cut off on each side.
    public Options padding(int padding) {
      return new Options(window.padding(padding), bias);
    }

    /// With another padding cut off on each side for rows and columns.
    public Options padding(int height, int width) {
      return new Options(window.padding(height, width), bias);
    }

    /// With another distance between the elements of a window.
    public Options dilation(int dilation) {
      return new Options(window.dilation(dilation), bias);
    }

    /// With another distance between the elements of a window for rows and columns.
    public Options dilation(int height, int width) {
      return new Options(window.dilation(height, width), bias);
    }

    /// With elements added at the end of the output.
    public Options outputPadding(int outputPadding) {
      return new Options(window.outputPadding(outputPadding), bias);
    }

    /// With elements added at the end of the output for rows and columns.
    public Options outputPadding(int height, int width) {
      return new Options(window.outputPadding(height, width), bias);
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
  private final int height;
  private final int width;
  private final Options options;
  private final Parameter weight;
  private final @Nullable Parameter bias;

  /// With windows of the same size along every dimension, and default options.
  public ConvTranspose2d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the same size along every dimension.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  public ConvTranspose2d(
      long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    this(inChannels, outChannels, kernelSize, kernelSize, options);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public ConvTranspose2d(
      long inChannels, long outChannels, int height, int width, UnaryOperator<Options> options) {
    Sizes.positive("ConvTranspose2d", "inChannels", inChannels);
    Sizes.positive("ConvTranspose2d", "outChannels", outChannels);
    Sizes.positive("ConvTranspose2d", "height", height);
    Sizes.positive("ConvTranspose2d", "width", width);
    this.options = options.apply(Options.DEFAULT);
    int groups = this.options.window().groups();
    if (groups <= 0 || inChannels % groups != 0 || outChannels % groups != 0) {
      throw new ArgumentException(
          "ConvTranspose2d: groups must divide inChannels and outChannels, but there are %d groups, %d inputs and %d outputs."
              .formatted(groups, inChannels, outChannels));
    }
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.height = height;
    this.width = width;
    this.weight = Sizes.parameter(inChannels, outChannels / groups, height, width);
    this.bias = this.options.bias() ? Sizes.parameter(outChannels) : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public void resetParameters() {
    Sizes.resetWeightAndBias(weight, bias);
  }

  /// The weight, `[in out/groups height width]`.
  public Parameter weight() {
    return weight;
  }

  /// The bias, `[out]`, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.convTranspose2d(weight, bias, _ -> options.window());
  }

  @Override
  protected String extraRepr() {
    ConvolutionOptions window = options.window();
    var text = new StringBuilder();
    text.append(inChannels).append(", ").append(outChannels);
    text.append(", kernel_size=").append(Repr.tuple(height, width));
    text.append(", stride=").append(Repr.tuple(window.stride().height(), window.stride().width()));
    if (window.padding().height() != 0 || window.padding().width() != 0) {
      text.append(", padding=")
          .append(Repr.tuple(window.padding().height(), window.padding().width()));
    }
    if (window.dilation().height() != 1 || window.dilation().width() != 1) {
      text.append(", dilation=")
          .append(Repr.tuple(window.dilation().height(), window.dilation().width()));
    }
    if (window.outputPadding().height() != 0 || window.outputPadding().width() != 0) {
      text.append(", output_padding=")
          .append(Repr.tuple(window.outputPadding().height(), window.outputPadding().width()));
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
