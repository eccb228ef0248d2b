package taper.golden.bindings;

import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Call;
import taper.tensor.Activations.Approximate;
import taper.tensor.ArgumentException;
import taper.tensor.Attention.Attended;
import taper.tensor.DType;
import taper.tensor.Distances.ComputeMode;
import taper.tensor.Embeddings.BagMode;
import taper.tensor.Tensor;

/// Activations, losses, norms, embeddings and attention.
public final class FunctionalBindings {
  private FunctionalBindings() {}

  private static final String F = "nn.functional.";

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Bindings.Precision.ELEMENTWISE);
    addActivations(table);
    addShrinkages(table);
    addInPlace(table);
    table.precision(Bindings.Precision.GENERAL);
    addSoftmax(table);
    addDropouts(table);
    addNorms(table);
    addEmbeddings(table);
    addDistances(table);
    addAttention(table);
    LossBindings.addTo(table);
  }

  /// Binds one call under several of PyTorch's names.
  private static void bind(Bindings table, String ours, Call call, String... names) {
    for (String name : names) {
      table.bind(name, ours, call);
    }
  }

  private interface Activation {
    Tensor of(Arguments arguments, boolean inPlace);
  }

  /// Binds a function of `nn.functional` whose argument `inplace` is number `position`.
  private static void activation(
      Bindings table, String name, String ours, int position, Activation call) {
    table.bind(F + name, ours, a -> call.of(a, a.flag(position, "inplace", false)));
  }

  private static void addActivations(Bindings table) {
    activation(table, "relu", "relu()", 1, (a, in) -> in ? a.self().relu_() : a.self().relu());
    activation(table, "relu6", "relu6()", 1, (a, in) -> in ? a.self().relu6_() : a.self().relu6());
    activation(
        table,
        "elu",
        "elu(alpha)",
        2,
        (a, in) -> {
          double alpha = a.number(1, "alpha", 1);
          return in ? a.self().elu_(alpha) : a.self().elu(alpha);
        });
    activation(table, "selu", "selu()", 1, (a, in) -> in ? a.self().selu_() : a.self().selu());
    activation(
        table,
        "celu",
        "celu(alpha)",
        2,
        (a, in) -> {
          double alpha = a.number(1, "alpha", 1);
          return in ? a.self().celu_(alpha) : a.self().celu(alpha);
        });
    activation(
        table,
        "leaky_relu",
        "leakyRelu(negativeSlope)",
        2,
        (a, in) -> {
          double slope = a.number(1, "negative_slope", 0.01);
          return in ? a.self().leakyRelu_(slope) : a.self().leakyRelu(slope);
        });
    activation(
        table,
        "rrelu",
        "rrelu(lower, upper, training)",
        4,
        (a, in) -> {
          double lower = a.number(1, "lower", 1.0 / 8);
          double upper = a.number(2, "upper", 1.0 / 3);
          boolean training = a.flag(3, "training", false);
          return in
              ? a.self().rrelu_(lower, upper, training)
              : a.self().rrelu(lower, upper, training);
        });
    activation(table, "silu", "silu()", 1, (a, in) -> in ? a.self().silu_() : a.self().silu());
    activation(table, "mish", "mish()", 1, (a, in) -> in ? a.self().mish_() : a.self().mish());
    activation(
        table,
        "hardswish",
        "hardswish()",
        1,
        (a, in) -> in ? a.self().hardswish_() : a.self().hardswish());
    activation(
        table,
        "hardsigmoid",
        "hardsigmoid()",
        1,
        (a, in) -> in ? a.self().hardsigmoid_() : a.self().hardsigmoid());
    activation(
        table,
        "hardtanh",
        "hardtanh(minVal, maxVal)",
        3,
        (a, in) -> {
          double min = a.number(1, "min_val", -1);
          double max = a.number(2, "max_val", 1);
          return in ? a.self().hardtanh_(min, max) : a.self().hardtanh(min, max);
        });
    activation(
        table,
        "threshold",
        "threshold(limit, value)",
        3,
        (a, in) -> {
          double limit = a.number(1, "threshold");
          double value = a.number(2, "value");
          return in ? a.self().threshold_(limit, value) : a.self().threshold(limit, value);
        });
    table.bind(
        F + "gelu",
        "gelu(approximate)",
        a -> a.self().gelu(approximate(a.text(-1, "approximate", "none"))));
    bind(table, "glu(dim)", a -> a.self().glu(a.dim(1, "dim", -1)), F + "glu");
    bind(table, "prelu(weight)", a -> a.self().prelu(a.tensor(1, "weight")), "prelu", F + "prelu");
    table.bind(F + "logsigmoid", "logSigmoid()", a -> a.self().logSigmoid());
    table.bind(
        F + "softplus",
        "softplus(beta, threshold)",
        a -> a.self().softplus(a.number(1, "beta", 1), a.number(2, "threshold", 20)));
    table.bind(F + "sigmoid", "sigmoid()", a -> a.self().sigmoid());
    table.bind(F + "tanh", "tanh()", a -> a.self().tanh());
    table.bind("relu", "relu()", a -> a.self().relu());
    table.bind("selu", "selu()", a -> a.self().selu());
    table.bind("celu", "celu(alpha)", a -> a.self().celu(a.number(1, "alpha", 1)));
    table.bind(
        "rrelu",
        "rrelu(lower, upper, training, generator)",
        a ->
            a.self()
                .rrelu(
                    a.number(1, "lower", 1.0 / 8),
                    a.number(2, "upper", 1.0 / 3),
                    a.flag(3, "training", false)));
    table.bind(
        "threshold",
        "threshold(limit, value)",
        a -> a.self().threshold(a.number(1, "threshold"), a.number(2, "value")));
  }

  private static Approximate approximate(String text) {
    return switch (text) {
      case "none" -> Approximate.NONE;
      case "tanh" -> Approximate.TANH;
      default -> throw new ArgumentException("gelu: there is no approximation " + text + ".");
    };
  }

  private static void addShrinkages(Bindings table) {
    bind(
        table,
        "hardshrink(lambda)",
        a -> a.self().hardshrink(a.number(1, "lambd", 0.5)),
        "hardshrink",
        F + "hardshrink");
    table.bind(
        F + "softshrink",
        "softshrink(lambda)",
        a -> a.self().softshrink(a.number(1, "lambd", 0.5)));
    table.bind(F + "tanhshrink", "tanhshrink()", a -> a.self().tanhshrink());
    table.bind(F + "softsign", "softsign()", a -> a.self().softsign());
  }

  private static void addInPlace(Bindings table) {
    bind(table, "relu_()", a -> a.self().relu_(), "relu_", F + "relu_");
    bind(table, "selu_()", a -> a.self().selu_(), "selu_", F + "selu_");
    bind(table, "celu_(alpha)", a -> a.self().celu_(a.number(1, "alpha", 1)), "celu_", F + "celu_");
    table.bind(F + "elu_", "elu_(alpha)", a -> a.self().elu_(a.number(1, "alpha", 1)));
    table.bind(
        F + "leaky_relu_",
        "leakyRelu_(negativeSlope)",
        a -> a.self().leakyRelu_(a.number(1, "negative_slope", 0.01)));
    bind(
        table,
        "rrelu_(lower, upper, training)",
        a ->
            a.self()
                .rrelu_(
                    a.number(1, "lower", 1.0 / 8),
                    a.number(2, "upper", 1.0 / 3),
                    a.flag(3, "training", false)),
        "rrelu_",
        F + "rrelu_");
    table.bind(
        F + "hardtanh_",
        "hardtanh_(minVal, maxVal)",
        a -> a.self().hardtanh_(a.number(1, "min_val", -1), a.number(2, "max_val", 1)));
    bind(
        table,
        "threshold_(limit, value)",
        a -> a.self().threshold_(a.number(1, "threshold"), a.number(2, "value")),
        "threshold_",
        F + "threshold_");
  }

  private static void addSoftmax(Bindings table) {
    bind(table, "softmax(dim, dtype)", FunctionalBindings::softmax, "softmax", F + "softmax");
    bind(
        table,
        "logSoftmax(dim, dtype)",
        FunctionalBindings::logSoftmax,
        "log_softmax",
        F + "log_softmax");
    table.bind(
        F + "softmin",
        "softmin(dim, dtype)",
        a -> {
          int dim = a.dim(1, "dim");
          DType dtype = a.dtype(-1, "dtype");
          return dtype == null ? a.self().softmin(dim) : a.self().softmin(dim, dtype);
        });
    table.bind(
        F + "gumbel_softmax",
        "gumbelSoftmax(tau, hard, dim)",
        a ->
            a.self()
                .gumbelSoftmax(
                    a.number(1, "tau", 1), a.flag(2, "hard", false), a.dim(4, "dim", -1)));
  }

  private static Tensor softmax(Arguments a) {
    int dim = a.dim(1, "dim");
    DType dtype = a.dtype(a.count() > 2 ? 2 : -1, "dtype");
    return dtype == null ? a.self().softmax(dim) : a.self().softmax(dim, dtype);
  }

  private static Tensor logSoftmax(Arguments a) {
    int dim = a.dim(1, "dim");
    DType dtype = a.dtype(a.count() > 2 ? 2 : -1, "dtype");
    return dtype == null ? a.self().logSoftmax(dim) : a.self().logSoftmax(dim, dtype);
  }

  // Dropouts

  private static void addDropouts(Bindings table) {
    table.bind(
        F + "dropout",
        "dropout(p, training)",
        a -> {
          double p = a.number(1, "p", 0.5);
          boolean training = a.flag(2, "training", true);
          return a.flag(3, "inplace", false)
              ? a.self().dropout_(p, training)
              : a.self().dropout(p, training);
        });
    table.bind(
        "dropout",
        "dropout(p, training)",
        a -> a.self().dropout(a.number(1, "p"), a.flag(2, "train", true)));
    table.bind(
        "dropout_",
        "dropout_(p, training)",
        a -> a.self().dropout_(a.number(1, "p"), a.flag(2, "train", true)));
    table.bind(
        F + "dropout1d",
        "dropout1d(p, training)",
        a -> a.self().dropout1d(a.number(1, "p", 0.5), a.flag(2, "training", true)));
    table.bind(
        F + "dropout2d",
        "dropout2d(p, training)",
        a -> a.self().dropout2d(a.number(1, "p", 0.5), a.flag(2, "training", true)));
    table.bind(
        F + "dropout3d",
        "dropout3d(p, training)",
        a -> a.self().dropout3d(a.number(1, "p", 0.5), a.flag(2, "training", true)));
    table.bind(
        "feature_dropout",
        "featureDropout(p, training)",
        a -> a.self().featureDropout(a.number(1, "p"), a.flag(2, "train", true)));
    table.bind(
        F + "alpha_dropout",
        "alphaDropout(p, training)",
        a -> {
          double p = a.number(1, "p", 0.5);
          boolean training = a.flag(2, "training", false);
          return a.flag(3, "inplace", false)
              ? a.self().alphaDropout_(p, training)
              : a.self().alphaDropout(p, training);
        });
    table.bind(
        "alpha_dropout",
        "alphaDropout(p, training)",
        a -> a.self().alphaDropout(a.number(1, "p"), a.flag(2, "train", true)));
    table.bind(
        F + "feature_alpha_dropout",
        "featureAlphaDropout(p, training)",
        a -> a.self().featureAlphaDropout(a.number(1, "p", 0.5), a.flag(2, "training", false)));
    table.bind(
        "feature_alpha_dropout",
        "featureAlphaDropout(p, training)",
        a -> a.self().featureAlphaDropout(a.number(1, "p"), a.flag(2, "train", true)));
  }

  // Norms

  private static void addNorms(Bindings table) {
    table.bind(
        F + "batch_norm",
        "batchNorm(runningMean, runningVar, weight, bias, training, momentum, eps)",
        a ->
            a.self()
                .batchNorm(
                    a.find(1, "running_mean"),
                    a.find(2, "running_var"),
                    a.find(3, "weight"),
                    a.find(4, "bias"),
                    a.flag(5, "training", false),
                    a.number(6, "momentum", 0.1),
                    a.number(7, "eps", 1e-5)));
    table.bind(
        "batch_norm",
        "batchNorm(runningMean, runningVar, weight, bias, training, momentum, eps)",
        a -> {
          a.flag(8, "cudnn_enabled", true);
          return a.self()
              .batchNorm(
                  a.find(3, "running_mean"),
                  a.find(4, "running_var"),
                  a.find(1, "weight"),
                  a.find(2, "bias"),
                  a.flag(5, "training", false),
                  a.number(6, "momentum"),
                  a.number(7, "eps"));
        });
    table.bind(
        "native_batch_norm",
        "nativeBatchNorm(weight, bias, runningMean, runningVar, training, momentum, eps)",
        a ->
            a.self()
                .nativeBatchNorm(
                    a.find(1, "weight"),
                    a.find(2, "bias"),
                    a.find(3, "running_mean"),
                    a.find(4, "running_var"),
                    a.flag(5, "training", false),
                    a.number(6, "momentum"),
                    a.number(7, "eps")));
    table.bind(
        "native_layer_norm",
        "nativeLayerNorm(normalizedShape, weight, bias, eps)",
        a ->
            a.self()
                .nativeLayerNorm(
                    a.longs(1, "normalized_shape"),
                    a.find(2, "weight"),
                    a.find(3, "bias"),
                    a.number(4, "eps")));
    table.bind(
        F + "instance_norm",
        "instanceNorm(runningMean, runningVar, weight, bias, useInputStats, momentum, eps)",
        a ->
            a.self()
                .instanceNorm(
                    a.find(1, "running_mean"),
                    a.find(2, "running_var"),
                    a.find(3, "weight"),
                    a.find(4, "bias"),
                    a.flag(5, "use_input_stats", true),
                    a.number(6, "momentum", 0.1),
                    a.number(7, "eps", 1e-5)));
    bind(
        table,
        "layerNorm(normalizedShape, weight, bias, eps)",
        a ->
            a.self()
                .layerNorm(
                    a.longs(1, "normalized_shape"),
                    a.find(2, "weight"),
                    a.find(3, "bias"),
                    a.number(4, "eps", 1e-5)),
        "layer_norm",
        F + "layer_norm");
    bind(
        table,
        "groupNorm(numGroups, weight, bias, eps)",
        a ->
            a.self()
                .groupNorm(
                    a.dim(1, "num_groups"),
                    a.find(2, "weight"),
                    a.find(3, "bias"),
                    a.number(4, "eps", 1e-5)),
        "group_norm",
        F + "group_norm");
    bind(
        table,
        "rmsNorm(normalizedShape, weight, eps)",
        FunctionalBindings::rmsNorm,
        "rms_norm",
        F + "rms_norm");
    table.bind(
        F + "local_response_norm",
        "localResponseNorm(size, alpha, beta, k)",
        a ->
            a.self()
                .localResponseNorm(
                    a.dim(1, "size"),
                    a.number(2, "alpha", 1e-4),
                    a.number(3, "beta", 0.75),
                    a.number(4, "k", 1)));
    table.bind(
        F + "normalize",
        "normalize(p, dim, eps)",
        a ->
            a.self().normalize(a.number(1, "p", 2), a.dim(2, "dim", 1), a.number(3, "eps", 1e-12)));
  }

  private static Tensor rmsNorm(Arguments a) {
    long[] shape = a.longs(1, "normalized_shape");
    Tensor weight = a.find(2, "weight");
    Double eps = a.findNumber(3, "eps");
    double least = a.self().dtype() == DType.FLOAT64 ? Math.ulp(1.0) : Math.ulp(1f);
    return a.self().rmsNorm(shape, weight, eps == null ? least : eps);
  }

  // Embeddings

  private static void addEmbeddings(Bindings table) {
    // the cases have the weight first
    table
        .bind(
            F + "embedding",
            "indices.embedding(weight, o -> o.paddingIdx(row).maxNorm(norm))",
            a -> {
              a.flag(6, "sparse", false); // says how gradients are stored
              Long padding = a.findInteger(2, "padding_idx");
              Double norm = a.findNumber(3, "max_norm");
              double type = a.number(4, "norm_type", 2);
              boolean byFrequency = a.flag(5, "scale_grad_by_freq", false);
              return a.tensor(1, "indices")
                  .embedding(
                      a.self(),
                      o ->
                          o.paddingIdx(padding)
                              .maxNorm(norm)
                              .normType(type)
                              .scaleGradByFreq(byFrequency));
            })
        .note("Gradients are dense.");
    table
        .bind(
            F + "embedding_bag",
            "indices.embeddingBag(weight, offsets, o -> o.mode(BagMode.SUM))",
            FunctionalBindings::embeddingBag)
        .note("Gradients are dense.");
    table.bind(
        F + "one_hot", "oneHot(numClasses)", a -> a.self().oneHot(a.integer(1, "num_classes", -1)));
    table.bind(
        "embedding_renorm_",
        "indices.embeddingRenorm_(weight, maxNorm, normType)",
        a ->
            a.tensor(1, "indices")
                .embeddingRenorm_(a.self(), a.number(2, "max_norm"), a.number(3, "norm_type", 2)));
  }

  private static Tensor embeddingBag(Arguments a) {
    a.flag(7, "sparse", false); // says how gradients are stored
    Tensor offsets = a.find(2, "offsets");
    Double norm = a.findNumber(3, "max_norm");
    double type = a.number(4, "norm_type", 2);
    boolean byFrequency = a.flag(5, "scale_grad_by_freq", false);
    BagMode mode =
        switch (a.text(6, "mode", "mean")) {
          case "sum" -> BagMode.SUM;
          case "mean" -> BagMode.MEAN;
          case "max" -> BagMode.MAX;
          case String other -> throw new ArgumentException("embeddingBag: no mode " + other + ".");
        };
    Tensor factors = a.find(8, "per_sample_weights");
    boolean last = a.flag(9, "include_last_offset", false);
    Long padding = a.findInteger(10, "padding_idx");
    return a.tensor(1, "indices")
        .embeddingBag(
            a.self(),
            offsets,
            o ->
                o.mode(mode)
                    .perSampleWeights(factors)
                    .includeLastOffset(last)
                    .paddingIdx(padding)
                    .maxNorm(norm)
                    .normType(type)
                    .scaleGradByFreq(byFrequency));
  }

  // Distances

  private static void addDistances(Bindings table) {
    bind(
        table,
        "cosineSimilarity(other, dim, eps)",
        a ->
            a.self()
                .cosineSimilarity(a.tensor(1, "x2"), a.dim(2, "dim", 1), a.number(3, "eps", 1e-8)),
        "cosine_similarity",
        F + "cosine_similarity");
    bind(
        table,
        "pairwiseDistance(other, p, eps, keepDim)",
        a ->
            a.self()
                .pairwiseDistance(
                    a.tensor(1, "x2"),
                    a.number(2, "p", 2),
                    a.number(3, "eps", 1e-6),
                    a.flag(4, "keepdim", false)),
        "pairwise_distance",
        F + "pairwise_distance");
    bind(table, "pdist(p)", a -> a.self().pdist(a.number(1, "p", 2)), "pdist", F + "pdist");
    table.bind(
        "cdist",
        "cdist(other, p, mode)",
        a ->
            a.self()
                .cdist(
                    a.tensor(1, "x2"),
                    a.number(2, "p", 2),
                    mode(a.text(3, "compute_mode", "use_mm_for_euclid_dist_if_necessary"))));
    bind(
        table,
        "bilinear(other, weight, bias)",
        a -> a.self().bilinear(a.tensor(1, "input2"), a.tensor(2, "weight"), a.find(3, "bias")),
        "bilinear",
        F + "bilinear");
    table.bind(
        F + "linear",
        "linear(weight, bias)",
        a -> a.self().linear(a.tensor(1, "weight"), a.find(2, "bias")));
  }

  private static ComputeMode mode(String text) {
    return switch (text) {
      case "use_mm_for_euclid_dist_if_necessary" -> ComputeMode.IF_NECESSARY;
      case "use_mm_for_euclid_dist" -> ComputeMode.MATRIX_PRODUCT;
      case "donot_use_mm_for_euclid_dist" -> ComputeMode.EXACT;
      default -> throw new ArgumentException("cdist: there is no mode " + text + ".");
    };
  }

  // Attention

  private static void addAttention(Bindings table) {
    table.bind(
        F + "scaled_dot_product_attention",
        "query.scaledDotProductAttention(key, value, o -> o.mask(mask).causal(true))",
        a -> {
          Tensor mask = a.find(3, "attn_mask");
          double dropout = a.number(4, "dropout_p", 0);
          boolean causal = a.flag(5, "is_causal", false);
          Double scale = a.findNumber(-1, "scale");
          boolean shared = a.flag(-1, "enable_gqa", false);
          return a.self()
              .scaledDotProductAttention(
                  a.tensor(1, "key"),
                  a.tensor(2, "value"),
                  o -> o.mask(mask).dropout(dropout).causal(causal).scale(scale).enableGqa(shared));
        });
    table.bind(
        F + "_scaled_dot_product_attention",
        "query.scaledDotProductAttentionWithWeights(key, value, o -> o.causal(true))",
        FunctionalBindings::attention);
  }

  private static Attended attention(Arguments a) {
    Tensor mask = a.find(3, "attn_mask");
    double dropout = a.number(4, "dropout_p", 0);
    a.flag(5, "need_attn_weights", true); // they come in any case
    boolean causal = a.flag(6, "is_causal", false);
    return a.self()
        .scaledDotProductAttentionWithWeights(
            a.tensor(1, "key"),
            a.tensor(2, "value"),
            o -> o.mask(mask).dropout(dropout).causal(causal));
  }
}
