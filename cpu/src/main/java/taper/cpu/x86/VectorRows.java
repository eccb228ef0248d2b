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

import java.util.List;
import taper.cpu.assembler.AcrossLanes;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;

/// Code that goes along rows of up to nine operands: the frame, the loop over columns, the loads and stores
/// in it.
///
/// Columns are taken several vectors at a time, then one by one, then the rest under a mask. The argument
/// block (`rdi`) holds columns, rows, then for every operand address and row stride in bytes, then
/// parameters of 8 bytes each. `rax` is the column, `rcx` counts those left, `r10` points to the mask of
/// the rest (AVX2), `r11` and `rdx` are free within a step.
abstract class VectorRows {
  static final int COLUMNS = 0;
  static final int ROWS = 8;
  static final int OPERANDS = 16;
  static final int OPERAND_BYTES = 16;
  static final int MOST_OPERANDS = 9;

  static final Register[] BASES = {RSI, R8, R9, RBX, RBP, R12, R13, R14, R15};
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};

  private static final int BOUNCE = 0;
  private static final int ROWS_LEFT = 64;
  static final int FREE_SLOT = 72;
  static final int SPILLS = 128;

  final Assembler a = new Assembler();
  final Isa isa;
  final boolean wide;
  final Elements elements;
  final int lanes;
  private final List<DType> operands;
  private final int buffers;

  /// The first column of the vector under way, counted from `rax`.
  private int column;

  /// Whether the vector under way is the rest of a row.
  private boolean tail;

  VectorRows(Isa isa, boolean wide, List<DType> operands) {
    this(isa, wide, false, operands);
  }

  /// Code for whole numbers if `whole`, which needs AVX-512.
  VectorRows(Isa isa, boolean wide, boolean whole, List<DType> operands) {
    this.isa = isa;
    this.wide = wide;
    this.operands = operands;
    this.elements = whole ? new WholeElements(a, wide) : new Elements(a, isa, wide, BOUNCE);
    this.lanes = elements.lanes();
    this.buffers = SPILLS + Program.stackBytes(isa);
  }

  /// A program whose values may use the registers from `first` on.
  final Program program(int first) {
    return new Program(a, isa, first, SPILLS);
  }

  /// Where parameter 0 lies in the argument block.
  final int parameters() {
    return OPERANDS + OPERAND_BYTES * operands.size();
  }

  private Memory address(int operand) {
    DType dtype = operands.get(operand);
    if (tail && elements.tailNeedsBuffer(dtype)) {
      return Memory.at(RSP, buffers + 64 * operand);
    }
    int bytes = dtype.byteSize();
    return Memory.at(BASES[operand], RAX, bytes, column * bytes);
  }

  /// The elements of an operand at the columns under way.
  final Value loaded(Program program, int operand) {
    return program.custom(
        (_, d, _) -> elements.load(operands.get(operand), address(operand), d, tail, R10));
  }

  /// Stores to the columns under way.
  final void store(Program program, int operand, Value value) {
    program.effect(
        (_, _, s) -> elements.store(operands.get(operand), address(operand), s[0], tail, R10),
        value);
  }

  /// `value`, with `identity` in the lanes beyond the end of the row.
  final Value guarded(Program program, Value value, Value identity) {
    return program.custom(
        (_, d, s) -> {
          if (!tail) {
            a.emit(Instruction.VMOVAPS, isa.vector(d), isa.vector(s[0]));
          } else if (isa == Isa.AVX512) {
            a.emit(Instruction.VMOVAPS, isa.vector(d), isa.vector(s[1]));
            Vector lanesOfRow = isa.vector(d).masked(Elements.TAIL);
            a.emit(wide ? Instruction.VMOVUPD : Instruction.VMOVUPS, lanesOfRow, isa.vector(s[0]));
          } else {
            Vector mask = isa.vector(program.scratch());
            a.emit(Instruction.VMOVUPS, mask, Memory.at(R10));
            if (wide) {
              a.vblendvpd(isa.vector(d), isa.vector(s[1]), isa.vector(s[0]), mask);
            } else {
              a.vblendvps(isa.vector(d), isa.vector(s[1]), isa.vector(s[0]), mask);
            }
          }
        },
        value,
        identity);
  }

  /// Parameter `position` in all lanes.
  final Value parameter(Program program, int position) {
    return program.broadcast(Memory.at(RDI, parameters() + 8 * position), wide ? 8 : 4);
  }

  /// The first element of the row of an operand, into all lanes of `register`.
  final void loadFirst(int operand, int register) {
    elements.loadScalar(operands.get(operand), Memory.at(BASES[operand]), register);
  }

  /// The whole function: frame, `row` for every row, return.
  final void function(Runnable row) {
    int frame = buffers + 64 * operands.size();
    a.push(SAVED);
    a.sub(RSP, frame);
    for (int i = 0; i < operands.size(); i++) {
      a.mov(BASES[i], Memory.at(RDI, OPERANDS + OPERAND_BYTES * i));
    }
    a.mov(R11, Memory.at(RDI, ROWS));
    a.mov(Memory.at(RSP, ROWS_LEFT), R11);
    var next = new Label();
    a.align(16);
    a.bind(next);
    row.run();
    for (int i = 0; i < operands.size(); i++) {
      a.add(BASES[i], Memory.at(RDI, OPERANDS + OPERAND_BYTES * i + 8));
    }
    countDown(ROWS_LEFT, next);
    a.add(RSP, frame);
    a.pop(SAVED);
    a.vzeroupper();
    a.ret();
  }

  /// Decrements a counter on the stack and jumps while it is not 0.
  final void countDown(int slot, Label target) {
    a.mov(R11, Memory.at(RSP, slot));
    a.dec(R11);
    a.mov(Memory.at(RSP, slot), R11);
    a.jump(NOT_EQUAL, target);
  }

  /// The loop over the columns of a row: `programs` one after the other on neighbouring vectors, then the
  /// first alone, then the first on what remains.
  final void columns(Program... programs) {
    columns(
        count -> {
          for (int i = 0; i < count; i++) {
            column = i * lanes;
            programs[i].emit();
          }
          column = 0;
        },
        programs.length);
  }

  /// What is done with a number of neighbouring vectors.
  interface Step {
    void emit(int vectors);
  }

  /// The loop over the columns of a row, up to `most` vectors at a time.
  final void columns(Step step, int most) {
    a.xor(RAX, RAX);
    a.mov(RCX, Memory.at(RDI, COLUMNS));
    if (most > 1) {
      vectors(step, most);
    }
    vectors(step, 1);
    var end = new Label();
    a.test(RCX, RCX);
    a.jump(EQUAL, end);
    tail = true;
    enterTail();
    step.emit(1);
    leaveTail();
    tail = false;
    a.bind(end);
  }

  /// Emits a program for the vector `index` of a step.
  final void emit(Program program, int index) {
    column = index * lanes;
    program.emit();
    column = 0;
  }

  private void vectors(Step step, int count) {
    var top = new Label();
    var end = new Label();
    a.cmp(RCX, count * lanes);
    a.jump(LESS, end);
    a.align(32);
    a.bind(top);
    step.emit(count);
    a.add(RAX, count * lanes);
    a.sub(RCX, count * lanes);
    a.cmp(RCX, count * lanes);
    a.jump(GREATER_EQUAL, top);
    a.bind(end);
  }

  private void enterTail() {
    if (isa == Isa.AVX512) {
      a.mov(R11, -1L);
      a.bzhi(R11, R11, RCX);
      a.emit(Instruction.KMOVW, Elements.TAIL, R11);
      if (!wide) {
        a.emit(Instruction.KSHIFTRW, 8, Elements.UPPER_TAIL, Elements.TAIL);
      }
      return;
    }
    fillBuffers();
    pointToMask();
  }

  private void pointToMask() {
    int bytes = wide ? 8 : 4;
    int[] mask = new int[2 * lanes * bytes / 4];
    java.util.Arrays.fill(mask, 0, mask.length / 2, -1);
    a.lea(R10, a.ints(mask));
    a.mov(R11, RCX);
    a.neg(R11);
    a.lea(R10, Memory.at(R10, R11, bytes, lanes * bytes));
  }

  /// Brings the buffers of a rest up to date after an operand has moved to another row.
  final void refill() {
    if (tail && isa == Isa.AVX2) {
      fillBuffers();
      pointToMask();
    }
  }

  private void fillBuffers() {
    for (int i = 0; i < operands.size(); i++) {
      if (reads(i) && elements.tailNeedsBuffer(operands.get(i))) {
        copyBytes(i, operands.get(i).byteSize(), true);
      }
    }
  }

  private void leaveTail() {
    for (int i = 0; i < operands.size(); i++) {
      if (writes(i) && elements.tailNeedsBuffer(operands.get(i))) {
        copyBytes(i, operands.get(i).byteSize(), false);
      }
    }
  }

  /// Whether the columns of an operand are read.
  abstract boolean reads(int operand);

  /// Whether the columns of an operand are written.
  abstract boolean writes(int operand);

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

  /// Joins the lanes of `register`, which are `float64` if `doubles`, by `instruction` and leaves the result
  /// in all of them. Overwrites the scratch registers.
  final void acrossLanes(Instruction instruction, int register, boolean doubles) {
    AcrossLanes.all(a, isa, instruction, doubles, register, isa.registers() - 1);
    a.emit(
        doubles ? Instruction.VBROADCASTSD : Instruction.VBROADCASTSS,
        isa.vector(register),
        Vector.xmm(register));
  }
}
