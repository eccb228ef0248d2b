package taper.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// Layers of one kind, one upon the other, and what their result goes through.
abstract sealed class TransformerStack extends Module
    permits TransformerEncoder, TransformerDecoder {
  private final ModuleList layers;
  private final @Nullable LayerNorm norm;

  /// As many layers of `another`, copies of `layer`, as asked for.
  TransformerStack(
      Module layer, Supplier<? extends Module> another, int numLayers, @Nullable LayerNorm norm) {
    Sizes.notNegative(typeName(), "numLayers", numLayers);
    double bytes =
        layer.parameters().stream().mapToLong(p -> p.numel() * p.dtype().byteSize()).sum();
    Sizes.fits(typeName(), numLayers, bytes);
    List<Module> copies = new ArrayList<>();
    for (int i = 0; i < numLayers; i++) {
      copies.add(another.get());
    }
    layers = new ModuleList(copies);
    this.norm = norm;
  }

  /// What becomes of `input` by `call` of each layer after the other.
  final Tensor through(Tensor input, BiFunction<Module, Tensor, Tensor> call) {
    return tidily(() -> {
      Tensor x = input;
      for (Module layer : layers) {
        x = call.apply(layer, x);
      }
      return norm == null ? x : norm.call(x);
    });
  }

  @Override
  protected final boolean letsNothingEscape() {
    return !hasHooks()
        && layers.stream().allMatch(Module::letsNothingEscape)
        && (norm == null || norm.letsNothingEscape());
  }
}
