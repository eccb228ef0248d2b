package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// What becomes of the sums of a convolution before they are stored: `relu(sum · scale + shift + addend)`, where each part may
/// be missing. All operands are contiguous and of the type of the result. Immutable.
///
/// @param scale one number for each channel of the result
/// @param shift likewise; there is one if there is a scale
/// @param addend as large as the result, and not the same memory
/// @param relu whether negative results become zero
public record Epilogue(
    @Nullable Strided scale, @Nullable Strided shift, @Nullable Strided addend, boolean relu) {

  /// Sums are stored as they are.
  public static final Epilogue NOTHING = new Epilogue(null, null, null, false);

  /// @throws IllegalArgumentException if there is a scale but no shift
  public Epilogue {
    if (scale != null && shift == null) {
      throw new IllegalArgumentException("There is a scale, but no shift.");
    }
  }

  /// A bias, or none, and nothing else.
  public static Epilogue bias(@Nullable Strided bias) {
    return new Epilogue(null, bias, null, false);
  }

  /// Whether there is nothing to do.
  public boolean isNothing() {
    return shift == null && addend == null && !relu;
  }

  /// Whether there is a bias at most.
  boolean isPlain() {
    return scale == null && addend == null;
  }

  /// What belongs to channels.
  Epilogue ofChannels() {
    return new Epilogue(scale, shift, null, false);
  }

  /// What comes after that.
  Epilogue ofElements() {
    return new Epilogue(null, null, addend, relu);
  }
}
