package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Recurrent.LstmResult;
import taper.tensor.Recurrent.RnnResult;
import taper.tensor.Recurrent.Schedule;
import taper.tensor.RecurrentLayers.Cell;

/// Recurrent layers one upon the other, in one direction or both, with dropout in between.
final class RecurrentStacks {
  private final String op;
  private final Cell cell;
  private final RecurrentOptions options;
  private final List<Tensor> params;
  private final @Nullable Tensor hidden;
  private final @Nullable Tensor state;

  private RecurrentStacks(
      Cell cell,
      @Nullable Tensor hidden,
      @Nullable Tensor state,
      List<Tensor> params,
      RecurrentOptions options) {
    this.op = name(cell);
    this.cell = cell;
    this.hidden = hidden;
    this.state = state;
    this.params = params;
    this.options = options;
  }

  private static String name(Cell cell) {
    return switch (cell) {
      case LSTM -> "lstm";
      case GRU -> "gru";
      case TANH -> "rnnTanh";
      case RELU -> "rnnRelu";
    };
  }

  static void checkStates(String op, List<Tensor> hx) {
    if (hx.size() != 2) {
      throw new ArgumentException(
          "%s: hx must hold the hidden and the cell state, but holds %d tensors."
              .formatted(op, hx.size()));
    }
  }

  static LstmResult lstm(
      Tensor input,
      @Nullable Tensor batchSizes,
      List<Tensor> hx,
      List<Tensor> params,
      UnaryOperator<RecurrentOptions> options) {
    if (!hx.isEmpty()) {
      checkStates("lstm", hx);
    }
    Tensor[] all =
        new RecurrentStacks(
                Cell.LSTM,
                hx.isEmpty() ? null : hx.get(0),
                hx.isEmpty() ? null : hx.get(1),
                params,
                options.apply(RecurrentOptions.DEFAULT))
            .run(input, batchSizes);
    return new LstmResult(all[0], all[1], all[2]);
  }

  static RnnResult plain(
      Cell cell,
      Tensor input,
      @Nullable Tensor batchSizes,
      @Nullable Tensor hx,
      List<Tensor> params,
      UnaryOperator<RecurrentOptions> options) {
    Tensor[] all =
        new RecurrentStacks(cell, hx, null, params, options.apply(RecurrentOptions.DEFAULT))
            .run(input, batchSizes);
    return new RnnResult(all[0], all[1]);
  }

  private int directions() {
    return options.bidirectional() ? 2 : 1;
  }

  private Tensor[] run(Tensor input, @Nullable Tensor batchSizes) {
    int each = parametersOfEach();
    if (batchSizes != null) {
      if (input.dim() != 2) {
        throw new ShapeException(
            "%s: packed sequences must have 2 dimensions, [m i], but the input has shape %s."
                .formatted(op, input.shape()));
      }
      checkFeatures(input);
      long[] sizes = stepSizes(batchSizes);
      checkSteps(sizes, input.size(0));
      return layers(input, sizes, each);
    }
    if (input.dim() != 3) {
      throw new ShapeException(
          "%s: the input must have 3 dimensions, %s, but has shape %s."
              .formatted(op, options.batchFirst() ? "[n t i]" : "[t n i]", input.shape()));
    }
    checkFeatures(input);
    Tensor x = options.batchFirst() ? input.transpose(0, 1) : input;
    long t = x.size(0);
    long n = x.size(1);
    if (t == 0 || t > Integer.MAX_VALUE) {
      throw new ShapeException(
          "%s: there must be at least one step%s, but the input has shape %s."
              .formatted(op, t == 0 ? "" : " and at most 2147483647", input.shape()));
    }
    long[] sizes = new long[(int) t];
    Arrays.fill(sizes, n);
    Tensor[] all = layers(x.reshape(t * n, x.size(2)), sizes, each);
    Tensor output = all[0].view(t, n, all[0].size(1));
    all[0] = options.batchFirst() ? output.transpose(0, 1) : output;
    return all;
  }

  /// The input must have what the first layer's weight takes.
  private void checkFeatures(Tensor input) {
    Tensor weight = params.getFirst();
    long features = input.size(-1);
    if (weight.dim() == 2 && weight.size(1) != features) {
      throw new ShapeException(
          "%s: the input must have %d features, as many as the first weight has columns, but has shape %s."
              .formatted(op, weight.size(1), input.shape()));
    }
  }

  private long[] stepSizes(Tensor batchSizes) {
    if (batchSizes.dim() != 1 || batchSizes.dtype() != DType.INT64) {
      throw new ArgumentException(
          "%s: batchSizes must be a vector of int64, but is %s of shape %s."
              .formatted(op, batchSizes.dtype(), batchSizes.shape()));
    }
    return batchSizes.toLongArray();
  }

  /// Kernels follow the sizes of steps without asking again.
  private void checkSteps(long[] sizes, long rows) {
    long left = rows;
    for (int t = 0; t < sizes.length; t++) {
      if (sizes[t] < 0 || t > 0 && sizes[t] > sizes[t - 1]) {
        throw new ArgumentException(
            "%s: batchSizes must not be negative and never become more, but are %s."
                .formatted(op, Arrays.toString(sizes)));
      }
      left = sizes[t] > left ? -1 : left - sizes[t];
    }
    if (left != 0) {
      throw new ShapeException(
          "%s: the input must have as many rows as batchSizes say together, but has %d for %s."
              .formatted(op, rows, Arrays.toString(sizes)));
    }
  }

  /// Each direction of each layer has as many parameters.
  private int parametersOfEach() {
    if (options.numLayers() < 1) {
      throw new ArgumentException(
          "%s: numLayers must be positive, but is %d.".formatted(op, options.numLayers()));
    }
    long parts = (long) options.numLayers() * directions();
    int usual = options.hasBiases() ? 4 : 2;
    boolean projected = cell == Cell.LSTM && params.size() == parts * (usual + 1);
    if (params.size() != parts * usual && !projected) {
      throw new ArgumentException(
          "%s: there must be %d parameters for %d layers in %d directions, but there are %d."
              .formatted(op, parts * usual, options.numLayers(), directions(), params.size()));
    }
    return projected ? usual + 1 : usual;
  }

  private Tensor[] layers(Tensor input, long[] sizes, int each) {
    int parts = options.numLayers() * directions();
    checkFirst("hidden", hidden, parts);
    checkFirst("cell", state, parts);
    Tensor x = input;
    var hiddens = new ArrayList<Tensor>();
    var cells = new ArrayList<Tensor>();
    for (int layer = 0; layer < options.numLayers(); layer++) {
      if (layer > 0 && options.train() && options.dropout() > 0) {
        x = x.dropout(options.dropout(), true);
      }
      var outputs = new ArrayList<Tensor>();
      for (int d = 0; d < directions(); d++) {
        int part = layer * directions() + d;
        Tensor[] out =
            one(
                x,
                new Schedule(sizes, d == 1),
                part,
                params.subList(part * each, (part + 1) * each));
        outputs.add(out[0]);
        hiddens.add(out[1]);
        if (cell == Cell.LSTM) {
          cells.add(out[2]);
        }
      }
      x = outputs.size() == 1 ? outputs.getFirst() : Tensor.cat(outputs, 1);
    }
    Tensor last = stacked(hiddens);
    return cells.isEmpty() ? new Tensor[] {x, last} : new Tensor[] {x, last, stacked(cells)};
  }

  private static Tensor stacked(List<Tensor> states) {
    return states.size() == 1 ? states.getFirst().unsqueeze(0) : Tensor.stack(states, 0);
  }

  private void checkFirst(String name, @Nullable Tensor first, int parts) {
    if (first != null && (first.dim() != 3 || first.size(0) != parts)) {
      throw new ShapeException(
          "%s: the first %s state must have shape [%d n h], one for each layer and direction, but has %s."
              .formatted(op, name, parts, first.shape()));
    }
  }

  private Tensor[] one(Tensor x, Schedule steps, int part, List<Tensor> p) {
    Tensor h = hidden == null ? null : hidden.select(0, part);
    Tensor c = state == null ? null : state.select(0, part);
    boolean biases = options.hasBiases();
    Tensor biasIh = biases ? p.get(2) : null;
    Tensor biasHh = biases ? p.get(3) : null;
    if (p.size() % 2 == 1) {
      return RecurrentLayers.written(
          cell, steps, x, h, c, p.get(0), p.get(1), biasIh, biasHh, p.getLast());
    }
    return RecurrentLayers.run(cell, steps, x, h, c, p.get(0), p.get(1), biasIh, biasHh);
  }
}
