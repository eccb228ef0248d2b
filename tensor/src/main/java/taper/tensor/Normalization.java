package taper.tensor;

import static taper.tensor.Operator.None.NONE;
import static taper.tensor.spi.Formula.input;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.Reductions.Reduce;
import taper.tensor.internal.ReferenceNormalization;

/// Normalizations: elements brought to mean 0 and variance 1 in groups, then scaled and shifted.
public sealed interface Normalization permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the elements of every channel, brought to mean 0 and variance 1 over samples and places, then scaled by
  /// `weight` and shifted by `bias`.
  ///
  /// In training the statistics are those of this tensor, and the running ones move towards them by `momentum`: the mean,
  /// and the variance with Bessel's correction. Otherwise the running statistics are used; without any, always those of this
  /// tensor.
  ///
  /// - Shape: `[n c *], [c], [c], [c], [c] -> [n c *]`
  /// - Types: floating; half types compute in `float32`
  /// - Gradient: to this tensor, weight and bias
  /// - Source: Ioffe, Szegedy 2015, arXiv:1502.03167
  ///
  /// @param runningMean moved in training; may be null
  /// @param runningVar moved in training; may be null
  /// @param weight may be null: 1
  /// @param bias may be null: 0
  /// @param eps is added to the variance
  /// @throws ShapeException if the shapes do not fit, or there is but one value per channel in training
  default Tensor batchNorm(
      @Nullable Tensor runningMean,
      @Nullable Tensor runningVar,
      @Nullable Tensor weight,
      @Nullable Tensor bias,
      boolean training,
      double momentum,
      double eps) {
    if (!training && (runningMean == null || runningVar == null)) {
      throw new ArgumentException(
          "batchNorm: runningMean and runningVar must be given outside of training, but at least one"
              + " is null.");
    }
    if (self().numel() == 0) {
      return Norms.empty(self(), weight, bias);
    }
    var attributes = new BatchNorm(momentum, eps);
    Tensor self = Norms.wide(self(), weight, bias, runningMean, runningVar);
    Tensor result =
        training
            ? Operators.BATCH_NORM.on(attributes, self, weight, bias, runningMean, runningVar)
            : Operators.BATCH_NORM_INFERENCE.on(
                attributes, self, weight, bias, runningMean, runningVar);
    return result.to(self().dtype());
  }

  /// Returns what [#batchNorm] does, with the mean and the reciprocal of the standard deviation that training used; outside
  /// training these are empty.
  default Normalized nativeBatchNorm(
      @Nullable Tensor weight,
      @Nullable Tensor bias,
      @Nullable Tensor runningMean,
      @Nullable Tensor runningVar,
      boolean training,
      double momentum,
      double eps) {
    if (!training) {
      Tensor result = batchNorm(runningMean, runningVar, weight, bias, false, momentum, eps);
      return new Normalized(result, Norms.none(self()), Norms.none(self()));
    }
    Tensor self = Norms.wide(self(), weight, bias, runningMean, runningVar);
    Tensor[] all =
        Operators.BATCH_NORM.all(
            new BatchNorm(momentum, eps), self, weight, bias, runningMean, runningVar);
    return new Normalized(all[0].to(self().dtype()), all[1], all[2]);
  }

  /// Returns the elements, brought to mean 0 and variance 1 over the last dimensions, then scaled by `weight` and shifted by
  /// `bias`.
  ///
  /// - Shape: `[*n *s], weight[*s], bias[*s] -> [*n *s]`, where `s` is the normalized shape
  /// - Types: floating; half types compute in `float32`
  /// - Gradient: to all
  /// - Source: Ba, Kiros, Hinton 2016, arXiv:1607.06450
  ///
  /// @param normalizedShape the sizes of the last dimensions
  /// @param weight may be null: 1
  /// @param bias may be null: 0
  /// @param eps is added to the variance
  /// @throws ShapeException if the shapes do not fit
  default Tensor layerNorm(
      long[] normalizedShape, @Nullable Tensor weight, @Nullable Tensor bias, double eps) {
    return Operators.LAYER_NORM
        .on(new LayerNorm(normalizedShape, eps), Norms.wide(self(), weight, bias), weight, bias)
        .to(self().dtype());
  }

  /// Returns what [#layerNorm(long\[\], Tensor, Tensor, double)] does, with the mean and the reciprocal of the standard
  /// deviation.
  default Normalized nativeLayerNorm(
      long[] normalizedShape, @Nullable Tensor weight, @Nullable Tensor bias, double eps) {
    Tensor[] all =
        Operators.LAYER_NORM.all(
            new LayerNorm(normalizedShape, eps), Norms.wide(self(), weight, bias), weight, bias);
    return new Normalized(all[0].to(self().dtype()), all[1], all[2]);
  }

  /// Returns the elements, brought to mean 0 and variance 1 over the last dimensions, with an `eps` of 1e-5.
  default Tensor layerNorm(long... normalizedShape) {
    return layerNorm(normalizedShape, null, null, 1e-5);
  }

  /// Returns the elements, brought to mean 0 and variance 1 over each group of channels of each sample, then scaled and
  /// shifted by channel.
  ///
  /// - Shape: `[n c *], weight[c], bias[c] -> [n c *]`
  /// - Source: Wu, He 2018, arXiv:1803.08494
  ///
  /// @param weight may be null: 1
  /// @param bias may be null: 0
  /// @param eps is added to the variance
  /// @throws ShapeException if the groups do not divide the channels, or the shapes do not fit
  default Tensor groupNorm(
      int numGroups, @Nullable Tensor weight, @Nullable Tensor bias, double eps) {
    return Operators.GROUP_NORM
        .on(new GroupNorm(numGroups, eps), Norms.wide(self(), weight, bias), weight, bias)
        .to(self().dtype());
  }

  /// Returns the elements, brought to mean 0 and variance 1 over each group of channels of each sample, with an `eps` of
  /// 1e-5.
  default Tensor groupNorm(int numGroups) {
    return groupNorm(numGroups, null, null, 1e-5);
  }

  /// Returns the elements of every channel of every sample, brought to mean 0 and variance 1, then scaled and shifted by
  /// channel. With `useInputStats` false the running statistics are used, as in [#batchNorm].
  ///
  /// - Shape: `[n c *], [c], [c], [c], [c] -> [n c *]`
  /// - Source: Ulyanov, Vedaldi, Lempitsky 2016, arXiv:1607.08022
  ///
  /// @param runningMean moved towards the mean over the samples; may be null
  /// @param runningVar moved towards the mean over the samples; may be null
  default Tensor instanceNorm(
      @Nullable Tensor runningMean,
      @Nullable Tensor runningVar,
      @Nullable Tensor weight,
      @Nullable Tensor bias,
      boolean useInputStats,
      double momentum,
      double eps) {
    if (!useInputStats && runningMean != null && runningVar != null) {
      return batchNorm(runningMean, runningVar, weight, bias, false, momentum, eps);
    }
    if (!useInputStats) {
      throw new ArgumentException(
          "instanceNorm: runningMean and runningVar must be given where the statistics of the input"
              + " are not used, but at least one is null.");
    }
    Operators.checkPlaces(self());
    if (runningMean != null && runningVar != null) {
      Autograd.noGrad(() -> Operators.moveTowards(self(), runningMean, runningVar, momentum));
    }
    return groupNorm((int) self().size(1), weight, bias, eps);
  }

  /// Returns the elements, divided by the root of their mean square over the last dimensions, and scaled by `weight`.
  ///
  /// - Shape: `[*n *s], weight[*s] -> [*n *s]`, where `s` is the normalized shape
  /// - Source: Zhang, Sennrich 2019, arXiv:1910.07467
  ///
  /// @param weight may be null: 1
  /// @param eps is added to the mean square
  default Tensor rmsNorm(long[] normalizedShape, @Nullable Tensor weight, double eps) {
    return Operators.RMS_NORM
        .on(new LayerNorm(normalizedShape, eps), Norms.wide(self(), weight), weight)
        .to(self().dtype());
  }

  /// Returns the elements, divided by the root of their mean square over the last dimensions, with the distance of 1 from the
  /// next number as `eps`.
  default Tensor rmsNorm(long... normalizedShape) {
    double eps = self().dtype() == DType.FLOAT64 ? Math.ulp(1.0) : Math.ulp(1f);
    return rmsNorm(normalizedShape, null, eps);
  }

  /// Returns the elements, divided by `(k + alpha · mean of squares)^beta`, where the mean is over `size` neighbouring
  /// channels; beyond the first and last channel there are zeros.
  ///
  /// - Shape: `[n c *] -> [n c *]`
  /// - Types: whole numbers become `float32`
  /// - Source: Krizhevsky, Sutskever, Hinton 2012, ImageNet classification with deep convolutional neural networks
  ///
  /// @throws ArgumentException if `size` is not positive
  /// @throws ShapeException if there are fewer than 3 dimensions
  default Tensor localResponseNorm(int size, double alpha, double beta, double k) {
    return Norms.localResponse(self(), size, alpha, beta, k);
  }

  /// Returns the elements, divided by `(1 + mean of squares / 10000)^0.75` over neighbouring channels.
  default Tensor localResponseNorm(int size) {
    return localResponseNorm(size, 1e-4, 0.75, 1);
  }

  /// Returns the elements, divided by their norm of order `p` along `dim`, or by `eps` where that is larger.
  default Tensor normalize(double p, int dim, double eps) {
    return self().div(self().norm(p, new int[] {dim}, true).clampMin(eps));
  }

  /// Returns the elements, divided by their Euclidean norm along dimension 1.
  default Tensor normalize() {
    return normalize(2, 1, 1e-12);
  }

  /// Normalized elements and the statistics behind them.
  ///
  /// @param output the normalized elements
  /// @param mean the means
  /// @param rstd the reciprocals of standard deviations
  record Normalized(Tensor output, Tensor mean, Tensor rstd) {}

  /// How to normalize over a batch.
  ///
  /// @param momentum how far the running statistics move
  /// @param eps is added to the variance
  record BatchNorm(double momentum, double eps) {}

  /// How to normalize over the last dimensions.
  ///
  /// @param normalizedShape their sizes
  /// @param eps is added to the variance
  record LayerNorm(long[] normalizedShape, double eps) {
    /// The sizes of the statistics of an input of shape `self`.
    long[] statistics(long[] self) {
      long[] result = self.clone();
      Arrays.fill(result, self.length - normalizedShape.length, self.length, 1);
      return result;
    }

    /// The last dimensions of an input with `rank` dimensions.
    Reduce over(int rank) {
      return new Reduce(IntStream.range(rank - normalizedShape.length, rank).toArray(), true);
    }
  }

  /// How to normalize over groups of channels.
  ///
  /// @param numGroups how many groups there are
  /// @param eps is added to the variance
  record GroupNorm(int numGroups, double eps) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("normalization");

    private static final BatchNorm BATCH = new BatchNorm(0.1, 1e-5);

    static final Operator<BatchNorm> BATCH_NORM =
        FAMILY
            .<BatchNorm>structured(
                "batchNorm",
                "self[*], weight?[c], bias?[c], runningMean?[c], runningVar?[c] -> [*],"
                    + " saveMean[c], saveInvstd[c]",
                ReferenceNormalization.BATCH_NORM)
            .shape((a, in) -> {
              long[] self = checkChannels("batchNorm", in);
              checkSeveral(self);
              return List.of(self.clone(), new long[] {self[1]}, new long[] {self[1]});
            })
            .dtypes(DTypes.SAME_FLOATING)
            .mutates("runningMean", "runningVar")
            .constant("runningMean", "runningVar")
            .gradient("self", batchKeeps(), b -> b.shared(Operators::batchGradients)[0])
            .gradient("weight", batchKeeps(), b -> b.shared(Operators::batchGradients)[1])
            .gradient("bias", batchKeeps(), b -> b.shared(Operators::batchGradients)[2])
            .auxiliary(1, 2)
            .gradientName("NativeBatchNormBackward0")
            .torch(
                "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,"
                    + " Tensor? running_var, bool training, float momentum, float eps, bool"
                    + " cudnn_enabled) -> Tensor")
            .torch(
                "aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor?"
                    + " running_mean, Tensor? running_var, bool training, float momentum, float"
                    + " eps) -> (Tensor, Tensor, Tensor)")
            .sample(BATCH, "f32[4 3], f32[3] in 0.5..2, f32[3], none, none")
            .sample(BATCH, "f32[2 3 4 2], f32[3] in 0.5..2, f32[3], none, none")
            .sample(BATCH, "f32[2 3 5], none, none, none, none")
            .sample(BATCH, "f32[4 3] in -800..800, f32[3] in 0.5..2, f32[3], none, none")
            .sample(BATCH, "f32[2 3 4 2], f32[3] in 0.5..2, f32[3], f32[3], f32[3] in 0.5..2")
            .rejects(
                BATCH,
                "f32[1 3], none, none, none, none",
                "batchNorm: there must be more than one value per channel in training, but self has"
                    + " shape [1, 3]. Use a larger batch, or eval().")
            .rejects(
                BATCH,
                "f32[4 3], f32[5], none, none, none",
                "batchNorm: weight must have shape [3], one element for each channel of self [4,"
                    + " 3], but has shape [5].")
            .source("Ioffe, Szegedy 2015, arXiv:1502.03167")
            .declare();

    /// In training: `relu(norm(self) + addend)`.
    static final Operator<BatchNorm> BATCH_NORM_RELU =
        FAMILY
            .<BatchNorm>structured(
                "batchNormRelu",
                "self[*], weight?[c], bias?[c], runningMean?[c], runningVar?[c], addend?[*] -> [*],"
                    + " saveMean[c], saveInvstd[c]",
                ReferenceNormalization.BATCH_NORM_RELU)
            .shape((a, in) -> {
              long[] self = checkChannels("batchNorm", in.subList(0, 5));
              checkSeveral(self);
              checkAddend(self, in.get(5));
              return List.of(self.clone(), new long[] {self[1]}, new long[] {self[1]});
            })
            .dtypes(DTypes.SAME_FLOATING)
            .mutates("runningMean", "runningVar")
            .constant("runningMean", "runningVar")
            .gradient("self", reluKeeps(), b -> b.shared(Operators::reluGradients)[0])
            .gradient("weight", reluKeeps(), b -> b.shared(Operators::reluGradients)[1])
            .gradient("bias", reluKeeps(), b -> b.shared(Operators::reluGradients)[2])
            .gradient("addend", reluKeeps(), b -> b.shared(Operators::reluGradients)[3])
            .auxiliary(1, 2)
            .gradientName("ReluBackward0")
            .own()
            .sample(BATCH, "f32[4 3], f32[3] in 0.5..2, f32[3], none, none, none")
            .sample(BATCH, "f32[2 3 4 2], f32[3] in 0.5..2, f32[3], none, none, f32[2 3 4 2]")
            .sample(BATCH, "f32[2 3 5], none, none, none, none, f32[2 3 5]")
            .sample(
                BATCH,
                "f32[2 3 9 11], f32[3] in 0.5..2, f32[3], f32[3], f32[3] in 0.5..2, f32[2 3 9 11]")
            .rejects(
                BATCH,
                "f32[4 3], none, none, none, none, f32[3]",
                "batchNormRelu: addend must have the shape [4, 3] of self, but has shape [3].")
            .declare();

    static final Operator<BatchNorm> BATCH_NORM_INFERENCE =
        FAMILY
            .<BatchNorm>composite(
                "batchNormInference",
                "self[*], weight?[c], bias?[c], runningMean[c], runningVar[c] -> [*]",
                Operators::inference)
            .dtypes(DTypes.SAME_FLOATING)
            .torch(
                "aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean,"
                    + " Tensor? running_var, bool training, float momentum, float eps, bool"
                    + " cudnn_enabled) -> Tensor")
            .sample(BATCH, "f32[2 3 4 2], f32[3] in 0.5..2, f32[3], f32[3], f32[3] in 0.5..2")
            .sample(BATCH, "f32[1 3], none, none, f32[3], f32[3] in 0.5..2")
            .declare();

    static final Operator<LayerNorm> LAYER_NORM =
        FAMILY
            .<LayerNorm>structured(
                "layerNorm",
                "self[*], weight?[*], bias?[*] -> [*], mean[*], rstd[*]",
                ReferenceNormalization.LAYER_NORM)
            .shape((a, in) -> {
              long[] self = checkLast("layerNorm", a, in);
              return List.of(self.clone(), a.statistics(self), a.statistics(self));
            })
            .dtypes(DTypes.SAME_FLOATING)
            .gradient("self", batchKeeps(), b -> b.shared(Operators::layerGradients)[0])
            .gradient("weight", batchKeeps(), b -> b.shared(Operators::layerGradients)[1])
            .gradient("bias", batchKeeps(), b -> b.shared(Operators::layerGradients)[2])
            .auxiliary(1, 2)
            .gradientName("NativeLayerNormBackward0")
            .torch(
                "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None,"
                    + " Tensor? bias=None, float eps=1e-05, bool cudnn_enable=True) -> Tensor")
            .torch(
                "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight,"
                    + " Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)")
            .sample(layer(4), "f32[3 4], f32[4] in 0.5..2, f32[4]")
            .sample(layer(3, 4), "f32[2 5 3 4], f32[3 4] in 0.5..2, f32[3 4]")
            .sample(layer(4), "f32[2 3 4], none, none")
            .sample(layer(4), "f32[4], f32[4], none")
            .sample(layer(4), "f32[3 4] in -800..800, f32[4] in 0.5..2, f32[4]")
            .rejects(
                layer(4),
                "f32[2 5], none, none",
                "layerNorm: the last dimensions of self must be the normalizedShape [4], but self"
                    + " has shape [2, 5].")
            .rejects(
                layer(5),
                "f32[2 5], f32[4], none",
                "layerNorm: weight must have the normalizedShape [5], but has shape [4].")
            .source("Ba, Kiros, Hinton 2016, arXiv:1607.06450")
            .declare();

    static final Operator<GroupNorm> GROUP_NORM =
        FAMILY
            .<GroupNorm>composite(
                "groupNorm", "self[*], weight?[c], bias?[c] -> [*]", Operators::groups)
            .dtypes(DTypes.SAME_FLOATING)
            .torch(
                "aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor?"
                    + " bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor")
            .sample(new GroupNorm(2, 1e-5), "f32[3 4 2 2], f32[4] in 0.5..2, f32[4]")
            .sample(new GroupNorm(4, 1e-5), "f32[3 4 5], none, none")
            .rejects(
                new GroupNorm(3, 1e-5),
                "f32[3 4 5], none, none",
                "groupNorm: the channels must fall into groups of the same size, but self [3, 4, 5]"
                    + " has 4 channels for 3 groups.")
            .source("Wu, He 2018, arXiv:1803.08494")
            .declare();

    static final Operator<LayerNorm> RMS_NORM =
        FAMILY
            .<LayerNorm>composite("rmsNorm", "self[*], weight?[*] -> [*]", Operators::rms)
            .dtypes(DTypes.SAME_FLOATING)
            .torch(
                "aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None,"
                    + " float? eps=None) -> Tensor")
            .sample(layer(4), "f32[3 4], f32[4] in 0.5..2")
            .sample(layer(3, 4), "f32[2 3 4], none")
            .source("Zhang, Sennrich 2019, arXiv:1910.07467")
            .declare();

    static final Operator<Operator.None> SCALE_SHIFT =
        FAMILY
            .pointwise(
                "scaleShift",
                List.of("self", "scale", "shift"),
                input(0).times(input(1)).plus(input(2)))
            .own()
            .sample(NONE, "f32[2 3 4], f32[3 1], f32[3 1]")
            .declare();

    static final Operator<BatchNorm> NORMALIZE_CHANNELS =
        FAMILY
            .<BatchNorm>structured(
                "normalizeChannels",
                "self[*], weight?[c], bias?[c], mean[c], variance[c] -> [*]",
                ReferenceNormalization.NORMALIZE_CHANNELS)
            .shape((_, in) -> List.of(checkChannels("batchNorm", in).clone()))
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .own()
            .sample(BATCH, "f32[2 3 4 2], f32[3] in 0.5..2, f32[3], f32[3], f32[3] in 0.5..2")
            .sample(BATCH, "f32[1 3 5], none, none, f32[3], f32[3] in 0.5..2")
            .sample(BATCH, "f32[4 3], f32[3], none, f32[3], f32[3] in 0.5..2")
            .sample(BATCH, "f32[2 3 7 11], none, f32[3], f32[3], f32[3] in 0.5..2")
            .declare();

    // Gradients as kernels. While they are recorded themselves they are written out in other
    // operators.

    static final Operator<BatchNorm> BATCH_NORM_GRADIENT =
        FAMILY
            .<BatchNorm>structured(
                "batchNormGradient",
                "grad[*], self[*], weight?[c], mean[c], invstd[c] -> [*], [c], [c]",
                ReferenceNormalization.BATCH_NORM_GRADIENT)
            .shape((a, in) -> {
              long[] self = in.get(1);
              assert self != null;
              if (self.length < 2) {
                throw new ShapeException(
                    "batchNormGradient: self must have at least 2 dimensions, but has shape %s."
                        .formatted(Arrays.toString(self)));
              }
              Checks.shape("batchNormGradient", "grad", in.get(0), self);
              Checks.shape("batchNormGradient", "mean", in.get(3), self[1]);
              return List.of(self.clone(), new long[] {self[1]}, new long[] {self[1]});
            })
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::native_batch_norm_backward(Tensor grad_out, Tensor input, Tensor? weight,"
                    + " Tensor? running_mean, Tensor? running_var, Tensor? save_mean, Tensor?"
                    + " save_invstd, bool train, float eps, bool[3] output_mask) -> (Tensor,"
                    + " Tensor, Tensor)")
            .sample(BATCH, "f32[2 3 5], f32[2 3 5], f32[3] in 0.5..2, f32[3], f32[3] in 0.5..2")
            .declare();

    static final Operator<LayerNorm> LAYER_NORM_GRADIENT =
        FAMILY
            .<LayerNorm>structured(
                "layerNormGradient",
                "grad[*], self[*], weight?[*], mean[*], rstd[*] -> [*], [*], [*]",
                ReferenceNormalization.LAYER_NORM_GRADIENT)
            .shape((a, in) -> {
              long[] self = checkLast("layerNormGradient", a, in.subList(1, 3));
              Checks.shape("layerNormGradient", "grad", in.get(0), self);
              Checks.shape("layerNormGradient", "mean", in.get(3), a.statistics(self));
              Checks.shape("layerNormGradient", "rstd", in.get(4), a.statistics(self));
              return List.of(
                  self.clone(), a.normalizedShape().clone(), a.normalizedShape().clone());
            })
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[]"
                    + " normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias,"
                    + " bool[3] output_mask) -> (Tensor, Tensor, Tensor)")
            .sample(
                layer(4),
                "f32[2 3 4], f32[2 3 4], f32[4] in 0.5..2, f32[2 3 1], f32[2 3 1] in 0.5..2")
            .declare();

    private static LayerNorm layer(long... shape) {
      return new LayerNorm(shape, 1e-5);
    }

    private static Keeps batchKeeps() {
      return Keeps.inputs("self", "weight").andOutputs(1, 2);
    }

    private static Keeps reluKeeps() {
      return Keeps.inputs("self", "weight").andOutputs(0, 1, 2);
    }

    // Checks

    private static void checkAddend(long[] self, long @Nullable [] addend) {
      if (addend != null && !Arrays.equals(self, addend)) {
        throw new ShapeException(
            "batchNormRelu: addend must have the shape %s of self, but has shape %s."
                .formatted(Arrays.toString(self), Arrays.toString(addend)));
      }
    }

    private static long[] checkChannels(String op, List<long @Nullable []> shapes) {
      String[] names = {"self", "weight", "bias", "runningMean", "runningVar"};
      long[] self = shapes.getFirst();
      assert self != null;
      if (self.length < 2) {
        throw new ShapeException(
            "%s: self must have at least 2 dimensions [n c *], but has shape %s."
                .formatted(op, Arrays.toString(self)));
      }
      for (int i = 1; i < shapes.size(); i++) {
        long[] shape = shapes.get(i);
        if (shape != null && (shape.length != 1 || shape[0] != self[1])) {
          throw new ShapeException(
              "%s: %s must have shape [%d], one element for each channel of self %s, but has shape %s."
                  .formatted(op, names[i], self[1], Arrays.toString(self), Arrays.toString(shape)));
        }
      }
      return self;
    }

    private static void checkSeveral(long[] self) {
      long values = self[0];
      for (int d = 2; d < self.length; d++) {
        values *= self[d];
      }
      if (values == 1) {
        throw new ShapeException(
            "batchNorm: there must be more than one value per channel in training, but self has shape %s. Use a larger batch, or eval()."
                .formatted(Arrays.toString(self)));
      }
    }

    static void checkPlaces(Tensor self) {
      if (self.dim() < 3) {
        throw new ShapeException(
            "instanceNorm: self must have at least 3 dimensions [n c *], but has shape %s."
                .formatted(self.shape()));
      }
      if (self.numel() == self.size(0) * self.size(1) && self.numel() > 0) {
        throw new ShapeException(
            "instanceNorm: there must be more than one place per channel, but self has shape %s."
                .formatted(self.shape()));
      }
    }

    private static long[] checkLast(String op, LayerNorm a, List<long @Nullable []> shapes) {
      String[] names = {"self", "weight", "bias"};
      long[] self = shapes.getFirst();
      assert self != null;
      long[] last = a.normalizedShape();
      int from = self.length - last.length;
      if (from < 0
          || last.length == 0
          || !Arrays.equals(self, from, self.length, last, 0, last.length)) {
        throw new ShapeException(
            "%s: the last dimensions of self must be the normalizedShape %s, but self has shape %s."
                .formatted(op, Arrays.toString(last), Arrays.toString(self)));
      }
      for (int i = 1; i < shapes.size(); i++) {
        long[] shape = shapes.get(i);
        if (shape != null && !Arrays.equals(shape, last)) {
          throw new ShapeException(
              "%s: %s must have the normalizedShape %s, but has shape %s."
                  .formatted(op, names[i], Arrays.toString(last), Arrays.toString(shape)));
        }
      }
      return self;
    }

    // Compositions

    private static Tensor inference(BatchNorm a, Inputs in) {
      Tensor self = in.get("self");
      checkChannels(
          "batchNorm",
          Arrays.stream(in.all()).map(x -> x == null ? null : x.sizesInternal()).toList());
      Tensor weight = in.find("weight");
      Tensor bias = in.find("bias");
      if (!Autograd.isGradEnabled()) {
        return NORMALIZE_CHANNELS.on(
            a, self, weight, bias, in.get("runningMean"), in.get("runningVar"));
      }
      Tensor scale = in.get("runningVar").add(a.eps()).rsqrt();
      if (weight != null) {
        scale = scale.mul(weight);
      }
      Tensor shift = in.get("runningMean").mul(scale);
      shift = bias == null ? shift.neg() : bias.sub(shift);
      return scaleShift(self, scale, shift);
    }

    /// `self · scale + shift`, by channel.
    private static Tensor scaleShift(Tensor self, Tensor scale, Tensor shift) {
      long[] shape = Channels.shape(self.size(1), self.dim());
      return SCALE_SHIFT.on(NONE, self, scale.view(shape), shift.view(shape));
    }

    private static Tensor groups(GroupNorm a, Inputs in) {
      Tensor self = in.get("self");
      checkChannels(
          "groupNorm",
          Arrays.stream(in.all()).map(x -> x == null ? null : x.sizesInternal()).toList());
      long channels = self.size(1);
      if (a.numGroups() <= 0 || channels % a.numGroups() != 0) {
        throw new ShapeException(
            "groupNorm: the channels must fall into groups of the same size, but self %s has %d channels for %d groups."
                .formatted(self.shape(), channels, a.numGroups()));
      }
      if (self.numel() == 0) {
        return self.clone();
      }
      long each = self.numel() / self.size(0) / a.numGroups();
      Tensor normal =
          self.reshape(self.size(0), a.numGroups(), each)
              .layerNorm(new long[] {each}, null, null, a.eps())
              .view(self.sizes());
      Tensor weight = in.find("weight");
      Tensor bias = in.find("bias");
      long[] shape = Channels.shape(channels, self.dim());
      if (weight != null && bias != null) {
        return scaleShift(normal, weight, bias);
      }
      return weight != null
          ? normal.mul(weight.view(shape))
          : bias != null ? normal.add(bias.view(shape)) : normal;
    }

    private static Tensor rms(LayerNorm a, Inputs in) {
      Tensor self = in.get("self");
      checkLast(
          "rmsNorm",
          a,
          Arrays.stream(in.all()).map(x -> x == null ? null : x.sizesInternal()).toList());
      Tensor scale = a.over(self.dim()).meanKept(self.square()).add(a.eps()).rsqrt();
      Tensor weight = in.find("weight");
      return weight == null ? self.mul(scale) : self.mul(scale).mul(weight);
    }

    static void moveTowards(Tensor self, Tensor runningMean, Tensor runningVar, double momentum) {
      int[] places = IntStream.range(2, self.dim()).toArray();
      Reductions.VarMean statistics = self.varMean(places, 1, false);
      runningMean.mul_(1 - momentum).add_(statistics.mean().mean(0), momentum);
      runningVar.mul_(1 - momentum).add_(statistics.var().mean(0), momentum);
    }

    // Gradients

    private static @Nullable Tensor[] batchGradients(Backward<BatchNorm> b) {
      return batchGradients(b, b.grad(0));
    }

    /// With the gradient of the addend, that of the sum, behind them.
    private static @Nullable Tensor[] reluGradients(Backward<BatchNorm> b) {
      Tensor sum = OnePass.reluGradient(b.grad(0), b.output(0));
      @Nullable Tensor[] gradients = Arrays.copyOf(batchGradients(b, sum), 4);
      gradients[3] = sum;
      return gradients;
    }

    private static @Nullable Tensor[] batchGradients(Backward<BatchNorm> b, Tensor grad) {
      Tensor x = b.input("self");
      Tensor weight = b.find("weight");
      if (!Autograd.isGradEnabled()) {
        return BATCH_NORM_GRADIENT.all(b.attributes(), grad, x, weight, b.output(1), b.output(2));
      }
      int[] dims = IntStream.range(0, x.dim()).filter(d -> d != 1).toArray();
      long[] shape = Channels.shape(x.size(1), x.dim());
      var over = new Reduce(dims, true);
      Tensor scaled = weight == null ? grad : grad.mul(weight.view(shape));
      var parts = normalGradient(over, b.attributes().eps(), scaled, x);
      return new Tensor[] {
        parts.toSelf(), grad.mul(parts.normal()).sum(dims, false), grad.sum(dims, false)
      };
    }

    private static @Nullable Tensor[] layerGradients(Backward<LayerNorm> b) {
      Tensor x = b.input("self");
      Tensor weight = b.find("weight");
      Tensor grad = b.grad(0);
      if (!Autograd.isGradEnabled()) {
        return LAYER_NORM_GRADIENT.all(b.attributes(), grad, x, weight, b.output(1), b.output(2));
      }
      Tensor scaled = weight == null ? grad : grad.mul(weight);
      var parts = normalGradient(b.attributes().over(x.dim()), b.attributes().eps(), scaled, x);
      return new Tensor[] {parts.toSelf(), grad.mul(parts.normal()), grad};
    }

    private record Parts(Tensor toSelf, Tensor normal) {}

    /// The gradient of a tensor by its normalized elements, and these.
    private static Parts normalGradient(Reduce over, double eps, Tensor grad, Tensor x) {
      Tensor centred = x.sub(over.meanKept(x));
      Tensor scale = over.meanKept(centred.square()).add(eps).rsqrt();
      Tensor normal = centred.mul(scale);
      Tensor inner = grad.sub(over.meanKept(grad)).sub(normal.mul(over.meanKept(grad.mul(normal))));
      return new Parts(inner.mul(scale), normal);
    }

    private Operators() {}
  }
}
