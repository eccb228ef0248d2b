package taper.cpu.products;

import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Range;

/// A batch of equal products, cut into tasks for several threads: whole products if there are many, else
/// blocks of each. How the work is cut changes no bit of the result.
final class ProductTasks implements Range {
  /// So many operations last some four microseconds: less is not worth handing over.
  private static final long TASK = 1 << 20;

  /// Tasks a thread, so that one that comes late finds less to do.
  private static final int TASKS = 2;

  /// So many tiles are the least width of a part, if that leaves enough parts.
  private static final int UNITS = 2;

  /// The same where A is packed for every part.
  private static final int LEFT_UNITS = 8;

  /// So many rows at least pay for packing B once more.
  private static final int RIGHT_ROWS = 128;

  private final MatrixProduct product;
  private final Batch batch;
  private final long a;
  private final long b;
  private final long c;
  private final long bias;
  private final int down;
  private final int across;
  private final int height;
  private final int width;

  private ProductTasks(
      MatrixProduct product, Batch batch, long a, long b, long c, long bias, int parts) {
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
    if (product.packsRight() || product.n >= product.m) {
      // Narrow parts share less of what is packed or loaded for them.
      int units = product.packsLeftPart() ? LEFT_UNITS : UNITS;
      parted = Math.min(parts, Math.max(columns / units, Math.min(columns, threads)));
    }
    this.width = Math.ceilDiv(columns, parted) * product.columnUnit();
    this.across = Math.ceilDiv(product.n, width);
    int most = product.packsRight() ? Math.max(product.m / RIGHT_ROWS, 1) : rows;
    int layers = Math.min(Math.ceilDiv(parts, across), most);
    this.height = Math.ceilDiv(rows, layers) * product.rowUnit();
    this.down = Math.ceilDiv(product.m, height);
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
    var tasks = new ProductTasks(product, batch, a, b, c, bias, parts);
    long count = (long) items * tasks.down * tasks.across;
    Parallel.run(count, Math.ceilDiv(count, wanted), tasks);
  }

  @Override
  public void run(long from, long to) {
    int parts = down * across;
    for (long task = from; task < to; task++) {
      long item = task / parts;
      int part = (int) (task % parts);
      int i = part / across * height;
      int j = part % across * width;
      product.run(
          a + batch.a(item),
          b + batch.b(item),
          c + batch.c(item),
          bias,
          i,
          Math.min(product.m, i + height),
          j,
          Math.min(product.n, j + width));
    }
  }
}
