package taper.nn;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
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
  /// @param paddingIdx a row that is 0 at first and learns nothing, counted from the end if negative; null for none
  public record Options(@Nullable Long paddingIdx) {
    /// No padding row.
    public static final Options DEFAULT = new Options(null);

    /// With a row that is 0 at first and learns nothing, counted from the end if negative; null for none.
    public Options paddingIdx(@Nullable Long row) {
      return new Options(row);
    }

    /// With a row that is 0 at first and learns nothing, counted from the end if negative.
    public Options paddingIdx(long row) {
      return paddingIdx(Long.valueOf(row));
    }
  }

  private final Parameter weight;
  private final transient @Nullable Long paddingIdx;

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
    this.paddingIdx =
        Sizes.row(
            "Embedding",
            Sizes.chosen("Embedding", options, Options.DEFAULT).paddingIdx(),
            numEmbeddings);
    this.weight = Sizes.parameter(numEmbeddings, embeddingDim);
    resetParameters();
  }

  /// Draws the rows again.
  public void resetParameters() {
    Init.normal_(weight);
    Long row = paddingIdx;
    if (row != null) {
      Autograd.noGrad(() -> weight.select(0, row).zero_());
    }
  }

  /// The rows, `[numEmbeddings embeddingDim]`.
  public Parameter weight() {
    return weight;
  }

  @Override
  protected Tensor forward(Tensor input) {
    return paddingIdx == null ? input.embedding(weight) : input.embedding(weight, paddingIdx);
  }

  @Override
  protected String extraRepr() {
    String sizes = weight.size(0) + ", " + weight.size(1);
    return paddingIdx == null ? sizes : sizes + ", padding_idx=" + paddingIdx;
  }
}
