package taper.nn;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Attention.Attended;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Parameter;
import taper.tensor.Shape;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Attention in several heads: each position of the query looks at all positions of the key and takes their values, weighted
/// by how well query and key match.
///
/// A query that may look at no key gets weights of 0, and so do the gradients that go back through it.
///
/// - Shape: query `[l n e]`, key `[s n kdim]`, value `[s n vdim]` `-> [l n e]`; with `batchFirst` `[n l e]` and so on; `n`
///   may be missing
/// - Initial values: Xavier's uniform ones, biases 0
/// - Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762
public final class MultiheadAttention extends Module {

  /// The options of the layer, with PyTorch's names and defaults. Immutable.
  ///
  /// @param dropout the probability with which an attention weight is dropped in training
  /// @param bias whether the projections have biases
  /// @param addBiasKv whether one more key and value are learned
  /// @param addZeroAttn whether one more key and value are 0
  /// @param kdim the features of a key; 0 for those of the query
  /// @param vdim the features of a value; 0 for those of the query
  /// @param batchFirst whether the batch dimension comes first
  public record Options(
      double dropout,
      boolean bias,
      boolean addBiasKv,
      boolean addZeroAttn,
      long kdim,
      long vdim,
      boolean batchFirst) {

    /// No dropout, biases, everything of one size, the batch dimension in second place.
    public static final Options DEFAULT = new Options(0, true, false, false, 0, 0, false);

    /// With another probability of dropping a weight.
    public Options dropout(double dropout) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }

    /// With biases, or without.
    public Options bias(boolean bias) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }

    /// With a key and value that are learned, or without.
    public Options addBiasKv(boolean addBiasKv) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }

    /// With a key and value of 0, or without.
    public Options addZeroAttn(boolean addZeroAttn) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }

    /// With another number of features of a key.
    public Options kdim(long kdim) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }

    /// With another number of features of a value.
    public Options vdim(long vdim) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }

    /// With the batch dimension in first place, or in second.
    public Options batchFirst(boolean batchFirst) {
      return new Options(dropout, bias, addBiasKv, addZeroAttn, kdim, vdim, batchFirst);
    }
  }

  /// The options of a call. Immutable.
  ///
  /// @param keyPaddingMask `[n s]`: true where a key is to be left out, or numbers to add; null for none
  /// @param attnMask `[l s]` or `[n·heads l s]`: true where a query must not look at a key, or numbers to add; null for none
  /// @param needWeights whether the result has the attention weights
  /// @param averageAttnWeights whether these are averaged over the heads
  public record Masks(
      @Nullable Tensor keyPaddingMask,
      @Nullable Tensor attnMask,
      boolean needWeights,
      boolean averageAttnWeights) {

    /// No masks, weights averaged over the heads.
    public static final Masks DEFAULT = new Masks(null, null, true, true);

    /// Leaving keys out.
    public Masks keyPaddingMask(@Nullable Tensor keyPaddingMask) {
      return new Masks(keyPaddingMask, attnMask, needWeights, averageAttnWeights);
    }

    /// Leaving pairs of query and key out.
    public Masks attnMask(@Nullable Tensor attnMask) {
      return new Masks(keyPaddingMask, attnMask, needWeights, averageAttnWeights);
    }

    /// With weights in the result, or without.
    public Masks needWeights(boolean needWeights) {
      return new Masks(keyPaddingMask, attnMask, needWeights, averageAttnWeights);
    }

    /// With the average of the heads' weights, or all of them.
    public Masks averageAttnWeights(boolean averageAttnWeights) {
      return new Masks(keyPaddingMask, attnMask, needWeights, averageAttnWeights);
    }
  }

  /// What the layer returns.
  ///
  /// @param output of the shape of the query
  /// @param weights `[n l s]`, or `[n heads l s]` if not averaged; null if not asked for
  public record Result(Tensor output, @Nullable Tensor weights) {

    private static Result of(List<Tensor> tensors) {
      return new Result(tensors.getFirst(), tensors.size() > 1 ? tensors.get(1) : null);
    }

    private List<Tensor> tensors() {
      return weights == null ? List.of(output) : List.of(output, weights);
    }
  }

  private final transient long embedDim;
  private final transient int numHeads;
  private final transient Options options;

  @Key("in_proj_weight")
  private final @Nullable Parameter inProjWeight;

  @Key("q_proj_weight")
  private final @Nullable Parameter qProjWeight;

  @Key("k_proj_weight")
  private final @Nullable Parameter kProjWeight;

  @Key("v_proj_weight")
  private final @Nullable Parameter vProjWeight;

  @Key("in_proj_bias")
  private final @Nullable Parameter inProjBias;

  @Key("bias_k")
  private final @Nullable Parameter biasK;

  @Key("bias_v")
  private final @Nullable Parameter biasV;

  @Key("out_proj")
  private final Linear outProj;

  /// With default options.
  public MultiheadAttention(long embedDim, int numHeads) {
    this(embedDim, numHeads, o -> o);
  }

  /// @param embedDim the features of a query and of the result
  /// @param numHeads the number of heads, which divides `embedDim`
  /// @param options as in `o -> o.batchFirst(true)`
  /// @throws ArgumentException if `numHeads` does not divide `embedDim`
  public MultiheadAttention(long embedDim, int numHeads, UnaryOperator<Options> options) {
    Sizes.positive("MultiheadAttention", "embedDim", embedDim);
    Sizes.positive("MultiheadAttention", "numHeads", numHeads);
    if (embedDim % numHeads != 0) {
      throw new ArgumentException(
          "MultiheadAttention: numHeads must divide embedDim, but numHeads is %d and embedDim %d."
              .formatted(numHeads, embedDim));
    }
    Options o = Sizes.chosen("MultiheadAttention", options, Options.DEFAULT);
    Sizes.probability("MultiheadAttention", o.dropout());
    this.embedDim = embedDim;
    this.numHeads = numHeads;
    this.options = o;
    Sizes.notNegative("MultiheadAttention", "kdim", o.kdim());
    Sizes.notNegative("MultiheadAttention", "vdim", o.vdim());
    long rows = Sizes.times("MultiheadAttention", 3, "embedDim", embedDim);
    long kdim = o.kdim() == 0 ? embedDim : o.kdim();
    long vdim = o.vdim() == 0 ? embedDim : o.vdim();
    boolean packed = kdim == embedDim && vdim == embedDim;
    inProjWeight = packed ? Sizes.parameter(rows, embedDim) : null;
    qProjWeight = packed ? null : Sizes.parameter(embedDim, embedDim);
    kProjWeight = packed ? null : Sizes.parameter(embedDim, kdim);
    vProjWeight = packed ? null : Sizes.parameter(embedDim, vdim);
    inProjBias = o.bias() ? Sizes.parameter(rows) : null;
    outProj = new NonDynamicallyQuantizableLinear(embedDim, embedDim, o.bias());
    biasK = o.addBiasKv() ? Sizes.parameter(1, 1, embedDim) : null;
    biasV = o.addBiasKv() ? Sizes.parameter(1, 1, embedDim) : null;
    resetParameters();
  }

  /// Draws the projections of the inputs again, and sets biases to 0.
  public void resetParameters() {
    for (Parameter weight : present(inProjWeight, qProjWeight, kProjWeight, vProjWeight)) {
      Init.xavierUniform_(weight);
    }
    present(inProjBias, outProj.bias()).forEach(Init::zeros_);
    for (Parameter bias : present(biasK, biasV)) {
      // the leading dimensions count as PyTorch counts them: outputs and inputs are 1, the rest is
      // the field
      Init.xavierNormal_(bias);
    }
  }

  private static List<Parameter> present(@Nullable Parameter... parameters) {
    return java.util.Arrays.stream(parameters)
        .<Parameter>mapMulti((parameter, found) -> {
          if (parameter != null) {
            found.accept(parameter);
          }
        })
        .toList();
  }

  /// Attends without masks.
  public Result call(Tensor query, Tensor key, Tensor value) {
    return call(query, key, value, o -> o);
  }

  /// Attends.
  ///
  /// @param masks as in `o -> o.attnMask(causal).needWeights(false)`
  public Result call(Tensor query, Tensor key, Tensor value, UnaryOperator<Masks> masks) {
    Masks m = Sizes.chosen("MultiheadAttention", masks, Masks.DEFAULT);
    return invoke(
        List.of(query, key, value),
        in -> {
          Supplier<List<Tensor>> attending =
              () -> attend(in.get(0), in.get(1), in.get(2), m).tensors();
          return Result.of(letsNothingEscape() ? Memory.tidyAll(attending) : attending.get());
        },
        Result::tensors,
        Result::of);
  }

  @Override
  protected boolean letsNothingEscape() {
    return partsLetNothingEscape();
  }

  private Result attend(Tensor query, Tensor key, Tensor value, Masks masks) {
    check(query, key, value);
    boolean batched = query.dim() == 3;
    Tensor[] x = projected(query, key, value);
    for (int i = 0; i < x.length; i++) {
      x[i] = batchFirst(x[i]);
    }
    long n = x[0].size(0);
    long l = x[0].size(1);
    Tensor padding = masks.keyPaddingMask();
    if (padding != null && !batched) {
      padding = padding.unsqueeze(0);
    }
    Tensor mask = masks.attnMask();
    if (biasK != null && biasV != null) {
      x[1] = Tensor.cat(List.of(x[1], biasK.expand(n, 1, embedDim)), 1);
      x[2] = Tensor.cat(List.of(x[2], biasV.expand(n, 1, embedDim)), 1);
      padding = widened(padding);
      mask = widened(mask);
    }
    if (options.addZeroAttn()) {
      Tensor zero = Tensor.zeros(x[1].dtype(), n, 1, embedDim);
      x[1] = Tensor.cat(List.of(x[1], zero), 1);
      x[2] = Tensor.cat(List.of(x[2], zero), 1);
      padding = widened(padding);
      mask = widened(mask);
    }
    Tensor combined = combined(mask, padding, n, l, x[1].size(1));
    double p = isTraining() ? options.dropout() : 0;
    Tensor weights = null;
    Tensor values; // [n heads l e/heads]
    if (masks.needWeights()) {
      Attended attended =
          heads(x[0])
              .scaledDotProductAttentionWithWeights(
                  heads(x[1]), heads(x[2]), o -> o.mask(combined).dropout(p));
      weights = attended.weights();
      values = attended.output();
    } else {
      values =
          heads(x[0])
              .scaledDotProductAttention(
                  heads(x[1]), heads(x[2]), o -> o.mask(combined).dropout(p));
    }
    Tensor output = outProj.call(values.transpose(1, 2).reshape(n, l, embedDim));
    if (!batched) {
      output = output.squeeze(0);
    } else if (!options.batchFirst()) {
      output = output.transpose(0, 1);
    }
    if (!masks.needWeights() || weights == null) {
      return new Result(output, null);
    }
    Tensor shown = masks.averageAttnWeights() ? weights.mean(1) : weights;
    return new Result(output, batched ? shown : shown.squeeze(0));
  }

  /// Both masks in one, as attention takes it: true where a query may look at a key, or numbers to add; null for none.
  private @Nullable Tensor combined(
      @Nullable Tensor mask, @Nullable Tensor padding, long n, long l, long s) {
    Tensor pairs = mask;
    if (pairs != null) {
      checkMask("attnMask", pairs);
      Shape each = Shape.of(l, s);
      Shape all = Shape.of(n * numHeads, l, s);
      if (!pairs.shape().equals(each) && !pairs.shape().equals(all)) {
        throw new ShapeException(
            "attention: attnMask must have shape %s or %s, but has %s."
                .formatted(each, all, pairs.shape()));
      }
      pairs = pairs.dim() == 3 ? pairs.reshape(n, numHeads, l, s) : pairs;
    }
    Tensor keys = padding;
    if (keys != null) {
      checkMask("keyPaddingMask", keys);
      Shape each = Shape.of(n, s);
      if (!keys.shape().equals(each)) {
        throw new ShapeException(
            "attention: keyPaddingMask must have shape %s, but has %s."
                .formatted(each, keys.shape()));
      }
      keys = keys.reshape(n, 1, 1, s);
    }
    if (pairs == null || keys == null) {
      Tensor one = pairs == null ? keys : pairs;
      return one == null || one.dtype() != DType.BOOL ? one : one.logicalNot();
    }
    return pairs.dtype() == DType.BOOL && keys.dtype() == DType.BOOL
        ? pairs.logicalOr(keys).logicalNot()
        : added(pairs).add(added(keys));
  }

  /// A mask as numbers to add.
  private static Tensor added(Tensor mask) {
    return mask.dtype() == DType.BOOL
        ? Tensor.zeros(1).maskedFill(mask, Double.NEGATIVE_INFINITY)
        : mask;
  }

  private void check(Tensor query, Tensor key, Tensor value) {
    if (query.dim() != 2 && query.dim() != 3
        || key.dim() != query.dim()
        || value.dim() != query.dim()) {
      throw new ShapeException(
          "attention: query, key and value must have 3 dimensions each, or 2 without a batch, but have shapes %s, %s and %s."
              .formatted(query.shape(), key.shape(), value.shape()));
    }
    if (query.size(-1) != embedDim) {
      throw new ShapeException(
          "attention: the last dimension of the query must be embedDim, %d, but the query has shape %s."
              .formatted(embedDim, query.shape()));
    }
  }

  private Tensor batchFirst(Tensor x) {
    if (x.dim() == 2) {
      return x.unsqueeze(0);
    }
    return options.batchFirst() ? x : x.transpose(0, 1);
  }

  private Tensor[] projected(Tensor query, Tensor key, Tensor value) {
    if (query == key && key == value && inProjWeight != null) {
      return query.linear(inProjWeight, inProjBias).chunk(3, -1).toArray(Tensor[]::new);
    }
    Tensor[] x = {query, key, value};
    @Nullable Tensor[] weights = {qProjWeight, kProjWeight, vProjWeight};
    for (int i = 0; i < 3; i++) {
      Tensor weight = weights[i];
      if (weight == null) {
        assert inProjWeight != null;
        weight = inProjWeight.narrow(0, i * embedDim, embedDim);
      }
      x[i] =
          x[i].linear(
              weight, inProjBias == null ? null : inProjBias.narrow(0, i * embedDim, embedDim));
    }
    return x;
  }

  /// `[n l e]` as `[n heads l e/heads]`.
  private Tensor heads(Tensor x) {
    return x.reshape(x.size(0), x.size(1), numHeads, embedDim / numHeads).transpose(1, 2);
  }

  /// A mask with one more key, which everybody may look at.
  private static @Nullable Tensor widened(@Nullable Tensor mask) {
    if (mask == null) {
      return null;
    }
    long[] sizes = mask.shape().toArray();
    sizes[sizes.length - 1] = 1;
    return Tensor.cat(List.of(mask, Tensor.zeros(mask.dtype(), sizes)), -1);
  }

  private static void checkMask(String name, Tensor mask) {
    if (mask.dtype() != DType.BOOL && !mask.dtype().isFloatingPoint()) {
      throw new ArgumentException(
          "attention: %s must be bool or floating, but is %s. Convert it with .to(DType.BOOL)."
              .formatted(name, mask.dtype()));
    }
  }

  /// A mask that lets position i look at positions up to i only: negative infinity above the diagonal, 0 elsewhere.
  public static Tensor causalMask(long size) {
    return Autograd.noGrad(() ->
        Memory.tidy(
            () -> Tensor.full(DType.FLOAT32, Double.NEGATIVE_INFINITY, size, size).triu(1)));
  }
}
