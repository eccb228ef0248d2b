package taper.nn;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Parameter;
import taper.tensor.Steps;

/// What convolutions with learned windows have in common: sizes, options, weight and bias.
public abstract sealed class Convolution extends Layer
    permits Conv1d, Conv2d, Conv3d, ConvTranspose1d, ConvTranspose2d, ConvTranspose3d {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// One number counts for all dimensions; two are for rows and columns, three for depth, rows and columns. Convolutions
  /// along one dimension read the last.
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

    /// With another stride for depth, rows and columns.
    public Options stride(int depth, int height, int width) {
      return new Options(window.stride(depth, height, width), bias);
    }

    /// With another padding on each side: of zeros, or cut off where the convolution is transposed.
    public Options padding(int padding) {
      return new Options(window.padding(padding), bias);
    }

    /// With another padding on each side for rows and columns.
    public Options padding(int height, int width) {
      return new Options(window.padding(height, width), bias);
    }

    /// With another padding on each side for depth, rows and columns.
    public Options padding(int depth, int height, int width) {
      return new Options(window.padding(depth, height, width), bias);
    }

    /// With as much padding as `mode` names: `valid` for none, `same` for as much as keeps the size, which transposed
    /// convolutions do not know.
    public Options padding(String mode) {
      return new Options(window.padding(mode), bias);
    }

    /// With another distance between the elements of a window.
    public Options dilation(int dilation) {
      return new Options(window.dilation(dilation), bias);
    }

    /// With another distance between the elements of a window for rows and columns.
    public Options dilation(int height, int width) {
      return new Options(window.dilation(height, width), bias);
    }

    /// With another distance between the elements of a window for depth, rows and columns.
    public Options dilation(int depth, int height, int width) {
      return new Options(window.dilation(depth, height, width), bias);
    }

    /// With elements added at the end of the output; transposed convolutions only.
    public Options outputPadding(int outputPadding) {
      return new Options(window.outputPadding(outputPadding), bias);
    }

    /// With rows and columns added at the end of the output; transposed convolutions only.
    public Options outputPadding(int height, int width) {
      return new Options(window.outputPadding(height, width), bias);
    }

    /// With planes, rows and columns added at the end of the output; transposed convolutions only.
    public Options outputPadding(int depth, int height, int width) {
      return new Options(window.outputPadding(depth, height, width), bias);
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
  private final long[] kernelSize;
  private final ConvolutionOptions window;
  private final Parameter weight;
  private final @Nullable Parameter bias;

  Convolution(
      boolean transposed,
      long inChannels,
      long outChannels,
      UnaryOperator<Options> options,
      long... kernelSize) {
    Sizes.positive(typeName(), "inChannels", inChannels);
    Sizes.positive(typeName(), "outChannels", outChannels);
    Sizes.window(typeName(), kernelSize);
    Options o = Sizes.chosen(typeName(), options, Options.DEFAULT);
    this.inChannels = inChannels;
    this.outChannels = outChannels;
    this.kernelSize = kernelSize;
    this.window = o.window();
    check(transposed);
    long in = transposed ? outChannels : inChannels;
    long[] sizes = new long[2 + kernelSize.length];
    sizes[0] = transposed ? inChannels : outChannels;
    sizes[1] = in / window.groups();
    System.arraycopy(kernelSize, 0, sizes, 2, kernelSize.length);
    this.weight = Sizes.parameter(sizes);
    this.bias = o.bias() ? Sizes.parameter(outChannels) : null;
    resetParameters();
  }

  private void check(boolean transposed) {
    int groups = window.groups();
    if (groups <= 0 || inChannels % groups != 0 || outChannels % groups != 0) {
      throw new ArgumentException(
          "%s: groups must divide inChannels and outChannels, but there are %d groups, %d inputs and %d outputs."
              .formatted(typeName(), groups, inChannels, outChannels));
    }
    if (transposed && window.same()) {
      throw new ArgumentException(
          "%s: padding must be a number, since only convolutions that are not transposed can keep the size, but is 'same'."
              .formatted(typeName()));
    }
    if (!transposed && !window.outputPadding().equals(Steps.all(0))) {
      throw new ArgumentException(
          "%s: outputPadding must be 0, since only transposed convolutions have one, but is %s."
              .formatted(typeName(), Repr.oneOr(along(window.outputPadding()))));
    }
  }

  /// Draws the parameters again.
  public final void resetParameters() {
    Sizes.resetWeightAndBias(weight, bias);
  }

  /// The weight: `[out in/groups …]`, or `[in out/groups …]` if the convolution is transposed, and then the sizes of a window.
  public final Parameter weight() {
    return weight;
  }

  /// The bias, `[out]`, or null.
  public final @Nullable Parameter bias() {
    return bias;
  }

  final ConvolutionOptions window() {
    return window;
  }

  /// The numbers for the dimensions of a window.
  private long[] along(Steps steps) {
    return Sizes.along(steps, kernelSize.length);
  }

  @Override
  protected final String extraRepr() {
    var text = new StringBuilder();
    text.append(inChannels).append(", ").append(outChannels);
    text.append(", kernel_size=").append(Repr.tuple(kernelSize));
    text.append(", stride=").append(Repr.tuple(along(window.stride())));
    if (window.same()) {
      text.append(", padding=same");
    }
    appendUnless(0, text, ", padding=", window.padding());
    appendUnless(1, text, ", dilation=", window.dilation());
    appendUnless(0, text, ", output_padding=", window.outputPadding());
    if (window.groups() != 1) {
      text.append(", groups=").append(window.groups());
    }
    if (bias == null) {
      text.append(", bias=False");
    }
    return text.toString();
  }

  private void appendUnless(int usual, StringBuilder text, String name, Steps steps) {
    long[] values = along(steps);
    if (Arrays.stream(values).anyMatch(v -> v != usual)) {
      text.append(name).append(Repr.tuple(values));
    }
  }
}
