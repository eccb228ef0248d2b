package taper.cpu.x86;

/// How `[images, channels, inner]` is cut into cells that fit into the second cache: some images, and of each some
/// neighbouring channels or, where a channel is long, a piece of one.
///
/// If the cells are [#whole], each holds all there is of its channels. The cut depends on the sizes only. Immutable.
///
/// @param together the channels of a cell
/// @param length the elements of a channel of an image in a cell
/// @param height the images of a cell
record ChannelCells(
    long images, long channels, long inner, int bytes, long together, long length, long height) {
  /// In bytes: what the second cache holds on all processors, with room for results.
  private static final long CELL = 1 << 18;

  /// One channel may take so much: half of what the second cache has on most processors.
  private static final long LARGE_CELL = 1 << 19;

  /// In bytes of an image: what a row of sums takes in the first cache where they are by column.
  private static final long SHORT_ROW = 1 << 12;

  /// In bytes of an image: what is worth a start.
  private static final long LEAST_ROW = 1 << 9;

  private static final long LEAST_CELL = 1 << 16;
  private static final long LEAST_COUNT = 8;

  /// In bytes of a channel of an image: where it is shorter, what belongs to it is repeated for each column.
  private static final long SHORT = 1 << 8;

  /// So many elements are summed in the precision of the elements.
  private static final long MOST_SUMMED = 512;

  /// The cut for `operands` tensors of these sizes.
  static ChannelCells of(long images, long channels, long inner, int bytes, int operands) {
    long row = (inner * bytes < SHORT ? SHORT_ROW : CELL / operands) / bytes;
    if (inner > row) {
      long pieces = Math.ceilDiv(inner, row);
      long length = Math.min(inner, (Math.ceilDiv(inner, pieces) + 15) / 16 * 16);
      long height = height(images, length * bytes * operands);
      return new ChannelCells(images, channels, inner, bytes, 1, length, height);
    }
    long together = Math.min(channels, row / inner);
    long channel = images * inner * bytes * operands;
    long most = channel <= LARGE_CELL ? Math.max(1, CELL / channel) : 0;
    if (images <= MOST_SUMMED && most * inner * bytes >= Math.min(LEAST_ROW, inner * bytes)) {
      together = Math.min(together, most);
      while (Math.ceilDiv(channels, together) < LEAST_COUNT
          && images * together * inner * bytes >= 2 * LEAST_CELL
          && together * inner * bytes >= 2 * LEAST_ROW) {
        together = (together + 1) / 2;
      }
      return new ChannelCells(images, channels, inner, bytes, together, inner, images);
    }
    long height = height(images, together * inner * bytes * operands);
    return new ChannelCells(images, channels, inner, bytes, together, inner, height);
  }

  private static long height(long images, long bytes) {
    long most = Math.clamp(CELL / bytes, 1, MOST_SUMMED);
    return Math.ceilDiv(images, Math.ceilDiv(images, most));
  }

  /// Whether a cell holds all there is of its channels.
  boolean whole() {
    return height == images && length == inner;
  }

  /// Whether what belongs to a channel is repeated for each column.
  boolean byColumn() {
    return inner * bytes < SHORT;
  }

  long count() {
    return layers() * columns();
  }

  /// How many cells share a channel: the parts of it.
  long parts() {
    return layers() * pieces();
  }

  private long layers() {
    return Math.ceilDiv(images, height);
  }

  private long columns() {
    return Math.ceilDiv(channels, together) * pieces();
  }

  private long pieces() {
    return Math.ceilDiv(inner, length);
  }

  /// The bytes from image to image.
  long image() {
    return channels * inner * bytes;
  }

  /// The first channel of a cell.
  long channel(long cell) {
    return cell % columns() / pieces() * together;
  }

  /// The number of channels of a cell.
  long channels(long cell) {
    return Math.min(together, channels - channel(cell));
  }

  /// The elements of a channel of an image in a cell.
  long length(long cell) {
    return Math.min(length, inner - cell % columns() % pieces() * length);
  }

  /// The number of images of a cell.
  long images(long cell) {
    return Math.min(height, images - cell / columns() * height);
  }

  /// Which part of its channels a cell holds.
  long part(long cell) {
    return cell / columns() * pieces() + cell % columns() % pieces();
  }

  /// The elements of a channel in a part of it.
  long size(long part) {
    long length = Math.min(this.length, inner - part % pieces() * this.length);
    return length * Math.min(height, images - part / pieces() * height);
  }

  /// Where a cell starts, in bytes.
  long offset(long cell) {
    long start = cell % columns() % pieces() * length;
    return cell / columns() * height * image() + (channel(cell) * inner + start) * bytes;
  }
}
