package taper.tensor;

import java.lang.ref.Reference;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Embeddings.Bag;
import taper.tensor.Embeddings.BagMode;
import taper.tensor.Embeddings.BagRows;
import taper.tensor.Embeddings.EmbeddingBagOptions;
import taper.tensor.Indexing.EmbeddingRows;
import taper.tensor.internal.Elements;

/// Checks and gradients of [Embeddings].
final class Bags {
  private Bags() {}

  /// The row that `paddingIdx` names, or -1 for none.
  static long row(String op, @Nullable Long paddingIdx, Tensor weight) {
    if (paddingIdx == null) {
      return -1;
    }
    long rows = weight.dim() == 0 ? 0 : weight.size(0);
    if (paddingIdx < -rows || paddingIdx >= rows) {
      throw new ArgumentException(
          "%s: paddingIdx must be in %d..%d, but is %d."
              .formatted(op, -rows, rows - 1, paddingIdx));
    }
    return paddingIdx < 0 ? paddingIdx + rows : paddingIdx;
  }

  static void renormalize(
      Tensor weight, Tensor indices, @Nullable Double maxNorm, double normType) {
    if (maxNorm != null) {
      Autograd.noGrad(() -> indices.embeddingRenorm_(weight, maxNorm, normType));
    }
  }

  static Tensor bag(
      Tensor indices, Tensor weight, @Nullable Tensor offsets, EmbeddingBagOptions o) {
    Tensor factors = o.perSampleWeights();
    if (factors != null && o.mode() != BagMode.SUM) {
      throw new ArgumentException(
          "embeddingBag: perSampleWeights must be left out unless the mode is SUM, but the mode is"
              + " %s.".formatted(o.mode()));
    }
    if (factors != null && !factors.shape().equals(indices.shape())) {
      throw new ShapeException(
          "embeddingBag: perSampleWeights must have the shape of self, %s, but has %s."
              .formatted(indices.shape(), factors.shape()));
    }
    Tensor begins = offsets;
    boolean last = o.includeLastOffset();
    if (indices.dim() == 2) {
      if (begins != null) {
        throw new ArgumentException(
            "embeddingBag: offsets must be left out where self has a bag in each row, but they"
                + " are given and self has shape %s.".formatted(indices.shape()));
      }
      long width = indices.size(1);
      begins =
          width == 0
              ? Tensor.zeros(DType.INT64, indices.size(0))
              : Tensor.arange(0, indices.numel(), width);
      last = false;
    } else if (indices.dim() != 1) {
      throw new ShapeException(
          "embeddingBag: self must have 1 or 2 dimensions, but has shape %s."
              .formatted(indices.shape()));
    } else if (begins == null) {
      throw new ArgumentException(
          "embeddingBag: offsets must be given where self is a vector, but are null. A single bag"
              + " begins at 0.");
    }
    long padding = row("embeddingBag", o.paddingIdx(), weight);
    renormalize(weight, indices, o.maxNorm(), o.normType());
    return Embeddings.Operators.EMBEDDING_BAG.on(
        new Bag(o.mode(), padding, last, o.scaleGradByFreq()),
        weight,
        indices.reshape(-1),
        begins,
        factors == null ? null : factors.reshape(-1));
  }

  static List<long[]> shapes(Bag a, List<long @Nullable []> in) {
    long[] weight = in.get(0);
    long[] indices = in.get(1);
    long[] offsets = in.get(2);
    assert weight != null && indices != null && offsets != null;
    Indexes.checkPadding("embeddingBag", a.paddingIdx(), weight[0]);
    if (a.includeLastOffset() && offsets[0] == 0) {
      throw new ShapeException(
          "embeddingBag: offsets must have at least one element where the last offset is included,"
              + " but are empty.");
    }
    long bags = a.includeLastOffset() ? offsets[0] - 1 : offsets[0];
    long rows = a.mode() == BagMode.MAX ? bags : 0;
    return List.of(
        new long[] {bags, weight[1]},
        new long[] {indices[0]},
        new long[] {bags},
        new long[] {rows, weight[1]});
  }

  static void checkGradient(BagRows a, @Nullable Tensor[] in) {
    Tensor grad = in[0];
    assert grad != null;
    Indexes.checkRows("embeddingBagGradient", "indices", in, 1, a.rows());
    // what lies behind the last offset belongs to bag 0, also where there is none
    Indexes.checkRows("embeddingBagGradient", "bags", in, 2, Math.max(1, grad.size(0)));
  }

  static void check(Bag a, @Nullable Tensor[] in) {
    Indexes.checkRows("embeddingBag", "indices", in, 1, Indexes.rows(in));
    Tensor indices = in[1];
    Tensor offsets = in[2];
    assert indices != null && offsets != null;
    var begins = new Elements(offsets.data());
    long before = 0;
    for (long i = 0; i < begins.numel(); i++) {
      long begin = begins.wholeAt(i);
      if (i == 0 ? begin != 0 : begin < before || begin > indices.numel()) {
        throw new ArgumentException(
            "embeddingBag: offsets must begin with 0 and not fall, up to the %d indices, but offsets[%d] is %d."
                .formatted(indices.numel(), i, begin));
      }
      before = begin;
    }
    Reference.reachabilityFence(offsets);
  }

  /// How often the row of each index is named.
  static Tensor frequencies(Tensor indices, long rows, DType dtype) {
    return Autograd.noGrad(() -> {
      Tensor flat = indices.to(DType.INT64).reshape(-1);
      Tensor counts =
          Tensor.zeros(DType.FLOAT64, rows)
              .indexAdd_(0, flat, Tensor.ones(DType.FLOAT64, flat.numel()));
      return counts.indexSelect(0, flat).to(dtype).reshape(indices.sizes());
    });
  }

  /// What PyTorch divides the gradients of bags by: of the distinct indices, number `i` takes how often element `i` of all
  /// sorted indices is named. How often it is named itself was meant; results shall be the same.
  private static Tensor bagFrequencies(Tensor indices, long rows, DType dtype) {
    return Autograd.noGrad(() -> {
      Tensor counts =
          Tensor.zeros(DType.FLOAT64, rows)
              .indexAdd_(0, indices, Tensor.ones(DType.FLOAT64, indices.numel()));
      Tensor ranks = counts.gt(0).cumsum(0).sub(1L).indexSelect(0, indices);
      Tensor named = indices.sort(0, false).values().indexSelect(0, ranks);
      return counts.indexSelect(0, named).to(dtype);
    });
  }

  /// The sums of the rows of `grad` by index.
  static Tensor toRows(Tensor grad, Tensor indices, long rows, long padding) {
    return Indexing.Operators.EMBEDDING_GRADIENT.on(
        new EmbeddingRows(rows, padding), grad, indices);
  }

  static Tensor weightGradient(Backward<Bag> b) {
    Bag a = b.attributes();
    Tensor indices = b.input("indices");
    long rows = b.sizes("weight")[0];
    Tensor counts = b.output(2);
    if (a.mode() == BagMode.MAX) {
      Tensor chosen = b.output(3); // [bags d]
      Tensor grad = b.grad(0).mul(counts.gt(0).unsqueeze(-1));
      return Tensor.zeros(grad.dtype(), rows, grad.size(1)).scatterAdd(0, chosen, grad);
    }
    Tensor grad = b.grad(0);
    if (!Autograd.isGradEnabled() && !a.scaleGradByFreq()) {
      return Embeddings.Operators.EMBEDDING_BAG_GRADIENT.on(
          new BagRows(rows, a), grad, indices, b.output(1), counts, b.find("perSampleWeights"));
    }
    if (a.mode() == BagMode.MEAN) {
      grad = grad.div(counts.clampMin(1L).unsqueeze(-1));
    }
    Tensor each = grad.indexSelect(0, b.output(1)); // [n d]
    Tensor factors = b.find("perSampleWeights");
    if (factors != null) {
      each = each.mul(factors.unsqueeze(-1));
    }
    if (a.scaleGradByFreq()) {
      each = each.div(bagFrequencies(indices, rows, each.dtype()).unsqueeze(-1));
    }
    return toRows(each, indices, rows, a.paddingIdx());
  }

  static Tensor sampleGradient(Backward<Bag> b) {
    Tensor indices = b.input("indices");
    Tensor each = b.grad(0).indexSelect(0, b.output(1));
    Tensor result = each.mul(b.input("weight").indexSelect(0, indices)).sum(-1);
    long padding = b.attributes().paddingIdx();
    return padding < 0 ? result : result.maskedFill(indices.eq(padding), 0);
  }
}
