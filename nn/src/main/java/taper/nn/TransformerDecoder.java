package taper.nn;

import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Layers of a decoder, one upon the other.
///
/// - Shape: that of [TransformerDecoderLayer]
public final class TransformerDecoder extends TransformerStack {

  /// As many copies of `layer` as asked for, all with its values.
  public TransformerDecoder(TransformerDecoderLayer layer, int numLayers) {
    this(layer, numLayers, null);
  }

  /// As many copies of `layer` as asked for, all with its values.
  ///
  /// @param norm what the result goes through, or null
  public TransformerDecoder(
      TransformerDecoderLayer layer, int numLayers, @Nullable LayerNorm norm) {
    super(Sizes.given("TransformerDecoder", "layer", layer), layer::copy, numLayers, norm);
  }

  /// Runs the layers without masks.
  public Tensor call(Tensor tgt, Tensor memory) {
    return call(tgt, memory, o -> o);
  }

  /// Runs the layers.
  ///
  /// @param masks as in `o -> o.tgtMask(causal)`; those of the source are not read
  public Tensor call(Tensor tgt, Tensor memory, UnaryOperator<TransformerMasks> masks) {
    return invoke(List.of(tgt, memory), in -> decode(in.get(0), in.get(1), masks));
  }

  private Tensor decode(Tensor tgt, Tensor memory, UnaryOperator<TransformerMasks> masks) {
    return through(tgt, (layer, x) -> ((TransformerDecoderLayer) layer).call(x, memory, masks));
  }
}
