package taper.tensor.internal;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Part;

/// The threads of the kernels, for what is filled outside of kernels.
public final class Workers {
  private static final AtomicReference<@Nullable Runner> RUNNER = new AtomicReference<>();

  private Workers() {}

  /// Runs parts of work.
  public interface Runner {

    /// Runs `part` on all of `0 … size`, in pieces of at most `grain`.
    void run(long size, long grain, Part part);
  }

  /// Has work done by `other`.
  public static void set(Runner other) {
    RUNNER.set(other);
  }

  /// Runs `part` on all of `0 … size`, in pieces of at most `grain`, on several threads if there are some.
  public static void run(long size, long grain, Part part) {
    Runner runner = RUNNER.get();
    if (runner == null) {
      part.run(0, size);
    } else {
      runner.run(size, grain, part);
    }
  }
}
