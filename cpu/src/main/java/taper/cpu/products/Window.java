package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.tensor.Convolutions.Conv2d;
import taper.tensor.spi.Strided;

/// How the filter of a two-dimensional convolution moves over its input. Immutable.
///
/// @param strideH steps between applications, downwards; likewise `strideW` to the right
/// @param padH rows of zeros above and below; likewise `padW` to the left and to the right
/// @param dilationH distance between the rows of the filter; likewise `dilationW` of its columns
/// @param groups into how many independent convolutions the channels are cut
public record Window(
    int strideH, int strideW, int padH, int padW, int dilationH, int dilationW, int groups) {

  /// Padding may be wider than the image by so much: it is copied with it.
  private static final long WIDEST = 64;

  /// Steps of the input gradient, each of which is a convolution of its own.
  private static final long MOST_PHASES = 4096;

  /// The window of a convolution of `x` with `weight` to `y`, or null if kernels that copy padded images, and compute places
  /// in them as ints, cannot have it. What is never made is cut: a stride to the padded
  /// image, a distance between elements where there is one.
  ///
  /// @param phases whether each remainder by the stride is computed alone
  public static @Nullable Window of(
      Conv2d a, Strided x, Strided weight, Strided y, boolean phases) {
    var window =
        new Window(
            (int) Math.min(a.strideH(), x.size(2) + 2L * a.paddingH()),
            (int) Math.min(a.strideW(), x.size(3) + 2L * a.paddingW()),
            a.paddingH(),
            a.paddingW(),
            weight.size(2) == 1 ? 1 : a.dilationH(),
            weight.size(3) == 1 ? 1 : a.dilationW(),
            a.groups());
    boolean near =
        window.padH <= x.size(2) + WIDEST
            && window.padW <= x.size(3) + WIDEST
            && (!phases || (long) window.strideH * window.strideW <= MOST_PHASES);
    // In doubles nothing overflows.
    double height = x.size(2) + 2.0 * window.padH;
    double width = x.size(3) + 2.0 * window.padW;
    double channels = Math.max(weight.size(0), weight.size(1));
    double taps = (double) weight.size(2) * weight.size(3);
    boolean small =
        height * width < 1 << 30
            && (double) y.size(2) * y.size(3) < 1 << 30
            && channels * taps < 1 << 28
            && (double) x.size(0) * a.groups() * Math.max(height, weight.size(0)) < 1 << 27;
    return near && small ? window : null;
  }

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
