package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The averages over windows of rows and columns.
///
/// - Shape: `[n c h w] -> [n c h' w']`; the batch dimension may be missing
public final class AvgPool2d extends Layer {
  private final int height;
  private final int width;
  private final PoolingOptions options;

  /// Windows of `kernelSize × kernelSize`, side by side.
  public AvgPool2d(int kernelSize) {
    this(kernelSize, o -> o);
  }

  /// Windows of `kernelSize × kernelSize`.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool2d(int kernelSize, UnaryOperator<PoolingOptions> options) {
    this(kernelSize, kernelSize, options);
  }

  /// Windows of `height × width`.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool2d(int height, int width, UnaryOperator<PoolingOptions> options) {
    Sizes.positive("AvgPool2d", "height", height);
    Sizes.positive("AvgPool2d", "width", width);
    this.height = height;
    this.width = width;
    this.options = options.apply(PoolingOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.avgPool2d(height, width, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "kernel_size=%s, stride=%s, padding=%s"
        .formatted(
            Repr.oneOrPair(height, width),
            Repr.oneOrPair(
                options.stride().height() == 0 ? height : options.stride().height(),
                options.stride().width() == 0 ? width : options.stride().width()),
            Repr.oneOrPair(options.padding().height(), options.padding().width()));
  }
}
