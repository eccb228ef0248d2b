package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Activations.Along;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceAttention;

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
    return Heads.output(self(), key, value, options.apply(AttentionOptions.DEFAULT));
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

  /// How attention is computed in one step. Immutable.
  ///
  /// @param scale the factor of the products
  /// @param causal whether query `i` may look at keys up to `i` only
  /// @param rowsFirst whether results lie as `[… l h e]`, with heads and rows exchanged: as their queries do, where heads are
  ///     parts of longer rows
  record Attend(double scale, boolean causal, boolean rowsFirst) {
    /// A shape `[… h l e]` as results have it.
    long[] placed(long[] shape) {
      long[] placed = shape.clone();
      if (rowsFirst) {
        placed[shape.length - 2] = shape[shape.length - 3];
        placed[shape.length - 3] = shape[shape.length - 2];
      }
      return placed;
    }

    /// A result as `[… h l e]`.
    Tensor seen(Tensor result) {
      return rowsFirst ? result.transpose(-2, -3) : result;
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("attention");

    /// Attention in one step, which never holds all weights. The mask has the shape of the weights. The second result is, for
    /// every query, the logarithm of the sum of the exponentials of its products.
    static final Operator<Attend> ATTENTION =
        FAMILY
            .<Attend>structured(
                "attention",
                "query[*], key[*], value[*], mask?[*] -> [*], logs[*]",
                ReferenceAttention.ATTENTION)
            .shape((a, in) -> {
              Heads.checkOneStep("attention", a, in);
              long[] query = present(in.get(0));
              long[] value = present(in.get(2));
              long[] result = query.clone();
              result[query.length - 1] = value[value.length - 1];
              return List.of(a.placed(result), Arrays.copyOf(query, query.length - 1));
            })
            .dtypes(DTypes.SAME_FLOATING)
            .constant("mask")
            .auxiliary(1)
            .gradient("query", kept(), b -> b.shared(Heads::gradients)[0])
            .gradient("key", kept(), b -> b.shared(Heads::gradients)[1])
            .gradient("value", kept(), b -> b.shared(Heads::gradients)[2])
            .gradientName("ScaledDotProductFlashAttentionForCpuBackward0")
            .torch(
                "aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor"
                    + " value, float dropout_p=0.0, bool is_causal=False, *, Tensor?"
                    + " attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)")
            .sample(new Attend(0.5, false, false), "f32[2 3 4], f32[2 5 4], f32[2 5 3], none")
            .sample(new Attend(0.7, true, false), "f32[5 4], f32[5 4], f32[5 2], none")
            .sample(
                new Attend(0.5, false, true),
                "f32[2 2 3 4], f32[2 2 4 4], f32[2 2 4 3], f32[2 2 3 4] in -2..2")
            .source("Dao 2023, FlashAttention-2, arXiv:2307.08691")
            .declare();

    static final Operator<Attend> ATTENTION_GRADIENT =
        FAMILY
            .<Attend>structured(
                "attentionGradient",
                "grad[*], query[*], key[*], value[*], mask?[*], output[*], logs[*] -> [*], [*],"
                    + " [*]",
                ReferenceAttention.GRADIENT)
            .spreads("grad", "query", "key", "value", "output", "logs")
            .shape((a, in) -> {
              String op = "attentionGradient";
              Heads.checkOneStep(op, a, in.subList(1, 5));
              long[] query = present(in.get(1));
              long[] value = present(in.get(3));
              long[] result = query.clone();
              result[query.length - 1] = value[value.length - 1];
              Checks.shape(op, "grad", in.get(0), result);
              Checks.shape(op, "output", in.get(5), result);
              Checks.shape(op, "logs", in.get(6), Arrays.copyOf(query, query.length - 1));
              return List.of(a.placed(query), a.placed(present(in.get(2))), a.placed(value));
            })
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::_scaled_dot_product_flash_attention_for_cpu_backward(Tensor grad_out, Tensor"
                    + " query, Tensor key, Tensor value, Tensor out, Tensor logsumexp, float"
                    + " dropout_p, bool is_causal, *, Tensor? attn_mask=None, float? scale=None)"
                    + " -> (Tensor grad_query, Tensor grad_key, Tensor grad_value)")
            .sample(
                new Attend(0.5, true, false),
                "f32[2 3 2], f32[2 3 4], f32[2 3 4], f32[2 3 2], none, f32[2 3 2], f32[2 3] in"
                    + " 1..2")
            .sample(
                new Attend(0.5, false, true),
                "f32[1 2 3 2], f32[1 2 3 4], f32[1 2 5 4], f32[1 2 5 2], f32[1 2 3 5], f32[1 2 3"
                    + " 2], f32[1 2 3] in 1..2")
            .declare();

    private static Keeps kept() {
      return Keeps.inputs("query", "key", "value", "mask").andOutputs(0, 1);
    }

    private static long[] present(long @Nullable [] shape) {
      return Objects.requireNonNull(shape);
    }

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
