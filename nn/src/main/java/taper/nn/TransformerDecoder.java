package taper.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Layers of a decoder, one upon the other.
///
/// - Shape: that of [TransformerDecoderLayer]
public final class TransformerDecoder extends Module {
  private final ModuleList layers;
  private final @Nullable LayerNorm norm;

  /// As many copies of `layer` as asked for, all with its values.
  public TransformerDecoder(TransformerDecoderLayer layer, int numLayers) {
    this(layer, numLayers, null);
  }

  /// As many copies of `layer` as asked for, all with its values.
  ///
  /// @param norm what the result goes through, or null
  public TransformerDecoder(
      TransformerDecoderLayer layer, int numLayers, @Nullable LayerNorm norm) {
    Sizes.notNegative("TransformerDecoder", "numLayers", numLayers);
    List<Module> copies = new ArrayList<>();
    for (int i = 0; i < numLayers; i++) {
      copies.add(layer.copy());
    }
    layers = new ModuleList(copies);
    this.norm = norm;
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
    return tidily(() -> {
      Tensor x = tgt;
      for (Module layer : layers) {
        x = ((TransformerDecoderLayer) layer).call(x, memory, masks);
      }
      return norm == null ? x : norm.call(x);
    });
  }

  @Override
  protected boolean letsNothingEscape() {
    return !hasHooks()
        && layers.stream().allMatch(Module::letsNothingEscape)
        && (norm == null || norm.letsNothingEscape());
  }
}
