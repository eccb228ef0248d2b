package taper.golden.bindings;

import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.tensor.ArgumentException;
import taper.tensor.Reduction;
import taper.tensor.Tensor;

/// Losses.
final class LossBindings {
  private LossBindings() {}

  private static final String F = "nn.functional.";

  static void addTo(Bindings table) {
    addDifferences(table);
    addClasses(table);
    addProbabilities(table);
    addMargins(table);
    addTriplets(table);
  }

  private static Reduction reduction(Arguments a, int position) {
    return reduction(a.value(position, "reduction"));
  }

  /// Texts of `nn.functional`, numbers of functions directly under `torch`.
  private static Reduction reduction(@Nullable Object value) {
    return switch (value) {
      case null -> Reduction.MEAN;
      case String text when text.equals("none") -> Reduction.NONE;
      case String text when text.equals("mean") -> Reduction.MEAN;
      case String text when text.equals("sum") -> Reduction.SUM;
      case Long number when number >= 0 && number < 3 -> Reduction.values()[(int) (long) number];
      default -> throw new ArgumentException("There is no reduction " + value + ".");
    };
  }

  private static void addDifferences(Bindings table) {
    table.bind(
        F + "l1_loss",
        "l1Loss(target, reduction)",
        a -> a.self().l1Loss(a.tensor(1, "target"), reduction(a, 4)));
    table.bind(
        F + "mse_loss",
        "mseLoss(target, reduction)",
        a -> a.self().mseLoss(a.tensor(1, "target"), reduction(a, 4)));
    table.bind(
        F + "smooth_l1_loss",
        "smoothL1Loss(target, beta, reduction)",
        a -> a.self().smoothL1Loss(a.tensor(1, "target"), a.number(5, "beta", 1), reduction(a, 4)));
    table.bind(
        F + "huber_loss",
        "huberLoss(target, delta, reduction)",
        a -> a.self().huberLoss(a.tensor(1, "target"), a.number(3, "delta", 1), reduction(a, 2)));
  }

  private static void addClasses(Bindings table) {
    table.bind(
        F + "cross_entropy",
        "crossEntropy(target, o -> o.weight(weight).labelSmoothing(0.1))",
        a -> {
          Tensor weight = a.find(2, "weight");
          long ignored = a.integer(4, "ignore_index", -100);
          Reduction reduction = reduction(a, 6);
          double smoothing = a.number(7, "label_smoothing", 0);
          return a.self()
              .crossEntropy(
                  a.tensor(1, "target"),
                  o ->
                      o.weight(weight)
                          .ignoreIndex(ignored)
                          .reduction(reduction)
                          .labelSmoothing(smoothing));
        });
    table.bind(
        F + "nll_loss",
        "nllLoss(target, o -> o.weight(weight).ignoreIndex(0))",
        a -> {
          Tensor weight = a.find(2, "weight");
          long ignored = a.integer(4, "ignore_index", -100);
          Reduction reduction = reduction(a, 6);
          return a.self()
              .nllLoss(
                  a.tensor(1, "target"),
                  o -> o.weight(weight).ignoreIndex(ignored).reduction(reduction));
        });
    table.bind(F + "ctc_loss", "ctcLoss(targets, inputLengths, targetLengths)", a -> ctc(a));
    table.bind("ctc_loss", "ctcLoss(targets, inputLengths, targetLengths)", a -> ctc(a));
  }

  private static Tensor ctc(Arguments a) {
    long blank = a.integer(4, "blank", 0);
    Reduction reduction = reduction(a, 5);
    boolean zero = a.flag(6, "zero_infinity", false);
    return a.self()
        .ctcLoss(
            a.tensor(1, "targets"),
            lengths(a, 2, "input_lengths"),
            lengths(a, 3, "target_lengths"),
            o -> o.blank(blank).reduction(reduction).zeroInfinity(zero));
  }

  private static Tensor lengths(Arguments a, int position, String name) {
    return a.value(position, name) instanceof Tensor tensor
        ? tensor
        : Tensor.of(a.longs(position, name));
  }

  private static void addProbabilities(Bindings table) {
    table.bind(
        F + "binary_cross_entropy",
        "binaryCrossEntropy(target, o -> o.weight(weight))",
        a -> {
          Tensor weight = a.find(2, "weight");
          Reduction reduction = reduction(a, 5);
          return a.self()
              .binaryCrossEntropy(
                  a.tensor(1, "target"), o -> o.weight(weight).reduction(reduction));
        });
    table.bind(
        F + "binary_cross_entropy_with_logits",
        "binaryCrossEntropyWithLogits(target, o -> o.weight(weight).posWeight(factor))",
        a -> logits(a, a.find(2, "weight"), a.find(6, "pos_weight"), reduction(a, 5)));
    table.bind(
        "binary_cross_entropy_with_logits",
        "binaryCrossEntropyWithLogits(target, o -> o.weight(weight).posWeight(factor))",
        a -> logits(a, a.find(2, "weight"), a.find(3, "pos_weight"), reduction(a, 4)));
    table.bind(
        F + "kl_div",
        "klDiv(target, o -> o.batchMean().logTarget(true))",
        a -> divergence(a, a.value(4, "reduction"), a.flag(5, "log_target", false)));
    table.bind(
        "kl_div",
        "klDiv(target, o -> o.batchMean().logTarget(true))",
        a -> divergence(a, a.value(2, "reduction"), a.flag(-1, "log_target", false)));
    table.bind(
        F + "poisson_nll_loss",
        "poissonNllLoss(target, o -> o.logInput(false).full(true))",
        a -> poisson(a, a.number(5, "eps", 1e-8), reduction(a, 7)));
    table.bind(
        "poisson_nll_loss",
        "poissonNllLoss(target, o -> o.logInput(false).full(true))",
        a -> poisson(a, a.number(4, "eps"), reduction(a, 5)));
    table.bind(
        F + "gaussian_nll_loss",
        "gaussianNllLoss(target, var, full, eps, reduction)",
        a ->
            a.self()
                .gaussianNllLoss(
                    a.tensor(1, "target"),
                    a.tensor(2, "var"),
                    a.flag(3, "full", false),
                    a.number(4, "eps", 1e-6),
                    reduction(a, 5)));
  }

  private static Tensor logits(
      Arguments a, @Nullable Tensor weight, @Nullable Tensor posWeight, Reduction reduction) {
    return a.self()
        .binaryCrossEntropyWithLogits(
            a.tensor(1, "target"), o -> o.weight(weight).posWeight(posWeight).reduction(reduction));
  }

  private static Tensor divergence(Arguments a, @Nullable Object reduction, boolean log) {
    return a.self()
        .klDiv(
            a.tensor(1, "target"),
            o -> {
              var options = o.logTarget(log);
              return "batchmean".equals(reduction)
                  ? options.batchMean()
                  : options.reduction(reduction(reduction));
            });
  }

  private static Tensor poisson(Arguments a, double eps, Reduction reduction) {
    boolean log = a.flag(2, "log_input", true);
    boolean full = a.flag(3, "full", false);
    return a.self()
        .poissonNllLoss(
            a.tensor(1, "target"), o -> o.logInput(log).full(full).eps(eps).reduction(reduction));
  }

  private static void addMargins(Bindings table) {
    table.bind(
        F + "soft_margin_loss",
        "softMarginLoss(target, reduction)",
        a -> a.self().softMarginLoss(a.tensor(1, "target"), reduction(a, 4)));
    table.bind(
        F + "hinge_embedding_loss",
        "hingeEmbeddingLoss(target, margin, reduction)",
        a ->
            a.self()
                .hingeEmbeddingLoss(
                    a.tensor(1, "target"), a.number(2, "margin", 1), reduction(a, 5)));
    table.bind(
        "hinge_embedding_loss",
        "hingeEmbeddingLoss(target, margin, reduction)",
        a ->
            a.self()
                .hingeEmbeddingLoss(
                    a.tensor(1, "target"), a.number(2, "margin", 1), reduction(a, 3)));
    table.bind(
        F + "margin_ranking_loss",
        "marginRankingLoss(other, target, margin, reduction)",
        a -> ranking(a, reduction(a, 6)));
    table.bind(
        "margin_ranking_loss",
        "marginRankingLoss(other, target, margin, reduction)",
        a -> ranking(a, reduction(a, 4)));
    table.bind(
        F + "cosine_embedding_loss",
        "cosineEmbeddingLoss(other, target, margin, reduction)",
        a -> cosine(a, reduction(a, 6)));
    table.bind(
        "cosine_embedding_loss",
        "cosineEmbeddingLoss(other, target, margin, reduction)",
        a -> cosine(a, reduction(a, 4)));
    table.bind(
        F + "multi_margin_loss",
        "multiMarginLoss(target, o -> o.p(2).margin(0.5).weight(weight))",
        a -> {
          int p = a.dim(2, "p", 1);
          double margin = a.number(3, "margin", 1);
          Tensor weight = a.find(4, "weight");
          Reduction reduction = reduction(a, 7);
          return a.self()
              .multiMarginLoss(
                  a.tensor(1, "target"),
                  o -> o.p(p).margin(margin).weight(weight).reduction(reduction));
        });
    table.bind(
        F + "multilabel_margin_loss",
        "multilabelMarginLoss(target, reduction)",
        a -> a.self().multilabelMarginLoss(a.tensor(1, "target"), reduction(a, 4)));
    table.bind(
        F + "multilabel_soft_margin_loss",
        "multilabelSoftMarginLoss(target, weight, reduction)",
        a ->
            a.self()
                .multilabelSoftMarginLoss(
                    a.tensor(1, "target"), a.find(2, "weight"), reduction(a, 5)));
  }

  private static Tensor ranking(Arguments a, Reduction reduction) {
    return a.self()
        .marginRankingLoss(
            a.tensor(1, "input2"), a.tensor(2, "target"), a.number(3, "margin", 0), reduction);
  }

  private static Tensor cosine(Arguments a, Reduction reduction) {
    return a.self()
        .cosineEmbeddingLoss(
            a.tensor(1, "input2"), a.tensor(2, "target"), a.number(3, "margin", 0), reduction);
  }

  private static void addTriplets(Bindings table) {
    table.bind(
        F + "triplet_margin_loss",
        "tripletMarginLoss(positive, negative, o -> o.margin(0.5).swap(true))",
        a -> triplet(a, reduction(a, 9)));
    table.bind(
        "triplet_margin_loss",
        "tripletMarginLoss(positive, negative, o -> o.margin(0.5).swap(true))",
        a -> triplet(a, reduction(a, 7)));
    table.bind(
        F + "triplet_margin_with_distance_loss",
        "tripletMarginWithDistanceLoss(positive, negative, distance, margin, swap, reduction)",
        a ->
            a.self()
                .tripletMarginWithDistanceLoss(
                    a.tensor(1, "positive"),
                    a.tensor(2, "negative"),
                    distance(a),
                    a.number(-1, "margin", 1),
                    a.flag(-1, "swap", false),
                    reduction(a, -1)));
  }

  private static Tensor triplet(Arguments a, Reduction reduction) {
    double margin = a.number(3, "margin", 1);
    double p = a.number(4, "p", 2);
    double eps = a.number(5, "eps", 1e-6);
    boolean swap = a.flag(6, "swap", false);
    return a.self()
        .tripletMarginLoss(
            a.tensor(1, "positive"),
            a.tensor(2, "negative"),
            o -> o.margin(margin).p(p).eps(eps).swap(swap).reduction(reduction));
  }

  private static BinaryOperator<Tensor> distance(Arguments a) {
    Object given = a.value(-1, "distance_function");
    if (given != null && !given.toString().contains("PairwiseDistance()")) {
      throw a.unsupported("the distance " + given);
    }
    return Tensor::pairwiseDistance;
  }
}
