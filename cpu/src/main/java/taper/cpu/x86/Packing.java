package taper.cpu.x86;

import static taper.cpu.assembler.Condition.NOT_EQUAL;
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
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeMemory;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.LazyCode;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.parallel.Raw;

/// Copies elements between regions of any strides, one by one: what reaches the vector kernels of strided
/// operands. Elements have 1, 2, 4 or 8 bytes.
final class Packing {
  private static final LazyCode[] BY_LOG_SIZE = {
    new LazyCode(() -> assemble(1)),
    new LazyCode(() -> assemble(2)),
    new LazyCode(() -> assemble(4)),
    new LazyCode(() -> assemble(8))
  };

  private Packing() {}

  /// Copies `rows` rows of `columns` elements. Strides are in bytes.
  static void copy(
      int bytes,
      long from,
      long fromRow,
      long fromColumn,
      long to,
      long toRow,
      long toColumn,
      long rows,
      long columns) {
    if (rows == 0 || columns == 0) {
      return;
    }
    Code code;
    try {
      code = BY_LOG_SIZE[Integer.numberOfTrailingZeros(bytes)].get();
    } catch (CodeMemory.UnavailableException e) {
      for (long r = 0; r < rows; r++) {
        for (long c = 0; c < columns; c++) {
          Raw.copy(from + r * fromRow + c * fromColumn, to + r * toRow + c * toColumn, bytes);
        }
      }
      return;
    }
    long block = Raw.arguments();
    Raw.put(block, from);
    Raw.put(block + 8, fromRow);
    Raw.put(block + 16, fromColumn);
    Raw.put(block + 24, to);
    Raw.put(block + 32, toRow);
    Raw.put(block + 40, toColumn);
    Raw.put(block + 48, rows);
    Raw.put(block + 56, columns);
    code.run(block);
  }

  private static Code assemble(int bytes) {
    var a = new Assembler();
    a.mov(R8, Memory.at(RDI, 0));
    a.mov(R9, Memory.at(RDI, 24));
    a.mov(R10, Memory.at(RDI, 16));
    a.mov(R11, Memory.at(RDI, 40));
    var row = new Label();
    a.bind(row);
    a.mov(RSI, R8);
    a.mov(RDX, R9);
    a.mov(RCX, Memory.at(RDI, 56));
    a.repeat(
        RCX,
        () -> {
          load(a, bytes, RAX, Memory.at(RSI));
          store(a, bytes, Memory.at(RDX), RAX);
          a.add(RSI, R10);
          a.add(RDX, R11);
        });
    a.add(R8, Memory.at(RDI, 8));
    a.add(R9, Memory.at(RDI, 32));
    a.mov(RCX, Memory.at(RDI, 48));
    a.dec(RCX);
    a.mov(Memory.at(RDI, 48), RCX);
    a.jump(NOT_EQUAL, row);
    a.ret();
    return a.install();
  }

  private static void load(Assembler a, int bytes, Register d, Memory at) {
    switch (bytes) {
      case 1 -> a.movzxb(d, at);
      case 2 -> a.movzxw(d, at);
      case 4 -> a.movl(d, at);
      default -> a.mov(d, at);
    }
  }

  private static void store(Assembler a, int bytes, Memory at, Register s) {
    switch (bytes) {
      case 1 -> a.movb(at, s);
      case 2 -> a.movw(at, s);
      case 4 -> a.movl(at, s);
      default -> a.mov(at, s);
    }
  }
}
