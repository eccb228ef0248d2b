package taper.cpu.products;

import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.ChannelVectors.Loop;
import taper.cpu.products.WinogradTransform.Kind;
import taper.tensor.spi.Strided;

/// How a convolution by [Winograd] cuts images into tiles, and brings them to transformed vectors of channels.
///
/// Pixels of a tile are as far apart as taps of the filter, so tiles of a dilated convolution mesh: as many rows of
/// them as the dilation says make up a *strip*, which covers whole rows of the image. Runs of strips are turned to
/// vectors of channels together, with zeros around them.
///
/// Immutable.
final class WinogradTiles {
  static final int POSITIONS = WinogradTransform.POSITIONS;

  final Lanes lanes;

  /// Taps of a side of a filter.
  final int side;

  /// Taps of a filter.
  final int taps;

  /// The bytes of the taps of a filter that lie in panels.
  final long filterBytes;

  final int es;
  final int vector;
  private final Geometry g;
  private final int tile;
  private final int stepH;
  private final int stepW;

  WinogradTiles(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.es = lanes.bytes();
    this.vector = lanes.vectorBytes();
    this.side = geometry.kernelH();
    this.taps = side * side;
    this.filterBytes = (long) taps * WinogradTransform.TAP_VECTORS * vector;
    this.tile = WinogradTransform.SIDE + 1 - side;
    this.stepH = geometry.window().dilationH();
    this.stepW = geometry.window().dilationW();
  }

  /// Tiles of all images of the result.
  static long tiles(Geometry g) {
    Window w = g.window();
    int tile = WinogradTransform.SIDE + 1 - g.kernelH();
    return (long) g.images()
        * Math.ceilDiv(g.outH(), tile * w.dilationH())
        * w.dilationH()
        * Math.ceilDiv(g.outW(), tile * w.dilationW())
        * w.dilationW();
  }

  /// Vectors for `channels` channels.
  int vectors(int channels) {
    return Math.ceilDiv(channels, lanes.count());
  }

  /// Panels for `channels` channels, each two vectors wide.
  int panels(int channels) {
    return Math.ceilDiv(vectors(channels), 2);
  }

  /// The vectors of a panel of `channels` channels.
  int wide(int panel, int channels) {
    return Math.min(2, vectors(channels) - 2 * panel);
  }

  /// The bytes of `channels` channels of a tile.
  long row(int channels) {
    return (long) vectors(channels) * vector;
  }

  /// The distance of positions of `rows` rows of `bytes` bytes: not a power of two, which would crowd the
  /// positions of a tile into a few sets of the cache.
  static long apart(long rows, long bytes) {
    long lines = Math.ceilDiv(rows * bytes, 64L);
    return (lines | 1) * 64;
  }

  /// Planes of channels of images.
  record Images(long address, long imageBytes, int channels, int h, int w) {}

  Images of(Strided x) {
    return new Images(
        x.address(),
        x.stride(0) * es,
        Math.toIntExact(x.size(1)),
        Math.toIntExact(x.size(2)),
        Math.toIntExact(x.size(3)));
  }

  /// One convolution: what it reads and writes, and how results are tiled.
  ///
  /// @param stripRows rows of a strip
  /// @param unit columns that tiles beside each other cover, `meshed` tiles of a strip that cover them
  record Layer(
      Images from, Images to, int padH, int padW, int images, int stripRows, int unit, int meshed) {

    int units() {
      return Math.ceilDiv(to.w, unit);
    }

    /// Tiles of a strip.
    int across() {
      return units() * meshed;
    }

    /// Strips of an image.
    int down() {
      return Math.ceilDiv(to.h, stripRows);
    }

    int strips() {
      return images * down();
    }

    /// `strips`, or less of them that are whole images.
    int whole(int strips) {
      return strips < down() ? strips : strips / down() * down();
    }
  }

  Layer layer(Images from, Images to, int padH, int padW) {
    return new Layer(from, to, padH, padW, g.images(), tile * stepH, tile * stepW, stepH * stepW);
  }

  /// How far a filter reaches beyond the first row that it sees.
  int reachH() {
    return (side - 1) * stepH;
  }

  /// How far a filter reaches beyond the first column that it sees.
  int reachW() {
    return (side - 1) * stepW;
  }

  /// Transformed pixels: by block of channels, position, tile and channel.
  ///
  /// @param block channels of a block, a whole number of vectors, `blocks` their number
  /// @param position the distance of positions, `row` that of tiles
  record Transformed(
      long address, int tiles, int channels, int block, int blocks, long position, long row) {

    long at(int b) {
      return address + b * POSITIONS * position;
    }

    /// Channels of a block.
    int channels(int b) {
      return Math.min(block, channels - b * block);
    }
  }

  /// Room for `tiles` tiles of `channels` channels in blocks of at most `block`.
  Transformed room(Scratch scratch, int tiles, int channels, int block) {
    int blocks = Math.ceilDiv(channels, block);
    int each = vectors(Math.ceilDiv(channels, blocks));
    long row = (long) each * vector;
    long position = apart(tiles, row);
    long address = scratch.address(Use.LEFT, blocks * POSITIONS * position);
    int size = each * lanes.count();
    return new Transformed(
        address, tiles, channels, size, Math.ceilDiv(channels, size), position, row);
  }

  /// Runs a transform; the distance of rows (and the biases) are set.
  void transform(
      long block,
      Kind kind,
      long table,
      int tiles,
      int vectors,
      long nextPixels,
      long at,
      long position,
      long nextTile) {
    Raw.put(block + WinogradTransform.TABLE, table);
    Raw.put(block + WinogradTransform.TILES, tiles);
    Raw.put(block + WinogradTransform.VECTORS, vectors);
    Raw.put(block + WinogradTransform.NEXT_PIXELS, nextPixels);
    Raw.put(block + WinogradTransform.AT, at);
    Raw.put(block + WinogradTransform.POSITION, position);
    Raw.put(block + WinogradTransform.NEXT_TILE, nextTile);
    WinogradTransform.of(lanes, kind, side, stepW).run(block);
  }

  /// Pixels of a run of strips with channels in the lanes: blocks of channels, rows, columns.
  ///
  /// @param pitch the vectors of a row, `rows` the rows of a block
  /// @param top rows of zeros above an image, `left` columns to its left
  /// @param more rows of the tiles beyond those of the result
  record Pixels(long address, int pitch, int rows, int top, int left, int more) {}

  /// Room for the pixels that `strips` strips of the result see, with zeros at the sides, unless `owner` is the
  /// layer.
  Pixels input(Scratch scratch, Object owner, Layer layer, int strips) {
    return pixels(
        scratch,
        Use.PLANES,
        owner,
        layer,
        strips,
        vectors(layer.from.channels),
        layer.padH,
        layer.padW,
        reachH(),
        reachW());
  }

  /// Room for the pixels of `strips` strips of the result.
  Pixels output(Scratch scratch, Use use, Object owner, Layer layer, int strips, int vectors) {
    return pixels(scratch, use, owner, layer, strips, vectors, 0, 0, 0, 0);
  }

  private Pixels pixels(
      Scratch scratch,
      Use use,
      Object owner,
      Layer layer,
      int strips,
      int vectors,
      int top,
      int left,
      int moreH,
      int moreW) {
    int pitch = layer.units() * layer.unit + moreW;
    int parts = Math.ceilDiv(strips - 1, layer.down()) + 1;
    int rows = strips * layer.stripRows + parts * moreH;
    // An odd number of lines between blocks; and rows are turned in blocks of as many pixels as
    // lanes.
    rows += 1 - rows * pitch % 2;
    long bytes = ((long) vectors * rows * pitch + lanes.count()) * vector;
    long address = scratch.address(use, bytes);
    if (owner != layer && scratch.claim(use, owner)) {
      Raw.clear(address, bytes);
    }
    return new Pixels(address, pitch, rows, top, left, moreH);
  }

  /// A place in a run: what of an image its rows are.
  private interface Place {
    /// Tells that strips `from` to `to` of `image` start at row `row` of the pixels.
    void at(int image, int from, int to, int row);
  }

  private static void parts(Layer layer, Pixels p, int from, int to, Place place) {
    int row = 0;
    int next;
    for (int s = from; s < to; s = next) {
      int image = s / layer.down();
      next = Math.min(to, (image + 1) * layer.down());
      int first = s - image * layer.down();
      place.at(image, first, first + next - s, row);
      row += (next - s) * layer.stripRows + p.more;
    }
  }

  /// Writes the addresses of the tiles of strips `from` to `to` to `table`.
  void addresses(Layer layer, Pixels p, int from, int to, long table) {
    long[] at = {table};
    parts(
        layer,
        p,
        from,
        to,
        (_, first, end, row) -> {
          for (int y = 0; y < (end - first) * stepH; y++) {
            int line = row + y / stepH * layer.stripRows + y % stepH;
            for (int x = 0; x < layer.units() * stepW; x++) {
              int column = x / stepW * layer.unit + x % stepW;
              Raw.put(at[0], p.address + ((long) line * p.pitch + column) * vector);
              at[0] += 8;
            }
          }
        });
  }

  /// Makes the `tiles` addresses at `table` point `bytes` bytes further on.
  static void shift(long table, int tiles, long bytes) {
    for (int i = 0; i < tiles; i++) {
      Raw.put(table + 8L * i, Raw.longAt(table + 8L * i) + bytes);
    }
  }

  /// Sets the distance of rows that a tile sees.
  void putRow(long block, Pixels p) {
    Raw.put(block + WinogradTransform.ROW, (long) p.pitch * stepH * vector);
  }

  /// Brings strips `from` to `to` of `images` to `p`.
  void load(long block, Layer layer, Images images, Pixels p, int from, int to) {
    long next = (long) p.rows * p.pitch * vector;
    int columns = Math.min(images.w, p.pitch - p.left);
    boolean dense = p.pitch == images.w && p.left == 0;
    parts(
        layer,
        p,
        from,
        to,
        (image, first, end, row) -> {
          int rows = (end - first) * layer.stripRows + p.more;
          int top = first * layer.stripRows - p.top;
          int start = Math.clamp(-top, 0, rows);
          int stop = Math.clamp(images.h - top, start, rows);
          long target = p.address + (long) row * p.pitch * vector;
          for (int v = 0; v < vectors(images.channels); v++) {
            Raw.clear(target + v * next, (long) start * p.pitch * vector);
            Raw.clear(
                target + v * next + (long) stop * p.pitch * vector,
                (long) (rows - stop) * p.pitch * vector);
          }
          int lines = stop - start;
          ChannelVectors.gather(
              block,
              lanes,
              images.channels,
              dense ? lines * columns : columns,
              images.address + image * images.imageBytes + (long) (top + start) * images.w * es,
              (long) images.h * images.w * es,
              target + ((long) start * p.pitch + p.left) * vector,
              vector,
              next,
              dense ? Loop.ONCE : new Loop(lines, (long) images.w * es, (long) p.pitch * vector));
        });
  }

  /// Takes strips `from` to `to` of `channels` channels of `images`, from channel `channel` on, out of `p`.
  void unload(
      long block,
      Layer layer,
      Images images,
      Pixels p,
      int channel,
      int channels,
      int from,
      int to) {
    boolean dense = p.pitch == images.w;
    parts(
        layer,
        p,
        from,
        to,
        (image, first, end, row) -> {
          int start = first * layer.stripRows;
          int lines = Math.min(end * layer.stripRows, images.h) - start;
          ChannelVectors.scatter(
              block,
              lanes,
              channels,
              dense ? lines * images.w : images.w,
              images.address
                  + image * images.imageBytes
                  + ((long) channel * images.h + start) * images.w * es,
              (long) images.h * images.w * es,
              p.address + (long) row * p.pitch * vector,
              vector,
              (long) p.rows * p.pitch * vector,
              dense ? Loop.ONCE : new Loop(lines, (long) images.w * es, (long) p.pitch * vector));
        });
  }

  /// Transforms strips `from` to `to` of what is read, the first of which is tile `tile` of `t`.
  void transformInput(
      Layer layer, Object owner, int run, int from, int to, Transformed t, int tile) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int tiles = (to - from) * layer.across();
    Pixels in = input(scratch, owner, layer, run);
    long table = scratch.address(Use.TABLE, 8L * tiles);
    load(block, layer, layer.from, in, from, to);
    addresses(layer, in, from, to, table);
    putRow(block, in);
    long next = (long) in.rows * in.pitch * vector;
    for (int b = 0; b < t.blocks; b++) {
      if (b > 0) {
        shift(table, tiles, vectors(t.block) * next);
      }
      int deep = vectors(t.channels(b));
      long at = t.at(b) + tile * t.row;
      transform(block, Kind.INPUT, table, tiles, deep, next, at, t.position, t.row);
    }
  }
}
