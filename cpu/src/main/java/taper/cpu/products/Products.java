package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// Matrix products and convolutions on raw memory, for `float32` and `float64`.
///
/// All operands of a call have the same type. Outputs are contiguous in their last dimension and overlap
/// no input. Implementations are immutable; threads may share them.
public interface Products {

  /// Where a bias of a product is added.
  enum Bias {
    /// There is none.
    NONE,
    /// One number per row of the result.
    ROWS,
    /// One number per column of the result.
    COLUMNS,
    /// One number per row, after the sum was multiplied by another; both of an [Epilogue]. In convolutions only.
    SCALED_ROWS,
    /// As SCALED_ROWS; then its addend is added.
    SCALED_ROWS_AND_ADDEND,
    /// As SCALED_ROWS, but one of each per column.
    SCALED_COLUMNS;

    /// Whether sums are multiplied.
    boolean scales() {
      return this == SCALED_ROWS || this == SCALED_ROWS_AND_ADDEND || this == SCALED_COLUMNS;
    }
  }

  /// `c = relu(c + a·b + bias)`, where `c` and `relu` count only if asked for.
  ///
  /// Shape: `c[*b m n]`, `a[*b m k]`, `b[*b k n]` with equal leading dimensions, of which those of `a` and
  /// `b` may be expanded; `bias[m]` or `bias[n]`, contiguous. `a` and `b` have any strides.
  void matmul(
      Strided c,
      Strided a,
      Strided b,
      Bias where,
      @Nullable Strided bias,
      boolean accumulate,
      boolean relu);

  /// `y[n o h' w'] = x[n i h w] ⋆ weight[o i/groups kh kw]`, and `end` of that; `y`, `weight` and what `end` has
  /// contiguous, the planes of `x` contiguous. A bias is always added.
  ///
  /// @return what of `end` is still to be done
  Epilogue convolution(Window window, Strided y, Strided x, Strided weight, Epilogue end);

  /// The gradient of [#convolution] with respect to `x`, given that with respect to `y`; all contiguous.
  void convolutionInputGradient(Window window, Strided dx, Strided dy, Strided weight);

  /// The gradient of [#convolution] with respect to `weight`, given that with respect to `y`; all
  /// contiguous.
  void convolutionWeightGradient(Window window, Strided dweight, Strided dy, Strided x);
}
