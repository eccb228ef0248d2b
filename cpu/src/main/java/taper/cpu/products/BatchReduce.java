package taper.cpu.products;

import static taper.cpu.assembler.Condition.EQUAL;
import static taper.cpu.assembler.Condition.GREATER;
import static taper.cpu.assembler.Condition.LESS_EQUAL;
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

import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Mask;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Register;
import taper.cpu.assembler.Vector;
import taper.cpu.parallel.Raw;

/// The batch-reduce product: the inner loops of all heavy work, assembled.
///
/// `C = relu((C + Σ over p of A[·, p] × B[p, ·]) · scale + bias + addend)` for a tile of `rows` × `vectors` registers, and then
/// for the tiles to its right, as many as asked for. Row `p` of B lies at a constant distance from the one
/// before, or wherever a table says: a sum over filter taps and channels is then a product like any other,
/// and no image is ever unrolled into a matrix [1, 2]. Or the sum is cut into segments, at constant distances
/// within, each of which begins in A and in B where a table says.
///
/// Registers: `rows * vectors` accumulators, `vectors` for a row of B, the rest for elements of A, each
/// spread over a register. With AVX-512 14 × 2 tiles need 16 loads per 28 multiply-adds, with AVX2 6 × 2
/// need 8 per 12; a core does as many loads as multiply-adds in a cycle, so the latter set the pace.
///
/// A column is summed in the order of `p` whatever the shape of the tile it falls into.
///
/// [1] Georganas et al. 2020, "Harnessing Deep Learning via a Single Building Block", arXiv:1906.06440
/// [2] Heinecke et al. 2016, "LIBXSMM: Accelerating Small Matrix Multiplications by Runtime Code Generation"
final class BatchReduce {

  /// Where rows of B lie, and what else happens on the way.
  enum Source {
    /// At the distance `STEP_B`.
    ROWS,
    /// Where a table of byte offsets says, whose address is `STEP_B`.
    TABLE,
    /// As ROWS; they are copied to `COPY`, `STEP_COPY` apart, tile after tile. The stores find room between the
    /// multiply-adds, so that packing B costs next to nothing.
    COPIED,
    /// As ROWS; meanwhile what lies `AHEAD` of the rows of A is asked for, which the next call will need. Short rows
    /// are gone before the processor sees that they are read in order.
    AHEAD,
    /// As ROWS, in `SEGMENTS` segments of `DEPTH` rows: where each begins, in A and in B, a table of two byte offsets a
    /// segment says, whose address is `SEGMENT_TABLE`.
    SEGMENTS
  }

  /// What one kernel is specialised to.
  ///
  /// @param rows rows of the tile
  /// @param vectors registers across the tile
  /// @param tail whether the last register of the tile is partly filled, as `MASK` says
  /// @param source where rows of B lie
  /// @param group how A lies: [#PANEL], [#COLUMNS], [#COPIED_COLUMNS], [#ADJACENT], or else its rows form groups of so
  ///     many, 1 to 3, each `ROW_A` behind the one before, at the distances `GROUPS_A` from A, and its columns are
  ///     `STEP_A` apart
  /// @param accumulate whether C is added to
  /// @param bias where a bias is added
  /// @param relu whether negative results become zero
  record Shape(
      Lanes lanes,
      int rows,
      int vectors,
      boolean tail,
      Source source,
      int group,
      boolean accumulate,
      Products.Bias bias,
      boolean relu) {

    Shape(
        Lanes lanes,
        int rows,
        int vectors,
        boolean tail,
        boolean table,
        int group,
        boolean accumulate,
        Products.Bias bias,
        boolean relu) {
      this(
          lanes,
          rows,
          vectors,
          tail,
          table ? Source.TABLE : Source.ROWS,
          group,
          accumulate,
          bias,
          relu);
    }

    boolean table() {
      return source == Source.TABLE;
    }

    boolean copies() {
      return source == Source.COPIED;
    }

    boolean segments() {
      return source == Source.SEGMENTS;
    }

    /// Whether the rows of A behind those at hand are asked for.
    boolean asksForRows() {
      return adjacent() && source == Source.ROWS;
    }

    /// A number that no other shape has.
    int key() {
      return BatchReduce.key(lanes, rows, vectors, tail, source, group, accumulate, bias, relu);
    }

    boolean copiesLeft() {
      return group == COPIED_COLUMNS;
    }

    boolean adjacent() {
      return group == ADJACENT;
    }

    /// How many rows of A have one pointer; 0 if all have.
    int rowsOfPointer() {
      return switch (group) {
        case PANEL, COLUMNS, COPIED_COLUMNS -> 0;
        case ADJACENT -> 3;
        default -> group;
      };
    }

    /// The pointers to A.
    int pointers() {
      return rowsOfPointer() == 0 ? 1 : Math.ceilDiv(rows, rowsOfPointer());
    }
  }

  /// A lies column by column without gaps.
  static final int PANEL = 0;

  /// The elements of a column of A are adjacent, and columns `STEP_A` apart. With segments, what lies `AHEAD` is asked for,
  /// for a later call.
  static final int COLUMNS = 4;

  /// As [#COLUMNS]; on the way they are copied to `COPY_A` as a [#PANEL] for the tiles to come, which costs next to
  /// nothing, as copying B does. Up to a register behind the panel is overwritten. Only with AVX-512.
  static final int COPIED_COLUMNS = 5;

  /// A lies row by row, its elements adjacent and its rows in groups of three. Without segments, the rows `NEXT_A` bytes
  /// behind them are asked for on the way, which the next tiles will need: a third of them beside each of the first three
  /// tiles.
  static final int ADJACENT = 6;

  // The arguments, as offsets into a block of longs.
  static final int A = 0;
  static final int B = 8;
  static final int C = 16;
  static final int DEPTH = 24;
  static final int STEP_B = 32;
  static final int ROW_C = 40;
  static final int TILES = 48;
  static final int TILE_B = 56;
  static final int TILE_C = 64;
  static final int MASK = 72;
  static final int BIAS = 80;
  static final int TILE_BIAS = 88;
  static final int ROW_A = 96;
  static final int STEP_A = 104;
  static final int TILE_A = 112;

  /// Where [#MAXIMAL_GROUPS] distances lie.
  static final int GROUPS_A = 120;

  static final int MAXIMAL_GROUPS = 5;

  static final int COPY = 160;
  static final int STEP_COPY = 168;
  static final int COPY_A = 176;

  /// Selects the last, partly filled register of a column of A.
  static final int MASK_A = 184;

  static final int NEXT_A = 192;

  /// The greatest `NEXT_A`, after which nothing more is asked for.
  static final int LAST_A = 200;

  static final int AHEAD = 208;

  static final int SEGMENT_TABLE = 216;
  static final int SEGMENTS = 224;
  private static final int LEFT = 232;

  /// From numbers of a bias to factors.
  static final int TO_SCALE = 240;

  /// From C to what is added to it.
  static final int TO_ADDEND = 248;

  /// So many rows of B are asked for before they are copied.
  private static final int ROWS_AHEAD = 8;

  private static final int UNROLL = 4;
  private static final CodeTable CACHE = new CodeTable(1 << 20);
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};
  private static final Register[] ROW_POINTERS = {RSI, R13, R14, R15, RBP};

  private final Assembler a = new Assembler();
  private final Shape shape;
  private final Lanes lanes;
  private final int accumulators;
  private final int spare;
  private final int spares;
  private final int mask;

  private BatchReduce(Shape shape) {
    this.shape = shape;
    this.lanes = shape.lanes;
    this.accumulators = shape.rows * shape.vectors;
    boolean vectorMask = shape.tail && !lanes.masks();
    this.mask = vectorMask ? lanes.isa().registers() - 1 : -1;
    this.spare = accumulators + shape.vectors;
    this.spares = lanes.isa().registers() - spare - (vectorMask ? 1 : 0);
    assert spares >= 1 : shape;
    assert shape.pointers() <= MAXIMAL_GROUPS;
    assert shape.source != Source.AHEAD || shape.group >= 1 && shape.group <= 3 : shape;
    assert !shape.segments() || shape.group == ADJACENT || shape.group == COLUMNS : shape;
  }

  /// Sets the distances of groups of three rows that are all `row` bytes apart.
  static void groupRows(long block, long row) {
    Raw.put(block + ROW_A, row);
    for (int g = 0; g < MAXIMAL_GROUPS; g++) {
      Raw.put(block + GROUPS_A + 8 * g, 3 * g * row);
    }
  }

  private static int key(
      Lanes lanes,
      int rows,
      int vectors,
      boolean tail,
      Source source,
      int group,
      boolean accumulate,
      Products.Bias bias,
      boolean relu) {
    int key = lanes.key() << 4 | rows;
    key = key << 3 | vectors;
    key = key << 5 | bias.ordinal() * 5 + source.ordinal();
    return key << 6 | group << 3 | (tail ? 4 : 0) | (accumulate ? 2 : 0) | (relu ? 1 : 0);
  }

  /// The kernel for `shape`, to be run with the address of its argument block.
  static Code of(Shape shape) {
    Code code = CACHE.find(shape.key());
    return code != null ? code : CACHE.add(shape.key(), () -> new BatchReduce(shape).assemble());
  }

  /// The kernel for these properties of a [Shape], which is made only if it is new.
  static Code of(
      Lanes lanes,
      int rows,
      int vectors,
      boolean tail,
      Source source,
      int group,
      boolean accumulate,
      Products.Bias bias,
      boolean relu) {
    Code code = CACHE.find(key(lanes, rows, vectors, tail, source, group, accumulate, bias, relu));
    return code != null
        ? code
        : of(new Shape(lanes, rows, vectors, tail, source, group, accumulate, bias, relu));
  }

  /// The kernel for `shape`, but for tiles of another height.
  static Code of(Shape shape, int rows) {
    return of(
        shape.lanes,
        rows,
        shape.vectors,
        shape.tail,
        shape.source,
        shape.group,
        shape.accumulate,
        shape.bias,
        shape.relu);
  }

  /// The rows of a full tile that is `vectors` registers wide.
  static int rows(Lanes lanes, int vectors) {
    int registers = lanes.isa().registers();
    return Math.min((registers - vectors - 1 - (lanes.masks() ? 0 : 1)) / vectors, 14);
  }

  private Code assemble() {
    a.push(SAVED);
    a.mov(R10, Memory.at(RDI, B));
    a.mov(R11, Memory.at(RDI, C));
    a.mov(RBX, Memory.at(RDI, TILES));
    if (shape.rowsOfPointer() > 0) {
      a.mov(R12, Memory.at(RDI, ROW_A));
    } else if (shape.group != PANEL) {
      a.mov(R12, Memory.at(RDI, STEP_A));
    }
    if (shape.copiesLeft()) {
      a.movl(RAX, Memory.at(RDI, MASK_A));
      a.emit(Instruction.KMOVW, Mask.K2, RAX);
    }
    if (shape.tail) {
      lanes.loadMask(a, Memory.at(RDI, MASK), mask);
    }
    var tile = new Label();
    a.align(16);
    a.bind(tile);
    start();
    sum();
    finish();
    a.add(R10, Memory.at(RDI, TILE_B));
    a.add(R11, Memory.at(RDI, TILE_C));
    a.mov(RAX, Memory.at(RDI, A));
    a.add(RAX, Memory.at(RDI, TILE_A));
    a.mov(Memory.at(RDI, A), RAX);
    if (shape.bias != Products.Bias.NONE) {
      a.mov(RAX, Memory.at(RDI, BIAS));
      a.add(RAX, Memory.at(RDI, TILE_BIAS));
      a.mov(Memory.at(RDI, BIAS), RAX);
    }
    a.dec(RBX);
    a.jump(NOT_EQUAL, tile);
    a.vzeroupper();
    a.pop(SAVED);
    a.ret();
    return a.install();
  }

  private boolean last(int vector) {
    return shape.tail && vector == shape.vectors - 1;
  }

  private void load(int register, Memory from, int vector) {
    if (last(vector)) {
      lanes.loadMasked(a, register, from, mask);
    } else {
      lanes.load(a, register, from);
    }
  }

  private int sumOf(int row, int vector) {
    return row * shape.vectors + vector;
  }

  /// Sets the accumulators to zero or to a bias that nothing precedes.
  private void start() {
    if (shape.bias == Products.Bias.ROWS || shape.bias == Products.Bias.COLUMNS) {
      a.mov(RAX, Memory.at(RDI, BIAS));
    }
    for (int v = 0; v < shape.vectors; v++) {
      if (shape.bias == Products.Bias.COLUMNS) {
        load(accumulators + v, Memory.at(RAX, v * lanes.vectorBytes()), v);
      }
      for (int r = 0; r < shape.rows; r++) {
        switch (shape.bias) {
          case NONE, SCALED_ROWS, SCALED_ROWS_AND_ADDEND, SCALED_COLUMNS ->
              lanes.zero(a, sumOf(r, v));
          case ROWS -> lanes.broadcast(a, sumOf(r, v), Memory.at(RAX, r * lanes.bytes()));
          case COLUMNS ->
              a.emit(Instruction.VMOVUPS, lanes.v(sumOf(r, v)), lanes.v(accumulators + v));
        }
      }
    }
  }

  private void sum() {
    if (!shape.segments()) {
      segment();
      return;
    }
    var next = new Label();
    a.mov(R9, Memory.at(RDI, SEGMENT_TABLE));
    a.mov(RAX, Memory.at(RDI, SEGMENTS));
    a.mov(Memory.at(RDI, LEFT), RAX);
    a.bind(next);
    segment();
    a.add(R9, 16);
    a.mov(RAX, Memory.at(RDI, LEFT));
    a.dec(RAX);
    a.mov(Memory.at(RDI, LEFT), RAX);
    a.jump(NOT_EQUAL, next);
  }

  private void segment() {
    a.mov(RDX, R10);
    a.mov(R8, Memory.at(RDI, STEP_B));
    a.mov(RSI, Memory.at(RDI, A));
    if (shape.segments()) {
      a.add(RSI, Memory.at(R9));
      a.add(RDX, Memory.at(R9, 8));
    }
    if (shape.rowsOfPointer() > 0) {
      for (int g = shape.pointers() - 1; g >= 0; g--) {
        a.mov(ROW_POINTERS[g], RSI);
        a.add(ROW_POINTERS[g], Memory.at(RDI, GROUPS_A + 8 * g));
      }
    }
    if (shape.copies()) {
      a.mov(R9, Memory.at(RDI, COPY));
    } else if (shape.asksForRows()) {
      a.mov(R9, Memory.at(RDI, NEXT_A));
    }
    if (shape.copiesLeft()) {
      a.mov(R13, Memory.at(RDI, COPY_A));
    }
    if (shape.source == Source.AHEAD || shape.segments()) {
      a.mov(RAX, Memory.at(RDI, AHEAD));
    }
    var rest = new Label();
    var done = new Label();
    a.mov(RCX, Memory.at(RDI, DEPTH));
    a.shr(RCX, 2);
    a.jump(EQUAL, rest);
    if (shape.source == Source.ROWS || shape.copies()) {
      askForResult();
    }
    a.repeat(RCX, () -> steps(UNROLL));
    a.bind(rest);
    a.mov(RCX, Memory.at(RDI, DEPTH));
    a.and(RCX, UNROLL - 1);
    a.jump(EQUAL, done);
    a.repeat(RCX, () -> steps(1));
    a.bind(done);
    if (shape.copies()) {
      a.mov(Memory.at(RDI, COPY), R9);
    } else if (shape.asksForRows()) {
      a.add(R9, R12);
      a.xor(RAX, RAX);
      a.cmp(R9, Memory.at(RDI, LAST_A));
      a.cmov(GREATER, R9, RAX);
      a.mov(Memory.at(RDI, NEXT_A), R9);
    }
  }

  /// In a sum of more than `RCX` rounds than the tile has rows: as many rounds, which ask for a row of C each, so that it
  /// is at hand in the end. Asked for at once, they would keep B waiting.
  private void askForResult() {
    var rounds = new Label();
    a.cmp(RCX, shape.rows);
    a.jump(LESS_EQUAL, rounds);
    a.mov(RAX, R11);
    a.mov(RCX, shape.rows);
    a.repeat(
        RCX,
        () -> {
          for (int v = 0; v < shape.vectors; v++) {
            a.prefetchw(Memory.at(RAX, v * lanes.vectorBytes()));
          }
          a.add(RAX, Memory.at(RDI, ROW_C));
          steps(UNROLL);
        });
    a.mov(RCX, Memory.at(RDI, DEPTH));
    a.shr(RCX, 2);
    a.sub(RCX, shape.rows);
    a.bind(rounds);
  }

  /// `count` steps along the sum.
  private void steps(int count) {
    int next = 0;
    if (shape.source == Source.AHEAD && count == UNROLL) {
      askAhead();
    }
    if (shape.asksForRows()) {
      for (int g = 0; g < shape.pointers(); g++) {
        a.prefetcht0(Memory.at(ROW_POINTERS[g], R9, 1, 0));
      }
    }
    for (int u = 0; u < count; u++) {
      if (shape.table()) {
        a.mov(RAX, Memory.at(R8, 8 * u));
      }
      for (int v = 0; v < shape.vectors; v++) {
        int offset = v * lanes.vectorBytes();
        Memory from = shape.table() ? Memory.at(RDX, RAX, 1, offset) : Memory.at(RDX, offset);
        load(accumulators + v, from, v);
        if (shape.copies()) {
          lanes.store(a, Memory.at(R9, offset), accumulators + v);
          a.prefetcht0(Memory.at(RDX, R8, ROWS_AHEAD, offset));
        }
      }
      if (shape.copies()) {
        a.add(R9, Memory.at(RDI, STEP_COPY));
      }
      if (shape.copiesLeft()) {
        copyColumn(u * shape.rows * lanes.bytes());
      }
      for (int r = 0; r < shape.rows; r++) {
        int element = spare + next;
        next = (next + 1) % spares;
        lanes.broadcast(a, element, elementOfA(r, u));
        for (int v = 0; v < shape.vectors; v++) {
          lanes.multiplyAdd(a, sumOf(r, v), element, lanes.v(accumulators + v));
        }
      }
      if (!shape.table()) {
        a.add(RDX, R8);
      }
      if (shape.segments() && shape.group == COLUMNS) {
        a.prefetcht1(Memory.at(RSI, RAX, 1, 0));
      }
      stepLeft();
    }
    if (shape.table()) {
      a.add(R8, 8 * count);
    }
    if (shape.copiesLeft()) {
      a.add(R13, count * shape.rows * lanes.bytes());
    }
    moveLeft(count);
  }

  /// Asks for what lies ahead of the rows of A.
  private void askAhead() {
    for (int r = 0; r < shape.rows; r++) {
      int place = r % shape.group;
      if (place == 0) {
        a.lea(R9, Memory.at(ROW_POINTERS[r / shape.group], RAX, 1, 0));
      }
      a.prefetcht0(place == 0 ? Memory.at(R9) : Memory.at(R9, R12, place, 0));
    }
  }

  /// Moves on by a column of A where only the arguments say how far that is.
  private void stepLeft() {
    switch (shape.group) {
      case PANEL, ADJACENT -> {}
      case COLUMNS, COPIED_COLUMNS -> a.add(RSI, R12);
      default -> {
        for (int g = 0; g < shape.pointers(); g++) {
          a.add(ROW_POINTERS[g], Memory.at(RDI, STEP_A));
        }
      }
    }
  }

  /// Moves on by `count` columns of A where that is known.
  private void moveLeft(int count) {
    int bytes = columnBytes() * count;
    for (int g = 0; g < shape.pointers() && bytes > 0; g++) {
      a.add(ROW_POINTERS[g], bytes);
    }
  }

  /// The distance of columns of A, or 0 if only the arguments say it.
  private int columnBytes() {
    return switch (shape.group) {
      case PANEL -> shape.rows * lanes.bytes();
      case ADJACENT -> lanes.bytes();
      default -> 0;
    };
  }

  /// Copies the column of A at `RSI` to `offset` behind `R13`.
  private void copyColumn(int offset) {
    int bytes = shape.rows * lanes.bytes();
    for (int from = 0; from < bytes; from += lanes.vectorBytes()) {
      boolean whole = from + lanes.vectorBytes() <= bytes;
      Vector column = lanes.v(spare);
      Memory at = Memory.at(RSI, from);
      a.emit(Instruction.VMOVUPS, whole ? column : column.zeroed(Mask.K2), at);
      lanes.store(a, Memory.at(R13, offset + from), spare);
      a.prefetcht0(Memory.at(RSI, R12, ROWS_AHEAD, from));
    }
    a.prefetcht0(Memory.at(RSI, R12, ROWS_AHEAD, bytes - 1));
  }

  /// An element of the column that is `columns` behind the pointers, if these do not move with each.
  private Memory elementOfA(int row, int columns) {
    int offset = columns * columnBytes();
    int rows = shape.rowsOfPointer();
    if (rows == 0) {
      return Memory.at(RSI, offset + row * lanes.bytes());
    }
    Register pointer = ROW_POINTERS[row / rows];
    int place = row % rows;
    return place == 0 ? Memory.at(pointer, offset) : Memory.at(pointer, R12, place, offset);
  }

  private void finish() {
    a.mov(R9, R11);
    a.mov(R8, Memory.at(RDI, ROW_C));
    if (shape.bias.scales()) {
      a.mov(RAX, Memory.at(RDI, BIAS));
      a.mov(RDX, Memory.at(RDI, TO_SCALE));
      a.mov(RSI, Memory.at(RDI, TO_ADDEND));
    }
    if (shape.relu) {
      lanes.zero(a, spare);
    }
    for (int r = 0; r < shape.rows; r++) {
      for (int v = 0; v < shape.vectors; v++) {
        int sum = sumOf(r, v);
        Memory to = Memory.at(R9, v * lanes.vectorBytes());
        if (shape.accumulate) {
          if (last(v)) {
            load(accumulators, to, v);
            lanes.add(a, sum, sum, lanes.v(accumulators));
          } else {
            lanes.add(a, sum, sum, to);
          }
        }
        if (shape.bias.scales()) {
          scale(r, v, sum);
        }
        if (shape.relu) {
          lanes.max(a, sum, spare, lanes.v(sum));
        }
        if (last(v)) {
          lanes.storeMasked(a, to, sum, mask);
        } else {
          lanes.store(a, to, sum);
        }
      }
      a.add(R9, R8);
    }
  }

  /// Multiplies a sum and adds what is to be added.
  private void scale(int row, int vector, int sum) {
    if (shape.bias == Products.Bias.SCALED_COLUMNS) {
      load(accumulators, Memory.at(RAX, RDX, 1, vector * lanes.vectorBytes()), vector);
      load(spare, Memory.at(RAX, vector * lanes.vectorBytes()), vector);
      lanes.multiplyThenAdd(a, sum, accumulators, lanes.v(spare));
      lanes.zero(a, spare);
      return;
    }
    int bytes = row * lanes.bytes();
    lanes.broadcast(a, accumulators, Memory.at(RAX, RDX, 1, bytes));
    lanes.broadcast(a, spare, Memory.at(RAX, bytes));
    lanes.multiplyThenAdd(a, sum, accumulators, lanes.v(spare));
    if (shape.bias == Products.Bias.SCALED_ROWS_AND_ADDEND) {
      load(accumulators, Memory.at(R9, RSI, 1, vector * lanes.vectorBytes()), vector);
      lanes.add(a, sum, sum, lanes.v(accumulators));
    }
    lanes.zero(a, spare);
  }
}
