package taper.cpu.x86;

import java.lang.ref.Reference;
import java.util.Arrays;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.Fold;
import taper.cpu.reductions.Folding;
import taper.cpu.reductions.Lines;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Reductions by assembled code.
///
/// If the innermost group of dimensions is reduced, every run of it becomes a partial result (long runs
/// several); otherwise the group outside it is gone down, in blocks. The partial results are joined in
/// Java, in the order of their position. How the work is cut depends on the sizes alone, so the result does
/// not depend on the number of threads.
public final class X86Folding implements Folding {
  private static final long BLOCK = 16384; // elements, some 3 µs of work

  private final Isa isa;
  private final CodeTable codes = new CodeTable(Fold.values().length * DType.values().length * 2);

  /// Foldings for a processor that has `isa`.
  public X86Folding(Isa isa) {
    this.isa = isa;
  }

  private Code code(Fold fold, DType dtype, boolean down) {
    int key = (fold.ordinal() * DType.values().length + dtype.ordinal()) * 2 + (down ? 1 : 0);
    Code code = codes.find(key);
    return code != null
        ? code
        : codes.add(key, () -> ReductionCode.assemble(isa, fold, dtype, down));
  }

  @Override
  public double[] fold(Fold fold, Lines lines, Strided x, Strided y, double[] centers) {
    double[] result = new double[Math.toIntExact(lines.count())];
    Arrays.fill(result, fold.identity());
    if (x.numel() == 0) {
      return result;
    }
    int last = lines.groups() - 1;
    if (lines.isReduced(last)) {
      alongRows(fold, lines, x, y, centers, result);
    } else if (last == 0) {
      // Nothing is reduced: every element is a line.
      downColumns(fold, lines, x, y, centers, result, 1, lines.size(0));
    } else {
      downColumns(fold, lines, x, y, centers, result, lines.size(last - 1), lines.size(last));
    }
    Reference.reachabilityFence(x); // the code sees addresses only
    Reference.reachabilityFence(y);
    return result;
  }

  private void alongRows(
      Fold fold, Lines lines, Strided x, Strided y, double[] centers, double[] result) {
    int last = lines.groups() - 1;
    long length = lines.size(last);
    long piece = length <= 2 * BLOCK ? length : BLOCK;
    long pieces = (length + piece - 1) / piece;
    long rows = x.numel() / length;
    int perRow = ReductionCode.resultsPerRow(isa, fold);
    long centerBytes = fold.isCentered() ? rows * 8 : 0;
    long scratch =
        Scratch.ofThread().address(Scratch.Use.PARTIAL, rows * pieces * perRow * 8 + centerBytes);
    long centerAt = scratch + rows * pieces * perRow * 8;
    if (fold.isCentered()) {
      for (long r = 0; r < rows; r++) {
        Raw.put(centerAt + 8 * r, centers[(int) lines.line(r, last)]);
      }
    }
    int bytes = x.dtype().byteSize();
    long address = x.address();
    long second = y.address();
    Code code = code(fold, x.dtype(), false);
    long together = Math.max(1, BLOCK / piece);
    Parallel.run(
        rows * pieces,
        together,
        (from, to) -> {
          long at = from;
          while (at < to) {
            long row = at / pieces;
            long part = at % pieces;
            long columns = Math.min(piece, length - part * piece);
            long count = pieces == 1 ? to - at : 1;
            long block = Raw.arguments();
            Raw.put(block + VectorRows.COLUMNS, columns);
            Raw.put(block + VectorRows.ROWS, count);
            operand(block, 0, scratch + at * perRow * 8, perRow * 8L);
            long offset = (row * length + part * piece) * bytes;
            operand(block, 1, address + offset, length * bytes);
            operand(block, 2, centerAt + 8 * row, 8);
            operand(block, 3, second + offset, length * bytes);
            code.run(block);
            at += count;
          }
        });
    boolean alone = last == 0 || last == 1;
    if (alone && pieces * perRow == 1) {
      Raw.copy(scratch, result);
      return;
    }
    for (long r = 0; r < rows; r++) {
      int line = alone ? (int) r : (int) lines.line(r, last);
      double joined = result[line];
      long at = scratch + r * pieces * perRow * 8;
      for (long i = 0; i < pieces * perRow; i++) {
        joined = fold.join(joined, Raw.doubleAt(at + 8 * i));
      }
      result[line] = joined;
    }
  }

  private void downColumns(
      Fold fold,
      Lines lines,
      Strided x,
      Strided y,
      double[] centers,
      double[] result,
      long depth,
      long width) {
    int outerGroups = Math.max(0, lines.groups() - 2);
    long planes = x.numel() / (depth * width);
    // Blocks: of columns if the rows are long, of rows if there are many.
    long columnsPerBlock = Math.min(width, 1024);
    long columnBlocks = (width + columnsPerBlock - 1) / columnsPerBlock;
    long rowsPerBlock = Math.max(1, Math.min(depth, 4 * BLOCK / columnsPerBlock));
    long rowBlocks = (depth + rowsPerBlock - 1) / rowsPerBlock;
    long partialBytes = planes * rowBlocks * width * 8;
    long scratch =
        Scratch.ofThread()
            .address(
                Scratch.Use.PARTIAL, partialBytes + (fold.isCentered() ? result.length * 8L : 0));
    long centerAt = scratch + partialBytes;
    if (fold.isCentered()) {
      for (int i = 0; i < centers.length; i++) {
        Raw.put(centerAt + 8L * i, centers[i]);
      }
    }
    int bytes = x.dtype().byteSize();
    long address = x.address();
    long second = y.address();
    Code code = code(fold, x.dtype(), true);
    Parallel.run(
        planes * rowBlocks * columnBlocks,
        Math.max(1, BLOCK / (rowsPerBlock * columnsPerBlock)),
        (from, to) -> {
          for (long b = from; b < to; b++) {
            long plane = b / (rowBlocks * columnBlocks);
            long rowBlock = b / columnBlocks % rowBlocks;
            long column = b % columnBlocks * columnsPerBlock;
            long row = rowBlock * rowsPerBlock;
            long block = Raw.arguments();
            Raw.put(block + VectorRows.COLUMNS, Math.min(columnsPerBlock, width - column));
            Raw.put(block + VectorRows.ROWS, 1L);
            operand(block, 0, scratch + ((plane * rowBlocks + rowBlock) * width + column) * 8, 0);
            long offset = ((plane * depth + row) * width + column) * bytes;
            operand(block, 1, address + offset, 0);
            operand(block, 3, second + offset, 0);
            operand(block, 2, centerAt + 8 * (lines.line(plane, outerGroups) + column), 0);
            Raw.put(block + ReductionCode.DEPTH, Math.min(rowsPerBlock, depth - row));
            Raw.put(block + ReductionCode.DEPTH + 8, width * bytes);
            code.run(block);
          }
        });
    double[] part = new double[Math.toIntExact(width)];
    for (long plane = 0; plane < planes; plane++) {
      int line = (int) lines.line(plane, outerGroups);
      for (long rowBlock = 0; rowBlock < rowBlocks; rowBlock++) {
        Raw.copy(scratch + (plane * rowBlocks + rowBlock) * width * 8, part);
        fold.join(result, line, part, part.length);
      }
    }
  }

  private static void operand(long block, int number, long address, long rowStride) {
    long at = block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * number;
    Raw.put(at, address);
    Raw.put(at + 8, rowStride);
  }
}
