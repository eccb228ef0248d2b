package taper.cpu.moving;

/// The innermost loops of what moves elements, assembled. Addresses, steps, strides and sizes of blocks are in bytes; those
/// who call them keep the memory alive.
///
/// Indices are `int64`. A negative one counts from the end, which lies `size` steps behind the beginning.
public interface Loops {

  /// What is done with the element, or block, that an index names.
  enum Way {
    /// `to[i] = from[index[i]]`.
    PICK,
    /// `to[index[i]] = from[i]`.
    PLACE,
    /// `to[index[i]] += from[i]`.
    ADD,
    /// `to[index[i]] *= from[i]`.
    MULTIPLY,
    /// `to[index[i]]` becomes the larger of both; NaN if either is.
    MAXIMUM,
    /// `to[index[i]]` becomes the smaller of both; NaN if either is.
    MINIMUM
  }

  /// A walk along indices.
  ///
  /// @param toStep how far `to` advances from one index to the next
  /// @param indexStep how far the indices lie apart
  /// @param fromStep how far `from` advances from one index to the next
  /// @param stride how far apart what neighbouring indices name lies
  /// @param size how many there are to name
  record Walk(long toStep, long indexStep, long fromStep, long stride, long size) {}

  /// How far one walk begins from the next, and how many there are.
  record Lines(long count, long toStep, long indexStep, long fromStep) {
    /// A single walk.
    public static final Lines ONE = new Lines(1, 0, 0, 0);
  }

  /// Goes through `count` indices of elements of `width` bytes, one after the other. The ways that calculate are there for
  /// `float32` and `float64`. `lines` says how often, from where.
  void elements(
      Way way, int width, Walk walk, Lines lines, long count, long to, long index, long from);

  /// Whether [#blocks] and [#rows] have blocks of `bytes` bytes.
  boolean covers(long bytes);

  /// As [#elements], with blocks of `bytes` bytes that lie densely, of elements of `width` bytes. The ways are `PICK`,
  /// `PLACE` and `ADD`.
  void blocks(
      Way way, int width, long bytes, Walk walk, long count, long to, long index, long from);

  /// Copies `rows` blocks of `bytes` bytes.
  void rows(long rows, long bytes, long to, long toRow, long from, long fromRow);

  /// Whether [#reversed] and [#equal] have lines of `bytes` bytes of elements of `width` bytes.
  boolean coversLine(int width, long bytes);

  /// Copies `rows` lines of `bytes` bytes, of elements of `width` bytes, in reverse order. `from` is the lowest address of a
  /// line that is read.
  void reversed(int width, long rows, long bytes, long to, long toRow, long from, long fromRow);

  /// Fills `rows` lines of `bytes` bytes, each with the element of `width` bytes that lies at `from`, and `fromRow` further.
  void equal(int width, long rows, long bytes, long to, long toRow, long from, long fromRow);

  /// Whether [#repeated] has elements of `width` bytes, `count` of them, `times` times.
  boolean coversRepeats(int width, long count, long times);

  /// Writes each of `count` elements of `width` bytes `times` times.
  void repeated(int width, int times, long count, long to, long from);

  /// Writes zeros. What is `large` goes past the caches, which it would not fit.
  void clear(boolean large, long bytes, long to);

  /// Writes element `p` of column `c` of a strip to element `c` of row `p`, for all of `length` rows; see [#side].
  void transpose(boolean wide, int length, long from, long fromColumn, long to, long toRow);

  /// How many columns a strip to transpose has, of elements of 4 or 8 bytes.
  static int side(int width) {
    return 32 / width;
  }
}
