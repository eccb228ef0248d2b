package taper.cpu.products;

import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;

/// How the channels of an image lie in memory, so that a filter tap is a constant distance.
///
/// There is a copy of each channel for each column of the filter, shifted as that column sees it and cut to
/// the columns of the result, with zeros where it looks beyond the image. A row of the filter then is a
/// number of rows further down. So the output at flat index `i` reads, through a tap, the number `i` behind
/// a place that depends on the tap alone; no output is computed in vain, and the result lies in memory as
/// it is wanted. Copying costs a few per cent of the products; nothing is unrolled into a matrix.
///
/// Where the filter moves by more than one, rows and columns are first dealt out by their remainder.
///
/// All lengths are in elements. Immutable.
///
/// @param height rows of the image, `width` its columns
/// @param stepH distance of neighbouring rows of a copy in the image, `stepW` of columns
/// @param rowPhase by row of the filter: which rows it meets, as remainder
/// @param rowShift by row of the filter: how many rows below the top of the copy it starts
/// @param columnPhase by column of the filter: which columns it meets, as remainder
/// @param columnShift by column of the filter: the column, among those it meets, that the first output sees
/// @param above rows of zeros above the image, `rows` rows of a copy in all
/// @param columns columns of a copy
/// @param plane distance of copies
record ShiftedPlanes(
    int height,
    int width,
    int stepH,
    int stepW,
    int[] rowPhase,
    int[] rowShift,
    int[] columnPhase,
    int[] columnShift,
    int above,
    int rows,
    int columns,
    int plane) {

  /// Planes for a result of `outRows` × `outColumns`, whose element (`y`, `x`) sees, through filter row `i`
  /// and column `j`, the element (`y * stepH + top[i]`, `x * stepW + left[j]`) of the image.
  static ShiftedPlanes of(
      int height,
      int width,
      int stepH,
      int stepW,
      int[] top,
      int[] left,
      int outRows,
      int outColumns,
      int slack) {
    int[] rowPhase = new int[top.length];
    int[] rowShift = new int[top.length];
    int above = 0;
    for (int i = 0; i < top.length; i++) {
      rowPhase[i] = Math.floorMod(top[i], stepH);
      rowShift[i] = Math.floorDiv(top[i], stepH);
      above = Math.max(above, -rowShift[i]);
    }
    int rows = 0;
    for (int i = 0; i < top.length; i++) {
      rowShift[i] += above;
      rows = Math.max(rows, rowShift[i] + outRows);
    }
    int[] columnPhase = new int[left.length];
    int[] columnShift = new int[left.length];
    for (int j = 0; j < left.length; j++) {
      columnPhase[j] = Math.floorMod(left[j], stepW);
      columnShift[j] = Math.floorDiv(left[j], stepW);
    }
    // Planes start on cache lines, an odd number of them apart: a tap's planes then do not collide.
    int plane = (rows * outColumns + slack + 15) / 16 * 16;
    plane += plane / 16 % 2 == 0 ? 16 : 0;
    return new ShiftedPlanes(
        height,
        width,
        stepH,
        stepW,
        rowPhase,
        rowShift,
        columnPhase,
        columnShift,
        above,
        rows,
        outColumns,
        plane);
  }

  /// The distance of channels.
  long channel() {
    return (long) stepH * columnShift.length * plane;
  }

  /// The distance of what filter row `i` sees from the start of the channel.
  long down(int i) {
    return (long) rowPhase[i] * columnShift.length * plane + (long) rowShift[i] * columns;
  }

  /// The distance of what filter row `i` and column `j` see from the start of the channel.
  long tap(int i, int j) {
    return down(i) + (long) j * plane;
  }

  /// Copies `count` channels that lie one behind the other, into memory that was zero wherever no call for
  /// these planes has written.
  void fill(Scratch scratch, long block, Lanes lanes, long from, long to, int count) {
    if (stepW == 1) {
      for (int phase = 0; phase < stepH; phase++) {
        int rowsHere = Math.ceilDiv(Math.max(0, height - phase), stepH);
        shift(
            block,
            lanes,
            from + (long) phase * width * lanes.bytes(),
            (long) stepH * width,
            (long) height * width,
            width,
            rowsHere,
            phase,
            0,
            to,
            count);
      }
      return;
    }
    // First by remainder: [phaseH][phaseW][row][column].
    int dealtWidth = Math.ceilDiv(width, stepW);
    int dealtHeight = Math.ceilDiv(height, stepH);
    long piece = (long) dealtWidth * dealtHeight;
    long dealt = scratch.address(Use.DEALT, stepH * stepW * piece * lanes.bytes());
    for (int c = 0; c < count; c++) {
      long image = from + (long) c * height * width * lanes.bytes();
      deal(block, lanes, image, dealt, dealtWidth, piece);
      for (int phaseH = 0; phaseH < stepH; phaseH++) {
        int rowsHere = Math.ceilDiv(Math.max(0, height - phaseH), stepH);
        for (int phaseW = 0; phaseW < stepW; phaseW++) {
          shift(
              block,
              lanes,
              dealt + (phaseH * stepW + phaseW) * piece * lanes.bytes(),
              dealtWidth,
              0,
              Math.ceilDiv(Math.max(0, width - phaseW), stepW),
              rowsHere,
              phaseH,
              phaseW,
              to + c * channel() * lanes.bytes(),
              1);
        }
      }
    }
  }

  private void deal(long block, Lanes lanes, long from, long dealt, int dealtWidth, long piece) {
    int es = lanes.bytes();
    if (stepW == 2 && PairSplit.covers(lanes, width)) {
      for (int phase = 0; phase < stepH; phase++) {
        PairSplit.run(
            block,
            lanes,
            from + (long) phase * width * es,
            (long) stepH * width * es,
            width,
            Math.ceilDiv(Math.max(0, height - phase), stepH),
            dealt + phase * 2 * piece * es,
            (long) dealtWidth * es,
            piece * es);
      }
      return;
    }
    for (int y = 0; y < height; y++) {
      long row = from + (long) y * width * es;
      for (int phase = 0; phase < stepW; phase++) {
        long target =
            dealt + ((y % stepH * stepW + phase) * piece + (long) (y / stepH) * dealtWidth) * es;
        for (int x = phase; x < width; x += stepW, target += es) {
          Raw.copyElement(target, row + (long) x * es, lanes.wide());
        }
      }
    }
  }

  /// Copies the columns of the filter that meet `phaseW` from images of `w` columns and `h` rows.
  private void shift(
      long block,
      Lanes lanes,
      long from,
      long fromRow,
      long fromChannel,
      int w,
      int h,
      int phaseH,
      int phaseW,
      long to,
      int count) {
    int es = lanes.bytes();
    int copied = Math.min(h, rows - above);
    for (int j = 0; j < columnShift.length; j++) {
      if (columnPhase[j] != phaseW) {
        continue;
      }
      int first = Math.max(0, -columnShift[j]);
      int length = Math.min(columns, w - columnShift[j]) - first;
      if (length <= 0 || copied <= 0) {
        continue;
      }
      long plane0 = ((long) phaseH * columnShift.length + j) * plane;
      PlaneCopy.run(
          block,
          lanes,
          false,
          from + (long) (first + columnShift[j]) * es,
          fromRow * es,
          fromChannel * es,
          to + (plane0 + (long) above * columns + first) * es,
          (long) columns * es,
          channel() * es,
          length,
          copied,
          count);
    }
  }
}
