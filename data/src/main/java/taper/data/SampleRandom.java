package taper.data;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.Generator;

/// Where a random transform draws from.
///
/// While a [DataLoader] loads a sample, that is a stream of the sample's own, which follows from the seed, the epoch and
/// the index of the sample: the number of workers never changes the data. Elsewhere it is [Generator#global()].
public final class SampleRandom {
  private static final ThreadLocal<@Nullable Lazy> CURRENT = new ThreadLocal<>();

  private SampleRandom() {}

  /// The generator for the sample that this thread is loading.
  public static Generator generator() {
    Lazy lazy = CURRENT.get();
    return lazy == null ? Generator.global() : lazy.get();
  }

  static void begin(Generator base, long epoch, long index) {
    CURRENT.set(new Lazy(() -> base.derived(epoch, index)));
  }

  static void end() {
    CURRENT.remove();
  }

  /// Most transforms draw nothing; a generator of 624 words is made for those that do.
  private static final class Lazy {
    private final Supplier<Generator> making;
    private @Nullable Generator made;

    Lazy(Supplier<Generator> making) {
      this.making = making;
    }

    Generator get() {
      Generator generator = made;
      if (generator == null) {
        generator = making.get();
        made = generator;
      }
      return generator;
    }
  }
}
