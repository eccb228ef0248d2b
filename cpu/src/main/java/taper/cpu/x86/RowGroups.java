package taper.cpu.x86;

import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Condition;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;

/// Code that goes down the columns of a block of rows, under AVX-512.
///
/// Rows are taken several at a time, and along them vector by vector, so that memory is read in as many streams as there
/// are rows in a group; what has been gathered of each column lies in memory that stays in the first-level cache, and is
/// read and written once a group.
///
/// Registers: `rdi` what has been gathered, or where results go, `r9` what else there is of each column, `rsi` the rows,
/// `rdx` their distance in bytes, `rcx` how many there are, at least one, `r8` the columns, at least one. `k1` masks the
/// end of a row.
final class RowGroups {
  private final Assembler a;
  private final int most;
  private final int lanes;
  private final int bytes;
  private final int toBytes;
  private final int otherBytes;
  private final boolean follows;

  /// @param most how many rows are taken at a time, a power of two, at most 8
  /// @param lanes how many columns are taken at a time
  /// @param bytes the bytes of an element of a row
  /// @param toBytes how far `rdi` advances with a column
  /// @param otherBytes how far `r9` advances with a column
  /// @param follows whether `rdi` advances with the rows
  RowGroups(
      Assembler a, int most, int lanes, int bytes, int toBytes, int otherBytes, boolean follows) {
    this.a = a;
    this.most = most;
    this.lanes = lanes;
    this.bytes = bytes;
    this.toBytes = toBytes;
    this.otherBytes = otherBytes;
    this.follows = follows;
  }

  /// What is done with the vectors of a group of rows that lie below each other.
  interface Step {
    /// Emits it.
    ///
    /// @param first whether nothing has been gathered yet
    /// @param tail whether only the lanes of [VectorLoop#TAIL] count
    void emit(int rows, boolean first, boolean tail);
  }

  /// What is done after a group of rows.
  interface After {
    void emit(int rows);
  }

  /// The vector under way of a row of the group.
  Memory row(int number) {
    Register base = number < 4 ? RSI : R11;
    return switch (number & 3) {
      case 0 -> Memory.at(base);
      case 1 -> Memory.at(base, RDX, 1, 0);
      case 2 -> Memory.at(base, RDX, 2, 0);
      default -> Memory.at(base, R10, 1, 0);
    };
  }

  /// Where the vector under way goes in the row of the group.
  Memory to(int number) {
    assert follows && number < 4;
    return switch (number) {
      case 0 -> Memory.at(RDI);
      case 1 -> Memory.at(RDI, RDX, 1, 0);
      case 2 -> Memory.at(RDI, RDX, 2, 0);
      default -> Memory.at(RDI, R10, 1, 0);
    };
  }

  /// The whole loop.
  void emit(Step step, After after) {
    a.lea(R10, Memory.at(RDX, RDX, 2, 0));
    a.mov(R11, R8);
    a.and(R11, lanes - 1);
    VectorLoop.setTail(a, RAX, R11);
    var next = new Label();
    for (int rows = most; rows > 0; rows /= 2) {
      var fewer = new Label();
      a.cmp(RCX, rows);
      a.jump(Condition.LESS, fewer);
      group(rows, true, step, after);
      a.jump(next);
      a.bind(fewer);
    }
    a.bind(next);
    for (int rows = most; rows > 0; rows /= 2) {
      var top = new Label();
      var fewer = new Label();
      a.bind(top);
      a.cmp(RCX, rows);
      a.jump(Condition.LESS, fewer);
      group(rows, false, step, after);
      a.jump(top);
      a.bind(fewer);
    }
  }

  private void group(int rows, boolean first, Step step, After after) {
    var top = new Label();
    var rest = new Label();
    var end = new Label();
    a.push(RDI, RSI, R9);
    if (rows > 4) {
      a.lea(R11, Memory.at(RSI, RDX, 4, 0));
    }
    a.mov(RAX, R8);
    a.cmp(RAX, lanes);
    a.jump(Condition.LESS, rest);
    a.align(16);
    a.bind(top);
    step.emit(rows, first, false);
    a.add(RSI, lanes * bytes);
    if (rows > 4) {
      a.add(R11, lanes * bytes);
    }
    a.add(RDI, lanes * toBytes);
    if (otherBytes > 0) {
      a.add(R9, lanes * otherBytes);
    }
    a.sub(RAX, lanes);
    a.cmp(RAX, lanes);
    a.jump(Condition.GREATER_EQUAL, top);
    a.bind(rest);
    a.test(RAX, RAX);
    a.jump(Condition.EQUAL, end);
    step.emit(rows, first, true);
    a.bind(end);
    a.pop(RDI, RSI, R9);
    a.lea(RSI, Memory.at(RSI, RDX, rows, 0));
    if (follows) {
      a.lea(RDI, Memory.at(RDI, RDX, rows, 0));
    }
    after.emit(rows);
    a.sub(RCX, rows);
  }
}
