package taper.examples;

import static taper.tensor.Index.all;
import static taper.tensor.Index.at;
import static taper.tensor.Index.upTo;

import module java.base;
import module taper;

/// Causal attention with several heads, from products and a softmax.
final class AttentionFromScratch {
  private static final int BATCH = 2;
  private static final int TIME = 5;
  private static final int SIZE = 16;
  private static final int HEADS = 4;

  private final Tensor wq = projection();
  private final Tensor wk = projection();
  private final Tensor wv = projection();
  private final Tensor wo = projection();

  /// What attention returns.
  private record Attended(Tensor output, Tensor weights) {}

  private static Tensor projection() {
    return Tensor.randn(SIZE, SIZE).div(Math.sqrt(SIZE)).requiresGrad_();
  }

  private static Attended attention(Tensor query, Tensor key, Tensor value) {
    var scores = query.matmul(key.transpose(-2, -1)).div(Math.sqrt(query.size(-1)));
    var later = Tensor.ones(TIME, TIME).triu(1).gt(0);
    var weights = scores.maskedFill(later, Double.NEGATIVE_INFINITY).softmax(-1);
    return new Attended(weights.matmul(value), weights);
  }

  private static Tensor heads(Tensor x) {
    return x.view(BATCH, TIME, HEADS, SIZE / HEADS).transpose(1, 2);
  }

  /// Several heads, each over a slice of the vectors.
  private Attended multiHead(Tensor x) {
    var mixed = attention(heads(x.matmul(wq)), heads(x.matmul(wk)), heads(x.matmul(wv)));
    var joined = mixed.output.transpose(1, 2).reshape(BATCH, TIME, SIZE);
    return new Attended(joined.matmul(wo), mixed.weights);
  }

  private void train(Tensor x, Tensor target) {
    for (int step = 1; step <= 200; step++) {
      var loss = multiHead(x).output.sub(target).pow(2).mean();
      loss.backward();
      try (var _ = Autograd.noGrad()) {
        for (var weight : List.of(wq, wk, wv, wo)) {
          weight.sub_(weight.grad().mul(0.5));
          weight.setGrad(null);
        }
      }
      if (step % 50 == 0) {
        IO.println("step %d: loss %.4f".formatted(step, loss.item()));
      }
    }
  }

  static void main(String[] arguments) {
    Tensor.manualSeed(0);
    var x = Tensor.randn(BATCH, TIME, SIZE);
    var model = new AttentionFromScratch();

    // One head over the whole vector
    var query = x.matmul(model.wq);
    var key = x.matmul(model.wk);
    var value = x.matmul(model.wv);
    IO.println(attention(query, key, value).weights.get(0).detach());

    // Several heads
    var attended = model.multiHead(x);
    IO.println(
        "weights %s, output %s".formatted(attended.weights.shape(), attended.output.shape()));
    IO.println(attended.output.get(at(0), all(), upTo(4)).detach());

    // It agrees with the built-in function
    var builtIn =
        heads(query).scaledDotProductAttention(heads(key), heads(value), o -> o.causal(true));
    var difference =
        builtIn.sub(attention(heads(query), heads(key), heads(value)).output).abs().max();
    IO.println("agrees: " + (difference.item() < 1e-6));

    // Learning to shift a sequence by one place
    var target = x.roll(1, 1);
    target.set(0, all(), at(0));
    model.train(x, target);
  }
}
