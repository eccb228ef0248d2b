package taper.nn;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Layers of an encoder, one upon the other.
///
/// - Shape: that of [TransformerEncoderLayer]
public final class TransformerEncoder extends TransformerStack {

  /// As many copies of `layer` as asked for, all with its values.
  public TransformerEncoder(TransformerEncoderLayer layer, int numLayers) {
    this(layer, numLayers, null);
  }

  /// As many copies of `layer` as asked for, all with its values.
  ///
  /// @param norm what the result goes through, or null
  public TransformerEncoder(
      TransformerEncoderLayer layer, int numLayers, @Nullable LayerNorm norm) {
    super(Sizes.given("TransformerEncoder", "layer", layer), layer::copy, numLayers, norm);
  }

  @Override
  protected Tensor forward(Tensor src) {
    return encode(src, null, null);
  }

  /// Runs the layers with masks, each of which may be null, see [TransformerEncoderLayer#call(Tensor, Tensor, Tensor)].
  public Tensor call(Tensor src, @Nullable Tensor srcMask, @Nullable Tensor srcKeyPaddingMask) {
    return invoke(List.of(src), in -> encode(in.getFirst(), srcMask, srcKeyPaddingMask));
  }

  private Tensor encode(Tensor src, @Nullable Tensor mask, @Nullable Tensor padding) {
    return through(src, (layer, x) -> ((TransformerEncoderLayer) layer).call(x, mask, padding));
  }
}
