package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The norms of windows that move across an image.
///
/// - Shape: `[n c h w]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class LPPool2d extends Layer {
  private final double normType;
  private final int height;
  private final int width;
  private final PoolingOptions options;

  /// Windows of `kernelSize` elements along every dimension, side by side.
  public LPPool2d(double normType, int kernelSize) {
    this(normType, kernelSize, o -> o);
  }

  /// Windows of `kernelSize` elements along every dimension.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public LPPool2d(double normType, int kernelSize, UnaryOperator<PoolingOptions> options) {
    this(normType, kernelSize, kernelSize, options);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public LPPool2d(double normType, int height, int width, UnaryOperator<PoolingOptions> options) {
    Sizes.positive("LPPool2d", "height", height);
    Sizes.positive("LPPool2d", "width", width);
    this.normType = normType;
    this.height = height;
    this.width = width;
    this.options = options.apply(PoolingOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.lpPool2d(normType, height, width, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "norm_type=%s, kernel_size=%s, stride=%s, ceil_mode=%s"
        .formatted(
            Repr.number(normType),
            Repr.oneOr(height, width),
            options.stride().width() == 0
                ? "None"
                : Repr.oneOr(options.stride().height(), options.stride().width()),
            Repr.truth(options.ceilMode()));
  }
}
