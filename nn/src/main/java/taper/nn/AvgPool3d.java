package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The averages over windows that move across a volume.
///
/// - Shape: `[n c d h w]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class AvgPool3d extends Layer {

  private final int depth;
  private final int height;
  private final int width;
  private final PoolingOptions options;

  /// Windows of `kernelSize` elements along every dimension, side by side.
  public AvgPool3d(int kernelSize) {
    this(kernelSize, o -> o);
  }

  /// Windows of `kernelSize` elements along every dimension.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool3d(int kernelSize, UnaryOperator<PoolingOptions> options) {
    this(kernelSize, kernelSize, kernelSize, options);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool3d(int depth, int height, int width, UnaryOperator<PoolingOptions> options) {
    Sizes.positive("AvgPool3d", "depth", depth);
    Sizes.positive("AvgPool3d", "height", height);
    Sizes.positive("AvgPool3d", "width", width);

    this.depth = depth;
    this.height = height;
    this.width = width;
    this.options = options.apply(PoolingOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.avgPool3d(depth, height, width, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "kernel_size=%s, stride=%s, padding=%s"
        .formatted(
            Repr.oneOr(depth, height, width),
            Repr.oneOr(
                options.stride().depth() == 0 ? depth : options.stride().depth(),
                options.stride().height() == 0 ? height : options.stride().height(),
                options.stride().width() == 0 ? width : options.stride().width()),
            Repr.oneOr(
                options.padding().depth(), options.padding().height(), options.padding().width()));
  }
}
