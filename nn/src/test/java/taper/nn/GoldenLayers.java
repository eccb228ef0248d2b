package taper.nn;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Embeddings.BagMode;
import taper.tensor.Embeddings.EmbeddingBagOptions;
import taper.tensor.Losses;
import taper.tensor.PoolingOptions;
import taper.tensor.Reduction;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Builds the module of a reference case from its arguments.
final class GoldenLayers {
  private final GoldenTensors tensors;
  private final JsonNode args;
  private final JsonNode kwargs;

  private GoldenLayers(GoldenTensors tensors, JsonNode c) {
    this.tensors = tensors;
    this.args = c.get("args");
    this.kwargs = c.get("kwargs");
  }

  static Module build(JsonNode c, GoldenTensors tensors) {
    return new GoldenLayers(tensors, c).module(c.get("module").asString());
  }

  /// The argument at `position`, or called `name`, or null.
  @Nullable JsonNode arg(int position, String name) {
    JsonNode node = kwargs.has(name) ? kwargs.get(name) : args.get(position);
    return node == null || node.isNull() ? null : node;
  }

  private static double number(JsonNode node) {
    return node.has("$f") ? Double.parseDouble(node.get("$f").asString()) : node.asDouble();
  }

  double number(int position, String name, double otherwise) {
    JsonNode node = arg(position, name);
    return node == null ? otherwise : number(node);
  }

  boolean truth(int position, String name, boolean otherwise) {
    JsonNode node = arg(position, name);
    return node == null ? otherwise : node.asBoolean();
  }

  /// The numbers of an argument that is one number or several.
  private int @Nullable [] sizes(int position, String name) {
    JsonNode node = arg(position, name);
    if (node == null) {
      return null;
    }
    JsonNode list =
        node.has("$tuple")
            ? node.get("$tuple")
            : node.has("$list") ? node.get("$list") : node.has("$size") ? node.get("$size") : node;
    return list.isArray()
        ? list.valueStream().mapToInt(JsonNode::asInt).toArray()
        : new int[] {list.asInt()};
  }

  private int[] required(int position, String name) {
    int[] sizes = sizes(position, name);
    if (sizes == null) {
      throw new IllegalArgumentException(name);
    }
    return sizes;
  }

  private static int last(int[] sizes) {
    return sizes[sizes.length - 1];
  }

  private Module module(String name) {
    return switch (name) {
      case "Linear" ->
          new Linear(
              (long) number(0, "in_features", 0),
              (long) number(1, "out_features", 0),
              o -> o.bias(truth(2, "bias", true)));
      case "Conv1d" ->
          new Conv1d(
              (long) number(0, "in_channels", 0),
              (long) number(1, "out_channels", 0),
              last(required(2, "kernel_size")),
              this::conv1d);
      case "Conv2d" -> {
        int[] kernel = required(2, "kernel_size");
        yield new Conv2d(
            (long) number(0, "in_channels", 0),
            (long) number(1, "out_channels", 0),
            kernel[0],
            last(kernel),
            this::conv2d);
      }
      case "BatchNorm1d" -> new BatchNorm1d((long) number(0, "num_features", 0), this::batchNorm);
      case "BatchNorm3d" -> new BatchNorm3d((long) number(0, "num_features", 0), this::batchNorm);
      case "RNN", "LSTM", "GRU", "RNNCell", "LSTMCell", "GRUCell" ->
          GoldenSequences.recurrent(name, this);
      case "TransformerEncoderLayer",
          "TransformerDecoderLayer",
          "TransformerEncoder",
          "TransformerDecoder",
          "Transformer" ->
          GoldenSequences.transformer(name, this);
      case "BatchNorm2d" -> new BatchNorm2d((long) number(0, "num_features", 0), this::batchNorm);
      case "LayerNorm" -> {
        int[] shape = required(0, "normalized_shape");
        yield new LayerNorm(
            Arrays.stream(shape).asLongStream().toArray(),
            o ->
                o.eps(number(1, "eps", 1e-5))
                    .elementwiseAffine(truth(2, "elementwise_affine", true)));
      }
      case "GroupNorm" ->
          new GroupNorm(
              (int) number(0, "num_groups", 0),
              (long) number(1, "num_channels", 0),
              o -> o.eps(number(2, "eps", 1e-5)).affine(truth(3, "affine", true)));
      case "Embedding" ->
          new Embedding(
              (long) number(0, "num_embeddings", 0),
              (long) number(1, "embedding_dim", 0),
              o -> {
                JsonNode padding = arg(2, "padding_idx");
                return o.paddingIdx(padding == null ? null : (Long) padding.asLong());
              });
      case "MultiheadAttention" ->
          new MultiheadAttention(
              (long) number(0, "embed_dim", 0), (int) number(1, "num_heads", 0), this::attention);
      case "MaxPool2d" -> {
        int[] kernel = required(0, "kernel_size");
        yield new MaxPool2d(kernel[0], last(kernel), o -> pool(o, 1, true));
      }
      case "AvgPool2d" -> {
        int[] kernel = required(0, "kernel_size");
        yield new AvgPool2d(kernel[0], last(kernel), o -> pool(o, 1, false));
      }
      case "AdaptiveAvgPool2d" -> {
        int[] size = required(0, "output_size");
        yield new AdaptiveAvgPool2d(size[0], last(size));
      }
      default -> simple(name);
    };
  }

  private Module simple(String name) {
    return switch (name) {
      case "ReLU" -> new ReLU();
      case "SiLU" -> new SiLU();
      case "Mish" -> new Mish();
      case "Sigmoid" -> new Sigmoid();
      case "Tanh" -> new Tanh();
      case "Identity" -> new Identity();
      case "GELU" -> {
        JsonNode how = arg(0, "approximate");
        yield how == null
            ? new GELU()
            : new GELU(Tensor.Approximate.valueOf(how.asString().toUpperCase(Locale.ROOT)));
      }
      case "LeakyReLU" -> new LeakyReLU(number(0, "negative_slope", 0.01));
      case "Softmax" -> new Softmax((int) number(0, "dim", 0));
      case "LogSoftmax" -> new LogSoftmax((int) number(0, "dim", 0));
      case "Flatten" ->
          new Flatten((int) number(0, "start_dim", 1), (int) number(1, "end_dim", -1));
      case "Unflatten" ->
          new Unflatten(
              (int) number(0, "dim", 0),
              Arrays.stream(required(1, "unflattened_size")).asLongStream().toArray());
      case "Dropout" -> new Dropout(number(0, "p", 0.5));
      default -> loss(name);
    };
  }

  private Conv1d.Options conv1d(Conv1d.Options start) {
    Conv1d.Options o = start;
    int[] stride = sizes(3, "stride");
    int[] padding = isText(4, "padding") ? null : sizes(4, "padding");
    int[] dilation = sizes(5, "dilation");
    o = stride == null ? o : o.stride(last(stride));
    o = padding == null ? o : o.padding(last(padding));
    o = isText(4, "padding") ? o.padding(text(4, "padding")) : o;
    o = dilation == null ? o : o.dilation(last(dilation));
    return o.groups((int) number(6, "groups", 1)).bias(truth(7, "bias", true));
  }

  private Conv2d.Options conv2d(Conv2d.Options start) {
    Conv2d.Options o = start;
    int[] stride = sizes(3, "stride");
    int[] padding = isText(4, "padding") ? null : sizes(4, "padding");
    int[] dilation = sizes(5, "dilation");
    o = stride == null ? o : o.stride(stride[0], last(stride));
    o = padding == null ? o : o.padding(padding[0], last(padding));
    o = isText(4, "padding") ? o.padding(text(4, "padding")) : o;
    o = dilation == null ? o : o.dilation(dilation[0], last(dilation));
    return o.groups((int) number(6, "groups", 1)).bias(truth(7, "bias", true));
  }

  private boolean isText(int position, String name) {
    JsonNode node = arg(position, name);
    return node != null && node.isString();
  }

  private String text(int position, String name) {
    JsonNode node = arg(position, name);
    if (node == null) {
      throw new IllegalArgumentException(name);
    }
    return node.asString();
  }

  private BatchNorm.Options batchNorm(BatchNorm.Options start) {
    boolean none =
        kwargs.has("momentum") && kwargs.get("momentum").isNull()
            || args.size() > 2 && args.get(2).isNull();
    return start
        .eps(number(1, "eps", 1e-5))
        .momentum(none ? null : (Double) number(2, "momentum", 0.1))
        .affine(truth(3, "affine", true))
        .trackRunningStats(truth(4, "track_running_stats", true));
  }

  private MultiheadAttention.Options attention(MultiheadAttention.Options start) {
    return start
        .dropout(number(2, "dropout", 0))
        .bias(truth(3, "bias", true))
        .addBiasKv(truth(4, "add_bias_kv", false))
        .addZeroAttn(truth(5, "add_zero_attn", false))
        .kdim((long) number(6, "kdim", 0))
        .vdim((long) number(7, "vdim", 0))
        .batchFirst(truth(8, "batch_first", false));
  }

  private PoolingOptions pool(PoolingOptions start, int first, boolean max) {
    PoolingOptions o = start;
    int[] stride = sizes(first, "stride");
    int[] padding = sizes(first + 1, "padding");
    o = stride == null ? o : o.stride(stride[0], last(stride));
    o = padding == null ? o : o.padding(padding[0], last(padding));
    int[] dilation = max ? sizes(first + 2, "dilation") : null;
    o = dilation == null ? o : o.dilation(dilation[0], last(dilation));
    o = o.ceilMode(truth(max ? 5 : 3, "ceil_mode", false));
    if (max) {
      return o;
    }
    o = o.countIncludePad(truth(4, "count_include_pad", true));
    int divisor = (int) number(5, "divisor_override", 0);
    return divisor == 0 ? o : o.divisorOverride(divisor);
  }

  private @Nullable Tensor tensor(String name, int position) {
    JsonNode node = arg(position, name);
    return node == null || !node.has("$t") ? null : tensors.get(node);
  }

  private Reduction reduction() {
    return kwargs.has("reduction")
        ? Reduction.valueOf(kwargs.get("reduction").asString().toUpperCase(Locale.ROOT))
        : Reduction.MEAN;
  }

  private Module loss(String name) {
    boolean batchMean =
        kwargs.has("reduction") && kwargs.get("reduction").asString().equals("batchmean");
    return switch (name) {
      case "CrossEntropyLoss" ->
          new CrossEntropyLoss(o ->
              o.weight(tensor("weight", 0))
                  .ignoreIndex((long) number(2, "ignore_index", -100))
                  .reduction(reduction())
                  .labelSmoothing(number(5, "label_smoothing", 0)));
      case "NLLLoss" ->
          new NLLLoss(o ->
              o.weight(tensor("weight", 0))
                  .ignoreIndex((long) number(2, "ignore_index", -100))
                  .reduction(reduction()));
      case "BCELoss" -> new BCELoss(o -> o.weight(tensor("weight", 0)).reduction(reduction()));
      case "BCEWithLogitsLoss" ->
          new BCEWithLogitsLoss(o ->
              o.weight(tensor("weight", 0))
                  .posWeight(tensor("pos_weight", 4))
                  .reduction(reduction()));
      case "MSELoss" -> new MSELoss(reduction());
      case "L1Loss" -> new L1Loss(reduction());
      case "SmoothL1Loss" -> new SmoothL1Loss(number(3, "beta", 1), reduction());
      case "HuberLoss" -> new HuberLoss(number(1, "delta", 1), reduction());
      case "KLDivLoss" -> {
        UnaryOperator<Losses.KlOptions> options =
            batchMean ? o -> o.batchMean() : o -> o.reduction(reduction());
        yield new KLDivLoss(o -> options.apply(o).logTarget(truth(3, "log_target", false)));
      }
      default -> activation(name);
    };
  }

  private Module activation(String name) {
    return switch (name) {
      case "ELU" -> new ELU(number(0, "alpha", 1));
      case "CELU" -> new CELU(number(0, "alpha", 1));
      case "SELU" -> new SELU();
      case "ReLU6" -> new ReLU6();
      case "Hardswish" -> new Hardswish();
      case "Hardsigmoid" -> new Hardsigmoid();
      case "LogSigmoid" -> new LogSigmoid();
      case "Softsign" -> new Softsign();
      case "Tanhshrink" -> new Tanhshrink();
      case "Hardtanh" -> new Hardtanh(number(0, "min_val", -1), number(1, "max_val", 1));
      case "Softplus" -> new Softplus(number(0, "beta", 1), number(1, "threshold", 20));
      case "Hardshrink" -> new Hardshrink(number(0, "lambd", 0.5));
      case "Softshrink" -> new Softshrink(number(0, "lambd", 0.5));
      case "Threshold" -> new Threshold(number(0, "threshold", 0), number(1, "value", 0));
      case "GLU" -> new GLU((int) number(0, "dim", -1));
      case "Softmin" -> new Softmin((int) number(0, "dim", 0));
      case "RReLU" -> new RReLU(number(0, "lower", 1.0 / 8), number(1, "upper", 1.0 / 3));
      case "PReLU" -> new PReLU((long) number(0, "num_parameters", 1), number(1, "init", 0.25));
      case "Dropout1d" -> new Dropout1d(number(0, "p", 0.5));
      case "Dropout2d" -> new Dropout2d(number(0, "p", 0.5));
      case "AlphaDropout" -> new AlphaDropout(number(0, "p", 0.5));
      case "FeatureAlphaDropout" -> new FeatureAlphaDropout(number(0, "p", 0.5));
      default -> normalization(name);
    };
  }

  private Module normalization(String name) {
    long features = name.startsWith("InstanceNorm") ? (long) number(0, "num_features", 0) : 0;
    return switch (name) {
      case "InstanceNorm1d" -> new InstanceNorm1d(features, this::instanceNorm);
      case "InstanceNorm2d" -> new InstanceNorm2d(features, this::instanceNorm);
      case "InstanceNorm3d" -> new InstanceNorm3d(features, this::instanceNorm);
      case "LocalResponseNorm" ->
          new LocalResponseNorm(
              (int) number(0, "size", 0),
              number(1, "alpha", 1e-4),
              number(2, "beta", 0.75),
              number(3, "k", 1));
      case "EmbeddingBag" ->
          new EmbeddingBag(
              (long) number(0, "num_embeddings", 0),
              (long) number(1, "embedding_dim", 0),
              this::bag);
      case "Bilinear" ->
          new Bilinear(
              (long) number(0, "in1_features", 0),
              (long) number(1, "in2_features", 0),
              (long) number(2, "out_features", 0),
              o -> o.bias(truth(3, "bias", true)));
      case "CosineSimilarity" ->
          new CosineSimilarity((int) number(0, "dim", 1), number(1, "eps", 1e-8));
      case "PairwiseDistance" ->
          new PairwiseDistance(
              number(0, "p", 2), number(1, "eps", 1e-6), truth(2, "keepdim", false));
      default -> margin(name);
    };
  }

  private InstanceNorm.Options instanceNorm(InstanceNorm.Options start) {
    return start
        .eps(number(1, "eps", 1e-5))
        .momentum(number(2, "momentum", 0.1))
        .affine(truth(3, "affine", false))
        .trackRunningStats(truth(4, "track_running_stats", false));
  }

  private EmbeddingBagOptions bag(EmbeddingBagOptions start) {
    JsonNode mode = arg(5, "mode");
    JsonNode norm = arg(2, "max_norm");
    JsonNode padding = arg(9, "padding_idx");
    return start
        .mode(
            mode == null ? BagMode.MEAN : BagMode.valueOf(mode.asString().toUpperCase(Locale.ROOT)))
        .maxNorm(norm == null ? null : (Double) number(norm))
        .normType(number(3, "norm_type", 2))
        .scaleGradByFreq(truth(4, "scale_grad_by_freq", false))
        .includeLastOffset(truth(8, "include_last_offset", false))
        .paddingIdx(padding == null ? null : (Long) padding.asLong());
  }

  private Module margin(String name) {
    return switch (name) {
      case "SoftMarginLoss" -> new SoftMarginLoss(reduction());
      case "HingeEmbeddingLoss" -> new HingeEmbeddingLoss(number(0, "margin", 1), reduction());
      case "MultiLabelMarginLoss" -> new MultiLabelMarginLoss(reduction());
      case "MultiLabelSoftMarginLoss" ->
          new MultiLabelSoftMarginLoss(tensor("weight", 0), reduction());
      case "MultiMarginLoss" ->
          new MultiMarginLoss(o ->
              o.p((int) number(0, "p", 1))
                  .margin(number(1, "margin", 1))
                  .weight(tensor("weight", 2))
                  .reduction(reduction()));
      case "PoissonNLLLoss" ->
          new PoissonNLLLoss(o ->
              o.logInput(truth(0, "log_input", true))
                  .full(truth(1, "full", false))
                  .eps(number(3, "eps", 1e-8))
                  .reduction(reduction()));
      case "GaussianNLLLoss" ->
          new GaussianNLLLoss(truth(9, "full", false), number(9, "eps", 1e-6), reduction());
      case "CosineEmbeddingLoss" -> new CosineEmbeddingLoss(number(0, "margin", 0), reduction());
      case "MarginRankingLoss" -> new MarginRankingLoss(number(0, "margin", 0), reduction());
      case "TripletMarginLoss" ->
          new TripletMarginLoss(o ->
              o.margin(number(0, "margin", 1))
                  .p(number(1, "p", 2))
                  .eps(number(2, "eps", 1e-6))
                  .swap(truth(3, "swap", false))
                  .reduction(reduction()));
      case "CTCLoss" ->
          new CTCLoss(o ->
              o.blank((long) number(0, "blank", 0))
                  .zeroInfinity(truth(2, "zero_infinity", false))
                  .reduction(reduction()));
      default -> throw new IllegalArgumentException(name);
    };
  }
}
