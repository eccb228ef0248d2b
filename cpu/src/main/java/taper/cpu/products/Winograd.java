package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.products.ChannelVectors.Loop;
import taper.cpu.products.Products.Bias;
import taper.cpu.products.Scratch.Use;
import taper.cpu.products.WinogradTransform.Kind;
import taper.tensor.spi.Strided;

/// Convolution of `float32` images with filters of 3 × 3 that move by one, in all three directions, with a
/// quarter of the multiplications: F(4×4, 3×3) of Winograd, Lavin and Gray [1].
///
/// A tile of 4 × 4 pixels of the result needs 6 × 6 of the input. Transformed ([WinogradTransform], which
/// says what it does to accuracy), input and filter are multiplied position by position, and summing over
/// channels makes that a matrix product for each of the 36 positions: [tiles × channels in] times
/// [channels in × channels out]. Its transform back is the tile. The gradient of the input is the same with
/// filters turned by half a turn; that of the filter sums over tiles instead, [channels in × tiles] times
/// [tiles × channels out].
///
/// Channels lie in the lanes of vectors ([ChannelVectors] turns images to that order and back), so any image
/// size fills them. Work is cut into runs of *strips* (rows of tiles) of one or several images, so short that
/// their pixels, transforms and products for a panel of output channels stay in the second cache. Filters are
/// transformed once a call, into panels two registers wide.
///
/// [1] Lavin, Gray 2015, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308
final class Winograd {
  private static final int TILE = WinogradTransform.TILE;
  private static final int POSITIONS = WinogradTransform.POSITIONS;

  /// What the transformed pixels of a run of strips take, at most, unless that were too few tiles.
  private static final int RUN_BYTES = 448 << 10;

  /// What the sums for the gradient of the filters take, at most, if each thread is to have its own.
  private static final long SUMS_BYTES = 700 << 10;

  /// What is transformed at once, at most, if threads share it.
  private static final long SHARED_BYTES = 24 << 20;

  /// So little are all transformed pixels that panels of filters are worth transforming one by one.
  private static final long FEW_BYTES = 5 << 20;

  private static final int MAXIMAL_CHUNKS = 8;

  private final Lanes lanes;
  private final Geometry g;
  private final int es;
  private final int vector;

  Winograd(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.es = lanes.bytes();
    this.vector = lanes.vectorBytes();
  }

  /// Whether there is code for such a convolution, and it pays.
  static boolean suits(Lanes lanes, Geometry g) {
    Window w = g.window();
    boolean covered =
        g.kernelH() == 3
            && g.kernelW() == 3
            && w.padH() <= 2
            && w.padW() <= 2
            && w.equals(new Window(1, 1, w.padH(), w.padW(), 1, 1, 1));
    int tiles = g.images() * Math.ceilDiv(g.outH(), TILE) * Math.ceilDiv(g.outW(), TILE);
    return !lanes.wide() && covered && g.in() >= 16 && g.out() >= 16 && tiles >= 8;
  }

  /// Vectors for `channels` channels.
  private int vectors(int channels) {
    return Math.ceilDiv(channels, lanes.count());
  }

  /// Panels for `channels` channels.
  private int panels(int channels) {
    return Math.ceilDiv(vectors(channels), 2);
  }

  /// Planes of channels of images.
  private record Images(long address, long imageBytes, int channels, int h, int w) {}

  /// One convolution: what it reads and writes, and how results are tiled.
  private record Layer(Images from, Images to, int padH, int padW, int images) {
    int tilesX() {
      return Math.ceilDiv(to.w, TILE);
    }

    int tilesY() {
      return Math.ceilDiv(to.h, TILE);
    }

    int strips() {
      return images * tilesY();
    }
  }

  private Images of(Strided x) {
    return new Images(
        x.address(),
        x.stride(0) * es,
        Math.toIntExact(x.size(1)),
        Math.toIntExact(x.size(2)),
        Math.toIntExact(x.size(3)));
  }

  void forward(Strided y, Strided x, Strided weight, @Nullable Strided bias, boolean relu) {
    Window w = g.window();
    Layer layer = new Layer(of(x), of(y), w.padH(), w.padW(), g.images());
    convolve(layer, weight, false, bias, relu);
  }

  void inputGradient(Strided dx, Strided dy, Strided weight) {
    Window w = g.window();
    Layer layer = new Layer(of(dy), of(dx), 2 - w.padH(), 2 - w.padW(), g.images());
    convolve(layer, weight, true, null, false);
  }

  /// The distance of positions of `rows` rows of `bytes` bytes: not a power of two, which would crowd the
  /// positions of a tile into a few sets of the cache.
  private static long apart(long rows, long bytes) {
    long lines = Math.ceilDiv(rows * bytes, 64L);
    return (lines | 1) * 64;
  }

  /// Transforms the filters into panels.
  ///
  /// @param turned whether for the gradient of the input
  /// @return their address
  private long filters(Strided weight, boolean turned) {
    int depth = turned ? g.out() : g.in();
    int width = turned ? g.in() : g.out();
    int panels = panels(width);
    long position = apart(depth, 2L * vector);
    long panelBytes = POSITIONS * position;
    long address = Scratch.ofThread().address(Use.PARTS, panels * panelBytes);
    Tasks.run(
        panels,
        100L * depth * Math.min(width, 2 * lanes.count()),
        panel -> filterPanel(weight, turned, panel, address + panel * panelBytes));
    return address;
  }

  /// Transforms the filters of a panel.
  private void filterPanel(Strided weight, boolean turned, int panel, long to) {
    int depth = turned ? g.out() : g.in();
    int width = turned ? g.in() : g.out();
    long from = weight.address();
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int first = panel * 2 * lanes.count();
    int channels = Math.min(width - first, 2 * lanes.count());
    long row = row(channels);
    long taps = scratch.address(Use.DEALT, 9 * depth * row);
    long channel = 9L * (turned ? 1 : depth) * es;
    ChannelVectors.gather(
        block,
        lanes,
        channels,
        turned ? 9 : 9 * depth,
        from + first * channel,
        channel,
        taps,
        row,
        vector,
        turned ? new Loop(depth, 9L * width * es, 9 * row) : Loop.ONCE);
    long table = scratch.address(Use.TABLE, depth * 8L);
    for (int d = 0; d < depth; d++) {
      Scratch.put(table + 8L * d, taps + 9 * d * row);
    }
    Scratch.put(block + WinogradTransform.ROW, row);
    transform(
        block,
        turned ? Kind.TURNED_FILTER : Kind.FILTER,
        table,
        depth,
        vectors(channels),
        vector,
        to,
        apart(depth, 2L * vector),
        row);
  }

  /// Runs a transform; the distance of rows (and the biases) are set.
  private void transform(
      long block,
      Kind kind,
      long table,
      int tiles,
      int vectors,
      long nextPixels,
      long at,
      long position,
      long nextTile) {
    Scratch.put(block + WinogradTransform.TABLE, table);
    Scratch.put(block + WinogradTransform.TILES, tiles);
    Scratch.put(block + WinogradTransform.VECTORS, vectors);
    Scratch.put(block + WinogradTransform.NEXT_PIXELS, nextPixels);
    Scratch.put(block + WinogradTransform.AT, at);
    Scratch.put(block + WinogradTransform.POSITION, position);
    Scratch.put(block + WinogradTransform.NEXT_TILE, nextTile);
    WinogradTransform.of(lanes, kind).run(block);
  }

  /// How many strips a task takes: whole images if they are small, and so that tasks fill all threads.
  private int run(Layer layer, int channels, int leastTasks) {
    int tiles = Math.max(14, RUN_BYTES / (POSITIONS * vectors(channels) * vector));
    int strips = Math.clamp(tiles / layer.tilesX(), 1, Math.ceilDiv(layer.strips(), leastTasks));
    int unit = strips < layer.tilesY() ? 1 : layer.tilesY();
    int most = strips / unit * unit;
    for (int run = most; 2 * run > most; run -= unit) {
      if (Math.ceilDiv(layer.strips(), run) % Tasks.threads() == 0) {
        return run;
      }
    }
    return most;
  }

  /// Pixels of a run of strips with channels in the lanes: blocks of channels, rows, columns.
  ///
  /// @param pitch the vectors of a row, `rows` the rows of a block
  /// @param top rows of zeros above an image, `left` columns to its left
  /// @param more rows and columns of a tile beyond those of the result
  private record Pixels(long address, int pitch, int rows, int top, int left, int more) {}

  /// Room for the pixels of `strips` strips, with zeros at the sides, unless `owner` is the layer.
  private Pixels pixels(
      Scratch scratch,
      Use use,
      Object owner,
      Layer layer,
      int strips,
      int vectors,
      int top,
      int left,
      int more) {
    int pitch = layer.tilesX() * TILE + more;
    int parts = Math.ceilDiv(strips - 1, layer.tilesY()) + 1;
    int rows = strips * TILE + parts * more;
    // An odd number of lines between blocks; and rows are turned in blocks of as many pixels as
    // lanes.
    rows += 1 - rows * pitch % 2;
    long bytes = ((long) vectors * rows * pitch + lanes.count()) * vector;
    long address = scratch.address(use, bytes);
    if (owner != layer && scratch.claim(use, owner)) {
      Scratch.clear(address, bytes);
    }
    return new Pixels(address, pitch, rows, top, left, more);
  }

  /// A place in a run: what of an image its rows are.
  private interface Place {
    /// Tells that tiles in rows `from` to `to` of `image` start at row `row` of the pixels.
    void at(int image, int from, int to, int row);
  }

  private void parts(Layer layer, Pixels p, int from, int to, Place place) {
    int row = 0;
    int next;
    for (int s = from; s < to; s = next) {
      int image = s / layer.tilesY();
      next = Math.min(to, (image + 1) * layer.tilesY());
      int first = s - image * layer.tilesY();
      place.at(image, first, first + next - s, row);
      row += (next - s) * TILE + p.more;
    }
  }

  /// Writes the addresses of the tiles of strips `from` to `to` to `table`.
  private void addresses(Layer layer, Pixels p, int from, int to, long table) {
    long[] at = {table};
    parts(
        layer,
        p,
        from,
        to,
        (_, first, end, row) -> {
          for (int y = 0; y < end - first; y++) {
            for (int x = 0; x < layer.tilesX(); x++) {
              Scratch.put(
                  at[0], p.address + ((long) (row + y * TILE) * p.pitch + x * TILE) * vector);
              at[0] += 8;
            }
          }
        });
  }

  /// Brings strips `from` to `to` of `images` to `p`.
  private void load(long block, Layer layer, Images images, Pixels p, int from, int to) {
    long next = (long) p.rows * p.pitch * vector;
    int columns = Math.min(images.w, p.pitch - p.left);
    boolean dense = p.pitch == images.w && p.left == 0;
    parts(
        layer,
        p,
        from,
        to,
        (image, first, end, row) -> {
          int rows = (end - first) * TILE + p.more;
          int top = first * TILE - p.top;
          int start = Math.max(0, -top);
          int stop = Math.max(start, Math.min(rows, images.h - top));
          long target = p.address + (long) row * p.pitch * vector;
          for (int v = 0; v < vectors(images.channels); v++) {
            Scratch.clear(target + v * next, (long) start * p.pitch * vector);
            Scratch.clear(
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
  private void unload(
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
          int lines = Math.min(end * TILE, images.h) - first * TILE;
          ChannelVectors.scatter(
              block,
              lanes,
              channels,
              dense ? lines * images.w : images.w,
              images.address
                  + image * images.imageBytes
                  + ((long) channel * images.h + first * TILE) * images.w * es,
              (long) images.h * images.w * es,
              p.address + (long) row * p.pitch * vector,
              vector,
              (long) p.rows * p.pitch * vector,
              dense ? Loop.ONCE : new Loop(lines, (long) images.w * es, (long) p.pitch * vector));
        });
  }

  /// Transforms the pixels of `tiles` tiles: position by position, tile by tile, channel by channel.
  private void transformed(
      long block, Kind kind, Pixels p, long table, int tiles, int vectors, long at, long position) {
    Scratch.put(block + WinogradTransform.ROW, (long) p.pitch * vector);
    transform(
        block,
        kind,
        table,
        tiles,
        vectors,
        (long) p.rows * p.pitch * vector,
        at,
        position,
        (long) vectors * vector);
  }

  /// Copies the biases of `width` channels, with zeros for lanes without a channel.
  private long biases(int width, @Nullable Strided bias) {
    long bytes = 2L * panels(width) * vector;
    long biases = Scratch.ofThread().address(Use.BIASES, bytes);
    Scratch.clear(biases, bytes);
    if (bias != null) {
      for (int i = 0; i < width; i++) {
        Scratch.copyElement(biases + (long) i * es, bias.address() + (long) i * es, false);
      }
    }
    return biases;
  }

  private void convolve(
      Layer layer, Strided weight, boolean turned, @Nullable Strided bias, boolean relu) {
    int panels = panels(layer.to.channels);
    long biases = biases(layer.to.channels, bias);
    Kind kind = relu ? Kind.OUTPUT_RELU : Kind.OUTPUT;
    long tiles = (long) layer.strips() * layer.tilesX();
    long bytes = POSITIONS * row(layer.from.channels);
    long filterBytes = panels * bytes * 2 * lanes.count();
    if (panels >= 4 && tiles * bytes <= FEW_BYTES && filterBytes > RUN_BYTES) {
      byPanels(layer, weight, turned, biases, kind);
      return;
    }
    byStrips(layer, weight, turned, biases, kind);
  }

  /// Work is cut into runs of strips; each meets all filters.
  private void byStrips(Layer layer, Strided weight, boolean turned, long biases, Kind kind) {
    int depth = layer.from.channels;
    int panels = panels(layer.to.channels);
    long filters = filters(weight, turned);
    long filterPosition = apart(depth, 2L * vector);
    int deep = vectors(depth);
    int run = run(layer, depth, 2 * Tasks.threads());
    int tasks = Math.ceilDiv(layer.strips(), run);
    Object owner = new Object();
    Tasks.run(
        tasks,
        4L * run * layer.tilesX() * POSITIONS * depth * layer.to.channels / 2,
        task -> {
          int from = task * run;
          int to = Math.min(layer.strips(), from + run);
          int tiles = (to - from) * layer.tilesX();
          Scratch scratch = Scratch.ofThread();
          long position = apart(tiles, (long) deep * vector);
          long left = scratch.address(Use.LEFT, POSITIONS * position);
          transformInput(layer, owner, run, from, to, left, position);
          var product = new Product(left, position, deep * vector, tiles, depth);
          for (int panel = 0; panel < panels; panel++) {
            panel(
                layer,
                product,
                panel,
                from,
                to,
                filters + panel * POSITIONS * filterPosition,
                biases,
                kind);
          }
        });
  }

  /// There are few tiles and many filters: all tiles are transformed first, and work is cut into panels,
  /// whose filters are transformed when they are used.
  private void byPanels(Layer layer, Strided weight, boolean turned, long biases, Kind kind) {
    int depth = layer.from.channels;
    int tiles = layer.strips() * layer.tilesX();
    long position = apart(tiles, row(depth));
    long left = Scratch.ofThread().address(Use.LEFT, POSITIONS * position);
    int run = Math.max(1, Math.min(8 / layer.tilesX(), layer.strips()));
    Object owner = new Object();
    Tasks.run(
        Math.ceilDiv(layer.strips(), run),
        200L * run * layer.tilesX() * depth,
        task -> {
          int from = task * run;
          int to = Math.min(layer.strips(), from + run);
          long at = left + from * layer.tilesX() * row(depth);
          transformInput(layer, owner, run, from, to, at, position);
        });
    var product = new Product(left, position, row(depth), tiles, depth);
    Tasks.run(
        panels(layer.to.channels),
        2L * tiles * POSITIONS * depth * 2 * lanes.count(),
        panel -> {
          long bytes = POSITIONS * apart(depth, 2L * vector);
          long filters = Scratch.ofThread().address(Use.PARTS, bytes);
          filterPanel(weight, turned, panel, filters);
          panel(layer, product, panel, 0, layer.strips(), filters, biases, kind);
        });
  }

  /// Transforms strips `from` to `to` of what is read.
  private void transformInput(
      Layer layer, Object owner, int run, int from, int to, long at, long position) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int deep = vectors(layer.from.channels);
    int tiles = (to - from) * layer.tilesX();
    Pixels in = pixels(scratch, Use.PLANES, owner, layer, run, deep, layer.padH, layer.padW, 2);
    long table = scratch.address(Use.TABLE, 8L * tiles);
    load(block, layer, layer.from, in, from, to);
    addresses(layer, in, from, to, table);
    transformed(block, Kind.INPUT, in, table, tiles, deep, at, position);
  }

  /// Computes a panel of output channels of strips `from` to `to`.
  private void panel(
      Layer layer,
      Product product,
      int panel,
      int from,
      int to,
      long filters,
      long biases,
      Kind kind) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int channel = panel * 2 * lanes.count();
    int channels = Math.min(layer.to.channels - channel, 2 * lanes.count());
    Pixels out = pixels(scratch, Use.RESULT, layer, layer, to - from, 2, 0, 0, 0);
    long table = scratch.address(Use.TABLE, 8L * product.tiles);
    addresses(layer, out, from, to, table);
    multiply(
        scratch,
        product,
        vectors(channels),
        filters,
        out,
        table,
        biases + (long) channel * es,
        kind);
    unload(block, layer, layer.to, out, channel, channels, from, to);
  }

  /// Products of transformed pixels.
  private record Product(long left, long position, long tileBytes, int tiles, int depth) {}

  /// Multiplies with a panel of filters and transforms back, a few tiles at a time.
  private void multiply(
      Scratch scratch,
      Product product,
      int wide,
      long filters,
      Pixels out,
      long table,
      long bias,
      Kind kind) {
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int limit = BatchReduce.rows(lanes, 2);
    int height = Math.ceilDiv(product.tiles, Math.ceilDiv(product.tiles, limit));
    long row = (long) wide * vector;
    long position = apart(height, row);
    long sums = scratch.address(Use.RIGHT, POSITIONS * position);
    int rows;
    for (int t = 0; t < product.tiles; t += rows) {
      rows = Math.min(height, product.tiles - t);
      Scratch.put(block + BatchReduce.A, product.left + t * product.tileBytes);
      BatchReduce.groupRows(block, product.tileBytes);
      Scratch.put(block + BatchReduce.STEP_A, es);
      Scratch.put(block + BatchReduce.B, filters);
      Scratch.put(block + BatchReduce.STEP_B, row);
      Scratch.put(block + BatchReduce.DEPTH, product.depth);
      Scratch.put(block + BatchReduce.C, sums);
      Scratch.put(block + BatchReduce.ROW_C, row);
      Scratch.put(block + BatchReduce.TILES, POSITIONS);
      Scratch.put(block + BatchReduce.TILE_A, product.position);
      Scratch.put(block + BatchReduce.TILE_B, apart(product.depth, 2L * vector));
      Scratch.put(block + BatchReduce.TILE_C, position);
      kernel(rows, wide, false).run(block);
      Scratch.put(block + WinogradTransform.ROW, (long) out.pitch * vector);
      Scratch.put(block + WinogradTransform.BIAS, bias);
      transform(
          block,
          kind,
          table + 8L * t,
          rows,
          wide,
          (long) out.rows * out.pitch * vector,
          sums,
          position,
          row);
    }
  }

  private Code kernel(int rows, int vectors, boolean accumulate) {
    return BatchReduce.of(
        new BatchReduce.Shape(lanes, rows, vectors, false, false, 3, accumulate, Bias.NONE, false));
  }

  /// The gradient of the filters: sums over tiles.
  ///
  /// Where the sums fit the second cache, chunks of strips are summed, and then the chunks in order. Otherwise
  /// all is transformed first, and panels are summed over all of it. The cut depends on sizes alone.
  void weightGradient(Strided dweight, Strided dy, Strided x) {
    Window w = g.window();
    Layer layer = new Layer(of(x), of(dy), w.padH(), w.padW(), g.images());
    Sums sums = new Sums(g.in(), panels(g.out()), apart(g.in(), 2L * vector), row(g.out()));
    boolean small = sums.panels * POSITIONS * sums.position <= SUMS_BYTES;
    long partBytes = 9L * g.in() * sums.row;
    int strips;
    if (small) {
      strips = whole(layer, Math.ceilDiv(layer.strips(), MAXIMAL_CHUNKS));
    } else {
      long bytes = POSITIONS * layer.tilesX() * (row(g.in()) + row(g.out()));
      strips = whole(layer, Math.toIntExact(Math.clamp(SHARED_BYTES / bytes, 1, layer.strips())));
    }
    int chunks = Math.ceilDiv(layer.strips(), strips);
    long parts = Scratch.ofThread().address(Use.PARTS, (chunks + 1) * partBytes);
    if (small) {
      Object owner = new Object();
      Tasks.run(
          chunks,
          2L * strips * layer.tilesX() * POSITIONS * g.in() * g.out(),
          chunk -> {
            int to = Math.min(layer.strips(), (chunk + 1) * strips);
            sumChunk(layer, sums, owner, chunk * strips, to, parts + chunk * partBytes);
          });
    } else {
      for (int chunk = 0; chunk < chunks; chunk++) {
        int to = Math.min(layer.strips(), (chunk + 1) * strips);
        sumPanels(layer, sums, chunk * strips, to, parts + chunk * partBytes);
      }
    }
    long total = parts;
    if (chunks > 1) {
      total = parts + chunks * partBytes;
      X86Convolution.sumParts(lanes, parts, partBytes, total, chunks, partBytes / es);
    }
    long from = total;
    Tasks.run(
        sums.panels,
        50L * 9 * g.in() * lanes.count(),
        panel -> {
          int channel = panel * 2 * lanes.count();
          ChannelVectors.scatter(
              Scratch.ofThread().address(Use.ARGUMENTS, 4096),
              lanes,
              Math.min(g.out() - channel, 2 * lanes.count()),
              9 * g.in(),
              dweight.address() + 9L * channel * g.in() * es,
              9L * g.in() * es,
              from + (long) channel * es,
              sums.row,
              vector,
              Loop.ONCE);
        });
  }

  /// The bytes of `channels` channels of a tile or tap.
  private long row(int channels) {
    return (long) vectors(channels) * vector;
  }

  /// `strips`, or less of them that are whole images.
  private static int whole(Layer layer, int strips) {
    return strips < layer.tilesY() ? strips : strips / layer.tilesY() * layer.tilesY();
  }

  /// Sums of products by panel, position, input channel and output channel.
  ///
  /// @param position the distance of positions
  /// @param row the distance of taps when they are transformed back
  private record Sums(int rows, int panels, long position, long row) {}

  /// Transformed tiles: of the input by position, tile and channel; of the gradient also by panel, first.
  private record Transformed(
      int tiles, long input, long inputPosition, long gradient, long gradientPosition) {}

  private Transformed room(Scratch scratch, int tiles) {
    long inputPosition = apart(tiles, row(g.in()));
    long gradientPosition = apart(tiles, 2L * vector);
    return new Transformed(
        tiles,
        scratch.address(Use.LEFT, POSITIONS * inputPosition),
        inputPosition,
        scratch.address(Use.RIGHT, panels(g.out()) * POSITIONS * gradientPosition),
        gradientPosition);
  }

  /// Transforms strips `from` to `to`, the first of which is tile `tile` of `t`.
  private void transformBoth(
      Layer layer, Object owner, int run, Transformed t, int tile, int from, int to) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int tiles = (to - from) * layer.tilesX();
    long table = scratch.address(Use.TABLE, 8L * tiles);
    long at = t.input + tile * row(g.in());
    transformInput(layer, owner, run, from, to, at, t.inputPosition);
    Pixels out = pixels(scratch, Use.GRADIENT, owner, layer, run, vectors(g.out()), 0, 0, 0);
    load(block, layer, layer.to, out, from, to);
    addresses(layer, out, from, to, table);
    Scratch.put(block + WinogradTransform.ROW, (long) out.pitch * vector);
    long next = (long) out.rows * out.pitch * vector;
    for (int panel = 0; panel < panels(g.out()); panel++) {
      int wide = wide(panel);
      if (panel > 0) {
        for (int i = 0; i < tiles; i++) {
          Scratch.put(table + 8L * i, Scratch.get(table + 8L * i) + 2 * next);
        }
      }
      transform(
          block,
          Kind.GRADIENT,
          table,
          tiles,
          wide,
          next,
          t.gradient + panel * POSITIONS * t.gradientPosition + (long) tile * wide * vector,
          t.gradientPosition,
          (long) wide * vector);
    }
  }

  /// The vectors of a panel of output channels.
  private int wide(int panel) {
    return Math.min(2, vectors(g.out()) - 2 * panel);
  }

  /// Sums over strips `from` to `to`, run by run.
  private void sumChunk(Layer layer, Sums sums, Object owner, int from, int to, long part) {
    Scratch scratch = Scratch.ofThread();
    long panelBytes = POSITIONS * sums.position;
    long result = scratch.address(Use.RESULT, sums.panels * panelBytes);
    long bytes = POSITIONS * layer.tilesX() * (row(g.in()) + row(g.out()));
    int run = whole(layer, Math.clamp(RUN_BYTES / bytes, 1, to - from));
    for (int s = from; s < to; s += run) {
      int end = Math.min(to, s + run);
      Transformed t = room(scratch, (end - s) * layer.tilesX());
      transformBoth(layer, owner, run, t, 0, s, end);
      for (int panel = 0; panel < sums.panels; panel++) {
        add(t, sums, panel, 0, POSITIONS, result + panel * panelBytes, s > from);
      }
    }
    for (int panel = 0; panel < sums.panels; panel++) {
      taps(sums, panel, result + panel * panelBytes, part);
    }
  }

  /// Transforms strips `from` to `to`, then sums over all of them, panel by panel.
  private void sumPanels(Layer layer, Sums sums, int from, int to, long part) {
    Transformed t = room(Scratch.ofThread(), (to - from) * layer.tilesX());
    int run = run(layer, Math.max(g.in(), g.out()), 8);
    Object owner = new Object();
    Tasks.run(
        Math.ceilDiv(to - from, run),
        200L * run * layer.tilesX() * (g.in() + g.out()),
        task -> {
          int first = from + task * run;
          int end = Math.min(to, first + run);
          transformBoth(layer, owner, run, t, task * run * layer.tilesX(), first, end);
        });
    // Long sums are made position by position, so that their terms stay in the second cache.
    int positions = t.tiles >= 128 ? 1 : POSITIONS;
    Tasks.run(
        sums.panels,
        2L * t.tiles * POSITIONS * g.in() * 2 * lanes.count(),
        panel -> {
          long result = Scratch.ofThread().address(Use.RESULT, POSITIONS * sums.position);
          for (int p = 0; p < POSITIONS; p += positions) {
            add(t, sums, panel, p, positions, result + p * sums.position, false);
          }
          taps(sums, panel, result, part);
        });
  }

  /// Adds products of `positions` positions from `first` on, the sums of the first of which lie at `result`.
  private void add(
      Transformed t,
      Sums sums,
      int panel,
      int first,
      int positions,
      long result,
      boolean accumulate) {
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    int limit = BatchReduce.rows(lanes, 2);
    int height = Math.ceilDiv(sums.rows, Math.ceilDiv(sums.rows, limit));
    int wide = wide(panel);
    long rowBytes = (long) wide * vector;
    long gradient = t.gradient + (panel * POSITIONS + first) * t.gradientPosition;
    int rows;
    for (int c = 0; c < sums.rows; c += rows) {
      rows = Math.min(height, sums.rows - c);
      Scratch.put(block + BatchReduce.A, t.input + first * t.inputPosition + (long) c * es);
      BatchReduce.groupRows(block, es);
      Scratch.put(block + BatchReduce.STEP_A, row(g.in()));
      Scratch.put(block + BatchReduce.B, gradient);
      Scratch.put(block + BatchReduce.STEP_B, rowBytes);
      Scratch.put(block + BatchReduce.DEPTH, t.tiles);
      Scratch.put(block + BatchReduce.C, result + c * rowBytes);
      Scratch.put(block + BatchReduce.ROW_C, rowBytes);
      Scratch.put(block + BatchReduce.TILES, positions);
      Scratch.put(block + BatchReduce.TILE_A, t.inputPosition);
      Scratch.put(block + BatchReduce.TILE_B, t.gradientPosition);
      Scratch.put(block + BatchReduce.TILE_C, sums.position);
      kernel(rows, wide, accumulate).run(block);
    }
  }

  /// Transforms the sums of a panel back to taps: by input channel, tap and output channel.
  private void taps(Sums sums, int panel, long result, long part) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    long table = scratch.address(Use.TABLE, 8L * sums.rows);
    for (int c = 0; c < sums.rows; c++) {
      Scratch.put(table + 8L * c, part + 9 * c * sums.row + 2L * panel * vector);
    }
    int wide = wide(panel);
    Scratch.put(block + WinogradTransform.ROW, sums.row);
    transform(
        block,
        Kind.FILTER_GRADIENT,
        table,
        sums.rows,
        wide,
        vector,
        result,
        sums.position,
        (long) wide * vector);
  }
}
