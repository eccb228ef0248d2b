package taper.data;

import java.util.Arrays;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Cuts the order of another sampler into batches of indices. Immutable.
public final class BatchSampler implements Sampler<long[]> {
  private static final int FIRST_LENGTH = 1024; // a batch size may be far beyond what there is

  private final Sampler<Long> sampler;
  private final int batchSize;
  private final boolean dropLast;

  /// Batches of `batchSize` indices of `sampler`.
  ///
  /// @param dropLast whether a last batch that is not full is left out
  /// @throws taper.tensor.ArgumentException if `batchSize` is less than 1
  public BatchSampler(Sampler<Long> sampler, int batchSize, boolean dropLast) {
    this.sampler = Checks.given("BatchSampler", "sampler", sampler);
    this.batchSize = (int) Checks.positive("BatchSampler", "batchSize", batchSize);
    this.dropLast = dropLast;
  }

  @Override
  public long size() {
    long n = sampler.size();
    return dropLast ? n / batchSize : Math.ceilDiv(n, batchSize);
  }

  @Override
  public Iterator<long[]> iterator() {
    return new Batches(sampler.iterator());
  }

  private final class Batches implements Iterator<long[]> {
    private final Iterator<Long> indices;
    private long @Nullable [] next;
    private boolean done;

    Batches(Iterator<Long> indices) {
      this.indices = indices;
    }

    @Override
    public boolean hasNext() {
      if (next == null && !done) {
        next = read();
        done = next == null;
      }
      return !done;
    }

    private long @Nullable [] read() {
      long[] batch = new long[Math.min(batchSize, FIRST_LENGTH)];
      int n = 0;
      while (n < batchSize && indices.hasNext()) {
        if (n == batch.length) {
          batch = Arrays.copyOf(batch, (int) Math.min(batchSize, 2L * n));
        }
        batch[n++] = Checks.given("BatchSampler", "an index of the sampler", indices.next());
      }
      if (n == batchSize) {
        return batch;
      }
      return n == 0 || dropLast ? null : Arrays.copyOf(batch, n);
    }

    @Override
    public long[] next() {
      if (!hasNext()) {
        throw new NoSuchElementException("BatchSampler: all batches are drawn");
      }
      long[] batch = Objects.requireNonNull(next);
      next = null;
      return batch;
    }
  }
}
