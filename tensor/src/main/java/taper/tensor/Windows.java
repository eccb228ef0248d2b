package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.Convolutions.Conv2d;
import taper.tensor.Convolutions.Conv2dInput;
import taper.tensor.Convolutions.Conv2dWeight;
import taper.tensor.Convolutions.Conv3d;
import taper.tensor.Convolutions.ConvTranspose;

/// What the declarations of [Convolutions] share: sizes, and forms that come down to one kernel.
final class Windows {
  private Windows() {}

  static Tensor conv2d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    checkOptions("conv2d", options);
    if (input.dim() == 3) {
      return conv2d(input.unsqueeze(0), weight, bias, options).squeeze(0);
    }
    int paddingH = options.padding().height();
    int paddingW = options.padding().width();
    Tensor padded = input;
    if (options.same() && input.dim() == 4 && weight.dim() == 4) {
      long totalH =
          same("conv2d", options.stride().height(), options.dilation().height(), weight.size(2));
      long totalW =
          same("conv2d", options.stride().width(), options.dilation().width(), weight.size(3));
      paddingH = half("conv2d", totalH);
      paddingW = half("conv2d", totalW);
      padded = oneMoreAtTheEnd(input, totalW, totalH);
    }
    return convolved("conv2d", window(options, paddingH, paddingW), padded, weight, bias);
  }

  /// How a window moves that options without a name for the padding describe.
  static Conv2d window(String op, ConvolutionOptions options) {
    checkOptions(op, options);
    return window(options, options.padding().height(), options.padding().width());
  }

  private static Conv2d window(ConvolutionOptions options, int paddingH, int paddingW) {
    return new Conv2d(
        options.stride().height(),
        options.stride().width(),
        paddingH,
        paddingW,
        options.dilation().height(),
        options.dilation().width(),
        options.groups());
  }

  static Tensor conv1d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    checkRow("conv1d", input, weight, "[o i k]");
    return conv2d(input.unsqueeze(-2), weight.unsqueeze(-2), bias, options.flat()).squeeze(-2);
  }

  private static void checkRow(String op, Tensor input, Tensor weight, String form) {
    if (input.dim() < 2 || input.dim() > 3 || weight.dim() != 3) {
      throw new ShapeException(
          "%s: input must have the dimensions [n c l] or [c l] and weight %s, but input has shape %s and weight %s."
              .formatted(op, form, input.shape(), weight.shape()));
    }
  }

  static Tensor conv3d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    checkOptions("conv3d", options);
    if (input.dim() == 4) {
      return conv3d(input.unsqueeze(0), weight, bias, options).squeeze(0);
    }
    Steps padding = options.padding();
    Tensor padded = input;
    if (options.same() && input.dim() == 5 && weight.dim() == 5) {
      Steps stride = options.stride();
      Steps dilation = options.dilation();
      long totalD = same("conv3d", stride.depth(), dilation.depth(), weight.size(2));
      long totalH = same("conv3d", stride.height(), dilation.height(), weight.size(3));
      long totalW = same("conv3d", stride.width(), dilation.width(), weight.size(4));
      padding = new Steps(half("conv3d", totalD), half("conv3d", totalH), half("conv3d", totalW));
      padded = oneMoreAtTheEnd(input, totalW, totalH, totalD);
    }
    var window = new Conv3d(options.stride(), padding, options.dilation(), options.groups());
    return Convolutions.Operators.CONV3D.on(window, padded, weight, bias);
  }

  /// A convolution of volumes is one of images: the planes under a window become channels.
  static Tensor conv3d(Conv3d a, Inputs in) {
    Tensor x = in.get("input");
    Tensor weight = in.get("weight");
    checkConv3d(a, x, weight);
    long n = x.size(0);
    long c = x.size(1);
    long h = x.size(3);
    long w = x.size(4);
    long kd = weight.size(2);
    var depth = depth(a, kd);
    long od = depth.rows(x.size(2));
    // [n c d h w] -> [n·c kd od·h·w] -> [n od c kd h w]
    Tensor planes = x.reshape(n * c, 1, x.size(2), h * w);
    Tensor columns =
        kd == 1 && a.stride().depth() == 1 && a.padding().depth() == 0
            ? planes
            : Unfolding.Operators.IM2COL.on(depth, planes);
    Tensor images =
        columns.reshape(n, c, kd, od, h, w).permute(0, 3, 1, 2, 4, 5).reshape(n * od, c * kd, h, w);
    Tensor flat =
        weight.reshape(weight.size(0), weight.size(1) * kd, weight.size(3), weight.size(4));
    Tensor y = convolved("conv3d", plane(a), images, flat, in.find("bias"));
    return y.reshape(n, od, y.size(1), y.size(2), y.size(3)).permute(0, 2, 1, 3, 4).contiguous();
  }

  private static void checkConv3d(Conv3d a, Tensor x, Tensor weight) {
    if (x.dim() != 5 || weight.dim() != 5) {
      throw new ShapeException(
          "conv3d: input must have the dimensions [n c d h w] or [c d h w] and weight [o i kd kh kw], but input has shape %s and weight %s."
              .formatted(x.shape(), weight.shape()));
    }
    WindowSizes.convolved(
        "conv3d",
        numbers(a.stride()),
        numbers(a.padding()),
        numbers(a.dilation()),
        a.groups(),
        x.sizesInternal(),
        weight.sizesInternal());
  }

  private static int[] numbers(Steps steps) {
    return new int[] {steps.depth(), steps.height(), steps.width()};
  }

  /// The window along the depth, of planes that lie in memory as rows.
  private static Unfolding.Blocks depth(Conv3d a, long kernel) {
    return new Unfolding.Blocks(
        Math.toIntExact(kernel),
        1,
        a.dilation().depth(),
        1,
        a.padding().depth(),
        0,
        a.stride().depth(),
        1);
  }

  /// The window inside a plane.
  private static Conv2d plane(Conv3d a) {
    return new Conv2d(
        a.stride().height(),
        a.stride().width(),
        a.padding().height(),
        a.padding().width(),
        a.dilation().height(),
        a.dilation().width(),
        a.groups());
  }

  static Tensor transposed1d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    checkRow("convTranspose1d", input, weight, "[i o k]");
    var a =
        transposed(
            "convTranspose1d", 1, options.flat(), input.unsqueeze(-2), weight.unsqueeze(-2), 4);
    if (input.dim() == 2) {
      return Convolutions.Operators.CONV_TRANSPOSE1D
          .on(a, input.unsqueeze(0), weight, bias)
          .squeeze(0);
    }
    return Convolutions.Operators.CONV_TRANSPOSE1D.on(a, input, weight, bias);
  }

  static Tensor transposed2d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    var a = transposed("convTranspose2d", 2, options, input, weight, 4);
    if (input.dim() == 3) {
      return Convolutions.Operators.CONV_TRANSPOSE2D
          .on(a, input.unsqueeze(0), weight, bias)
          .squeeze(0);
    }
    return Convolutions.Operators.CONV_TRANSPOSE2D.on(a, input, weight, bias);
  }

  static Tensor transposed3d(
      Tensor input, Tensor weight, @Nullable Tensor bias, ConvolutionOptions options) {
    var a = transposed("convTranspose3d", 3, options, input, weight, 5);
    if (input.dim() == 4) {
      return Convolutions.Operators.CONV_TRANSPOSE3D
          .on(a, input.unsqueeze(0), weight, bias)
          .squeeze(0);
    }
    return Convolutions.Operators.CONV_TRANSPOSE3D.on(a, input, weight, bias);
  }

  private static ConvTranspose transposed(
      String op, int rank, ConvolutionOptions o, Tensor x, Tensor weight, int dims) {
    checkOptions(op, o);
    if (x.dim() != dims && x.dim() != dims - 1 || weight.dim() != dims) {
      throw new ShapeException(
          "%s: weight must have %d dimensions and input as many or one less, but input has shape %s and weight %s."
              .formatted(op, dims, x.shape(), weight.shape()));
    }
    WindowSizes.sides(op, "weight", weight.sizesInternal());
    long channels = x.size(x.dim() == dims ? 1 : 0);
    if (channels != weight.size(0) || weight.size(0) % o.groups() != 0) {
      throw new ShapeException(
          "%s: input must have as many channels as weight, a multiple of groups, but input has shape %s, weight %s, and there are %d groups."
              .formatted(op, x.shape(), weight.shape(), o.groups()));
    }
    Steps extra = o.outputPadding();
    Steps s = o.stride();
    Steps d = o.dilation();
    if (extra.least() < 0
        || rank == 3 && extra.depth() >= Math.max(s.depth(), d.depth())
        || rank >= 2 && extra.height() >= Math.max(s.height(), d.height())
        || extra.width() >= Math.max(s.width(), d.width())) {
      throw new ArgumentException(
          "%s: outputPadding must be smaller than stride or dilation, but is %s for stride %s and dilation %s."
              .formatted(op, extra, s, d));
    }
    return new ConvTranspose(s, o.padding(), extra, d, o.groups());
  }

  /// A transposed convolution is the gradient of a convolution by its input.
  static Tensor transposed2d(
      String op, ConvTranspose a, Tensor x, Tensor weight, @Nullable Tensor bias) {
    Tensor spread =
        more(
            x,
            a.outputPadding().width() / a.stride().width(),
            a.outputPadding().height() / a.stride().height());
    long h =
        WindowSizes.grown(
            op,
            x.size(2),
            a.stride().height(),
            a.padding().height(),
            a.dilation().height(),
            weight.size(2),
            a.outputPadding().height());
    long w =
        WindowSizes.grown(
            op,
            x.size(3),
            a.stride().width(),
            a.padding().width(),
            a.dilation().width(),
            weight.size(3),
            a.outputPadding().width());
    Tensor y =
        Convolutions.Operators.CONV2D_INPUT_GRADIENT.on(
            new Conv2dInput(plane(a.window()), h, w), spread, weight);
    return biased(op, y, bias);
  }

  /// With so many zeros at the end of the last dimensions: a window that ends beyond a stride behind the last element is
  /// that of one more element, which is zero.
  private static Tensor more(Tensor x, long... counts) {
    long[] pad = new long[2 * counts.length];
    boolean any = false;
    for (int d = 0; d < counts.length; d++) {
      pad[2 * d + 1] = counts[d];
      any |= counts[d] != 0;
    }
    return any ? x.constantPadNd(pad, 0) : x;
  }

  /// Products of complex numbers are made of those of their parts, which a bias takes no part in.
  private static Tensor convolved(
      String op, Conv2d window, Tensor x, Tensor weight, @Nullable Tensor bias) {
    return x.dtype().isComplex()
        ? biased(op, Convolutions.Operators.CONV2D.on(window, x, weight, null), bias)
        : Convolutions.Operators.CONV2D.on(window, x, weight, bias);
  }

  private static Tensor biased(String op, Tensor y, @Nullable Tensor bias) {
    if (bias == null) {
      return y;
    }
    if (bias.dim() != 1 || bias.size(0) != y.size(1)) {
      throw new ShapeException(
          "%s: bias must have a number for each of %d channels, but has shape %s."
              .formatted(op, y.size(1), bias.shape()));
    }
    if (bias.dtype() != y.dtype()) {
      throw new DTypeException(
          "%s: inputs must have one dtype, but input is %s and bias is %s. Convert one of them with .to(dtype)."
              .formatted(op, y.dtype(), bias.dtype()));
    }
    long[] sizes = new long[y.dim() - 1];
    Arrays.fill(sizes, 1);
    sizes[0] = y.size(1);
    return y.add_(bias.view(sizes));
  }

  /// The images of a volume, transposed, are summed where their planes meet.
  static Tensor transposed3d(ConvTranspose a, Inputs in) {
    Tensor given = in.get("input");
    Tensor weight = in.get("weight");
    String op = "convTranspose3d";
    long depth =
        WindowSizes.grown(
            op,
            given.size(2),
            a.stride().depth(),
            a.padding().depth(),
            a.dilation().depth(),
            weight.size(2),
            a.outputPadding().depth());
    Tensor x = more(given, 0, 0, a.outputPadding().depth() / a.stride().depth());
    long n = x.size(0);
    long d = x.size(2);
    long kd = weight.size(2);
    Tensor flat =
        weight.reshape(weight.size(0), weight.size(1) * kd, weight.size(3), weight.size(4));
    Tensor images = x.permute(0, 2, 1, 3, 4).reshape(n * d, x.size(1), x.size(3), x.size(4));
    Tensor planes = transposed2d(op, a, images, flat, null); // [n·d o·kd h w]
    long o = planes.size(1) / kd;
    long h = planes.size(2);
    long w = planes.size(3);
    Tensor columns =
        planes.reshape(n, d, o, kd, h * w).permute(0, 2, 3, 1, 4).reshape(n * o, kd, d * h * w);
    Tensor y =
        Unfolding.Operators.COL2IM.on(
            new Unfolding.BlocksInput(depth(a.window(), kd), depth, h * w), columns);
    return biased(op, y.reshape(n, o, depth, h, w), in.find("bias"));
  }

  static void checkOptions(String op, ConvolutionOptions o) {
    WindowSizes.moves(
        op, numbers(o.stride()), numbers(o.padding()), numbers(o.dilation()), o.groups());
  }

  private static long same(String op, int stride, int dilation, long kernel) {
    if (stride != 1) {
      throw new ArgumentException(
          "%s: padding 'same' takes stride 1, but stride is %d. Give the padding as a number."
              .formatted(op, stride));
    }
    return kernel < 1 ? 0 : WindowSizes.covered(op, kernel, dilation) - 1;
  }

  private static int half(String op, long total) {
    if (total / 2 > Integer.MAX_VALUE) {
      throw new ShapeException(
          "%s: padding 'same' must be at most 2147483647 at each side, but the window takes %d."
              .formatted(op, total / 2));
    }
    return (int) (total / 2);
  }

  /// An odd total padding has its extra element at the end, as in PyTorch. Totals of the last dimension come first.
  private static Tensor oneMoreAtTheEnd(Tensor x, long... totals) {
    long[] pad = new long[2 * totals.length];
    boolean odd = false;
    for (int d = 0; d < totals.length; d++) {
      pad[2 * d + 1] = totals[d] % 2;
      odd |= totals[d] % 2 != 0;
    }
    return odd ? x.constantPadNd(pad, 0) : x;
  }

  static Map<String, Long> conv2dSizes(Conv2d a, List<long @Nullable []> shapes) {
    long[] x = shapes.get(0);
    long[] w = shapes.get(1);
    assert x != null && w != null;
    long[] y = convolved("conv2d", a, x, w);
    return Map.of("oh", y[0], "ow", y[1]);
  }

  private static long[] convolved(String op, Conv2d a, long[] x, long[] w) {
    return WindowSizes.convolved(
        op,
        new int[] {a.strideH(), a.strideW()},
        new int[] {a.paddingH(), a.paddingW()},
        new int[] {a.dilationH(), a.dilationW()},
        a.groups(),
        x,
        w);
  }

  static Map<String, Long> conv2dInputSizes(Conv2dInput a, List<long @Nullable []> shapes) {
    long[] grad = shapes.get(0);
    long[] weight = shapes.get(1);
    assert grad != null && weight != null;
    String op = "conv2dInputGradient";
    WindowSizes.groups(op, a.window().groups());
    long channels = Math.multiplyExact(weight[1], a.window().groups());
    long[] x = {grad[0], channels, a.height(), a.width()};
    checkGradient(op, a.window(), grad, x, weight);
    return Map.of("c", channels, "h", a.height(), "w", a.width());
  }

  static Map<String, Long> conv2dWeightSizes(Conv2dWeight a, List<long @Nullable []> shapes) {
    long[] grad = shapes.get(0);
    long[] input = shapes.get(1);
    assert grad != null && input != null;
    String op = "conv2dWeightGradient";
    WindowSizes.groups(op, a.window().groups());
    long channels = input[1] / a.window().groups();
    checkGradient(
        op, a.window(), grad, input, new long[] {grad[1], channels, a.height(), a.width()});
    return Map.of("i", channels, "kh", a.height(), "kw", a.width());
  }

  /// The gradient must have as many rows and columns as the convolution gives.
  private static void checkGradient(String op, Conv2d a, long[] grad, long[] x, long[] weight) {
    if (Math.min(x[2], x[3]) < 0 || Math.min(weight[2], weight[3]) < 0) {
      throw new ArgumentException(
          "%s: sizes must not be negative, but the input has shape %s and the weight %s."
              .formatted(op, Arrays.toString(x), Arrays.toString(weight)));
    }
    long[] y = convolved(op, a, x, weight);
    if (grad[2] != y[0] || grad[3] != y[1]) {
      throw new ShapeException(
          "%s: grad must have %d rows and %d columns, but has shape %s."
              .formatted(op, y[0], y[1], Arrays.toString(grad)));
    }
  }
}
