package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The convolution with learned windows over depth, rows and columns.
///
/// - Shape: `[n in d h w] -> [n out d' h' w']` with `l' = (l + 2·padding - dilation·(kernelSize - 1) - 1) / stride + 1` for every dimension `l`; the batch dimension may be missing
/// - Initial values: uniform within ±1/√n, where n is the number of inputs of a window
public final class Conv3d extends Layer {

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

    /// With another stride for depth, rows and columns.
    public Options stride(int depth, int height, int width) {
      return new Options(window.stride(depth, height, width), bias);
    }

    /// With another padding of zeros on each side.
    public Options padding(int padding) {
      return new Options(window.padding(padding), bias);
    }

    /// With another padding of zeros on each side for depth, rows and columns.
    public Options padding(int depth, int height, int width) {
      return new Options(window.padding(depth, height, width), bias);
    }

    /// With another distance between the elements of a window.
    public Options dilation(int dilation) {
      return new Options(window.dilation(dilation), bias);
    }

    /// With another distance between the elements of a window for depth, rows and columns.
    public Options dilation(int depth, int height, int width) {
      return new Options(window.dilation(depth, height, width), bias);
    }

    /// With as much padding as `mode` names: `valid` for none, `same` for as much as keeps the size.
    public Options padding(String mode) {
      return new Options(window.padding(mode), bias);
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
  private final int depth;
  private final int height;
  private final int width;
  private final Options options;
  private final Parameter weight;
  private final @Nullable Parameter bias;

  /// With windows of the same size along every dimension, and default options.
  public Conv3d(long inChannels, long outChannels, int kernelSize) {
    this(inChannels, outChannels, kernelSize, o -> o);
  }

  /// With windows of the same size along every dimension.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  public Conv3d(long inChannels, long outChannels, int kernelSize, UnaryOperator<Options> options) {
    this(inChannels, outChannels, kernelSize, kernelSize, kernelSize, options);
  }

  /// With windows of the given size.
  ///
  /// @param options as in `o -> o.padding(1).bias(false)`
  /// @throws ArgumentException if the groups do not divide the channels, or a size is not positive
  public Conv3d(
      long inChannels,
      long outChannels,
      int depth,
      int height,
      int width,
      UnaryOperator<Options> options) {
    Sizes.positive("Conv3d", "inChannels", inChannels);
    Sizes.positive("Conv3d", "outChannels", outChannels);
    Sizes.positive("Conv3d", "depth", depth);
    Sizes.positive("Conv3d", "height", height);
    Sizes.positive("Conv3d", "width", width);
    this.options = options.apply(Options.DEFAULT);
    int groups = this.options.window().groups();
    if (groups <= 0 || inChannels % groups != 0 || outChannels % groups != 0) {
      throw new ArgumentException(
          "Conv3d: groups must divide inChannels and outChannels, but there are %d groups, %d inputs and %d outputs."
              .formatted(groups, inChannels, outChannels));
    }
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.depth = depth;
    this.height = height;
    this.width = width;
    this.weight = Sizes.parameter(outChannels, inChannels / groups, depth, height, width);
    this.bias = this.options.bias() ? Sizes.parameter(outChannels) : null;
    resetParameters();
  }

  /// Draws the parameters again.
  public void resetParameters() {
    Sizes.resetWeightAndBias(weight, bias);
  }

  /// The weight, `[out in/groups depth height width]`.
  public Parameter weight() {
    return weight;
  }

  /// The bias, `[out]`, or null.
  public @Nullable Parameter bias() {
    return bias;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.conv3d(weight, bias, _ -> options.window());
  }

  @Override
  protected String extraRepr() {
    ConvolutionOptions window = options.window();
    var text = new StringBuilder();
    text.append(inChannels).append(", ").append(outChannels);
    text.append(", kernel_size=").append(Repr.tuple(depth, height, width));
    text.append(", stride=")
        .append(
            Repr.tuple(window.stride().depth(), window.stride().height(), window.stride().width()));
    if (window.same()) {
      text.append(", padding=same");
    } else if (window.padding().depth() != 0
        || window.padding().height() != 0
        || window.padding().width() != 0) {
      text.append(", padding=")
          .append(
              Repr.tuple(
                  window.padding().depth(), window.padding().height(), window.padding().width()));
    }
    if (window.dilation().depth() != 1
        || window.dilation().height() != 1
        || window.dilation().width() != 1) {
      text.append(", dilation=")
          .append(
              Repr.tuple(
                  window.dilation().depth(),
                  window.dilation().height(),
                  window.dilation().width()));
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
