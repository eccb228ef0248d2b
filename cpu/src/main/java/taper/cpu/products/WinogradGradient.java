package taper.cpu.products;

import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.BatchReduce.Source;
import taper.cpu.products.ChannelVectors.Loop;
import taper.cpu.products.WinogradTiles.Layer;
import taper.cpu.products.WinogradTiles.Pixels;
import taper.cpu.products.WinogradTiles.Transformed;
import taper.cpu.products.WinogradTransform.Kind;
import taper.tensor.spi.Strided;

/// The gradient of the filters of [Winograd]: at each of the 36 positions, transformed pixels of the input times
/// transformed pixels of the gradient, [channels in × tiles] times [tiles × channels out], summed over all tiles; then
/// the sums are transformed to taps.
///
/// Where the sums fit the second cache, chunks of strips are summed, and then the chunks in order. Otherwise all is
/// transformed first, and a task sums a panel of output channels and a block of input channels over all of it, so few
/// that its sums stay in the second cache until they are taps. The cut depends on sizes alone.
final class WinogradGradient {
  private static final int POSITIONS = WinogradTiles.POSITIONS;

  /// What the transformed pixels of a run of strips take, at most.
  private static final int RUN_BYTES = 448 << 10;

  /// What the sums take, at most, if each thread is to have its own.
  private static final long SUMS_BYTES = 700 << 10;

  /// What is transformed at once, at most, if threads share it.
  private static final long SHARED_BYTES = 24 << 20;

  /// Vectors of a block of input channels.
  private static final int BLOCK_VECTORS = 4;

  private static final int MAXIMAL_CHUNKS = 8;

  private final Lanes lanes;
  private final Geometry g;
  private final WinogradTiles tiles;
  private final int es;
  private final int vector;
  private final int panels;

  /// The bytes of the taps of a panel.
  private final long panelBytes;

  WinogradGradient(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.tiles = new WinogradTiles(lanes, geometry);
    this.es = lanes.bytes();
    this.vector = lanes.vectorBytes();
    this.panels = tiles.panels(g.out());
    this.panelBytes = g.in() * tiles.filterBytes;
  }

  void run(Strided dweight, Strided dy, Strided x) {
    Window w = g.window();
    Layer layer = tiles.layer(tiles.of(x), tiles.of(dy), w.padH(), w.padW());
    long sums = panels * POSITIONS * WinogradTiles.apart(g.in(), 2L * vector);
    if (sums <= SUMS_BYTES) {
      byChunks(layer, dweight);
    } else {
      byPanels(layer, dweight);
    }
  }

  /// The bytes of what is transformed for a strip.
  private long stripBytes(Layer layer) {
    return POSITIONS * layer.across() * (tiles.row(g.in()) + tiles.row(g.out()));
  }

  /// Transformed pixels of the input, and of the gradient: by panel, position, tile and channel.
  private record Both(Transformed input, long gradient, long position) {
    long gradient(int panel, int p) {
      return gradient + ((long) panel * POSITIONS + p) * position;
    }
  }

  private Both room(Scratch scratch, int count, int block) {
    long position = WinogradTiles.apart(count, 2L * vector);
    Transformed input = tiles.room(scratch, count, g.in(), block);
    return new Both(input, scratch.address(Use.RIGHT, panels * POSITIONS * position), position);
  }

  /// Transforms strips `from` to `to`, the first of which is tile `tile` of `both`.
  private void transform(
      Layer layer, Object owner, int run, Both both, int tile, int from, int to) {
    tiles.transformInput(layer, owner, run, from, to, both.input, tile);
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int count = (to - from) * layer.across();
    long table = scratch.address(Use.TABLE, 8L * count);
    Pixels out = tiles.output(scratch, Use.GRADIENT, owner, layer, run, tiles.vectors(g.out()));
    tiles.load(block, layer, layer.to(), out, from, to);
    tiles.addresses(layer, out, from, to, table);
    tiles.putRow(block, out);
    long next = (long) out.rows() * out.pitch() * vector;
    for (int panel = 0; panel < panels; panel++) {
      int wide = tiles.wide(panel, g.out());
      if (panel > 0) {
        WinogradTiles.shift(table, count, 2 * next);
      }
      long row = (long) wide * vector;
      long at = both.gradient(panel, 0) + tile * row;
      tiles.transform(block, Kind.GRADIENT, table, count, wide, next, at, both.position, row);
    }
  }

  /// Adds the products of a block of input channels and a panel of output channels at one position.
  private void add(Both both, int b, int panel, int p, long sums, boolean accumulate) {
    long block = Scratch.ofThread().address(Use.ARGUMENTS, 4096);
    Transformed input = both.input;
    int wide = tiles.wide(panel, g.out());
    long row = (long) wide * vector;
    int height = Winograd.height(lanes, input.channels(b));
    BatchReduce.groupRows(block, es);
    Raw.put(block + BatchReduce.STEP_A, input.row());
    Raw.put(block + BatchReduce.B, both.gradient(panel, p));
    Raw.put(block + BatchReduce.STEP_B, row);
    Raw.put(block + BatchReduce.DEPTH, input.tiles());
    Raw.put(block + BatchReduce.ROW_C, row);
    Raw.put(block + BatchReduce.TILE_A, (long) height * es);
    Raw.put(block + BatchReduce.TILE_B, 0);
    Raw.put(block + BatchReduce.TILE_C, height * row);
    long a = input.at(b) + p * input.position();
    Winograd.runTiles(
        block, lanes, input.channels(b), wide, a, es, sums, row, Source.ROWS, accumulate);
  }

  /// Transforms the sums of `count` input channels of a panel to taps.
  private void taps(int panel, int count, long sums, long position, long to) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    long table = scratch.address(Use.TABLE, 8L * count);
    for (int c = 0; c < count; c++) {
      Raw.put(table + 8L * c, to + c * tiles.filterBytes);
    }
    int wide = tiles.wide(panel, g.out());
    tiles.transform(
        block,
        Kind.FILTER_GRADIENT,
        table,
        count,
        wide,
        vector,
        sums,
        position,
        (long) wide * vector);
  }

  /// Writes the taps of a panel and of `count` input channels from `first` on to where they belong.
  private void store(Strided dweight, int panel, int first, int count, long from) {
    int channel = panel * 2 * lanes.count();
    long filter = (long) tiles.taps * es;
    ChannelVectors.scatter(
        Scratch.ofThread().address(Use.ARGUMENTS, 4096),
        lanes,
        Math.min(g.out() - channel, 2 * lanes.count()),
        tiles.taps * count,
        dweight.address() + ((long) channel * g.in() + first) * filter,
        g.in() * filter,
        from,
        (long) WinogradTransform.TAP_VECTORS * vector,
        vector,
        Loop.ONCE);
  }

  private void byChunks(Layer layer, Strided dweight) {
    int strips = layer.whole(Math.ceilDiv(layer.strips(), MAXIMAL_CHUNKS));
    int chunks = Math.ceilDiv(layer.strips(), strips);
    long partBytes = panels * panelBytes;
    long parts = Scratch.ofThread().address(Use.PARTS, (chunks + 1) * partBytes);
    Object owner = new Object();
    Tasks.run(
        chunks,
        2L * strips * layer.across() * POSITIONS * g.in() * g.out(),
        chunk -> {
          int to = Math.min(layer.strips(), (chunk + 1) * strips);
          sumChunk(layer, owner, chunk * strips, to, parts + chunk * partBytes);
        });
    store(dweight, parts, partBytes, chunks);
  }

  /// Sums over strips `from` to `to`, run by run.
  private void sumChunk(Layer layer, Object owner, int from, int to, long part) {
    Scratch scratch = Scratch.ofThread();
    long position = WinogradTiles.apart(g.in(), 2L * vector);
    long sums = scratch.address(Use.RESULT, panels * POSITIONS * position);
    int run = layer.whole(Math.clamp(RUN_BYTES / stripBytes(layer), 1, to - from));
    for (int s = from; s < to; s += run) {
      int end = Math.min(to, s + run);
      Both both = room(scratch, (end - s) * layer.across(), g.in());
      transform(layer, owner, run, both, 0, s, end);
      for (int panel = 0; panel < panels; panel++) {
        for (int p = 0; p < POSITIONS; p++) {
          add(both, 0, panel, p, sums + (panel * POSITIONS + p) * position, s > from);
        }
      }
    }
    for (int panel = 0; panel < panels; panel++) {
      long at = sums + panel * POSITIONS * position;
      taps(panel, g.in(), at, position, part + panel * panelBytes);
    }
  }

  /// Adds up the parts, and writes the sums to where they belong.
  private void store(Strided dweight, long parts, long partBytes, int chunks) {
    long total = parts;
    if (chunks > 1) {
      total = parts + chunks * partBytes;
      Partials.sum(lanes, parts, partBytes, total, chunks, partBytes / es);
    }
    long from = total;
    Tasks.run(
        panels,
        50L * tiles.taps * g.in() * lanes.count(),
        panel -> store(dweight, panel, 0, g.in(), from + panel * panelBytes));
  }

  private void byPanels(Layer layer, Strided dweight) {
    int strips = layer.whole(Math.clamp(SHARED_BYTES / stripBytes(layer), 1, layer.strips()));
    int chunks = Math.ceilDiv(layer.strips(), strips);
    if (chunks == 1) {
      sumPanels(layer, 0, strips, 0, dweight);
      return;
    }
    long partBytes = panels * panelBytes;
    long parts = Scratch.ofThread().address(Use.PARTS, (chunks + 1) * partBytes);
    for (int chunk = 0; chunk < chunks; chunk++) {
      int to = Math.min(layer.strips(), (chunk + 1) * strips);
      sumPanels(layer, chunk * strips, to, parts + chunk * partBytes, dweight);
    }
    store(dweight, parts, partBytes, chunks);
  }

  /// Transforms strips `from` to `to`, then sums over all of them, panel by panel and block by block.
  ///
  /// @param part where the taps go, or 0 if they are complete
  private void sumPanels(Layer layer, int from, int to, long part, Strided dweight) {
    Scratch caller = Scratch.ofThread();
    Both both = room(caller, (to - from) * layer.across(), BLOCK_VECTORS * lanes.count());
    int most = Math.clamp(RUN_BYTES / stripBytes(layer), 1, Math.ceilDiv(to - from, 8));
    int run = layer.whole(most);
    Object owner = new Object();
    Tasks.run(
        Math.ceilDiv(to - from, run),
        200L * run * layer.across() * (g.in() + g.out()),
        task -> {
          int first = from + task * run;
          int end = Math.min(to, first + run);
          transform(layer, owner, run, both, task * run * layer.across(), first, end);
        });
    Transformed input = both.input;
    Tasks.run(
        panels * input.blocks(),
        2L * input.tiles() * POSITIONS * input.block() * 2 * lanes.count(),
        task -> {
          int b = task % input.blocks();
          int panel = task / input.blocks();
          int first = b * input.block();
          int count = input.channels(b);
          Scratch scratch = Scratch.ofThread();
          long position = WinogradTiles.apart(count, 2L * vector);
          long sums = scratch.address(Use.RESULT, POSITIONS * position);
          for (int p = 0; p < POSITIONS; p++) {
            add(both, b, panel, p, sums + p * position, false);
          }
          long at =
              part != 0
                  ? part + panel * panelBytes + first * tiles.filterBytes
                  : scratch.address(Use.DEALT, count * tiles.filterBytes);
          taps(panel, count, sums, position, at);
          if (part == 0) {
            store(dweight, panel, first, count, at);
          }
        });
  }
}
