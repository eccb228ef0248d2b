package taper.golden.bindings;

import taper.golden.Bindings;

/// Recurrent layers, which take lists of parameters; the reference results of modules cover them.
public final class RecurrentBindings {
  private RecurrentBindings() {}

  /// Adds them.
  public static void addTo(Bindings table) {
    table.say("lstm", "lstm(hx, params, o -> o.numLayers(…).bidirectional(…))");
    table.say("gru", "gru(hx, params, o -> o.numLayers(…).bidirectional(…))");
    table.say("rnn_tanh", "rnnTanh(hx, params, o -> o.numLayers(…).bidirectional(…))");
    table.say("rnn_relu", "rnnRelu(hx, params, o -> o.numLayers(…).bidirectional(…))");
    table.say("lstm_cell", "lstmCell(hx, weightIh, weightHh, biasIh, biasHh)");
    table.say("gru_cell", "gruCell(hx, weightIh, weightHh, biasIh, biasHh)");
    table.say("rnn_tanh_cell", "rnnTanhCell(hx, weightIh, weightHh, biasIh, biasHh)");
    table.say("rnn_relu_cell", "rnnReluCell(hx, weightIh, weightHh, biasIh, biasHh)");
  }
}
