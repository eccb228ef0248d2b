package taper.cpu.recurrent;

import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.products.Panels;
import taper.cpu.products.Products;
import taper.cpu.x86.RecurrentCode;
import taper.cpu.x86.RecurrentCode.Part;
import taper.tensor.DType;
import taper.tensor.Recurrent.Schedule;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Recurrent layers and the gradients of their sums, assembled, of contiguous operands.
///
/// The input's part of the sums is one product over all steps, written to where the gates will be. Each step then adds the
/// product of the hidden states with the weight, which is packed once and stays in the caches, and turns the sums into gates
/// and states in one pass, in place. The way back makes the gradients of the sums alone: the products with input and hidden
/// states are again one each over all steps, see [1].
///
/// [1] Appleyard, Kočiský, Blunsom 2016, "Optimizing Performance of Recurrent Neural Networks on GPUs", arXiv:1604.01946
public final class RecurrentKernels {
  private final Isa isa;
  private final Products products;
  private final RecurrentCode code;

  /// Kernels for a processor that has `isa`.
  public RecurrentKernels(Isa isa, Products products) {
    this.isa = isa;
    this.products = products;
    this.code = new RecurrentCode(isa);
  }

  /// The kernel of the operator called `name`, or null if there is none here.
  public @Nullable Kernel kernel(String name) {
    return switch (name) {
      case "lstmLayer" -> fenced(this::lstm);
      case "gruLayer" -> fenced(this::gru);
      case "rnnTanhLayer" -> fenced((a, out, in) -> plain(Part.TANH, a, out, in));
      case "rnnReluLayer" -> fenced((a, out, in) -> plain(Part.RELU, a, out, in));
      case "lstmLayerGradient" -> fenced(this::lstmGradient);
      case "gruLayerGradient" -> fenced(this::gruGradient);
      case "rnnTanhLayerGradient" ->
          fenced((a, out, in) -> plainGradient(Part.TANH_GRADIENT, a, out, in));
      case "rnnReluLayerGradient" ->
          fenced((a, out, in) -> plainGradient(Part.RELU_GRADIENT, a, out, in));
      default -> null;
    };
  }

  /// Code sees addresses only: what they belong to is kept alive until it is done.
  private static Kernel fenced(Kernel kernel) {
    return (attributes, out, in) -> {
      if (out[0].numel() == 0) {
        empty(out);
        return;
      }
      kernel.run(attributes, out, in);
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(in);
    };
  }

  private static void empty(Strided[] out) {
    for (Strided each : out) {
      assert each.numel() == 0 : each;
    }
  }

  /// What the kernels share: sizes, and a row of zeros for states that are not given.
  private static final class Layer {
    final Walk walk;
    final DType dtype;
    final int es;
    final int h;
    final long row;
    final long zeros;

    Layer(Record attributes, Strided weight) {
      walk = new Walk((Schedule) attributes);
      dtype = weight.dtype();
      es = dtype.byteSize();
      h = Math.toIntExact(weight.size(1));
      row = (long) h * es;
      MemorySegment memory = Scratch.bytes(Scratch.Use.ZEROS, row);
      memory.asSlice(0, row).fill((byte) 0);
      zeros = memory.address();
    }

    /// The operations of a row's product.
    long operations(Strided weight) {
      return 2 * weight.numel();
    }
  }

  private static long address(@Nullable Strided x) {
    return x == null ? 0 : x.address();
  }

  /// Rows `from` to `to` of the weight as a matrix B, transposed or not.
  private Panels packed(Strided weight, boolean transposed, int from, int to, Scratch.Use use) {
    int es = weight.dtype().byteSize();
    int h = Math.toIntExact(weight.size(1));
    long first = weight.address() + (long) from * h * es;
    long at = Scratch.bytes(use, Panels.byteSize(es, h, to - from)).address();
    return transposed
        ? Panels.pack(isa, es, first, es, (long) h * es, h, to - from, at)
        : Panels.pack(isa, es, first, (long) h * es, es, to - from, h, at);
  }

  /// The input's part of the sums, with both biases but for the hidden one of gate `without`.
  private void sums(
      Strided to,
      Strided x,
      Strided weight,
      @Nullable Strided biasIh,
      @Nullable Strided biasHh,
      int without) {
    long g = weight.size(0);
    long i = weight.size(1);
    Strided bias = biasHh == null ? biasIh : sum(biasIh, biasHh, without);
    products.matmul(
        to,
        x,
        weight.view(0, new long[] {i, g}, new long[] {1, i}),
        bias == null ? Products.Bias.NONE : Products.Bias.COLUMNS,
        bias,
        false,
        false);
  }

  private static Strided sum(@Nullable Strided biasIh, Strided biasHh, int without) {
    long g = biasHh.size(0);
    boolean wide = biasHh.dtype() == DType.FLOAT64;
    int es = biasHh.dtype().byteSize();
    MemorySegment memory = Scratch.bytes(Scratch.Use.BIAS, g * es);
    for (long j = 0; j < g; j++) {
      double value = biasIh != null ? Raw.element(biasIh.address() + j * es, wide) : 0;
      double other = j < without ? Raw.element(biasHh.address() + j * es, wide) : 0;
      if (wide) {
        Raw.put(memory.address() + j * es, value + other);
      } else {
        Raw.put(memory.address() + j * es, (float) (value + other));
      }
    }
    return Strided.of(memory, 0, biasHh.dtype(), new long[] {g}, new long[] {1});
  }

  // Forward

  private void lstm(Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[4];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    sums(out[4], in[0], in[3], in[5], in[6], Integer.MAX_VALUE);
    Panels panels = packed(weight, true, 0, 4 * layer.h, Scratch.Use.WEIGHT);
    long y = out[0].address();
    long cells = out[3].address();
    long gates = out[4].address();
    long hidden = address(in[1]);
    long cell = address(in[2]);
    layer.walk.run(
        false,
        layer.operations(weight),
        (r, before, sequence, count, odd) -> {
          long own = gates + r * 4 * row;
          long h = before >= 0 ? y + before * row : hidden == 0 ? 0 : hidden + sequence * row;
          if (h != 0) {
            panels.multiply(h, row, count, own, 4 * row, true, 0, odd);
          }
          for (int gate = 0; gate < 4; gate++) {
            code.operand(gate, own + gate * row, 4 * row);
          }
          state(layer, 4, before, cells, cell, sequence);
          code.operand(5, cells + r * row, row);
          code.operand(6, y + r * row, row);
          code.run(Part.LSTM, layer.dtype, count, layer.h);
        });
    layer.walk.last(y, out[1].address(), row);
    layer.walk.last(cells, out[2].address(), row);
  }

  /// The state before a step: a row of `all`, or of the first states, or zeros.
  private void state(Layer layer, int operand, long before, long all, long first, long sequence) {
    if (before >= 0) {
      code.operand(operand, all + before * layer.row, layer.row);
    } else {
      optional(layer, operand, first, sequence);
    }
  }

  /// A row of an operand, or zeros if it is missing.
  private void optional(Layer layer, int operand, long address, long row) {
    if (address != 0) {
      code.operand(operand, address + row * layer.row, layer.row);
    } else {
      code.operand(operand, layer.zeros, 0);
    }
  }

  private void gru(Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[3];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    int h = layer.h;
    Strided sums = out[2].view(0, new long[] {out[2].size(0), 3L * h}, new long[] {4L * h, 1});
    sums(sums, in[0], in[2], in[4], in[5], 2 * h);
    Panels gatePanels = packed(weight, true, 0, 2 * h, Scratch.Use.WEIGHT);
    Panels newPanels = packed(weight, true, 2 * h, 3 * h, Scratch.Use.SECOND_WEIGHT);
    long y = out[0].address();
    long gates = out[2].address();
    long hidden = address(in[1]);
    long bias = in[5] == null ? 0 : in[5].address() + 2 * row;
    layer.walk.run(
        false,
        layer.operations(weight),
        (r, before, sequence, count, odd) -> {
          long own = gates + r * 4 * row;
          long state = before >= 0 ? y + before * row : hidden == 0 ? 0 : hidden + sequence * row;
          if (state != 0) {
            gatePanels.multiply(state, row, count, own, 4 * row, true, 0, odd);
            newPanels.multiply(state, row, count, own + 3 * row, 4 * row, false, bias, odd);
          } else {
            for (int i = 0; i < count; i++) {
              Raw.copy(bias == 0 ? layer.zeros : bias, own + (4 * i + 3) * row, row);
            }
          }
          for (int gate = 0; gate < 4; gate++) {
            code.operand(gate, own + gate * row, 4 * row);
          }
          state(layer, 4, before, y, hidden, sequence);
          code.operand(5, y + r * row, row);
          code.run(Part.GRU, layer.dtype, count, h);
        });
    layer.walk.last(y, out[1].address(), row);
  }

  private void plain(Part part, Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[3];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    sums(out[0], in[0], in[2], in[4], in[5], Integer.MAX_VALUE);
    Panels panels = packed(weight, true, 0, layer.h, Scratch.Use.WEIGHT);
    long y = out[0].address();
    long hidden = address(in[1]);
    layer.walk.run(
        false,
        layer.operations(weight),
        (r, before, sequence, count, odd) -> {
          long state = before >= 0 ? y + before * row : hidden == 0 ? 0 : hidden + sequence * row;
          if (state != 0) {
            panels.multiply(state, row, count, y + r * row, row, true, 0, odd);
          }
          code.operand(0, y + r * row, row);
          code.run(part, layer.dtype, count, layer.h);
        });
    layer.walk.last(y, out[1].address(), row);
  }

  // Back

  /// Fills `to` with the gradient of a last state, or with zeros.
  private static long start(Strided to, @Nullable Strided grad) {
    long bytes = to.numel() * to.dtype().byteSize();
    if (grad == null) {
      Raw.clear(to.address(), bytes);
    } else {
      Raw.copy(grad.address(), to.address(), bytes);
    }
    return to.address();
  }

  private void lstmGradient(Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[2];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    Panels panels = packed(weight, false, 0, 4 * layer.h, Scratch.Use.WEIGHT);
    long sums = out[0].address();
    long gates = in[0].address();
    long cells = in[1].address();
    long cell = address(in[3]);
    long gradOutput = address(in[4]);
    long toHidden = start(out[1], in[5]);
    long toCell = start(out[2], in[6]);
    layer.walk.run(
        true,
        layer.operations(weight),
        (r, before, sequence, count, odd) -> {
          long own = gates + r * 4 * row;
          long to = sums + r * 4 * row;
          code.operand(0, toHidden + sequence * row, row);
          optional(layer, 1, gradOutput, r);
          code.operand(2, own + 3 * row, 4 * row);
          code.operand(3, cells + r * row, row);
          code.operand(4, toCell + sequence * row, row);
          code.operand(5, to + 3 * row, 4 * row);
          code.run(Part.LSTM_OUTPUT_GRADIENT, layer.dtype, count, layer.h);
          for (int gate = 0; gate < 3; gate++) {
            code.operand(gate, own + gate * row, 4 * row);
            code.operand(5 + gate, to + gate * row, 4 * row);
          }
          state(layer, 3, before, cells, cell, sequence);
          code.operand(4, toCell + sequence * row, row);
          code.run(Part.LSTM_INPUT_GRADIENT, layer.dtype, count, layer.h);
          panels.multiply(to, 4 * row, count, toHidden + sequence * row, row, false, 0, odd);
        });
  }

  private void gruGradient(Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[2];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    int h = layer.h;
    Panels gatePanels = packed(weight, false, 0, 2 * h, Scratch.Use.WEIGHT);
    Panels newPanels = packed(weight, false, 2 * h, 3 * h, Scratch.Use.SECOND_WEIGHT);
    long sums = out[0].address();
    long gates = in[0].address();
    long y = in[1].address();
    long hidden = address(in[3]);
    long gradOutput = address(in[4]);
    long toHidden = start(out[1], in[5]);
    layer.walk.run(
        true,
        layer.operations(weight),
        (r, before, sequence, count, odd) -> {
          long own = gates + r * 4 * row;
          long to = sums + r * 4 * row;
          long grad = toHidden + sequence * row;
          code.operand(0, grad, row);
          optional(layer, 1, gradOutput, r);
          code.operand(2, own + row, 4 * row);
          code.operand(3, own + 2 * row, 4 * row);
          state(layer, 4, before, y, hidden, sequence);
          code.operand(5, to + row, 4 * row);
          code.operand(6, to + 2 * row, 4 * row);
          code.run(Part.GRU_UPDATE_GRADIENT, layer.dtype, count, h);
          code.operand(0, own, 4 * row);
          code.operand(1, own + 3 * row, 4 * row);
          code.operand(2, to + 2 * row, 4 * row);
          code.operand(3, to, 4 * row);
          code.operand(4, to + 3 * row, 4 * row);
          code.run(Part.GRU_RESET_GRADIENT, layer.dtype, count, h);
          gatePanels.multiply(to, 4 * row, count, grad, row, true, 0, odd);
          newPanels.multiply(to + 3 * row, 4 * row, count, grad, row, true, 0, odd);
        });
  }

  private void plainGradient(Part part, Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[1];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    Panels panels = packed(weight, false, 0, layer.h, Scratch.Use.WEIGHT);
    long sums = out[0].address();
    long y = in[0].address();
    long gradOutput = address(in[2]);
    long toHidden = start(out[1], in[3]);
    layer.walk.run(
        true,
        layer.operations(weight),
        (r, before, sequence, count, odd) -> {
          code.operand(0, toHidden + sequence * row, row);
          optional(layer, 1, gradOutput, r);
          code.operand(2, y + r * row, row);
          code.operand(3, sums + r * row, row);
          code.run(part, layer.dtype, count, layer.h);
          panels.multiply(
              sums + r * row, row, count, toHidden + sequence * row, row, false, 0, odd);
        });
  }
}
