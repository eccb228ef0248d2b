package taper.tensor.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.Recurrent.Schedule;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain recurrent layers and the gradients of their sums, in double precision, of contiguous operands.
///
/// A layer goes through its steps, each of which has some rows; row `r` of a step continues row `r` of the step before.
public final class ReferenceRecurrent {
  private ReferenceRecurrent() {}

  /// Inputs: x, hidden or null, cell or null, input weight, hidden weight, biases or null. Outputs: hidden states, the last
  /// one, the last cell states, all cell states, gates.
  public static final Kernel LSTM =
      (attributes, out, in) -> {
        var layer =
            new Layer(
                (Schedule) attributes, out[0], out[1], in[0], in[1], in[3], in[4], in[5], in[6]);
        var cells = new Elements(out[3]);
        var gates = new Elements(out[4]);
        double[] state = values(in[2], out[2].numel());
        int h = layer.hidden;
        layer.run((row, r, x, q) -> {
          for (int j = 0; j < h; j++) {
            double i = sigmoid(x[j] + q[j]);
            double f = sigmoid(x[h + j] + q[h + j]);
            double g = Math.tanh(x[2 * h + j] + q[2 * h + j]);
            double o = sigmoid(x[3 * h + j] + q[3 * h + j]);
            double c = f * state[r * h + j] + i * g;
            state[r * h + j] = c;
            cells.set(row * h + j, c);
            gates.set(row * 4 * h + j, i);
            gates.set(row * 4 * h + h + j, f);
            gates.set(row * 4 * h + 2L * h + j, g);
            gates.set(row * 4 * h + 3L * h + j, o);
            layer.set(row, j, o * Math.tanh(c));
          }
        });
        write(out[2], state);
      };

  /// Inputs: x, hidden or null, input weight, hidden weight, biases or null. Outputs: hidden states, the last one, and the
  /// gates with the hidden part of the last.
  public static final Kernel GRU =
      (attributes, out, in) -> {
        var layer =
            new Layer(
                (Schedule) attributes, out[0], out[1], in[0], in[1], in[2], in[3], in[4], in[5]);
        var gates = new Elements(out[2]);
        int h = layer.hidden;
        layer.run((row, r, x, q) -> {
          for (int j = 0; j < h; j++) {
            double reset = sigmoid(x[j] + q[j]);
            double update = sigmoid(x[h + j] + q[h + j]);
            double fresh = Math.tanh(x[2 * h + j] + reset * q[2 * h + j]);
            gates.set(row * 4 * h + j, reset);
            gates.set(row * 4 * h + h + j, update);
            gates.set(row * 4 * h + 2L * h + j, fresh);
            gates.set(row * 4 * h + 3L * h + j, q[2 * h + j]);
            layer.set(row, j, fresh + update * (layer.state[r * h + j] - fresh));
          }
        });
      };

  /// Inputs: x, hidden or null, input weight, hidden weight, biases or null. Outputs: hidden states, the last one.
  public static final Kernel TANH = plain(false);

  /// As [#TANH], with the larger of 0 and the sum.
  public static final Kernel RELU = plain(true);

  private static Kernel plain(boolean relu) {
    return (attributes, out, in) -> {
      var layer =
          new Layer(
              (Schedule) attributes, out[0], out[1], in[0], in[1], in[2], in[3], in[4], in[5]);
      layer.run((row, r, x, q) -> {
        for (int j = 0; j < layer.hidden; j++) {
          double sum = x[j] + q[j];
          layer.set(row, j, relu ? (sum < 0 ? 0 : sum) : Math.tanh(sum));
        }
      });
    };
  }

  /// Inputs: gates, cell states, hidden weight, first cell state or null, gradients of the hidden states, of the last one
  /// and of the last cell states, each of them or null. Outputs: gradients of the sums, of the first hidden and cell states.
  public static final Kernel LSTM_GRADIENT =
      (attributes, out, in) -> {
        var back = new Back((Schedule) attributes, out[1], in[2], in[4], in[5]);
        var gates = new Elements(in[0]);
        var cells = new Elements(in[1]);
        double[] first = values(in[3], out[2].numel());
        double[] toCell = values(in[6], out[2].numel());
        var sums = new Elements(out[0]);
        int h = back.hidden;
        back.run((row, before, r, grad, toHidden) -> {
          for (int j = 0; j < h; j++) {
            double i = gates.at(row * 4 * h + j);
            double f = gates.at(row * 4 * h + h + j);
            double g = gates.at(row * 4 * h + 2L * h + j);
            double o = gates.at(row * 4 * h + 3L * h + j);
            double tangent = Math.tanh(cells.at(row * h + j));
            double dc = toCell[r * h + j] + grad[j] * o * (1 - tangent * tangent);
            double last = before < 0 ? first[r * h + j] : cells.at(before * h + j);
            toHidden[j] = dc * g * i * (1 - i);
            toHidden[h + j] = dc * last * f * (1 - f);
            toHidden[2 * h + j] = dc * i * (1 - g * g);
            toHidden[3 * h + j] = grad[j] * tangent * o * (1 - o);
            toCell[r * h + j] = dc * f;
            for (int k = 0; k < 4; k++) {
              sums.set((row * 4 + k) * h + j, toHidden[k * h + j]);
            }
            grad[j] = 0;
          }
        });
        write(out[2], toCell);
      };

  /// Inputs: gates, hidden states, hidden weight, first hidden state or null, gradients of the hidden states and of the last
  /// one, each of them or null. Outputs: gradients of the sums of the three gates and of the hidden part of the last, and
  /// of the first hidden state.
  public static final Kernel GRU_GRADIENT =
      (attributes, out, in) -> {
        var back = new Back((Schedule) attributes, out[1], in[2], in[4], in[5]);
        var gates = new Elements(in[0]);
        var output = new Elements(in[1]);
        double[] first = values(in[3], out[1].numel());
        var sums = new Elements(out[0]);
        int h = back.hidden;
        back.run((row, before, r, grad, toHidden) -> {
          for (int j = 0; j < h; j++) {
            double reset = gates.at(row * 4 * h + j);
            double update = gates.at(row * 4 * h + h + j);
            double fresh = gates.at(row * 4 * h + 2L * h + j);
            double q = gates.at(row * 4 * h + 3L * h + j);
            double last = before < 0 ? first[r * h + j] : output.at(before * h + j);
            double toFresh = grad[j] * (1 - update) * (1 - fresh * fresh);
            toHidden[j] = toFresh * q * reset * (1 - reset);
            toHidden[h + j] = grad[j] * (last - fresh) * update * (1 - update);
            toHidden[2 * h + j] = toFresh * reset;
            sums.set(row * 4 * h + j, toHidden[j]);
            sums.set(row * 4 * h + h + j, toHidden[h + j]);
            sums.set(row * 4 * h + 2L * h + j, toFresh);
            sums.set(row * 4 * h + 3L * h + j, toHidden[2 * h + j]);
            grad[j] *= update;
          }
        });
      };

  /// Inputs: hidden states, hidden weight, gradients of the hidden states and of the last one, each of them or null. Outputs:
  /// gradients of the sums and of the first hidden state.
  public static final Kernel TANH_GRADIENT = plainGradient(false);

  /// As [#TANH_GRADIENT], for the larger of 0 and the sum.
  public static final Kernel RELU_GRADIENT = plainGradient(true);

  private static Kernel plainGradient(boolean relu) {
    return (attributes, out, in) -> {
      var back = new Back((Schedule) attributes, out[1], in[1], in[2], in[3]);
      var output = new Elements(in[0]);
      var sums = new Elements(out[0]);
      int h = back.hidden;
      back.run((row, before, r, grad, toHidden) -> {
        for (int j = 0; j < h; j++) {
          double y = output.at(row * h + j);
          toHidden[j] = relu ? (y > 0 ? grad[j] : 0) : grad[j] * (1 - y * y);
          sums.set(row * h + j, toHidden[j]);
          grad[j] = 0;
        }
      });
    };
  }

  private static double sigmoid(double x) {
    return 1 / (1 + Math.exp(-x));
  }

  /// The elements, or zeros.
  private static double[] values(@Nullable Strided x, long count) {
    double[] result = new double[Math.toIntExact(count)];
    if (x != null) {
      var elements = new Elements(x);
      Arrays.setAll(result, elements::at);
    }
    return result;
  }

  private static void write(Strided to, double[] values) {
    var elements = new Elements(to);
    for (int i = 0; i < values.length; i++) {
      elements.set(i, values[i]);
    }
  }

  /// What a cell makes of the input's and the hidden state's part of the sums of a row.
  private interface Cell {
    void apply(long row, int r, double[] x, double[] q);
  }

  /// The way forward.
  private static final class Layer {
    private final Schedule schedule;
    private final Elements output;
    private final Strided last;
    private final Elements x;
    private final int in;
    private final int sums;
    private final int hidden;
    private final double[] weightIh;
    private final double[] weightHh;
    private final double[] biasIh;
    private final double[] biasHh;

    /// The hidden state before a step, by row.
    private final double[] state;

    private final double[] next;

    Layer(
        Schedule schedule,
        Strided output,
        Strided last,
        Strided x,
        @Nullable Strided first,
        Strided weightIh,
        Strided weightHh,
        @Nullable Strided biasIh,
        @Nullable Strided biasHh) {
      this.schedule = schedule;
      this.output = new Elements(output);
      this.last = last;
      this.x = new Elements(x);
      this.in = (int) x.size(1);
      this.sums = (int) weightHh.size(0);
      this.hidden = (int) weightHh.size(1);
      this.weightIh = values(weightIh, weightIh.numel());
      this.weightHh = values(weightHh, weightHh.numel());
      this.biasIh = values(biasIh, sums);
      this.biasHh = values(biasHh, sums);
      this.state = values(first, last.numel());
      this.next = new double[hidden];
    }

    void set(long row, int j, double value) {
      next[j] = value;
      output.set(row * hidden + j, value);
    }

    void run(Cell cell) {
      long[] offsets = schedule.offsets();
      for (int done = 0; done < offsets.length; done++) {
        int t = schedule.step(done);
        for (int r = 0, rows = (int) schedule.sizes()[t]; r < rows; r++) {
          long row = offsets[t] + r;
          double[] fromInput = biasIh.clone();
          double[] fromHidden = biasHh.clone();
          for (int g = 0; g < sums; g++) {
            for (int k = 0; k < in; k++) {
              fromInput[g] += weightIh[g * in + k] * x.at(row * in + k);
            }
            for (int k = 0; k < hidden; k++) {
              fromHidden[g] += weightHh[g * hidden + k] * state[r * hidden + k];
            }
          }
          cell.apply(row, r, fromInput, fromHidden);
          System.arraycopy(next, 0, state, r * hidden, hidden);
        }
      }
      write(last, state);
    }
  }

  /// What a cell makes of the gradient of a hidden state: that of the sums, and in `grad` what flows past them.
  private interface CellGradient {
    void apply(long row, long before, int r, double[] grad, double[] toHidden);
  }

  /// The way back.
  private static final class Back {
    private final Schedule schedule;
    private final Strided toFirst;
    private final int sums;
    private final int hidden;
    private final double[] weightHh;
    private final @Nullable Elements gradOutput;
    private final double[] state;

    Back(
        Schedule schedule,
        Strided toFirst,
        Strided weightHh,
        @Nullable Strided gradOutput,
        @Nullable Strided gradHidden) {
      this.schedule = schedule;
      this.toFirst = toFirst;
      this.sums = (int) weightHh.size(0);
      this.hidden = (int) weightHh.size(1);
      this.weightHh = values(weightHh, weightHh.numel());
      this.gradOutput = gradOutput == null ? null : new Elements(gradOutput);
      this.state = values(gradHidden, toFirst.numel());
    }

    void run(CellGradient cell) {
      long[] offsets = schedule.offsets();
      long[] sizes = schedule.sizes();
      double[] grad = new double[hidden];
      double[] toHidden = new double[sums];
      for (int left = offsets.length - 1; left >= 0; left--) {
        int t = schedule.step(left);
        int beforeStep = schedule.reverse() ? t + 1 : t - 1;
        boolean exists = beforeStep >= 0 && beforeStep < sizes.length;
        for (int r = 0; r < sizes[t]; r++) {
          long row = offsets[t] + r;
          long before = exists && r < sizes[beforeStep] ? offsets[beforeStep] + r : -1;
          for (int j = 0; j < hidden; j++) {
            double own = gradOutput == null ? 0 : gradOutput.at(row * hidden + j);
            grad[j] = state[r * hidden + j] + own;
          }
          cell.apply(row, before, r, grad, toHidden);
          for (int j = 0; j < hidden; j++) {
            for (int g = 0; g < sums; g++) {
              grad[j] += toHidden[g] * weightHh[g * hidden + j];
            }
          }
          System.arraycopy(grad, 0, state, r * hidden, hidden);
        }
      }
      write(toFirst, state);
    }
  }
}
