package taper.tensor.spi;

/// A part of work that can be done in any order, see [KernelLibrary#run].
@FunctionalInterface
public interface Part {

  /// Does the steps from `first` (included) to `last` (excluded).
  void run(long first, long last);
}
