package taper.cpu.products;

/// How a padded image lies in memory as one flat row of numbers, so that a filter tap is a distance.
///
/// Rows of `pitch` numbers follow each other. The zeros to the right of a row are those to the left of the
/// next. An output at (`y`, `x`) has the flat index `y * pitch + x`, and reads, through a tap, the number
/// that lies a constant distance further on. Outputs between the rows are computed in vain and dropped.
///
/// A filter that moves in steps, or whose reads start anywhere, is reduced to one that moves by one: the
/// image is dealt out to `stepH * stepW` planes, one for each remainder of row and column.
///
/// All lengths are in elements. Immutable.
///
/// @param stepH steps between the rows that belong to one plane, likewise `stepW`
/// @param top first row of the image below the start of the planes, in rows of the image (the padding)
/// @param pitch distance of rows in a plane
/// @param plane distance of planes
record FlatPlanes(
    int height,
    int width,
    int stepH,
    int stepW,
    int top,
    int left,
    int rows,
    int columns,
    int pitch,
    int plane) {

  /// Planes for an image of `height` × `width` with `top` rows of zeros above and `left` columns of zeros
  /// beside it, of which `rows` rows and `columns` columns can be reached; `slack` more zeros follow.
  static FlatPlanes of(
      int height,
      int width,
      int stepH,
      int stepW,
      int top,
      int left,
      int rows,
      int columns,
      int slack) {
    int shared = Integer.MAX_VALUE;
    for (int phase = 0; phase < stepW; phase++) {
      int before = Math.ceilDiv(Math.max(0, left - phase), stepW);
      int end = Math.ceilDiv(Math.max(0, width + left - phase), stepW);
      shared = Math.min(shared, Math.min(before, Math.max(0, columns - end)));
    }
    int pitch = columns - shared;
    // A plane starts on a cache line.
    int plane = (rows * pitch + shared + slack + 15) / 16 * 16;
    return new FlatPlanes(height, width, stepH, stepW, top, left, rows, columns, pitch, plane);
  }

  /// The number of planes an image is dealt out to.
  int phases() {
    return stepH * stepW;
  }

  /// Where the number lies that the output at the origin reads at row `y` and column `x` of the padded
  /// image, counted from the start of its first plane.
  int distance(int y, int x) {
    int phase = y % stepH * stepW + x % stepW;
    return phase * plane + y / stepH * pitch + x / stepW;
  }

  /// Copies `count` images that lie one behind the other into planes that were zeros.
  void fill(long block, Lanes lanes, long from, long to, int count) {
    long es = lanes.bytes();
    for (int phaseH = 0; phaseH < stepH; phaseH++) {
      int firstRow = Math.ceilDiv(Math.max(0, top - phaseH), stepH);
      int inRow = firstRow * stepH + phaseH - top;
      int copied = Math.min(rows - firstRow, Math.ceilDiv(Math.max(0, height - inRow), stepH));
      for (int phaseW = 0; phaseW < stepW; phaseW++) {
        int firstColumn = Math.ceilDiv(Math.max(0, left - phaseW), stepW);
        int inColumn = firstColumn * stepW + phaseW - left;
        int length =
            Math.min(columns - firstColumn, Math.ceilDiv(Math.max(0, width - inColumn), stepW));
        if (copied <= 0 || length <= 0) {
          continue;
        }
        long source = from + ((long) inRow * width + inColumn) * es;
        long target =
            to
                + ((long) (phaseH * stepW + phaseW) * plane + (long) firstRow * pitch + firstColumn)
                    * es;
        if (stepW == 1) {
          PlaneCopy.run(
              block,
              lanes,
              false,
              source,
              (long) stepH * width * es,
              (long) height * width * es,
              target,
              pitch * es,
              (long) phases() * plane * es,
              length,
              copied,
              count);
        } else {
          deal(lanes, source, target, length, copied, count);
        }
      }
    }
  }

  private void deal(Lanes lanes, long source, long target, int length, int copied, int count) {
    long es = lanes.bytes();
    for (int image = 0; image < count; image++) {
      for (int y = 0; y < copied; y++) {
        long from = source + ((long) image * height + (long) y * stepH) * width * es;
        long to = target + ((long) image * phases() * plane + (long) y * pitch) * es;
        for (int x = 0; x < length; x++) {
          Scratch.copyElement(to + x * es, from + (long) x * stepW * es, lanes.wide());
        }
      }
    }
  }
}
