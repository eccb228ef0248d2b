package taper.data;

import java.util.PrimitiveIterator;
import java.util.stream.LongStream;

/// Visits all samples in their order. Immutable.
public final class SequentialSampler implements Sampler<Long> {
  private final long count;

  /// A sampler for the numbers from 0 to `count - 1`.
  public SequentialSampler(long count) {
    this.count = Checks.notNegative("SequentialSampler", "count", count);
  }

  /// A sampler for all samples of `data`.
  public SequentialSampler(Dataset<?> data) {
    this(Checks.given("SequentialSampler", "data", data).size());
  }

  @Override
  public long size() {
    return count;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    return LongStream.range(0, count).iterator();
  }
}
