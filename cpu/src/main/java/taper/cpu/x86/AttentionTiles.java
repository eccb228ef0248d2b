package taper.cpu.x86;

import static taper.tensor.spi.Formula.constant;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.tensor.DType;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;

/// What attention does to tiles besides products: assembled code for elements of one type. Immutable; threads may share
/// it.
///
/// All arguments are addresses; rows of tiles lie `row` bytes apart, and columns are whole vectors.
public final class AttentionTiles {
  /// The most columns of a tile.
  public static final int COLUMNS = 64;

  private final boolean wide;
  private final int bytes;
  private final Code[] softmax;
  private final Code dots;
  private final Code scale;
  private final Code scaleRows;
  private final Code finish;
  private final Code[] gradient;
  private final MemorySegment numbers;

  /// Code for elements of `dtype`, `float32` or `float64`.
  public AttentionTiles(Isa isa, DType dtype) {
    this.wide = dtype == DType.FLOAT64;
    this.bytes = dtype.byteSize();
    this.softmax =
        new Code[] {TileCode.softmax(isa, dtype, false), TileCode.softmax(isa, dtype, true)};
    this.gradient =
        new Code[] {TileCode.gradient(isa, dtype, false), TileCode.gradient(isa, dtype, true)};
    this.numbers = Arena.global().allocate((long) COLUMNS * bytes, 64);
    for (int i = 0; i < COLUMNS; i++) {
      if (wide) {
        numbers.setAtIndex(ValueLayout.JAVA_DOUBLE, i, i);
      } else {
        numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
      }
    }
    this.dots = TileCode.dots(isa, dtype);
    this.scale = pointwise(isa, dtype, 1, 0, input(0).times(parameter(0)));
    this.scaleRows = pointwise(isa, dtype, 2, 2, input(0).times(input(1)));
    Formula none = constant(0);
    this.finish =
        pointwise(
            isa,
            dtype,
            2,
            0,
            new Formula.Select(
                input(1), Comparison.EQUAL, none, none, constant(1).dividedBy(input(1))),
            new Formula.Select(
                input(1),
                Comparison.EQUAL,
                none,
                constant(Double.POSITIVE_INFINITY),
                input(0).plus(Formula.log(input(1)))));
  }

  private static Code pointwise(Isa isa, DType dtype, int inputs, int still, Formula... formulas) {
    List<DType> types = Collections.nCopies(inputs, dtype);
    List<DType> results = Collections.nCopies(formulas.length, dtype);
    return Objects.requireNonNull(
        PointwiseCode.assemble(
            isa,
            new PointwiseCode.Task(
                List.of(formulas), dtype == DType.FLOAT64, false, types, results, still)));
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

  private void parameter0(long block, int operands, double value) {
    long at = block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * operands;
    if (wide) {
      Raw.put(at, value);
    } else {
      Raw.put(at, (float) value);
    }
  }

  /// One step of the running softmax down the columns of a tile of `rows` rows; see [TileCode#softmax].
  public void softmax(
      boolean back,
      long tile,
      long row,
      long rows,
      long columns,
      long largest,
      long sums,
      long factors) {
    long block = block(columns, 1);
    operand(block, 0, tile, 0);
    operand(block, 1, largest, 0);
    operand(block, 2, sums, 0);
    operand(block, 3, factors, 0);
    operand(block, 4, numbers.address(), 0);
    Raw.put(block + TileCode.depth(TileCode.SOFTMAX_OPERANDS), rows);
    Raw.put(block + TileCode.depth(TileCode.SOFTMAX_OPERANDS) + 8, row);
    softmax[back ? 1 : 0].run(block);
  }

  /// The sums of the products of the columns of two tiles.
  public void dots(long x, long y, long row, long rows, long columns, long sums) {
    long block = block(columns, 1);
    operand(block, 0, x, 0);
    operand(block, 1, y, 0);
    operand(block, 2, sums, 0);
    Raw.put(block + TileCode.depth(TileCode.DOTS_OPERANDS), rows);
    Raw.put(block + TileCode.depth(TileCode.DOTS_OPERANDS) + 8, row);
    dots.run(block);
  }

  /// Multiplies `count` numbers by `factor`.
  public void scale(long at, long count, double factor) {
    long block = block(count, 1);
    operand(block, 0, at, 0);
    operand(block, 1, at, 0);
    parameter0(block, 2, factor);
    scale.run(block);
  }

  /// Multiplies each row by a number of its own; here columns may be any number.
  public void scaleRows(long at, long row, long rows, long columns, long factors) {
    long block = block(columns, rows);
    operand(block, 0, at, row);
    operand(block, 1, at, row);
    operand(block, 2, factors, bytes);
    scaleRows.run(block);
  }

  /// From the largest elements and the sums of columns, what to multiply by, and the logarithm of the sum of exponentials:
  /// 0 and infinity for a column of negative infinities, which makes its weights 0 in both directions.
  public void finish(long largest, long sums, long columns, long factors, long logs) {
    long block = block(columns, 1);
    operand(block, 0, factors, 0);
    operand(block, 1, logs, 0);
    operand(block, 2, largest, 0);
    operand(block, 3, sums, 0);
    finish.run(block);
  }

  /// Turns products into weights, and gradients of weights into those of products; see [TileCode#gradient].
  public void gradient(
      boolean back,
      long products,
      long gradients,
      long row,
      long rows,
      long columns,
      long logs,
      long means,
      double factor) {
    long block = block(columns, 1);
    operand(block, 0, products, 0);
    operand(block, 1, gradients, 0);
    operand(block, 2, logs, 0);
    operand(block, 3, means, 0);
    operand(block, 4, numbers.address(), 0);
    long depth = block + TileCode.depth(TileCode.GRADIENT_OPERANDS);
    Raw.put(depth, rows);
    Raw.put(depth + 8, row);
    if (wide) {
      Raw.put(depth + 16, factor);
    } else {
      Raw.put(depth + 16, (float) factor);
    }
    gradient[back ? 1 : 0].run(block);
  }
}
