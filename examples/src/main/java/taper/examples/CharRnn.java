package taper.examples;

import module java.base;
import module taper;

/// Learns to continue a sentence letter by letter, with a long short-term memory written out in basic operators.
final class CharRnn {
  private static final String TEXT =
      "she sells sea shells by the sea shore; the shells she sells are sea shells for sure. ";
  private static final int HIDDEN = 48;
  private static final int LENGTH = 24;

  private final List<Integer> letters = TEXT.chars().distinct().sorted().boxed().toList();
  private final Tensor codes =
      Tensor.of(TEXT.chars().mapToLong(letter -> letters.indexOf(letter)).toArray());
  private final int n = letters.size();

  // One layer of long short-term memory: four gates in one product
  private final Tensor embedding = Tensor.randn(n, HIDDEN).mul(0.1);
  private final Tensor inputWeight = uniform(HIDDEN, 4 * HIDDEN);
  private final Tensor hiddenWeight = uniform(HIDDEN, 4 * HIDDEN);
  private final Tensor gateBias = Tensor.zeros(4 * HIDDEN);
  private final Tensor outputWeight = uniform(HIDDEN, n);
  private final Tensor outputBias = Tensor.zeros(n);
  private final List<Tensor> weights =
      List.of(embedding, inputWeight, hiddenWeight, gateBias, outputWeight, outputBias);

  /// What the network carries from letter to letter.
  private record State(Tensor hidden, Tensor memory) {
    static State zeros(long batch) {
      return new State(Tensor.zeros(batch, HIDDEN), Tensor.zeros(batch, HIDDEN));
    }
  }

  private static Tensor uniform(long... sizes) {
    double bound = 1 / Math.sqrt(HIDDEN);
    return Tensor.empty(DType.FLOAT32, sizes).uniform_(-bound, bound);
  }

  private State next(Tensor letter, State state) {
    var gates =
        embedding
            .indexSelect(0, letter)
            .matmul(inputWeight)
            .add(state.hidden.matmul(hiddenWeight))
            .add(gateBias)
            .chunk(4, 1);
    var input = gates.get(0).sigmoid();
    var forget = gates.get(1).sigmoid();
    var candidate = gates.get(2).tanh();
    var output = gates.get(3).sigmoid();
    var memory = forget.mul(state.memory).add(input.mul(candidate));
    return new State(output.mul(memory.tanh()), memory);
  }

  private Tensor scores(State state) {
    return state.hidden.matmul(outputWeight).add(outputBias);
  }

  private void train() {
    weights.forEach(Tensor::requiresGrad_);
    var optimizer = new Adam(weights, o -> o.lr(0.01));
    for (int step = 1; step <= 100; step++) {
      // eight pieces of the text, each to be continued letter by letter
      var starts = Tensor.randint(0, TEXT.length() - LENGTH - 1, 8);
      var state = State.zeros(8);
      var loss = Tensor.zeros();
      for (int t = 0; t < LENGTH; t++) {
        state = next(codes.get(Index.of(starts.add(t))), state);
        loss = loss.add(scores(state).crossEntropy(codes.get(Index.of(starts.add(t + 1)))));
      }
      optimizer.zeroGrad();
      loss.div(LENGTH).backward();
      optimizer.step();
      if (step % 20 == 0) {
        IO.println("step %d: loss %.2f".formatted(step, loss.item() / LENGTH));
      }
    }
  }

  /// The likeliest continuation of a letter.
  private String continued(char first, int length) {
    var line = new StringBuilder().append(first);
    try (var _ = Autograd.noGrad()) {
      var state = State.zeros(1);
      var letter = Tensor.of(new long[] {letters.indexOf((int) first)});
      for (int i = 0; i < length; i++) {
        state = next(letter, state);
        letter = scores(state).argmax(1);
        line.appendCodePoint(letters.get((int) letter.itemLong()));
      }
    }
    return line.toString();
  }

  static void main(String[] arguments) {
    Tensor.manualSeed(0);
    var network = new CharRnn();
    network.train();
    IO.println(network.continued('s', 70));
  }
}
