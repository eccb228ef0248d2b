package taper.data;

import java.util.PrimitiveIterator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Generator;

/// Visits samples at random, each in proportion to its weight. Immutable but for the generator.
public final class WeightedRandomSampler implements Sampler<Long> {
  private final double[] weights;
  private final int samples;
  private final Options options;

  /// What may be chosen.
  ///
  /// @param replacement whether a sample may be visited more than once, as it may unless said otherwise
  /// @param generator where the order comes from; null: [Generator#global()]
  public record Options(boolean replacement, @Nullable Generator generator) {
    /// These options with another `replacement`.
    public Options replacement(boolean replacement) {
      return new Options(replacement, generator);
    }

    /// These options with another generator.
    public Options generator(Generator generator) {
      return new Options(replacement, generator);
    }
  }

  /// A sampler that visits `samples` of the samples from 0 to `weights.length - 1` in one iteration.
  ///
  /// @throws taper.tensor.ArgumentException if `samples` is less than 1
  public WeightedRandomSampler(double[] weights, int samples, UnaryOperator<Options> options) {
    this.weights = Checks.given("WeightedRandomSampler", "weights", weights).clone();
    this.samples = (int) Checks.positive("WeightedRandomSampler", "samples", samples);
    this.options = Checks.chosen("WeightedRandomSampler", options, new Options(true, null));
  }

  /// A sampler that may visit a sample more than once.
  public WeightedRandomSampler(double[] weights, int samples) {
    this(weights, samples, o -> o);
  }

  @Override
  public long size() {
    return samples;
  }

  /// @throws taper.tensor.ArgumentException when the first index is asked for, if a weight is negative
  ///     or not finite, if all are 0, or if there are too few for a draw without replacement
  @Override
  public PrimitiveIterator.OfLong iterator() {
    return new LazyOrder(() ->
        Generators.orGlobal(options.generator())
            .multinomial(weights, samples, options.replacement()));
  }
}
