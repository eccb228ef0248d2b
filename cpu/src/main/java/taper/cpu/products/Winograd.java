package taper.cpu.products;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.parallel.Scratch.Use;
import taper.cpu.products.BatchReduce.Source;
import taper.cpu.products.ChannelVectors.Loop;
import taper.cpu.products.Products.Bias;
import taper.cpu.products.WinogradTiles.Layer;
import taper.cpu.products.WinogradTiles.Pixels;
import taper.cpu.products.WinogradTiles.Transformed;
import taper.cpu.products.WinogradTransform.Kind;
import taper.tensor.spi.Strided;

/// Convolution of `float32` images with filters of 3 × 3 or 5 × 5 that move by one, in all three directions, with a
/// quarter of the multiplications, or a third: F(4×4, 3×3) and F(2×2, 5×5) of Winograd, Lavin and Gray [1]. Filters
/// may be dilated.
///
/// A tile of 4 × 4 (or 2 × 2) pixels of the result needs 6 × 6 of the input. Transformed ([WinogradTransform], which
/// says what it does to accuracy), input and filter are multiplied position by position, and summing over
/// channels makes that a matrix product for each of the 36 positions: [tiles × channels in] times
/// [channels in × channels out]. Its transform back is the tile. The gradient of the input is the same with
/// filters turned by half a turn; for that of the filter see [WinogradGradient].
///
/// Channels lie in the lanes of vectors ([WinogradTiles] turns images to that order and back), so any image
/// size fills them. With many tiles, work is cut into runs of *strips* (rows of tiles) of one or several images, so
/// short that their pixels, transforms and products for a panel of output channels stay in the second cache; filters
/// are transformed once a call, into panels two registers wide. With few tiles, filters are what is large: work is cut
/// into panels, and a thread transforms a block of the channels of its panel at a time, multiplies all tiles with it
/// and forgets it, so that transformed filters never leave the second cache.
///
/// [1] Lavin, Gray 2015, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308
final class Winograd {
  private static final int POSITIONS = WinogradTiles.POSITIONS;

  /// What the transformed pixels of a run of strips take, at most, unless that were too few tiles.
  private static final int RUN_BYTES = 448 << 10;

  /// So little are all transformed pixels that panels of filters are worth transforming one by one.
  private static final long FEW_BYTES = 5 << 20;

  /// What the filters of a block of channels and the sums of all tiles take, at most, for a panel.
  private static final long PANEL_BYTES = 896 << 10;

  private final Lanes lanes;
  private final Geometry g;
  private final WinogradTiles tiles;
  private final int es;
  private final int vector;

  Winograd(Lanes lanes, Geometry geometry) {
    this.lanes = lanes;
    this.g = geometry;
    this.tiles = new WinogradTiles(lanes, geometry);
    this.es = lanes.bytes();
    this.vector = lanes.vectorBytes();
  }

  /// Whether there is code for such a convolution, and it pays.
  static boolean suits(Lanes lanes, Geometry g) {
    Window w = g.window();
    int side = g.kernelH();
    boolean covered =
        (side == 3 || side == 5)
            && g.kernelW() == side
            && w.strideH() == 1
            && w.strideW() == 1
            && w.groups() == 1
            && w.padH() <= (side - 1) * w.dilationH()
            && w.padW() <= (side - 1) * w.dilationW()
            && w.dilationW() <= WinogradTransform.MAXIMAL_STEP;
    if (lanes.wide() || !covered || g.in() < 16 || g.out() < 16) {
      return false;
    }
    long tiles = WinogradTiles.tiles(g);
    long direct = (long) g.images() * g.outH() * g.outW() * g.taps();
    boolean plain = side == 3 && w.dilationH() == 1 && w.dilationW() == 1;
    return tiles >= 8 && (plain || 3 * tiles * POSITIONS <= 2 * direct);
  }

  /// @param end has no addend
  void forward(Strided y, Strided x, Strided weight, Epilogue end) {
    Window w = g.window();
    Layer layer = tiles.layer(tiles.of(x), tiles.of(y), w.padH(), w.padW());
    convolve(layer, weight, false, end);
  }

  void inputGradient(Strided dx, Strided dy, Strided weight) {
    Window w = g.window();
    int padH = tiles.reachH() - w.padH();
    int padW = tiles.reachW() - w.padW();
    convolve(tiles.layer(tiles.of(dy), tiles.of(dx), padH, padW), weight, true, Epilogue.NOTHING);
  }

  /// Transforms the filters into panels.
  ///
  /// @param turned whether for the gradient of the input
  /// @return their address
  private long filters(Strided weight, boolean turned) {
    int depth = turned ? g.out() : g.in();
    int width = turned ? g.in() : g.out();
    int panels = tiles.panels(width);
    long position = WinogradTiles.apart(depth, 2L * vector);
    long panelBytes = POSITIONS * position;
    long address = Scratch.ofThread().address(Use.PARTS, panels * panelBytes);
    Tasks.run(
        panels,
        100L * depth * Math.min(width, 2 * lanes.count()),
        panel ->
            filterPanel(weight, turned, panel, 0, depth, address + panel * panelBytes, position));
    return address;
  }

  /// Transforms the filters of a panel that see channels `from` to `to`.
  private void filterPanel(
      Strided weight, boolean turned, int panel, int from, int to, long at, long position) {
    int depth = turned ? g.out() : g.in();
    int width = turned ? g.in() : g.out();
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int first = panel * 2 * lanes.count();
    int channels = Math.min(width - first, 2 * lanes.count());
    int count = to - from;
    int taps = tiles.taps;
    long tapBytes = (long) WinogradTransform.TAP_VECTORS * vector;
    long filters = scratch.address(Use.DEALT, count * tiles.filterBytes);
    long filter = (long) taps * es;
    ChannelVectors.gather(
        block,
        lanes,
        channels,
        turned ? taps : taps * count,
        weight.address()
            + (turned ? first + (long) from * width : (long) first * depth + from) * filter,
        (turned ? 1 : depth) * filter,
        filters,
        tapBytes,
        vector,
        turned ? new Loop(count, width * filter, tiles.filterBytes) : Loop.ONCE);
    long table = scratch.address(Use.TABLE, count * 8L);
    for (int d = 0; d < count; d++) {
      Raw.put(table + 8L * d, filters + d * tiles.filterBytes);
    }
    tiles.transform(
        block,
        turned ? Kind.TURNED_FILTER : Kind.FILTER,
        table,
        count,
        tiles.vectors(channels),
        vector,
        at,
        position,
        tiles.row(channels));
  }

  /// How many strips a task takes: whole images if they are small, and so that tasks fill all threads.
  private int run(Layer layer, int channels, int leastTasks) {
    long tile = POSITIONS * tiles.row(channels);
    int wanted = Math.max(14, Math.toIntExact(RUN_BYTES / tile));
    int strips = Math.clamp(wanted / layer.across(), 1, Math.ceilDiv(layer.strips(), leastTasks));
    int unit = strips < layer.down() ? 1 : layer.down();
    int most = strips / unit * unit;
    for (int run = most; 2 * run > most; run -= unit) {
      if (Math.ceilDiv(layer.strips(), run) % Tasks.threads() == 0) {
        return run;
      }
    }
    return most;
  }

  /// Copies the biases and factors of `width` channels, with zeros for lanes without a channel. A register of biases is
  /// followed by one of factors.
  private long biases(int width, Epilogue end) {
    long bytes = 4L * tiles.panels(width) * vector;
    long biases = Scratch.ofThread().address(Use.BIASES, bytes);
    Raw.clear(biases, bytes);
    spread(end.shift(), width, biases);
    spread(end.scale(), width, biases + vector);
    Reference.reachabilityFence(end); // the code sees addresses only
    return biases;
  }

  private void spread(@Nullable Strided numbers, int width, long to) {
    for (int i = 0; i < width && numbers != null; i++) {
      long at = 2L * vector * (i / lanes.count()) + (long) es * (i % lanes.count());
      Raw.copyElement(to + at, numbers.address() + (long) i * es, false);
    }
  }

  private void convolve(Layer layer, Strided weight, boolean turned, Epilogue end) {
    int panels = tiles.panels(layer.to().channels());
    long biases = biases(layer.to().channels(), end);
    Kind kind =
        end.scale() == null
            ? end.relu() ? Kind.OUTPUT_RELU : Kind.OUTPUT
            : end.relu() ? Kind.OUTPUT_SCALED_RELU : Kind.OUTPUT_SCALED;
    long count = (long) layer.strips() * layer.across();
    long bytes = POSITIONS * tiles.row(layer.from().channels());
    long filterBytes = panels * bytes * 2 * lanes.count();
    if (panels >= 4 && count * bytes <= FEW_BYTES && filterBytes > RUN_BYTES) {
      byPanels(layer, weight, turned, biases, kind);
      return;
    }
    byStrips(layer, weight, turned, biases, kind);
  }

  /// Work is cut into runs of strips; each meets all filters.
  private void byStrips(Layer layer, Strided weight, boolean turned, long biases, Kind kind) {
    int depth = layer.from().channels();
    int panels = tiles.panels(layer.to().channels());
    long filters = filters(weight, turned);
    long filterPosition = WinogradTiles.apart(depth, 2L * vector);
    int run = run(layer, depth, 2 * Tasks.threads());
    int tasks = Math.ceilDiv(layer.strips(), run);
    Object owner = new Object();
    Tasks.run(
        tasks,
        4L * run * layer.across() * POSITIONS * depth * layer.to().channels() / 2,
        task -> {
          int from = task * run;
          int to = Math.min(layer.strips(), from + run);
          Scratch scratch = Scratch.ofThread();
          Transformed left = tiles.room(scratch, (to - from) * layer.across(), depth, depth);
          tiles.transformInput(layer, owner, run, from, to, left, 0);
          for (int panel = 0; panel < panels; panel++) {
            long at = filters + panel * POSITIONS * filterPosition;
            panel(layer, left, panel, from, to, at, biases, kind);
          }
        });
  }

  /// Computes a panel of output channels of strips `from` to `to`.
  private void panel(
      Layer layer,
      Transformed left,
      int panel,
      int from,
      int to,
      long filters,
      long biases,
      Kind kind) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int channel = panel * 2 * lanes.count();
    int wide = tiles.wide(panel, layer.to().channels());
    Pixels out = tiles.output(scratch, Use.RESULT, layer, layer, to - from, 2);
    long table = scratch.address(Use.TABLE, 8L * left.tiles());
    tiles.addresses(layer, out, from, to, table);
    long bias = biases + 2L * channel * es;
    multiply(scratch, left, wide, filters, out, table, bias, kind);
    int channels = Math.min(layer.to().channels() - channel, 2 * lanes.count());
    tiles.unload(block, layer, layer.to(), out, channel, channels, from, to);
  }

  /// Multiplies with a panel of filters and transforms back, a few tiles at a time.
  private void multiply(
      Scratch scratch,
      Transformed left,
      int wide,
      long filters,
      Pixels out,
      long table,
      long bias,
      Kind kind) {
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int height = height(lanes, left.tiles());
    long row = (long) wide * vector;
    long position = WinogradTiles.apart(height, row);
    long sums = scratch.address(Use.RIGHT, POSITIONS * position);
    int rows;
    for (int t = 0; t < left.tiles(); t += rows) {
      rows = Math.min(height, left.tiles() - t);
      Raw.put(block + BatchReduce.A, left.address() + t * left.row());
      BatchReduce.groupRows(block, left.row());
      Raw.put(block + BatchReduce.STEP_A, es);
      Raw.put(block + BatchReduce.B, filters);
      Raw.put(block + BatchReduce.STEP_B, row);
      Raw.put(block + BatchReduce.DEPTH, left.channels());
      Raw.put(block + BatchReduce.C, sums);
      Raw.put(block + BatchReduce.ROW_C, row);
      Raw.put(block + BatchReduce.TILES, POSITIONS);
      Raw.put(block + BatchReduce.TILE_A, left.position());
      Raw.put(block + BatchReduce.TILE_B, WinogradTiles.apart(left.channels(), 2L * vector));
      Raw.put(block + BatchReduce.TILE_C, position);
      kernel(lanes, rows, wide, Source.ROWS, false).run(block);
      output(block, kind, table + 8L * t, rows, wide, out, sums, position, bias);
    }
  }

  /// Transforms sums of products back to pixels.
  private void output(
      long block,
      Kind kind,
      long table,
      int count,
      int wide,
      Pixels out,
      long sums,
      long position,
      long bias) {
    tiles.putRow(block, out);
    Raw.put(block + WinogradTransform.BIAS, bias);
    long next = (long) out.rows() * out.pitch() * vector;
    tiles.transform(block, kind, table, count, wide, next, sums, position, (long) wide * vector);
  }

  /// The rows of as few tiles of registers as `all` rows need.
  static int height(Lanes lanes, int all) {
    return Math.ceilDiv(all, Math.ceilDiv(all, BatchReduce.rows(lanes, 2)));
  }

  private static Code kernel(
      Lanes lanes, int rows, int vectors, Source source, boolean accumulate) {
    return BatchReduce.of(lanes, rows, vectors, false, source, 3, accumulate, Bias.NONE, false);
  }

  /// There are few tiles and many filters: all tiles are transformed first, and work is cut into panels,
  /// whose filters are transformed when they are used, a block of channels after another.
  private void byPanels(Layer layer, Strided weight, boolean turned, long biases, Kind kind) {
    int depth = layer.from().channels();
    int count = layer.strips() * layer.across();
    long row = 2L * vector;
    long free = PANEL_BYTES - POSITIONS * count * row;
    int most = Math.toIntExact(Math.max(4 * lanes.count(), free / (POSITIONS * row)));
    Transformed left = tiles.room(Scratch.ofThread(), count, depth, most - most % lanes.count());
    int run = Math.clamp(8 / layer.across(), 1, layer.strips());
    Object owner = new Object();
    Tasks.run(
        Math.ceilDiv(layer.strips(), run),
        200L * run * layer.across() * depth,
        task -> {
          int from = task * run;
          int to = Math.min(layer.strips(), from + run);
          tiles.transformInput(layer, owner, run, from, to, left, from * layer.across());
        });
    Tasks.run(
        tiles.panels(layer.to().channels()),
        2L * count * POSITIONS * depth * 2 * lanes.count(),
        panel -> panelByBlocks(layer, left, weight, turned, panel, biases, kind));
  }

  private void panelByBlocks(
      Layer layer,
      Transformed left,
      Strided weight,
      boolean turned,
      int panel,
      long biases,
      Kind kind) {
    Scratch scratch = Scratch.ofThread();
    long block = scratch.address(Use.ARGUMENTS, 4096);
    int wide = tiles.wide(panel, layer.to().channels());
    long row = (long) wide * vector;
    long position = WinogradTiles.apart(left.tiles(), row);
    long sums = scratch.address(Use.RIGHT, POSITIONS * position);
    long filterPosition = WinogradTiles.apart(left.block(), 2L * vector);
    long filters = scratch.address(Use.PARTS, POSITIONS * filterPosition);
    for (int b = 0; b < left.blocks(); b++) {
      int from = b * left.block();
      int to = from + left.channels(b);
      filterPanel(weight, turned, panel, from, to, filters, filterPosition);
      Raw.put(block + BatchReduce.DEPTH, to - from);
      for (int p = 0; p < POSITIONS; p++) {
        long at = left.at(b) + p * left.position();
        add(block, left, at, filters + p * filterPosition, wide, sums + p * position, b > 0);
      }
    }
    int channel = panel * 2 * lanes.count();
    Pixels out = tiles.output(scratch, Use.RESULT, layer, layer, layer.strips(), 2);
    long table = scratch.address(Use.TABLE, 8L * left.tiles());
    tiles.addresses(layer, out, 0, layer.strips(), table);
    long bias = biases + 2L * channel * es;
    output(block, kind, table, left.tiles(), wide, out, sums, position, bias);
    int channels = Math.min(layer.to().channels() - channel, 2 * lanes.count());
    tiles.unload(block, layer, layer.to(), out, channel, channels, 0, layer.strips());
  }

  /// Adds the products of all tiles and a panel of filters at one position.
  private void add(
      long block, Transformed left, long a, long b, int wide, long c, boolean accumulate) {
    int height = height(lanes, left.tiles());
    long row = (long) wide * vector;
    BatchReduce.groupRows(block, left.row());
    Raw.put(block + BatchReduce.STEP_A, es);
    Raw.put(block + BatchReduce.AHEAD, left.position());
    Raw.put(block + BatchReduce.B, b);
    Raw.put(block + BatchReduce.STEP_B, row);
    Raw.put(block + BatchReduce.ROW_C, row);
    Raw.put(block + BatchReduce.TILE_A, height * left.row());
    Raw.put(block + BatchReduce.TILE_B, 0);
    Raw.put(block + BatchReduce.TILE_C, height * row);
    runTiles(block, lanes, left.tiles(), wide, a, left.row(), c, row, Source.AHEAD, accumulate);
  }

  /// Runs tiles of registers over `all` rows of A, `rowA` apart; everything but A, C and their number is set.
  static void runTiles(
      long block,
      Lanes lanes,
      int all,
      int wide,
      long a,
      long rowA,
      long c,
      long rowC,
      Source source,
      boolean accumulate) {
    int height = height(lanes, all);
    int full = all / height;
    int rest = all % height;
    Raw.put(block + BatchReduce.A, a);
    Raw.put(block + BatchReduce.C, c);
    Raw.put(block + BatchReduce.TILES, full);
    kernel(lanes, height, wide, source, accumulate).run(block);
    if (rest > 0) {
      Raw.put(block + BatchReduce.A, a + full * height * rowA);
      Raw.put(block + BatchReduce.C, c + full * height * rowC);
      Raw.put(block + BatchReduce.TILES, 1);
      kernel(lanes, rest, wide, source, accumulate).run(block);
    }
  }
}
