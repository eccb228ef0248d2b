package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.Losses.Alignment;
import taper.tensor.Losses.CtcOptions;
import taper.tensor.internal.ReferenceCtc;

/// What [Losses#ctcLoss(Tensor, Tensor, Tensor)] and [Losses#gaussianNllLoss(Tensor, Tensor)] are made of.
final class Ctc {
  private Ctc() {}

  private static final String NAME = "ctcLoss";

  static Tensor loss(
      Tensor logProbs, Tensor targets, Tensor inputLengths, Tensor targetLengths, CtcOptions o) {
    boolean single = logProbs.dim() == 2;
    Tensor x = single ? logProbs.unsqueeze(1) : logProbs;
    Tensor labels = single && targets.dim() == 1 ? targets.unsqueeze(0) : targets;
    if (x.dim() != 3 || labels.dim() == 0 || labels.dim() > 2) {
      throw new ShapeException(
          "%s: self must have 3 dimensions [t n c] and targets 1 or 2, but self has shape %s and targets %s."
              .formatted(NAME, logProbs.shape(), targets.shape()));
    }
    var a =
        new Alignment(
            o.blank(),
            lengths("inputLengths", inputLengths, x),
            lengths("targetLengths", targetLengths, x),
            o.zeroInfinity());
    check(a, x, labels);
    Tensor losses = OPERATOR.on(a, x, labels);
    if (o.zeroInfinity()) {
      losses = losses.maskedFill(losses.isinf(), 0);
    }
    if (o.reduction() == Reduction.MEAN) {
      Tensor counts =
          Tensor.of(Arrays.stream(a.targetLengths()).map(n -> Math.max(n, 1)).toArray())
              .to(losses.dtype());
      return losses.div(counts).mean();
    }
    return single && o.reduction() == Reduction.NONE ? losses.squeeze(0) : o.reduction().of(losses);
  }

  /// Recorded as PyTorch does, with the gradient of log-probabilities that sum to 1. The declared operators have none, since
  /// difference quotients would show another.
  private static final Operator<Alignment> OPERATOR =
      new Family("losses")
          .<Alignment>structured(
              NAME, "logProbs[t n c], targets[*] -> losses[n], alpha[*]", ReferenceCtc.ALIGNMENT)
          .shape(Ctc::shapes)
          .dtypes(DTypes.SAME_FLOATING.fixed("targets", DType.INT64))
          .gradient("logProbs", Keeps.inputs("logProbs", "targets").andOutputs(0, 1), Ctc::gradient)
          .auxiliary(1)
          .undeclared();

  private static Tensor gradient(Backward<Alignment> b) {
    if (Autograd.isGradEnabled()) {
      throw new UnsupportedException(
          "ctcLoss: gradients of gradients must not be asked for, but createGraph is true. There is"
              + " no second derivative.");
    }
    return Losses.Operators.CTC_GRADIENT.on(
        b.attributes(),
        b.grad(0),
        b.input("logProbs"),
        b.input("targets"),
        b.output(0),
        b.output(1));
  }

  private static long[] lengths(String name, Tensor lengths, Tensor x) {
    if (lengths.dtype().isFloatingPoint()) {
      throw new DTypeException(
          "%s: %s must be int64, but is %s. Convert it with .to(DType.INT64)."
              .formatted(NAME, name, lengths.dtype()));
    }
    if (lengths.numel() != x.size(1)) {
      throw new ShapeException(
          "%s: %s must have one element for each of the %d samples of self %s, but has shape %s."
              .formatted(NAME, name, x.size(1), x.shape(), lengths.shape()));
    }
    return lengths.toLongArray();
  }

  static void check(Alignment a, @Nullable Tensor[] in) {
    check(a, Objects.requireNonNull(in[0]), Objects.requireNonNull(in[1]));
  }

  private static void check(Alignment a, Tensor x, Tensor targets) {
    long times = x.size(0);
    long classes = x.size(2);
    if (a.blank() < 0 || a.blank() >= classes) {
      throw new ArgumentException(
          "%s: blank must be in 0..%d, one of %d classes, but is %d."
              .formatted(NAME, classes - 1, classes, a.blank()));
    }
    if (a.inputLengths().length != x.size(1) || a.targetLengths().length != x.size(1)) {
      throw new ArgumentException(
          "%s: there must be a length for each of the %d samples of self %s, but there are %d inputLengths and %d targetLengths."
              .formatted(
                  NAME, x.size(1), x.shape(), a.inputLengths().length, a.targetLengths().length));
    }
    long total = 0;
    for (int i = 0; i < a.inputLengths().length; i++) {
      long length = a.inputLengths()[i];
      long labels = a.targetLengths()[i];
      if (length < 0 || length > times) {
        throw new ArgumentException(
            "%s: inputLengths must be in 0..%d, but element %d is %d."
                .formatted(NAME, times, i, length));
      }
      if (labels < 0 || targets.dim() == 2 && labels > targets.size(1)) {
        throw new ArgumentException(
            "%s: targetLengths must be in 0..%d, but element %d is %d."
                .formatted(NAME, targets.size(-1), i, labels));
      }
      total += labels;
    }
    if (targets.dim() == 2 ? targets.size(0) != x.size(1) : targets.size(0) != total) {
      throw new ShapeException(
          "%s: targets must have shape [%d s], or [%d] one behind the other, but have %s."
              .formatted(NAME, x.size(1), total, targets.shape()));
    }
    for (int i = 0; i < a.targetLengths().length; i++) {
      Tensor labels =
          targets.dim() == 2
              ? targets.select(0, i).narrow(0, 0, a.targetLengths()[i])
              : targets.narrow(0, before(a, i), a.targetLengths()[i]);
      Labels.check(NAME, classes, 0, labels);
    }
  }

  /// How many labels the samples before number `i` have.
  private static long before(Alignment a, int i) {
    return Arrays.stream(a.targetLengths(), 0, i).sum();
  }

  static List<long[]> shapes(Alignment a, List<long @Nullable []> in) {
    long[] x = in.get(0);
    assert x != null;
    long most = Arrays.stream(a.targetLengths()).max().orElse(0);
    return List.of(new long[] {x[1]}, new long[] {x[1], x[0], 2 * most + 1});
  }
}
