package taper.benchmarks.work;

/// Something that is measured, whoever computes it: a training step, an inference, or a kernel.
///
/// A workload belongs to one thread. Everything that it reads exists before the clock starts, so a
/// training step is forward, loss, backward and optimizer, and reading the loss as a number; putting a
/// batch together is not in it, on any side.
public interface Workload extends AutoCloseable {
  /// Runs once.
  ///
  /// @param step how often it ran before, by which a workload with several batches chooses one
  /// @return the loss before the update, or another number that depends on the result; NaN for kernels
  float run(int step);

  /// How many numbers the network has to learn, or 0 for kernels.
  default long parameters() {
    return 0;
  }

  /// Frees what the workload holds.
  @Override
  default void close() {}
}
