package taper.cpu.products;

import java.util.function.IntConsumer;

/// Runs independent tasks, on several threads if that pays.
final class Parallel {
  /// So many operations last some five microseconds: less is not worth handing over.
  private static final long WORTHWHILE = 1 << 20;

  private Parallel() {}

  /// The number of threads.
  static int threads() {
    return taper.cpu.parallel.Parallel.threads();
  }

  /// Runs `task` for 0 to `tasks - 1`, each of which takes about `operations` arithmetic operations.
  static void run(int tasks, long operations, IntConsumer task) {
    long grain = Math.max(1, WORTHWHILE / Math.max(1, operations));
    taper.cpu.parallel.Parallel.run(
        tasks,
        grain,
        (from, to) -> {
          for (long i = from; i < to; i++) {
            task.accept((int) i);
          }
        });
  }
}
