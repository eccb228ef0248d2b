package taper.tensor;

import java.util.List;
import java.util.stream.LongStream;

/// The options of the opposite of a maximum, with PyTorch's names and defaults. Immutable.
///
/// One number counts for all dimensions; two are for rows and columns, three for depth, rows and columns.
///
/// @param stride the step between windows of the maximum; 0 for the size of the window
/// @param padding elements that were added before and after each dimension
/// @param outputSize the size of the result, without batch and channels; empty for the smallest that fits
public record UnpoolingOptions(Steps stride, Steps padding, List<Long> outputSize) {

  /// Windows side by side, no padding, the smallest result.
  public static final UnpoolingOptions DEFAULT =
      new UnpoolingOptions(Steps.all(0), Steps.all(0), List.of());

  /// Copies the list.
  public UnpoolingOptions {
    outputSize = List.copyOf(outputSize);
  }

  /// With one stride for all dimensions.
  public UnpoolingOptions stride(int stride) {
    return stride(stride, stride, stride);
  }

  /// With strides for rows and columns.
  public UnpoolingOptions stride(int height, int width) {
    return stride(height, height, width);
  }

  /// With strides for depth, rows and columns.
  public UnpoolingOptions stride(int depth, int height, int width) {
    return new UnpoolingOptions(new Steps(depth, height, width), padding, outputSize);
  }

  /// With one padding for all dimensions.
  public UnpoolingOptions padding(int padding) {
    return padding(padding, padding, padding);
  }

  /// With paddings for rows and columns.
  public UnpoolingOptions padding(int height, int width) {
    return padding(height, height, width);
  }

  /// With paddings for depth, rows and columns.
  public UnpoolingOptions padding(int depth, int height, int width) {
    return new UnpoolingOptions(stride, new Steps(depth, height, width), outputSize);
  }

  /// With the size of the result, without batch and channels.
  public UnpoolingOptions outputSize(long... sizes) {
    return new UnpoolingOptions(stride, padding, LongStream.of(sizes).boxed().toList());
  }
}
