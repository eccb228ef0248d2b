package taper.tensor.internal;

import java.util.function.BiFunction;
import taper.tensor.spi.LinesKernel;
import taper.tensor.spi.Strided;

/// A kernel over the lines of its first input.
///
/// @param axis which lines those are
record LineByLine(BiFunction<Record, Strided, Axis> axis, Body body) implements LinesKernel {

  /// What is done with some of the lines.
  interface Body {
    void run(Record attributes, Strided[] out, Strided[] in, Axis axis, long first, long last);
  }

  @Override
  public long lines(Record attributes, Strided[] outputs, Strided[] inputs) {
    return inputs[0].numel() == 0 ? 0 : axis.apply(attributes, inputs[0]).count();
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs, long first, long last) {
    if (first < last) {
      body.run(attributes, outputs, inputs, axis.apply(attributes, inputs[0]), first, last);
    }
  }
}
