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

/// The loop of a pointwise kernel: rows of columns, `out[r][c] = formula(in0[r][c], in1[r][c], …)` for each of
/// a few outputs.
///
/// Along the columns, outputs advance by one element; an input does too, or stands still (a number, a bias
/// over channels), is then loaded once a row and kept in a register. Along the rows, everything advances by
/// any number of bytes. The outputs are the first operands. They are stored when all are known, so an
/// output may be an input.
final class PointwiseCode extends VectorRows {
  /// What the code is for.
  ///
  /// @param inputs the types of the inputs
  /// @param wide whether lanes have 64 bits
  /// @param whole whether they hold whole numbers
  /// @param still the inputs that stand still along the columns, as bits
  record Task(
      List<Formula> formulas,
      boolean wide,
      boolean whole,
      List<DType> inputs,
      List<DType> results,
      int still) {}

  private final Task task;

  private PointwiseCode(Isa isa, Task task) {
    super(isa, task.wide, task.whole, operands(task));
    this.task = task;
  }

  private static List<DType> operands(Task task) {
    var operands = new ArrayList<DType>(task.results);
    operands.addAll(task.inputs);
    return operands;
  }

  /// The code of `task`, or null if a function in it exists in Java only.
  static @Nullable Code assemble(Isa isa, Task task) {
    int pinned = Integer.bitCount(task.still);
    if (task.inputs.size() + task.results.size() > MOST_OPERANDS || pinned > isa.registers() / 4) {
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
    int outputs = task.results.size();
    return operand >= outputs && !still(operand - outputs);
  }

  @Override
  boolean writes(int operand) {
    return operand < task.results.size();
  }

  /// Where whole numbers are divided, there must be no 0 beyond the end of a row.
  private Value input(Program program, int operand) {
    Value x = loaded(program, operand);
    boolean divides = task.whole && WholeDivisions.divides(task.formulas.getFirst());
    return divides ? guarded(program, x, program.bits64(1)) : x;
  }

  private boolean build() {
    Program program = program(Integer.bitCount(task.still));
    int outputs = task.results.size();
    var translation =
        new Translation(
            task.whole ? new WholeLane(program, wide) : new Lane(program, wide),
            i -> still(i) ? program.pinned(pinnedRegister(i)) : input(program, outputs + i),
            i -> parameter(program, i));
    var values = new ArrayList<Value>();
    for (Formula formula : task.formulas) {
      Value value = translation.of(formula);
      if (value == null) {
        return false;
      }
      values.add(value);
    }
    for (int i = 0; i < outputs; i++) {
      store(program, i, values.get(i));
    }
    int unroll = program.size() <= 6 ? 4 : program.size() <= 16 ? 2 : 1;
    var programs = new Program[unroll];
    Arrays.fill(programs, program);
    function(() -> {
      for (int i = 0; i < task.inputs.size(); i++) {
        if (still(i)) {
          loadFirst(outputs + i, pinnedRegister(i));
        }
      }
      columns(programs);
    });
    return true;
  }
}
