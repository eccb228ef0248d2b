package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Condition.NOT_EQUAL;
import static taper.cpu.assembler.Register.R10;
import static taper.cpu.assembler.Register.R11;
import static taper.cpu.assembler.Register.R12;
import static taper.cpu.assembler.Register.R13;
import static taper.cpu.assembler.Register.R8;
import static taper.cpu.assembler.Register.R9;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.parallel.Raw;

/// Copies planes of rows of contiguous numbers between places of any row and plane distance, assembled.
///
/// Packs panels of matrices, puts images into padded planes and takes results out of them.
final class PlaneCopy {

  /// What one kernel is specialised to.
  ///
  /// @param vectors whole registers in a row, or -1 if `VECTORS` says how many, at least one
  /// @param tail whether `MASK` more elements follow
  /// @param spill whether a row may be followed by undefined elements, which later rows overwrite
  record Shape(Lanes lanes, int vectors, boolean tail, boolean spill) {}

  // The arguments, as offsets into a block of longs.
  static final int FROM = 0;
  static final int TO = 8;
  static final int ROWS = 16;
  static final int PLANES = 24;
  static final int FROM_ROW = 32;
  static final int TO_ROW = 40;
  static final int FROM_PLANE = 48;
  static final int TO_PLANE = 56;
  static final int VECTORS = 64;
  static final int MASK = 72;

  private static final CodeTable CACHE = new CodeTable(1 << 7);
  private static final Register[] SAVED = {RBX, R12, R13};
  private static final int MASK_REGISTER = 15;

  private PlaneCopy() {}

  /// Copies, with `block` as argument block; see the fields. `elements` is the length of a row.
  static void run(
      long block,
      Lanes lanes,
      boolean spill,
      long from,
      long fromRow,
      long fromPlane,
      long to,
      long toRow,
      long toPlane,
      int elements,
      long rows,
      long planes) {
    if (elements == 0 || rows == 0 || planes == 0) {
      return;
    }
    int vectors = elements / lanes.count();
    int rest = elements % lanes.count();
    Raw.put(block + FROM, from);
    Raw.put(block + TO, to);
    Raw.put(block + ROWS, rows);
    Raw.put(block + PLANES, planes);
    Raw.put(block + FROM_ROW, fromRow);
    Raw.put(block + TO_ROW, toRow);
    Raw.put(block + FROM_PLANE, fromPlane);
    Raw.put(block + TO_PLANE, toPlane);
    Raw.put(block + VECTORS, vectors);
    Raw.put(block + MASK, lanes.mask(rest));
    of(lanes, vectors <= 4 ? vectors : -1, rest != 0, spill).run(block);
  }

  /// The kernel for these properties of a [Shape], which is made only if it is new.
  private static Code of(Lanes lanes, int vectors, boolean tail, boolean spill) {
    int key = (lanes.key() << 5 | (vectors + 1) << 2) | (tail ? 2 : 0) | (spill ? 1 : 0);
    Code code = CACHE.find(key);
    return code != null
        ? code
        : CACHE.add(key, () -> assemble(new Shape(lanes, vectors, tail, spill)));
  }

  private static Code assemble(Shape shape) {
    Lanes lanes = shape.lanes;
    int size = lanes.vectorBytes();
    var a = new Assembler();
    a.push(SAVED);
    if (shape.tail) {
      lanes.loadMask(a, Memory.at(RDI, MASK), MASK_REGISTER);
    }
    a.mov(R10, Memory.at(RDI, FROM));
    a.mov(R11, Memory.at(RDI, TO));
    a.mov(R8, Memory.at(RDI, FROM_ROW));
    a.mov(R9, Memory.at(RDI, TO_ROW));
    a.mov(R12, Memory.at(RDI, FROM_PLANE));
    a.mov(R13, Memory.at(RDI, TO_PLANE));
    a.mov(RBX, Memory.at(RDI, PLANES));
    a.repeat(
        RBX,
        () -> {
          a.mov(RSI, R10);
          a.mov(RDX, R11);
          a.mov(RCX, Memory.at(RDI, ROWS));
          var none = new Label();
          a.test(RCX, RCX);
          a.jump(EQUAL, none);
          a.repeat(
              RCX,
              () -> {
                if (shape.vectors >= 0) {
                  for (int v = 0; v < shape.vectors; v++) {
                    move(a, shape, v % 8, Memory.at(RSI, v * size), Memory.at(RDX, v * size));
                  }
                  if (shape.tail) {
                    a.mov(RAX, (long) shape.vectors * size);
                    moveTail(a, shape);
                  }
                } else {
                  // RAX runs over the bytes of the row.
                  var loop = new Label();
                  a.xor(RAX, RAX);
                  a.push(RBX);
                  a.mov(RBX, Memory.at(RDI, VECTORS));
                  a.bind(loop);
                  move(a, shape, 0, Memory.at(RSI, RAX, 1, 0), Memory.at(RDX, RAX, 1, 0));
                  a.add(RAX, size);
                  a.dec(RBX);
                  a.jump(NOT_EQUAL, loop);
                  a.pop(RBX);
                  if (shape.tail) {
                    moveTail(a, shape);
                  }
                }
                a.add(RSI, R8);
                a.add(RDX, R9);
              });
          a.bind(none);
          a.add(R10, R12);
          a.add(R11, R13);
        });
    a.vzeroupper();
    a.pop(SAVED);
    a.ret();
    return a.install();
  }

  private static void move(Assembler a, Shape shape, int register, Memory from, Memory to) {
    shape.lanes.load(a, register, from);
    shape.lanes.store(a, to, register);
  }

  /// The elements behind `RAX` bytes, fewer than a register.
  private static void moveTail(Assembler a, Shape shape) {
    Lanes lanes = shape.lanes;
    if (!lanes.masks() && shape.vectors != 0 && !shape.spill) {
      // Masked stores are slow without AVX-512: a whole register that ends with the row does it
      // too.
      a.sub(RAX, Memory.at(RDI, MASK));
      move(a, shape, 8, Memory.at(RSI, RAX, 1, 0), Memory.at(RDX, RAX, 1, 0));
      return;
    }
    lanes.loadMasked(a, 8, Memory.at(RSI, RAX, 1, 0), MASK_REGISTER);
    if (shape.spill) {
      lanes.store(a, Memory.at(RDX, RAX, 1, 0), 8);
    } else {
      lanes.storeMasked(a, Memory.at(RDX, RAX, 1, 0), 8, MASK_REGISTER);
    }
  }
}
