package taper.cpu.x86;

import java.util.concurrent.atomic.AtomicBoolean;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.moving.Loops;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.products.Transposition;

/// The loops of [IndexCode], assembled when they are first wanted. Threads may share it.
public final class X86Loops implements Loops {
  private static final int WIDTHS = 5; // 1, 2, 4, 8 and 16 bytes
  private static final int MOST_REPEATS = 8;
  private static final long CHECKED = 1 << 15;

  private final Isa isa;
  private final CodeTable elements = new CodeTable(2 * Way.values().length * WIDTHS);
  private final CodeTable blocks = new CodeTable(Way.values().length * WIDTHS);
  private final LazyCode rows;
  private final LazyCode within;
  private final CodeTable reversed = new CodeTable(WIDTHS);
  private final CodeTable equal = new CodeTable(WIDTHS);
  private final CodeTable repeated = new CodeTable(2 * (MOST_REPEATS + 1));
  private final CodeTable zeros = new CodeTable(2);

  /// Loops for a processor that has `isa`.
  public X86Loops(Isa isa) {
    this.isa = isa;
    this.rows = new LazyCode(() -> IndexCode.rows(isa));
    this.within = new LazyCode(() -> IndexCode.within(isa));
  }

  private static int key(Way way, int width) {
    return way.ordinal() * WIDTHS + Integer.numberOfTrailingZeros(width);
  }

  @Override
  public void elements(
      Way way, int width, Walk walk, Lines lines, long count, long to, long index, long from) {
    boolean dense = isDense(way, width, walk);
    int key = 2 * key(way, width) + (dense ? 1 : 0);
    Code code = elements.find(key);
    if (code == null) {
      code = elements.add(key, () -> IndexCode.elements(isa, way, width, dense));
    }
    run(code, walk, lines, 0, count, to, index, from);
  }

  /// Whether only the indices say where to go, and everything else lies side by side.
  private static boolean isDense(Way way, int width, Walk walk) {
    boolean pick = way == Way.PICK;
    return width <= 8
        && walk.size() == 0
        && walk.indexStep() == 8
        && walk.stride() == width
        && walk.toStep() == (pick ? width : 0)
        && walk.fromStep() == (pick ? 0 : width);
  }

  private static void run(
      Code code, Walk walk, Lines lines, long bytes, long count, long to, long index, long from) {
    if (count <= 0 || lines.count() <= 0) {
      return;
    }
    long block = Raw.arguments();
    Raw.put(block + IndexCode.TO, to);
    Raw.put(block + IndexCode.FROM, from);
    Raw.put(block + IndexCode.INDEX, index);
    Raw.put(block + IndexCode.COUNT, count);
    Raw.put(block + IndexCode.TO_STEP, walk.toStep());
    Raw.put(block + IndexCode.FROM_STEP, walk.fromStep());
    Raw.put(block + IndexCode.INDEX_STEP, walk.indexStep());
    Raw.put(block + IndexCode.STRIDE, walk.stride());
    Raw.put(block + IndexCode.SIZE, walk.size());
    Raw.put(block + IndexCode.BYTES, bytes);
    Raw.put(block + IndexCode.LINES, lines.count());
    Raw.put(block + IndexCode.TO_LINE, lines.toStep());
    Raw.put(block + IndexCode.FROM_LINE, lines.fromStep());
    Raw.put(block + IndexCode.INDEX_LINE, lines.indexStep());
    code.run(block);
  }

  /// Whether `count` numbers of 64 bits from `address` on lie in `low..high`.
  public boolean areWithin(long address, long count, long low, long high) {
    Code code = within.get();
    if (count <= CHECKED) {
      return areWithin(code, address, count, low, high);
    }
    var outside = new AtomicBoolean();
    Parallel.run(
        count,
        CHECKED,
        (first, last) -> {
          if (!areWithin(code, address + 8 * first, last - first, low, high)) {
            outside.set(true);
          }
        });
    return !outside.get();
  }

  private static boolean areWithin(Code code, long address, long count, long low, long high) {
    long block = Raw.arguments();
    code.run(block, address, count, low, high);
    return Raw.longAt(block) >= 0;
  }

  @Override
  public boolean covers(long bytes) {
    return isa == Isa.AVX512 ? bytes > 0 : bytes >= isa.bits() / 8;
  }

  @Override
  public void blocks(
      Way way, int width, long bytes, Walk walk, long count, long to, long index, long from) {
    int unit = way == Way.ADD ? width : 1;
    int key = key(way, unit);
    Code code = blocks.find(key);
    if (code == null) {
      code = blocks.add(key, () -> IndexCode.blocks(isa, way, unit));
    }
    run(code, walk, Lines.ONE, bytes, count, to, index, from);
  }

  @Override
  public void rows(long rows, long bytes, long to, long toRow, long from, long fromRow) {
    if (rows <= 0) {
      return;
    }
    long block = Raw.arguments();
    Raw.put(block + IndexCode.TO, to);
    Raw.put(block + IndexCode.FROM, from);
    Raw.put(block + IndexCode.COUNT, rows);
    Raw.put(block + IndexCode.TO_STEP, toRow);
    Raw.put(block + IndexCode.FROM_STEP, fromRow);
    Raw.put(block + IndexCode.BYTES, bytes);
    this.rows.get().run(block);
  }

  @Override
  public boolean coversLine(int width, long bytes) {
    return width <= 8 && bytes >= isa.bits() / 8;
  }

  @Override
  public void reversed(
      int width, long rows, long bytes, long to, long toRow, long from, long fromRow) {
    if (rows <= 0) {
      return;
    }
    int key = Integer.numberOfTrailingZeros(width);
    Code code = reversed.find(key);
    if (code == null) {
      code = reversed.add(key, () -> LineOrderCode.reversed(isa, width));
    }
    code.run(to, from, bytes, rows, toRow, fromRow);
  }

  @Override
  public void equal(
      int width, long rows, long bytes, long to, long toRow, long from, long fromRow) {
    if (rows <= 0) {
      return;
    }
    int key = Integer.numberOfTrailingZeros(width);
    Code code = equal.find(key);
    if (code == null) {
      code = equal.add(key, () -> LineOrderCode.equal(isa, width));
    }
    code.run(to, from, bytes, rows, toRow, fromRow);
  }

  @Override
  public boolean coversRepeats(int width, long count, long times) {
    return isa == Isa.AVX512
        && (width == 4 || width == 8)
        && count * width >= 64
        && times > 1
        && times <= MOST_REPEATS;
  }

  @Override
  public void repeated(int width, int times, long count, long to, long from) {
    int key = 2 * times + (width == 8 ? 1 : 0);
    Code code = repeated.find(key);
    if (code == null) {
      code = repeated.add(key, () -> LineOrderCode.repeated(width, times));
    }
    code.run(to, from, count);
  }

  @Override
  public void clear(boolean large, long bytes, long to) {
    int key = large ? 1 : 0;
    Code code = zeros.find(key);
    if (code == null) {
      code = zeros.add(key, () -> IndexCode.zeros(isa, large));
    }
    long head = Math.min(bytes, -to & 63);
    long whole = (bytes - head) & -64;
    Raw.clear(to, head);
    if (whole > 0) {
      code.run(to + head, whole);
    }
    Raw.clear(to + head + whole, bytes - head - whole);
  }

  @Override
  public void transpose(boolean wide, int length, long from, long fromColumn, long to, long toRow) {
    int columns = Transposition.side(wide);
    Transposition.run(Raw.arguments(), wide, columns, length, from, fromColumn, to, toRow);
  }
}
