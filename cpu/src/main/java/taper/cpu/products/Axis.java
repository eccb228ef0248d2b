package taper.cpu.products;

import java.util.Arrays;
import java.util.stream.IntStream;

/// One axis of the input gradient of a convolution.
///
/// Position p of the padded input is reached from output (p - tap * dilation) / stride if that is whole. Write
/// p = a * stride + phase; then the output is a - (tap * dilation - phase) / stride. Immutable.
record Axis(int in, int kernel, int stride, int pad, int dilation) {

  /// Whether `tap` reaches positions of `phase`.
  boolean meets(int phase, int tap) {
    return tap * dilation % stride == phase;
  }

  /// By how many outputs `tap` looks back: position a of its phase reads output a - back.
  int back(int tap) {
    return tap * dilation / stride;
  }

  /// The most outputs that a tap looks back.
  int reach() {
    return (kernel - 1) * dilation / stride;
  }

  /// The first a that any phase has in the input.
  int start() {
    return pad / stride;
  }

  /// How many positions of a = start lie before the input.
  int lead() {
    return pad % stride;
  }

  /// The number of a, from start on, that cover the input.
  int steps() {
    return Math.ceilDiv(in + lead(), stride);
  }

  /// The first a for `phase`, see above.
  private int lowest(int phase) {
    return Math.ceilDiv(pad - phase, stride);
  }

  /// The number of positions of `phase` in the input.
  int count(int phase) {
    return Math.max(0, Math.floorDiv(in - 1 + pad - phase, stride) - lowest(phase) + 1);
  }

  /// The most positions of any phase.
  int largest() {
    return IntStream.range(0, stride).map(this::count).max().orElse(0);
  }

  /// The first of the positions of `phase`.
  int first(int phase) {
    return lowest(phase) * stride + phase - pad;
  }

  /// By tap, the output that the first position it reaches reads; may lie outside.
  int[] outputs() {
    return IntStream.range(0, kernel)
        .map(tap -> {
          int phase = tap * dilation % stride;
          return lowest(phase) - (tap * dilation - phase) / stride;
        })
        .toArray();
  }

  static int least(int[] outputs) {
    return Arrays.stream(outputs).min().orElse(0);
  }

  static int most(int[] outputs) {
    return Arrays.stream(outputs).max().orElse(0);
  }
}
