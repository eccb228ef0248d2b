package taper.cpu;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.cpu.attention.AttentionKernels;
import taper.cpu.pooling.JavaPooling;
import taper.cpu.pooling.MaxPool2x2;
import taper.cpu.products.Epilogue;
import taper.cpu.products.JavaProducts;
import taper.cpu.products.MatrixKernels;
import taper.cpu.products.Products;
import taper.cpu.products.Window;
import taper.cpu.products.X86Padding;
import taper.cpu.products.X86Products;
import taper.cpu.recurrent.RecurrentKernels;
import taper.cpu.x86.WindowMaxima;
import taper.tensor.Convolutions.Conv2d;
import taper.tensor.Convolutions.Conv2dInput;
import taper.tensor.Convolutions.Conv2dNormalized;
import taper.tensor.Convolutions.Conv2dWeight;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.AvgPool2dInput;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The kernels of matrix products, attention, convolutions, pooling and recurrent layers, by the names of their operators.
/// Immutable.
public final class HeavyKernels {
  private final Products products;
  private final MatrixKernels matrices;
  private final @Nullable AttentionKernels attention;
  private final @Nullable Isa isa;
  private final @Nullable RecurrentKernels recurrent;

  private HeavyKernels(Products products, @Nullable Isa isa) {
    this.products = products;
    this.matrices = new MatrixKernels(products);
    this.attention = isa == null ? null : new AttentionKernels(isa);
    this.isa = isa;
    this.recurrent = isa == null ? null : new RecurrentKernels(isa, products);
  }

  /// Kernels in plain Java.
  public static HeavyKernels java() {
    return new HeavyKernels(new JavaProducts(), null);
  }

  /// Kernels assembled for a processor that has `isa`.
  public static HeavyKernels x86(Isa isa) {
    return new HeavyKernels(new X86Products(isa), isa);
  }

  /// The kernel of `operator` for operands of type `compute`, or null if there is none here.
  public @Nullable Kernel kernel(Operator<?> operator, DType compute) {
    if (compute != DType.FLOAT32 && compute != DType.FLOAT64) {
      return null;
    }
    return switch (operator.name()) {
      case "mm", "bmm" -> matrices.product();
      case "mv" -> matrices.matrixVector();
      case "dot" -> matrices.dot();
      case "addmm", "baddbmm" -> matrices.scaledSum();
      case "linear" -> matrices.linear(false);
      case "linearRelu" -> matrices.linear(true);
      case "attention" -> attention == null ? null : attention.forward();
      case "attentionGradient" -> attention == null ? null : attention.gradient();
      case "conv2d",
          "conv2dRelu",
          "conv2dNormalized",
          "conv2dInputGradient",
          "conv2dWeightGradient" ->
          convolution(operator.name(), plain(operator));
      case "constantPadNd" -> isa == null ? null : X86Padding.constant(isa, plain(operator));
      case "reflectionPad", "replicationPad", "circularPad" ->
          isa == null ? null : X86Padding.border(isa, plain(operator));
      case "maxPool2x2" -> pool(operator, maxPool2x2(compute));
      case "maxPool2x2Gradient" -> pool(operator, maxPool2x2Gradient(compute));
      case "maxPool2x2Pick" ->
          pool(operator, (_, out, in) -> JavaPooling.pickCorners(out[0], in[0], in[1]));
      case "maxPool2d" -> pool(operator, maxPool2d(compute));
      case "maxPool2dGradient" ->
          pool(operator, (_, out, in) -> JavaPooling.maxGradient(out[0], in[0], in[1]));
      case "maxPool2dPick" ->
          pool(operator, (_, out, in) -> JavaPooling.pick(out[0], in[0], in[1]));
      case "adaptiveMaxPool2d" ->
          pool(operator, (_, out, in) -> JavaPooling.adaptiveMax(out[0], out[1], in[0]));
      case "avgPool2d" ->
          pool(operator, (a, out, in) -> JavaPooling.average((AvgPool2d) a, out[0], in[0]));
      case "avgPool2dGradient" ->
          pool(
              operator,
              (a, out, in) -> JavaPooling.averageGradient((AvgPool2dInput) a, out[0], in[0]));
      case "adaptiveAvgPool2d" ->
          pool(operator, (_, out, in) -> JavaPooling.adaptiveAverage(out[0], in[0]));
      case "adaptiveAvgPool2dGradient" ->
          pool(operator, (_, out, in) -> JavaPooling.adaptiveAverageGradient(out[0], in[0]));
      default -> recurrent == null ? null : recurrent.kernel(operator.name());
    };
  }

  /// A convolution or one of its gradients. Where windows reach or move far beyond the image, memory and time of fast
  /// kernels would grow with how far: `plain` visits what windows see, and nothing else.
  private Kernel convolution(String name, Kernel plain) {
    var normalized = new NormalizedConvolution(products, isa);
    return (attributes, out, in) -> {
      Window window =
          switch (attributes) {
            case Conv2d a -> Window.of(a, in[0], in[1], out[0], false);
            case Conv2dNormalized a -> Window.of(a.window(), in[0], in[1], out[0], false);
            case Conv2dInput a -> Window.of(a.window(), out[0], in[1], in[0], true);
            case Conv2dWeight a -> Window.of(a.window(), in[1], out[0], in[0], false);
            default -> throw new AssertionError(attributes);
          };
      if (window == null) {
        plain.run(attributes, out, in);
        return;
      }
      switch (attributes) {
        case Conv2dNormalized a -> normalized.run(window, a.eps(), a.relu(), out[0], in);
        case Conv2dInput _ -> products.convolutionInputGradient(window, out[0], in[0], in[1]);
        case Conv2dWeight _ -> products.convolutionWeightGradient(window, out[0], in[0], in[1]);
        default -> {
          boolean relu = name.equals("conv2dRelu");
          var end = relu ? new Epilogue(null, in[2], null, true) : Epilogue.bias(in[2]);
          products.convolution(window, out[0], in[0], in[1], end);
        }
      }
    };
  }

  /// The reference kernel of `operator`, for what a faster one leaves to it.
  private static Kernel plain(Operator<?> operator) {
    return ((Definition.Structured<?>) operator.definition()).reference();
  }

  /// `kernel` where it has room for planes and windows.
  private static Kernel pool(Operator<?> operator, Kernel kernel) {
    Kernel plain = plain(operator);
    return (attributes, out, in) -> {
      int paddingH = 0;
      int paddingW = 0;
      switch (attributes) {
        case MaxPool2d a -> {
          paddingH = a.paddingH();
          paddingW = a.paddingW();
        }
        case AvgPool2d a -> {
          paddingH = a.paddingH();
          paddingW = a.paddingW();
        }
        case AvgPool2dInput a -> {
          paddingH = a.pool().paddingH();
          paddingW = a.pool().paddingW();
        }
        default -> {}
      }
      boolean back = operator.name().endsWith("Gradient");
      Strided large = back ? out[0] : in[0];
      Strided small = back ? in[0] : out[0];
      if (JavaPooling.covers(large, small, paddingH, paddingW)) {
        kernel.run(attributes, out, in);
      } else {
        plain.run(attributes, out, in);
      }
    };
  }

  private Kernel maxPool2d(DType compute) {
    Isa target = isa;
    return (attributes, out, in) -> {
      var pool = (MaxPool2d) attributes;
      if (target != null
          && compute == DType.FLOAT32
          && WindowMaxima.covers(target, pool, out[0], in[0])) {
        WindowMaxima.run(pool, out[0], out[1], in[0]);
      } else {
        JavaPooling.max(pool, out[0], out[1], in[0]);
      }
    };
  }

  private Kernel maxPool2x2(DType compute) {
    Isa target = isa;
    return (attributes, out, in) -> {
      if (target != null && compute == DType.FLOAT32 && MaxPool2x2.covers(target, in[0].size(3))) {
        MaxPool2x2.run(target, out[0], out[1], in[0]);
      } else {
        JavaPooling.maxOfCorners(out[0], out[1], in[0]);
      }
    };
  }

  private Kernel maxPool2x2Gradient(DType compute) {
    Isa target = isa;
    return (attributes, out, in) -> {
      Strided dx = out[0];
      if (target != null
          && compute == DType.FLOAT32
          && dx.size(2) % 2 == 0
          && dx.size(3) % 2 == 0
          && MaxPool2x2.covers(target, dx.size(3))) {
        MaxPool2x2.gradient(target, dx, in[0], in[1]);
      } else {
        JavaPooling.cornerGradient(dx, in[0], in[1]);
      }
    };
  }
}
