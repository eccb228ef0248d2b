package taper.cpu.composed;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.Fold;
import taper.cpu.reductions.Lines;
import taper.cpu.x86.ChannelNorm;
import taper.cpu.x86.RowNorm;
import taper.tensor.DType;
import taper.tensor.Normalization.BatchNorm;
import taper.tensor.Normalization.LayerNorm;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Batch and layer normalization with their gradients, of contiguous operands.
///
/// Both see `x` as `[outer, middle, inner]`. Batch normalization shares mean and variance along outer and
/// inner, and weight and bias belong to middle. Layer normalization has no middle: mean and variance are
/// shared along inner, to which weight and bias belong. Means and sums of squares are gathered in double
/// precision (two passes); what is done per element is one formula, `(x - mean) · scale · weight + bias`.
///
/// With `n = (x - mean) · scale`, `h = grad · weight` and means over what shares statistics, the gradient
/// is `scale · (h - mean(h) - n · mean(h n))` (Ioffe, Szegedy 2015, arXiv:1502.03167; Ba, Kiros, Hinton
/// 2016, arXiv:1607.06450).
final class NormalizationKernels {
  private static final double[] NONE = {};
  private static final Formula X = Formula.input(0);
  private static final Formula SCALE = Formula.rsqrt(X.plus(Formula.parameter(0)));

  private final Engine engine;
  private final Map<Object, Kernel> kernels = new ConcurrentHashMap<>();

  NormalizationKernels(Engine engine) {
    this.engine = engine;
  }

  private enum Step {
    NORMALIZE,
    NORMALIZE_AND_SCALE,
    NORMALIZE_SCALE_AND_SHIFT,
    SCALES,
    WEIGHTED_SCALES,
    WEIGH,
    RECTIFY,
    RECTIFY_SUM,
    CHANNEL_GRADIENT,
    LINE_GRADIENT
  }

  private record Key(Step step, DType dtype) {}

  private Kernel kernel(Step step, DType dtype) {
    return kernels.computeIfAbsent(
        new Key(step, dtype),
        _ -> {
          Formula normal = X.minus(Formula.input(1)).times(Formula.input(2));
          DType wide = DType.FLOAT64;
          return switch (step) {
            case NORMALIZE -> make(dtype, normal, dtype, wide, wide);
            case NORMALIZE_AND_SCALE ->
                make(dtype, normal.times(Formula.input(3)), dtype, wide, wide, dtype);
            case NORMALIZE_SCALE_AND_SHIFT ->
                make(
                    dtype,
                    normal.times(Formula.input(3)).plus(Formula.input(4)),
                    dtype,
                    wide,
                    wide,
                    dtype,
                    dtype);
            // inputs: variance, weight; the parameter is eps
            case SCALES -> make(dtype, SCALE, dtype);
            case WEIGHTED_SCALES -> make(dtype, SCALE.times(Formula.input(1)), dtype, dtype);
            case WEIGH -> make(dtype, X.times(Formula.input(1)), dtype, dtype);
            case RECTIFY -> make(dtype, Formula.relu(X), dtype);
            case RECTIFY_SUM -> make(dtype, Formula.relu(X.plus(Formula.input(1))), dtype, dtype);
            // inputs: grad, x, mean(grad), mean, scale² mean(grad (x - mean)), scale · weight
            case CHANNEL_GRADIENT ->
                make(
                    dtype,
                    X.minus(Formula.input(2))
                        .minus(Formula.input(1).minus(Formula.input(3)).times(Formula.input(4)))
                        .times(Formula.input(5)),
                    dtype,
                    dtype,
                    wide,
                    wide,
                    wide,
                    wide);
            // inputs: h, n, mean(h), mean(h n), scale
            case LINE_GRADIENT ->
                make(
                    dtype,
                    X.minus(Formula.input(2))
                        .minus(Formula.input(1).times(Formula.input(3)))
                        .times(Formula.input(4)),
                    dtype,
                    dtype,
                    wide,
                    wide,
                    wide);
          };
        });
  }

  private Kernel make(DType dtype, Formula formula, DType... inputs) {
    return engine.pointwise(List.of(formula), dtype, List.of(inputs), List.of(dtype));
  }

  private void run(Step step, Strided out, Strided... inputs) {
    kernel(step, out.dtype()).run(Parameters.NONE, new Strided[] {out}, inputs);
  }

  /// The three dimensions.
  private record Shape(long outer, long middle, long inner) {
    static Shape channels(Strided x) {
      long inner = 1;
      for (int d = 2; d < x.rank(); d++) {
        inner *= x.size(d);
      }
      return new Shape(x.size(0), x.size(1), inner);
    }

    static Shape lines(Strided x, long[] normalizedShape) {
      long inner = Arrays.stream(normalizedShape).reduce(1, (a, b) -> a * b);
      return new Shape(inner == 0 ? 0 : x.numel() / inner, 1, inner);
    }

    long[] sizes() {
      return new long[] {outer, middle, inner};
    }

    Strided of(Strided x) {
      return x.view(0, sizes(), new long[] {middle * inner, inner, 1});
    }

    Lines alongOuterAndInner(Strided x) {
      return Lines.of(x, new boolean[] {true, false, true});
    }

    Lines alongInner(Strided x) {
      return Lines.of(x, new boolean[] {false, false, true});
    }

    Lines alongOuter(Strided x) {
      return Lines.of(x, new boolean[] {true, false, false});
    }

    Strided ofMiddle(double[] values) {
      return Statistics.operand(values, sizes(), new long[] {0, 1, 0});
    }

    Strided ofOuter(double[] values) {
      return Statistics.operand(values, sizes(), new long[] {1, 0, 0});
    }

    Strided middle(Strided parameter) {
      return parameter.view(0, sizes(), new long[] {0, 1, 0});
    }

    Strided inner(Strided parameter) {
      return parameter.view(0, sizes(), new long[] {0, 0, 1});
    }
  }

  private record Moments(double[] mean, double[] variance) {}

  private Moments moments(Lines lines, Strided x) {
    double[] mean = engine.folding().fold(Fold.SUM, lines, x, NONE);
    for (int i = 0; i < mean.length; i++) {
      mean[i] /= lines.length();
    }
    double[] variance = engine.folding().fold(Fold.SQUARES, lines, x, mean);
    for (int i = 0; i < variance.length; i++) {
      variance[i] /= lines.length();
    }
    return new Moments(mean, variance);
  }

  private static double[] scales(double[] variance, double eps) {
    double[] scales = new double[variance.length];
    for (int i = 0; i < scales.length; i++) {
      scales[i] = 1 / Math.sqrt(variance[i] + eps);
    }
    return scales;
  }

  /// Inputs: self, weight, bias, running mean, running variance; all but the first may be null. Outputs: the
  /// result, means, reciprocal standard deviations.
  Kernel batchNorm() {
    return (attributes, out, in) -> {
      batchNorm((BatchNorm) attributes, out, in, ChannelNorm.After.NOTHING);
    };
  }

  /// Inputs: those of [#batchNorm()], and what is added before what is negative becomes zero, or null.
  Kernel batchNormRelu() {
    return (attributes, out, in) -> {
      batchNorm((BatchNorm) attributes, out, in, new ChannelNorm.After(in[5], true));
    };
  }

  private void batchNorm(
      BatchNorm a, Strided[] out, @Nullable Strided[] in, ChannelNorm.After after) {
    Shape shape = Shape.channels(in[0]);
    ChannelNorm cells = engine.channelNorm(in[0].dtype());
    if (cells != null && in[0].numel() > 0) {
      var running = new ChannelNorm.Running(in[3], in[4], a.momentum());
      if (cells.forward(
          out[0],
          in[0],
          out[1],
          out[2],
          in[1],
          in[2],
          running,
          after,
          shape.outer,
          shape.middle,
          shape.inner,
          a.eps())) {
        return;
      }
    }
    Strided x = shape.of(in[0]);
    Lines lines = shape.alongOuterAndInner(x);
    Moments moments = moments(lines, x);
    double[] scales = scales(moments.variance, a.eps());
    normalize(
        shape.of(out[0]),
        x,
        shape.ofMiddle(moments.mean),
        shape.ofMiddle(scales),
        in[1] == null ? null : shape.middle(in[1]),
        in[2] == null ? null : shape.middle(in[2]));
    Statistics.write(out[1], moments.mean);
    Statistics.write(out[2], scales);
    double unbiased = lines.length() / (lines.length() - 1.0);
    for (int c = 0; c < scales.length; c++) {
      if (in[3] != null) {
        blend(in[3], c, moments.mean[c], a.momentum());
      }
      if (in[4] != null) {
        blend(in[4], c, moments.variance[c] * unbiased, a.momentum());
      }
    }
    if (after.addend() != null) {
      run(Step.RECTIFY_SUM, out[0], out[0], after.addend());
    } else if (after.relu()) {
      run(Step.RECTIFY, out[0], out[0]);
    }
  }

  /// Inputs: self, weight, bias, mean, variance; weight and bias may be null. Output: the result.
  Kernel normalizeChannels() {
    return (attributes, out, in) -> {
      double eps = ((BatchNorm) attributes).eps();
      Shape shape = Shape.channels(in[0]);
      ChannelNorm cells = engine.channelNorm(in[0].dtype());
      if (cells != null && in[0].numel() > 0) {
        Strided variance = in[4];
        long bytes = variance.numel() * variance.dtype().byteSize();
        MemorySegment numbers = Scratch.ofThread().memory(Scratch.Use.WEIGHTED, 2 * bytes);
        Strided scale = variance.contiguousIn(numbers, 0, variance.dtype());
        Step step = in[1] == null ? Step.SCALES : Step.WEIGHTED_SCALES;
        kernel(step, variance.dtype())
            .run(
                Parameters.of(eps),
                new Strided[] {scale},
                in[1] == null ? new Strided[] {variance} : new Strided[] {variance, in[1]});
        if (in[2] == null) {
          numbers.asSlice(bytes, bytes).fill((byte) 0);
        }
        long shift = in[2] == null ? scale.address() + bytes : in[2].address();
        cells.apply(
            out[0],
            in[0],
            in[3].address(),
            scale.address(),
            shift,
            ChannelNorm.After.NOTHING,
            shape.outer,
            shape.middle,
            shape.inner);
        Reference.reachabilityFence(in[2]); // the code sees addresses only
        Reference.reachabilityFence(in[3]);
        return;
      }
      normalize(
          shape.of(out[0]),
          shape.of(in[0]),
          shape.ofMiddle(Statistics.read(in[3])),
          shape.ofMiddle(scales(Statistics.read(in[4]), eps)),
          in[1] == null ? null : shape.middle(in[1]),
          in[2] == null ? null : shape.middle(in[2]));
    };
  }

  private static void blend(Strided running, int i, double value, double momentum) {
    long at = running.rank() == 0 ? 0 : i * running.stride(0);
    Statistics.set(running, at, (1 - momentum) * Statistics.at(running, at) + momentum * value);
  }

  private void normalize(
      Strided out,
      Strided x,
      Strided mean,
      Strided scale,
      @Nullable Strided weight,
      @Nullable Strided bias) {
    if (weight != null && bias != null) {
      run(Step.NORMALIZE_SCALE_AND_SHIFT, out, x, mean, scale, weight, bias);
    } else if (weight != null) {
      run(Step.NORMALIZE_AND_SCALE, out, x, mean, scale, weight);
    } else if (bias != null) {
      Strided one = Statistics.operand(new double[] {1}, out.sizes(), new long[] {0, 0, 0});
      Kernel kernel =
          kernels.computeIfAbsent(
              out.dtype(),
              dtype ->
                  make(
                      out.dtype(),
                      X.minus(Formula.input(1))
                          .times(Formula.input(2))
                          .times(Formula.input(3))
                          .plus(Formula.input(4)),
                      out.dtype(),
                      DType.FLOAT64,
                      DType.FLOAT64,
                      DType.FLOAT64,
                      out.dtype()));
      kernel.run(Parameters.NONE, new Strided[] {out}, new Strided[] {x, mean, scale, one, bias});
    } else {
      run(Step.NORMALIZE, out, x, mean, scale);
    }
  }

  /// Inputs: gradient, self, weight or null, means, reciprocal standard deviations. Outputs: the gradients of
  /// self, weight and bias.
  Kernel batchNormGradient() {
    return (attributes, out, in) -> {
      Shape shape = Shape.channels(in[1]);
      ChannelNorm cells = engine.channelNorm(in[1].dtype());
      if (cells != null
          && in[1].numel() > 0
          && cells.gradient(
              out[0],
              out[1],
              out[2],
              in[0],
              in[1],
              in[2],
              in[3],
              in[4],
              shape.outer,
              shape.middle,
              shape.inner)) {
        return;
      }
      Strided grad = shape.of(in[0]);
      Strided x = shape.of(in[1]);
      Lines lines = shape.alongOuterAndInner(x);
      double[] mean = Statistics.read(in[3]);
      double[] scale = Statistics.read(in[4]);
      double[] sums = engine.folding().fold(Fold.SUM, lines, grad, NONE);
      double[] products = engine.folding().fold(Fold.PRODUCTS, lines, x, grad, mean);
      double[] averages = new double[sums.length];
      double[] slopes = new double[sums.length];
      double[] factors = new double[sums.length];
      for (int c = 0; c < sums.length; c++) {
        Statistics.set(out[1], c, products[c] * scale[c]);
        Statistics.set(out[2], c, sums[c]);
        averages[c] = sums[c] / lines.length();
        slopes[c] = products[c] / lines.length() * scale[c] * scale[c];
        factors[c] = scale[c] * (in[2] == null ? 1 : Statistics.at(in[2], c));
      }
      run(
          Step.CHANNEL_GRADIENT,
          shape.of(out[0]),
          grad,
          x,
          shape.ofMiddle(averages),
          shape.ofMiddle(mean),
          shape.ofMiddle(slopes),
          shape.ofMiddle(factors));
    };
  }

  /// Inputs: self, weight, bias; the last two may be null. Outputs: the result, means, reciprocal standard
  /// deviations.
  Kernel layerNorm() {
    return (attributes, out, in) -> {
      var a = (LayerNorm) attributes;
      Shape shape = Shape.lines(in[0], a.normalizedShape());
      RowNorm rows = engine.rowNorm(in[0].dtype());
      if (rows != null && in[0].numel() > 0) {
        rows.forward(
            out[0], in[0], out[1], out[2], in[1], in[2], shape.outer, shape.inner, a.eps());
        return;
      }
      Strided x = shape.of(in[0]);
      Moments moments = moments(shape.alongInner(x), x);
      double[] scales = scales(moments.variance, a.eps());
      normalize(
          shape.of(out[0]),
          x,
          shape.ofOuter(moments.mean),
          shape.ofOuter(scales),
          in[1] == null ? null : shape.inner(in[1]),
          in[2] == null ? null : shape.inner(in[2]));
      Statistics.write(out[1], moments.mean);
      Statistics.write(out[2], scales);
    };
  }

  /// Inputs: gradient, self, weight or null, means, reciprocal standard deviations. Outputs: the gradients of
  /// self, weight and bias.
  Kernel layerNormGradient() {
    return (attributes, out, in) -> {
      Shape shape = Shape.lines(in[1], ((LayerNorm) attributes).normalizedShape());
      RowNorm oneByOne = engine.rowNorm(in[1].dtype());
      if (oneByOne != null && in[1].numel() > 0) {
        oneByOne.gradient(
            out[0], out[1], out[2], in[0], in[1], in[2], in[3], in[4], shape.outer, shape.inner);
        return;
      }
      Strided grad = shape.of(in[0]);
      Strided x = shape.of(in[1]);
      Strided scale = shape.ofOuter(Statistics.read(in[4]));
      Strided normal = temporary(Scratch.Use.NORMAL, shape, x.dtype());
      run(Step.NORMALIZE, normal, x, shape.ofOuter(Statistics.read(in[3])), scale);
      Strided weighted = grad;
      if (in[2] != null) {
        weighted = temporary(Scratch.Use.WEIGHTED, shape, x.dtype());
        run(Step.WEIGH, weighted, grad, shape.inner(in[2]));
      }
      Lines rows = shape.alongInner(x);
      double[] sums = engine.folding().fold(Fold.SUM, rows, weighted, NONE);
      double[] zeros = new double[Math.toIntExact(rows.count())];
      double[] products = engine.folding().fold(Fold.PRODUCTS, rows, normal, weighted, zeros);
      for (int i = 0; i < sums.length; i++) {
        sums[i] /= rows.length();
        products[i] /= rows.length();
      }
      Lines columns = shape.alongOuter(x);
      double[] none = new double[Math.toIntExact(columns.count())];
      Statistics.write(out[1], engine.folding().fold(Fold.PRODUCTS, columns, normal, grad, none));
      Statistics.write(out[2], engine.folding().fold(Fold.SUM, columns, grad, NONE));
      run(
          Step.LINE_GRADIENT,
          shape.of(out[0]),
          weighted,
          normal,
          shape.ofOuter(sums),
          shape.ofOuter(products),
          scale);
    };
  }

  private static Strided temporary(Scratch.Use use, Shape shape, DType dtype) {
    long bytes = shape.outer * shape.middle * shape.inner * dtype.byteSize();
    return shape.of(
        Strided.of(Scratch.ofThread().memory(use, bytes), 0, dtype, shape.sizes(), new long[3]));
  }
}
