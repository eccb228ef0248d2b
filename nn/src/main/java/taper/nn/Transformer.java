package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.Parameter;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// An encoder and a decoder.
///
/// ```java
/// var transformer = new Transformer(512, 8, 6, 6, o -> o.batchFirst(true));
/// Tensor y = transformer.call(src, tgt, o -> o.tgtMask(MultiheadAttention.causalMask(tgt.size(1))));
/// ```
///
/// - Shape: source `[s n e]`, target `[t n e]` `-> [t n e]`; with `batchFirst` `[n s e]` and `[n t e]`; `n` may be missing
/// - Initial values: Xavier's uniform ones for all matrices
/// - Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762
public final class Transformer extends Module {
  private final TransformerEncoder encoder;
  private final TransformerDecoder decoder;
  private final transient long dModel;

  /// 512 features, 8 heads, 6 layers each.
  public Transformer() {
    this(512, 8, 6, 6, o -> o);
  }

  /// @param dModel the features
  /// @param nhead the number of heads, which divides the features
  /// @param numEncoderLayers the layers of the encoder
  /// @param numDecoderLayers the layers of the decoder
  /// @param options as in `o -> o.batchFirst(true)`
  public Transformer(
      long dModel,
      int nhead,
      int numEncoderLayers,
      int numDecoderLayers,
      UnaryOperator<TransformerOptions> options) {
    this.dModel = dModel;
    TransformerOptions o = Sizes.chosen("Transformer", options, TransformerOptions.DEFAULT);
    var encoderLayer = new TransformerEncoderLayer(dModel, nhead, options);
    encoder = new TransformerEncoder(encoderLayer, numEncoderLayers, o.norm(dModel));
    var decoderLayer = new TransformerDecoderLayer(dModel, nhead, options);
    decoder = new TransformerDecoder(decoderLayer, numDecoderLayers, o.norm(dModel));
    resetParameters();
  }

  /// Draws all matrices again.
  public void resetParameters() {
    for (Parameter parameter : parameters()) {
      if (parameter.dim() > 1) {
        Init.xavierUniform_(parameter);
      }
    }
  }

  /// Runs encoder and decoder without masks.
  public Tensor call(Tensor src, Tensor tgt) {
    return call(src, tgt, o -> o);
  }

  /// Runs encoder and decoder.
  ///
  /// @param masks as in `o -> o.tgtMask(causal)`
  /// @throws ShapeException if source or target have other features than the model
  public Tensor call(Tensor src, Tensor tgt, UnaryOperator<TransformerMasks> masks) {
    TransformerMasks m = Sizes.chosen("Transformer", masks, TransformerMasks.DEFAULT);
    return invoke(
        List.of(src, tgt),
        in -> {
          check(in.get(0), in.get(1));
          Tensor memory = encoder.call(in.get(0), m.srcMask(), m.srcKeyPaddingMask());
          return decoder.call(in.get(1), memory, _ -> m);
        });
  }

  private void check(Tensor src, Tensor tgt) {
    if (src.dim() == 0 || tgt.dim() == 0 || src.size(-1) != dModel || tgt.size(-1) != dModel) {
      throw new ShapeException(
          "transformer: source and target must have %d features, but have shapes %s and %s."
              .formatted(dModel, src.shape(), tgt.shape()));
    }
  }
}
