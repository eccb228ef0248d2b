package taper.tensor;

import java.util.Arrays;
import taper.tensor.Random.Dropout;

/// Dropout of channels, and dropout that keeps mean and variance. See [Random#dropout(double, boolean)] for the plain one.
///
/// Without a generator the process-wide one is drawn from. Outside training, and for a `p` of 0, the tensor itself comes
/// back.
public sealed interface Dropouts permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the channels of a sequence, each zeroed as a whole with probability `p` and otherwise divided by `1 - p`.
  ///
  /// - Shape: `[n c l] -> [n c l]`; `[c l] -> [c l]`
  /// - Source: Tompson et al. 2014, arXiv:1411.4280
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  /// @throws ShapeException if there are neither 2 nor 3 dimensions
  default Tensor dropout1d(double p, boolean training) {
    Operators.checkRank("dropout1d", self(), 2, 3);
    return Operators.channels("dropout1d", self(), p, training, self().dim() == 2);
  }

  /// Returns the channels of an image, each zeroed as a whole with probability `p` and otherwise divided by `1 - p`. The
  /// channels are dimension 1.
  ///
  /// - Shape: `[n c *] -> [n c *]`
  /// - Source: Tompson et al. 2014, arXiv:1411.4280
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  /// @throws ShapeException if there are fewer than 2 dimensions
  default Tensor dropout2d(double p, boolean training) {
    return Operators.channels("dropout2d", self(), p, training, false);
  }

  /// Returns the channels of a volume, each zeroed as a whole with probability `p` and otherwise divided by `1 - p`.
  ///
  /// - Shape: `[n c d h w] -> [n c d h w]`; `[c d h w] -> [c d h w]`
  /// - Source: Tompson et al. 2014, arXiv:1411.4280
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  /// @throws ShapeException if there are fewer than 2 dimensions
  default Tensor dropout3d(double p, boolean training) {
    return Operators.channels("dropout3d", self(), p, training, self().dim() == 4);
  }

  /// Returns the elements, each with probability `p` set to the negative limit of [Activations#selu()], then scaled and
  /// shifted so that mean 0 and variance 1 stay.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Source: Klambauer et al. 2017, arXiv:1706.02515
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  default Tensor alphaDropout(double p, boolean training) {
    return alphaDropout(p, training, Generator.global());
  }

  /// As [#alphaDropout(double, boolean)], with draws from `generator`.
  default Tensor alphaDropout(double p, boolean training, Generator generator) {
    return Operators.drops("alphaDropout", p, training, self())
        ? Operators.ALPHA_DROPOUT.on(new Dropout(p, generator), self())
        : self();
  }

  /// As [#alphaDropout(double, boolean)], in place.
  default Tensor alphaDropout_(double p, boolean training) {
    return Operators.drops("alphaDropout_", p, training, self())
        ? Operators.ALPHA_DROPOUT.inPlace(new Dropout(p, Generator.global()), self())
        : self();
  }

  /// As [#alphaDropout(double, boolean)], of whole channels, which are dimension 1.
  ///
  /// - Shape: `[n c *] -> [n c *]`
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  /// @throws ShapeException if there are fewer than 2 dimensions
  default Tensor featureAlphaDropout(double p, boolean training) {
    if (!Operators.drops("featureAlphaDropout", p, training, self())) {
      return self();
    }
    Operators.checkChannels("featureAlphaDropout", self());
    return Operators.FEATURE_ALPHA_DROPOUT.on(new Dropout(p, Generator.global()), self());
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("dropouts");

    /// The limit of SELU towards negative infinity, negated.
    private static final double LIMIT = 1.7580993408473766;

    static final Operator<Dropout> ALPHA_DROPOUT =
        FAMILY
            .<Dropout>composite(
                "alphaDropout",
                "self[*] -> [*]",
                (a, in) -> alpha(a, in.get("self"), Tensor.emptyLike(in.get("self"))))
            .dtypes(DTypes.SAME_FLOATING)
            .torch("aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor")
            .sample(new Dropout(0.4, Generator.global()), "f32[5 4]")
            .source("Klambauer et al. 2017, arXiv:1706.02515")
            .declare();

    static final Operator<Dropout> FEATURE_ALPHA_DROPOUT =
        FAMILY
            .<Dropout>composite(
                "featureAlphaDropout",
                "self[*] -> [*]",
                (a, in) -> alpha(a, in.get("self"), perChannel(in.get("self"))))
            .dtypes(DTypes.SAME_FLOATING)
            .torch("aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor")
            .sample(new Dropout(0.4, Generator.global()), "f32[3 4 2]")
            .source("Klambauer et al. 2017, arXiv:1706.02515")
            .declare();

    /// What is kept goes through the line of slope `a` that brings mean and variance back, the limit stands in for the rest.
    private static Tensor alpha(Dropout dropout, Tensor x, Tensor noise) {
      double p = dropout.p();
      if (p == 1) {
        return x.mul(0.0);
      }
      double a = 1 / Math.sqrt((LIMIT * LIMIT * p + 1) * (1 - p));
      Autograd.noGrad(() -> noise.bernoulli_(1 - p, dropout.generator()));
      Tensor shift = noise.sub(1.0).mul_(LIMIT * a).add_(LIMIT * a * p);
      return x.mul(noise.mul(a)).add(shift);
    }

    private static Tensor perChannel(Tensor x) {
      long[] sizes = x.sizes();
      Arrays.fill(sizes, 2, sizes.length, 1);
      return Tensor.empty(x.dtype(), sizes);
    }

    static Tensor channels(String op, Tensor x, double p, boolean training, boolean single) {
      if (!drops(op, p, training, x)) {
        return x;
      }
      if (single) {
        return x.unsqueeze(0).featureDropout(p, training).squeeze(0);
      }
      checkChannels(op, x);
      return x.featureDropout(p, training);
    }

    /// Whether anything is to be dropped. Where nothing is, every type will do.
    static boolean drops(String op, double p, boolean training, Tensor x) {
      Random.Operators.probability(op, p);
      return training && p > 0 && x.numel() > 0;
    }

    static void checkChannels(String op, Tensor x) {
      if (x.dim() < 2) {
        throw new ShapeException(
            "%s: self must have at least 2 dimensions [n c *], but has shape %s."
                .formatted(op, x.shape()));
      }
    }

    static void checkRank(String op, Tensor x, int least, int most) {
      if (x.dim() < least || x.dim() > most) {
        throw new ShapeException(
            "%s: self must have %d or %d dimensions, but has shape %s."
                .formatted(op, least, most, x.shape()));
      }
    }

    private Operators() {}
  }
}
