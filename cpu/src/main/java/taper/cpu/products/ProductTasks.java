package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Range;

/// A batch of equal products, cut into tasks for several threads: whole products if there are many, else
/// blocks of each. How the work is cut changes no bit of the result.
final class ProductTasks implements Range {
  /// So many operations last some four microseconds: less is not worth handing over.
  private static final long TASK = 1 << 20;

  /// Tasks a thread, so that one that comes late finds less to do: the fewer the more each of them packs.
  private static final int TASKS = 2;

  /// Tasks a thread, and the least operations of one, where more tasks pack nothing more.
  private static final int FREE_TASKS = 16;

  private static final long FREE_TASK = 1 << 21;

  /// So many tiles are the least width of a part, if that leaves enough parts.
  private static final int UNITS = 2;

  /// What it costs to transpose an element, to fetch it from another core's cache, to copy it on the way, and to read it:
  /// 0.1 ns are six.
  private static final int TURN = 6;

  private static final int FETCH = 6;

  private static final int COPY = 2;

  private static final int READ = 1;

  private final MatrixProduct product;
  private final Batch batch;
  private final long a;
  private final long b;
  private final long c;
  private final long bias;
  private final int down;
  private final int across;
  private final int rows; // of tiles
  private final int width;

  /// Owns what a thread packs for one task and keeps for the next; null where nothing is kept.
  private final @Nullable Object kept;

  /// @param parts into how many parts each product is cut
  /// @param freely into how many if that costs nothing
  private ProductTasks(
      MatrixProduct product,
      Batch batch,
      long a,
      long b,
      long c,
      long bias,
      int parts,
      int freely) {
    this.product = product;
    this.batch = batch;
    this.a = a;
    this.b = b;
    this.c = c;
    this.bias = bias;
    int columns = Math.ceilDiv(product.n, product.columnUnit());
    int rows = Math.ceilDiv(product.m, product.rowUnit());
    int threads = Parallel.threads();
    int parted = 1;
    if (product.packsRight()) {
      parted = cheapest(parts, rows, columns);
    } else if (product.n >= product.m) {
      parted = Math.min(parts, Math.max(columns / UNITS, Math.min(columns, threads)));
    }
    this.width = Math.ceilDiv(columns, parted) * product.columnUnit();
    this.across = Math.ceilDiv(product.n, width);
    boolean free = parts > 1 && across == 1 && batch.count == 1 && product.takesRowsFreely();
    this.kept = free ? new Object() : null;
    this.rows = rows;
    this.down = Math.min(Math.ceilDiv(free ? freely : parts, across), rows);
  }

  /// Into how many parts columns are cut if B is copied for every part: so that the least is copied, or read again, or read
  /// from what another core has in its cache. Each core is taken to have the rows of A that it has a share of, and to
  /// read such rows of C next.
  private int cheapest(int parts, int rows, int columns) {
    int threads = Parallel.threads();
    double a = (double) product.m * product.k;
    double b = (double) product.n * product.k;
    double c = (double) product.m * product.n;
    double others = (threads - 1.0) / threads;
    int best = 1;
    double least = Double.MAX_VALUE;
    for (int across = 1; across <= Math.min(parts, columns); across++) {
      int layers = Math.min(Math.ceilDiv(parts, across), rows);
      if (across * layers < Math.min(parts, (long) rows * columns)) {
        continue;
      }
      double foreign =
          layers >= threads
              ? (product.hasRows() ? 0 : a * others) + b * (threads - 1)
              : a * (threads - 1) + b * others + c * others;
      int packings = across == 1 && product.takesRowsFreely() ? Math.min(layers, threads) : layers;
      double cost =
          across * a * (product.packsLeftPart() ? COPY : READ)
              + packings * b * (product.turnsRight() ? TURN : COPY)
              + foreign * FETCH;
      if (cost <= least) {
        least = cost;
        best = across;
      }
    }
    return best;
  }

  /// Where a layer begins. Layers consist of whole tiles, which are of almost equal height.
  private int start(int layer) {
    long tiles = (long) rows * layer / down;
    return (int) (product.m * tiles / rows);
  }

  /// Runs `product` on every item of `batch`, whose matrices lie at `a`, `b` and `c` plus what it says.
  static void run(MatrixProduct product, Batch batch, long a, long b, long c, long bias) {
    int items = Math.toIntExact(batch.count);
    if (product.m == 0 || product.n == 0 || items == 0) {
      return;
    }
    long each = 2L * product.m * product.n * Math.max(product.k, 1);
    int threads = Parallel.threads();
    long all = each * items;
    int most = threads == 1 ? 1 : TASKS * threads;
    int wanted = Math.clamp(all / TASK, 1, most);
    int parts = items >= wanted ? 1 : Math.ceilDiv(wanted, items);
    int freely = Math.clamp(each / FREE_TASK, parts, parts * (FREE_TASKS / TASKS));
    var tasks = new ProductTasks(product, batch, a, b, c, bias, parts, freely);
    long count = (long) items * tasks.down * tasks.across;
    Parallel.run(count, parts > 1 ? 1 : Math.ceilDiv(count, wanted), tasks);
  }

  @Override
  public void run(long from, long to) {
    int parts = down * across;
    for (long task = from; task < to; task++) {
      long item = task / parts;
      int part = (int) (task % parts);
      int i = start(part / across);
      int iEnd = start(part / across + 1);
      if (kept != null) {
        product.runKeepingRight(
            a + batch.a(item), b + batch.b(item), c + batch.c(item), bias, i, iEnd, kept);
        continue;
      }
      int j = part % across * width;
      product.run(
          a + batch.a(item),
          b + batch.b(item),
          c + batch.c(item),
          bias,
          i,
          iEnd,
          j,
          Math.min(product.n, j + width));
    }
  }
}
