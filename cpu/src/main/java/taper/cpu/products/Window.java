package taper.cpu.products;

/// How the filter of a two-dimensional convolution moves over its input. Immutable.
///
/// @param strideH steps between applications, downwards; likewise `strideW` to the right
/// @param padH rows of zeros above and below; likewise `padW` to the left and to the right
/// @param dilationH distance between the rows of the filter; likewise `dilationW` of its columns
/// @param groups into how many independent convolutions the channels are cut
public record Window(
    int strideH, int strideW, int padH, int padW, int dilationH, int dilationW, int groups) {

  /// A window that moves by one and is not padded.
  public static Window plain() {
    return new Window(1, 1, 0, 0, 1, 1, 1);
  }

  /// The same with other padding.
  public Window padded(int padding) {
    return new Window(strideH, strideW, padding, padding, dilationH, dilationW, groups);
  }

  /// The height of the output for an input of height `h` and a filter of height `kernel`.
  public int outputHeight(int h, int kernel) {
    return (h + 2 * padH - dilationH * (kernel - 1) - 1) / strideH + 1;
  }

  /// The width of the output for an input of width `w` and a filter of width `kernel`.
  public int outputWidth(int w, int kernel) {
    return (w + 2 * padW - dilationW * (kernel - 1) - 1) / strideW + 1;
  }
}
