package taper.vision;

import taper.tensor.DType;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// Makes an image of bytes one of numbers from 0 to 1, channels first.
///
/// - Shape: `[h w] -> [1 h w]`, `[h w c] -> [c h w]`
/// - Types: `uint8` becomes `float32`, divided by 255; other types keep type and values, as in torchvision
public record ToTensor() implements Transform {
  /// The image with channels first.
  ///
  /// @throws ShapeException if the image has neither two nor three dimensions
  @Override
  public Tensor apply(Tensor image) {
    if (image.dim() != 2 && image.dim() != 3) {
      throw new ShapeException(
          "ToTensor: an image must be [height, width] or [height, width, channels], but is %s."
              .formatted(image.shape()));
    }
    Tensor channelsFirst =
        image.dim() == 2 ? image.unsqueeze(0) : image.permute(2, 0, 1).contiguous();
    return image.dtype() == DType.UINT8 ? channelsFirst.to(DType.FLOAT32).div_(255) : channelsFirst;
  }

  @Override
  public boolean letsNothingEscape() {
    return true;
  }

  @Override
  public String toString() {
    return "ToTensor()";
  }
}
