package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// One layer of an encoder: attention of the source to itself and two linear maps, each added to what went into it and
/// normalized.
///
/// - Shape: `[s n e] -> [s n e]`; with `batchFirst` `[n s e]`; `n` may be missing
/// - Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762; with normalization first Xiong et al. 2020,
///   arXiv:2002.04745
public final class TransformerEncoderLayer extends Module {
  private final transient long dModel;
  private final transient int nhead;
  private final transient TransformerOptions options;

  @Key("self_attn")
  private final MultiheadAttention selfAttn;

  private final Linear linear1;
  private final Dropout dropout;
  private final Linear linear2;
  private final LayerNorm norm1;
  private final LayerNorm norm2;
  private final Dropout dropout1;
  private final Dropout dropout2;

  /// With default options.
  public TransformerEncoderLayer(long dModel, int nhead) {
    this(dModel, nhead, o -> o);
  }

  /// @param dModel the features
  /// @param nhead the number of heads, which divides the features
  /// @param options as in `o -> o.batchFirst(true)`
  public TransformerEncoderLayer(
      long dModel, int nhead, UnaryOperator<TransformerOptions> options) {
    this(
        dModel,
        nhead,
        Sizes.chosen("TransformerEncoderLayer", options, TransformerOptions.DEFAULT));
  }

  private TransformerEncoderLayer(long dModel, int nhead, TransformerOptions options) {
    this.dModel = dModel;
    this.nhead = nhead;
    this.options = options;
    long wide = options.dimFeedforward();
    selfAttn = options.attention(dModel, nhead);
    linear1 = new Linear(dModel, wide, o -> o.bias(options.bias()));
    dropout = new Dropout(options.dropout());
    linear2 = new Linear(wide, dModel, o -> o.bias(options.bias()));
    norm1 = options.norm(dModel);
    norm2 = options.norm(dModel);
    dropout1 = new Dropout(options.dropout());
    dropout2 = new Dropout(options.dropout());
  }

  /// Another layer with the same options, values and modes, drawing no random numbers.
  TransformerEncoderLayer copy() {
    return Twins.of(
        this, linear1.weight().dtype(), () -> new TransformerEncoderLayer(dModel, nhead, options));
  }

  @Override
  protected Tensor forward(Tensor src) {
    return layer(src, null, null);
  }

  /// Runs the layer with masks, each of which may be null.
  ///
  /// @param srcMask `[s s]` or `[n·heads s s]`: true where a position must not look at another, or numbers to add
  /// @param srcKeyPaddingMask `[n s]`: true where a position is to be left out, or numbers to add
  public Tensor call(Tensor src, @Nullable Tensor srcMask, @Nullable Tensor srcKeyPaddingMask) {
    return invoke(List.of(src), in -> layer(in.getFirst(), srcMask, srcKeyPaddingMask));
  }

  private Tensor layer(Tensor src, @Nullable Tensor mask, @Nullable Tensor padding) {
    return tidily(() -> {
      if (options.normFirst()) {
        Tensor x = src.add(attend(norm1.call(src), mask, padding));
        return x.add(feed(norm2.call(x)));
      }
      Tensor x = norm1.call(src.add(attend(src, mask, padding)));
      return norm2.call(x.add(feed(x)));
    });
  }

  private Tensor attend(Tensor x, @Nullable Tensor mask, @Nullable Tensor padding) {
    return dropout1.call(
        selfAttn
            .call(x, x, x, o -> o.attnMask(mask).keyPaddingMask(padding).needWeights(false))
            .output());
  }

  private Tensor feed(Tensor x) {
    Tensor wide = options.activation().apply(linear1.call(x));
    return dropout2.call(linear2.call(dropout.call(wide)));
  }

  @Override
  protected boolean letsNothingEscape() {
    return partsLetNothingEscape();
  }
}
