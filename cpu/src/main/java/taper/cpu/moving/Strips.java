package taper.cpu.moving;

/// Transposes strips in assembled code. Addresses and steps are in bytes.
@FunctionalInterface
public interface Strips {

  /// How many columns a strip has, of elements of 4 or 8 bytes.
  static int side(int width) {
    return 32 / width;
  }

  /// Writes element `p` of column `c` of a strip to element `c` of row `p`, for all of `length` rows.
  void transpose(boolean wide, int length, long from, long fromColumn, long to, long toRow);
}
