package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Activations.Along;
import taper.tensor.Attention.Attend;
import taper.tensor.Attention.Attended;
import taper.tensor.Attention.AttentionOptions;

/// Attention as one step where that will do, else as a composition of products and a softmax.
final class Heads {
  private Heads() {}

  private static final String NAME = "scaledDotProductAttention";

  /// Attention without its weights.
  static Tensor output(Tensor query, Tensor key, Tensor value, AttentionOptions o) {
    check(query, key, value, o);
    Tensor k = o.enableGqa() ? shared("key", key, query) : key;
    Tensor v = o.enableGqa() ? shared("value", value, query) : value;
    Tensor mask = o.mask();
    if (o.dropout() > 0 || !inOneStep(query, k, v, mask)) {
      return attend(query, key, value, o).output();
    }
    return Memory.tidy(() -> {
      int last = query.dim() - 1;
      boolean rowsFirst = last >= 2 && query.stride(last - 2) < query.stride(last - 1);
      var attributes = new Attend(scale(query, o), o.causal(), rowsFirst);
      Tensor added = mask == null ? null : added(mask, query, k);
      return attributes.seen(Attention.Operators.ATTENTION.on(attributes, query, k, v, added));
    });
  }

  private static double scale(Tensor query, AttentionOptions o) {
    Double factor = o.scale();
    return factor != null ? factor : 1 / Math.sqrt(query.size(-1));
  }

  /// Whether there are as many heads everywhere, nothing is empty, no gradient goes to the mask, and there is a kernel that is
  /// faster than products and a softmax.
  private static boolean inOneStep(Tensor query, Tensor key, Tensor value, @Nullable Tensor mask) {
    int lead = query.dim() - 2;
    boolean same =
        query.dtype().isFloatingPoint()
            && hasKernel(query.dtype().compute())
            && query.numel() > 0
            && key.numel() > 0
            && value.numel() > 0
            && key.dim() == query.dim()
            && value.dim() == query.dim();
    for (int d = 0; same && d < lead; d++) {
      same = key.size(d) == query.size(d) && value.size(d) == query.size(d);
    }
    return same
        && (mask == null
            || mask.dim() <= query.dim()
                && (mask.dtype() == DType.BOOL || mask.dtype() == query.dtype())
                && !mask.requiresGrad());
  }

  private static boolean hasKernel(DType dtype) {
    Operator<Attend> attention = Attention.Operators.ATTENTION;
    return attention.kernel(dtype, dtype) != Libraries.reference(attention);
  }

  /// What to add to the products for a mask, in their shape.
  private static Tensor added(Tensor mask, Tensor query, Tensor key) {
    long[] shape = query.sizes();
    shape[shape.length - 1] = key.size(-2);
    Tensor numbers = mask;
    if (mask.dtype() == DType.BOOL) {
      numbers = Tensor.zeros(query.dtype(), 1).where(mask, Double.NEGATIVE_INFINITY);
    }
    return numbers.expand(shape);
  }

  /// The gradients of queries, keys and values.
  static @Nullable Tensor[] gradients(Backward<Attend> b) {
    Attend attributes = b.attributes();
    Tensor query = b.input("query");
    Tensor key = b.input("key");
    Tensor value = b.input("value");
    Tensor mask = b.find("mask");
    Tensor grad = attributes.seen(b.grad(0));
    if (!Autograd.isGradEnabled()) {
      Tensor output = attributes.seen(b.output(0));
      Tensor[] all =
          Attention.Operators.ATTENTION_GRADIENT.all(
              attributes, grad, query, key, value, mask, output, b.output(1));
      return new Tensor[] {
        attributes.seen(all[0]), attributes.seen(all[1]), attributes.seen(all[2])
      };
    }
    Tensor scores = query.mul(attributes.scale()).matmul(key.mT());
    if (mask != null) {
      scores = scores.add(mask);
    }
    if (attributes.causal()) {
      scores = masked(scores, causal(scores));
    }
    Tensor weights = Attention.Operators.SAFE_SOFTMAX.on(new Along(scores.dim() - 1), scores);
    Tensor toWeights = grad.matmul(value.mT());
    Tensor mean = toWeights.mul(weights).sum(-1, true);
    Tensor toScores = toWeights.sub(mean).mul(weights).mul(attributes.scale());
    return new Tensor[] {
      toScores.matmul(key), toScores.mT().matmul(query), weights.mT().matmul(grad)
    };
  }

  /// Checks the shapes of queries, keys, values and mask that are computed in one step: nothing broadcasts there.
  ///
  /// @throws ShapeException if they do not fit
  static void checkOneStep(String op, Attend a, List<long @Nullable []> in) {
    long[] query = in.get(0);
    long[] key = in.get(1);
    long[] value = in.get(2);
    long[] mask = in.get(3);
    assert query != null && key != null && value != null;
    int rank = query.length;
    boolean fits =
        rank >= (a.rowsFirst() ? 3 : 2)
            && key.length == rank
            && value.length == rank
            && key[rank - 1] == query[rank - 1]
            && key[rank - 2] == value[rank - 2];
    for (int d = 0; fits && d < rank - 2; d++) {
      fits = key[d] == query[d] && value[d] == query[d];
    }
    if (!fits) {
      throw new ShapeException(
          "%s: shapes must be [*b l e], [*b s e] and [*b s v], but query is %s, key %s and value %s."
              .formatted(op, Arrays.toString(query), Arrays.toString(key), Arrays.toString(value)));
    }
    if (mask != null) {
      long[] weights = query.clone();
      weights[rank - 1] = key[rank - 2];
      Checks.shape(op, "mask", mask, weights);
    }
  }

  static Attended attend(Tensor query, Tensor key, Tensor value, AttentionOptions o) {
    check(query, key, value, o);
    Tensor k = key;
    Tensor v = value;
    if (o.enableGqa()) {
      k = shared("key", k, query);
      v = shared("value", v, query);
    }
    Tensor scores = query.mul(scale(query, o)).matmul(k.mT()); // [*b l s]
    Tensor mask = o.causal() ? causal(scores) : o.mask();
    Tensor weights;
    if (mask == null || scores.size(-1) == 0) {
      weights = scores.softmax(-1);
    } else {
      scores = masked(scores, mask);
      weights = Attention.Operators.SAFE_SOFTMAX.on(new Along(scores.dim() - 1), scores);
    }
    if (o.dropout() > 0) {
      weights = weights.dropout(o.dropout(), true);
    }
    return new Attended(weights.matmul(v), weights);
  }

  private static void check(Tensor query, Tensor key, Tensor value, AttentionOptions o) {
    if (query.dim() < 2 || key.dim() < 2 || value.dim() < 2) {
      throw new ShapeException(
          "%s: self, key and value must have at least 2 dimensions, but have shapes %s, %s and %s."
              .formatted(NAME, query.shape(), key.shape(), value.shape()));
    }
    if (query.dtype() != key.dtype() || query.dtype() != value.dtype()) {
      throw new DTypeException(
          "%s: self, key and value must have one dtype, but are %s, %s and %s. Convert them with .to(dtype)."
              .formatted(NAME, query.dtype(), key.dtype(), value.dtype()));
    }
    if (query.size(-1) != key.size(-1) || key.size(-2) != value.size(-2)) {
      throw new ShapeException(
          "%s: shapes must be [*b l e], [*b s e] and [*b s v], but self is %s, key %s and value %s."
              .formatted(NAME, query.shape(), key.shape(), value.shape()));
    }
    if (o.mask() != null && o.causal()) {
      throw new ArgumentException(
          NAME
              + ": there must be either a mask or the causal one, but both are given. Combine them"
              + " with logicalAnd.");
    }
    if (!(o.dropout() >= 0 && o.dropout() <= 1)) {
      throw new ArgumentException(
          "%s: dropout must be in 0..1, but is %s.".formatted(NAME, o.dropout()));
    }
  }

  /// `x` with each head repeated for all heads of the query that share it.
  private static Tensor shared(String name, Tensor x, Tensor query) {
    if (query.dim() < 3 || x.dim() < 3) {
      throw new ShapeException(
          "%s: with enableGqa there must be a dimension of heads, but self has shape %s and %s %s."
              .formatted(NAME, query.shape(), name, x.shape()));
    }
    long heads = query.size(-3);
    long own = x.size(-3);
    if (own == heads) {
      return x;
    }
    if (own == 0 || heads % own != 0) {
      throw new ShapeException(
          "%s: with enableGqa the heads of %s must divide those of self, but there are %d and %d."
              .formatted(NAME, name, own, heads));
    }
    int dim = x.dim() - 3;
    long[] each = x.unsqueeze(dim + 1).sizes();
    each[dim + 1] = heads / own;
    long[] all = x.sizes();
    all[dim] = heads;
    return x.unsqueeze(dim + 1).expand(each).reshape(all);
  }

  private static Tensor causal(Tensor scores) {
    return Autograd.noGrad(() -> Tensor.ones(DType.BOOL, scores.size(-2), scores.size(-1)).tril(0));
  }

  private static Tensor masked(Tensor scores, Tensor mask) {
    if (mask.dtype() == DType.BOOL) {
      return scores.where(mask, Double.NEGATIVE_INFINITY);
    }
    if (!mask.dtype().isFloatingPoint()) {
      throw new DTypeException(
          "%s: mask must be bool or floating, but is %s. Convert it with .to(DType.BOOL)."
              .formatted(NAME, mask.dtype()));
    }
    return scores.add(mask.to(scores.dtype()));
  }
}
