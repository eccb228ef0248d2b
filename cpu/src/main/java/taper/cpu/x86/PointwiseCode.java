package taper.cpu.x86;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Condition.GREATER_EQUAL;
import static taper.cpu.assembler.Condition.LESS;
import static taper.cpu.assembler.Condition.NOT_EQUAL;
import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R12;
import static taper.cpu.assembler.Register.R13;
import static taper.cpu.assembler.Register.R14;
import static taper.cpu.assembler.Register.R15;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBP;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;
import static taper.cpu.assembler.Register.RSP;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;
import taper.tensor.spi.Formula;

/// The loop of a pointwise kernel: rows of columns, `out[r][c] = formula(in0[r][c], in1[r][c], …)`.
///
/// Along the columns, the output and every input either advance by one element or stand still (a number,
/// a bias over channels); such an input is loaded once a row and kept in a register. Along the rows,
/// everything advances by any number of bytes. Columns are taken several vectors at a time where the
/// formula is short, then one by one, then the rest under a mask.
///
/// The one argument of the code points to: columns, rows, then for the output and each input address and
/// row stride (bytes), then the parameters as `double`s or `float`s, 8 bytes each; see [#COLUMNS] and the
/// rest.
final class PointwiseCode {
  static final int COLUMNS = 0;
  static final int ROWS = 8;
  static final int OPERANDS = 16;
  static final int OPERAND_BYTES = 16;
  static final int MOST_INPUTS = 8;

  private static final Register[] BASES = {RSI, R8, R9, RBX, RBP, R12, R13, R14, R15};
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};

  private static final int BOUNCE = 0;
  private static final int ROWS_LEFT = 64;
  private static final int SPILLS = 128;

  /// What the code is for.
  ///
  /// @param inputs the types of the inputs
  /// @param still the inputs that stand still along the columns, as bits
  record Task(Formula formula, boolean wide, List<DType> inputs, DType result, int still) {
    /// Where parameter 0 lies in the argument block.
    int parameters() {
      return OPERANDS + OPERAND_BYTES * (1 + inputs.size());
    }
  }

  private final Assembler a = new Assembler();
  private final Isa isa;
  private final Task task;
  private final Elements elements;
  private final Program program;
  private final int buffers;
  private final int lanes;

  // of the vector under way
  private int column;
  private boolean tail;

  private PointwiseCode(Isa isa, Task task) {
    this.isa = isa;
    this.task = task;
    this.elements = new Elements(a, isa, task.wide, BOUNCE);
    this.lanes = elements.lanes();
    this.program = new Program(a, isa, Integer.bitCount(task.still), SPILLS);
    this.buffers = SPILLS + Program.stackBytes(isa);
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

  // ---- the values

  private @Nullable Value translate(Lane l, Formula f, Map<Formula, Value> known) {
    Value before = known.get(f);
    if (before != null) {
      return before;
    }
    Value value =
        switch (f) {
          case Formula.Input(var position) ->
              still(position)
                  ? program.pinned(pinnedRegister(position))
                  : program.custom((_, d, _) -> load(position, d));
          case Formula.Parameter(var position) ->
              program.broadcast(
                  Memory.at(RDI, task.parameters() + 8 * position), task.wide ? 8 : 4);
          case Formula.Constant(var number) -> l.constant(number);
          case Formula.Unary(var function, var of) -> {
            Value x = translate(l, of, known);
            yield x == null ? null : Functions.one(l, function, x);
          }
          case Formula.Binary(var arithmetic, var left, var right) -> {
            Value x = translate(l, left, known);
            Value y = translate(l, right, known);
            yield x == null || y == null ? null : Functions.two(l, arithmetic, x, y);
          }
          case Formula.Select(var left, var comparison, var right, var then, var otherwise) -> {
            Value x = translate(l, left, known);
            Value y = translate(l, right, known);
            Value chosen = translate(l, then, known);
            Value other = translate(l, otherwise, known);
            yield x == null || y == null || chosen == null || other == null
                ? null
                : l.select(x, comparison, y, chosen, other);
          }
        };
    if (value != null) {
      known.put(f, value);
    }
    return value;
  }

  private Memory address(int operand, DType dtype) {
    if (tail && elements.tailNeedsBuffer(dtype)) {
      return Memory.at(RSP, buffers + 64 * operand);
    }
    int bytes = dtype.byteSize();
    return Memory.at(BASES[operand], RAX, bytes, column * bytes);
  }

  private void load(int input, int register) {
    DType dtype = task.inputs.get(input);
    elements.load(dtype, address(1 + input, dtype), register, tail, R10);
  }

  private void store(int register) {
    elements.store(task.result, address(0, task.result), register, tail, R10);
  }

  // ---- the loops

  private boolean build() {
    Value result = translate(new Lane(program, task.wide), task.formula, new HashMap<>());
    if (result == null) {
      return false;
    }
    program.effect((_, _, s) -> store(s[0]), result);
    int frame = buffers + 64 * (1 + task.inputs.size());
    a.push(SAVED);
    a.sub(RSP, frame);
    for (int i = 0; i <= task.inputs.size(); i++) {
      a.mov(BASES[i], Memory.at(RDI, OPERANDS + OPERAND_BYTES * i));
    }
    a.mov(R11, Memory.at(RDI, ROWS));
    a.mov(Memory.at(RSP, ROWS_LEFT), R11);
    var row = new Label();
    a.align(16);
    a.bind(row);
    row();
    for (int i = 0; i <= task.inputs.size(); i++) {
      a.add(BASES[i], Memory.at(RDI, OPERANDS + OPERAND_BYTES * i + 8));
    }
    a.mov(R11, Memory.at(RSP, ROWS_LEFT));
    a.dec(R11);
    a.mov(Memory.at(RSP, ROWS_LEFT), R11);
    a.jump(NOT_EQUAL, row);
    a.add(RSP, frame);
    a.pop(SAVED);
    a.vzeroupper();
    a.ret();
    return true;
  }

  private void row() {
    for (int i = 0; i < task.inputs.size(); i++) {
      if (still(i)) {
        elements.loadScalar(task.inputs.get(i), Memory.at(BASES[1 + i]), pinnedRegister(i));
      }
    }
    a.xor(RAX, RAX);
    a.mov(RCX, Memory.at(RDI, COLUMNS));
    int unroll = program.size() <= 6 ? 4 : program.size() <= 16 ? 2 : 1;
    if (unroll > 1) {
      vectors(unroll);
    }
    vectors(1);
    var end = new Label();
    a.test(RCX, RCX);
    a.jump(EQUAL, end);
    tail();
    a.bind(end);
  }

  private void vectors(int count) {
    var top = new Label();
    var end = new Label();
    a.cmp(RCX, count * lanes);
    a.jump(LESS, end);
    a.align(32);
    a.bind(top);
    for (int i = 0; i < count; i++) {
      column = i * lanes;
      program.emit();
    }
    column = 0;
    a.add(RAX, count * lanes);
    a.sub(RCX, count * lanes);
    a.cmp(RCX, count * lanes);
    a.jump(GREATER_EQUAL, top);
    a.bind(end);
  }

  private void tail() {
    tail = true;
    if (isa == Isa.AVX512) {
      a.mov(R11, -1L);
      a.bzhi(R11, R11, RCX);
      a.emit(Instruction.KMOVW, Elements.TAIL, R11);
      if (!task.wide) {
        a.emit(Instruction.KSHIFTRW, 8, Elements.UPPER_TAIL, Elements.TAIL);
      }
    } else {
      for (int i = 0; i < task.inputs.size(); i++) {
        if (!still(i) && elements.tailNeedsBuffer(task.inputs.get(i))) {
          copyBytes(1 + i, task.inputs.get(i).byteSize(), true);
        }
      }
      int bytes = task.wide ? 8 : 4;
      int[] mask = new int[2 * lanes * bytes / 4];
      java.util.Arrays.fill(mask, 0, mask.length / 2, -1);
      a.lea(R10, a.ints(mask));
      a.mov(R11, RCX);
      a.neg(R11);
      a.lea(R10, Memory.at(R10, R11, bytes, lanes * bytes));
    }
    program.emit();
    if (elements.tailNeedsBuffer(task.result)) {
      copyBytes(0, task.result.byteSize(), false);
    }
    tail = false;
  }

  /// Copies the rest of a row to the buffer of an operand, or back, byte by byte.
  private void copyBytes(int operand, int bytes, boolean toBuffer) {
    var next = new Label();
    a.lea(R10, Memory.at(BASES[operand], RAX, bytes, 0));
    a.imul(R11, RCX, bytes);
    a.bind(next);
    Memory inRow = Memory.at(R10, R11, 1, -1);
    Memory inBuffer = Memory.at(RSP, R11, 1, buffers + 64 * operand - 1);
    a.movzxb(RDX, toBuffer ? inRow : inBuffer);
    a.movb(toBuffer ? inBuffer : inRow, RDX);
    a.dec(R11);
    a.jump(NOT_EQUAL, next);
  }
}
