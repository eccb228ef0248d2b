package taper.cpu.attention;

import taper.cpu.assembler.Isa;
import taper.cpu.x86.AttentionTiles;
import taper.tensor.DType;

/// What all calls of attention on elements of one type share. Immutable.
final class AttentionCode {
  /// Queries, and keys, in a block.
  static final int BLOCK = AttentionTiles.COLUMNS;

  final Isa isa;
  final boolean wide;

  /// The size of an element in bytes.
  final int bytes;

  final AttentionTiles tiles;

  AttentionCode(Isa isa, DType dtype) {
    this.isa = isa;
    this.wide = dtype == DType.FLOAT64;
    this.bytes = dtype.byteSize();
    this.tiles = new AttentionTiles(isa, dtype);
  }

  /// The bytes from row to row of a tile.
  long row() {
    return (long) BLOCK * bytes;
  }
}
