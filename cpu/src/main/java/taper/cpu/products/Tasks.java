package taper.cpu.products;

import java.util.function.IntConsumer;
import taper.cpu.parallel.Parallel;

/// Runs independent tasks, on several threads if that pays.
final class Tasks {
  /// So many operations last some five microseconds: less is not worth handing over.
  private static final long WORTHWHILE = 1 << 20;

  private Tasks() {}

  /// The number of threads.
  static int threads() {
    return Parallel.threads();
  }

  /// Runs `task` for 0 to `tasks - 1`, each of which takes about `operations` arithmetic operations.
  static void run(int tasks, long operations, IntConsumer task) {
    long grain = Math.max(1, WORTHWHILE / Math.max(1, operations));
    Parallel.run(
        tasks,
        grain,
        (from, to) -> {
          for (long i = from; i < to; i++) {
            task.accept((int) i);
          }
        });
  }
}
