package taper.nn;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import taper.tensor.Recurrent.LstmCellResult;
import taper.tensor.Recurrent.LstmResult;
import taper.tensor.Recurrent.RnnResult;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Builds and calls the recurrent layers and transformers of reference cases.
final class GoldenSequences {
  private GoldenSequences() {}

  static Module recurrent(String name, GoldenLayers args) {
    long in = (long) args.number(0, "input_size", 0);
    long hidden = (long) args.number(1, "hidden_size", 0);
    JsonNode function = args.arg(name.equals("RNNCell") ? 3 : 9, "nonlinearity");
    var nonlinearity =
        RecurrentLayer.Nonlinearity.valueOf(
            function == null ? "TANH" : function.asString().toUpperCase(Locale.ROOT));
    boolean bias = args.truth(name.endsWith("Cell") ? 2 : 3, "bias", true);
    return switch (name) {
      case "RNN" -> new RNN(in, hidden, o -> layers(o, args).nonlinearity(nonlinearity));
      case "LSTM" -> new LSTM(in, hidden, o -> layers(o, args));
      case "GRU" -> new GRU(in, hidden, o -> layers(o, args));
      case "RNNCell" -> new RNNCell(in, hidden, bias, nonlinearity);
      case "LSTMCell" -> new LSTMCell(in, hidden, bias);
      default -> new GRUCell(in, hidden, bias);
    };
  }

  private static RecurrentLayer.Options layers(RecurrentLayer.Options o, GoldenLayers args) {
    return o.numLayers((int) args.number(2, "num_layers", 1))
        .bias(args.truth(3, "bias", true))
        .batchFirst(args.truth(4, "batch_first", false))
        .dropout(args.number(5, "dropout", 0))
        .bidirectional(args.truth(6, "bidirectional", false))
        .projSize((long) args.number(7, "proj_size", 0));
  }

  static Module transformer(String name, GoldenLayers args) {
    return switch (name) {
      case "TransformerEncoderLayer" ->
          new TransformerEncoderLayer(
              (long) args.number(0, "d_model", 0),
              (int) args.number(1, "nhead", 0),
              o -> options(o, args, 2));
      case "TransformerDecoderLayer" ->
          new TransformerDecoderLayer(
              (long) args.number(0, "d_model", 0),
              (int) args.number(1, "nhead", 0),
              o -> options(o, args, 2));
      // the text of the first argument is the same in all cases
      case "TransformerEncoder" ->
          new TransformerEncoder(
              new TransformerEncoderLayer(8, 2, o -> o.dimFeedforward(16).dropout(0)),
              (int) args.number(1, "num_layers", 0),
              args.arg(2, "norm") == null ? null : new LayerNorm(8));
      case "TransformerDecoder" ->
          new TransformerDecoder(
              new TransformerDecoderLayer(8, 2, o -> o.dimFeedforward(16).dropout(0)),
              (int) args.number(1, "num_layers", 0),
              args.arg(2, "norm") == null ? null : new LayerNorm(8));
      default ->
          new Transformer(
              (long) args.number(0, "d_model", 512),
              (int) args.number(1, "nhead", 8),
              (int) args.number(2, "num_encoder_layers", 6),
              (int) args.number(3, "num_decoder_layers", 6),
              o -> options(o, args, 4));
    };
  }

  private static TransformerOptions options(TransformerOptions o, GoldenLayers args, int from) {
    JsonNode function = args.arg(from + 2, "activation");
    int eps = from == 2 ? 5 : 9;
    TransformerOptions result =
        o.dimFeedforward((long) args.number(from, "dim_feedforward", 2048))
            .dropout(args.number(from + 1, "dropout", 0.1))
            .layerNormEps(args.number(eps, "layer_norm_eps", 1e-5))
            .batchFirst(args.truth(eps + 1, "batch_first", false))
            .normFirst(args.truth(eps + 2, "norm_first", false));
    return function == null
        ? result
        : result.activation(
            TransformerOptions.Activation.valueOf(
                (function.has("$fn") ? function.get("$fn") : function)
                    .asString()
                    .toUpperCase(Locale.ROOT)));
  }

  /// The outputs of a call, depth first, or null if the module is none of these.
  static @Nullable List<@Nullable Tensor> call(
      Module module,
      List<Tensor> in,
      @Nullable PackedSequence packed,
      @Nullable JsonNode kwargs,
      GoldenTensors tensors) {
    Tensor first = in.isEmpty() ? null : in.get(0);
    Tensor second = in.size() > 1 ? in.get(1) : null;
    Tensor third = in.size() > 2 ? in.get(2) : null;
    if (packed != null) {
      return packed(module, packed, first, second);
    }
    if (first == null) {
      return null;
    }
    return switch (module) {
      case LSTM lstm -> {
        LstmResult r = lstm.call(first, second, third);
        yield List.of(r.output(), r.hidden(), r.cell());
      }
      case GRU gru -> both(gru.call(first, second));
      case RNN rnn -> both(rnn.call(first, second));
      case LSTMCell cell -> {
        LstmCellResult r = cell.call(first, second, third);
        yield List.of(r.hidden(), r.cell());
      }
      case GRUCell cell -> List.of(cell.call(first, second));
      case RNNCell cell -> List.of(cell.call(first, second));
      case TransformerEncoderLayer layer ->
          List.of(
              layer.call(
                  first,
                  mask(kwargs, "src_mask", tensors),
                  mask(kwargs, "src_key_padding_mask", tensors)));
      case TransformerEncoder encoder ->
          List.of(
              encoder.call(
                  first,
                  mask(kwargs, "mask", tensors),
                  mask(kwargs, "src_key_padding_mask", tensors)));
      case TransformerDecoderLayer layer when second != null ->
          List.of(layer.call(first, second, o -> masks(o, kwargs, tensors)));
      case TransformerDecoder decoder when second != null ->
          List.of(decoder.call(first, second, o -> masks(o, kwargs, tensors)));
      case Transformer transformer when second != null ->
          List.of(transformer.call(first, second, o -> masks(o, kwargs, tensors)));
      default -> null;
    };
  }

  private static List<@Nullable Tensor> both(RnnResult r) {
    return List.of(r.output(), r.hidden());
  }

  private static List<@Nullable Tensor> packed(
      Module module, PackedSequence x, @Nullable Tensor hidden, @Nullable Tensor cell) {
    var list = new ArrayList<@Nullable Tensor>();
    switch (module) {
      case LSTM lstm -> {
        var r = lstm.call(x, hidden, cell);
        list.addAll(List.of(r.output().data(), r.hidden(), r.cell()));
      }
      case GRU gru -> {
        var r = gru.call(x, hidden);
        list.addAll(List.of(r.output().data(), r.hidden()));
      }
      case RNN rnn -> {
        var r = rnn.call(x, hidden);
        list.addAll(List.of(r.output().data(), r.hidden()));
      }
      default -> throw new IllegalArgumentException(module.toString());
    }
    return list;
  }

  private static @Nullable Tensor mask(
      @Nullable JsonNode kwargs, String name, GoldenTensors tensors) {
    return kwargs == null || !kwargs.has(name) || kwargs.get(name).isNull()
        ? null
        : tensors.get(kwargs.get(name));
  }

  private static TransformerMasks masks(
      TransformerMasks o, @Nullable JsonNode kwargs, GoldenTensors tensors) {
    return o.srcMask(mask(kwargs, "src_mask", tensors))
        .tgtMask(mask(kwargs, "tgt_mask", tensors))
        .memoryMask(mask(kwargs, "memory_mask", tensors))
        .srcKeyPaddingMask(mask(kwargs, "src_key_padding_mask", tensors))
        .tgtKeyPaddingMask(mask(kwargs, "tgt_key_padding_mask", tensors))
        .memoryKeyPaddingMask(mask(kwargs, "memory_key_padding_mask", tensors));
  }

  /// The packed sequences that `node` describes.
  static PackedSequence packed(JsonNode node, GoldenTensors tensors) {
    JsonNode p = node.get("$packed");
    return new PackedSequence(
        tensors.get(p.get("data")),
        tensors.get(p.get("batch_sizes")),
        p.get("sorted_indices").isNull() ? null : tensors.get(p.get("sorted_indices")),
        p.get("unsorted_indices").isNull() ? null : tensors.get(p.get("unsorted_indices")));
  }
}
