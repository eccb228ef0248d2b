package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.RecurrentLayers.Cell;
import taper.tensor.internal.ReferenceRecurrent;
import taper.tensor.spi.CheckedSizes;
import taper.tensor.spi.Kernel;

/// Recurrent layers: what a step computes goes into the next one.
///
/// Parameters come as PyTorch has them, layer by layer and direction by direction: `weightIh[g i]`, `weightHh[g h]` and, if
/// there are biases, `biasIh[g]`, `biasHh[g]`, where `g` is `h` times the number of gates.
public sealed interface Recurrent permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Runs layers of long short-term memory, with gates in the order input, forget, cell, output.
  ///
  /// - Shape: `[t n i] -> [t n d·h], [l·d n h], [l·d n h]` for `l` layers in `d` directions
  /// - Gradient: to all
  /// - Source: Hochreiter, Schmidhuber 1997, Long short-term memory; Gers, Schmidhuber, Cummins 2000 (forget gates); with
  ///   projections Sak, Senior, Beaufays 2014, arXiv:1402.1128
  ///
  /// @param hx the first hidden state and the first cell state, or nothing for zeros
  /// @param params the parameters; with projections each direction has a `weightHr[r h]` at its end
  /// @param options as in `o -> o.numLayers(2)`
  /// @throws ArgumentException if the number of parameters does not fit the options
  /// @throws ShapeException if the shapes do not fit
  default LstmResult lstm(
      List<Tensor> hx, List<Tensor> params, UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.lstm(self(), null, hx, params, options);
  }

  /// Runs layers of long short-term memory over sequences of different lengths: this tensor holds step after step
  /// `batchSizes` rows each, which never become more.
  ///
  /// - Shape: `[m i] -> [m d·h], [l·d n h], [l·d n h]`
  default LstmResult lstm(
      Tensor batchSizes,
      List<Tensor> hx,
      List<Tensor> params,
      UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.lstm(self(), batchSizes, hx, params, options);
  }

  /// Runs layers of gated recurrent units, with gates in the order reset, update, new.
  ///
  /// - Shape: `[t n i] -> [t n d·h], [l·d n h]` for `l` layers in `d` directions
  /// - Gradient: to all
  /// - Source: Cho et al. 2014, arXiv:1406.1078, with the reset gate after the product as in cuDNN
  ///
  /// @param hx the first hidden state, or null for zeros
  /// @param params the parameters
  /// @param options as in `o -> o.numLayers(2)`
  /// @throws ArgumentException if the number of parameters does not fit the options
  /// @throws ShapeException if the shapes do not fit
  default RnnResult gru(
      @Nullable Tensor hx, List<Tensor> params, UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.plain(Cell.GRU, self(), null, hx, params, options);
  }

  /// Runs layers of gated recurrent units over sequences of different lengths, see [#lstm(Tensor, List, List,
  /// UnaryOperator)].
  default RnnResult gru(
      Tensor batchSizes,
      @Nullable Tensor hx,
      List<Tensor> params,
      UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.plain(Cell.GRU, self(), batchSizes, hx, params, options);
  }

  /// Runs layers of `h = tanh(weightIh·x + biasIh + weightHh·h + biasHh)`.
  ///
  /// - Shape: `[t n i] -> [t n d·h], [l·d n h]` for `l` layers in `d` directions
  /// - Gradient: to all
  /// - Source: Elman 1990, Finding structure in time
  ///
  /// @param hx the first hidden state, or null for zeros
  /// @param params the parameters
  /// @param options as in `o -> o.numLayers(2)`
  /// @throws ArgumentException if the number of parameters does not fit the options
  /// @throws ShapeException if the shapes do not fit
  default RnnResult rnnTanh(
      @Nullable Tensor hx, List<Tensor> params, UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.plain(Cell.TANH, self(), null, hx, params, options);
  }

  /// Runs [#rnnTanh(Tensor, List, UnaryOperator)] over sequences of different lengths, see [#lstm(Tensor, List, List,
  /// UnaryOperator)].
  default RnnResult rnnTanh(
      Tensor batchSizes,
      @Nullable Tensor hx,
      List<Tensor> params,
      UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.plain(Cell.TANH, self(), batchSizes, hx, params, options);
  }

  /// Runs [#rnnTanh(Tensor, List, UnaryOperator)] with the larger of 0 and the sum in place of its tangent.
  default RnnResult rnnRelu(
      @Nullable Tensor hx, List<Tensor> params, UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.plain(Cell.RELU, self(), null, hx, params, options);
  }

  /// Runs [#rnnRelu(Tensor, List, UnaryOperator)] over sequences of different lengths, see [#lstm(Tensor, List, List,
  /// UnaryOperator)].
  default RnnResult rnnRelu(
      Tensor batchSizes,
      @Nullable Tensor hx,
      List<Tensor> params,
      UnaryOperator<RecurrentOptions> options) {
    return RecurrentStacks.plain(Cell.RELU, self(), batchSizes, hx, params, options);
  }

  /// One step of [#lstm(List, List, UnaryOperator)].
  ///
  /// - Shape: `[n i] -> [n h], [n h]`
  ///
  /// @param hx the hidden state and the cell state
  default LstmCellResult lstmCell(
      List<Tensor> hx,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh) {
    RecurrentStacks.checkStates("lstmCell", hx);
    Tensor[] all =
        RecurrentLayers.run(
            Cell.LSTM,
            Schedule.one(self().size(0)),
            self(),
            hx.get(0),
            hx.get(1),
            weightIh,
            weightHh,
            biasIh,
            biasHh);
    return new LstmCellResult(all[1], all[2]);
  }

  /// One step of [#gru(Tensor, List, UnaryOperator)].
  ///
  /// - Shape: `[n i], [n h] -> [n h]`
  default Tensor gruCell(
      Tensor hx,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh) {
    return RecurrentLayers.step(Cell.GRU, self(), hx, weightIh, weightHh, biasIh, biasHh);
  }

  /// One step of [#rnnTanh(Tensor, List, UnaryOperator)].
  ///
  /// - Shape: `[n i], [n h] -> [n h]`
  default Tensor rnnTanhCell(
      Tensor hx,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh) {
    return RecurrentLayers.step(Cell.TANH, self(), hx, weightIh, weightHh, biasIh, biasHh);
  }

  /// One step of [#rnnRelu(Tensor, List, UnaryOperator)].
  ///
  /// - Shape: `[n i], [n h] -> [n h]`
  default Tensor rnnReluCell(
      Tensor hx,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh) {
    return RecurrentLayers.step(Cell.RELU, self(), hx, weightIh, weightHh, biasIh, biasHh);
  }

  /// What layers of long short-term memory give.
  ///
  /// @param output the hidden states of the last layer at every step
  /// @param hidden the last hidden state of every layer and direction
  /// @param cell the last cell state of every layer and direction
  record LstmResult(Tensor output, Tensor hidden, Tensor cell) {}

  /// What recurrent layers with one state give.
  ///
  /// @param output the hidden states of the last layer at every step
  /// @param hidden the last hidden state of every layer and direction
  record RnnResult(Tensor output, Tensor hidden) {}

  /// What a step of long short-term memory gives.
  ///
  /// @param hidden the hidden state
  /// @param cell the cell state
  record LstmCellResult(Tensor hidden, Tensor cell) {}

  /// Which rows belong to which step. Immutable.
  ///
  /// @param sizes the number of rows of every step, which never becomes larger
  /// @param reverse whether the last step comes first
  record Schedule(long[] sizes, boolean reverse) {

    /// Copies the sizes.
    public Schedule {
      sizes = sizes.clone();
    }

    /// A copy of the numbers of rows.
    @Override
    public long[] sizes() {
      return sizes.clone();
    }

    static Schedule one(long rows) {
      return new Schedule(new long[] {rows}, false);
    }

    /// The number of sequences.
    public long batch() {
      return sizes.length == 0 ? 0 : sizes[0];
    }

    /// The number of rows.
    public long rows() {
      return Arrays.stream(sizes).reduce(0, (a, b) -> CheckedSizes.plus(a, b, sizes));
    }

    /// Whether all sequences are equally long.
    public boolean dense() {
      return sizes.length == 0 || sizes[0] == sizes[sizes.length - 1];
    }

    /// Which step comes after `done` others.
    public int step(int done) {
      return reverse ? sizes.length - 1 - done : done;
    }

    /// The first row of every step.
    public long[] offsets() {
      long[] offsets = new long[sizes.length];
      for (int t = 1; t < sizes.length; t++) {
        offsets[t] = offsets[t - 1] + sizes[t - 1];
      }
      return offsets;
    }
  }

  /// The declarations behind the methods above.
  final class Operators {
    static final Family FAMILY = new Family("recurrent");

    private static final Schedule THREE = new Schedule(new long[] {2, 2, 2}, false);
    private static final Schedule BACK = new Schedule(new long[] {2, 2, 2}, true);
    private static final Schedule SHORTER = new Schedule(new long[] {3, 2, 1}, false);
    private static final Schedule SHORTER_BACK = new Schedule(new long[] {3, 2, 1}, true);

    private static final String INPUTS =
        "x[m i], hidden?[n h], weightIh[g i], weightHh[g h], biasIh?[g], biasHh?[g]";

    private static final String LSTM_INPUTS =
        "x[m i], hidden?[n h], cell?[n h], weightIh[g i], weightHh[g h], biasIh?[g], biasHh?[g]";

    /// All steps of one layer in one direction. Outputs: hidden states, the last one, the last cell states; all cell states
    /// and the values of the gates, for the gradient.
    static final Operator<Schedule> LSTM_LAYER =
        RecurrentLayers.differentiated(
                FAMILY
                    .<Schedule>structured(
                        "lstmLayer",
                        LSTM_INPUTS + " -> [m h], [n h], [n h], [m h], [m g]",
                        ReferenceRecurrent.LSTM)
                    .shape((a, in) -> RecurrentLayers.shapes(Cell.LSTM, a, in))
                    .spreads("weightHh")
                    .dtypes(DTypes.SAME_FLOATING),
                Cell.LSTM,
                Keeps.inputs("x", "hidden", "cell", "weightIh", "weightHh", "biasIh", "biasHh")
                    .andOutputs(0, 3, 4))
            .auxiliary(3, 4)
            .torch(
                "aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int"
                    + " num_layers, float dropout, bool train, bool bidirectional, bool"
                    + " batch_first) -> (Tensor, Tensor, Tensor)")
            .torch(
                "aten::lstm.data(Tensor data, Tensor batch_sizes, Tensor[] hx, Tensor[] params,"
                    + " bool has_biases, int num_layers, float dropout, bool train, bool"
                    + " bidirectional) -> (Tensor, Tensor, Tensor)")
            .torch(
                "aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor?"
                    + " b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)")
            .sample(THREE, "f32[6 2], f32[2 2], f32[2 2], f32[8 2], f32[8 2], f32[8], f32[8]")
            .sample(BACK, "f32[6 1], f32[2 2], f32[2 2], f32[8 1], f32[8 2], none, none")
            .sample(SHORTER, "f32[6 1], none, none, f32[12 1], f32[12 3], f32[12], f32[12]")
            .sample(
                SHORTER_BACK, "f32[6 2], f32[3 1], f32[3 1], f32[4 2], f32[4 1], f32[4], f32[4]")
            .sample(
                THREE,
                "f32[6 1] in -800..800, f32[2 2], f32[2 2], f32[8 1], f32[8 2], f32[8], f32[8]")
            .rejects(
                THREE,
                "f32[6 3], f32[2 4], f32[2 4], f32[12 3], f32[12 4], none, none",
                "lstmLayer: weightIh must have 4 rows for each of the 4 hidden units, but has 12.")
            .rejects(
                THREE,
                "f32[6 7], f32[2 2], f32[2 2], f32[8 3], f32[8 2], none, none",
                "lstmLayer: dimension i is 7 in x [6, 7], but 3 in weightIh [8, 3]. They must be equal; see transpose and reshape.")
            .rejects(
                THREE,
                "f32[6 3], f32[2 2], f32[2 4], f32[8 3], f32[8 2], none, none",
                "lstmLayer: dimension h is 2 in hidden [2, 2], but 4 in cell [2, 4]. They must be equal; see transpose and reshape.")
            .rejects(
                THREE,
                "f32[6 3], none, none, f32[8 3], f32[8 2], f32[7], f32[8]",
                "lstmLayer: dimension g is 8 in weightIh [8, 3], but 7 in biasIh [7]. They must be equal; see transpose and reshape.")
            .rejects(
                THREE,
                "f32[6 3], f32[2], none, f32[8 3], f32[8 2], none, none",
                "lstmLayer: hidden must have 2 dimensions [n h], but has shape [2].")
            .rejects(
                THREE,
                "f32[5 3], f32[2 4], f32[2 4], f32[16 3], f32[16 4], none, none",
                "lstmLayer: x must have as many rows as the steps have together, 6, but has 5.")
            .source("Hochreiter, Schmidhuber 1997, Long short-term memory")
            .declare();

    /// All steps of one layer in one direction. Outputs: hidden states, the last one; the values of the gates and the
    /// hidden part of the last gate, for the gradient.
    static final Operator<Schedule> GRU_LAYER =
        RecurrentLayers.differentiated(
                FAMILY
                    .<Schedule>structured(
                        "gruLayer", INPUTS + " -> [m h], [n h], [m s]", ReferenceRecurrent.GRU)
                    .shape((a, in) -> RecurrentLayers.shapes(Cell.GRU, a, in))
                    .spreads("hidden", "weightHh", "biasHh")
                    .dtypes(DTypes.SAME_FLOATING),
                Cell.GRU,
                Keeps.inputs("x", "hidden", "weightIh", "weightHh", "biasIh", "biasHh")
                    .andOutputs(0, 2))
            .auxiliary(2)
            .torch(
                "aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int"
                    + " num_layers, float dropout, bool train, bool bidirectional, bool"
                    + " batch_first) -> (Tensor, Tensor)")
            .torch(
                "aten::gru.data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool"
                    + " has_biases, int num_layers, float dropout, bool train, bool bidirectional)"
                    + " -> (Tensor, Tensor)")
            .torch(
                "aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor?"
                    + " b_ih=None, Tensor? b_hh=None) -> Tensor")
            .sample(THREE, "f32[6 2], f32[2 2], f32[6 2], f32[6 2], f32[6], f32[6]")
            .sample(BACK, "f32[6 3], f32[2 2], f32[6 3], f32[6 2], none, none")
            .sample(SHORTER, "f32[6 1], none, f32[9 1], f32[9 3], f32[9], f32[9]")
            .sample(SHORTER_BACK, "f32[6 2], f32[3 1], f32[3 2], f32[3 1], f32[3], f32[3]")
            .sample(THREE, "f32[6 1] in -800..800, f32[2 2], f32[6 1], f32[6 2], f32[6], f32[6]")
            .rejects(
                THREE,
                "f32[6 3], f32[3 4], f32[12 3], f32[12 4], none, none",
                "gruLayer: hidden must have as many rows as the first step, 2, but has 3.")
            .rejects(
                THREE,
                "f32[6 7], none, f32[6 3], f32[6 2], none, none",
                "gruLayer: dimension i is 7 in x [6, 7], but 3 in weightIh [6, 3]. They must be equal; see transpose and reshape.")
            .rejects(
                THREE,
                "f32[6 3], f32[2 3], f32[6 3], f32[6 2], none, none",
                "gruLayer: dimension h is 3 in hidden [2, 3], but 2 in weightHh [6, 2]. They must be equal; see transpose and reshape.")
            .rejects(
                THREE,
                "f32[6 3], none, f32[6 3], f32[6 2], none, f32[3]",
                "gruLayer: dimension g is 6 in weightIh [6, 3], but 3 in biasHh [3]. They must be equal; see transpose and reshape.")
            .source("Cho et al. 2014, arXiv:1406.1078")
            .declare();

    /// All steps of one layer in one direction. Outputs: hidden states, the last one.
    static final Operator<Schedule> TANH_LAYER = rnn("rnnTanhLayer", Cell.TANH, "rnn_tanh");

    /// As [#TANH_LAYER], with another function.
    static final Operator<Schedule> RELU_LAYER = rnn("rnnReluLayer", Cell.RELU, "rnn_relu");

    private static Operator<Schedule> rnn(String name, Cell cell, String torch) {
      return RecurrentLayers.differentiated(
              FAMILY
                  .<Schedule>structured(
                      name,
                      INPUTS + " -> [m h], [n h]",
                      cell == Cell.TANH ? ReferenceRecurrent.TANH : ReferenceRecurrent.RELU)
                  .shape((a, in) -> RecurrentLayers.shapes(cell, a, in))
                  .spreads("weightHh")
                  .dtypes(DTypes.SAME_FLOATING),
              cell,
              Keeps.inputs("x", "hidden", "weightIh", "weightHh", "biasIh", "biasHh").andOutputs(0))
          .torch(
              "aten::"
                  + torch
                  + ".input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int"
                  + " num_layers, float dropout, bool train, bool bidirectional, bool batch_first)"
                  + " -> (Tensor, Tensor)")
          .torch(
              "aten::"
                  + torch
                  + ".data(Tensor data, Tensor batch_sizes, Tensor hx, Tensor[] params, bool"
                  + " has_biases, int num_layers, float dropout, bool train, bool bidirectional) ->"
                  + " (Tensor, Tensor)")
          .torch(
              "aten::"
                  + torch
                  + "_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None,"
                  + " Tensor? b_hh=None) -> Tensor")
          .sample(THREE, "f32[6 3], f32[2 4], f32[4 3], f32[4 4], f32[4], f32[4]")
          .sample(BACK, "f32[6 3], f32[2 2], f32[2 3], f32[2 2], none, none")
          .sample(SHORTER, "f32[6 1], none, f32[5 1], f32[5 5], f32[5], f32[5]")
          .sample(SHORTER_BACK, "f32[6 2], f32[3 1], f32[1 2], f32[1 1], f32[1], f32[1]")
          .rejects(
              THREE,
              "f32[6 7], none, f32[2 3], f32[2 2], none, none",
              name
                  + ": dimension i is 7 in x [6, 7], but 3 in weightIh [2, 3]. They must be equal; see transpose and reshape.")
          .rejects(
              THREE,
              "f32[6 3], none, f32[4 3], f32[4 2], none, none",
              name + ": weightIh must have 1 row for each of the 2 hidden units, but has 4.")
          .source("Elman 1990, Finding structure in time")
          .declare();
    }

    // Gradients as kernels, for the sums before the gates: what remains are products over all
    // steps. While they are recorded themselves the layer is written out in other operators.

    static final Operator<Schedule> LSTM_LAYER_GRADIENT =
        FAMILY
            .<Schedule>structured(
                "lstmLayerGradient",
                "gates[m g], cells[m h], weightHh[g h], cell?[n h], gradOutput?[m h],"
                    + " gradHidden?[n h], gradCell?[n h] -> [m g], [n h], [n h]",
                ReferenceRecurrent.LSTM_GRADIENT)
            .shape((a, in) -> RecurrentLayers.gradientShapes(Cell.LSTM, a, in))
            .spreads("gates", "weightHh")
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .own()
            .sample(
                THREE,
                "f32[6 16] in 0..1, f32[6 4], f32[16 4], f32[2 4], f32[6 4], f32[2 4], f32[2 4]")
            .sample(
                SHORTER_BACK, "f32[6 8] in 0..1, f32[6 2], f32[8 2], none, f32[6 2], none, none")
            .sample(
                SHORTER,
                "f32[6 68] in 0..1, f32[6 17], f32[68 17], f32[3 17], none, f32[3 17], f32[3 17]")
            .rejects(
                THREE,
                "f32[6 16] in 0..1, f32[6 4], f32[16 4], f32[2 4], f32[5 4], none, none",
                "lstmLayerGradient: dimension m is 6 in gates [6, 16], but 5 in gradOutput [5, 4]. They must be equal; see transpose and reshape.")
            .rejects(
                THREE,
                "f32[5 16] in 0..1, f32[5 4], f32[16 4], f32[2 4], none, none, none",
                "lstmLayerGradient: gates must have shape [6, 16], but has [5, 16].")
            .rejects(
                THREE,
                "f32[6 16] in 0..1, f32[6 4], f32[16 4], f32[3 4], none, none, none",
                "lstmLayerGradient: cell must have as many rows as the first step, 2, but has 3.")
            .declare();

    static final Operator<Schedule> GRU_LAYER_GRADIENT =
        FAMILY
            .<Schedule>structured(
                "gruLayerGradient",
                "gates[m s], output[m h], weightHh[g h], hidden?[n h], gradOutput?[m h],"
                    + " gradHidden?[n h] -> [m s], [n h]",
                ReferenceRecurrent.GRU_GRADIENT)
            .shape((a, in) -> RecurrentLayers.gradientShapes(Cell.GRU, a, in))
            .spreads("gates", "weightHh")
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .own()
            .sample(THREE, "f32[6 16] in 0..1, f32[6 4], f32[12 4], f32[2 4], f32[6 4], f32[2 4]")
            .sample(SHORTER_BACK, "f32[6 8] in 0..1, f32[6 2], f32[6 2], none, f32[6 2], none")
            .sample(SHORTER, "f32[6 68] in 0..1, f32[6 17], f32[51 17], f32[3 17], none, f32[3 17]")
            .rejects(
                THREE,
                "f32[6 12] in 0..1, f32[6 4], f32[12 4], f32[2 4], none, none",
                "gruLayerGradient: gates must have shape [6, 16], but has [6, 12].")
            .declare();

    static final Operator<Schedule> TANH_LAYER_GRADIENT =
        rnnGradient("rnnTanhLayerGradient", Cell.TANH, ReferenceRecurrent.TANH_GRADIENT);

    static final Operator<Schedule> RELU_LAYER_GRADIENT =
        rnnGradient("rnnReluLayerGradient", Cell.RELU, ReferenceRecurrent.RELU_GRADIENT);

    private static Operator<Schedule> rnnGradient(String name, Cell cell, Kernel reference) {
      return FAMILY
          .<Schedule>structured(
              name,
              "output[m h], weightHh[h h], gradOutput?[m h], gradHidden?[n h] -> [m h], [n h]",
              reference)
          .shape((a, in) -> RecurrentLayers.gradientShapes(cell, a, in))
          .spreads("weightHh")
          .dtypes(DTypes.SAME_FLOATING)
          .notDifferentiable()
          .own()
          .sample(THREE, "f32[6 4], f32[4 4], f32[6 4], f32[2 4]")
          .sample(SHORTER_BACK, "f32[6 2], f32[2 2], f32[6 2], none")
          .sample(SHORTER, "f32[6 17], f32[17 17], none, f32[3 17]")
          .rejects(
              THREE,
              "f32[5 4], f32[4 4], none, none",
              name + ": output must have shape [6, 4], but has [5, 4].")
          .declare();
    }

    private Operators() {}
  }
}
