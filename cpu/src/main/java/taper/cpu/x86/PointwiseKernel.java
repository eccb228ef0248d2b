package taper.cpu.x86;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.loops.Nest;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// A formula over operands of any strides, as assembled code. Threads may share it.
///
/// The two innermost loops are the code's. An operand that neither advances by one element along the
/// innermost loop nor stands still is packed before, block by block. Work is cut into blocks of about the
/// same cost, independent of the number of threads.
public final class PointwiseKernel implements Kernel {
  private static final Parameters NO_PARAMETERS = Parameters.NONE;

  private final Isa isa;
  private final Formula formula;
  private final boolean wide;
  private final List<DType> inputTypes;
  private final DType result;
  private final @Nullable Code[] codes;
  private final long grain;

  private PointwiseKernel(
      Isa isa, Formula formula, boolean wide, List<DType> inputTypes, DType result) {
    this.isa = isa;
    this.formula = formula;
    this.wide = wide;
    this.inputTypes = inputTypes;
    this.result = result;
    this.codes = new Code[1 << inputTypes.size()];
    this.grain = Math.max(4096, 32768 / (1 + cost(formula) / 8)) & -64;
  }

  /// The kernel of `formula`, or null if the formula needs a function that exists in Java only.
  ///
  /// @param wide whether to compute in `float64` instead of `float32`
  public static @Nullable PointwiseKernel of(
      Isa isa, Formula formula, boolean wide, List<DType> inputTypes, DType result) {
    if (inputTypes.size() > PointwiseCode.MOST_INPUTS) {
      return null;
    }
    var kernel = new PointwiseKernel(isa, formula, wide, inputTypes, result);
    return kernel.code(0) == null ? null : kernel;
  }

  /// Roughly how many instructions a vector takes.
  private static int cost(Formula f) {
    return switch (f) {
      case Formula.Input _, Formula.Parameter _, Formula.Constant _ -> 1;
      case Formula.Unary(var function, var of) ->
          cost(of)
              + switch (function) {
                case NEGATE, ABS, SIGN, FLOOR, CEIL, ROUND, TRUNC, RELU -> 1;
                case SQRT, RSQRT, RECIPROCAL -> 4;
                default -> 24;
              };
      case Formula.Binary(var arithmetic, var x, var y) ->
          cost(x) + cost(y) + (arithmetic == Formula.Arithmetic.POWER ? 80 : 1);
      case Formula.Select(var x, _, var y, var then, var otherwise) ->
          cost(x) + cost(y) + cost(then) + cost(otherwise);
    };
  }

  private @Nullable Code code(int still) {
    Code code = codes[still];
    return code != null ? code : assemble(still);
  }

  private synchronized @Nullable Code assemble(int still) {
    if (codes[still] == null) {
      codes[still] =
          PointwiseCode.assemble(
              isa, new PointwiseCode.Task(formula, wide, inputTypes, result, still));
    }
    return codes[still];
  }

  @Override
  public boolean anyStrides() {
    return true;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Strided out = outputs[0];
    long n = out.numel();
    if (n == 0) {
      return;
    }
    double[] parameters = attributes instanceof Parameters p ? p.values() : NO_PARAMETERS.values();
    boolean dense = out.isContiguous();
    for (int i = 0; dense && i < inputs.length; i++) {
      dense = inputs[i].isContiguous();
    }
    if (!dense) {
      new Run(Nest.of(out, inputs), out, inputs, parameters).go();
      return;
    }
    Code code = Objects.requireNonNull(code(0));
    if (n <= grain || Parallel.threads() == 1) {
      long block = block(1 + inputs.length, parameters);
      Raw.put(block + PointwiseCode.COLUMNS, n);
      Raw.put(block + PointwiseCode.ROWS, 1L);
      Raw.put(block + PointwiseCode.OPERANDS, out.address());
      for (int i = 0; i < inputs.length; i++) {
        Raw.put(
            block + PointwiseCode.OPERANDS + (long) PointwiseCode.OPERAND_BYTES * (1 + i),
            inputs[i].address());
      }
      code.run(block);
      return;
    }
    Parallel.run(
        n,
        grain,
        (from, to) -> {
          long block = block(1 + inputs.length, parameters);
          Raw.put(block + PointwiseCode.COLUMNS, to - from);
          Raw.put(block + PointwiseCode.ROWS, 1L);
          for (int i = 0; i <= inputs.length; i++) {
            Strided x = i == 0 ? out : inputs[i - 1];
            Raw.put(
                block + PointwiseCode.OPERANDS + (long) PointwiseCode.OPERAND_BYTES * i,
                x.address() + from * x.dtype().byteSize());
          }
          code.run(block);
        });
  }

  /// This thread's argument block, with the parameters in it.
  private long block(int operands, double[] parameters) {
    long block = Raw.arguments();
    long at = block + PointwiseCode.OPERANDS + (long) PointwiseCode.OPERAND_BYTES * operands;
    for (double parameter : parameters) {
      if (wide) {
        Raw.put(at, parameter);
      } else {
        Raw.put(at, (float) parameter);
      }
      at += 8;
    }
    return block;
  }

  /// One call with operands that are not all contiguous.
  private final class Run {
    private final Nest nest;
    private final Strided[] operands;
    private final double[] parameters;
    private final boolean[] packed;
    private final Code code;
    private final long columnsPerBlock;
    private final long rowsPerBlock;
    private final long columnBlocks;
    private final long rowBlocks;

    Run(Nest nest, Strided out, Strided[] inputs, double[] parameters) {
      this.nest = nest;
      this.parameters = parameters;
      operands = new Strided[1 + inputs.length];
      operands[0] = out;
      System.arraycopy(inputs, 0, operands, 1, inputs.length);
      packed = new boolean[operands.length];
      int still = 0;
      for (int i = 0; i < operands.length; i++) {
        long stride = nest.columnStride(i);
        if (stride == 0 && i > 0) {
          still |= 1 << i - 1;
        } else {
          packed[i] = stride != operands[i].dtype().byteSize() && nest.columns() > 1;
        }
      }
      Code fast = code(still);
      if (fast == null) { // too many broadcast operands for the registers: pack them too
        for (int i = 1; i < operands.length; i++) {
          packed[i] |= (still & 1 << i - 1) != 0;
        }
        fast = Objects.requireNonNull(code(0));
      }
      code = fast;
      long columns = nest.columns();
      columnsPerBlock = columns <= 2 * grain ? columns : grain;
      columnBlocks = (columns + columnsPerBlock - 1) / columnsPerBlock;
      rowsPerBlock = Math.max(1, Math.min(nest.rows(), grain / columnsPerBlock));
      rowBlocks = (nest.rows() + rowsPerBlock - 1) / rowsPerBlock;
    }

    void go() {
      long blocksPerPlane = rowBlocks * columnBlocks;
      long blocks = nest.planes() * blocksPerPlane;
      long planeSize = nest.rows() * nest.columns();
      // Small planes are handed out several at a time.
      long together = Math.max(1, blocksPerPlane == 1 ? grain / Math.max(planeSize, 1) : 1);
      Parallel.run(
          blocks,
          together,
          (from, to) -> {
            for (long b = from; b < to; b++) {
              long plane = b / blocksPerPlane;
              long rest = b % blocksPerPlane;
              block(plane, rest / columnBlocks, rest % columnBlocks);
            }
          });
    }

    private void block(long plane, long rowBlock, long columnBlock) {
      long row = rowBlock * rowsPerBlock;
      long rows = Math.min(rowsPerBlock, nest.rows() - row);
      long column = columnBlock * columnsPerBlock;
      long columns = Math.min(columnsPerBlock, nest.columns() - column);
      long[] addresses = new long[operands.length];
      long[] strides = new long[operands.length];
      long scratch = 0;
      long used = 0;
      for (int i = 0; i < operands.length; i++) {
        addresses[i] =
            operands[i].address()
                + nest.planeOffset(i, plane)
                + row * nest.rowStride(i)
                + column * nest.columnStride(i);
        strides[i] = nest.rowStride(i);
        used += packed[i] ? size(i, rows * columns) : 0;
      }
      long outAddress = addresses[0];
      if (used > 0) {
        scratch = Scratch.bytes(used).address();
      }
      for (int i = 0; i < operands.length; i++) {
        if (packed[i]) {
          int bytes = operands[i].dtype().byteSize();
          if (i > 0) {
            Packing.copy(
                bytes,
                addresses[i],
                nest.rowStride(i),
                nest.columnStride(i),
                scratch,
                columns * bytes,
                bytes,
                rows,
                columns);
          }
          addresses[i] = scratch;
          strides[i] = columns * bytes;
          scratch += size(i, rows * columns);
        }
      }
      long block = PointwiseKernel.this.block(operands.length, parameters);
      Raw.put(block + PointwiseCode.COLUMNS, columns);
      Raw.put(block + PointwiseCode.ROWS, rows);
      for (int i = 0; i < operands.length; i++) {
        long at = block + PointwiseCode.OPERANDS + (long) PointwiseCode.OPERAND_BYTES * i;
        Raw.put(at, addresses[i]);
        Raw.put(at + 8, strides[i]);
      }
      code.run(block);
      if (packed[0]) {
        int bytes = operands[0].dtype().byteSize();
        Packing.copy(
            bytes,
            addresses[0],
            columns * bytes,
            bytes,
            outAddress,
            nest.rowStride(0),
            nest.columnStride(0),
            rows,
            columns);
      }
    }

    private long size(int operand, long elements) {
      return (elements * operands[operand].dtype().byteSize() + 63) / 64 * 64;
    }
  }
}
