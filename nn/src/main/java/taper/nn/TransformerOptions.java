package taper.nn;

import taper.tensor.Tensor;

/// The options of transformer layers, with PyTorch's names and defaults. Immutable.
///
/// @param dimFeedforward the features between the two linear maps of a layer
/// @param dropout the probability of 0 in attention and behind every part, in training
/// @param activation the function between the two linear maps
/// @param layerNormEps added to the variance in normalizations
/// @param batchFirst whether the batch dimension comes first
/// @param normFirst whether a part is normalized before it, and not what it was added to after it
/// @param bias whether linear maps and normalizations have biases
public record TransformerOptions(
    long dimFeedforward,
    double dropout,
    Activation activation,
    double layerNormEps,
    boolean batchFirst,
    boolean normFirst,
    boolean bias) {

  /// 2048 features in between, a tenth dropped, ReLU, 1e-5, the batch in second place, normalization last, biases.
  public static final TransformerOptions DEFAULT =
      new TransformerOptions(2048, 0.1, Activation.RELU, 1e-5, false, false, true);

  /// What stands between the two linear maps.
  public enum Activation {
    /// The larger of 0 and the element.
    RELU,
    /// See [GELU].
    GELU;

    Tensor apply(Tensor x) {
      return this == RELU ? x.relu() : x.gelu();
    }
  }

  /// With another number of features in between.
  public TransformerOptions dimFeedforward(long dimFeedforward) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  /// With another probability of 0.
  public TransformerOptions dropout(double dropout) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  /// With another function between the two linear maps.
  public TransformerOptions activation(Activation activation) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  /// With another summand of variances.
  public TransformerOptions layerNormEps(double layerNormEps) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  /// With the batch in first place, or in second.
  public TransformerOptions batchFirst(boolean batchFirst) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  /// With normalization before every part, or after it.
  public TransformerOptions normFirst(boolean normFirst) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  /// With biases, or without.
  public TransformerOptions bias(boolean bias) {
    return new TransformerOptions(
        dimFeedforward, dropout, activation, layerNormEps, batchFirst, normFirst, bias);
  }

  MultiheadAttention attention(long dModel, int nhead) {
    return new MultiheadAttention(
        dModel, nhead, o -> o.dropout(dropout).bias(bias).batchFirst(batchFirst));
  }

  LayerNorm norm(long dModel) {
    return new LayerNorm(new long[] {dModel}, o -> o.eps(layerNormEps).bias(bias));
  }
}
