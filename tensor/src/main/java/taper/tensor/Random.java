package taper.tensor;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Elements;
import taper.tensor.internal.Sampling;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Random numbers: PyTorch's, draw for draw.
///
/// Without a generator the process-wide one is drawn from, see [Tensor#manualSeed(long)]. The methods that end in an
/// underscore overwrite this tensor; no gradient flows through what they write.
public sealed interface Random permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the elements, each zeroed with probability `p` and otherwise divided by `1 - p`, if `training`; else this
  /// tensor itself.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating
  /// - Source: Srivastava et al. 2014, Dropout: a simple way to prevent neural networks from overfitting
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  /// @throws DTypeException if the elements are not floating-point numbers
  default Tensor dropout(double p, boolean training) {
    return dropout(p, training, Generator.global());
  }

  /// Returns the elements, each zeroed with probability `p`, with draws from `generator`.
  default Tensor dropout(double p, boolean training, Generator generator) {
    return Operators.drops("dropout", p, training, self())
        ? Operators.DROPOUT.on(new Dropout(p, generator), self())
        : self();
  }

  /// As [#dropout(double, boolean)], in place.
  default Tensor dropout_(double p, boolean training) {
    return Operators.drops("dropout_", p, training, self())
        ? self().mul_(Operators.mask(new Dropout(p, Generator.global()), self()))
        : self();
  }

  /// Returns the channels, each zeroed as a whole with probability `p` and otherwise divided by `1 - p`, if `training`.
  ///
  /// - Shape: `[n c *] -> [n c *]`
  /// - Source: Tompson et al. 2014, arXiv:1411.4280
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  default Tensor featureDropout(double p, boolean training) {
    return Operators.drops("featureDropout", p, training, self())
        ? Operators.FEATURE_DROPOUT.on(new Dropout(p, Generator.global()), self())
        : self();
  }

  /// Returns zeros and ones, with the elements of this tensor as the probabilities of ones.
  ///
  /// - Types: floating
  ///
  /// @throws DTypeException if the elements are not floating-point numbers
  default Tensor bernoulli() {
    return bernoulli(Generator.global());
  }

  /// Returns zeros and ones, with draws from `generator`.
  default Tensor bernoulli(Generator generator) {
    return Operators.BERNOULLI.on(new Draw(generator), self());
  }

  /// Returns zeros and ones of probability `p`, of the sizes and type of this tensor.
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  default Tensor bernoulli(double p) {
    return Tensor.emptyLike(self()).bernoulli_(p);
  }

  /// Fills this tensor with zeros and ones, with the elements of `p`, which broadcasts, as the probabilities of ones.
  ///
  /// @throws ArgumentException if a probability is outside `0..1`
  default Tensor bernoulli_(Tensor p) {
    return self().copy_(p.detach().expand(self().sizes()).bernoulli());
  }

  /// Returns numbers of Poisson distributions with the elements of this tensor as their rates.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating
  ///
  /// @throws ArgumentException if a rate is negative
  default Tensor poisson() {
    return poisson(Generator.global());
  }

  /// Returns numbers of Poisson distributions, with draws from `generator`.
  default Tensor poisson(Generator generator) {
    return Operators.POISSON.on(new Draw(generator), self());
  }

  /// Fills this tensor with ones, of probability `p`, and zeros.
  ///
  /// @throws ArgumentException if `p` is outside `0..1`
  default Tensor bernoulli_(double p) {
    return bernoulli_(p, Generator.global());
  }

  /// Fills this tensor with ones, of probability `p`, and zeros, with draws from `generator`.
  default Tensor bernoulli_(double p, Generator generator) {
    return Operators.BERNOULLI_IN_PLACE.inPlace(new Bernoulli(p, generator), self());
  }

  /// Fills this tensor with numbers from 0 (included) to 1 (excluded), all equally likely.
  default Tensor uniform_() {
    return uniform_(0, 1);
  }

  /// Fills this tensor with numbers from `from` (included) to `to` (excluded), all equally likely.
  ///
  /// - Types: floating; complex, whose parts are drawn
  ///
  /// @throws ArgumentException if `from` is above `to`
  /// @throws DTypeException if the elements are not floating-point numbers
  default Tensor uniform_(double from, double to) {
    return uniform_(from, to, Generator.global());
  }

  /// Fills this tensor with equally likely numbers, with draws from `generator`.
  default Tensor uniform_(double from, double to, Generator generator) {
    if (self().isComplex()) { // both parts, one after the other
      self().viewAsReal().uniform_(from, to, generator);
      return self();
    }
    return Operators.UNIFORM.inPlace(new Uniform(from, to, generator), self());
  }

  /// Fills this tensor with numbers of the standard normal distribution.
  default Tensor normal_() {
    return normal_(0, 1);
  }

  /// Fills this tensor with numbers of a normal distribution.
  ///
  /// - Types: floating; complex, whose parts are drawn with half of the variance each
  ///
  /// @throws ArgumentException if `std` is negative
  /// @throws DTypeException if the elements are not floating-point numbers
  default Tensor normal_(double mean, double std) {
    return normal_(mean, std, Generator.global());
  }

  /// Fills this tensor with numbers of a normal distribution, with draws from `generator`.
  default Tensor normal_(double mean, double std, Generator generator) {
    if (self().isComplex()) { // the variance is shared by both parts
      self().viewAsReal().normal_(0, std / Math.sqrt(2), generator);
      return mean == 0 ? self() : self().add_(mean);
    }
    return Operators.NORMAL.inPlace(new Normal(mean, std, generator), self());
  }

  /// Fills this tensor with numbers whose logarithms have a normal distribution.
  ///
  /// - Types: floating
  ///
  /// @throws ArgumentException if `std` is not positive
  default Tensor logNormal_(double mean, double std) {
    return Operators.LOG_NORMAL.inPlace(new Normal(mean, std, Generator.global()), self());
  }

  /// Fills this tensor with whole numbers from 0 to the largest of its type; of floating types to the largest up to which
  /// all whole numbers are exact.
  default Tensor random_() {
    return random_(Generator.global());
  }

  /// Fills this tensor with whole numbers, with draws from `generator`.
  default Tensor random_(Generator generator) {
    return Operators.RANDOM.inPlace(new Draw(generator), self());
  }

  /// Fills this tensor with whole numbers from 0 (included) to `to` (excluded).
  ///
  /// @throws ArgumentException if `to` is not positive
  default Tensor random_(long to) {
    return random_(0, to, Generator.global());
  }

  /// Fills this tensor with whole numbers from `from` (included) to `to` (excluded).
  ///
  /// @throws ArgumentException if `from` is not below `to`
  default Tensor random_(long from, long to) {
    return random_(from, to, Generator.global());
  }

  /// Fills this tensor with whole numbers, with draws from `generator`.
  default Tensor random_(long from, long to, Generator generator) {
    return Operators.RANDOM_RANGE.inPlace(new Range(from, to, generator), self());
  }

  /// Fills this tensor with numbers of an exponential distribution of mean 1.
  default Tensor exponential_() {
    return exponential_(1);
  }

  /// Fills this tensor with numbers of an exponential distribution.
  ///
  /// - Types: floating
  ///
  /// @param lambda the rate; the mean is `1 / lambda`
  /// @throws ArgumentException if `lambda` is not positive
  default Tensor exponential_(double lambda) {
    return exponential_(lambda, Generator.global());
  }

  /// Fills this tensor with numbers of an exponential distribution, with draws from `generator`.
  default Tensor exponential_(double lambda, Generator generator) {
    return Operators.EXPONENTIAL.inPlace(new OneNumber(lambda, generator), self());
  }

  /// Fills this tensor with numbers of trials up to the first success of probability `p`.
  ///
  /// @throws ArgumentException if `p` is not between 0 and 1
  default Tensor geometric_(double p) {
    return Operators.GEOMETRIC.inPlace(new OneNumber(p, Generator.global()), self());
  }

  /// Fills this tensor with numbers of a Cauchy distribution.
  ///
  /// - Types: floating
  ///
  /// @throws ArgumentException if `sigma` is not positive
  default Tensor cauchy_(double median, double sigma) {
    return Operators.CAUCHY.inPlace(new Normal(median, sigma, Generator.global()), self());
  }

  /// Returns indices, drawn without replacement, with the elements of each line as weights.
  default Tensor multinomial(int numSamples) {
    return multinomial(numSamples, false);
  }

  /// Returns indices, drawn with the elements of each line as weights.
  ///
  /// - Shape: `[*n c] -> [*n k]` with `k = numSamples`
  /// - Types: floating; the result is `int64`
  ///
  /// @param replacement whether an index may be drawn again
  /// @throws ArgumentException if weights are negative or all 0, or too few for drawing without replacement
  default Tensor multinomial(int numSamples, boolean replacement) {
    return multinomial(numSamples, replacement, Generator.global());
  }

  /// Returns indices, drawn by weight from `generator`.
  default Tensor multinomial(int numSamples, boolean replacement, Generator generator) {
    return Operators.MULTINOMIAL.on(new Multinomial(numSamples, replacement, generator), self());
  }

  /// Where to draw from.
  ///
  /// @param generator the stream
  record Draw(Generator generator) {}

  /// What to drop.
  ///
  /// @param p the probability of dropping an element
  /// @param generator the stream
  record Dropout(double p, Generator generator) {}

  /// How likely ones are.
  ///
  /// @param p the probability
  /// @param generator the stream
  record Bernoulli(double p, Generator generator) {}

  /// Between which limits.
  ///
  /// @param from the lower limit, included
  /// @param to the upper limit, excluded
  /// @param generator the stream
  record Uniform(double from, double to, Generator generator) {}

  /// Where and how wide.
  ///
  /// @param mean the mean, or the median
  /// @param std the standard deviation, or half the width
  /// @param generator the stream
  record Normal(double mean, double std, Generator generator) {}

  /// Between which whole numbers.
  ///
  /// @param from the lower limit, included
  /// @param to the upper limit, excluded
  /// @param generator the stream
  record Range(long from, long to, Generator generator) {}

  /// A distribution with one parameter.
  ///
  /// @param value the parameter
  /// @param generator the stream
  record OneNumber(double value, Generator generator) {}

  /// How to draw by weight.
  ///
  /// @param numSamples how many
  /// @param replacement whether an index may be drawn again
  /// @param generator the stream
  record Multinomial(int numSamples, boolean replacement, Generator generator) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("random");

    static final Operator<Dropout> DROPOUT =
        FAMILY
            .<Dropout>composite(
                "dropout", "self[*] -> [*]", (a, in) -> in.get("self").mul(mask(a, in.get("self"))))
            .dtypes(DTypes.SAME_FLOATING)
            .check((a, in) -> probability("dropout", a.p()))
            .torch("aten::dropout(Tensor input, float p, bool train) -> Tensor")
            .sample(new Dropout(0.4, Generator.global()), "f32[5 4]")
            .sample(new Dropout(1, Generator.global()), "f32[5 4]")
            .source(
                "Srivastava et al. 2014, Dropout: a simple way to prevent neural networks from"
                    + " overfitting")
            .declare();

    static final Operator<Dropout> DROPOUT_MASK =
        FAMILY
            .<Dropout>structured(
                "dropoutMask",
                "self[*b] -> [*b]",
                drawing((a, out) -> {
                  var dropout = (Dropout) a;
                  Sampling.dropout(out, dropout.p(), dropout.generator());
                }))
            .dtypes(DTypes.ANY)
            .check((a, in) -> {
              floating("dropoutMask", in[0]);
              probability("dropoutMask", a.p());
            })
            .notDifferentiable()
            .random()
            .own()
            .sample(new Dropout(0.4, Generator.global()), "f32[5 4]")
            .declare();

    static final Operator<Dropout> FEATURE_DROPOUT =
        FAMILY
            .<Dropout>composite(
                "featureDropout",
                "self[*] -> [*]",
                (a, in) -> {
                  Tensor self = in.get("self");
                  Dropouts.Operators.checkChannels("featureDropout", self);
                  long[] sizes = self.sizes();
                  Arrays.fill(sizes, Math.min(2, sizes.length), sizes.length, 1);
                  return self.mul(mask(a, Tensor.empty(self.dtype(), sizes)));
                })
            .dtypes(DTypes.SAME_FLOATING)
            .torch("aten::feature_dropout(Tensor input, float p, bool train) -> Tensor")
            .sample(new Dropout(0.4, Generator.global()), "f32[3 4 2]")
            .rejects(
                new Dropout(0.4, Generator.global()),
                "f32[3]",
                "featureDropout: self must have at least 2 dimensions [n c *], but has shape [3].")
            .source("Tompson et al. 2014, arXiv:1411.4280")
            .declare();

    static final Operator<Draw> BERNOULLI =
        FAMILY
            .<Draw>structured(
                "bernoulli",
                "self[*b] -> [*b]",
                (a, out, in) -> Sampling.bernoulli(out[0], in[0], ((Draw) a).generator()))
            .dtypes(DTypes.ANY)
            .check((a, in) -> {
              floating("bernoulli", in[0]);
              inside("bernoulli", "self", in[0], 0, 1);
            })
            .gradient("self", Gradient.Keeps.NOTHING, _ -> null)
            .random()
            .torch("aten::bernoulli(Tensor self, *, Generator? generator=None) -> Tensor")
            .sample(new Draw(Generator.global()), "f32[5 4] in 0..1")
            .declare();

    static final Operator<Bernoulli> BERNOULLI_IN_PLACE =
        Operators.<Bernoulli>filling(
                "bernoulli_", (a, out) -> Sampling.bernoulli(out, a.p(), a.generator()))
            .check((a, in) -> {
              real("bernoulli_", in[0]);
              probability("bernoulli_", a.p());
            })
            .torch(
                "aten::bernoulli_.float(Tensor(a!) self, float p=0.5, *, Generator? generator=None)"
                    + " -> Tensor(a!)")
            .sample(new Bernoulli(0.3, Generator.global()), "f32[5 4]")
            .sample(new Bernoulli(0.3, Generator.global()), "i64[5 4]")
            .declare();

    static final Operator<Uniform> UNIFORM =
        Operators.<Uniform>filling(
                "uniform_", (a, out) -> Sampling.uniform(out, a.from(), a.to(), a.generator()))
            .check((a, in) -> {
              floating("uniform_", in[0]);
              if (!(a.from() <= a.to())) {
                throw new ArgumentException(
                    "uniform_: from must not be above to, but from is %s and to is %s."
                        .formatted(a.from(), a.to()));
              }
              spans(in[0], a.from(), a.to());
            })
            .torch(
                "aten::uniform_(Tensor(a!) self, float from=0, float to=1, *, Generator?"
                    + " generator=None) -> Tensor(a!)")
            .sample(new Uniform(-1, 3, Generator.global()), "f32[5 4]")
            .rejects(
                new Uniform(0, 1, Generator.global()),
                "i64[3]",
                "uniform_: self must be of a floating dtype, but is int64. Convert it with"
                    + " .to(DType.FLOAT32).")
            .rejects(
                new Uniform(2, 1, Generator.global()),
                "f32[3]",
                "uniform_: from must not be above to, but from is 2.0 and to is 1.0.")
            .rejects(
                new Uniform(0, Double.POSITIVE_INFINITY, Generator.global()),
                "f32[3]",
                "uniform_: from, to and their distance must be numbers of float32, but from is 0.0"
                    + " and to is Infinity.")
            .declare();

    static final Operator<Normal> NORMAL =
        Operators.<Normal>filling(
                "normal_", (a, out) -> Sampling.normal(out, a.mean(), a.std(), a.generator()))
            .check((a, in) -> {
              floating("normal_", in[0]);
              if (!(a.std() >= 0)) {
                throw new ArgumentException(
                    "normal_: std must not be negative, but is %s.".formatted(a.std()));
              }
            })
            .torch(
                "aten::normal_(Tensor(a!) self, float mean=0, float std=1, *, Generator?"
                    + " generator=None) -> Tensor(a!)")
            .sample(new Normal(1, 2, Generator.global()), "f32[5 4]")
            .sample(new Normal(1, 2, Generator.global()), "f32[3]")
            .declare();

    static final Operator<Normal> LOG_NORMAL =
        Operators.<Normal>filling(
                "logNormal_", (a, out) -> Sampling.logNormal(out, a.mean(), a.std(), a.generator()))
            .check((a, in) -> {
              floating("logNormal_", in[0]);
              positive("logNormal_", "std", a.std());
            })
            .torch(
                "aten::log_normal_(Tensor(a!) self, float mean=1, float std=2, *, Generator?"
                    + " generator=None) -> Tensor(a!)")
            .sample(new Normal(0, 0.5, Generator.global()), "f32[5 4]")
            .declare();

    static final Operator<Draw> RANDOM =
        Operators.<Draw>filling("random_", (a, out) -> Sampling.random(out, a.generator()))
            .check((a, in) -> real("random_", in[0]))
            .torch("aten::random_(Tensor(a!) self, *, Generator? generator=None) -> Tensor(a!)")
            .sample(new Draw(Generator.global()), "i64[5 4]")
            .sample(new Draw(Generator.global()), "f32[5 4]")
            .declare();

    static final Operator<Range> RANDOM_RANGE =
        Operators.<Range>filling(
                "randomRange_", (a, out) -> Sampling.random(out, a.from(), a.to(), a.generator()))
            .check((a, in) -> {
              real("random_", in[0]);
              if (a.from() >= a.to()) {
                throw new ArgumentException(
                    "random_: from must be below to, but from is %d and to is %d."
                        .formatted(a.from(), a.to()));
              }
              holds(in[0], a.from(), a.to() - 1);
            })
            .torch(
                "aten::random_.from(Tensor(a!) self, int from, int? to, *, Generator?"
                    + " generator=None) -> Tensor(a!)")
            .torch(
                "aten::random_.to(Tensor(a!) self, int to, *, Generator? generator=None) ->"
                    + " Tensor(a!)")
            .sample(new Range(-3, 9, Generator.global()), "i64[5 4]")
            .sample(new Range(0, 9, Generator.global()), "f32[5 4]")
            .rejects(
                new Range(3, 3, Generator.global()),
                "i64[3]",
                "random_: from must be below to, but from is 3 and to is 3.")
            .rejects(
                new Range(0, 1000, Generator.global()),
                "u8[3]",
                "random_: numbers must be in 0..255 to fit into uint8, but from is 0 and to is 1000.")
            .declare();

    static final Operator<OneNumber> EXPONENTIAL =
        Operators.<OneNumber>filling(
                "exponential_", (a, out) -> Sampling.exponential(out, a.value(), a.generator()))
            .check((a, in) -> {
              floating("exponential_", in[0]);
              positive("exponential_", "lambda", a.value());
            })
            .torch(
                "aten::exponential_(Tensor(a!) self, float lambd=1, *, Generator? generator=None)"
                    + " -> Tensor(a!)")
            .sample(new OneNumber(2, Generator.global()), "f32[5 4]")
            .declare();

    static final Operator<OneNumber> GEOMETRIC =
        Operators.<OneNumber>filling(
                "geometric_", (a, out) -> Sampling.geometric(out, a.value(), a.generator()))
            .check((a, in) -> {
              real("geometric_", in[0]);
              if (!(a.value() > 0 && a.value() < 1)) {
                throw new ArgumentException(
                    "geometric_: p must be between 0 and 1, but is %s.".formatted(a.value()));
              }
            })
            .torch(
                "aten::geometric_(Tensor(a!) self, float p, *, Generator? generator=None) ->"
                    + " Tensor(a!)")
            .sample(new OneNumber(0.3, Generator.global()), "f32[5 4]")
            .declare();

    static final Operator<Normal> CAUCHY =
        Operators.<Normal>filling(
                "cauchy_", (a, out) -> Sampling.cauchy(out, a.mean(), a.std(), a.generator()))
            .check((a, in) -> {
              floating("cauchy_", in[0]);
              positive("cauchy_", "sigma", a.std());
            })
            .torch(
                "aten::cauchy_(Tensor(a!) self, float median=0, float sigma=1, *, Generator?"
                    + " generator=None) -> Tensor(a!)")
            .sample(new Normal(0, 1, Generator.global()), "f32[5 4]")
            .declare();

    private static final long MOST_CATEGORIES = 1 << 24; // as in PyTorch

    static final Operator<Multinomial> MULTINOMIAL =
        FAMILY
            .<Multinomial>structured(
                "multinomial",
                "self[*b c] -> [*b k]",
                (attributes, out, in) -> {
                  var a = (Multinomial) attributes;
                  Sampling.multinomial(out[0], in[0], a.replacement(), a.generator());
                })
            .sizes((a, in) -> Map.of("k", (long) Math.max(a.numSamples(), 0)))
            .dtypes(DTypes.ANY.results(DTypes.Result.INT64))
            .check((a, in) -> {
              floating("multinomial", in[0]);
              Tensor self = in[0];
              if (self != null && self.size(-1) > MOST_CATEGORIES) {
                throw new ShapeException(
                    "multinomial: there must be at most 2^24 categories, but self has shape %s."
                        .formatted(self.shape()));
              }
              if (self != null && self.dim() > 2) {
                throw new ShapeException(
                    "multinomial: self must have 1 or 2 dimensions, but has shape %s."
                        .formatted(self.shape()));
              }
              if (a.numSamples() < 1) {
                throw new ArgumentException(
                    "multinomial: numSamples must be positive, but is %d."
                        .formatted(a.numSamples()));
              }
              if (self != null && !a.replacement() && a.numSamples() > self.size(-1)) {
                throw new ArgumentException(
                    "multinomial: without replacement there must be as many categories as draws, but there are %d categories in self %s for %d draws. Draw fewer, or with replacement."
                        .formatted(self.size(-1), self.shape(), a.numSamples()));
              }
            })
            .notDifferentiable()
            .random()
            .torch(
                "aten::multinomial(Tensor self, int num_samples, bool replacement=False, *,"
                    + " Generator? generator=None) -> Tensor")
            .sample(new Multinomial(6, true, Generator.global()), "f32[4] in 0.1..1")
            .sample(new Multinomial(2, false, Generator.global()), "f32[3 4] in 0.1..1")
            .rejects(
                new Multinomial(5, false, Generator.global()),
                "f32[4] in 0.1..1",
                "multinomial: without replacement there must be as many categories as draws, but"
                    + " there are 4 categories in self [4] for 5 draws. Draw fewer, or with"
                    + " replacement.")
            .declare();

    static final Operator<Draw> POISSON =
        FAMILY
            .<Draw>structured(
                "poisson",
                "self[*b] -> [*b]",
                (a, out, in) -> Sampling.poisson(out[0], in[0], ((Draw) a).generator()))
            .dtypes(DTypes.ANY)
            .check((a, in) -> {
              floating("poisson", in[0]);
              inside("poisson", "self", in[0], 0, Double.POSITIVE_INFINITY);
            })
            .gradient("self", Gradient.Keeps.NOTHING, _ -> null)
            .random()
            .torch("aten::poisson(Tensor self, Generator? generator=None) -> Tensor")
            .sample(new Draw(Generator.global()), "f32[5 4] in 0..30")
            .rejects(
                new Draw(Generator.global()),
                "f32[1] in -1..-1",
                "poisson: self must be in 0.0..Infinity, but self[0] is -1.0.")
            .declare();

    static final Operator<Draw> BINOMIAL =
        FAMILY
            .<Draw>structured(
                "binomial",
                "count[*b], prob[*b] -> [*b]",
                (a, out, in) ->
                    Sampling.binomial(
                        out[0],
                        Views.expand(in[0], out[0].sizes()),
                        Views.expand(in[1], out[0].sizes()),
                        ((Draw) a).generator()))
            .dtypes(DTypes.SAME_FLOATING)
            .check((a, in) -> {
              inside("binomial", "count", in[0], 0, Double.MAX_VALUE);
              inside("binomial", "prob", in[1], 0, 1);
            })
            .gradient("count", Gradient.Keeps.NOTHING, _ -> null)
            .gradient("prob", Gradient.Keeps.NOTHING, _ -> null)
            .random()
            .torch("aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor")
            .sample(new Draw(Generator.global()), "f32[5 4] in 3..50, f32[5 4] in 0..1")
            .sample(new Draw(Generator.global()), "f32[1] in 3..50, f32[6] in 0..1")
            .sample(new Draw(Generator.global()), "f32[3 1] in 0..1e30, f32[2] in 0..1")
            .rejects(
                new Draw(Generator.global()),
                "f32[2] in 3..50, f32[3] in 0..1",
                "binomial: shapes must broadcast, but dimension -1 is 2 in count [2] and 3 in prob"
                    + " [3]. Sizes must be equal or 1; see unsqueeze and expand.")
            .rejects(
                new Draw(Generator.global()),
                "f32[1] in -1..-1, f32[3] in 0..1",
                "binomial: count must be in 0.0..1.7976931348623157E308, but count[0] is -1.0.")
            .declare();

    static final Operator<Draw> NORMAL_OF_TENSORS =
        FAMILY
            .<Draw>composite(
                "normal",
                "mean[*b], std[*b] -> [*b]",
                (a, in) -> {
                  Tensor mean = in.get("mean");
                  Tensor std = in.get("std");
                  inside("normal", "std", std, 0, Double.POSITIVE_INFINITY);
                  long[] sizes =
                      Arrangements.broadcast("normal", mean.sizesInternal(), std.sizesInternal());
                  Tensor result = Tensor.empty(mean.dtype(), sizes);
                  return result.normal_(0, 1, a.generator()).mul_(std).add_(mean);
                })
            .dtypes(DTypes.PROMOTE)
            .gradient("mean", Gradient.Keeps.NOTHING, _ -> null)
            .gradient("std", Gradient.Keeps.NOTHING, _ -> null)
            .random()
            .torch(
                "aten::normal.Tensor_Tensor(Tensor mean, Tensor std, *, Generator? generator=None)"
                    + " -> Tensor")
            .sample(new Draw(Generator.global()), "f32[5 4], f32[4] in 0..2")
            .declare();

    static final Operator<Normal> NORMAL_AROUND =
        FAMILY
            .<Normal>composite(
                "normalAround",
                "mean[*b] -> [*b]",
                (a, in) -> {
                  Tensor mean = in.get("mean");
                  return Tensor.emptyLike(mean).normal_(0, a.std(), a.generator()).add_(mean);
                })
            .dtypes(DTypes.PROMOTE)
            .gradient("mean", Gradient.Keeps.NOTHING, _ -> null)
            .gradientName("NormalBackward1")
            .random()
            .torch(
                "aten::normal.Tensor_float(Tensor mean, float std=1, *, Generator? generator=None)"
                    + " -> Tensor")
            .sample(new Normal(0, 2, Generator.global()), "f32[5 4]")
            .declare();

    static final Operator<Normal> NORMAL_OF_WIDTH =
        FAMILY
            .<Normal>composite(
                "normalOfWidth",
                "std[*b] -> [*b]",
                (a, in) -> {
                  Tensor std = in.get("std");
                  inside("normal", "std", std, 0, Double.POSITIVE_INFINITY);
                  Tensor draws = Tensor.emptyLike(std).normal_(0, 1, a.generator());
                  return draws.mul_(std).add_(a.mean());
                })
            .dtypes(DTypes.PROMOTE)
            .gradient("std", Gradient.Keeps.NOTHING, _ -> null)
            .gradientName("NormalBackward2")
            .random()
            .torch(
                "aten::normal.float_Tensor(float mean, Tensor std, *, Generator? generator=None) ->"
                    + " Tensor")
            .sample(new Normal(3, 0, Generator.global()), "f32[5 4] in 0..2")
            .declare();

    /// Checks that all elements lie inside bounds.
    private static void inside(
        String op, String name, @Nullable Tensor x, double low, double high) {
      if (x == null) {
        return;
      }
      var elements = new Elements(x.data());
      for (long i = 0, n = x.numel(); i < n; i++) {
        double value = elements.at(i);
        if (!(value >= low && value <= high)) {
          throw new ArgumentException(
              "%s: %s must be in %s..%s, but %s%s is %s."
                  .formatted(op, name, low, high, name, Labels.position(i, x), value));
        }
      }
      Reference.reachabilityFence(x);
    }

    private interface Draws<A> {
      void into(A attributes, Strided out);
    }

    /// Begins an operator that overwrites its input with what `draws` gives.
    @SuppressWarnings("unchecked") // the declaration's own attributes come back
    private static <A extends Record> Operator.Declaration<A> filling(String name, Draws<A> draws) {
      return FAMILY
          .<A>structured(name, "self[*b] -> [*b]", drawing((a, out) -> draws.into((A) a, out)))
          .dtypes(DTypes.ANY)
          .gradient("self", Gradient.Keeps.NOTHING, _ -> null)
          .random();
    }

    private static Kernel drawing(Draws<Record> draws) {
      return Kernel.ofAnyStrides((attributes, outputs, inputs) -> {
        draws.into(attributes, outputs[0]);
      });
    }

    /// What dropout multiplies `like` with.
    static Tensor mask(Dropout a, Tensor like) {
      return a.p() == 1 ? Tensor.zerosLike(like) : DROPOUT_MASK.on(a, like);
    }

    /// Whether anything is to be dropped.
    static boolean drops(String op, double p, boolean training, Tensor self) {
      probability(op, p);
      floating(op, self);
      return training && p > 0 && self.numel() > 0;
    }

    static void probability(String op, double p) {
      if (!(p >= 0 && p <= 1)) {
        throw new ArgumentException("%s: p must be in 0..1, but is %s.".formatted(op, p));
      }
    }

    /// Whole numbers must fit into the dtype, unless it is floating.
    private static void holds(@Nullable Tensor self, long first, long last) {
      if (self == null || self.dtype().isFloatingPoint()) {
        return;
      }
      int bits = 8 * self.dtype().byteSize();
      long least = 0;
      long most = self.dtype() == DType.BOOL ? 1 : 255;
      if (self.dtype() != DType.BOOL && self.dtype() != DType.UINT8) {
        most = Long.MAX_VALUE >> 64 - bits;
        least = -most - 1;
      }
      if (first < least || last > most) {
        throw new ArgumentException(
            "random_: numbers must be in %d..%d to fit into %s, but from is %d and to is %d."
                .formatted(least, most, self.dtype(), first, last + 1));
      }
    }

    /// The numbers between which others are drawn, and how far they lie apart, must be numbers of the dtype.
    private static void spans(@Nullable Tensor self, double from, double to) {
      double most =
          switch (self == null ? DType.FLOAT64 : self.dtype()) {
            case FLOAT32, BFLOAT16 -> Float.MAX_VALUE;
            case FLOAT16 -> 65504;
            default -> Double.MAX_VALUE;
          };
      if (self != null && !(from >= -most && to <= most && to - from <= most)) {
        throw new ArgumentException(
            "uniform_: from, to and their distance must be numbers of %s, but from is %s and to is %s."
                .formatted(self.dtype(), from, to));
      }
    }

    private static void real(String op, @Nullable Tensor self) {
      if (self != null && self.isComplex()) {
        throw new DTypeException(
            "%s: self must be real, but is %s. Use viewAsReal().".formatted(op, self.dtype()));
      }
    }

    private static void positive(String op, String name, double value) {
      if (!(value > 0)) {
        throw new ArgumentException(
            "%s: %s must be positive, but is %s.".formatted(op, name, value));
      }
    }

    private static void floating(String op, @Nullable Tensor self) {
      if (self != null && !self.dtype().isFloatingPoint()) {
        throw new DTypeException(
            "%s: self must be of a floating dtype, but is %s. Convert it with .to(DType.FLOAT32)."
                .formatted(op, self.dtype()));
      }
    }

    private Operators() {}
  }
}
