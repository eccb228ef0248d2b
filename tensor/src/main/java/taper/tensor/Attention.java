package taper.tensor;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Activations.Along;
import taper.tensor.Gradient.Keeps;

/// Attention: every query takes the values of all keys, weighted by how well it matches them. This tensor holds the queries.
public sealed interface Attention permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns `softmax(query · keyᵀ / √e) · value` for the queries in this tensor.
  ///
  /// - Shape: `[*b l e], key[*b s e], value[*b s v] -> [*b l v]`
  default Tensor scaledDotProductAttention(Tensor key, Tensor value) {
    return scaledDotProductAttention(key, value, o -> o);
  }

  /// Returns `softmax(query · keyᵀ · scale + mask) · value` for the queries in this tensor.
  ///
  /// - Shape: `[*b l e], key[*b s e], value[*b s v], mask[*b l s] -> [*b l v]`; with `enableGqa` keys and values may have
  ///   fewer heads, in the third dimension from the end
  /// - Types: floating
  /// - Source: Vaswani et al. 2017, Attention is all you need, arXiv:1706.03762
  ///
  /// @param options as in `o -> o.causal(true).dropout(0.1)`
  /// @throws ArgumentException if there are both a mask and the causal one
  /// @throws ShapeException if the shapes do not fit
  default Tensor scaledDotProductAttention(
      Tensor key, Tensor value, UnaryOperator<AttentionOptions> options) {
    return Heads.attend(self(), key, value, options.apply(AttentionOptions.DEFAULT)).output();
  }

  /// Returns what [#scaledDotProductAttention(Tensor, Tensor, UnaryOperator)] does, and the weights of the values.
  ///
  /// - Shape: `[*b l e], key[*b s e], value[*b s v], mask[*b l s] -> [*b l v], [*b l s]`
  default Attended scaledDotProductAttentionWithWeights(
      Tensor key, Tensor value, UnaryOperator<AttentionOptions> options) {
    return Heads.attend(self(), key, value, options.apply(AttentionOptions.DEFAULT));
  }

  /// The result of attention.
  ///
  /// @param output the weighted values
  /// @param weights the weights, after dropout
  record Attended(Tensor output, Tensor weights) {}

  /// Options of attention. Immutable.
  ///
  /// @param mask true where a query may look at a key, or numbers to add; null for none
  /// @param dropout the probability of dropping a weight; applied whenever it is not 0
  /// @param causal whether query `i` may look at keys up to `i` only
  /// @param scale the factor of the products; null for `1 / √e`
  /// @param enableGqa whether several heads of queries may share one of keys and values
  record AttentionOptions(
      @Nullable Tensor mask,
      double dropout,
      boolean causal,
      @Nullable Double scale,
      boolean enableGqa) {
    /// PyTorch's defaults.
    public static final AttentionOptions DEFAULT =
        new AttentionOptions(null, 0, false, null, false);

    /// These options with a mask.
    public AttentionOptions mask(@Nullable Tensor allowed) {
      return new AttentionOptions(allowed, dropout, causal, scale, enableGqa);
    }

    /// These options with dropout.
    public AttentionOptions dropout(double p) {
      return new AttentionOptions(mask, p, causal, scale, enableGqa);
    }

    /// These options with queries that look back only, or at all keys.
    public AttentionOptions causal(boolean back) {
      return new AttentionOptions(mask, dropout, back, scale, enableGqa);
    }

    /// These options with another factor of the products.
    public AttentionOptions scale(@Nullable Double factor) {
      return new AttentionOptions(mask, dropout, causal, factor, enableGqa);
    }

    /// These options with another factor of the products.
    public AttentionOptions scale(double factor) {
      return scale(Double.valueOf(factor));
    }

    /// These options with heads of keys and values that several heads of queries share, or not.
    public AttentionOptions enableGqa(boolean share) {
      return new AttentionOptions(mask, dropout, causal, scale, share);
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("attention");

    /// The softmax, with zeros where all elements are negative infinity: a query that may look at nothing gets nothing.
    static final Operator<Along> SAFE_SOFTMAX =
        FAMILY
            .<Along>composite(
                "safeSoftmax",
                "self[*b] -> [*b]",
                (a, in) -> {
                  Tensor self = in.get("self");
                  Tensor nothing = self.amax(a.dim(), true).eq(Double.NEGATIVE_INFINITY);
                  return self.softmax(a.dim()).maskedFill(nothing, 0);
                })
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.OUTPUT,
                b -> Activations.Operators.softmaxGradient(b.attributes(), b.grad(), b.output()))
            .torch("aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor")
            .sample(new Along(1), "f32[3 4]")
            .declare();

    private Operators() {}
  }
}
