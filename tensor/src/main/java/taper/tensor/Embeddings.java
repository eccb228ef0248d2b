package taper.tensor;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceEmbeddings;

/// Rows of tables, one by one and in bags. This tensor holds the indices of rows.
public sealed interface Embeddings permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the rows of `weight` that this tensor names, with options: `o -> o.paddingIdx(0).maxNorm(1)`.
  ///
  /// - Shape: `[*b], weight[v d] -> [*b d]`
  ///
  /// @throws ArgumentException if an index lies outside
  default Tensor embedding(Tensor weight, UnaryOperator<EmbeddingOptions> options) {
    EmbeddingOptions o = options.apply(EmbeddingOptions.DEFAULT);
    long padding = Bags.row("embedding", o.paddingIdx(), weight);
    Bags.renormalize(weight, self(), o.maxNorm(), o.normType());
    var rows = new Indexing.Embedding(padding);
    return o.scaleGradByFreq()
        ? Operators.EMBEDDING_BY_FREQUENCY.on(rows, weight, self())
        : Indexing.Operators.EMBEDDING.on(rows, weight, self());
  }

  /// Scales those rows of `weight` that this tensor names and whose norm exceeds `maxNorm` down to it, in place.
  ///
  /// - Shape: `[*b], weight[v d]`
  ///
  /// @param normType the order of the norm
  /// @return `weight`
  /// @throws ArgumentException if an index lies outside
  default Tensor embeddingRenorm_(Tensor weight, double maxNorm, double normType) {
    return Operators.EMBEDDING_RENORM.inPlace(new Renorm(maxNorm, normType), weight, self());
  }

  /// Returns the means of the rows of `weight` that each row of this matrix of indices names.
  ///
  /// - Shape: `[b k], weight[v d] -> [b d]`
  ///
  /// @throws ArgumentException if an index lies outside
  default Tensor embeddingBag(Tensor weight) {
    return embeddingBag(weight, null, o -> o);
  }

  /// Returns the rows of `weight` that this tensor names, bag by bag: their means, or their sums or largest elements with
  /// `o -> o.mode(BagMode.SUM)`. An empty bag gives zeros.
  ///
  /// - Shape: `[b k], weight[v d] -> [b d]`; `[n], weight[v d], offsets[b] -> [b d]`
  /// - Gradient: to the weight, and to the weights of samples
  ///
  /// @param offsets where in this vector each bag begins; null if this tensor is a matrix with a bag in each row
  /// @throws ArgumentException if an index lies outside, or the offsets do not rise from 0
  /// @throws ShapeException if the shapes do not fit
  default Tensor embeddingBag(
      Tensor weight, @Nullable Tensor offsets, UnaryOperator<EmbeddingBagOptions> options) {
    return Bags.bag(self(), weight, offsets, options.apply(EmbeddingBagOptions.DEFAULT));
  }

  /// What becomes of the rows of a bag.
  enum BagMode {
    /// Their sum.
    SUM,
    /// Their mean.
    MEAN,
    /// The largest of their elements, column by column.
    MAX
  }

  /// Options of [#embedding(Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param paddingIdx a row that gets no gradient, counted from the end if negative; null for none
  /// @param maxNorm the largest norm of a row; larger ones are scaled down in place first; null for no limit
  /// @param normType the order of the norm
  /// @param scaleGradByFreq whether the gradient of a row is divided by how often it is named
  record EmbeddingOptions(
      @Nullable Long paddingIdx,
      @Nullable Double maxNorm,
      double normType,
      boolean scaleGradByFreq) {
    /// PyTorch's defaults.
    public static final EmbeddingOptions DEFAULT = new EmbeddingOptions(null, null, 2, false);

    /// These options with a row that gets no gradient.
    public EmbeddingOptions paddingIdx(@Nullable Long row) {
      return new EmbeddingOptions(row, maxNorm, normType, scaleGradByFreq);
    }

    /// These options with a row that gets no gradient.
    public EmbeddingOptions paddingIdx(long row) {
      return paddingIdx(Long.valueOf(row));
    }

    /// These options with a limit to the norm of rows.
    public EmbeddingOptions maxNorm(@Nullable Double limit) {
      return new EmbeddingOptions(paddingIdx, limit, normType, scaleGradByFreq);
    }

    /// These options with a limit to the norm of rows.
    public EmbeddingOptions maxNorm(double limit) {
      return maxNorm(Double.valueOf(limit));
    }

    /// These options with another norm.
    public EmbeddingOptions normType(double p) {
      return new EmbeddingOptions(paddingIdx, maxNorm, p, scaleGradByFreq);
    }

    /// These options with gradients divided by how often a row is named, or not.
    public EmbeddingOptions scaleGradByFreq(boolean scale) {
      return new EmbeddingOptions(paddingIdx, maxNorm, normType, scale);
    }
  }

  /// Options of [#embeddingBag(Tensor, Tensor, UnaryOperator)]. Immutable.
  ///
  /// @param mode what becomes of the rows of a bag
  /// @param perSampleWeights a factor for each index, for sums only; null for none
  /// @param includeLastOffset whether the last offset is where the last bag ends
  /// @param paddingIdx a row that does not count, counted from the end if negative; null for none
  /// @param maxNorm the largest norm of a row; larger ones are scaled down in place first; null for no limit
  /// @param normType the order of the norm
  /// @param scaleGradByFreq whether the gradient of a row is divided by how often it is named
  record EmbeddingBagOptions(
      BagMode mode,
      @Nullable Tensor perSampleWeights,
      boolean includeLastOffset,
      @Nullable Long paddingIdx,
      @Nullable Double maxNorm,
      double normType,
      boolean scaleGradByFreq) {
    /// PyTorch's defaults.
    public static final EmbeddingBagOptions DEFAULT =
        new EmbeddingBagOptions(BagMode.MEAN, null, false, null, null, 2, false);

    /// These options with another use of the rows.
    public EmbeddingBagOptions mode(BagMode what) {
      return new EmbeddingBagOptions(
          what,
          perSampleWeights,
          includeLastOffset,
          paddingIdx,
          maxNorm,
          normType,
          scaleGradByFreq);
    }

    /// These options with a factor for each index.
    public EmbeddingBagOptions perSampleWeights(@Nullable Tensor factors) {
      return new EmbeddingBagOptions(
          mode, factors, includeLastOffset, paddingIdx, maxNorm, normType, scaleGradByFreq);
    }

    /// These options with an offset for the end of the last bag, or without.
    public EmbeddingBagOptions includeLastOffset(boolean include) {
      return new EmbeddingBagOptions(
          mode, perSampleWeights, include, paddingIdx, maxNorm, normType, scaleGradByFreq);
    }

    /// These options with a row that does not count.
    public EmbeddingBagOptions paddingIdx(@Nullable Long row) {
      return new EmbeddingBagOptions(
          mode, perSampleWeights, includeLastOffset, row, maxNorm, normType, scaleGradByFreq);
    }

    /// These options with a row that does not count.
    public EmbeddingBagOptions paddingIdx(long row) {
      return paddingIdx(Long.valueOf(row));
    }

    /// These options with a limit to the norm of rows.
    public EmbeddingBagOptions maxNorm(@Nullable Double limit) {
      return new EmbeddingBagOptions(
          mode, perSampleWeights, includeLastOffset, paddingIdx, limit, normType, scaleGradByFreq);
    }

    /// These options with a limit to the norm of rows.
    public EmbeddingBagOptions maxNorm(double limit) {
      return maxNorm(Double.valueOf(limit));
    }

    /// These options with another norm.
    public EmbeddingBagOptions normType(double p) {
      return new EmbeddingBagOptions(
          mode, perSampleWeights, includeLastOffset, paddingIdx, maxNorm, p, scaleGradByFreq);
    }

    /// These options with gradients divided by how often a row is named, or not.
    public EmbeddingBagOptions scaleGradByFreq(boolean scale) {
      return new EmbeddingBagOptions(
          mode, perSampleWeights, includeLastOffset, paddingIdx, maxNorm, normType, scale);
    }
  }

  /// How to limit rows.
  ///
  /// @param maxNorm the largest norm
  /// @param normType the order of the norm
  record Renorm(double maxNorm, double normType) {}

  /// How to make bags.
  ///
  /// @param mode what becomes of the rows of a bag
  /// @param paddingIdx a row that does not count, or -1
  /// @param includeLastOffset whether the last offset is where the last bag ends
  /// @param scaleGradByFreq whether the gradient of a row is divided by how often it is named
  record Bag(BagMode mode, long paddingIdx, boolean includeLastOffset, boolean scaleGradByFreq) {}

  /// How bags were made, of how large a table.
  ///
  /// @param rows how many rows there are
  /// @param bag how bags were made
  record BagRows(long rows, Bag bag) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("embeddings");

    static final Operator<Indexing.Embedding> EMBEDDING_BY_FREQUENCY =
        FAMILY
            .<Indexing.Embedding>composite(
                "embeddingByFrequency",
                "weight[v d], indices[*b] -> [*b d]",
                (a, in) -> Indexing.Operators.EMBEDDING.on(a, in.get("weight"), in.get("indices")))
            .dtypes(DTypes.ANY.fixed("indices", DType.INT64))
            .gradient(
                "weight",
                Keeps.inputs("indices"),
                b -> {
                  Tensor indices = b.input("indices");
                  long rows = b.sizes("weight")[0];
                  Tensor scale = Bags.frequencies(indices, rows, b.grad().dtype()).reciprocal();
                  return Bags.toRows(
                      b.grad().mul(scale.unsqueeze(-1)),
                      indices,
                      rows,
                      b.attributes().paddingIdx());
                })
            .gradientName("EmbeddingBackward0")
            .own()
            // named once, a row has the gradient that difference quotients show
            .sample(new Indexing.Embedding(-1), "f32[5 3], i64[1] in 0..4")
            .declare();

    static final Operator<Renorm> EMBEDDING_RENORM =
        FAMILY
            .<Renorm>structured(
                "embeddingRenorm_", "weight[v d], indices[*b] -> [v d]", ReferenceEmbeddings.RENORM)
            .check((a, in) ->
                Indexes.checkRows("embeddingRenorm_", "indices", in, 1, Indexes.rows(in)))
            .dtypes(DTypes.SAME_FLOATING.fixed("indices", DType.INT64))
            .notDifferentiable()
            .torch(
                "aten::embedding_renorm_(Tensor(a!) self, Tensor indices, float max_norm, float"
                    + " norm_type) -> Tensor(a!)")
            .sample(new Renorm(1, 2), "f32[5 3], i64[4] in 0..4")
            .sample(new Renorm(0.5, 1), "f32[5 3], i64[2 2] in 0..4")
            .declare();

    // Besides the bags come out which bag an index belongs to, how many rows of a bag count, and
    // which row a largest element is from.
    static final Operator<Bag> EMBEDDING_BAG =
        FAMILY
            .<Bag>structured(
                "embeddingBag",
                "weight[v d], indices[n], offsets[o], perSampleWeights?[n] -> [*], bags[*],"
                    + " counts[*], rows[*]",
                ReferenceEmbeddings.BAG)
            .shape(Bags::shapes)
            .check(Bags::check)
            .dtypes(
                DTypes.SAME_FLOATING
                    .fixed("indices", DType.INT64)
                    .fixed("offsets", DType.INT64)
                    .results(
                        DTypes.Result.COMPUTED,
                        DTypes.Result.INT64,
                        DTypes.Result.INT64,
                        DTypes.Result.INT64))
            .gradient(
                "weight",
                Keeps.inputs("indices", "perSampleWeights").andOutputs(1, 2, 3),
                Bags::weightGradient)
            .gradient(
                "perSampleWeights",
                Keeps.inputs("weight", "indices").andOutputs(1),
                Bags::sampleGradient)
            .torch(
                "aten::embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool"
                    + " scale_grad_by_freq=False, int mode=0, bool sparse=False, Tensor?"
                    + " per_sample_weights=None, bool include_last_offset=False) -> (Tensor,"
                    + " Tensor, Tensor, Tensor)")
            .torch(
                "aten::embedding_bag.padding_idx(Tensor weight, Tensor indices, Tensor offsets,"
                    + " bool scale_grad_by_freq, int mode, bool sparse, Tensor?"
                    + " per_sample_weights, bool include_last_offset, int? padding_idx) ->"
                    + " (Tensor, Tensor, Tensor, Tensor)")
            .sample(
                new Bag(BagMode.SUM, -1, false, false),
                "f32[5 3], i64[4] in 0..4, i64[2] in 0..0, f32[4]")
            .sample(
                new Bag(BagMode.MEAN, 2, false, false),
                "f32[5 3], i64[6] in 0..4, i64[1] in 0..0, none")
            .sample(
                new Bag(BagMode.MEAN, -1, false, false),
                "f32[5 3], i64[1] in 0..4, i64[1] in 0..0, none")
            .sample(
                new Bag(BagMode.SUM, 2, false, false),
                "f32[5 3], i64[9] in 0..4, i64[1] in 0..0, f32[9]")
            .sample(
                new Bag(BagMode.MAX, -1, false, false),
                "f32[5 3], i64[4] in 0..4, i64[1] in 0..0, none")
            .rejects(
                new Bag(BagMode.SUM, -1, false, false),
                "f32[5 3], i64[4] in 7..7, i64[1] in 0..0, none",
                "embeddingBag: indices must be in 0..4, but indices[0] is 7.")
            .rejects(
                new Bag(BagMode.SUM, 5, false, false),
                "f32[5 3], i64[4] in 0..4, i64[1] in 0..0, none",
                "embeddingBag: paddingIdx must be a row, in 0..4, or -1 for none, but is 5.")
            .rejects(
                new Bag(BagMode.SUM, -1, false, false),
                "f32[5 3], i64[4] in 0..4, i64[1] in 0..0, f32[3]",
                "embeddingBag: dimension n is 4 in indices [4], but 3 in perSampleWeights [3]. They"
                    + " must be equal; see transpose and reshape.")
            .rejects(
                new Bag(BagMode.SUM, -1, false, false),
                "f32[5 3], i64[4] in 0..4, i64[1] in 2..2, none",
                "embeddingBag: offsets must begin with 0 and not fall, up to the 4 indices, but"
                    + " offsets[0] is 2.")
            .declare();

    static final Operator<BagRows> EMBEDDING_BAG_GRADIENT =
        FAMILY
            .<BagRows>structured(
                "embeddingBagGradient",
                "grad[b d], indices[n], bags[n], counts[b], perSampleWeights?[n] -> [v d]",
                ReferenceEmbeddings.BAG_GRADIENT)
            .sizes((a, _) ->
                Indexes.gradientRows("embeddingBagGradient", a.rows(), a.bag().paddingIdx()))
            .check(Bags::checkGradient)
            .dtypes(
                DTypes.SAME_FLOATING
                    .fixed("indices", DType.INT64)
                    .fixed("bags", DType.INT64)
                    .fixed("counts", DType.INT64))
            .notDifferentiable()
            .own()
            .sample(
                new BagRows(5, new Bag(BagMode.SUM, -1, false, false)),
                "f32[2 3], i64[4] in 0..4, i64[4] in 0..1, i64[2] in 1..4, f32[4]")
            .sample(
                new BagRows(5, new Bag(BagMode.MEAN, 2, false, false)),
                "f32[2 3], i64[4] in 0..4, i64[4] in 0..1, i64[2] in 1..4, none")
            .rejects(
                new BagRows(5, new Bag(BagMode.SUM, -1, false, false)),
                "f32[2 3], i64[4] in 0..4, i64[4] in 2..2, i64[2] in 1..4, none",
                "embeddingBagGradient: bags must be in 0..1, but bags[0] is 2.")
            .rejects(
                new BagRows(5, new Bag(BagMode.SUM, -1, false, false)),
                "f32[2 3], i64[4] in 5..5, i64[4] in 0..1, i64[2] in 1..4, none",
                "embeddingBagGradient: indices must be in 0..4, but indices[0] is 5.")
            .declare();

    private Operators() {}
  }
}
