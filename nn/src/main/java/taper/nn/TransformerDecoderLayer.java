package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Tensor;

/// One layer of a decoder: attention of the target to itself, attention to the encoded source and two linear maps, each added
/// to what went into it and normalized.
///
/// - Shape: target `[t n e]`, memory `[s n e]` `-> [t n e]`; with `batchFirst` `[n t e]` and `[n s e]`; `n` may be missing
/// - Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762
public final class TransformerDecoderLayer extends Module {
  private final transient long dModel;
  private final transient int nhead;
  private final transient TransformerOptions options;

  @Key("self_attn")
  private final MultiheadAttention selfAttn;

  @Key("multihead_attn")
  private final MultiheadAttention multiheadAttn;

  private final Linear linear1;
  private final Dropout dropout;
  private final Linear linear2;
  private final LayerNorm norm1;
  private final LayerNorm norm2;
  private final LayerNorm norm3;
  private final Dropout dropout1;
  private final Dropout dropout2;
  private final Dropout dropout3;

  /// With default options.
  public TransformerDecoderLayer(long dModel, int nhead) {
    this(dModel, nhead, o -> o);
  }

  /// @param dModel the features
  /// @param nhead the number of heads, which divides the features
  /// @param options as in `o -> o.batchFirst(true)`
  public TransformerDecoderLayer(
      long dModel, int nhead, UnaryOperator<TransformerOptions> options) {
    this(
        dModel,
        nhead,
        Sizes.chosen("TransformerDecoderLayer", options, TransformerOptions.DEFAULT));
  }

  private TransformerDecoderLayer(long dModel, int nhead, TransformerOptions options) {
    this.dModel = dModel;
    this.nhead = nhead;
    this.options = options;
    long wide = options.dimFeedforward();
    selfAttn = options.attention(dModel, nhead);
    multiheadAttn = options.attention(dModel, nhead);
    linear1 = new Linear(dModel, wide, o -> o.bias(options.bias()));
    dropout = new Dropout(options.dropout());
    linear2 = new Linear(wide, dModel, o -> o.bias(options.bias()));
    norm1 = options.norm(dModel);
    norm2 = options.norm(dModel);
    norm3 = options.norm(dModel);
    dropout1 = new Dropout(options.dropout());
    dropout2 = new Dropout(options.dropout());
    dropout3 = new Dropout(options.dropout());
  }

  /// Another layer with the same options, values and modes, drawing no random numbers.
  TransformerDecoderLayer copy() {
    return Twins.of(
        this, linear1.weight().dtype(), () -> new TransformerDecoderLayer(dModel, nhead, options));
  }

  /// Runs the layer without masks.
  public Tensor call(Tensor tgt, Tensor memory) {
    return call(tgt, memory, o -> o);
  }

  /// Runs the layer.
  ///
  /// @param masks as in `o -> o.tgtMask(causal)`; those of the source are not read
  public Tensor call(Tensor tgt, Tensor memory, UnaryOperator<TransformerMasks> masks) {
    TransformerMasks m = Sizes.chosen("TransformerDecoderLayer", masks, TransformerMasks.DEFAULT);
    return invoke(List.of(tgt, memory), in -> layer(in.get(0), in.get(1), m));
  }

  private Tensor layer(Tensor tgt, Tensor memory, TransformerMasks masks) {
    return tidily(() -> {
      if (options.normFirst()) {
        Tensor x = tgt.add(attend(norm1.call(tgt), masks));
        x = x.add(look(norm2.call(x), memory, masks));
        return x.add(feed(norm3.call(x)));
      }
      Tensor x = norm1.call(tgt.add(attend(tgt, masks)));
      x = norm2.call(x.add(look(x, memory, masks)));
      return norm3.call(x.add(feed(x)));
    });
  }

  private Tensor attend(Tensor x, TransformerMasks masks) {
    return dropout1.call(
        selfAttn
            .call(
                x,
                x,
                x,
                o ->
                    o.attnMask(masks.tgtMask())
                        .keyPaddingMask(masks.tgtKeyPaddingMask())
                        .needWeights(false))
            .output());
  }

  private Tensor look(Tensor x, Tensor memory, TransformerMasks masks) {
    return dropout2.call(
        multiheadAttn
            .call(
                x,
                memory,
                memory,
                o ->
                    o.attnMask(masks.memoryMask())
                        .keyPaddingMask(masks.memoryKeyPaddingMask())
                        .needWeights(false))
            .output());
  }

  private Tensor feed(Tensor x) {
    Tensor wide = options.activation().apply(linear1.call(x));
    return dropout3.call(linear2.call(dropout.call(wide)));
  }

  @Override
  protected boolean letsNothingEscape() {
    return partsLetNothingEscape();
  }
}
