package taper.cpu.x86;

import taper.cpu.parallel.Parallel;

/// Planes whose columns are gone down side by side, cut into blocks that stay in the cache from row to row and are shared out
/// among threads. Depends on the sizes alone.
///
/// @param planes how many planes there are
/// @param depth the rows of a plane
/// @param width the columns of a plane
/// @param together the columns of a block, at most
record ColumnCut(long planes, long depth, long width, long together) {

  /// What is done with a block of columns.
  interface Block {
    void run(long plane, long column, long span);
  }

  /// Blocks of some `elements` elements.
  ///
  /// @param least the columns of a block, at least, but for the last of a plane
  /// @param most the columns of a block, at most
  static ColumnCut of(long planes, long depth, long width, long elements, long least, long most) {
    return new ColumnCut(planes, depth, width, Math.clamp(elements / depth, least, most));
  }

  /// Hands out the blocks, to a thread some `grain` elements at least.
  void run(long grain, Block block) {
    long columns = Math.ceilDiv(width, together);
    Parallel.run(
        planes * columns,
        Math.max(1, grain / (depth * Math.min(together, width))),
        (first, end) -> {
          for (long n = first; n < end; n++) {
            long column = n % columns * together;
            block.run(n / columns, column, Math.min(together, width - column));
          }
        });
  }
}
