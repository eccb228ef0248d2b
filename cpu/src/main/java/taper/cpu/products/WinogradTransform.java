package taper.cpu.products;

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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Instruction;
import taper.cpu.assembler.Memory;
import taper.cpu.assembler.Operand;
import taper.cpu.assembler.Register;

/// The transforms of Winograd's convolutions F(4×4, 3×3) and F(2×2, 5×5), assembled, for as many channels at
/// once as a register has lanes. Both have tiles of 6 × 6, and so the same transform of the input.
///
/// Each is `T x Tᵀ` with a small matrix `T` [1]. One side of it are *pixels*, vectors at a distance of rows and
/// of columns, or *taps*, each [#TAP_VECTORS] vectors behind the one before; the other the 36 *positions* of a
/// tile, vectors at one distance, of which the position in row `i` and column `j` is the one with number `6 j + i`.
///
/// *The points.* Interpolation at 0, ±√½, ±√2 and ∞. The usual ±1 and ±2 lose a digit: with these, the error
/// of a sum over 64 channels is 8e-7 of the results' standard deviation (root mean square; the largest of
/// 3,200 is 4e-6), where plain addition in order gives 4.4e-7 (2.5e-6), and ±1, ±2 give 1.6e-6 (1.6e-5).
/// Points near 1 whose products are 1 keep the entries of all three matrices near 1; see [2] for why that
/// counts. The squares of the points are exact.
///
/// *The code.* Rows of T for points of opposite sign have the same even part and opposite odd parts, so
/// both are computed once, then added and subtracted; where T is wide, sums and differences of the inputs
/// do the same. T is applied along rows first, for two of its rows at a time, whose results for all rows of
/// the tile fit the registers; then down the columns. Nothing is spilled.
///
/// [1] Lavin, Gray 2015, "Fast Algorithms for Convolutional Neural Networks", arXiv:1509.09308
/// [2] Barabasz, Anderson, Soodhalter, Gregg 2018, "Error Analysis and Improving the Accuracy of Winograd
/// Convolution for Deep Neural Networks", arXiv:1803.10986
final class WinogradTransform {
  private static final double A = Math.sqrt(0.5);
  private static final double B = Math.sqrt(2);

  /// Of a tile of the input.
  private static final double[][] INPUTS = {
    {1, 0, -2.5, 0, 1, 0},
    {0, -2 * A, -2, A, 1, 0},
    {0, 2 * A, -2, -A, 1, 0},
    {0, -B / 2, -0.5, B, 1, 0},
    {0, B / 2, -0.5, -B, 1, 0},
    {0, 1, 0, -2.5, 0, 1}
  };

  /// Of a filter of 3 × 3.
  private static final double[][] FILTERS = {
    {1, 0, 0},
    {-2 / 3., -2 * A / 3, -1 / 3.},
    {-2 / 3., 2 * A / 3, -1 / 3.},
    {1 / 6., B / 6, 1 / 3.},
    {1 / 6., -B / 6, 1 / 3.},
    {0, 0, 1}
  };

  /// Of a filter of 5 × 5.
  private static final double[][] FILTERS_OF_5 = {
    {1, 0, 0, 0, 0},
    {-2 / 3., -2 * A / 3, -1 / 3., -A / 3, -1 / 6.},
    {-2 / 3., 2 * A / 3, -1 / 3., A / 3, -1 / 6.},
    {1 / 6., B / 6, 1 / 3., B / 3, 2 / 3.},
    {1 / 6., -B / 6, 1 / 3., -B / 3, 2 / 3.},
    {0, 0, 0, 0, 1}
  };

  /// Of a sum of products, to a tile of the output, 4 × 4.
  private static final double[][] OUTPUTS = {
    {1, 1, 1, 1, 1, 0},
    {0, A, -A, B, -B, 0},
    {0, 0.5, 0.5, 2, 2, 0},
    {0, A / 2, -A / 2, 2 * B, -2 * B, 1}
  };

  /// The same, 2 × 2.
  private static final double[][] OUTPUTS_OF_2 = {{1, 1, 1, 1, 1, 0}, {0, A, -A, B, -B, 1}};

  /// What is transformed.
  enum Kind {
    /// Pixels of an image to positions.
    INPUT(true),
    /// Positions to pixels of the result.
    OUTPUT(false),
    /// The same with no negative results.
    OUTPUT_RELU(false),
    /// Positions to pixels of the result, which are multiplied before a bias is added.
    OUTPUT_SCALED(false),
    /// The same with no negative results.
    OUTPUT_SCALED_RELU(false),
    /// Pixels of the gradient of the result to positions.
    GRADIENT(true),
    /// Taps of a filter to positions.
    FILTER(true),
    /// Taps of a filter that is turned by half a turn, to positions.
    TURNED_FILTER(true),
    /// Positions to the gradient of the taps.
    FILTER_GRADIENT(false);

    private final boolean toPositions;

    Kind(boolean toPositions) {
      this.toPositions = toPositions;
    }

    private double[][] matrix(int side) {
      double[][] filters = side == 3 ? FILTERS : FILTERS_OF_5;
      double[][] outputs = side == 3 ? OUTPUTS : OUTPUTS_OF_2;
      return switch (this) {
        case INPUT -> INPUTS;
        case OUTPUT, OUTPUT_RELU, OUTPUT_SCALED, OUTPUT_SCALED_RELU -> outputs;
        case GRADIENT -> transposed(outputs);
        case FILTER, TURNED_FILTER -> filters;
        case FILTER_GRADIENT -> transposed(filters);
      };
    }

    private boolean taps() {
      return this == FILTER || this == TURNED_FILTER || this == FILTER_GRADIENT;
    }

    private boolean output() {
      return this == OUTPUT || this == OUTPUT_RELU || scales();
    }

    private boolean scales() {
      return this == OUTPUT_SCALED || this == OUTPUT_SCALED_RELU;
    }
  }

  /// Elements of a side of what is transformed: a tile of the input and its positions.
  static final int SIDE = 6;

  static final int POSITIONS = SIDE * SIDE;

  /// The distance of the taps of a filter.
  static final int TAP_VECTORS = 2;

  /// The distance of columns of pixels in vectors, at most.
  static final int MAXIMAL_STEP = 7;

  // The arguments, as offsets into a block of longs.

  /// The address of a table of the addresses of the pixels or taps of each tile.
  static final int TABLE = 0;

  static final int TILES = 8;

  /// How many vectors of channels.
  static final int VECTORS = 16;

  /// The distance of rows of pixels.
  static final int ROW = 24;

  /// The distance of the pixels or taps of further channels.
  static final int NEXT_PIXELS = 32;

  /// The positions of the first tile.
  static final int AT = 40;

  /// The distance of positions.
  static final int POSITION = 48;

  /// The distance of the positions of the next tile; those of further channels follow.
  static final int NEXT_TILE = 56;

  /// The address of the biases of the channels, for outputs; a register of them is followed by one of factors.
  static final int BIAS = 64;

  /// So many vectors behind the one that is written will be written soon. There are more places to write to than the
  /// processor follows by itself.
  private static final int AHEAD = 2;

  private static final CodeTable CACHE = new CodeTable(1 << 10);
  private static final Register[] SAVED = {RBX, RBP, R12, R13, R14, R15};

  private final Assembler a = new Assembler();
  private final Lanes lanes;
  private final Kind kind;
  private final double[][] matrix;
  private final int side;
  private final int step;
  private final Map<Double, Operand> constants = new HashMap<>();
  private final List<Integer> free = new ArrayList<>();

  private WinogradTransform(Lanes lanes, Kind kind, int side, int step) {
    this.lanes = lanes;
    this.kind = kind;
    this.matrix = kind.matrix(side);
    this.side = side;
    this.step = step;
  }

  private static double[][] transposed(double[][] m) {
    double[][] t = new double[m[0].length][m.length];
    for (int i = 0; i < m.length; i++) {
      for (int j = 0; j < m[0].length; j++) {
        t[j][i] = m[i][j];
      }
    }
    return t;
  }

  /// The kernel for `kind`, to be run with the address of its argument block.
  ///
  /// @param side of the filters, 3 or 5
  /// @param step the distance of columns of pixels in vectors, at most [#MAXIMAL_STEP]
  static Code of(Lanes lanes, Kind kind, int side, int step) {
    int key = (lanes.key() << 4 | kind.ordinal()) << 4 | step << 1 | (side == 3 ? 0 : 1);
    Code code = CACHE.find(key);
    return code != null
        ? code
        : CACHE.add(key, () -> new WinogradTransform(lanes, kind, side, step).assemble());
  }

  private Code assemble() {
    a.push(SAVED);
    for (int r = lanes.masks() ? 31 : 15; r >= 0; r--) {
      free.add(r);
    }
    if (lanes.masks()) {
      for (double[] row : parts()) {
        for (double c : row) {
          if (c != 0 && Math.abs(c) != 1 && !constants.containsKey(c) && free.size() > 20) {
            int register = free.removeFirst();
            lanes.load(a, register, Memory.at(a.floats((float) c, lanes.count())));
            constants.put(c, lanes.v(register));
          }
        }
      }
    }
    // R10, R11 and R12 are 1, 3 and 5 times the distance of rows; R14, R15, RBP and RDX 1, 3, 5 and
    // 6 times that of positions.
    a.mov(R10, Memory.at(RDI, ROW));
    a.lea(R11, Memory.at(R10, R10, 2, 0));
    a.lea(R12, Memory.at(R10, R10, 4, 0));
    a.mov(R14, Memory.at(RDI, POSITION));
    a.lea(R15, Memory.at(R14, R14, 2, 0));
    a.lea(RBP, Memory.at(R14, R14, 4, 0));
    a.lea(RDX, Memory.at(R14, RBP, 1, 0));
    a.mov(RSI, Memory.at(RDI, TABLE));
    a.mov(RCX, Memory.at(RDI, TILES));
    a.repeat(
        RCX,
        () -> {
          a.mov(R8, Memory.at(RSI));
          a.mov(R9, Memory.at(RDI, AT));
          a.mov(RBX, Memory.at(RDI, VECTORS));
          if (kind.output()) {
            a.mov(R13, Memory.at(RDI, BIAS));
          }
          a.repeat(
              RBX,
              () -> {
                tile();
                a.add(R8, Memory.at(RDI, NEXT_PIXELS));
                a.add(R9, lanes.vectorBytes());
                if (kind.output()) {
                  a.add(R13, 2 * lanes.vectorBytes());
                }
              });
          a.add(RSI, 8);
          a.mov(RAX, Memory.at(RDI, AT));
          a.add(RAX, Memory.at(RDI, NEXT_TILE));
          a.mov(Memory.at(RDI, AT), RAX);
        });
    a.vzeroupper();
    a.pop(SAVED);
    a.ret();
    return a.install();
  }

  /// The rows of the matrix, or the even and odd parts that are computed in place of pairs of them.
  private List<double[]> parts() {
    List<double[]> all = new ArrayList<>();
    for (int[] pair : pairs()) {
      boolean mirrored = mirrored(pair);
      for (int i = 0; i < pair.length; i++) {
        all.add(mirrored ? half(pair, i == 0 ? 1 : -1) : matrix[pair[i]]);
      }
    }
    return all;
  }

  /// Which rows of the matrix are computed together.
  private int[][] pairs() {
    return switch (matrix.length) {
      case 6 -> new int[][] {{0, 5}, {1, 2}, {3, 4}};
      case 5 -> new int[][] {{0, 2}, {1, 3}, {4}};
      case 4 -> new int[][] {{0, 2}, {1, 3}};
      case 3 -> new int[][] {{0, 2}, {1}};
      default -> new int[][] {{0}, {1}};
    };
  }

  private double[] half(int[] pair, int sign) {
    double[] x = matrix[pair[0]];
    double[] y = matrix[pair[1]];
    double[] h = new double[x.length];
    for (int i = 0; i < h.length; i++) {
      h[i] = (x[i] + sign * y[i]) / 2;
    }
    return h;
  }

  /// Whether the rows of `pair` are an even part plus and minus an odd one.
  private boolean mirrored(int[] pair) {
    if (pair.length < 2) {
      return false;
    }
    double[] even = half(pair, 1);
    double[] odd = half(pair, -1);
    boolean apart = true;
    for (int i = 0; i < even.length; i++) {
      apart &= even[i] == 0 || odd[i] == 0;
    }
    return apart;
  }

  private int take() {
    return free.removeLast();
  }

  private void give(int register) {
    free.add(register);
  }

  private void tile() {
    int inputs = matrix[0].length;
    for (int[] pair : pairs()) {
      int[][] between = new int[inputs][];
      for (int line = 0; line < inputs; line++) {
        if (!kind.toPositions) {
          pointAt(line);
        }
        int l = line;
        between[line] = combine(pair, k -> new Value(-1, source(l, k)));
      }
      for (int c = 0; c < pair.length; c++) {
        int at = c;
        for (int[] rows : pairs()) {
          int[] results = combine(rows, k -> new Value(between[k][at], null));
          for (int i = 0; i < rows.length; i++) {
            store(rows[i], pair[at], results[i]);
            give(results[i]);
          }
        }
        for (int[] registers : between) {
          give(registers[c]);
        }
      }
    }
  }

  /// Input `k` of `line`: of a row of pixels, or of a column of positions.
  private Memory source(int line, int k) {
    return kind.toPositions ? pixel(line, k) : position(k, 0);
  }

  private void store(int i, int j, int register) {
    if (kind.toPositions) {
      pointAt(j);
      lanes.store(a, position(i, 0), register);
      a.prefetchw(position(i, AHEAD * lanes.vectorBytes()));
      return;
    }
    if (kind.output()) {
      if (kind.scales()) {
        int scale = take();
        lanes.load(a, scale, Memory.at(R13, lanes.vectorBytes()));
        lanes.multiplyThenAdd(a, register, scale, Memory.at(R13));
        give(scale);
      } else {
        lanes.add(a, register, register, Memory.at(R13));
      }
      if (kind == Kind.OUTPUT_RELU || kind == Kind.OUTPUT_SCALED_RELU) {
        int zero = take();
        lanes.zero(a, zero);
        lanes.max(a, register, zero, lanes.v(register));
        give(zero);
      }
    }
    // Here the first pass ran down the columns, so that its results are rows.
    lanes.store(a, pixel(j, i), register);
  }

  private Memory pixel(int row, int column) {
    if (!kind.taps()) {
      int offset = column * step * lanes.vectorBytes();
      return switch (row) {
        case 0 -> Memory.at(R8, offset);
        case 3 -> Memory.at(R8, R11, 1, offset);
        case 5 -> Memory.at(R8, R12, 1, offset);
        default -> Memory.at(R8, R10, row, offset);
      };
    }
    int tap = side * row + column;
    tap = kind == Kind.TURNED_FILTER ? side * side - 1 - tap : tap;
    return Memory.at(R8, tap * TAP_VECTORS * lanes.vectorBytes());
  }

  /// Makes RAX point to column `j` of the positions.
  private void pointAt(int j) {
    if (j == 0) {
      a.mov(RAX, R9);
    } else if (j == 3 || j == 5) {
      a.lea(RAX, Memory.at(R9, RDX, 1, 0));
      a.lea(RAX, Memory.at(RAX, RDX, j - 1, 0));
    } else {
      a.lea(RAX, Memory.at(R9, RDX, j, 0));
    }
  }

  private Memory position(int i, int offset) {
    return switch (i) {
      case 0 -> Memory.at(RAX, offset);
      case 3 -> Memory.at(RAX, R15, 1, offset);
      case 5 -> Memory.at(RAX, RBP, 1, offset);
      default -> Memory.at(RAX, R14, i, offset);
    };
  }

  /// A number in a register, or else in memory.
  private record Value(int register, @org.jspecify.annotations.Nullable Memory memory) {
    Operand operand(Lanes lanes) {
      return memory != null ? memory : lanes.v(register);
    }
  }

  /// The rows `rows` of the matrix times a vector, in new registers.
  private int[] combine(int[] rows, IntFunction<Value> x) {
    if (mirrored(rows)) {
      int even = linear(half(rows, 1), x);
      int odd = linear(half(rows, -1), x);
      int first = take();
      lanes.add(a, first, even, lanes.v(odd));
      subtract(even, even, lanes.v(odd));
      give(odd);
      return new int[] {first, even};
    }
    int[] results = new int[rows.length];
    int sign = pairing(rows);
    if (sign == 0) {
      for (int i = 0; i < rows.length; i++) {
        results[i] = linear(matrix[rows[i]], x);
      }
      return results;
    }
    int[] sums = {
      linear(new double[] {0, 1, sign, 0, 0, 0}, x), linear(new double[] {0, 0, 0, 1, sign, 0}, x)
    };
    for (int i = 0; i < rows.length; i++) {
      double[] row = matrix[rows[i]];
      double[] paired = {row[0], row[1], row[3], row[5]};
      results[i] =
          linear(
              paired,
              k -> k == 0 ? x.apply(0) : k == 3 ? x.apply(5) : new Value(sums[k - 1], null));
    }
    give(sums[0]);
    give(sums[1]);
    return results;
  }

  /// 1 if inputs 1 and 2 count the same in all of `rows`, and 3 and 4, -1 if they count opposite, 0 otherwise.
  private int pairing(int[] rows) {
    if (matrix[0].length != SIDE) {
      return 0;
    }
    boolean same = true;
    boolean opposite = true;
    boolean any = false;
    for (int r : rows) {
      double[] row = matrix[r];
      same &= row[1] == row[2] && row[3] == row[4];
      opposite &= row[1] == -row[2] && row[3] == -row[4];
      any |= row[1] != 0 && row[3] != 0;
    }
    return !any ? 0 : same ? 1 : opposite ? -1 : 0;
  }

  private void subtract(int d, int x, Operand y) {
    a.emit(Instruction.VSUBPS, lanes.v(d), lanes.v(x), y);
  }

  private Operand constant(double c) {
    return constants.computeIfAbsent(
        c, value -> Memory.at(a.floats((float) (double) value, lanes.count())));
  }

  /// The sum of `coefficients` times the numbers that `x` gives, in a new register.
  private int linear(double[] coefficients, IntFunction<Value> x) {
    var terms = new ArrayList<Integer>();
    for (int k = 0; k < coefficients.length; k++) {
      if (coefficients[k] != 0) {
        terms.add(k);
      }
    }
    terms.sort((i, j) -> Boolean.compare(coefficients[i] != 1, coefficients[j] != 1));
    int sum = take();
    Value first = x.apply(terms.getFirst());
    double c = coefficients[terms.getFirst()];
    int next = 1;
    if (c == 1
        && terms.size() > 1
        && Math.abs(coefficients[terms.get(1)]) == 1
        && first.memory == null) {
      add(sum, first.register, x.apply(terms.get(1)), coefficients[terms.get(1)] == 1);
      next = 2;
    } else if (c == 1) {
      a.emit(Instruction.VMOVUPS, lanes.v(sum), first.operand(lanes));
    } else {
      int from = first.register;
      if (first.memory != null) {
        lanes.load(a, sum, first.memory);
        from = sum;
      }
      a.emit(Instruction.VMULPS, lanes.v(sum), lanes.v(from), constant(c));
    }
    for (; next < terms.size(); next++) {
      Value value = x.apply(terms.get(next));
      c = coefficients[terms.get(next)];
      if (Math.abs(c) == 1) {
        add(sum, sum, value, c == 1);
      } else if (value.memory == null) {
        lanes.multiplyAdd(a, sum, value.register, constant(c));
      } else {
        int loaded = take();
        lanes.load(a, loaded, value.memory);
        lanes.multiplyAdd(a, sum, loaded, constant(c));
        give(loaded);
      }
    }
    return sum;
  }

  private void add(int sum, int x, Value y, boolean plus) {
    if (plus) {
      lanes.add(a, sum, x, y.operand(lanes));
    } else {
      subtract(sum, x, y.operand(lanes));
    }
  }
}
