package taper.tensor;

/// Ends a mode when it is closed. Belongs to the thread that opened it.
@FunctionalInterface
public interface Guard extends AutoCloseable {

  /// Restores what was in force before.
  @Override
  void close();
}
