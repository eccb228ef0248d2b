package taper.cpu.x86;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.Fold;
import taper.cpu.x86.ChannelNormCode.Pass;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Batch normalization, and its gradient, of contiguous operands `[images, channels, inner]` of one type. Threads may share
/// it.
///
/// Two passes are needed, since no element can be normalized before all are known. The work is cut into cells that stay in
/// the second cache, see [ChannelCells], so that the second pass finds there what the first one read. Where one channel is
/// too much for a cell, each part of it finds its mean and squared distances, which are joined by the rule of [1].
///
/// One pass gathers mean and variance, as sums of distances from a number nearby and of their squares [2]. That number is
/// the mean of a few elements. Should it turn out to be several deviations off, which would cost precision, the pass is done
/// again with the mean that it has found. Sums are gathered in the type of the elements over one cell, in many lanes; beyond
/// that in double precision.
///
/// - [1] Chan, Golub, LeVeque: "Updating Formulae and a Pairwise Algorithm for Computing Sample Variances", 1979.
/// - [2] The same: "Algorithms for Computing the Sample Variance: Analysis and Recommendations", The American Statistician 37
///   (1983), section 3, on shifted data.
public final class ChannelNorm {
  private static final int MEANS = 0;
  private static final int SCALES = 1;
  private static final int SHIFTS = 2;
  private static final int SLOPES = 3;
  private static final int NUMBERS = 4;

  /// Rows of sums of a thread; behind them are those of numbers by column.
  private static final int SUMS = 2;

  /// What is no more bytes of an image than this is asked for one image ahead; where it is more, the processor has found out
  /// itself what follows.
  private static final long NEAR = 1 << 14;

  /// From so many elements comes the number from which distances are taken, at the least.
  private static final long SAMPLE = 16;

  /// The square of the deviations that it may be off.
  private static final double FAR = 4;

  private final Isa isa;
  private final DType dtype;
  private final boolean wide;
  private final int bytes;
  private final CodeTable codes = new CodeTable(2 * Pass.values().length);
  private final LazyCode folding;

  /// For elements of `dtype`, `float32` or `float64`; code is assembled when it is first needed.
  public ChannelNorm(Isa isa, DType dtype) {
    this.isa = isa;
    this.dtype = dtype;
    this.wide = dtype == DType.FLOAT64;
    this.bytes = dtype.byteSize();
    this.folding = new LazyCode(() -> ReductionCode.assemble(isa, Fold.SUM, dtype, false));
  }

  private Code code(Pass pass, boolean byColumn) {
    int key = 2 * pass.ordinal() + (byColumn ? 1 : 0);
    Code code = codes.find(key);
    return code != null
        ? code
        : codes.add(key, () -> ChannelNormCode.assemble(isa, dtype, pass, byColumn));
  }

  /// What becomes of what is normalized: `relu(x + addend)`, where each part may be missing, but not the second alone.
  ///
  /// @param addend as large as the result
  /// @param relu whether negative results become zero
  public record After(@Nullable Strided addend, boolean relu) {
    /// Nothing.
    public static final After NOTHING = new After(null, false);

    private Pass pass() {
      return addend != null ? Pass.RECTIFIED_SUM : relu ? Pass.RECTIFIED : Pass.RESULT;
    }

    private long address() {
      return addend == null ? 0 : addend.address();
    }
  }

  /// The running statistics of a batch normalization.
  ///
  /// @param momentum how far they move
  public record Running(@Nullable Strided mean, @Nullable Strided variance, double momentum) {}

  /// Normalizes, does what comes `after`, and moves the running statistics. False, with nothing but `out`, `mean` and `rstd` overwritten, if a variance is
  /// not finite, which may be so because squares do not fit the type.
  public boolean forward(
      Strided out,
      Strided x,
      Strided mean,
      Strided rstd,
      @Nullable Strided weight,
      @Nullable Strided bias,
      Running running,
      After after,
      long images,
      long channels,
      long inner,
      double eps) {
    var cells = ChannelCells.of(images, channels, inner, bytes, 1);
    var call = new Forward(cells, out, x, mean, rstd, weight, bias, eps, after);
    call.run();
    boolean finite = true;
    for (long c = 0; c < channels; c++) {
      finite &= Double.isFinite(Raw.doubleAt(call.moments + 16 * c + 8));
    }
    if (finite) {
      long count = images * inner;
      move(running.mean, call.moments, 1, running.momentum);
      move(running.variance, call.moments + 8, count / (count - 1.0), running.momentum);
    }
    Reference.reachabilityFence(out); // the code sees addresses only
    Reference.reachabilityFence(x);
    Reference.reachabilityFence(mean);
    Reference.reachabilityFence(rstd);
    Reference.reachabilityFence(weight);
    Reference.reachabilityFence(bias);
    Reference.reachabilityFence(after);
    return finite;
  }

  /// Subtracts, scales and shifts each channel by numbers that are given: `(x - mean) · scale + shift`, and then does what
  /// comes `after`. The result may be the input or the addend.
  ///
  /// @param mean the address of as many numbers of the same type
  /// @param scale likewise
  /// @param shift likewise
  public void apply(
      Strided out,
      Strided x,
      long mean,
      long scale,
      long shift,
      After after,
      long images,
      long channels,
      long inner) {
    var cells = ChannelCells.of(images, channels, inner, bytes, 1);
    new Given(cells, out, x, mean, scale, shift, after).runOnce();
    Reference.reachabilityFence(out); // the code sees addresses only
    Reference.reachabilityFence(x);
    Reference.reachabilityFence(after);
  }

  private static void move(@Nullable Strided running, long from, double factor, double momentum) {
    if (running == null) {
      return;
    }
    boolean wide = running.dtype() == DType.FLOAT64;
    long step = running.stride(0) * running.dtype().byteSize();
    for (long c = 0; c < running.numel(); c++) {
      long at = running.address() + c * step;
      double value = Raw.doubleAt(from + 16 * c) * factor;
      Raw.put(at, (1 - momentum) * Raw.element(at, wide) + momentum * value, wide);
    }
    Reference.reachabilityFence(running);
  }

  /// The gradients of elements, weight and bias. False, with only these overwritten, if a sum is not finite, which may be so
  /// because a product does not fit the type.
  public boolean gradient(
      Strided toX,
      Strided toWeight,
      Strided toBias,
      Strided grad,
      Strided x,
      @Nullable Strided weight,
      Strided mean,
      Strided rstd,
      long images,
      long channels,
      long inner) {
    var cells = ChannelCells.of(images, channels, inner, bytes, 2);
    var call = new Gradient(cells, toX, toWeight, toBias, grad, x, weight, mean, rstd);
    call.run();
    boolean finite = true;
    for (long c = 0; c < channels; c++) {
      finite &= Double.isFinite(Raw.doubleAt(call.moments + 16 * c));
      finite &= Double.isFinite(Raw.doubleAt(call.moments + 16 * c + 8));
    }
    Reference.reachabilityFence(toX);
    Reference.reachabilityFence(toWeight);
    Reference.reachabilityFence(toBias);
    Reference.reachabilityFence(grad);
    Reference.reachabilityFence(x);
    Reference.reachabilityFence(weight);
    Reference.reachabilityFence(mean);
    Reference.reachabilityFence(rstd);
    return finite;
  }

  /// One call. Its memory: for all threads, two sums for each part of each channel, two numbers that they give for each channel,
  /// and numbers for the code; for each thread, rows of sums, rows of numbers by column, two folded sums and a number for
  /// each channel of a cell.
  private abstract class Call {
    final ChannelCells cells;
    final boolean byColumn;
    final long moments;
    private final long partial;
    private final long numbers;
    private final long pitch;

    Call(ChannelCells cells) {
      this.cells = cells;
      this.byColumn = cells.byColumn();
      long sums = 16 * cells.parts() * cells.channels();
      long all = sums + (16 + NUMBERS * bytes) * cells.channels();
      this.partial = Scratch.ofThread().address(Scratch.Use.PARTIAL, all);
      this.moments = partial + sums;
      this.numbers = moments + 16 * cells.channels();
      // Not a multiple of 4096: stores to one row would seem to hit loads of another.
      long row = cells.together() * (byColumn ? cells.length() : ChannelNormCode.sums(isa, bytes));
      this.pitch = (row * bytes + 63) / 64 * 64 + 192;
    }

    /// Computes the elements of all cells.
    final void runOnce() {
      Parallel.run(
          cells.count(),
          1,
          (from, to) -> {
            for (long cell = from; cell < to; cell++) {
              apply(cell, memory());
            }
          });
    }

    final void run() {
      if (cells.whole()) {
        Parallel.run(
            cells.count(),
            1,
            (from, to) -> {
              for (long cell = from; cell < to; cell++) {
                gather(cell, memory());
                long c = cells.channel(cell);
                settle(c, c + cells.channels(cell));
                apply(cell, memory());
              }
            });
        return;
      }
      Parallel.run(
          cells.count(),
          1,
          (from, to) -> {
            for (long cell = from; cell < to; cell++) {
              gather(cell, memory());
            }
          });
      Parallel.run(cells.channels(), Math.max(1, 2048 / cells.parts()), this::settle);
      runOnce();
    }

    /// Leaves two sums for each channel of a cell.
    abstract void gather(long cell, long memory);

    /// Turns the sums of channels into numbers.
    abstract void settle(long from, long to);

    /// Computes the elements of a cell.
    abstract void apply(long cell, long memory);

    /// Where the sums of a part of a channel are.
    final long sums(long part, long channel) {
      return partial + 16 * (part * cells.channels() + channel);
    }

    /// Where a number of a channel is.
    final long number(int number, long channel) {
      return numbers + (number * cells.channels() + channel) * bytes;
    }

    /// This thread's memory.
    private long memory() {
      long size = (SUMS + NUMBERS) * pitch + (8 * SUMS + 8) * cells.together();
      return Scratch.ofThread().address(Scratch.Use.NORMAL, size);
    }

    /// A row of sums or of numbers by column.
    final long row(long memory, int row) {
      return memory + row * pitch;
    }

    /// Sums of channels, as `double`.
    final long folded(long memory, int sum) {
      return row(memory, SUMS + NUMBERS) + 8L * sum * cells.together();
    }

    /// Numbers of the channels of a cell.
    final long own(long memory) {
      return folded(memory, SUMS);
    }

    final void clear(long memory, int sums) {
      Raw.clear(memory, sums * pitch);
    }

    /// Adds up each channel's sums.
    final void fold(long cell, long memory, int sums) {
      long block = Raw.arguments();
      long row = byColumn ? cells.length(cell) : ChannelNormCode.sums(isa, bytes);
      Raw.put(block + VectorRows.COLUMNS, row);
      Raw.put(block + VectorRows.ROWS, cells.channels(cell));
      for (int i = 0; i < sums; i++) {
        outer(block, 0, folded(memory, i), 8);
        outer(block, 1, row(memory, i), row * bytes);
        outer(block, 2, 0, 0);
        outer(block, 3, 0, 0);
        folding.get().run(block);
      }
    }

    /// Where a pass finds numbers of the channels of a cell: repeated by column in a row, or where they are.
    final long spread(long cell, long memory, long from, int number) {
      if (!byColumn || cells.length(cell) == 1) {
        return from;
      }
      long block = Raw.arguments();
      long row = cells.length(cell) * bytes;
      long to = row(memory, SUMS + number);
      Raw.put(block + VectorRows.COLUMNS, cells.length(cell));
      Raw.put(block + VectorRows.ROWS, 1);
      Raw.put(block + ChannelNormCode.rows(Pass.SPREAD), cells.channels(cell));
      operand(block, Pass.SPREAD, 0, to, row, 0);
      operand(block, Pass.SPREAD, 1, from, bytes, 0);
      code(Pass.SPREAD, true).run(block);
      return to;
    }

    /// The argument block of a pass over a cell.
    final long start(Pass pass, long cell) {
      long block = Raw.arguments();
      long channels = cells.channels(cell);
      long length = cells.length(cell);
      Raw.put(block + VectorRows.COLUMNS, byColumn ? channels * length : length);
      Raw.put(block + VectorRows.ROWS, cells.images(cell));
      Raw.put(block + ChannelNormCode.rows(pass), byColumn ? 1 : channels);
      boolean near = channels * length * bytes <= NEAR;
      Raw.put(block + ChannelNormCode.ahead(pass), near ? cells.image() : 0);
      return block;
    }

    /// The elements of a tensor, as operand `i`.
    final void elements(long block, Pass pass, long cell, int i, long tensor) {
      long at = tensor + cells.offset(cell);
      operand(block, pass, i, at, cells.length(cell) * bytes, cells.image());
    }

    /// Numbers of the channels, as operand `i`.
    final void numbers(long block, Pass pass, int i, long at) {
      operand(block, pass, i, at, byColumn ? 0 : bytes, 0);
    }

    /// Computes `out = (x - mean) · scale + shift`, and what comes after, in a cell, whose numbers begin at the given places.
    final void result(
        long cell, long memory, long out, long x, long mean, long scale, long shift, After after) {
      Pass pass = after.pass();
      long means = spread(cell, memory, mean, 0);
      long scales = spread(cell, memory, scale, 1);
      long shifts = spread(cell, memory, shift, 2);
      long block = start(pass, cell);
      elements(block, pass, cell, 0, out);
      elements(block, pass, cell, 1, x);
      numbers(block, pass, 2, means);
      numbers(block, pass, 3, scales);
      numbers(block, pass, 4, shifts);
      if (pass == Pass.RECTIFIED_SUM) {
        elements(block, pass, cell, 5, after.address());
      }
      code(pass, byColumn).run(block);
    }

    /// Rows of sums, as the last operands.
    final void sums(long block, Pass pass, long memory) {
      long row = byColumn ? 0 : (long) ChannelNormCode.sums(isa, bytes) * bytes;
      for (int i = pass.sums; i < pass.operands; i++) {
        operand(block, pass, i, row(memory, i - pass.sums), row, 0);
      }
    }

    private void operand(long block, Pass pass, int i, long at, long row, long image) {
      long rows = Raw.longAt(block + ChannelNormCode.rows(pass));
      outer(block, i, at, image - row * rows);
      Raw.put(block + ChannelNormCode.rows(pass) + 8 + 8L * i, row);
    }

    private static void outer(long block, int i, long at, long step) {
      Raw.put(block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * i, at);
      Raw.put(block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * i + 8, step);
    }
  }

  private final class Forward extends Call {
    private final long out;
    private final long x;
    private final long mean;
    private final long rstd;
    private final long weight;
    private final long bias;
    private final double eps;
    private final After after;

    Forward(
        ChannelCells cells,
        Strided out,
        Strided x,
        Strided mean,
        Strided rstd,
        @Nullable Strided weight,
        @Nullable Strided bias,
        double eps,
        After after) {
      super(cells);
      this.out = out.address();
      this.x = x.address();
      this.mean = mean.address();
      this.rstd = rstd.address();
      this.weight = weight == null ? 0 : weight.address();
      this.bias = bias == null ? 0 : bias.address();
      this.eps = eps;
      this.after = after;
    }

    @Override
    void gather(long cell, long memory) {
      sample(cell, memory);
      if (!statistics(cell, memory)) {
        statistics(cell, memory);
      }
    }

    /// Finds numbers near the means.
    private void sample(long cell, long memory) {
      long length = cells.length(cell);
      long images = Math.min(cells.images(cell), Math.max(1, SAMPLE / length));
      clear(memory, 1);
      long block = start(Pass.SUMS, cell);
      Raw.put(block + VectorRows.ROWS, images);
      elements(block, Pass.SUMS, cell, 0, x);
      sums(block, Pass.SUMS, memory);
      code(Pass.SUMS, byColumn).run(block);
      fold(cell, memory, 1);
      double share = 1.0 / (images * length);
      long sums = folded(memory, 0);
      long own = own(memory);
      long channels = cells.channels(cell);
      for (long c = 0; c < channels; c++) {
        Raw.put(own + c * bytes, Raw.doubleAt(sums + 8 * c) * share, wide);
      }
    }

    /// Finds means and squared distances with the help of numbers nearby. False if these were too far off: they are better
    /// then.
    private boolean statistics(long cell, long memory) {
      long own = own(memory);
      long centers = spread(cell, memory, own, 0);
      clear(memory, 2);
      long block = start(Pass.STATISTICS, cell);
      elements(block, Pass.STATISTICS, cell, 0, x);
      numbers(block, Pass.STATISTICS, 1, centers);
      sums(block, Pass.STATISTICS, memory);
      code(Pass.STATISTICS, byColumn).run(block);
      fold(cell, memory, 2);
      long channels = cells.channels(cell);
      double count = cells.images(cell) * cells.length(cell);
      double share = 1 / count;
      long distances = folded(memory, 0);
      long squares = folded(memory, 1);
      long to = sums(cells.part(cell), cells.channel(cell));
      boolean near = true;
      for (long c = 0; c < channels; c++) {
        double center = Raw.element(own + c * bytes, wide);
        double distance = Raw.doubleAt(distances + 8 * c) * share;
        double off = distance * distance * count;
        double rest = Raw.doubleAt(squares + 8 * c) - off;
        near &= !(off > FAR * rest);
        Raw.put(to + 16 * c, center + distance);
        Raw.put(to + 16 * c + 8, rest);
        Raw.put(own + c * bytes, center + distance, wide);
      }
      return near;
    }

    @Override
    void settle(long from, long to) {
      long parts = cells.parts();
      double share = 1.0 / (cells.images() * cells.inner());
      for (long c = from; c < to; c++) {
        double center = Raw.doubleAt(sums(0, c));
        double squares = Raw.doubleAt(sums(0, c) + 8);
        if (parts > 1) {
          center = 0;
          for (long part = 0; part < parts; part++) {
            center += Raw.doubleAt(sums(part, c)) * (cells.size(part) * share);
          }
          squares = 0;
          for (long part = 0; part < parts; part++) {
            double distance = Raw.doubleAt(sums(part, c)) - center;
            squares += Raw.doubleAt(sums(part, c) + 8) + distance * distance * cells.size(part);
          }
        }
        double variance = Math.max(0, squares * share);
        Raw.put(moments + 16 * c, center);
        Raw.put(moments + 16 * c + 8, variance);
        double deviation = 1 / Math.sqrt(variance + eps);
        Raw.put(mean + c * bytes, center, wide);
        Raw.put(rstd + c * bytes, deviation, wide);
        double scale = deviation * (weight == 0 ? 1 : Raw.element(weight + c * bytes, wide));
        double shift = bias == 0 ? 0 : Raw.element(bias + c * bytes, wide);
        // What the mean loses when it is rounded goes into the shift.
        double rounded = wide ? center : (float) center;
        Raw.put(number(MEANS, c), rounded, wide);
        Raw.put(number(SCALES, c), scale, wide);
        Raw.put(number(SHIFTS, c), shift + (rounded - center) * scale, wide);
      }
    }

    @Override
    void apply(long cell, long memory) {
      long c = cells.channel(cell);
      result(cell, memory, out, x, number(MEANS, c), number(SCALES, c), number(SHIFTS, c), after);
    }
  }

  private final class Given extends Call {
    private final long out;
    private final long x;
    private final long mean;
    private final long scale;
    private final long shift;
    private final After after;

    Given(
        ChannelCells cells,
        Strided out,
        Strided x,
        long mean,
        long scale,
        long shift,
        After after) {
      super(cells);
      this.out = out.address();
      this.x = x.address();
      this.mean = mean;
      this.scale = scale;
      this.shift = shift;
      this.after = after;
    }

    @Override
    void gather(long cell, long memory) {}

    @Override
    void settle(long from, long to) {}

    @Override
    void apply(long cell, long memory) {
      long at = cells.channel(cell) * bytes;
      result(cell, memory, out, x, mean + at, scale + at, shift + at, after);
    }
  }

  private final class Gradient extends Call {
    private final long toX;
    private final long toWeight;
    private final long toBias;
    private final long grad;
    private final long x;
    private final long weight;
    private final long mean;
    private final long rstd;

    Gradient(
        ChannelCells cells,
        Strided toX,
        Strided toWeight,
        Strided toBias,
        Strided grad,
        Strided x,
        @Nullable Strided weight,
        Strided mean,
        Strided rstd) {
      super(cells);
      this.toX = toX.address();
      this.toWeight = toWeight.address();
      this.toBias = toBias.address();
      this.grad = grad.address();
      this.x = x.address();
      this.weight = weight == null ? 0 : weight.address();
      this.mean = mean.address();
      this.rstd = rstd.address();
    }

    @Override
    void gather(long cell, long memory) {
      long channel = cells.channel(cell);
      long means = spread(cell, memory, mean + channel * bytes, 0);
      clear(memory, 2);
      long block = start(Pass.GRADIENT_SUMS, cell);
      elements(block, Pass.GRADIENT_SUMS, cell, 0, grad);
      elements(block, Pass.GRADIENT_SUMS, cell, 1, x);
      numbers(block, Pass.GRADIENT_SUMS, 2, means);
      sums(block, Pass.GRADIENT_SUMS, memory);
      code(Pass.GRADIENT_SUMS, byColumn).run(block);
      fold(cell, memory, 2);
      long to = sums(cells.part(cell), channel);
      long channels = cells.channels(cell);
      for (long c = 0; c < channels; c++) {
        Raw.put(to + 16 * c, Raw.doubleAt(folded(memory, 0) + 8 * c));
        Raw.put(to + 16 * c + 8, Raw.doubleAt(folded(memory, 1) + 8 * c));
      }
    }

    @Override
    void settle(long from, long to) {
      double share = 1.0 / (cells.images() * cells.inner());
      long parts = cells.parts();
      for (long c = from; c < to; c++) {
        double sum = 0;
        double product = 0;
        for (long part = 0; part < parts; part++) {
          sum += Raw.doubleAt(sums(part, c));
          product += Raw.doubleAt(sums(part, c) + 8);
        }
        Raw.put(moments + 16 * c, sum);
        Raw.put(moments + 16 * c + 8, product);
        double deviation = Raw.element(rstd + c * bytes, wide);
        Raw.put(toWeight + c * bytes, product * deviation, wide);
        Raw.put(toBias + c * bytes, sum, wide);
        double factor = deviation * (weight == 0 ? 1 : Raw.element(weight + c * bytes, wide));
        Raw.put(number(SHIFTS, c), sum * share, wide);
        Raw.put(number(SLOPES, c), product * share * deviation * deviation, wide);
        Raw.put(number(SCALES, c), factor, wide);
      }
    }

    @Override
    void apply(long cell, long memory) {
      long c = cells.channel(cell);
      long means = spread(cell, memory, mean + c * bytes, 0);
      long shifts = spread(cell, memory, number(SHIFTS, c), 1);
      long slopes = spread(cell, memory, number(SLOPES, c), 2);
      long scales = spread(cell, memory, number(SCALES, c), 3);
      long block = start(Pass.GRADIENT, cell);
      elements(block, Pass.GRADIENT, cell, 0, toX);
      elements(block, Pass.GRADIENT, cell, 1, grad);
      elements(block, Pass.GRADIENT, cell, 2, x);
      numbers(block, Pass.GRADIENT, 3, means);
      numbers(block, Pass.GRADIENT, 4, shifts);
      numbers(block, Pass.GRADIENT, 5, slopes);
      numbers(block, Pass.GRADIENT, 6, scales);
      code(Pass.GRADIENT, byColumn).run(block);
    }
  }
}
