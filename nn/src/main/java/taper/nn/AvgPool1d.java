package taper.nn;

import java.util.function.UnaryOperator;
import taper.tensor.PoolingOptions;
import taper.tensor.Tensor;

/// The averages over windows that move along a row.
///
/// - Shape: `[n c l]` to the same with as many elements as there are windows; the batch dimension may be missing
public final class AvgPool1d extends WindowPool {

  /// Windows side by side.
  public AvgPool1d(int kernelSize) {
    this(kernelSize, o -> o);
  }

  /// Windows of the given size.
  ///
  /// @param options as in `o -> o.stride(2)`; the stride is the window's size if nothing else is said
  public AvgPool1d(int kernelSize, UnaryOperator<PoolingOptions> options) {
    super(options, kernelSize);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return input.avgPool1d(size(0), _ -> options());
  }

  @Override
  protected String extraRepr() {
    return "kernel_size=%s, stride=%s, padding=%s"
        .formatted(
            Repr.tuple(size(0)), Repr.tuple(stride()), Repr.tuple(options().padding().width()));
  }
}
