package taper.cpu.separable;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.cpu.separable.SeparableCode.Sum;
import taper.tensor.spi.Taps;

/// What [SeparableCode] reads about the maps: which rows of an image make a row of the result, and which columns a vector of
/// it. Immutable; threads may share it.
///
/// Where all taps of an element count the same, as in averages, they are added, and the sum is divided: that is exact where
/// a weight such as 1/9 is not.
final class MapTable {
  // A row of the result.
  static final int ROW_TAPS = 0;
  static final int ROW_COUNT = 8;
  static final int ROW_DIVISOR = 16;
  static final int ROW_BYTES = 32;

  // A row that is added to it.
  static final int TAP_OFFSET = 0;
  static final int TAP_WEIGHT = 8;
  static final int TAP_BYTES = 16;

  // A vector of the result.
  static final int VECTOR_PICK = 0;
  static final int VECTOR_COUNT = 8;
  static final int VECTOR_MASK = 16;
  static final int VECTOR_LANES = 32;
  static final int VECTOR_DIVISORS = 64;

  // What is added to it: elements at an offset, or at indices; masks as bits, and as lanes of ones.
  static final int PICK_OFFSET = 0;
  static final int PICK_MASK = 8;
  static final int PICK_LANES = 32;
  static final int PICK_INDICES = 64;

  /// How the elements of a vector are found in a row.
  enum Pick {
    /// They are neighbours.
    LOADED,
    /// They are within two vectors.
    PERMUTED,
    /// They are anywhere.
    GATHERED
  }

  private final Isa isa;
  private final int lanes;
  private final Taps[] taps;
  private final Sum sum;
  private final int rows;
  private final int columns;
  private final long rowTaps;
  private final long picks;
  private final MemorySegment memory;
  private long at;

  private MapTable(Isa isa, Taps[] taps, Sum sum) {
    this.isa = isa;
    this.lanes = isa.lanes(4);
    this.taps = taps;
    this.sum = sum;
    this.columns = taps[taps.length - 1].out();
    int rows = 1;
    long rowTaps = 1;
    for (int d = 0; d < taps.length - 1; d++) {
      rows = Math.multiplyExact(rows, taps[d].out());
      rowTaps *= taps[d].index().length;
    }
    this.rows = rows;
    this.rowTaps = rowTaps;
    long picks = 0;
    for (int o = 0; o < columns; o += lanes) {
      picks += most(o);
    }
    this.picks = picks;
    long size =
        (long) ROW_BYTES * rows
            + TAP_BYTES * rowTaps
            + (long) vectorBytes(isa) * vectors()
            + pickBytes(isa) * picks;
    this.memory = Arena.ofAuto().allocate(size + 64, 64);
    this.at = memory.address();
    writeRows();
    writeVectors();
  }

  /// The table of maps along each dimension, of which the last is that of columns.
  static MapTable of(Isa isa, Taps... taps) {
    boolean plain = true;
    boolean boxes = true;
    for (Taps t : taps) {
      for (int o = 0; o < t.out() && boxes; o++) {
        double weight = weight(t, o);
        plain &= weight == 1;
        for (int i = t.start()[o] + 1; i < t.start()[o + 1]; i++) {
          boxes &= t.weight()[i] == weight;
        }
      }
    }
    return new MapTable(isa, taps, !boxes ? Sum.WEIGHTED : plain ? Sum.PLAIN : Sum.DIVIDED);
  }

  /// What the first tap of an element counts; 1 if it has none.
  private static double weight(Taps t, int o) {
    return t.start()[o] == t.start()[o + 1] ? 1 : t.weight()[t.start()[o]];
  }

  /// The bytes of the head of a vector.
  static int vectorBytes(Isa isa) {
    return VECTOR_DIVISORS + isa.bits() / 8;
  }

  /// The bytes of a pick.
  static int pickBytes(Isa isa) {
    return PICK_INDICES + 2 * isa.bits() / 8;
  }

  /// Where the weights of a pick are.
  static int pickWeights(Isa isa) {
    return PICK_INDICES + isa.bits() / 8;
  }

  Sum sum() {
    return sum;
  }

  /// The rows of the result.
  int rows() {
    return rows;
  }

  /// The vectors of a row of the result.
  int vectors() {
    return Math.ceilDiv(columns, lanes);
  }

  /// The columns of the result.
  int columns() {
    return columns;
  }

  /// The columns of the image.
  int columnsIn() {
    return taps[taps.length - 1].in();
  }

  /// The elements of the image.
  long elementsIn() {
    long n = 1;
    for (Taps t : taps) {
      n *= t.in();
    }
    return n;
  }

  /// About how many elements are added for an image.
  long work() {
    return rowTaps * columnsIn() + (picks + vectors()) * lanes * rows;
  }

  /// Where the entry of a row is.
  long row(long r) {
    return memory.address() + ROW_BYTES * r;
  }

  /// Where the entries of vectors are.
  long vectorTable() {
    return memory.address() + ROW_BYTES * (long) rows + TAP_BYTES * rowTaps;
  }

  /// The size in bytes.
  long byteSize() {
    return memory.byteSize();
  }

  private void writeRows() {
    at = row(rows);
    int[] o = new int[taps.length - 1];
    for (int r = 0; r < rows; r++) {
      long first = at;
      double divisor = writeTaps(0, o, 0, 1, 1);
      long row = row(r);
      Raw.put(row + ROW_TAPS, first);
      Raw.put(row + ROW_COUNT, (at - first) / TAP_BYTES);
      Raw.put(row + ROW_DIVISOR, (float) divisor);
      for (int d = o.length - 1; d >= 0 && ++o[d] == taps[d].out(); d--) {
        o[d] = 0;
      }
    }
  }

  /// Writes the rows that make row `o`, dimension by dimension, and returns what their sum is divided by.
  private double writeTaps(int d, int[] o, long row, double weight, double divisor) {
    if (d == o.length) {
      Raw.put(at + TAP_OFFSET, row * columnsIn() * 4);
      Raw.put(at + TAP_WEIGHT, (float) weight);
      at += TAP_BYTES;
      return divisor;
    }
    Taps t = taps[d];
    double all = divisor * (float) (1 / weight(t, o[d]));
    for (int i = t.start()[o[d]]; i < t.start()[o[d] + 1]; i++) {
      all =
          writeTaps(
              d + 1,
              o,
              row * t.in() + t.index()[i],
              weight * t.weight()[i],
              divisor * (float) (1 / weight(t, o[d])));
    }
    return all;
  }

  private void writeVectors() {
    Taps t = taps[taps.length - 1];
    at = vectorTable();
    for (int o = 0; o < columns; o += lanes) {
      int count = Math.min(lanes, columns - o);
      int most = most(o);
      Pick pick = pick(o, count, most);
      Raw.put(at + VECTOR_PICK, (long) pick.ordinal());
      Raw.put(at + VECTOR_COUNT, (long) most);
      Raw.put(at + VECTOR_MASK, (1L << count) - 1);
      for (int lane = 0; lane < lanes; lane++) {
        double divisor = lane < count ? 1 / weight(t, o + lane) : 1;
        Raw.put(at + VECTOR_DIVISORS + 4L * lane, (float) divisor);
      }
      if (isa == Isa.AVX2) {
        ones(at + VECTOR_LANES, (1 << count) - 1, lanes);
      }
      at += vectorBytes(isa);
      for (int k = 0; k < most; k++) {
        writePick(o, count, k, pick);
      }
    }
  }

  /// Writes a mask as lanes of ones or zeros.
  static void ones(long to, int mask, int lanes) {
    for (int lane = 0; lane < lanes; lane++) {
      Raw.putInt(to + 4L * lane, (mask >> lane & 1) == 0 ? 0 : -1);
    }
  }

  /// The taps of the element that has most, of those of a vector.
  private int most(int o) {
    int[] start = taps[taps.length - 1].start();
    int most = 0;
    for (int i = o; i < Math.min(o + lanes, columns); i++) {
      most = Math.max(most, start[i + 1] - start[i]);
    }
    return most;
  }

  private void writePick(int o, int count, int k, Pick pick) {
    Taps t = taps[taps.length - 1];
    int least = pick == Pick.LOADED ? firstOf(o, count, k) : least(o, count, k);
    int mask = 0;
    for (int lane = 0; lane < lanes; lane++) {
      int tap = lane < count ? t.start()[o + lane] + k : 0;
      boolean picked = lane < count && tap < t.start()[o + lane + 1];
      int index = picked ? t.index()[tap] - (pick == Pick.GATHERED ? 0 : least) : 0;
      mask |= picked ? 1 << lane : 0;
      Raw.putInt(at + PICK_INDICES + 4L * lane, index);
      Raw.put(at + pickWeights(isa) + 4L * lane, picked ? (float) t.weight()[tap] : 0f);
    }
    Raw.put(at + PICK_OFFSET, 4L * least);
    Raw.put(at + PICK_MASK, (long) mask);
    if (isa == Isa.AVX2) {
      ones(at + PICK_LANES, mask, lanes);
    }
    at += pickBytes(isa);
  }

  private int least(int o, int count, int k) {
    Taps t = taps[taps.length - 1];
    int least = Integer.MAX_VALUE;
    for (int i = o; i < o + count; i++) {
      int tap = t.start()[i] + k;
      if (tap < t.start()[i + 1]) {
        least = Math.min(least, t.index()[tap]);
      }
    }
    return least;
  }

  /// The index that lane 0 has, or would have, where the elements of a tap are neighbours; negative if they are not.
  private int firstOf(int o, int count, int k) {
    Taps t = taps[taps.length - 1];
    int first = -1;
    for (int lane = 0; lane < count; lane++) {
      int tap = t.start()[o + lane] + k;
      if (tap < t.start()[o + lane + 1]) {
        int here = t.index()[tap] - lane;
        if (here < 0 || first >= 0 && here != first) {
          return -1;
        }
        first = here;
      }
    }
    return first;
  }

  private Pick pick(int o, int count, int most) {
    Taps t = taps[taps.length - 1];
    boolean neighbours = true;
    boolean near = isa == Isa.AVX512;
    for (int k = 0; k < most; k++) {
      neighbours &= firstOf(o, count, k) >= 0;
      int least = least(o, count, k);
      for (int i = o; i < o + count; i++) {
        int tap = t.start()[i] + k;
        near &= tap >= t.start()[i + 1] || t.index()[tap] - least < 2 * lanes;
      }
    }
    return neighbours ? Pick.LOADED : near ? Pick.PERMUTED : Pick.GATHERED;
  }
}
