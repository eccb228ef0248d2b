package taper.tensor.spi;

/// A kernel over lines that have nothing to do with each other, such as the rows that are sorted: whoever has several cores
/// may compute some lines on each.
public interface LinesKernel extends Kernel {

  /// The number of lines.
  long lines(Record attributes, Strided[] outputs, Strided[] inputs);

  /// Fills the lines from `first` (included) to `last` (excluded).
  void run(Record attributes, Strided[] outputs, Strided[] inputs, long first, long last);

  @Override
  default void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    run(attributes, outputs, inputs, 0, lines(attributes, outputs, inputs));
  }
}
