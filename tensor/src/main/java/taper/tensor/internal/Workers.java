package taper.tensor.internal;

import java.util.concurrent.atomic.AtomicReference;
import taper.tensor.spi.Part;

/// The threads of the kernels, for what is filled outside of kernels.
public final class Workers {
  private static final AtomicReference<Runner> RUNNER =
      new AtomicReference<>((size, grain, part) -> part.run(0, size));

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
    RUNNER.get().run(size, grain, part);
  }
}
