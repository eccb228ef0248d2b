package taper.cpu.x86;

import java.lang.ref.Reference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Layer normalization of rows, and its gradient, of contiguous operands of one type. Threads may share it.
///
/// Gradients of weight and bias are summed per chunk of rows, of a size that depends on the shape only, and then over
/// the chunks.
public final class RowNorm {
  private static final long BLOCK = 4096;
  private static final long MOST_CHUNKS = 64;

  private final Isa isa;
  private final DType dtype;
  private final int bytes;
  private final CodeTable codes = new CodeTable(7);

  /// For elements of `dtype`, `float32` or `float64`; code is assembled when it is first needed.
  public RowNorm(Isa isa, DType dtype) {
    this.isa = isa;
    this.dtype = dtype;
    this.bytes = dtype.byteSize();
  }

  private Code code(int key, Supplier<Code> make) {
    Code code = codes.find(key);
    return code != null ? code : codes.add(key, make);
  }

  /// Normalizes `rows` rows of `length` elements; see [RowNormCode#forward].
  public void forward(
      Strided out,
      Strided x,
      Strided mean,
      Strided rstd,
      @Nullable Strided weight,
      @Nullable Strided bias,
      long rows,
      long length,
      double eps) {
    boolean weighs = weight != null;
    boolean shifts = bias != null;
    Code code =
        code(
            (weighs ? 1 : 0) + (shifts ? 2 : 0),
            () -> RowNormCode.forward(isa, dtype, weighs, shifts));
    long row = length * bytes;
    long w = weight == null ? 0 : weight.address();
    long b = bias == null ? 0 : bias.address();
    Parallel.run(
        rows,
        Math.max(1, BLOCK / length),
        (from, to) -> {
          long block = block(length, to - from);
          operand(block, RowNormCode.OUT, out.address() + from * row, row);
          operand(block, RowNormCode.X, x.address() + from * row, row);
          operand(block, RowNormCode.MEAN, mean.address() + from * bytes, bytes);
          operand(block, RowNormCode.RSTD, rstd.address() + from * bytes, bytes);
          operand(block, RowNormCode.WEIGHT, w, 0);
          int operands = RowNormCode.operands(shifts);
          if (shifts) {
            operand(block, RowNormCode.BIAS, b, 0);
          }
          parameter(block, operands, 0, 1.0 / length);
          parameter(block, operands, 1, eps);
          code.run(block);
        });
    Reference.reachabilityFence(out); // the code sees addresses only
    Reference.reachabilityFence(x);
    Reference.reachabilityFence(weight);
    Reference.reachabilityFence(bias);
  }

  /// The gradients of elements, weight and bias; see [RowNormCode#gradient].
  public void gradient(
      Strided toX,
      Strided toWeight,
      Strided toBias,
      Strided grad,
      Strided x,
      @Nullable Strided weight,
      Strided mean,
      Strided rstd,
      long rows,
      long length) {
    boolean weighs = weight != null;
    Code code = code(4 + (weighs ? 1 : 0), () -> RowNormCode.gradient(isa, dtype, weighs));
    long row = length * bytes;
    long w = weight == null ? 0 : weight.address();
    long chunk = Math.max(Math.max(1, BLOCK / length), Math.ceilDiv(rows, MOST_CHUNKS));
    long chunks = Math.ceilDiv(rows, chunk);
    long pitch = (row + 63) / 64 * 64;
    long sums = Scratch.ofThread().address(Scratch.Use.PARTIAL, 2 * chunks * pitch);
    Parallel.run(
        chunks,
        1,
        (from, to) -> {
          for (long i = from; i < to; i++) {
            long first = i * chunk;
            long mine = sums + i * 2 * pitch;
            Raw.clear(mine, 2 * pitch);
            long block = block(length, Math.min(chunk, rows - first));
            operand(block, RowNormCode.OUT, toX.address() + first * row, row);
            operand(block, RowNormCode.X, x.address() + first * row, row);
            operand(block, RowNormCode.MEAN, mean.address() + first * bytes, bytes);
            operand(block, RowNormCode.RSTD, rstd.address() + first * bytes, bytes);
            operand(block, RowNormCode.WEIGHT, w, 0);
            operand(block, RowNormCode.GRAD, grad.address() + first * row, row);
            operand(block, RowNormCode.WEIGHT_SUMS, mine, 0);
            operand(block, RowNormCode.BIAS_SUMS, mine + pitch, 0);
            parameter(block, RowNormCode.GRADIENT_OPERANDS, 0, 1.0 / length);
            code.run(block);
          }
        });
    Code join = code(6, () -> TileCode.sums(isa, dtype));
    for (int i = 0; i < 2; i++) {
      long block = block(length, 1);
      operand(block, 0, sums + i * pitch, 0);
      operand(block, 1, (i == 0 ? toWeight : toBias).address(), 0);
      Raw.put(block + TileCode.depth(TileCode.SUMS_OPERANDS), chunks);
      Raw.put(block + TileCode.depth(TileCode.SUMS_OPERANDS) + 8, 2 * pitch);
      join.run(block);
    }
    Reference.reachabilityFence(toX);
    Reference.reachabilityFence(grad);
    Reference.reachabilityFence(x);
    Reference.reachabilityFence(weight);
  }

  private static long block(long columns, long rows) {
    long block = Raw.arguments();
    Raw.put(block + VectorRows.COLUMNS, columns);
    Raw.put(block + VectorRows.ROWS, rows);
    return block;
  }

  private static void operand(long block, int i, long address, long row) {
    Raw.put(block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * i, address);
    Raw.put(block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * i + 8, row);
  }

  private void parameter(long block, int operands, int i, double value) {
    long at = block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * operands + 8L * i;
    Raw.put(at, value, dtype == DType.FLOAT64);
  }
}
