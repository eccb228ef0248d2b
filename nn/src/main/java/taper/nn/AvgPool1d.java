package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The averages over windows that move along a row.
///
/// - Shape: `[n c l]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class AvgPool1d extends Layer {

  private final int kernelSize;
  private final PoolingOptions options;

  /// Windows side by side.
  public AvgPool1d(int kernelSize) {
    this(kernelSize, o -> o);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool1d(int kernelSize, UnaryOperator<PoolingOptions> options) {
    Sizes.positive("AvgPool1d", "kernelSize", kernelSize);

    this.kernelSize = kernelSize;
    this.options = options.apply(PoolingOptions.DEFAULT);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.avgPool1d(kernelSize, _ -> options);
  }

  @Override
  protected String extraRepr() {
    return "kernel_size=%s, stride=%s, padding=%s"
        .formatted(
            Repr.tuple(kernelSize),
            Repr.tuple(options.stride().width() == 0 ? kernelSize : options.stride().width()),
            Repr.tuple(options.padding().width()));
  }
}
