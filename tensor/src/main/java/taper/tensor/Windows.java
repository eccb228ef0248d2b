package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.Convolutions.Conv2d;
import taper.tensor.Convolutions.Conv2dInput;
import taper.tensor.Convolutions.Conv2dWeight;

/// What the declarations of [Convolutions] share: sizes, and forms that come down to one kernel.
final class Windows {
  private Windows() {}

  static Tensor conv2d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    checkOptions("conv2d", options);
    if (input.dim() == 3) {
      return conv2d(input.unsqueeze(0), weight, bias, options).squeeze(0);
    }
    int paddingH = options.paddingH();
    int paddingW = options.paddingW();
    Tensor padded = input;
    if (options.same() && input.dim() == 4 && weight.dim() == 4) {
      long totalH = same("conv2d", options.strideH(), options.dilationH(), weight.size(2));
      long totalW = same("conv2d", options.strideW(), options.dilationW(), weight.size(3));
      paddingH = (int) (totalH / 2);
      paddingW = (int) (totalW / 2);
      padded = oneMoreAtTheEnd(oneMoreAtTheEnd(input, 2, totalH), 3, totalW);
    }
    var window =
        new Conv2d(
            options.strideH(),
            options.strideW(),
            paddingH,
            paddingW,
            options.dilationH(),
            options.dilationW(),
            options.groups());
    return Convolutions.Operators.CONV2D.on(window, padded, weight, bias);
  }

  static Tensor conv1d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    if (input.dim() < 2 || input.dim() > 3 || weight.dim() != 3) {
      throw new ShapeException(
          "conv1d: input must have the dimensions [n c l] or [c l] and weight [o i k], but input has shape %s and weight %s."
              .formatted(input.shape(), weight.shape()));
    }
    var row =
        new ConvolutionOptions(
            1,
            options.strideW(),
            0,
            options.paddingW(),
            1,
            options.dilationW(),
            options.groups(),
            options.same());
    return conv2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, row).squeeze(-2);
  }

  private static void checkOptions(String op, ConvolutionOptions o) {
    if (o.strideH() < 1 || o.strideW() < 1) {
      throw new ArgumentException(
          "%s: stride must be at least 1, but is %d × %d.".formatted(op, o.strideH(), o.strideW()));
    }
    if (o.paddingH() < 0 || o.paddingW() < 0) {
      throw new ArgumentException(
          "%s: padding must not be negative, but is %d × %d."
              .formatted(op, o.paddingH(), o.paddingW()));
    }
    if (o.dilationH() < 1 || o.dilationW() < 1) {
      throw new ArgumentException(
          "%s: dilation must be at least 1, but is %d × %d."
              .formatted(op, o.dilationH(), o.dilationW()));
    }
    if (o.groups() < 1) {
      throw new ArgumentException(
          "%s: groups must be at least 1, but is %d.".formatted(op, o.groups()));
    }
  }

  private static long same(String op, int stride, int dilation, long kernel) {
    if (stride != 1) {
      throw new ArgumentException(
          "%s: padding 'same' takes stride 1, but stride is %d. Give the padding as a number."
              .formatted(op, stride));
    }
    return dilation * (kernel - 1);
  }

  /// An odd total padding has its extra line at the end, as in PyTorch.
  private static Tensor oneMoreAtTheEnd(Tensor x, int dim, long total) {
    if (total % 2 == 0) {
      return x;
    }
    long[] sizes = x.sizes();
    sizes[dim] = 1;
    return Tensor.cat(List.of(x, Tensor.zeros(x.dtype(), sizes)), dim);
  }

  /// How often a window fits: the size of a dimension of the result.
  private static long steps(long size, long padding, long covered, int stride) {
    return (size + 2 * padding - covered) / stride + 1;
  }

  static Map<String, Long> conv2dSizes(Conv2d a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    long[] w = shapes.get(1);
    assert x != null && w != null;
    if (x[1] != w[1] * a.groups()) {
      throw new ShapeException(
          "conv2d: input must have groups × i channels, but input %s has %d and weight %s takes %d in each of %d groups. Permute the input to [n c h w], or create the weight for its channels."
              .formatted(Arrays.toString(x), x[1], Arrays.toString(w), w[1], a.groups()));
    }
    if (w[0] % a.groups() != 0) {
      throw new ShapeException(
          "conv2d: the output channels must be a multiple of groups, but weight %s has %d and groups is %d."
              .formatted(Arrays.toString(w), w[0], a.groups()));
    }
    long coveredH = a.dilationH() * (w[2] - 1) + 1;
    long coveredW = a.dilationW() * (w[3] - 1) + 1;
    long paddedH = x[2] + 2L * a.paddingH();
    long paddedW = x[3] + 2L * a.paddingW();
    if (coveredH > paddedH || coveredW > paddedW) {
      boolean rows = coveredH > paddedH;
      throw new ShapeException(
          "conv2d: the window must fit into the padded input, but it covers %d %s of %d in input %s with weight %s. Use more padding or a smaller kernel."
              .formatted(
                  rows ? coveredH : coveredW,
                  rows ? "rows" : "columns",
                  rows ? paddedH : paddedW,
                  Arrays.toString(x),
                  Arrays.toString(w)));
    }
    return Map.of(
        "oh", steps(x[2], a.paddingH(), coveredH, a.strideH()),
        "ow", steps(x[3], a.paddingW(), coveredW, a.strideW()));
  }

  static Map<String, Long> conv2dInputSizes(Conv2dInput a, List<long @Nullable []> shapes) {
    long[] weight = shapes.get(1);
    assert weight != null;
    return Map.of("c", weight[1] * a.window().groups(), "h", a.height(), "w", a.width());
  }

  static Map<String, Long> conv2dWeightSizes(Conv2dWeight a, List<long @Nullable []> shapes) {
    long[] input = shapes.get(1);
    assert input != null;
    return Map.of("i", input[1] / a.window().groups(), "kh", a.height(), "kw", a.width());
  }
}
