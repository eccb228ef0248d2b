package taper.tensor;

/// Ends a mode, or takes a hook away, when it is closed.
///
/// A mode belongs to the thread that opened its guard, and is ended on it. Closing a guard of a mode ends those of the same
/// mode that were opened after it, too. Closing a guard twice does nothing.
@FunctionalInterface
public interface Guard extends AutoCloseable {

  /// Restores what was in force before.
  @Override
  void close();
}
