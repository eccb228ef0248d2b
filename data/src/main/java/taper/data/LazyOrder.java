package taper.data;

import java.util.NoSuchElementException;
import java.util.PrimitiveIterator;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// Iterates over indices that are drawn when the first one is asked for, not before: whatever else
/// draws from the same generator in between comes first, as in PyTorch.
final class LazyOrder implements PrimitiveIterator.OfLong {
  private final Supplier<long[]> drawing;
  private long @Nullable [] order;
  private int at;

  LazyOrder(Supplier<long[]> drawing) {
    this.drawing = drawing;
  }

  private long[] order() {
    long[] drawn = order;
    if (drawn == null) {
      drawn = drawing.get();
      order = drawn;
    }
    return drawn;
  }

  @Override
  public boolean hasNext() {
    return at < order().length;
  }

  @Override
  public long nextLong() {
    long[] drawn = order();
    if (at == drawn.length) {
      throw new NoSuchElementException("all " + drawn.length + " samples are drawn");
    }
    return drawn[at++];
  }
}
