package taper.tensor;

import org.jspecify.annotations.Nullable;

/// What can be chosen of a short-time Fourier transform. Immutable; `o -> o.hopLength(128)` changes one.
///
/// @param hopLength the distance between windows; 0 for a quarter of `nFft`
/// @param winLength the length of the window, which stands in the middle of `nFft` samples; 0 for `nFft`
/// @param window the factors of the samples of a window, `[winLength]`; null for ones
/// @param center whether windows are centered at multiples of `hopLength`, the signal being padded at both ends
/// @param padMode how it is padded: `reflect`, `constant`, `replicate` or `circular`
/// @param normalized whether spectra are divided by the square root of `nFft`
/// @param onesided whether only the first half of the spectrum is there; null for: if the signal is real
/// @param length the length of the signal that `istft` returns; -1 for what the windows cover
/// @param returnComplex of `istft`: whether the signal is complex
public record StftOptions(
    long hopLength,
    long winLength,
    @Nullable Tensor window,
    boolean center,
    String padMode,
    boolean normalized,
    @Nullable Boolean onesided,
    long length,
    boolean returnComplex) {
  /// PyTorch's defaults.
  public static final StftOptions DEFAULT =
      new StftOptions(0, 0, null, true, "reflect", false, null, -1, false);

  /// These options with the given distance between windows.
  ///
  /// @throws ArgumentException if it is less than 1
  public StftOptions hopLength(long length) {
    positive("hopLength", length);
    return new StftOptions(
        length,
        winLength,
        window,
        center,
        padMode,
        normalized,
        onesided,
        this.length,
        returnComplex);
  }

  private static void positive(String name, long length) {
    if (length < 1) {
      throw new ArgumentException(
          "stft: %s must be at least 1, but is %d. Leave it out for the usual one."
              .formatted(name, length));
    }
  }

  /// These options with the given length of the window.
  ///
  /// @throws ArgumentException if it is less than 1
  public StftOptions winLength(long length) {
    positive("winLength", length);
    return new StftOptions(
        hopLength,
        length,
        window,
        center,
        padMode,
        normalized,
        onesided,
        this.length,
        returnComplex);
  }

  /// These options with the given window.
  public StftOptions window(@Nullable Tensor factors) {
    return new StftOptions(
        hopLength,
        winLength,
        factors,
        center,
        padMode,
        normalized,
        onesided,
        length,
        returnComplex);
  }

  /// These options, with windows centered or not.
  public StftOptions center(boolean on) {
    return new StftOptions(
        hopLength, winLength, window, on, padMode, normalized, onesided, length, returnComplex);
  }

  /// These options with the given way of padding.
  public StftOptions padMode(String mode) {
    return new StftOptions(
        hopLength, winLength, window, center, mode, normalized, onesided, length, returnComplex);
  }

  /// These options, with spectra normalized or not.
  public StftOptions normalized(boolean on) {
    return new StftOptions(
        hopLength, winLength, window, center, padMode, on, onesided, length, returnComplex);
  }

  /// These options, with half or whole spectra.
  public StftOptions onesided(@Nullable Boolean on) {
    return new StftOptions(
        hopLength, winLength, window, center, padMode, normalized, on, length, returnComplex);
  }

  /// These options with the given length of the signal.
  public StftOptions length(long samples) {
    return new StftOptions(
        hopLength,
        winLength,
        window,
        center,
        padMode,
        normalized,
        onesided,
        samples,
        returnComplex);
  }

  /// These options, with a complex or a real signal.
  public StftOptions returnComplex(boolean on) {
    return new StftOptions(
        hopLength, winLength, window, center, padMode, normalized, onesided, length, on);
  }
}
