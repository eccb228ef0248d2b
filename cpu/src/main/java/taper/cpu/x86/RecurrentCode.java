package taper.cpu.x86;

import java.util.Collections;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeTable;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.cpu.x86.Program.Value;
import taper.tensor.DType;
import taper.tensor.spi.Formula.Comparison;

/// What the cells of recurrent layers do with their sums, and how gradients go back through it, for rows of hidden units:
/// every value is read and written once. Threads may share it.
public final class RecurrentCode {

  /// A part of a cell and its operands, in this order; those in brackets are written, too, those in braces only written.
  public enum Part {
    /// `[i] [f] [g] [o] c {c'} {h}`: sums become the values of the gates.
    LSTM(7, 0b0011111, 0b1101111),
    /// `dh dy o c' [dc] {do}`
    LSTM_OUTPUT_GRADIENT(6, 0b011111, 0b110000),
    /// `i f g c [dc] {di} {df} {dg}`
    LSTM_INPUT_GRADIENT(8, 0b00011111, 0b11110000),
    /// `[r] [z] [n] q h {h'}`: `q` is the hidden part of the sum of `n`.
    GRU(6, 0b011111, 0b100111),
    /// `[dh] dy z n h {dz} {dn}`
    GRU_UPDATE_GRADIENT(7, 0b0011111, 0b1100001),
    /// `r q dn {dr} {dq}`
    GRU_RESET_GRADIENT(5, 0b00111, 0b11000),
    /// `[h]`
    TANH(1, 1, 1),
    /// `[h]`
    RELU(1, 1, 1),
    /// `dh dy h {sum}`
    TANH_GRADIENT(4, 0b0111, 0b1000),
    /// `dh dy h {sum}`
    RELU_GRADIENT(4, 0b0111, 0b1000);

    private final int operands;
    private final int read;
    private final int written;

    Part(int operands, int read, int written) {
      this.operands = operands;
      this.read = read;
      this.written = written;
    }
  }

  private final Isa isa;
  private final CodeTable codes = new CodeTable(2 * Part.values().length);

  /// Code for a processor that has `isa`, assembled when it is first used.
  public RecurrentCode(Isa isa) {
    this.isa = isa;
  }

  /// Says where operand `position` of the next call on this thread lies, and how far its rows are apart, in bytes.
  public void operand(int position, long address, long row) {
    long at = Raw.arguments() + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * position;
    Raw.put(at, address);
    Raw.put(at + 8, row);
  }

  /// Runs `part` on `rows` rows of `columns` elements of type `dtype`, `float32` or `float64`.
  public void run(Part part, DType dtype, long rows, long columns) {
    long block = Raw.arguments();
    Raw.put(block + VectorRows.ROWS, rows);
    Raw.put(block + VectorRows.COLUMNS, columns);
    code(part, dtype).run(block);
  }

  private Code code(Part part, DType dtype) {
    int index = 2 * part.ordinal() + (dtype == DType.FLOAT64 ? 1 : 0);
    Code code = codes.find(index);
    return code != null ? code : codes.add(index, () -> new Rows(isa, part, dtype).assemble());
  }

  private static final class Rows extends VectorRows {
    private final Part part;
    private final Program p;
    private final Lane l;

    Rows(Isa isa, Part part, DType dtype) {
      super(isa, dtype == DType.FLOAT64, Collections.nCopies(part.operands, dtype));
      this.part = part;
      this.p = program(0);
      this.l = new Lane(p, wide);
    }

    @Override
    boolean reads(int operand) {
      return (part.read >> operand & 1) != 0;
    }

    @Override
    boolean writes(int operand) {
      return (part.written >> operand & 1) != 0;
    }

    Code assemble() {
      switch (part) {
        case LSTM -> lstm();
        case LSTM_OUTPUT_GRADIENT -> lstmOutputGradient();
        case LSTM_INPUT_GRADIENT -> lstmInputGradient();
        case GRU -> gru();
        case GRU_UPDATE_GRADIENT -> gruUpdateGradient();
        case GRU_RESET_GRADIENT -> gruResetGradient();
        case TANH -> store(p, 0, GateFunctions.tanh(l, x(0)));
        case RELU -> store(p, 0, l.max(l.constant(0), x(0)));
        case TANH_GRADIENT -> store(p, 3, l.mul(l.add(x(0), x(1)), oneLessSquare(x(2))));
        case RELU_GRADIENT ->
            store(p, 3, l.select(x(2), Comparison.GREATER, 0, l.add(x(0), x(1)), l.constant(0)));
      }
      function(() -> columns(p));
      return a.install();
    }

    private Value x(int operand) {
      return loaded(p, operand);
    }

    private Value oneLessSquare(Value x) {
      return l.fnma(x, x, l.constant(1));
    }

    /// The derivative of the logistic function where its value is `x`.
    private Value slope(Value x) {
      return l.fnma(x, x, x);
    }

    private void lstm() {
      Value i = GateFunctions.sigmoid(l, x(0));
      store(p, 0, i);
      Value g = GateFunctions.tanh(l, x(2));
      store(p, 2, g);
      Value f = GateFunctions.sigmoid(l, x(1));
      store(p, 1, f);
      Value c = l.fma(f, x(4), l.mul(i, g));
      store(p, 5, c);
      Value o = GateFunctions.sigmoid(l, x(3));
      store(p, 3, o);
      store(p, 6, l.mul(o, GateFunctions.tanh(l, c)));
    }

    private void lstmOutputGradient() {
      Value grad = l.add(x(0), x(1));
      Value o = x(2);
      Value tangent = GateFunctions.tanh(l, x(3));
      store(p, 5, l.mul(l.mul(grad, tangent), slope(o)));
      store(p, 4, l.fma(l.mul(grad, o), oneLessSquare(tangent), x(4)));
    }

    private void lstmInputGradient() {
      Value i = x(0);
      Value f = x(1);
      Value g = x(2);
      Value dc = x(4);
      store(p, 5, l.mul(l.mul(dc, g), slope(i)));
      store(p, 6, l.mul(l.mul(dc, x(3)), slope(f)));
      store(p, 7, l.mul(l.mul(dc, i), oneLessSquare(g)));
      store(p, 4, l.mul(dc, f));
    }

    private void gru() {
      Value r = GateFunctions.sigmoid(l, x(0));
      store(p, 0, r);
      Value n = GateFunctions.tanh(l, l.fma(r, x(3), x(2)));
      store(p, 2, n);
      Value z = GateFunctions.sigmoid(l, x(1));
      store(p, 1, z);
      store(p, 5, l.fma(z, l.sub(x(4), n), n));
    }

    private void gruUpdateGradient() {
      Value grad = l.add(x(0), x(1));
      Value z = x(2);
      Value n = x(3);
      store(p, 5, l.mul(l.mul(grad, l.sub(x(4), n)), slope(z)));
      store(p, 6, l.mul(l.mul(grad, l.sub(l.constant(1), z)), oneLessSquare(n)));
      store(p, 0, l.mul(grad, z));
    }

    private void gruResetGradient() {
      Value r = x(0);
      Value dn = x(2);
      store(p, 3, l.mul(l.mul(dn, x(1)), slope(r)));
      store(p, 4, l.mul(dn, r));
    }
  }
}
