package taper.nn;

import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.Embeddings.EmbeddingBagOptions;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// A table of rows, of which bags of indices take sums, means or largest elements.
///
/// - Shape: `[b k] -> [b d]`; `[n], offsets[b] -> [b d]`
/// - Initial values: normally distributed, the padding row 0
public final class EmbeddingBag extends Module {
  private final Parameter weight;
  private final EmbeddingBagOptions options;

  /// With default options: means.
  public EmbeddingBag(long numEmbeddings, long embeddingDim) {
    this(numEmbeddings, embeddingDim, o -> o);
  }

  /// @param numEmbeddings the number of rows
  /// @param embeddingDim the length of a row
  /// @param options as in `o -> o.mode(BagMode.SUM)`
  public EmbeddingBag(
      long numEmbeddings, long embeddingDim, UnaryOperator<EmbeddingBagOptions> options) {
    Sizes.notNegative("EmbeddingBag", "numEmbeddings", numEmbeddings);
    Sizes.notNegative("EmbeddingBag", "embeddingDim", embeddingDim);
    EmbeddingBagOptions o = Sizes.chosen("EmbeddingBag", options, EmbeddingBagOptions.DEFAULT);
    Sizes.given("EmbeddingBag", "mode", o.mode());
    this.options = o.paddingIdx(Sizes.row("EmbeddingBag", o.paddingIdx(), numEmbeddings));
    this.weight = Sizes.parameter(numEmbeddings, embeddingDim);
    resetParameters();
  }

  /// Draws the rows again.
  public void resetParameters() {
    Init.normal_(weight);
    Long padding = options.paddingIdx();
    if (padding != null) {
      Autograd.noGrad(() -> weight.select(0, padding).zero_());
    }
  }

  /// The rows, `[numEmbeddings embeddingDim]`.
  public Parameter weight() {
    return weight;
  }

  /// The bags that are the rows of a matrix of indices.
  @Override
  protected Tensor forward(Tensor input) {
    return input.embeddingBag(weight, null, _ -> options);
  }

  /// The bags that begin at `offsets` in a vector of indices.
  public Tensor call(Tensor input, @Nullable Tensor offsets) {
    return call(input, offsets, null);
  }

  /// The bags that begin at `offsets` in a vector of indices.
  ///
  /// @param offsets null if the input is a matrix with a bag in each row
  /// @param perSampleWeights a factor for each index, or null
  public Tensor call(Tensor input, @Nullable Tensor offsets, @Nullable Tensor perSampleWeights) {
    return invoke(
        List.of(input),
        in ->
            in.getFirst()
                .embeddingBag(weight, offsets, _ -> options.perSampleWeights(perSampleWeights)));
  }

  @Override
  protected String extraRepr() {
    String mode = options.mode().name().toLowerCase(Locale.ROOT);
    String text = "%d, %d, mode='%s'".formatted(weight.size(0), weight.size(1), mode);
    Long padding = options.paddingIdx();
    return padding == null ? text : text + ", padding_idx=" + padding;
  }
}
