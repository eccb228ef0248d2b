package taper.cpu.x86;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;
import taper.tensor.spi.Formula;

/// The loop of a pointwise kernel: rows of columns, `out[r][c] = formula(in0[r][c], in1[r][c], …)`.
///
/// Along the columns, the output and every input either advance by one element or stand still (a number,
/// a bias over channels); such an input is loaded once a row and kept in a register. Along the rows,
/// everything advances by any number of bytes. Operand 0 is the output.
final class PointwiseCode extends VectorRows {
  static final int MOST_INPUTS = MOST_OPERANDS - 1;

  /// What the code is for.
  ///
  /// @param inputs the types of the inputs
  /// @param still the inputs that stand still along the columns, as bits
  record Task(Formula formula, boolean wide, List<DType> inputs, DType result, int still) {}

  private final Task task;

  private PointwiseCode(Isa isa, Task task) {
    super(isa, task.wide, operands(task));
    this.task = task;
  }

  private static List<DType> operands(Task task) {
    var operands = new ArrayList<DType>();
    operands.add(task.result);
    operands.addAll(task.inputs);
    return operands;
  }

  /// The code of `task`, or null if a function in it exists in Java only.
  static @Nullable Code assemble(Isa isa, Task task) {
    int pinned = Integer.bitCount(task.still);
    if (task.inputs.size() > MOST_INPUTS || pinned > isa.registers() / 4) {
      return null;
    }
    var code = new PointwiseCode(isa, task);
    try {
      return code.build() ? code.a.install() : null;
    } catch (Program.TooLargeException e) {
      return null;
    }
  }

  private boolean still(int input) {
    return (task.still & 1 << input) != 0;
  }

  private int pinnedRegister(int input) {
    return Integer.bitCount(task.still & (1 << input) - 1);
  }

  @Override
  boolean reads(int operand) {
    return operand > 0 && !still(operand - 1);
  }

  @Override
  boolean writes(int operand) {
    return operand == 0;
  }

  private boolean build() {
    Program program = program(Integer.bitCount(task.still));
    Value result =
        new Translation(
                new Lane(program, wide),
                i ->
                    still(i) ? program.pinned(pinnedRegister(i)) : loaded(program, 1 + i),
                i -> parameter(program, i))
            .of(task.formula);
    if (result == null) {
      return false;
    }
    store(program, 0, result);
    int unroll = program.size() <= 6 ? 4 : program.size() <= 16 ? 2 : 1;
    var programs = new Program[unroll];
    Arrays.fill(programs, program);
    function(
        () -> {
          for (int i = 0; i < task.inputs.size(); i++) {
            if (still(i)) {
              loadFirst(1 + i, pinnedRegister(i));
            }
          }
          columns(programs);
        });
    return true;
  }
}
