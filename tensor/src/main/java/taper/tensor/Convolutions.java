package taper.tensor;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceConvolutions;

/// Convolutions in one, two and three dimensions, and transposed ones.
///
/// As everywhere in deep learning the window is not turned around, so these are cross-correlations. Inputs may lack the
/// batch dimension; the result lacks it then too.
public sealed interface Convolutions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the convolution with `weight`, with stride 1 and no padding.
  ///
  /// - Shape: `[n c h w], weight[o c kh kw], bias[o] -> [n o h-kh+1 w-kw+1]`
  ///
  /// @param bias may be null: nothing is added
  default Tensor conv2d(Tensor weight, @Nullable Tensor bias) {
    return conv2d(weight, bias, o -> o);
  }

  /// Returns the convolution with `weight`.
  ///
  /// - Shape: `[n c h w], weight[o c/groups kh kw], bias[o] -> [n o h' w']` with
  ///   `h' = (h + 2·padding - dilation·(kh - 1) - 1) / stride + 1`; the batch dimension may be missing
  /// - Types: floating; half types compute in `float32`
  /// - Gradient: to all
  ///
  /// @param bias may be null: nothing is added
  /// @param options stride, padding, dilation, groups, as in `o -> o.stride(2).padding(1)`
  /// @throws ShapeException if the channels do not fit each other and the groups, or the window is larger than the
  ///     padded input
  default Tensor conv2d(
      Tensor weight, @Nullable Tensor bias, UnaryOperator<ConvolutionOptions> options) {
    return Windows.conv2d(self(), weight, bias, options.apply(ConvolutionOptions.DEFAULT));
  }

  /// Returns the convolution with `weight` along one dimension, with stride 1 and no padding.
  ///
  /// - Shape: `[n c l], weight[o c k], bias[o] -> [n o l-k+1]`
  ///
  /// @param bias may be null: nothing is added
  default Tensor conv1d(Tensor weight, @Nullable Tensor bias) {
    return conv1d(weight, bias, o -> o);
  }

  /// Returns the convolution with `weight` along one dimension.
  ///
  /// - Shape: `[n c l], weight[o c/groups k], bias[o] -> [n o l']`; the batch dimension may be missing
  ///
  /// @param bias may be null: nothing is added
  /// @param options stride, padding, dilation, groups, as in `o -> o.stride(2).padding(1)`
  /// @throws ShapeException as [#conv2d(Tensor, Tensor, UnaryOperator)] does
  default Tensor conv1d(
      Tensor weight, @Nullable Tensor bias, UnaryOperator<ConvolutionOptions> options) {
    return Windows.conv1d(self(), weight, bias, options.apply(ConvolutionOptions.DEFAULT));
  }

  /// Returns the convolution of volumes with `weight`, with stride 1 and no padding.
  ///
  /// - Shape: `[n c d h w], weight[o c kd kh kw], bias[o] -> [n o d-kd+1 h-kh+1 w-kw+1]`
  ///
  /// @param bias may be null: nothing is added
  default Tensor conv3d(Tensor weight, @Nullable Tensor bias) {
    return conv3d(weight, bias, o -> o);
  }

  /// Returns the convolution of volumes with `weight`.
  ///
  /// - Shape: `[n c d h w], weight[o c/groups kd kh kw], bias[o] -> [n o d' h' w']`, with sizes as in
  ///   [#conv2d(Tensor, Tensor, UnaryOperator)]; the batch dimension may be missing
  ///
  /// @param bias may be null: nothing is added
  /// @param options stride, padding, dilation, groups, as in `o -> o.stride(2).padding(1)`
  /// @throws ShapeException as [#conv2d(Tensor, Tensor, UnaryOperator)] does
  default Tensor conv3d(
      Tensor weight, @Nullable Tensor bias, UnaryOperator<ConvolutionOptions> options) {
    return Windows.conv3d(self(), weight, bias, options.apply(ConvolutionOptions.DEFAULT));
  }

  /// Returns the transposed convolution with `weight` along one dimension; see
  /// [#convTranspose2d(Tensor, Tensor, UnaryOperator)].
  ///
  /// - Shape: `[n i l], weight[i o/groups k], bias[o] -> [n o l']`; the batch dimension may be missing
  ///
  /// @param bias may be null: nothing is added
  /// @param options stride, padding, outputPadding, dilation, groups
  default Tensor convTranspose1d(
      Tensor weight, @Nullable Tensor bias, UnaryOperator<ConvolutionOptions> options) {
    return Windows.transposed1d(self(), weight, bias, options.apply(ConvolutionOptions.DEFAULT));
  }

  /// Returns the transposed convolution with `weight`: what a convolution with the same window gives as the gradient of
  /// its input.
  ///
  /// - Shape: `[n i h w], weight[i o/groups kh kw], bias[o] -> [n o h' w']` with
  ///   `h' = (h - 1)·stride - 2·padding + dilation·(kh - 1) + outputPadding + 1`; the batch dimension may be missing
  ///
  /// @param bias may be null: nothing is added
  /// @param options stride, padding, outputPadding, dilation, groups, as in `o -> o.stride(2).padding(1)`
  /// @throws ShapeException if the channels do not fit each other and the groups, or nothing is left
  /// @throws ArgumentException if outputPadding is not smaller than stride or dilation
  default Tensor convTranspose2d(
      Tensor weight, @Nullable Tensor bias, UnaryOperator<ConvolutionOptions> options) {
    return Windows.transposed2d(self(), weight, bias, options.apply(ConvolutionOptions.DEFAULT));
  }

  /// Returns the transposed convolution of volumes with `weight`; see
  /// [#convTranspose2d(Tensor, Tensor, UnaryOperator)].
  ///
  /// - Shape: `[n i d h w], weight[i o/groups kd kh kw], bias[o] -> [n o d' h' w']`; the batch dimension may be missing
  ///
  /// @param bias may be null: nothing is added
  /// @param options stride, padding, outputPadding, dilation, groups
  default Tensor convTranspose3d(
      Tensor weight, @Nullable Tensor bias, UnaryOperator<ConvolutionOptions> options) {
    return Windows.transposed3d(self(), weight, bias, options.apply(ConvolutionOptions.DEFAULT));
  }

  /// How the window of a convolution of volumes moves.
  ///
  /// @param stride the step between elements of the result
  /// @param padding zeros before and after
  /// @param dilation the distance between elements of the window
  /// @param groups into how many independent convolutions the channels fall
  record Conv3d(Steps stride, Steps padding, Steps dilation, int groups) {}

  /// How the window of a transposed convolution moves; what is not there counts as one row or plane.
  ///
  /// @param stride the step between elements of the input, in elements of the result
  /// @param padding elements cut off before and after
  /// @param outputPadding elements added at the end
  /// @param dilation the distance between elements of the window
  /// @param groups into how many independent convolutions the channels fall
  record ConvTranspose(
      Steps stride, Steps padding, Steps outputPadding, Steps dilation, int groups) {

    /// The convolution that this one is the transposed of.
    Conv3d window() {
      return new Conv3d(stride, padding, dilation, groups);
    }
  }

  /// How the window of a two-dimensional convolution moves.
  ///
  /// @param strideH the step between rows of the result, in rows of the input
  /// @param strideW the step between columns
  /// @param paddingH rows of zeros above and below the input
  /// @param paddingW columns of zeros to the left and right
  /// @param dilationH the distance between rows of the window, 1 for neighbours
  /// @param dilationW the distance between columns of the window
  /// @param groups into how many independent convolutions the channels fall
  record Conv2d(
      int strideH,
      int strideW,
      int paddingH,
      int paddingW,
      int dilationH,
      int dilationW,
      int groups) {

    /// A window that moves by one element, without padding.
    public static final Conv2d DEFAULT = new Conv2d(1, 1, 0, 0, 1, 1, 1);
  }

  /// A convolution, and the size of its input, which does not follow from that of its result.
  ///
  /// @param window how the window moves
  /// @param height the rows of the input
  /// @param width the columns of the input
  record Conv2dInput(Conv2d window, long height, long width) {}

  /// A convolution, and the size of its window.
  ///
  /// @param window how the window moves
  /// @param height the rows of the window
  /// @param width the columns of the window
  record Conv2dWeight(Conv2d window, long height, long width) {}

  /// A convolution whose channels are normalized.
  ///
  /// @param window how the window moves
  /// @param eps is added to the variance
  /// @param relu whether negative results become zero
  record Conv2dNormalized(Conv2d window, double eps, boolean relu) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("convolutions");

    static final Operator<Conv2d> CONV2D =
        FAMILY
            .<Conv2d>structured(
                "conv2d",
                "input[n c h w], weight[o i kh kw], bias?[o] -> [n o oh ow]",
                ReferenceConvolutions.FORWARD)
            .sizes(Windows::conv2dSizes)
            .spreads("input", "weight")
            .dtypes(DTypes.SAME.complexProduct())
            .gradient("input", Keeps.inputs("weight"), b -> toInput(b, b.grad()))
            .gradient("weight", Keeps.inputs("input"), b -> toWeight(b, b.grad()))
            .gradient("bias", Keeps.NOTHING, b -> b.grad().sum(new int[] {0, 2, 3}, false))
            .gradientName("ConvolutionBackward0")
            .torch(
                "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1,"
                    + " SymInt[2] padding=0, SymInt[2] dilation=1, SymInt groups=1) -> Tensor")
            .sample(Conv2d.DEFAULT, "f32[2 3 5 6], f32[4 3 3 3], f32[4]")
            .sample(Conv2d.DEFAULT, "f32[2 3 5 6], f32[4 3 1 1], none")
            .sample(new Conv2d(1, 1, 1, 1, 1, 1, 1), "f32[2 1 7 7], f32[5 1 3 3], f32[5]")
            .sample(new Conv2d(2, 1, 1, 0, 1, 2, 1), "f32[1 3 7 8], f32[4 3 3 2], f32[4]")
            .sample(new Conv2d(1, 2, 1, 2, 2, 1, 2), "f32[2 4 6 5], f32[6 2 2 3], f32[6]")
            .sample(new Conv2d(1, 1, 1, 1, 1, 1, 3), "f32[2 3 4 4], f32[3 1 3 3], none")
            .sample(Conv2d.DEFAULT, "f32[0 3 5 5], f32[4 3 3 3], f32[4]")
            .sample(
                new Conv2d(70_000, 9, 0, 0, 1, Integer.MAX_VALUE, 1),
                "f32[1 2 3 5], f32[3 2 3 1], none")
            .sample(new Conv2d(90, 1, 100, 70, 80, 70, 1), "f32[1 2 3 5], f32[3 2 3 3], f32[3]")
            .sample(
                new Conv2d(
                    Integer.MAX_VALUE,
                    1,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE,
                    Integer.MAX_VALUE,
                    1),
                "f32[1 2 3 4], f32[3 2 3 3], f32[3]")
            .rejects(
                new Conv2d(0, 1, 0, 0, 1, 1, 1),
                "f32[1 3 8 8], f32[4 3 3 3], none",
                "conv2d: stride must be at least 1, but is 0 × 1.")
            .rejects(
                new Conv2d(1, 1, 0, -1, 1, 1, 1),
                "f32[1 3 8 8], f32[4 3 3 3], none",
                "conv2d: padding must not be negative, but is 0 × -1.")
            .rejects(
                new Conv2d(1, 1, 0, 0, 1, 0, 1),
                "f32[1 3 8 8], f32[4 3 3 3], none",
                "conv2d: dilation must be at least 1, but is 1 × 0.")
            .rejects(
                new Conv2d(1, 1, 0, 0, 1, 1, 0),
                "f32[1 3 8 8], f32[4 3 3 3], none",
                "conv2d: groups must be at least 1, but is 0.")
            .rejects(
                Conv2d.DEFAULT,
                "f32[1 3 8 8], f32[4 3 0 3], none",
                "conv2d: only the first two dimensions of weight may be empty, but it has shape [4,"
                    + " 3, 0, 3].")
            .rejects(
                new Conv2d(1, 1, 2, 2, 1, 1, 1),
                "f32[1 3 0 8], f32[4 3 3 3], none",
                "conv2d: only the first two dimensions of input may be empty, but it has shape [1,"
                    + " 3, 0, 8].")
            .rejects(
                new Conv2d(1, 1, 0, 0, Integer.MAX_VALUE, 1, 1),
                "f32[1 3 8 8], f32[4 3 3 3], none",
                "conv2d: the window must fit into the padded input, but it covers 4294967295 rows"
                    + " of 8 in input [1, 3, 8, 8] with weight [4, 3, 3, 3]. Use more padding or a"
                    + " smaller kernel.")
            .rejects(
                Conv2d.DEFAULT,
                "f32[8 3 32 32], f32[16 4 3 3], none",
                "conv2d: input must have groups × i channels, but input [8, 3, 32, 32] has 3 and"
                    + " weight [16, 4, 3, 3] takes 4 in each of 1 groups. Permute the input to [n"
                    + " c h w], or create the weight for its channels.")
            .rejects(
                new Conv2d(1, 1, 0, 0, 1, 1, 2),
                "f32[8 4 32 32], f32[3 2 3 3], none",
                "conv2d: the output channels must be a multiple of groups, but weight [3, 2, 3, 3]"
                    + " has 3 and groups is 2.")
            .rejects(
                Conv2d.DEFAULT,
                "f32[1 3 2 8], f32[4 3 3 3], none",
                "conv2d: the window must fit into the padded input, but it covers 3 rows of 2 in"
                    + " input [1, 3, 2, 8] with weight [4, 3, 3, 3]. Use more padding or a smaller"
                    + " kernel.")
            .rejects(
                Conv2d.DEFAULT,
                "f32[1 3 8 8], f32[4 3 3 3], f32[3]",
                "conv2d: dimension o is 4 in weight [4, 3, 3, 3], but 3 in bias [3]."
                    + " They must be equal; see transpose and reshape.")
            .declare();

    /// `relu(conv2d(input))`.
    static final Operator<Conv2d> CONV2D_RELU =
        FAMILY
            .<Conv2d>structured(
                "conv2dRelu",
                "input[n c h w], weight[o i kh kw], bias?[o] -> [n o oh ow]",
                ReferenceConvolutions.FORWARD_RELU)
            .sizes(Windows::conv2dSizes)
            .spreads("input", "weight")
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "input",
                Keeps.inputs("weight").andOutputs(0),
                b -> toInput(b, OnePass.reluGradient(b)))
            .gradient(
                "weight",
                Keeps.inputs("input").andOutputs(0),
                b -> toWeight(b, OnePass.reluGradient(b)))
            .gradient(
                "bias", Keeps.OUTPUT, b -> OnePass.reluGradient(b).sum(new int[] {0, 2, 3}, false))
            .gradientName("ReluBackward0")
            .own()
            .sample(Conv2d.DEFAULT, "f32[2 3 5 6], f32[4 3 3 3], f32[4]")
            .sample(Conv2d.DEFAULT, "f32[2 3 5 6], f32[4 3 1 1], none")
            .sample(new Conv2d(2, 1, 1, 0, 1, 2, 1), "f32[1 3 7 8], f32[4 3 3 2], f32[4]")
            .declare();

    static final Operator<Conv2dInput> CONV2D_INPUT_GRADIENT =
        FAMILY
            .<Conv2dInput>structured(
                "conv2dInputGradient",
                "grad[n o oh ow], weight[o i kh kw] -> [n c h w]",
                ReferenceConvolutions.INPUT_GRADIENT)
            .sizes(Windows::conv2dInputSizes)
            .spreads("grad", "weight")
            .dtypes(DTypes.SAME.complexProduct())
            .gradient(
                "grad",
                Keeps.inputs("weight"),
                b ->
                    Operators.CONV2D.on(
                        b.attributes().window(), b.grad(), b.input("weight").conj(), null))
            .gradient(
                "weight",
                Keeps.inputs("grad"),
                b ->
                    Operators.CONV2D_WEIGHT_GRADIENT.on(
                        new Conv2dWeight(
                            b.attributes().window(), b.sizes("weight")[2], b.sizes("weight")[3]),
                        b.input("grad").conj(),
                        b.grad()))
            .gradientName("ConvolutionBackwardBackward0")
            .own()
            .sample(new Conv2dInput(Conv2d.DEFAULT, 5, 6), "f32[2 4 3 4], f32[4 3 3 3]")
            .sample(
                new Conv2dInput(new Conv2d(2, 1, 1, 0, 1, 2, 1), 7, 8),
                "f32[1 4 4 6], f32[4 3 3 2]")
            .sample(
                new Conv2dInput(new Conv2d(1, 2, 1, 2, 2, 1, 2), 6, 5),
                "f32[2 6 6 4], f32[6 2 2 3]")
            .sample(
                new Conv2dInput(new Conv2d(90, 1, 100, 70, 80, 70, 1), 3, 5),
                "f32[1 3 1 5], f32[3 2 3 3]")
            .sample(
                new Conv2dInput(new Conv2d(300, 400, 0, 0, 1, 1, 1), 302, 402),
                "f32[1 3 2 2], f32[3 2 1 1]")
            .rejects(
                new Conv2dInput(Conv2d.DEFAULT, 5, 7),
                "f32[2 4 3 4], f32[4 3 3 3]",
                "conv2dInputGradient: grad must have 3 rows and 5 columns, but has shape [2, 4, 3,"
                    + " 4].")
            .rejects(
                new Conv2dInput(Conv2d.DEFAULT, 5, -6),
                "f32[2 4 3 4], f32[4 3 3 3]",
                "conv2dInputGradient: sizes must not be negative, but the input has shape [2, 3, 5,"
                    + " -6] and the weight [4, 3, 3, 3].")
            .declare();

    static final Operator<Conv2dWeight> CONV2D_WEIGHT_GRADIENT =
        FAMILY
            .<Conv2dWeight>structured(
                "conv2dWeightGradient",
                "grad[n o oh ow], input[n c h w] -> [o i kh kw]",
                ReferenceConvolutions.WEIGHT_GRADIENT)
            .sizes(Windows::conv2dWeightSizes)
            .spreads("grad", "input")
            .dtypes(DTypes.SAME.complexProduct())
            .gradient(
                "grad",
                Keeps.inputs("input"),
                b ->
                    Operators.CONV2D.on(
                        b.attributes().window(), b.input("input").conj(), b.grad(), null))
            .gradient(
                "input",
                Keeps.inputs("grad"),
                b ->
                    Operators.CONV2D_INPUT_GRADIENT.on(
                        new Conv2dInput(
                            b.attributes().window(), b.sizes("input")[2], b.sizes("input")[3]),
                        b.input("grad").conj(),
                        b.grad()))
            .gradientName("ConvolutionBackwardBackward0")
            .own()
            .sample(new Conv2dWeight(Conv2d.DEFAULT, 3, 3), "f32[2 4 3 4], f32[2 3 5 6]")
            .sample(
                new Conv2dWeight(new Conv2d(2, 1, 1, 0, 1, 2, 1), 3, 2),
                "f32[1 4 4 6], f32[1 3 7 8]")
            .sample(
                new Conv2dWeight(new Conv2d(1, 2, 1, 2, 2, 1, 2), 2, 3),
                "f32[2 6 6 4], f32[2 4 6 5]")
            .sample(
                new Conv2dWeight(new Conv2d(90, 1, 100, 70, 80, 70, 1), 3, 3),
                "f32[1 3 1 5], f32[1 2 3 5]")
            .rejects(
                new Conv2dWeight(Conv2d.DEFAULT, 2, 3),
                "f32[2 4 3 4], f32[2 3 5 6]",
                "conv2dWeightGradient: grad must have 4 rows and 4 columns, but has shape [2, 4, 3,"
                    + " 4].")
            .rejects(
                new Conv2dWeight(new Conv2d(1, 1, 0, 0, 1, 1, 2), 3, 3),
                "f32[2 4 3 4], f32[2 3 5 6]",
                "conv2dWeightGradient: input must have groups × i channels, but input [2, 3, 5, 6]"
                    + " has 3 and weight [4, 1, 3, 3] takes 1 in each of 2 groups. Permute the"
                    + " input to [n c h w], or create the weight for its channels.")
            .declare();

    static final Operator<Conv2dNormalized> CONV2D_NORMALIZED =
        FAMILY
            .<Conv2dNormalized>structured(
                "conv2dNormalized",
                "input[n c h w], weight[o i kh kw], bias?[o], scale?[o], shift?[o], mean[o],"
                    + " variance[o], addend?[n o oh ow] -> [n o oh ow]",
                ReferenceConvolutions.NORMALIZED)
            .sizes((a, shapes) -> Windows.conv2dSizes(a.window(), shapes))
            .spreads("input", "weight", "scale", "mean", "variance")
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .own()
            .sample(
                new Conv2dNormalized(Conv2d.DEFAULT, 1e-5, false),
                "f32[2 3 5 6], f32[4 3 1 1], none, f32[4], f32[4], f32[4], f32[4] in 0.5..2, none")
            .sample(
                new Conv2dNormalized(Conv2d.DEFAULT, 1e-5, true),
                "f32[2 17 5 7], f32[33 17 1 1], f32[33], none, f32[33], f32[33], f32[33] in 0.5..2,"
                    + " f32[2 33 5 7]")
            .sample(
                new Conv2dNormalized(new Conv2d(1, 1, 1, 1, 1, 1, 1), 1e-5, true),
                "f32[2 16 9 13], f32[18 16 3 3], none, f32[18], none, f32[18], f32[18] in 0.5..2,"
                    + " f32[2 18 9 13]")
            .sample(
                new Conv2dNormalized(new Conv2d(1, 1, 1, 1, 1, 1, 1), 1e-5, true),
                "f32[1 18 12 9], f32[50 18 3 3] in -0.2..0.2, f32[50], f32[50], f32[50], f32[50],"
                    + " f32[50] in 0.5..2, none")
            .sample(
                new Conv2dNormalized(new Conv2d(2, 2, 1, 1, 1, 1, 2), 0.1, true),
                "f32[2 4 6 5], f32[6 2 3 3], none, f32[6], f32[6], f32[6], f32[6] in 0.5..2,"
                    + " f32[2 6 3 3]")
            .declare();

    static final Operator<Conv3d> CONV3D =
        FAMILY
            .<Conv3d>composite(
                "conv3d",
                "input[n c d h w], weight[o i kd kh kw], bias?[o] -> [n o od oh ow]",
                Windows::conv3d)
            .spreads("weight")
            .dtypes(DTypes.SAME.complexProduct())
            .torch(
                "aten::conv3d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[3] stride=1,"
                    + " SymInt[3] padding=0, SymInt[3] dilation=1, SymInt groups=1) -> Tensor")
            .sample(
                new Conv3d(Steps.all(1), Steps.all(0), Steps.all(1), 1),
                "f32[2 2 3 4 3], f32[3 2 2 2 2], f32[3]")
            .sample(
                new Conv3d(new Steps(2, 1, 1), new Steps(1, 0, 1), new Steps(2, 1, 1), 2),
                "f32[1 4 4 3 3], f32[2 2 2 2 1], none")
            .rejects(
                new Conv3d(Steps.all(1), Steps.all(0), Steps.all(1), 1),
                "f32[1 3 2 8 8], f32[4 3 3 3 3], none",
                "conv3d: the window must fit into the padded input, but it covers 3 planes of 2 in"
                    + " input [1, 3, 2, 8, 8] with weight [4, 3, 3, 3, 3]. Use more padding or a"
                    + " smaller kernel.")
            .declare();

    static final Operator<ConvTranspose> CONV_TRANSPOSE1D =
        FAMILY
            .<ConvTranspose>composite(
                "convTranspose1d",
                "input[n i l], weight[i o k], bias?[m] -> [n m ol]",
                (a, in) -> {
                  Tensor x = in.get("input").unsqueeze(-2);
                  Tensor weight = in.get("weight").unsqueeze(-2);
                  return Windows.transposed2d("convTranspose1d", a, x, weight, in.find("bias"))
                      .squeeze(-2);
                })
            .spreads("weight")
            .dtypes(DTypes.SAME.complexProduct())
            .torch(
                "aten::conv_transpose1d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[1]"
                    + " stride=1, SymInt[1] padding=0, SymInt[1] output_padding=0, SymInt groups=1,"
                    + " SymInt[1] dilation=1) -> Tensor")
            .sample(
                new ConvTranspose(
                    new Steps(1, 1, 2), new Steps(0, 0, 1), new Steps(0, 0, 1), Steps.all(1), 1),
                "f32[2 3 4], f32[3 2 3], f32[2]")
            .declare();

    static final Operator<ConvTranspose> CONV_TRANSPOSE2D =
        FAMILY
            .<ConvTranspose>composite(
                "convTranspose2d",
                "input[n i h w], weight[i o kh kw], bias?[m] -> [n m oh ow]",
                (a, in) ->
                    Windows.transposed2d(
                        "convTranspose2d", a, in.get("input"), in.get("weight"), in.find("bias")))
            .spreads("weight")
            .dtypes(DTypes.SAME.complexProduct())
            .torch(
                "aten::conv_transpose2d.input(Tensor input, Tensor weight, Tensor? bias=None,"
                    + " SymInt[2] stride=1, SymInt[2] padding=0, SymInt[2] output_padding=0, SymInt"
                    + " groups=1, SymInt[2] dilation=1) -> Tensor")
            .sample(
                new ConvTranspose(Steps.all(1), Steps.all(0), Steps.all(0), Steps.all(1), 1),
                "f32[2 3 4 3], f32[3 2 2 3], f32[2]")
            .sample(
                new ConvTranspose(Steps.all(2), Steps.all(1), Steps.all(1), new Steps(1, 2, 1), 2),
                "f32[1 4 3 2], f32[4 1 3 3], none")
            .declare();

    static final Operator<ConvTranspose> CONV_TRANSPOSE3D =
        FAMILY
            .<ConvTranspose>composite(
                "convTranspose3d",
                "input[n i d h w], weight[i o kd kh kw], bias?[m] -> [n m od oh ow]",
                Windows::transposed3d)
            .spreads("weight")
            .dtypes(DTypes.SAME.complexProduct())
            .torch(
                "aten::conv_transpose3d.input(Tensor input, Tensor weight, Tensor? bias=None,"
                    + " SymInt[3] stride=1, SymInt[3] padding=0, SymInt[3] output_padding=0, SymInt"
                    + " groups=1, SymInt[3] dilation=1) -> Tensor")
            .sample(
                new ConvTranspose(
                    new Steps(2, 1, 2), new Steps(1, 0, 1), new Steps(1, 0, 0), Steps.all(1), 1),
                "f32[1 2 2 3 2], f32[2 2 3 2 2], f32[2]")
            .declare();

    private static Tensor toInput(Backward<Conv2d> b, Tensor grad) {
      long[] input = b.sizes("input");
      return CONV2D_INPUT_GRADIENT.on(
          new Conv2dInput(b.attributes(), input[2], input[3]), grad, b.input("weight").conj());
    }

    private static Tensor toWeight(Backward<Conv2d> b, Tensor grad) {
      long[] weight = b.sizes("weight");
      return CONV2D_WEIGHT_GRADIENT.on(
          new Conv2dWeight(b.attributes(), weight[2], weight[3]), grad, b.input("input").conj());
    }

    private Operators() {}
  }
}
