package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Steps;

/// What layers have in common that make a number of each window that moves across their input: the window's size and options.
public abstract sealed class WindowPool extends Layer
    permits AvgPool1d,
        AvgPool2d,
        AvgPool3d,
        LPPool1d,
        LPPool2d,
        LPPool3d,
        MaxPool1d,
        MaxPool2d,
        MaxPool3d {
  private final long[] size;
  private final PoolingOptions options;

  WindowPool(UnaryOperator<PoolingOptions> options, long... size) {
    Sizes.window(typeName(), size);
    this.size = size;
    this.options = Sizes.chosen(typeName(), options, PoolingOptions.DEFAULT);
  }

  /// The size of the window along its dimension `dim`.
  final int size(int dim) {
    return (int) size[dim];
  }

  final PoolingOptions options() {
    return options;
  }

  /// The stride along the dimensions of the window: its size if nothing else is said.
  final long[] stride() {
    long[] stride = Sizes.along(options.stride(), size.length);
    for (int i = 0; i < size.length; i++) {
      stride[i] = stride[i] == 0 ? size[i] : stride[i];
    }
    return stride;
  }

  /// The numbers for the dimensions of the window, as Python writes them.
  final String repr(Steps steps) {
    return Repr.oneOr(Sizes.along(steps, size.length));
  }

  /// Such as `kernel_size=2, stride=2, padding=0`.
  final String reprOfWindow() {
    return "kernel_size=%s, stride=%s, padding=%s"
        .formatted(Repr.oneOr(size), Repr.oneOr(stride()), repr(options.padding()));
  }

  /// The same, with what maxima have besides.
  final String reprOfMaxima() {
    return "%s, dilation=%s, ceil_mode=%s"
        .formatted(reprOfWindow(), repr(options.dilation()), Repr.truth(options.ceilMode()));
  }

  /// Such as `norm_type=2.0, kernel_size=2, stride=None, ceil_mode=False`.
  final String reprOfNorms(double normType) {
    return "norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s"
        .formatted(
            Repr.number(normType),
            Repr.oneOr(size),
            options.stride().width() == 0 ? "None" : repr(options.stride()),
            Repr.truth(options.ceilMode()));
  }
}
