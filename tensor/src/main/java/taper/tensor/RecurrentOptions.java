package taper.tensor;

/// How to stack recurrent layers, with PyTorch's names and defaults. Immutable.
///
/// @param hasBiases whether each layer has two biases
/// @param numLayers how many layers there are, one upon the other
/// @param dropout the probability of 0 between the layers
/// @param train whether to drop out
/// @param bidirectional whether each layer also goes from the last step to the first
/// @param batchFirst whether the input is `[n t i]` instead of `[t n i]`
public record RecurrentOptions(
    boolean hasBiases,
    int numLayers,
    double dropout,
    boolean train,
    boolean bidirectional,
    boolean batchFirst) {

  /// Biases, one layer, no dropout, one direction, time first.
  public static final RecurrentOptions DEFAULT =
      new RecurrentOptions(true, 1, 0, false, false, false);

  /// With two biases in each layer, or none.
  public RecurrentOptions hasBiases(boolean hasBiases) {
    return new RecurrentOptions(hasBiases, numLayers, dropout, train, bidirectional, batchFirst);
  }

  /// With another number of layers.
  public RecurrentOptions numLayers(int numLayers) {
    return new RecurrentOptions(hasBiases, numLayers, dropout, train, bidirectional, batchFirst);
  }

  /// With another probability of 0 between the layers.
  public RecurrentOptions dropout(double dropout) {
    return new RecurrentOptions(hasBiases, numLayers, dropout, train, bidirectional, batchFirst);
  }

  /// With dropout, or without.
  public RecurrentOptions train(boolean train) {
    return new RecurrentOptions(hasBiases, numLayers, dropout, train, bidirectional, batchFirst);
  }

  /// In both directions, or from the first step to the last alone.
  public RecurrentOptions bidirectional(boolean bidirectional) {
    return new RecurrentOptions(hasBiases, numLayers, dropout, train, bidirectional, batchFirst);
  }

  /// With the batch as the first dimension, or time.
  public RecurrentOptions batchFirst(boolean batchFirst) {
    return new RecurrentOptions(hasBiases, numLayers, dropout, train, bidirectional, batchFirst);
  }
}
