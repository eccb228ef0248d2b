package taper.cpu.products;

import taper.cpu.parallel.Raw;

/// Copies blocks of matrices into panels, in which the elements lie in the order that [BatchReduce] takes
/// them. Both kinds are written by assembled code, whichever way the rows of the matrix run.

final class PanelPacking {
  /// So many panels are written at a time: reading goes along rows for as long as that, and writing to no
  /// more places than the first cache has ways, which lie a power of two apart if the panels do.
  static final int GROUP = 4;

  private PanelPacking() {}

  /// `height` rows of A column by column: element (`i`, `p`) goes to place `p * height + i`. Up to a register
  /// behind the panel is overwritten.
  static void left(
      long block, Lanes lanes, long a, long aRow, long aColumn, long to, int height, int length) {
    left(block, lanes, a, aRow, aColumn, to, height, length, height);
  }

  /// The distance of panels of A, in bytes.
  static long leftBytes(Lanes lanes, int height, int length) {
    return (long) length * height * lanes.bytes() + 64;
  }

  /// The same for `count` panels of `height` rows each, [#leftBytes] apart.
  static void leftPanels(
      long block,
      Lanes lanes,
      long a,
      long aRow,
      long aColumn,
      long to,
      int height,
      int length,
      int count) {
    int es = lanes.bytes();
    long panel = leftBytes(lanes, height, length);
    if (aRow == es && count > 1) {
      long row = (long) height * es;
      PlaneCopy.run(block, lanes, true, a, row, aColumn, to, panel, row, height, count, length);
      return;
    }
    for (int q = count - 1; q >= 0; q--) {
      left(block, lanes, a + q * height * aRow, aRow, aColumn, to + q * panel, height, length);
    }
  }

  /// `columns` columns of B, cut into panels of `width` columns, each row by row.
  static void right(
      long block,
      Lanes lanes,
      long b,
      long bRow,
      long bColumn,
      long to,
      int columns,
      int length,
      int width) {
    int es = lanes.bytes();
    long panel = (long) length * width * es;
    int full = columns / width;
    int rest = columns % width;
    if (bColumn == es) {
      long row = (long) width * es;
      for (int j = 0; j < full; j += GROUP) {
        int panels = Math.min(GROUP, full - j);
        PlaneCopy.run(
            block,
            lanes,
            true,
            b + j * row,
            row,
            bRow,
            to + j * panel,
            panel,
            row,
            width,
            panels,
            length);
      }
      PlaneCopy.run(
          block, lanes, true, b + full * row, bRow, 0, to + full * panel, row, 0, rest, length, 1);
      return;
    }
    for (int j = 0; j < columns; j += width) {
      left(
          block,
          lanes,
          b + j * bColumn,
          bColumn,
          bRow,
          to + j / width * panel,
          Math.min(width, columns - j),
          length,
          width);
    }
  }

  /// As [#left], with columns `pitch` elements apart.
  static void left(
      long block,
      Lanes lanes,
      long a,
      long aRow,
      long aColumn,
      long to,
      int height,
      int length,
      int pitch) {
    int es = lanes.bytes();
    long toRow = (long) pitch * es;
    if (aRow == es) {
      PlaneCopy.run(block, lanes, true, a, aColumn, 0, to, toRow, 0, height, length, 1);
    } else if (aColumn == es) {
      // From right to left, since each strip may write some zeros behind its rows.
      boolean wide = lanes.wide();
      int side = lanes.masks() ? WideTransposition.side(wide) : Transposition.side(wide);
      for (int i = (height - 1) / side * side; i >= 0; i -= side) {
        int rows = Math.min(side, height - i);
        long from = a + i * aRow;
        long at = to + (long) i * es;
        if (lanes.masks() && rows > side / 2) {
          WideTransposition.run(block, wide, rows, length, from, aRow, at, toRow);
        } else {
          Transposition.run(block, wide, rows, length, from, aRow, at, toRow);
        }
      }
    } else {
      for (int p = 0; p < length; p++) {
        for (int i = 0; i < height; i++) {
          Raw.copyElement(to + p * toRow + (long) i * es, a + i * aRow + p * aColumn, lanes.wide());
        }
      }
    }
  }
}
