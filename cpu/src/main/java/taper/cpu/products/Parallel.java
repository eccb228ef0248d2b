package taper.cpu.products;

import java.util.function.IntConsumer;

/// Runs independent tasks, on several threads if that pays.
final class Parallel {
  /// So many operations last some ten microseconds: less is not worth waking a thread.
  private static final long WORTHWHILE = 1 << 20;

  private Parallel() {}

  /// The number of threads.
  static int threads() {
    return 1;
  }

  /// Runs `task` for 0 to `tasks - 1`, each of which takes about `operations` arithmetic operations.
  static void run(int tasks, long operations, IntConsumer task) {
    for (int i = 0; i < tasks; i++) {
      task.accept(i);
    }
  }
}
