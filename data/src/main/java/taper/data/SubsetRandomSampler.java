package taper.data;

import java.util.PrimitiveIterator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Generator;

/// Visits given indices in a random order, each once. Immutable but for the generator.
public final class SubsetRandomSampler implements Sampler<Long> {
  private final long[] indices;
  private final @Nullable Generator generator;

  /// A sampler for `indices`, with an order from [Generator#global()].
  public SubsetRandomSampler(long... indices) {
    this(indices, null);
  }

  /// A sampler for `indices`, with an order from `generator`; null stands for [Generator#global()].
  public SubsetRandomSampler(long[] indices, @Nullable Generator generator) {
    this.indices = Checks.given("SubsetRandomSampler", "indices", indices).clone();
    this.generator = generator;
  }

  @Override
  public long size() {
    return indices.length;
  }

  @Override
  public PrimitiveIterator.OfLong iterator() {
    return new LazyOrder(() -> {
      long[] order = Generators.orGlobal(generator).permutation(indices.length);
      for (int i = 0; i < order.length; i++) {
        order[i] = indices[(int) order[i]];
      }
      return order;
    });
  }
}
