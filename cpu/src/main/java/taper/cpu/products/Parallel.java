package taper.cpu.products;

import java.util.function.IntConsumer;

/// Runs independent tasks, on several threads if that pays.
final class Parallel {
  private Parallel() {}

  /// Runs `task` for 0 to `tasks - 1`, each of which takes about `operations` arithmetic operations.
  static void run(int tasks, long operations, IntConsumer task) {
    for (int i = 0; i < tasks; i++) {
      task.accept(i);
    }
  }
}
