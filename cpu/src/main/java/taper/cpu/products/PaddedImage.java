package taper.cpu.products;

import java.lang.foreign.MemorySegment;

/// Where the numbers of an image lie in the scratch array of [Rows], with zeros around them, so that what a
/// filter tap sees needs no checks. Immutable.
///
/// @param height rows of the image as it is loaded, `width` its columns
/// @param spreadH distance of loaded rows, `spreadW` of columns: more than 1 leaves zeros between them
/// @param top rows of zeros above
/// @param left columns of zeros to the left
/// @param rows rows in all
/// @param columns columns in all
/// @param taps where each filter tap sees its first number, from the start of a channel
/// @param stepH distance of rows that neighbouring rows of the result see, `stepW` of columns
/// @param outColumns columns of the result
record PaddedImage(
    int height,
    int width,
    int spreadH,
    int spreadW,
    int top,
    int left,
    int rows,
    int columns,
    int[] taps,
    int stepH,
    int stepW,
    int outColumns) {

  /// The input of a convolution.
  static PaddedImage ofInput(Geometry g) {
    Window w = g.window();
    int columns = g.inW() + 2 * w.padW();
    int[] taps = new int[g.taps()];
    for (int t = 0; t < taps.length; t++) {
      taps[t] = t / g.kernelW() * w.dilationH() * columns + t % g.kernelW() * w.dilationW();
    }
    return new PaddedImage(
        g.inH(),
        g.inW(),
        1,
        1,
        w.padH(),
        w.padW(),
        g.inH() + 2 * w.padH(),
        columns,
        taps,
        w.strideH(),
        w.strideW(),
        g.outW());
  }

  /// The gradient of the output, as the input gradient sees it: rows and columns of zeros stand for the
  /// steps of the filter, and taps look upwards and to the left.
  static PaddedImage ofGradient(Geometry g) {
    Window w = g.window();
    int reachH = (g.kernelH() - 1) * w.dilationH();
    int reachW = (g.kernelW() - 1) * w.dilationW();
    int top = Math.max(0, reachH - w.padH());
    int left = Math.max(0, reachW - w.padW());
    int rows = top + Math.max(g.inH() + w.padH(), (g.outH() - 1) * w.strideH() + 1);
    int columns = left + Math.max(g.inW() + w.padW(), (g.outW() - 1) * w.strideW() + 1);
    int[] taps = new int[g.taps()];
    for (int t = 0; t < taps.length; t++) {
      taps[t] =
          (top + w.padH() - t / g.kernelW() * w.dilationH()) * columns
              + (left + w.padW() - t % g.kernelW() * w.dilationW());
    }
    return new PaddedImage(
        g.outH(),
        g.outW(),
        w.strideH(),
        w.strideW(),
        top,
        left,
        rows,
        columns,
        taps,
        1,
        1,
        g.inW());
  }

  /// Loads `channels` channels that lie one behind the other.
  void load(Rows rows, MemorySegment from, long offset, int channels) {
    rows.clearImage(channels * this.rows * columns);
    for (int c = 0; c < channels; c++) {
      for (int y = 0; y < height; y++) {
        rows.loadImage(
            (c * this.rows + top + y * spreadH) * columns + left,
            spreadW,
            from,
            offset + ((long) c * height + y) * width * rows.byteSize(),
            width);
      }
    }
  }

  /// Puts what pixels `j` to `j + n` of the result see of `channel` through `tap` into `row`.
  void pixels(Rows rows, int row, int channel, int tap, int j, int n) {
    int start = channel * this.rows * columns + taps[tap];
    int at = 0;
    while (at < n) {
      int y = (j + at) / outColumns;
      int x = (j + at) % outColumns;
      int count = Math.min(n - at, outColumns - x);
      rows.takeImage(row, at, start + y * stepH * columns + x * stepW, stepW, count);
      at += count;
    }
  }

  /// Where pixel `p` of the result sees its first number.
  int pixel(int p) {
    return p / outColumns * stepH * columns + p % outColumns * stepW;
  }

  /// The distances of all taps of `channels` channels.
  int[] distances(int channels, Geometry g) {
    int[] all = new int[channels * g.taps()];
    for (int i = 0; i < all.length; i++) {
      all[i] = i / taps.length * rows * columns + taps[i % taps.length];
    }
    return all;
  }
}
