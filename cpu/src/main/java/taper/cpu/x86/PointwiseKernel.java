package taper.cpu.x86;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeMemory;
import taper.cpu.assembler.Isa;
import taper.cpu.loops.DenseKernel;
import taper.cpu.loops.Nest;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Strided;

/// A formula over operands of any strides, as assembled code. Threads may share it.
///
/// The two innermost loops are the code's. An operand that neither advances by one element along the
/// innermost loop nor stands still is packed before, block by block. Work is cut into blocks of about the
/// same cost, independent of the number of threads.
public final class PointwiseKernel implements DenseKernel {
  private final Isa isa;
  private final List<Formula> formulas;
  private final boolean wide;
  private final boolean whole;
  private final List<DType> inputTypes;
  private final List<DType> results;
  private final @Nullable Code[] codes;
  private final long grain;
  private final @Nullable Arithmetic division; // of whole numbers

  private PointwiseKernel(
      Isa isa,
      List<Formula> formulas,
      boolean wide,
      boolean whole,
      List<DType> inputTypes,
      List<DType> results) {
    this.isa = isa;
    this.whole = whole;
    this.division = whole ? WholeDivisions.division(formulas.getFirst()) : null;
    this.formulas = formulas;
    this.wide = wide;
    this.inputTypes = inputTypes;
    this.results = results;
    this.codes = new Code[1 << inputTypes.size()];
    this.grain =
        Math.max(4096, 32768 / (1 + formulas.stream().mapToInt(PointwiseKernel::cost).sum() / 8))
            & -64;
  }

  /// The kernel of `formula`, or null if the formula needs a function that exists in Java only.
  ///
  /// @param wide whether to compute in `float64` instead of `float32`
  public static @Nullable PointwiseKernel of(
      Isa isa, Formula formula, boolean wide, List<DType> inputTypes, DType result) {
    return of(isa, List.of(formula), wide, inputTypes, List.of(result));
  }

  /// The kernel of several formulas over the same inputs, with one output each, or null if one of them needs
  /// a function that exists in Java only. Outputs may be inputs.
  public static @Nullable PointwiseKernel of(
      Isa isa, List<Formula> formulas, boolean wide, List<DType> inputTypes, List<DType> results) {
    if (inputTypes.size() + results.size() > VectorRows.MOST_OPERANDS) {
      return null;
    }
    var kernel = new PointwiseKernel(isa, formulas, wide, false, inputTypes, results);
    return kernel.code(0) == null ? null : kernel;
  }

  /// The kernel of `formula` over whole numbers, or null if it needs a function that exists in Java only or the processor
  /// lacks AVX-512.
  public static @Nullable PointwiseKernel ofWhole(
      Isa isa, Formula formula, List<DType> inputTypes, DType compute, DType result) {
    boolean numbers = compute == DType.BOOL || compute.isIntegral();
    boolean results = result == DType.BOOL || result.isIntegral();
    if (isa != Isa.AVX512
        || !numbers
        || !results
        || inputTypes.size() >= VectorRows.MOST_OPERANDS
        || WholeDivisions.divides(formula) && WholeDivisions.division(formula) == null) {
      return null;
    }
    boolean wide = result == DType.INT64 || !WholeLane.fits(formula, compute, result);
    var kernel =
        new PointwiseKernel(isa, List.of(formula), wide, true, inputTypes, List.of(result));
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
          cost(x)
              + cost(y)
              + switch (arithmetic) {
                case POWER -> 80;
                case FLOOR_DIVIDE, REMAINDER, FMOD -> 24;
                default -> 1;
              };
      case Formula.Select(var x, _, var y, var then, var otherwise) ->
          cost(x) + cost(y) + cost(then) + cost(otherwise);
    };
  }

  private @Nullable Code code(int still) {
    Code code = codes[still];
    return code != null ? code : assemble(still);
  }

  private @Nullable Code codeOrNull(int still) {
    try {
      return code(still);
    } catch (CodeMemory.UnavailableException e) {
      return null;
    }
  }

  private synchronized @Nullable Code assemble(int still) {
    if (codes[still] == null) {
      codes[still] =
          PointwiseCode.assemble(
              isa, new PointwiseCode.Task(formulas, wide, whole, inputTypes, results, still));
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
    Parameters parameters = attributes instanceof Parameters p ? p : Parameters.NONE;
    Strided[] operands = operands(outputs, inputs);
    boolean dense = true;
    for (int i = 0; dense && i < operands.length; i++) {
      dense = operands[i].isContiguous();
    }
    if (!dense) {
      new Run(operands, parameters).go();
    } else if (n <= grain || Parallel.threads() == 1) {
      range(operands, parameters, 0, n);
    } else {
      Parallel.run(n, grain, (from, to) -> range(operands, parameters, from, to));
    }
    Reference.reachabilityFence(operands); // the code sees addresses only
  }

  private static Strided[] operands(Strided[] outputs, Strided[] inputs) {
    var operands = new Strided[outputs.length + inputs.length];
    System.arraycopy(outputs, 0, operands, 0, outputs.length);
    System.arraycopy(inputs, 0, operands, outputs.length, inputs.length);
    return operands;
  }

  @Override
  public void range(Strided[] operands, Parameters parameters, long from, long to) {
    long block = block(operands.length, parameters);
    Raw.put(block + PointwiseCode.COLUMNS, to - from);
    Raw.put(block + PointwiseCode.ROWS, 1L);
    for (int i = 0; i < operands.length; i++) {
      Strided x = operands[i];
      Raw.put(
          block + PointwiseCode.OPERANDS + PointwiseCode.OPERAND_BYTES * i,
          x.address() + from * x.dtype().byteSize());
    }
    Objects.requireNonNull(codes[0]).run(block);
    checkDivisors(block);
  }

  /// Complains if the code has met a divisor of 0.
  private void checkDivisors(long block) {
    if (division != null && Raw.longAt(block + PointwiseCode.ROWS) < 0) {
      long _ = division.at(1L, 0L); // throws, and names the operator
    }
  }

  /// This thread's argument block, with the parameters in it.
  private long block(int operands, Parameters parameters) {
    long block = Raw.arguments();
    long at = block + PointwiseCode.OPERANDS + (long) PointwiseCode.OPERAND_BYTES * operands;
    for (int i = 0; i < parameters.values().length; i++) {
      if (whole) {
        Raw.put(at, parameters.wholes()[i]);
      } else if (wide) {
        Raw.put(at, parameters.values()[i]);
      } else {
        Raw.put(at, (float) parameters.values()[i]);
      }
      at += 8;
    }
    return block;
  }

  /// One call with operands that are not all contiguous.
  private final class Run {
    private final Nest nest;
    private final Strided[] operands;
    private final Parameters parameters;
    private final boolean[] packed;
    private final Code code;
    private final long columnsPerBlock;
    private final long rowsPerBlock;
    private final long columnBlocks;
    private final long rowBlocks;

    Run(Strided[] operands, Parameters parameters) {
      this.operands = operands;
      this.nest = Nest.of(operands[0], Arrays.copyOfRange(operands, 1, operands.length));
      this.parameters = parameters;
      packed = new boolean[operands.length];
      int still = 0;
      int outputs = results.size();
      for (int i = 0; i < operands.length; i++) {
        long stride = nest.columnStride(i);
        if (stride == 0 && i >= outputs) {
          still |= 1 << i - outputs;
        } else {
          packed[i] = stride != operands[i].dtype().byteSize() && nest.columns() > 1;
        }
      }
      Code fast = codeOrNull(still);
      if (fast
          == null) { // too many broadcast operands for the registers, or no memory for code: pack
        // them too
        for (int i = outputs; i < operands.length; i++) {
          packed[i] |= (still & 1 << i - outputs) != 0;
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
      int outputs = results.size();
      long[] outAddresses = Arrays.copyOf(addresses, outputs);
      if (used > 0) {
        scratch = Scratch.ofThread().address(Scratch.Use.ROWS, used);
      }
      for (int i = 0; i < operands.length; i++) {
        if (packed[i]) {
          int bytes = operands[i].dtype().byteSize();
          if (i >= outputs) {
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
      checkDivisors(block);
      for (int i = 0; i < outputs; i++) {
        if (packed[i]) {
          int bytes = operands[i].dtype().byteSize();
          Packing.copy(
              bytes,
              addresses[i],
              columns * bytes,
              bytes,
              outAddresses[i],
              nest.rowStride(i),
              nest.columnStride(i),
              rows,
              columns);
        }
      }
    }

    private long size(int operand, long elements) {
      return (elements * operands[operand].dtype().byteSize() + 63) / 64 * 64;
    }
  }
}
