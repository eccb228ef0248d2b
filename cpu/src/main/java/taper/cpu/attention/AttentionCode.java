package taper.cpu.attention;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import taper.cpu.assembler.Isa;
import taper.cpu.x86.AttentionTiles;
import taper.tensor.DType;

/// What all calls of attention on elements of one type share. Immutable.
final class AttentionCode {
  /// Queries, and keys, in a block.
  static final int BLOCK = 64;

  final Isa isa;
  final boolean wide;

  /// The size of an element in bytes.
  final int bytes;

  final AttentionTiles tiles;

  /// The address of a tile that is 0 where a query may look back at a key, negative infinity elsewhere.
  final long causal;

  private final MemorySegment causalTile;

  AttentionCode(Isa isa, DType dtype) {
    this.isa = isa;
    this.wide = dtype == DType.FLOAT64;
    this.bytes = dtype.byteSize();
    this.tiles = new AttentionTiles(isa, dtype);
    this.causalTile = Arena.global().allocate((long) BLOCK * BLOCK * bytes, 64);
    this.causal = causalTile.address();
    for (int key = 0; key < BLOCK; key++) {
      for (int query = 0; query < BLOCK; query++) {
        double value = query < key ? Double.NEGATIVE_INFINITY : 0;
        long at = (long) key * BLOCK + query;
        if (wide) {
          causalTile.setAtIndex(ValueLayout.JAVA_DOUBLE, at, value);
        } else {
          causalTile.setAtIndex(ValueLayout.JAVA_FLOAT, at, (float) value);
        }
      }
    }
  }

  /// The bytes from row to row of a tile.
  long row() {
    return (long) BLOCK * bytes;
  }
}
