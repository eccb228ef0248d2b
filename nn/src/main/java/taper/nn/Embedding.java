package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// A table of learned rows, looked up by number.
///
/// - Shape: `[*b] -> [*b embeddingDim]`
/// - Types: the input is `int64`
/// - Initial values: standard normal
public final class Embedding extends Layer {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param paddingIdx a row that is 0 at first and learns nothing, or -1 for none
  public record Options(long paddingIdx) {
    /// No padding row.
    public static final Options DEFAULT = new Options(-1);

    /// With a row that is 0 at first and learns nothing.
    public Options paddingIdx(long row) {
      return new Options(row);
    }
  }

  private final Parameter weight;
  private final Options options;

  /// With default options.
  public Embedding(long numEmbeddings, long embeddingDim) {
    this(numEmbeddings, embeddingDim, o -> o);
  }

  /// @param numEmbeddings the number of rows
  /// @param embeddingDim the length of a row
  /// @param options as in `o -> o.paddingIdx(0)`
  /// @throws ArgumentException if the padding row is none of the rows
  public Embedding(long numEmbeddings, long embeddingDim, UnaryOperator<Options> options) {
    Sizes.notNegative("Embedding", "numEmbeddings", numEmbeddings);
    Sizes.notNegative("Embedding", "embeddingDim", embeddingDim);
    this.options = options.apply(Options.DEFAULT);
    long padding = this.options.paddingIdx();
    if (padding < -1 || padding >= numEmbeddings) {
      throw new ArgumentException(
          "Embedding: paddingIdx must be in 0..%d, or -1 for none, but is %d."
              .formatted(numEmbeddings - 1, padding));
    }
    this.weight = Sizes.parameter(numEmbeddings, embeddingDim);
    resetParameters();
  }

  /// Draws the rows again.
  public void resetParameters() {
    Init.normal_(weight);
    if (options.paddingIdx() >= 0) {
      Autograd.noGrad(() -> weight.select(0, options.paddingIdx()).zero_());
    }
  }

  /// The rows, `[numEmbeddings embeddingDim]`.
  public Parameter weight() {
    return weight;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.embedding(weight, options.paddingIdx());
  }

  @Override
  protected String extraRepr() {
    String sizes = weight.size(0) + ", " + weight.size(1);
    return options.paddingIdx() >= 0 ? sizes + ", padding_idx=" + options.paddingIdx() : sizes;
  }
}
