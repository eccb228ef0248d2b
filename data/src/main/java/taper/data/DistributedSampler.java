package taper.data;

import java.util.PrimitiveIterator;
import java.util.function.UnaryOperator;
import java.util.stream.LongStream;
import taper.tensor.ArgumentException;
import taper.tensor.Generator;

/// The share of one of several replicas that train on the same data set.
///
/// All replicas draw the same order from the same seed and take every `replicas`-th index of it, from
/// their rank on. Shares have the same size: the order is filled up from its start, or cut off. Mutable
/// in its epoch alone; belongs to one thread.
public final class DistributedSampler implements Sampler<Long> {
  private final long count;
  private final int replicas;
  private final int rank;
  private final Options options;
  private final long samples;
  private long epoch;

  /// What may be chosen.
  ///
  /// @param shuffle whether the order is random, as it is unless said otherwise
  /// @param seed from which the order of an epoch is drawn, together with its number
  /// @param dropLast whether what does not divide by the number of replicas is cut off, not filled up
  public record Options(boolean shuffle, long seed, boolean dropLast) {
    /// These options with another `shuffle`.
    public Options shuffle(boolean shuffle) {
      return new Options(shuffle, seed, dropLast);
    }

    /// These options with another seed.
    public Options seed(long seed) {
      return new Options(shuffle, seed, dropLast);
    }

    /// These options with another `dropLast`.
    public Options dropLast(boolean dropLast) {
      return new Options(shuffle, seed, dropLast);
    }
  }

  /// The share of replica `rank` of `replicas` in the numbers from 0 to `count - 1`.
  ///
  /// @throws ArgumentException if `rank` is negative or not below `replicas`, or there is no sample
  public DistributedSampler(long count, int replicas, int rank, UnaryOperator<Options> options) {
    this.count = Checks.positive("DistributedSampler", "count", count);
    this.replicas = (int) Checks.positive("DistributedSampler", "replicas", replicas);
    if (rank < 0 || rank >= replicas) {
      throw new ArgumentException(
          "DistributedSampler: rank must be from 0 to replicas - 1, but rank is "
              + rank
              + " and replicas is "
              + replicas
              + ".");
    }
    this.rank = rank;
    this.options = Checks.chosen("DistributedSampler", options, new Options(true, 0, false));
    this.samples =
        this.options.dropLast() ? count / replicas : Math.ceilDiv(count, (long) replicas);
  }

  /// The share of replica `rank` of `replicas` in `data`, in a random order.
  public DistributedSampler(Dataset<?> data, int replicas, int rank) {
    this(data.size(), replicas, rank, o -> o);
  }

  /// Chooses the epoch whose order the next iteration visits. Without a call every epoch has the order
  /// of epoch 0.
  public void epoch(long epoch) {
    this.epoch = epoch;
  }

  @Override
  public long size() {
    return samples;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    // filling up means to start again from the front, as often as it takes
    LongStream places = LongStream.range(0, samples).map(i -> (rank + i * replicas) % count);
    if (!options.shuffle()) {
      return places.iterator();
    }
    long[] order = new Generator(options.seed() + epoch).permutation(count);
    return places.map(place -> order[(int) place]).iterator();
  }
}
