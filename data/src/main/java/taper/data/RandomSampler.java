package taper.data;

import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Generator;

/// Visits the samples in a random order: every one once, or any one any number of times.
///
/// Without a generator of its own it draws a seed from [Generator#global()] at the start of every
/// iteration. Immutable but for the generator.
public final class RandomSampler implements Sampler<Long> {
  /// How PyTorch cuts its draws with replacement into pieces.
  private static final int PIECE = 32;

  private final long count;
  private final long samples;
  private final Options options;

  /// What may be chosen.
  ///
  /// @param replacement whether a sample may be visited more than once
  /// @param numSamples how many samples one iteration visits; null: as many as there are
  /// @param generator where the order comes from; null: seeded from [Generator#global()] every time
  public record Options(
      boolean replacement, @Nullable Long numSamples, @Nullable Generator generator) {
    /// These options with another `replacement`.
    public Options replacement(boolean replacement) {
      return new Options(replacement, numSamples, generator);
    }

    /// These options with another number of samples.
    public Options numSamples(long numSamples) {
      return new Options(replacement, numSamples, generator);
    }

    /// These options with another generator.
    public Options generator(Generator generator) {
      return new Options(replacement, numSamples, generator);
    }
  }

  /// A sampler for the numbers from 0 to `count - 1`.
  ///
  /// @throws taper.tensor.ArgumentException if there is nothing to visit
  public RandomSampler(long count, UnaryOperator<Options> options) {
    this.count = Checks.positive("RandomSampler", "count", count);
    this.options = Checks.chosen("RandomSampler", options, new Options(false, null, null));
    @Nullable Long chosen = this.options.numSamples();
    this.samples = Checks.positive("RandomSampler", "numSamples", chosen == null ? count : chosen);
  }

  /// A sampler for the numbers from 0 to `count - 1`, each once.
  public RandomSampler(long count) {
    this(count, o -> o);
  }

  /// A sampler for the samples of `data`.
  public RandomSampler(Dataset<?> data, UnaryOperator<Options> options) {
    this(Checks.given("RandomSampler", "data", data).size(), options);
  }

  /// A sampler for the samples of `data`, each once.
  public RandomSampler(Dataset<?> data) {
    this(Checks.given("RandomSampler", "data", data).size());
  }

  @Override
  public long size() {
    return samples;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    return new Order();
  }

  /*
   * PyTorch's sampler is a coroutine: it draws when the next index is asked for, and once more at the
   * end, for a last piece that may be empty. The generator is then where PyTorch's is.
   */
  private final class Order implements PrimitiveIterator.OfLong {
    private final long piece = options.replacement() ? PIECE : count;
    private final long last = samples % piece;
    private long pieces = samples / piece + 1;
    private @Nullable Generator generator;
    private long[] drawn = {};
    private int at;
    private int end;

    @Override
    public boolean hasNext() {
      while (at == end && pieces > 0) {
        pieces--;
        draw(pieces > 0 ? piece : last);
      }
      return at < end;
    }

    private void draw(long n) {
      Generator from = generator == null ? start() : generator;
      generator = from;
      if (options.replacement()) {
        drawn = new long[(int) n];
        for (int i = 0; i < n; i++) {
          drawn[i] = from.random(0, count);
        }
      } else {
        drawn = from.permutation(count);
      }
      at = 0;
      end = (int) n;
    }

    private Generator start() {
      Generator given = options.generator();
      return given != null ? given : new Generator(Generator.global().nextSeed());
    }

    @Override
    public long nextLong() {
      if (!hasNext()) {
        throw new NoSuchElementException("RandomSampler: all " + samples + " samples are drawn");
      }
      return drawn[at++];
    }
  }
}
