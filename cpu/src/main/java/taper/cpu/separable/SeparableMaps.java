package taper.cpu.separable;

import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.separable.SeparableCode.Sum;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Reductions.Reduce;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.SeparableKernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Taps;

/// Averages of windows, interpolation, the gradients of both, and whatever else is one linear map along each dimension of
/// images, in `float32`, by the loops of [SeparableCode].
///
/// Every element of the result is made by itself, gradients too: they are sums over the windows that an element is in. So
/// rows of the result can be shared out in any way. Whole images become one number as a mean, and one number becomes an
/// image as if that had a single row.
public final class SeparableMaps implements Kernel {
  private static final Reduce ALONG_ROWS = new Reduce(new int[] {1}, false);
  private static final long GRAIN = 1 << 16;

  /// The memory of a thread's rows, in bytes: part of the first cache.
  private static final long OWN_BYTES = 1 << 14;

  /// So many plans are kept, and no table that is larger than this in bytes.
  private static final int KEPT = 64;

  private static final long KEPT_BYTES = 1 << 17;

  /// The longest row that an image is made into.
  private static final long LONGEST_ROW = 4096;

  private final Isa isa;
  private final SeparableKernel kernel;
  private final @Nullable Supplier<Kernel> mean;
  private final LazyCode[] codes;
  private final Map<Call, Plan> plans = new ConcurrentHashMap<>();

  /// What a plan depends on, beside the kernel.
  private record Call(Record attributes, List<Long> from, List<Long> to) {}

  /// What a call does.
  ///
  /// @param table null if the result is the mean of each image
  private record Plan(@Nullable MapTable table) {}

  SeparableMaps(Isa isa, SeparableKernel kernel, @Nullable Supplier<Kernel> mean) {
    this.isa = isa;
    this.kernel = kernel;
    this.mean = mean;
    this.codes = new LazyCode[Sum.values().length];
    for (Sum sum : Sum.values()) {
      codes[sum.ordinal()] = new LazyCode(() -> SeparableCode.assemble(isa, sum));
    }
  }

  /// The kernel of `operator`, or null if it is not of this kind.
  ///
  /// @param mean the kernel of means along a dimension, if there is one that is fast; asked for when it is needed
  public static @Nullable Kernel kernel(
      Isa isa, Operator<?> operator, DType compute, @Nullable Supplier<Kernel> mean) {
    return compute == DType.FLOAT32
            && operator.definition() instanceof Definition.Structured<?> structured
            && structured.reference() instanceof SeparableKernel separable
        ? new SeparableMaps(isa, separable, mean)
        : null;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Strided y = outputs[0];
    Strided x = inputs[0];
    if (y.dtype() != DType.FLOAT32 || x.dtype() != DType.FLOAT32 || x.numel() == 0) {
      kernel.run(attributes, outputs, inputs);
      return;
    }
    if (y.numel() == 0) {
      return;
    }
    var call = new Call(attributes, list(x), list(y));
    Plan plan = plans.get(call);
    if (plan == null) {
      plan = plan(kernel.taps(attributes, outputs, inputs));
      if (plan.table == null || plan.table.byteSize() <= KEPT_BYTES) {
        if (plans.size() >= KEPT) {
          plans.clear();
        }
        plans.put(call, plan);
      }
    }
    if (plan.table != null) {
      run(plan.table, y, x);
    } else if (mean != null) {
      long images = y.numel();
      long each = x.numel() / images;
      Strided flat = x.view(0, new long[] {images, each}, new long[] {each, 1});
      mean.get().run(ALONG_ROWS, new Strided[] {y}, new Strided[] {flat});
    }
  }

  private Plan plan(Taps[] taps) {
    return mean != null && areMeans(taps)
        ? new Plan(null)
        : new Plan(MapTable.of(isa, asOneRow(taps)));
  }

  private static List<Long> list(Strided x) {
    var sizes = new ArrayList<Long>(x.rank());
    for (int d = 0; d < x.rank(); d++) {
      sizes.add(x.size(d));
    }
    return sizes;
  }

  /// Whether each image becomes the mean of its elements.
  private static boolean areMeans(Taps[] taps) {
    for (Taps t : taps) {
      if (t.out() != 1 || t.index().length != t.in()) {
        return false;
      }
      for (int i = 0; i < t.in(); i++) {
        if (t.index()[i] != i || t.weight()[i] != 1.0 / t.in()) {
          return false;
        }
      }
    }
    return true;
  }

  /// Single numbers become images of one row.
  private static Taps[] asOneRow(Taps[] taps) {
    long columns = 1;
    double weight = 1;
    for (Taps t : taps) {
      columns *= t.out();
      if (t.in() != 1 || t.uniform() != 1 || columns > LONGEST_ROW) {
        return taps;
      }
      for (double w : t.weight()) {
        if (w != t.weight()[0]) {
          return taps;
        }
      }
      weight *= t.weight()[0];
    }
    double all = weight;
    return new Taps[] {Taps.of(1, (int) columns, (_, into) -> into.add(0, all))};
  }

  private void run(MapTable table, Strided y, Strided x) {
    long rows = table.rows();
    long columns = table.columns();
    long images = y.numel() / (rows * columns);
    long from = x.address();
    long to = y.address();
    long imageBytes = 4 * table.elementsIn();
    Code code = codes[table.sum().ordinal()].get();
    long grain = Math.max(1, GRAIN * rows / Math.max(1, table.work()));
    if (grain >= rows) {
      grain = (grain + rows - 1) / rows * rows;
    }
    Parallel.run(
        images * rows,
        grain,
        (first, end) -> {
          long at = first;
          while (at < end) {
            long image = at / rows;
            long row = at % rows;
            boolean whole = row == 0 && end - at >= rows;
            long count = whole ? (end - at) / rows : 1;
            long each = whole ? rows : Math.min(rows - row, end - at);
            long block = arguments(table);
            Raw.put(block + SeparableCode.IN, from + image * imageBytes);
            Raw.put(block + SeparableCode.OUT, to + 4 * at * columns);
            Raw.put(block + SeparableCode.IMAGES, count);
            Raw.put(block + SeparableCode.ROW_TABLE, table.row(row));
            Raw.put(block + SeparableCode.ROWS, each);
            Raw.put(block + SeparableCode.IMAGE_BYTES, imageBytes);
            code.run(block);
            at += count * each;
          }
        });
    Reference.reachabilityFence(x); // the code sees addresses only
    Reference.reachabilityFence(y);
    Reference.reachabilityFence(table);
  }

  /// This thread's argument block, with what does not depend on the rows at hand.
  private long arguments(MapTable table) {
    int lanes = isa.lanes(4);
    // Two vectors are loaded at the last column; nothing that is read lies behind it.
    long pitch = (4L * table.columnsIn() + 63) / 64 * 64 + 3L * 4 * lanes;
    long atOnce = Math.max(1, OWN_BYTES / pitch);
    long block = Raw.arguments();
    Raw.put(block + SeparableCode.COLUMNS, (long) table.columnsIn());
    Raw.put(block + SeparableCode.VECTOR_TABLE, table.vectorTable());
    Raw.put(block + SeparableCode.VECTORS, (long) table.vectors());
    Raw.put(
        block + SeparableCode.OWN_ROWS,
        Scratch.ofThread().address(Scratch.Use.IMAGE_ROWS, atOnce * pitch));
    Raw.put(block + SeparableCode.PITCH, pitch);
    Raw.put(block + SeparableCode.ROWS_AT_ONCE, atOnce);
    Raw.put(block + SeparableCode.OUT_BYTES, 4L * table.columns());
    return block;
  }
}
