package taper.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.RecurrentOptions;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Layers in which what a step computes goes into the next one: [RNN], [LSTM] and [GRU].
///
/// Called with one tensor they return the hidden states of the last layer at all steps, and so fit into a [Sequential];
/// each has a `run` that returns the last states of all layers, too, and forms of `call` that take first states or sequences
/// of different lengths.
///
/// - Shape: input `[t n i]`, or with `batchFirst` `[n t i]`, and output alike with `d·h` features for `d` directions; states
///   `[l·d n h]` for `l` layers; the batch dimension may be missing
/// - State: `weight_ih_l0`, `weight_hh_l0`, `bias_ih_l0`, `bias_hh_l0`, the same with `_reverse` at the end, `…_l1`, …
/// - Initial values: uniform within ±1/√hiddenSize
public abstract sealed class RecurrentLayer extends Module permits HiddenStateLayer, LSTM {

  /// The options, with PyTorch's names and defaults. Immutable.
  ///
  /// @param numLayers how many layers there are, one upon the other
  /// @param bias whether each layer has two biases
  /// @param batchFirst whether the batch dimension comes first
  /// @param dropout the probability of 0 between the layers, in training
  /// @param bidirectional whether each layer also goes from the last step to the first
  /// @param projSize the size to which hidden states are projected, or 0 for no projection; [LSTM] only
  /// @param nonlinearity the function of a step; [RNN] only
  public record Options(
      int numLayers,
      boolean bias,
      boolean batchFirst,
      double dropout,
      boolean bidirectional,
      long projSize,
      Nonlinearity nonlinearity) {

    /// One layer in one direction, with biases, time first, without dropout and projection.
    public static final Options DEFAULT =
        new Options(1, true, false, 0, false, 0, Nonlinearity.TANH);

    /// With another number of layers.
    public Options numLayers(int numLayers) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }

    /// With biases, or without.
    public Options bias(boolean bias) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }

    /// With the batch as the first dimension, or time.
    public Options batchFirst(boolean batchFirst) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }

    /// With another probability of 0 between the layers.
    public Options dropout(double dropout) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }

    /// In both directions, or in one.
    public Options bidirectional(boolean bidirectional) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }

    /// With hidden states projected to another size.
    public Options projSize(long projSize) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }

    /// With another function of a step.
    public Options nonlinearity(Nonlinearity nonlinearity) {
      return new Options(
          numLayers, bias, batchFirst, dropout, bidirectional, projSize, nonlinearity);
    }
  }

  /// The function of a step of an [RNN].
  public enum Nonlinearity {
    /// The hyperbolic tangent.
    TANH,
    /// The larger of 0 and the sum.
    RELU
  }

  private final transient long inputSize;
  private final transient long hiddenSize;
  private final transient Options options;
  private final transient List<Parameter> flat = new ArrayList<>();

  RecurrentLayer(long inputSize, long hiddenSize, int gates, UnaryOperator<Options> options) {
    Options o = Sizes.chosen(typeName(), options, Options.DEFAULT);
    Sizes.positive(typeName(), "inputSize", inputSize);
    Sizes.positive(typeName(), "hiddenSize", hiddenSize);
    Sizes.positive(typeName(), "numLayers", o.numLayers());
    Sizes.probability(typeName(), o.dropout());
    if (o.projSize() < 0 || o.projSize() >= hiddenSize) {
      throw new ArgumentException(
          "%s: projSize must be smaller than hiddenSize, %d, and not negative, but is %d."
              .formatted(typeName(), hiddenSize, o.projSize()));
    }
    this.inputSize = inputSize;
    this.hiddenSize = hiddenSize;
    this.options = o;
    long out = o.projSize() > 0 ? o.projSize() : hiddenSize;
    int directions = o.bidirectional() ? 2 : 1;
    long rows = Sizes.times(typeName(), gates, "hiddenSize", hiddenSize);
    Sizes.fits(
        typeName(),
        o.numLayers(),
        directions * (double) rows * (out + 2) * DType.defaultFloating().byteSize());
    for (int layer = 0; layer < o.numLayers(); layer++) {
      long in = layer == 0 ? inputSize : out * directions;
      for (int d = 0; d < directions; d++) {
        String suffix = "_l" + layer + (d == 1 ? "_reverse" : "");
        add("weight_ih" + suffix, rows, in);
        add("weight_hh" + suffix, rows, out);
        if (o.bias()) {
          add("bias_ih" + suffix, rows);
          add("bias_hh" + suffix, rows);
        }
        if (o.projSize() > 0) {
          add("weight_hr" + suffix, o.projSize(), hiddenSize);
        }
      }
    }
    resetParameters();
  }

  private void add(String name, long... sizes) {
    Parameter parameter = Sizes.parameter(sizes);
    registerParameter(name, parameter);
    flat.add(parameter);
  }

  /// Draws the parameters again.
  public final void resetParameters() {
    double bound = 1 / Math.sqrt((double) hiddenSize);
    flat.forEach(parameter -> Init.uniform_(parameter, -bound, bound));
  }

  /// The features of the input.
  public final long inputSize() {
    return inputSize;
  }

  /// The features of a hidden state before projection.
  public final long hiddenSize() {
    return hiddenSize;
  }

  /// The parameters, layer by layer and direction by direction, as the methods of [taper.tensor.Recurrent] take them.
  public final List<Tensor> flatWeights() {
    return List.copyOf(flat);
  }

  final Options options() {
    return options;
  }

  final RecurrentOptions stack(RecurrentOptions start) {
    return start
        .numLayers(options.numLayers())
        .hasBiases(options.bias())
        .dropout(options.dropout())
        .train(isTraining())
        .bidirectional(options.bidirectional())
        .batchFirst(options.batchFirst());
  }

  final RecurrentOptions packedStack(RecurrentOptions start) {
    return stack(start).batchFirst(false);
  }

  /// Whether the batch dimension is there.
  ///
  /// @throws ShapeException if the input has neither 2 nor 3 dimensions
  final boolean batched(Tensor input) {
    if (input.dim() != 2 && input.dim() != 3) {
      throw new ShapeException(
          "%s: the input must have 3 dimensions, or 2 without a batch, but has shape %s."
              .formatted(typeName(), input.shape()));
    }
    return input.dim() == 3;
  }

  final Tensor withBatch(Tensor input) {
    return input.unsqueeze(options.batchFirst() ? 0 : 1);
  }

  final Tensor withoutBatch(Tensor output) {
    return output.squeeze(options.batchFirst() ? 0 : 1);
  }

  @Override
  protected final String extraRepr() {
    var text = new StringBuilder().append(inputSize).append(", ").append(hiddenSize);
    if (options.projSize() != 0) {
      text.append(", proj_size=").append(options.projSize());
    }
    if (options.numLayers() != 1) {
      text.append(", num_layers=").append(options.numLayers());
    }
    if (!options.bias()) {
      text.append(", bias=False");
    }
    if (options.batchFirst()) {
      text.append(", batch_first=True");
    }
    if (options.dropout() != 0) {
      text.append(", dropout=").append(Repr.number(options.dropout()));
    }
    if (options.bidirectional()) {
      text.append(", bidirectional=True");
    }
    return text.toString();
  }
}
