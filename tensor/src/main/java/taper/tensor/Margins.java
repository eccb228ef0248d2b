package taper.tensor;

import java.util.List;
import java.util.function.BinaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.MarginLosses.MultiMargin;

/// Compositions behind [MarginLosses], and what their arguments must fulfil.
final class Margins {
  private Margins() {}

  /// Is added to squared norms, so that the cosine with a zero vector is 0.
  private static final double SMALL = 1e-12;

  static void checkRanks(String op, Tensor x, Tensor y, Tensor z) {
    if (x.dim() != y.dim() || x.dim() != z.dim()) {
      throw new ShapeException(
          "%s: all three must have the same number of dimensions, but their shapes are %s, %s and %s."
              .formatted(op, x.shape(), y.shape(), z.shape()));
    }
  }

  static void checkMargin(String op, double margin) {
    if (!(margin > 0)) {
      throw new ArgumentException("%s: margin must be positive, but is %s.".formatted(op, margin));
    }
  }

  static Tensor cosine(Tensor x, Tensor y, Tensor target, double margin, Reduction reduction) {
    if (target.dim() > 1
        || x.dim() != target.dim() + 1
        || y.dim() != x.dim()
        || !x.shape().equals(y.shape())) {
      throw new ShapeException(
          "cosineEmbeddingLoss: shapes must be [n m], [n m] and [n], or [m], [m] and [], but self is %s, other %s and target %s."
              .formatted(x.shape(), y.shape(), target.shape()));
    }
    Tensor product = x.mul(y).sum(-1);
    Tensor norms = x.mul(x).sum(-1).add(SMALL).mul(y.mul(y).sum(-1).add(SMALL)).sqrt();
    Tensor cosine = product.div(norms);
    Tensor near = cosine.rsub(1.0).where(target.eq(1), 0.0);
    long minusOne = target.dtype() == DType.UINT8 ? 255 : -1;
    Tensor far = cosine.sub(margin).clampMin(0.0).where(target.eq(minusOne), 0.0);
    return reduction.of(near.add(far));
  }

  static Tensor triplet(
      Tensor anchor,
      Tensor positive,
      Tensor negative,
      BinaryOperator<Tensor> distance,
      double margin,
      boolean swap,
      Reduction reduction) {
    Tensor near = distance.apply(anchor, positive);
    Tensor far = distance.apply(anchor, negative);
    if (swap) {
      far = far.minimum(distance.apply(positive, negative));
    }
    return reduction.of(near.sub(far).add(margin).clampMin(0.0));
  }

  static Tensor multi(MultiMargin a, Tensor x, Tensor target, @Nullable Tensor weight) {
    if (a.p() != 1 && a.p() != 2) {
      throw new ArgumentException("multiMarginLoss: p must be 1 or 2, but is %d.".formatted(a.p()));
    }
    boolean single = x.dim() < 2;
    Tensor rows = single ? x.reshape(1, x.numel()) : x;
    Tensor labels = target.reshape(-1);
    if (rows.dim() != 2 || labels.numel() != rows.size(0) || target.dim() > 1) {
      throw new ShapeException(
          "multiMarginLoss: target must have one label for each of [n c] predictions, but self has shape %s and target %s."
              .formatted(x.shape(), target.shape()));
    }
    long classes = rows.size(1);
    Labels.check("multiMarginLoss", classes, Long.MIN_VALUE, target);
    checkWeight(weight, classes);
    Tensor index = labels.unsqueeze(1);
    Tensor lacking = rows.sub(rows.gather(1, index)).add(a.margin()).relu();
    Tensor raised = a.p() == 2 ? lacking.square() : lacking;
    Tensor right = Autograd.noGrad(() -> Tensor.arange(classes).eq(index));
    Tensor each = raised.maskedFill(right, 0);
    if (weight != null) {
      each = each.mul(weight.gather(0, labels).unsqueeze(1));
    }
    if (a.reduction() == Reduction.NONE) {
      Tensor losses = each.mean(1);
      return single && target.dim() == 0 ? losses.squeeze(0) : losses;
    }
    return a.reduction() == Reduction.MEAN ? each.mean() : each.sum().div((double) classes);
  }

  private static void checkWeight(@Nullable Tensor weight, long classes) {
    if (weight != null && (weight.dim() != 1 || weight.size(0) != classes)) {
      throw new ShapeException(
          "multiMarginLoss: weight must have shape [%d], one element for each class, but has shape %s."
              .formatted(classes, weight.shape()));
    }
  }

  static Tensor multilabel(Tensor x, Tensor target, Reduction reduction) {
    if (x.dim() > 2 || !x.shape().equals(target.shape())) {
      throw new ShapeException(
          "multilabelMarginLoss: self and target must have one shape [n c] or [c], but self is %s and target %s."
              .formatted(x.shape(), target.shape()));
    }
    long classes = x.dim() == 0 ? 1 : x.size(-1);
    Labels.check("multilabelMarginLoss", classes, -1, target);
    long count = classes == 0 ? 0 : x.numel() / classes;
    Tensor rows = x.reshape(count, classes);
    Tensor[] masks =
        Autograd.noGrad(() -> masks(target.reshape(count, classes).to(DType.INT64), classes))
            .toArray(Tensor[]::new);
    Tensor named = rows.gather(1, masks[0]).unsqueeze(2); // [n k 1]
    Tensor lacking = rows.unsqueeze(1).sub(named).add(1.0).relu(); // [n k c]
    Tensor losses =
        lacking
            .where(masks[1].unsqueeze(2).logicalAnd(masks[2].unsqueeze(1)), 0.0)
            .sum(new int[] {1, 2}, false)
            .div((double) classes);
    return reduction.of(x.dim() < 2 ? losses.squeeze(0) : losses);
  }

  /// The classes that count, with 0 where there are fewer; where they do; and which classes are not among them.
  private static List<Tensor> masks(Tensor target, long classes) {
    Tensor counts = target.lt(0).cumsum(1).eq(0); // up to the first -1
    long most = Math.max(1, target.numel() == 0 ? 1 : counts.sum(1).max().itemLong());
    Tensor named = target.narrow(1, 0, Math.min(most, classes));
    Tensor valid = counts.narrow(1, 0, Math.min(most, classes));
    Tensor labels = named.maskedFill(valid.logicalNot(), 0L);
    Tensor others =
        Tensor.zeros(DType.INT64, target.sizes())
            .scatterAdd_(1, labels, valid.to(DType.INT64))
            .eq(0);
    return List.of(labels, valid, others);
  }
}
