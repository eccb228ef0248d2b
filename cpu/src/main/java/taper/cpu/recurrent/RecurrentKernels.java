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
/// How threads share the work, see [Walk].
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
  private final class Layer {
    final Walk walk;
    final DType dtype;
    final int es;
    final int h;
    final long row;
    final long zeros;

    Layer(Record attributes, Strided weight) {
      dtype = weight.dtype();
      es = dtype.byteSize();
      h = Math.toIntExact(weight.size(1));
      row = (long) h * es;
      int unit = Panels.width(isa, es);
      walk = new Walk((Schedule) attributes, 2 * weight.numel(), weight.numel() * es, h, unit);
      MemorySegment memory = Scratch.ofThread().memory(Scratch.Use.ZEROS, row);
      memory.asSlice(0, row).fill((byte) 0);
      zeros = memory.address();
    }

    /// Row `row` of an operand, from unit `unit` on.
    void operand(int position, long address, long row, long distance, int unit) {
      code.operand(position, address + row * distance + (long) unit * es, distance);
    }

    /// A row of an operand, or zeros if it is missing.
    void optional(int position, long address, long row, int unit) {
      if (address != 0) {
        operand(position, address, row, this.row, unit);
      } else {
        code.operand(position, zeros, 0);
      }
    }

    /// The state before a step: a row of `all`, or of the first states, or zeros.
    void state(int position, long before, long all, long first, long sequence, int unit) {
      optional(position, before >= 0 ? all : first, before >= 0 ? before : sequence, unit);
    }

    /// The address of the state before a step, or 0.
    long state(long before, long all, long first, long sequence) {
      if (before >= 0) {
        return all + before * row;
      }
      return first == 0 ? 0 : first + sequence * row;
    }

    void run(Part part, int count, int from, int to) {
      code.run(part, dtype, count, to - from);
    }
  }

  private static long address(@Nullable Strided x) {
    return x == null ? 0 : x.address();
  }

  /// Rows `from` to `to` of the weight, transposed, as a matrix B of as many parts as there are gates.
  private Panels forth(Layer layer, Strided weight, int from, int to, Scratch.Use use) {
    int gates = (to - from) / layer.h;
    long first = weight.address() + from * layer.row;
    long at = Scratch.ofThread().address(use, Panels.byteSize(layer.es, gates, layer.h, layer.h));
    return Panels.pack(isa, layer.es, first, layer.es, layer.row, gates, layer.h, layer.h, at);
  }

  /// Rows `from` to `to` of the weight as a matrix B.
  private Panels back(Layer layer, Strided weight, int from, int to, Scratch.Use use) {
    long first = weight.address() + from * layer.row;
    long at = Scratch.ofThread().address(use, Panels.byteSize(layer.es, 1, to - from, layer.h));
    return Panels.pack(isa, layer.es, first, layer.row, layer.es, 1, to - from, layer.h, at);
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
    MemorySegment memory = Scratch.ofThread().memory(Scratch.Use.BIAS, g * es);
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
    Panels panels = forth(layer, weight, 0, 4 * layer.h, Scratch.Use.WEIGHT);
    long y = out[0].address();
    long cells = out[3].address();
    long gates = out[4].address();
    long hidden = address(in[1]);
    long cell = address(in[2]);
    Walk.Part part =
        (r, before, sequence, count, from, to, odd) -> {
          long own = gates + r * 4 * row;
          long state = layer.state(before, y, hidden, sequence);
          if (state != 0) {
            panels.multiply(state, row, count, own, 4 * row, row, true, 0, from, to, odd);
          }
          for (int gate = 0; gate < 4; gate++) {
            layer.operand(gate, own + gate * row, 0, 4 * row, from);
          }
          layer.state(4, before, cells, cell, sequence, from);
          layer.operand(5, cells, r, row, from);
          layer.operand(6, y, r, row, from);
          layer.run(Part.LSTM, count, from, to);
        };
    layer.walk.run(false, part, null);
    layer.walk.last(y, out[1].address(), row);
    layer.walk.last(cells, out[2].address(), row);
  }

  private void gru(Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[3];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    int h = layer.h;
    Strided sums = out[2].view(0, new long[] {out[2].size(0), 3L * h}, new long[] {4L * h, 1});
    sums(sums, in[0], in[2], in[4], in[5], 2 * h);
    Panels gatePanels = forth(layer, weight, 0, 2 * h, Scratch.Use.WEIGHT);
    Panels newPanels = forth(layer, weight, 2 * h, 3 * h, Scratch.Use.SECOND_WEIGHT);
    long y = out[0].address();
    long gates = out[2].address();
    long hidden = address(in[1]);
    long bias = in[5] == null ? 0 : in[5].address() + 2 * row;
    Walk.Part part =
        (r, before, sequence, count, from, to, odd) -> {
          long own = gates + r * 4 * row;
          long state = layer.state(before, y, hidden, sequence);
          if (state != 0) {
            gatePanels.multiply(state, row, count, own, 4 * row, row, true, 0, from, to, odd);
            newPanels.multiply(
                state, row, count, own + 3 * row, 4 * row, row, false, bias, from, to, odd);
          } else {
            long first = (long) from * layer.es;
            long bytes = (long) (to - from) * layer.es;
            for (int i = 0; i < count; i++) {
              Raw.copy(
                  bias == 0 ? layer.zeros : bias + first, own + (4 * i + 3) * row + first, bytes);
            }
          }
          for (int gate = 0; gate < 4; gate++) {
            layer.operand(gate, own + gate * row, 0, 4 * row, from);
          }
          layer.state(4, before, y, hidden, sequence, from);
          layer.operand(5, y, r, row, from);
          layer.run(Part.GRU, count, from, to);
        };
    layer.walk.run(false, part, null);
    layer.walk.last(y, out[1].address(), row);
  }

  private void plain(Part function, Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[3];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    sums(out[0], in[0], in[2], in[4], in[5], Integer.MAX_VALUE);
    Panels panels = forth(layer, weight, 0, layer.h, Scratch.Use.WEIGHT);
    long y = out[0].address();
    long hidden = address(in[1]);
    Walk.Part part =
        (r, before, sequence, count, from, to, odd) -> {
          long state = layer.state(before, y, hidden, sequence);
          if (state != 0) {
            panels.multiply(state, row, count, y + r * row, row, row, true, 0, from, to, odd);
          }
          layer.operand(0, y, r, row, from);
          layer.run(function, count, from, to);
        };
    layer.walk.run(false, part, null);
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
    Panels panels = back(layer, weight, 0, 4 * layer.h, Scratch.Use.WEIGHT);
    long sums = out[0].address();
    long gates = in[0].address();
    long cells = in[1].address();
    long cell = address(in[3]);
    long gradOutput = address(in[4]);
    long toHidden = start(out[1], in[5]);
    long toCell = start(out[2], in[6]);
    Walk.Part part =
        (r, before, sequence, count, from, to, _) -> {
          long own = gates + r * 4 * row;
          long sum = sums + r * 4 * row;
          layer.operand(0, toHidden, sequence, row, from);
          layer.optional(1, gradOutput, r, from);
          layer.operand(2, own + 3 * row, 0, 4 * row, from);
          layer.operand(3, cells, r, row, from);
          layer.operand(4, toCell, sequence, row, from);
          layer.operand(5, sum + 3 * row, 0, 4 * row, from);
          layer.run(Part.LSTM_OUTPUT_GRADIENT, count, from, to);
          for (int gate = 0; gate < 3; gate++) {
            layer.operand(gate, own + gate * row, 0, 4 * row, from);
            layer.operand(5 + gate, sum + gate * row, 0, 4 * row, from);
          }
          layer.state(3, before, cells, cell, sequence, from);
          layer.operand(4, toCell, sequence, row, from);
          layer.run(Part.LSTM_INPUT_GRADIENT, count, from, to);
        };
    Walk.Part product =
        (r, _, sequence, count, from, to, odd) ->
            panels.multiply(
                sums + r * 4 * row,
                4 * row,
                count,
                toHidden + sequence * row,
                row,
                row,
                false,
                0,
                from,
                to,
                odd);
    layer.walk.run(true, part, product);
  }

  private void gruGradient(Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[2];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    int h = layer.h;
    Panels gatePanels = back(layer, weight, 0, 2 * h, Scratch.Use.WEIGHT);
    Panels newPanels = back(layer, weight, 2 * h, 3 * h, Scratch.Use.SECOND_WEIGHT);
    long sums = out[0].address();
    long gates = in[0].address();
    long y = in[1].address();
    long hidden = address(in[3]);
    long gradOutput = address(in[4]);
    long toHidden = start(out[1], in[5]);
    Walk.Part part =
        (r, before, sequence, count, from, to, _) -> {
          long own = gates + r * 4 * row;
          long sum = sums + r * 4 * row;
          layer.operand(0, toHidden, sequence, row, from);
          layer.optional(1, gradOutput, r, from);
          layer.operand(2, own + row, 0, 4 * row, from);
          layer.operand(3, own + 2 * row, 0, 4 * row, from);
          layer.state(4, before, y, hidden, sequence, from);
          layer.operand(5, sum + row, 0, 4 * row, from);
          layer.operand(6, sum + 2 * row, 0, 4 * row, from);
          layer.run(Part.GRU_UPDATE_GRADIENT, count, from, to);
          layer.operand(0, own, 0, 4 * row, from);
          layer.operand(1, own + 3 * row, 0, 4 * row, from);
          layer.operand(2, sum + 2 * row, 0, 4 * row, from);
          layer.operand(3, sum, 0, 4 * row, from);
          layer.operand(4, sum + 3 * row, 0, 4 * row, from);
          layer.run(Part.GRU_RESET_GRADIENT, count, from, to);
        };
    Walk.Part product =
        (r, _, sequence, count, from, to, odd) -> {
          long sum = sums + r * 4 * row;
          long grad = toHidden + sequence * row;
          gatePanels.multiply(sum, 4 * row, count, grad, row, row, true, 0, from, to, odd);
          newPanels.multiply(sum + 3 * row, 4 * row, count, grad, row, row, true, 0, from, to, odd);
        };
    layer.walk.run(true, part, product);
  }

  private void plainGradient(Part function, Record attributes, Strided[] out, Strided[] in) {
    Strided weight = in[1];
    var layer = new Layer(attributes, weight);
    long row = layer.row;
    Panels panels = back(layer, weight, 0, layer.h, Scratch.Use.WEIGHT);
    long sums = out[0].address();
    long y = in[0].address();
    long gradOutput = address(in[2]);
    long toHidden = start(out[1], in[3]);
    Walk.Part part =
        (r, _, sequence, count, from, to, _) -> {
          layer.operand(0, toHidden, sequence, row, from);
          layer.optional(1, gradOutput, r, from);
          layer.operand(2, y, r, row, from);
          layer.operand(3, sums, r, row, from);
          layer.run(function, count, from, to);
        };
    Walk.Part product =
        (r, _, sequence, count, from, to, odd) ->
            panels.multiply(
                sums + r * row,
                row,
                count,
                toHidden + sequence * row,
                row,
                row,
                false,
                0,
                from,
                to,
                odd);
    layer.walk.run(true, part, product);
  }
}
