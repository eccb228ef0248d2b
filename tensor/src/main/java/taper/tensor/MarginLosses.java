package taper.tensor;

import static taper.tensor.spi.Formula.constant;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;

/// Losses that ask for a margin: between classes, between vectors that belong together and others, between ranks.
///
/// Without a reduction the result is the mean.
public sealed interface MarginLosses permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the mean of `log(1 + exp(-target · self))`, for targets 1 and -1.
  ///
  /// - Shape: `[*b], [*b] -> []`
  default Tensor softMarginLoss(Tensor target) {
    return softMarginLoss(target, Reduction.MEAN);
  }

  /// Returns `log(1 + exp(-target · self))`, reduced.
  default Tensor softMarginLoss(Tensor target, Reduction reduction) {
    return Operators.SOFT_MARGIN_LOSS.on(new Losses.Elementwise(reduction), self(), target);
  }

  /// Returns the mean of this tensor where the target is 1, and of what it lacks to a margin of 1 where the target is -1.
  ///
  /// - Shape: `[*b], [*b] -> []`
  default Tensor hingeEmbeddingLoss(Tensor target) {
    return hingeEmbeddingLoss(target, 1, Reduction.MEAN);
  }

  /// Returns this tensor where the target is 1, and what it lacks to `margin` where the target is -1, reduced.
  default Tensor hingeEmbeddingLoss(Tensor target, double margin, Reduction reduction) {
    return Operators.HINGE_EMBEDDING_LOSS.on(new Losses.Bounded(margin, reduction), self(), target);
  }

  /// Returns the mean of `max(0, -target · (self - other))`: 0 where the target is 1 and this tensor is larger, or the target
  /// is -1 and it is smaller.
  ///
  /// - Shape: `[*b], [*b], [*b] -> []`
  default Tensor marginRankingLoss(Tensor other, Tensor target) {
    return marginRankingLoss(other, target, 0, Reduction.MEAN);
  }

  /// Returns `max(0, margin - target · (self - other))`, reduced.
  ///
  /// @throws ShapeException if the numbers of dimensions differ
  default Tensor marginRankingLoss(
      Tensor other, Tensor target, double margin, Reduction reduction) {
    Margins.checkRanks("marginRankingLoss", self(), other, target);
    if (!self().dtype().isFloatingPoint()) { // differences may wrap around, as in PyTorch
      Tensor distance = self().sub(other).mul(target.neg());
      return reduction.of(distance.add(margin).clampMin(0.0));
    }
    return Operators.MARGIN_RANKING_LOSS.on(
        new Losses.Bounded(margin, reduction), self(), other, target);
  }

  /// Returns the mean of 1 minus the cosine of both vectors where the target is 1, and of a positive cosine where it is -1.
  ///
  /// - Shape: `[n m], [n m], [n] -> []`; `[m], [m], [] -> []`
  default Tensor cosineEmbeddingLoss(Tensor other, Tensor target) {
    return cosineEmbeddingLoss(other, target, 0, Reduction.MEAN);
  }

  /// Returns 1 minus the cosine of both vectors where the target is 1, and what the cosine exceeds `margin` by where it is
  /// -1, reduced.
  ///
  /// @throws ShapeException if the shapes do not fit
  default Tensor cosineEmbeddingLoss(
      Tensor other, Tensor target, double margin, Reduction reduction) {
    return Operators.COSINE_EMBEDDING_LOSS.on(
        new Losses.Bounded(margin, reduction), self(), other, target);
  }

  /// Returns the mean of `max(0, |self - positive| - |self - negative| + 1)`: this tensor should be nearer to the positive
  /// one than to the negative one.
  ///
  /// - Shape: `[*b m], [*b m], [*b m] -> []`
  /// - Source: Balntas et al. 2016, Learning local feature descriptors with triplets and shallow convolutional neural
  ///   networks
  default Tensor tripletMarginLoss(Tensor positive, Tensor negative) {
    return tripletMarginLoss(positive, negative, o -> o);
  }

  /// Returns the triplet loss, with options: `o -> o.margin(0.5).swap(true)`.
  ///
  /// @throws ArgumentException if the margin is not positive
  /// @throws ShapeException if the numbers of dimensions differ
  default Tensor tripletMarginLoss(
      Tensor positive, Tensor negative, UnaryOperator<TripletOptions> options) {
    return Operators.TRIPLET_MARGIN_LOSS.on(
        options.apply(TripletOptions.DEFAULT), self(), positive, negative);
  }

  /// Returns the triplet loss with another distance than that of vectors.
  ///
  /// @param distance gives one number for each pair
  /// @param swap whether the positive and the negative one are to be apart too, where they are nearer
  default Tensor tripletMarginWithDistanceLoss(
      Tensor positive,
      Tensor negative,
      BinaryOperator<Tensor> distance,
      double margin,
      boolean swap,
      Reduction reduction) {
    Margins.checkMargin("tripletMarginWithDistanceLoss", margin);
    return Margins.triplet(self(), positive, negative, distance, margin, swap, reduction);
  }

  /// Returns the triplet loss with another distance, a margin of 1, and the mean.
  default Tensor tripletMarginWithDistanceLoss(
      Tensor positive, Tensor negative, BinaryOperator<Tensor> distance) {
    return tripletMarginWithDistanceLoss(positive, negative, distance, 1, false, Reduction.MEAN);
  }

  /// Returns the mean over samples of what each class lacks to be 1 below the right one, summed and divided by the number
  /// of classes.
  ///
  /// - Shape: `[n c], target[n] -> []`; `[c], target[] -> []`
  /// - Types: floating; class indices are `int64`
  default Tensor multiMarginLoss(Tensor target) {
    return multiMarginLoss(target, o -> o);
  }

  /// Returns the margin loss over classes, with options: `o -> o.p(2).margin(0.5)`.
  ///
  /// @throws ArgumentException if `p` is neither 1 nor 2, or a class index is outside the classes
  /// @throws ShapeException if the shapes do not fit
  default Tensor multiMarginLoss(Tensor target, UnaryOperator<MultiMarginOptions> options) {
    MultiMarginOptions o = options.apply(MultiMarginOptions.DEFAULT);
    return Operators.MULTI_MARGIN_LOSS.on(
        new MultiMargin(o.p(), o.margin(), o.reduction()), self(), target, o.weight());
  }

  /// Returns the mean over samples of what each other class lacks to be 1 below each class that the target names, summed
  /// and divided by the number of classes.
  ///
  /// - Shape: `[n c], target[n c] -> []`; `[c], target[c] -> []`
  /// - Types: floating; class indices are `int64`, those from the first -1 on do not count
  default Tensor multilabelMarginLoss(Tensor target) {
    return multilabelMarginLoss(target, Reduction.MEAN);
  }

  /// Returns the margin loss over several right classes, reduced.
  ///
  /// @throws ArgumentException if a class index is outside the classes
  /// @throws ShapeException if the shapes do not fit
  default Tensor multilabelMarginLoss(Tensor target, Reduction reduction) {
    return Operators.MULTILABEL_MARGIN_LOSS.on(new Losses.Elementwise(reduction), self(), target);
  }

  /// Returns the mean over samples of the binary cross entropy of logits, averaged over classes.
  ///
  /// - Shape: `[*b c], [*b c] -> []`
  default Tensor multilabelSoftMarginLoss(Tensor target) {
    return multilabelSoftMarginLoss(target, null, Reduction.MEAN);
  }

  /// Returns the binary cross entropy of logits, averaged over classes and reduced.
  ///
  /// @param weight a factor for each class, or null
  default Tensor multilabelSoftMarginLoss(
      Tensor target, @Nullable Tensor weight, Reduction reduction) {
    Tensor each =
        self()
            .binaryCrossEntropyWithLogits(target, o -> o.weight(weight).reduction(Reduction.NONE));
    return reduction == Reduction.MEAN ? each.mean() : reduction.of(each.mean(-1));
  }

  /// Options of [#tripletMarginLoss(Tensor, Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param margin how much nearer the positive one should be
  /// @param p the order of the norm
  /// @param eps is added to differences
  /// @param swap whether the positive and the negative one are to be apart too, where they are nearer
  /// @param reduction what to return
  record TripletOptions(double margin, double p, double eps, boolean swap, Reduction reduction) {
    /// PyTorch's defaults.
    public static final TripletOptions DEFAULT =
        new TripletOptions(1, 2, 1e-6, false, Reduction.MEAN);

    /// These options with another margin.
    public TripletOptions margin(double distance) {
      return new TripletOptions(distance, p, eps, swap, reduction);
    }

    /// These options with another norm.
    public TripletOptions p(double order) {
      return new TripletOptions(margin, order, eps, swap, reduction);
    }

    /// These options with another number that is added to differences.
    public TripletOptions eps(double small) {
      return new TripletOptions(margin, p, small, swap, reduction);
    }

    /// These options with the distance of the positive from the negative one where it is smaller, or without.
    public TripletOptions swap(boolean both) {
      return new TripletOptions(margin, p, eps, both, reduction);
    }

    /// These options with another reduction.
    public TripletOptions reduction(Reduction what) {
      return new TripletOptions(margin, p, eps, swap, what);
    }
  }

  /// Options of [#multiMarginLoss(Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param p the power to which what is lacking is raised, 1 or 2
  /// @param margin how far other classes should be below
  /// @param weight one factor per class, or null
  /// @param reduction what to return
  record MultiMarginOptions(int p, double margin, @Nullable Tensor weight, Reduction reduction) {
    /// PyTorch's defaults.
    public static final MultiMarginOptions DEFAULT =
        new MultiMarginOptions(1, 1, null, Reduction.MEAN);

    /// These options with another power.
    public MultiMarginOptions p(int power) {
      return new MultiMarginOptions(power, margin, weight, reduction);
    }

    /// These options with another margin.
    public MultiMarginOptions margin(double distance) {
      return new MultiMarginOptions(p, distance, weight, reduction);
    }

    /// These options with a factor per class.
    public MultiMarginOptions weight(@Nullable Tensor factors) {
      return new MultiMarginOptions(p, margin, factors, reduction);
    }

    /// These options with another reduction.
    public MultiMarginOptions reduction(Reduction what) {
      return new MultiMarginOptions(p, margin, weight, what);
    }
  }

  /// What margin loss over classes to compute.
  ///
  /// @param p the power
  /// @param margin how far other classes should be below
  /// @param reduction what to return
  record MultiMargin(int p, double margin, Reduction reduction) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("margin losses");

    private static final Losses.Elementwise EACH = new Losses.Elementwise(Reduction.NONE);
    private static final Losses.Elementwise AVERAGE = new Losses.Elementwise(Reduction.MEAN);

    static final Operator<Losses.Elementwise> SOFT_MARGIN_LOSS =
        Operators.<Losses.Elementwise>elementwise(
                "softMarginLoss",
                List.of("self", "target"),
                Formula.softplus(input(0).times(input(1)).negate()))
            .in(FAMILY, 0)
            .torch(
                "aten::soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor")
            .sample(AVERAGE, "f32[3 4], f32[3 4]")
            .sample(EACH, "f32[7] in -800..800, f32[7] in -1..1")
            .declare();

    // where the target is neither, both parts count
    static final Operator<Losses.Bounded> HINGE_EMBEDDING_LOSS =
        Operators.<Losses.Bounded>elementwise(
                "hingeEmbeddingLoss",
                List.of("self", "target"),
                Formula.select(
                    input(1),
                    Comparison.EQUAL,
                    constant(1),
                    input(0),
                    Formula.select(
                        input(1),
                        Comparison.EQUAL,
                        constant(-1),
                        positive(parameter(0).minus(input(0))),
                        positive(parameter(0).minus(input(0))).plus(input(0)))))
            .in(FAMILY, 0)
            .torch(
                "aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int"
                    + " reduction=Mean) -> Tensor")
            .sample(new Losses.Bounded(1, Reduction.MEAN), "f32[3 4], f32[3 4] in 1..1")
            .sample(new Losses.Bounded(1, Reduction.NONE), "f32[3 4], f32[4] in -1..-1")
            .sample(new Losses.Bounded(0.3, Reduction.SUM), "f32[3 4], f32[4] in 2..3")
            .declare();

    static final Operator<Losses.Bounded> MARGIN_RANKING_LOSS =
        Operators.<Losses.Bounded>elementwise(
                "marginRankingLoss",
                List.of("self", "other", "target"),
                positive(parameter(0).minus(input(2).times(input(0).minus(input(1))))))
            .in(FAMILY, 0)
            .torch(
                "aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float"
                    + " margin=0.0, int reduction=Mean) -> Tensor")
            .sample(new Losses.Bounded(0.5, Reduction.MEAN), "f32[3 4], f32[3 4], f32[3 4]")
            .sample(new Losses.Bounded(0.5, Reduction.NONE), "f32[3 4], f32[3 4], f32[1 4]")
            .declare();

    static final Operator<Losses.Bounded> COSINE_EMBEDDING_LOSS =
        FAMILY
            .<Losses.Bounded>composite(
                "cosineEmbeddingLoss",
                "self[*], other[*], target[*] -> [*]",
                (a, in) ->
                    Margins.cosine(
                        in.get("self"),
                        in.get("other"),
                        in.get("target"),
                        a.bound(),
                        a.reduction()))
            .constant("target")
            .torch(
                "aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float"
                    + " margin=0.0, int reduction=Mean) -> Tensor")
            .sample(new Losses.Bounded(0, Reduction.MEAN), "f32[3 4], f32[3 4], f32[3] in 1..1")
            .sample(
                new Losses.Bounded(-0.9, Reduction.NONE), "f32[3 4], f32[3 4], f32[3] in -1..-1")
            .sample(new Losses.Bounded(0, Reduction.SUM), "f32[4], f32[4], i64[] in 1..1")
            .rejects(
                new Losses.Bounded(0, Reduction.SUM),
                "f32[3 4], f32[3 4], f32[3 4]",
                "cosineEmbeddingLoss: shapes must be [n m], [n m] and [n], or [m], [m] and [], but"
                    + " self is [3, 4], other [3, 4] and target [3, 4].")
            .declare();

    static final Operator<TripletOptions> TRIPLET_MARGIN_LOSS =
        FAMILY
            .<TripletOptions>composite(
                "tripletMarginLoss",
                "self[*], positive[*], negative[*] -> [*]",
                (a, in) -> {
                  Tensor self = in.get("self");
                  Tensor positive = in.get("positive");
                  Tensor negative = in.get("negative");
                  Margins.checkMargin("tripletMarginLoss", a.margin());
                  Margins.checkRanks("tripletMarginLoss", self, positive, negative);
                  return Margins.triplet(
                      self,
                      positive,
                      negative,
                      (x, y) -> x.pairwiseDistance(y, a.p(), a.eps(), false),
                      a.margin(),
                      a.swap(),
                      a.reduction());
                })
            .torch(
                "aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float"
                    + " margin=1.0, float p=2, float eps=1e-06, bool swap=False, int"
                    + " reduction=Mean) -> Tensor")
            .sample(TripletOptions.DEFAULT, "f32[3 4], f32[3 4], f32[3 4]")
            .sample(
                TripletOptions.DEFAULT.margin(3).p(1).swap(true).reduction(Reduction.NONE),
                "f32[3 4], f32[3 4], f32[3 4]")
            .source(
                "Balntas et al. 2016, Learning local feature descriptors with triplets and shallow"
                    + " convolutional neural networks")
            .declare();

    static final Operator<MultiMargin> MULTI_MARGIN_LOSS =
        FAMILY
            .<MultiMargin>composite(
                "multiMarginLoss",
                "self[*], target[*], weight?[*] -> [*]",
                (a, in) -> Margins.multi(a, in.get("self"), in.get("target"), in.find("weight")))
            .constant("weight")
            .torch(
                "aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1,"
                    + " Tensor? weight=None, int reduction=Mean) -> Tensor")
            .sample(new MultiMargin(1, 1, Reduction.MEAN), "f32[3 4], i64[3] in 0..3, none")
            .sample(
                new MultiMargin(2, 0.5, Reduction.NONE),
                "f32[3 4], i64[3] in 0..3, f32[4] in 0.5..2")
            .sample(new MultiMargin(1, 1, Reduction.SUM), "f32[4], i64[] in 0..3, none")
            .rejects(
                new MultiMargin(3, 1, Reduction.MEAN),
                "f32[3 4], i64[3] in 0..3, none",
                "multiMarginLoss: p must be 1 or 2, but is 3.")
            .declare();

    static final Operator<Losses.Elementwise> MULTILABEL_MARGIN_LOSS =
        FAMILY
            .<Losses.Elementwise>composite(
                "multilabelMarginLoss",
                "self[*], target[*] -> [*]",
                (a, in) -> Margins.multilabel(in.get("self"), in.get("target"), a.reduction()))
            .torch(
                "aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) ->"
                    + " Tensor")
            .sample(AVERAGE, "f32[3 4], i64[3 4] in 0..3")
            .sample(EACH, "f32[3 4], i64[3 4] in -1..3")
            .sample(AVERAGE, "f32[4], i64[4] in -1..3")
            .declare();

    /// `max(0, x)` with the gradient of PyTorch's clamp, which passes at 0.
    private static Formula positive(Formula x) {
      return Formula.select(x, Comparison.LESS, constant(0), constant(0), x);
    }

    private static <A extends Record & ElementwiseLoss.Reduced> ElementwiseLoss<A> elementwise(
        String name, List<String> inputs, Formula formula) {
      return new ElementwiseLoss<>(name, inputs, _ -> formula, (_, _) -> null);
    }

    private Operators() {}
  }
}
