package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The maxima over windows of rows and columns.
///
/// - Shape: `[n c h w] -> [n c h' w']`; the batch dimension may be missing
public final class MaxPool2d extends WindowPool {
  /// Windows of `kernelSize × kernelSize`, side by side.
  public MaxPool2d(int kernelSize) {
    this(kernelSize, o -> o);
  }

  /// Windows of `kernelSize × kernelSize`.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public MaxPool2d(int kernelSize, UnaryOperator<PoolingOptions> options) {
    this(kernelSize, kernelSize, options);
  }

  /// Windows of `height × width`.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public MaxPool2d(int height, int width, UnaryOperator<PoolingOptions> options) {
    super(options, height, width);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.maxPool2d(size(0), size(1), _ -> options());
  }

  @Override
  protected String extraRepr() {
    return reprOfMaxima();
  }
}
