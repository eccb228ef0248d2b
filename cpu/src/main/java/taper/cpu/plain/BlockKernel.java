package taper.cpu.plain;

import java.util.List;
import taper.cpu.loops.Nest;
import taper.cpu.parallel.Parallel;
import taper.tensor.Creation;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// A formula over operands of any type and strides, evaluated a block of up to 1024 elements at a time.
///
/// The operands are brought into arrays of one Java type, a row or a part of one after the other; then
/// each operation of the formula runs over the whole block, which stays in the first cache. Threads may
/// share the kernel; each has its own arrays.
public final class BlockKernel implements Kernel {
  private static final int BLOCKS_TOGETHER = 16;

  private enum Kind {
    FLOAT,
    DOUBLE,
    LONG
  }

  /// The arrays of one thread.
  private static final class Workspace {
    private static final ThreadLocal<Workspace> OWN = ThreadLocal.withInitial(Workspace::new);

    private final Registers floats = new FloatRegisters();
    private final Registers doubles = new DoubleRegisters();
    private final Registers longs = new LongRegisters();

    Registers registers(Kind kind) {
      return switch (kind) {
        case FLOAT -> floats;
        case DOUBLE -> doubles;
        case LONG -> longs;
      };
    }
  }

  private final Steps steps;
  private final Kind kind;

  /// A kernel for `formula` over `inputs` operands, computed in `compute`.
  public BlockKernel(Formula formula, int inputs, DType compute) {
    this(List.of(formula), inputs, compute);
  }

  /// A kernel for several formulas over the same `inputs` operands, with one output each.
  public BlockKernel(List<Formula> formulas, int inputs, DType compute) {
    this.steps = Steps.of(formulas, inputs);
    this.kind =
        !compute.isFloatingPoint()
            ? Kind.LONG
            : compute == DType.FLOAT64 ? Kind.DOUBLE : Kind.FLOAT;
  }

  /// A kernel that copies and converts elements of type `from`.
  public static Kernel conversion(DType from) {
    return new BlockKernel(Formula.input(0), 1, from);
  }

  /// A kernel that writes one number everywhere.
  public static Kernel filling(DType dtype) {
    var kernel = new BlockKernel(Formula.parameter(0), 0, dtype);
    return new Kernel() {
      @Override
      public boolean anyStrides() {
        return true;
      }

      @Override
      public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
        var fill = (Creation.Fill) attributes;
        boolean truth = fill.whole() != 0 || fill.value() != 0;
        long whole = dtype == DType.BOOL ? truth ? 1 : 0 : fill.whole();
        kernel.run(
            new Parameters(new double[] {fill.value()}, new long[] {whole}),
            outputs,
            new Strided[0]);
      }
    };
  }

  @Override
  public boolean anyStrides() {
    return true;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Strided out = outputs[0];
    if (out.numel() == 0) {
      return;
    }
    Parameters parameters = attributes instanceof Parameters p ? p : Parameters.NONE;
    var others = new Strided[outputs.length - 1 + inputs.length];
    System.arraycopy(outputs, 1, others, 0, outputs.length - 1);
    System.arraycopy(inputs, 0, others, outputs.length - 1, inputs.length);
    Nest nest = Nest.of(out, others);
    long columns = nest.columns();
    int width = (int) Math.min(columns, Registers.BLOCK);
    int height = (int) Math.min(nest.rows(), Registers.BLOCK / width);
    long across = (columns + width - 1) / width;
    long down = (nest.rows() + height - 1) / height;
    Parallel.run(
        nest.planes() * down * across,
        BLOCKS_TOGETHER,
        (from, to) -> {
          Registers registers = Workspace.OWN.get().registers(kind);
          registers.prepare(steps.registers());
          for (Steps.Fixed number : steps.fixed()) {
            registers.fill(number.register(), parameters, number);
          }
          for (long b = from; b < to; b++) {
            long plane = b / (down * across);
            long row = b / across % down * height;
            long column = b % across * width;
            int rows = (int) Math.min(height, nest.rows() - row);
            int count = (int) Math.min(width, columns - column);
            block(registers, nest, outputs, inputs, plane, row, rows, column, count);
          }
        });
  }

  private void block(
      Registers registers,
      Nest nest,
      Strided[] outputs,
      Strided[] inputs,
      long plane,
      long row,
      int rows,
      long column,
      int count) {
    for (int i = 0; i < inputs.length; i++) {
      int operand = outputs.length + i;
      long offset = offset(nest, operand, inputs[i], plane, row, column);
      long stride = nest.columnStride(operand);
      for (int k = 0; k < rows; k++) {
        registers.load(
            i, k * count, inputs[i], offset + k * nest.rowStride(operand), stride, count);
      }
    }
    registers.run(steps, rows * count);
    for (int i = 0; i < outputs.length; i++) {
      Strided out = outputs[i];
      long offset = offset(nest, i, out, plane, row, column);
      int register = steps.results().get(i);
      for (int k = 0; k < rows; k++) {
        registers.store(
            register, k * count, out, offset + k * nest.rowStride(i), nest.columnStride(i), count);
      }
    }
  }

  private static long offset(Nest nest, int operand, Strided x, long plane, long row, long column) {
    return x.byteOffset()
        + nest.planeOffset(operand, plane)
        + row * nest.rowStride(operand)
        + column * nest.columnStride(operand);
  }
}
