package taper.benchmarks;

/// A network with its optimizer, ready to take training steps: the thing that is measured, whoever
/// computes it.
///
/// A workload belongs to one thread. Everything that the step reads exists before the clock starts,
/// so a step is forward, loss, backward and optimizer, and reading the loss as a number; putting a
/// batch together is not in it, on either side.
public interface Workload extends AutoCloseable {
  /// What computes, with its version, such as `libtorch 2.7.1 (DJL 0.36.0)`.
  String name();

  /// Takes one training step on the batch of that number and returns the loss before the update.
  float step(int batch);

  /// Frees what the workload holds.
  @Override
  void close();
}
