package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.Recurrent.Operators;
import taper.tensor.Recurrent.Schedule;

/// One recurrent layer in one direction: the shapes and gradients of its operators, and the same layer written out in
/// other operators, for second derivatives and projections.
final class RecurrentLayers {
  private static final String WRITTEN_NAME =
      "lstm"; // alone it comes here before a kernel has checked

  private static final Signature WRITTEN =
      Signature.parse(
          WRITTEN_NAME,
          "x[m i], hidden?[n r], cell?[n h], weightIh[g i], weightHh[g r], biasIh?[g], biasHh?[g],"
              + " weightHr?[r h] ->");

  private RecurrentLayers() {}

  /// The kinds of layers.
  enum Cell {
    LSTM(4),
    GRU(3),
    TANH(1),
    RELU(1);

    final int gates;

    Cell(int gates) {
      this.gates = gates;
    }

    Operator<Schedule> layer() {
      return switch (this) {
        case LSTM -> Operators.LSTM_LAYER;
        case GRU -> Operators.GRU_LAYER;
        case TANH -> Operators.TANH_LAYER;
        case RELU -> Operators.RELU_LAYER;
      };
    }

    Operator<Schedule> gradient() {
      return switch (this) {
        case LSTM -> Operators.LSTM_LAYER_GRADIENT;
        case GRU -> Operators.GRU_LAYER_GRADIENT;
        case TANH -> Operators.TANH_LAYER_GRADIENT;
        case RELU -> Operators.RELU_LAYER_GRADIENT;
      };
    }

    /// The inputs of the operator.
    String[] inputs() {
      return this == LSTM
          ? new String[] {"x", "hidden", "cell", "weightIh", "weightHh", "biasIh", "biasHh"}
          : new String[] {"x", "hidden", "weightIh", "weightHh", "biasIh", "biasHh"};
    }
  }

  /// Runs the operator: output, last hidden state and, of long short-term memory, last cell state.
  static Tensor[] run(
      Cell cell,
      Schedule steps,
      Tensor x,
      @Nullable Tensor hidden,
      @Nullable Tensor state,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh) {
    return cell == Cell.LSTM
        ? cell.layer().all(steps, x, hidden, state, weightIh, weightHh, biasIh, biasHh)
        : cell.layer().all(steps, x, hidden, weightIh, weightHh, biasIh, biasHh);
  }

  /// One step of a cell with one state.
  static Tensor step(
      Cell cell,
      Tensor x,
      Tensor hidden,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh) {
    return run(cell, Schedule.one(x.size(0)), x, hidden, null, weightIh, weightHh, biasIh, biasHh)[
        1];
  }

  // Shapes

  static List<long[]> shapes(Cell cell, Schedule steps, List<long @Nullable []> in) {
    String op = cell.layer().name();
    int weights = cell == Cell.LSTM ? 3 : 2;
    long[] x = shape(in, 0);
    long g = shape(in, weights)[0];
    long h = shape(in, weights + 1)[1];
    checkGates(op, cell, g, h);
    long rows = steps.rows();
    checkRows(op, steps, x[0]);
    long n = steps.batch();
    for (int i = 1; i < weights; i++) {
      checkState(op, steps, cell.inputs()[i], in.get(i));
    }
    var shapes = new ArrayList<long[]>();
    shapes.add(new long[] {rows, h});
    shapes.add(new long[] {n, h});
    switch (cell) {
      case LSTM -> {
        shapes.add(new long[] {n, h});
        shapes.add(new long[] {rows, h});
        shapes.add(new long[] {rows, g});
      }
      case GRU -> shapes.add(new long[] {rows, Math.multiplyExact(4, h)});
      case TANH, RELU -> {}
    }
    return shapes;
  }

  private static void checkRows(String op, Schedule steps, long rows) {
    if (rows != steps.rows()) {
      throw new ShapeException(
          "%s: x must have as many rows as the steps have together, %d, but has %d."
              .formatted(op, steps.rows(), rows));
    }
  }

  private static void checkState(String op, Schedule steps, String name, long @Nullable [] state) {
    if (state != null && state[0] != steps.batch()) {
      throw new ShapeException(
          "%s: %s must have as many rows as the first step, %d, but has %d."
              .formatted(op, name, steps.batch(), state[0]));
    }
  }

  private static void checkGates(String op, Cell cell, long g, long h) {
    if (g % cell.gates != 0 || g / cell.gates != h) {
      throw new ShapeException(
          "%s: weightIh must have %d row%s for each of the %d hidden units, but has %d."
              .formatted(op, cell.gates, cell.gates == 1 ? "" : "s", h, g));
    }
  }

  /// As many rows as the first input has, and one row a sequence for each state.
  static List<long[]> gradientShapes(Cell cell, Schedule steps, List<long @Nullable []> in) {
    Operator<Schedule> operator = cell.gradient();
    String op = operator.name();
    boolean simple = cell.gates == 1;
    long[] sums = shape(in, 0);
    long[] weight = shape(in, simple ? 1 : 2);
    long h = weight[1];
    checkGates(op, cell, weight[0], h);
    long columns = simple ? h : Math.multiplyExact(4, h);
    if (sums[0] != steps.rows() || sums[1] != columns) {
      throw new ShapeException(
          "%s: %s must have shape [%d, %d], but has %s."
              .formatted(
                  op,
                  operator.signature().inputs().getFirst().name(),
                  steps.rows(),
                  columns,
                  Arrays.toString(sums)));
    }
    for (int i = 3; i < in.size(); i++) {
      String name = operator.signature().inputs().get(i).name();
      if (!name.equals("gradOutput")) {
        checkState(op, steps, name, in.get(i));
      }
    }
    var shapes = new ArrayList<long[]>();
    shapes.add(sums.clone());
    for (int i = 0; i < (cell == Cell.LSTM ? 2 : 1); i++) {
      shapes.add(new long[] {steps.batch(), h});
    }
    return shapes;
  }

  private static long[] shape(List<long @Nullable []> in, int position) {
    return Objects.requireNonNull(in.get(position));
  }

  // Gradients

  /// Adds the gradients of all inputs.
  static Operator.Declaration<Schedule> differentiated(
      Operator.Declaration<Schedule> declaration, Cell cell, Keeps keeps) {
    Operator.Declaration<Schedule> result = declaration;
    String[] names = cell.inputs();
    for (int i = 0; i < names.length; i++) {
      int position = i;
      result = result.gradient(names[i], keeps, b -> b.shared(c -> gradients(cell, c))[position]);
    }
    return result;
  }

  private static @Nullable Tensor[] gradients(Cell cell, Backward<Schedule> b) {
    return Autograd.isGradEnabled() ? recorded(cell, b) : fused(cell, b);
  }

  /// The gradients of all inputs, from those of the sums before the gates.
  private static @Nullable Tensor[] fused(Cell cell, Backward<Schedule> b) {
    Schedule steps = b.attributes();
    Tensor output = b.output(0);
    Tensor gradOutput = b.hasGrad(0) ? b.grad(0) : null;
    Tensor gradHidden = b.hasGrad(1) ? b.grad(1) : null;
    Tensor weightHh = b.input("weightHh");
    long h = weightHh.size(1);
    Tensor[] sums =
        switch (cell) {
          case LSTM ->
              Operators.LSTM_LAYER_GRADIENT.all(
                  steps,
                  b.output(4),
                  b.output(3),
                  weightHh,
                  b.find("cell"),
                  gradOutput,
                  gradHidden,
                  b.hasGrad(2) ? b.grad(2) : null);
          case GRU ->
              Operators.GRU_LAYER_GRADIENT.all(
                  steps, b.output(2), output, weightHh, b.find("hidden"), gradOutput, gradHidden);
          case TANH ->
              Operators.TANH_LAYER_GRADIENT.all(steps, output, weightHh, gradOutput, gradHidden);
          case RELU ->
              Operators.RELU_LAYER_GRADIENT.all(steps, output, weightHh, gradOutput, gradHidden);
        };
    Tensor before = cell == Cell.GRU ? sums[0].narrow(1, 0, 3 * h) : sums[0];
    String[] names = cell.inputs();
    var result = new @Nullable Tensor[names.length];
    Tensor bias = null;
    for (int i = 0; i < names.length; i++) {
      if (!b.needs(names[i])) {
        continue;
      }
      switch (names[i]) {
        case "x" -> result[i] = before.mm(b.input("weightIh"));
        case "hidden" -> result[i] = sums[1];
        case "cell" -> result[i] = sums[2];
        case "weightIh" -> result[i] = before.t().mm(b.input("x"));
        case "weightHh" -> result[i] = hiddenWeight(cell, steps, sums[0], output, b.find("hidden"));
        case "biasIh" -> {
          bias = before.sum(0);
          result[i] = bias;
        }
        default -> {
          if (cell == Cell.GRU) {
            Tensor four = sums[0].sum(0);
            result[i] = Tensor.cat(List.of(four.narrow(0, 0, 2 * h), four.narrow(0, 3 * h, h)));
          } else {
            // both biases get the same gradient, but each a tensor of its own
            result[i] = bias == null ? before.sum(0) : bias.clone();
          }
        }
      }
    }
    return result;
  }

  private static Tensor hiddenWeight(
      Cell cell, Schedule steps, Tensor sums, Tensor output, @Nullable Tensor hidden) {
    if (cell != Cell.GRU) {
      return hiddenWeight(steps, sums, output, hidden);
    }
    long h = output.size(1);
    return Tensor.cat(
        List.of(
            hiddenWeight(steps, sums.narrow(1, 0, 2 * h), output, hidden),
            hiddenWeight(steps, sums.narrow(1, 3 * h, h), output, hidden)));
  }

  /// The sum over all rows of the gradient of the sums times the hidden state that went into them.
  private static Tensor hiddenWeight(
      Schedule steps, Tensor sums, Tensor output, @Nullable Tensor hidden) {
    long rows = output.size(0);
    long n = steps.batch();
    if (!steps.dense()) {
      Tensor first = hidden != null ? hidden : Tensor.zeros(output.dtype(), n, output.size(1));
      Tensor before = Tensor.cat(List.of(output, first)).indexSelect(0, previous(steps));
      return sums.t().mm(before);
    }
    boolean reverse = steps.reverse();
    Tensor later = sums.narrow(0, reverse ? 0 : n, rows - n);
    Tensor product = later.t().mm(output.narrow(0, reverse ? n : 0, rows - n));
    if (hidden == null) {
      return product;
    }
    Tensor first = sums.narrow(0, reverse ? rows - n : 0, n);
    return product.addmm(first.t(), hidden);
  }

  /// For every row the row of the step before; the first state lies behind the output.
  private static Tensor previous(Schedule steps) {
    long[] offsets = steps.offsets();
    long[] sizes = steps.sizes();
    long rows = steps.rows();
    long[] index = new long[Math.toIntExact(rows)];
    for (int t = 0; t < sizes.length; t++) {
      int before = steps.reverse() ? t + 1 : t - 1;
      for (int r = 0; r < sizes[t]; r++) {
        boolean follows = before >= 0 && before < sizes.length && r < sizes[before];
        index[(int) offsets[t] + r] = follows ? offsets[before] + r : rows + r;
      }
    }
    return Tensor.of(index);
  }

  /// The gradients with a history of their own, through the layer written out.
  private static @Nullable Tensor[] recorded(Cell cell, Backward<Schedule> b) {
    String[] names = cell.inputs();
    Tensor[] out =
        written(
            cell,
            b.attributes(),
            b.input("x"),
            b.find("hidden"),
            cell == Cell.LSTM ? b.find("cell") : null,
            b.input("weightIh"),
            b.input("weightHh"),
            b.find("biasIh"),
            b.find("biasHh"),
            null);
    var outputs = new ArrayList<Tensor>();
    var grads = new ArrayList<Tensor>();
    for (int i = 0; i < out.length; i++) {
      if (b.hasGrad(i) && out[i].requiresGrad()) {
        outputs.add(out[i]);
        grads.add(b.grad(i));
      }
    }
    var inputs = new ArrayList<Tensor>();
    for (String name : names) {
      if (b.needs(name)) {
        inputs.add(b.input(name));
      }
    }
    List<@Nullable Tensor> found =
        Autograd.grad(
            outputs, inputs, o -> o.gradOutputs(grads).createGraph(true).allowUnused(true));
    var result = new @Nullable Tensor[names.length];
    int next = 0;
    for (int i = 0; i < names.length; i++) {
      if (b.needs(names[i])) {
        result[i] = found.get(next++);
      }
    }
    return result;
  }

  // The layer written out

  /// Output, last hidden state and, of long short-term memory, last cell state.
  static Tensor[] written(
      Cell cell,
      Schedule steps,
      Tensor x,
      @Nullable Tensor hidden,
      @Nullable Tensor state,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh,
      @Nullable Tensor weightHr) {
    checkWritten(cell, steps, x, hidden, state, weightIh, weightHh, biasIh, biasHh, weightHr);
    long n = steps.batch();
    Tensor sums = x.linear(weightIh, biasIh);
    Tensor h = hidden != null ? hidden : Tensor.zeros(x.dtype(), n, weightHh.size(1));
    Tensor c =
        state != null || cell != Cell.LSTM
            ? state
            : Tensor.zeros(x.dtype(), n, weightHh.size(0) / 4);
    long[] offsets = steps.offsets();
    var outputs = new Tensor[steps.sizes().length];
    for (int done = 0; done < outputs.length; done++) {
      int t = steps.step(done);
      long rows = steps.sizes()[t];
      Tensor own = sums.narrow(0, offsets[t], rows);
      Tensor before = h.narrow(0, 0, rows);
      Tensor fromHidden = before.linear(weightHh, biasHh);
      Tensor next;
      switch (cell) {
        case LSTM -> {
          List<Tensor> gates = own.add(fromHidden).chunk(4, 1);
          assert c != null;
          Tensor kept = gates.get(1).sigmoid().mul(c.narrow(0, 0, rows));
          Tensor cells = kept.add(gates.get(0).sigmoid().mul(gates.get(2).tanh()));
          next = gates.get(3).sigmoid().mul(cells.tanh());
          c = replaced(c, cells);
        }
        case GRU -> {
          List<Tensor> a = own.chunk(3, 1);
          List<Tensor> q = fromHidden.chunk(3, 1);
          Tensor reset = a.get(0).add(q.get(0)).sigmoid();
          Tensor update = a.get(1).add(q.get(1)).sigmoid();
          Tensor fresh = a.get(2).add(reset.mul(q.get(2))).tanh();
          next = fresh.add(update.mul(before.sub(fresh)));
        }
        case TANH -> next = own.add(fromHidden).tanh();
        case RELU -> next = own.add(fromHidden).relu();
        default -> throw new AssertionError(cell);
      }
      if (weightHr != null) {
        next = next.linear(weightHr, null);
      }
      outputs[t] = next;
      h = replaced(h, next);
    }
    Tensor output =
        outputs.length == 0
            ? Tensor.zeros(x.dtype(), 0, h.size(1))
            : Tensor.cat(Arrays.asList(outputs));
    return c == null ? new Tensor[] {output, h} : new Tensor[] {output, h, c};
  }

  private static void checkWritten(
      Cell cell,
      Schedule steps,
      Tensor x,
      @Nullable Tensor hidden,
      @Nullable Tensor state,
      Tensor weightIh,
      Tensor weightHh,
      @Nullable Tensor biasIh,
      @Nullable Tensor biasHh,
      @Nullable Tensor weightHr) {
    var inputs = Arrays.asList(x, hidden, state, weightIh, weightHh, biasIh, biasHh, weightHr);
    WRITTEN.check(
        inputs.stream().<long @Nullable []>map(t -> t == null ? null : t.sizesInternal()).toList());
    long h = weightHr != null ? weightHr.size(1) : weightHh.size(1);
    checkGates(WRITTEN_NAME, cell, weightIh.size(0), h);
    checkRows(WRITTEN_NAME, steps, x.size(0));
    checkState(WRITTEN_NAME, steps, "hidden", hidden == null ? null : hidden.sizesInternal());
    checkState(WRITTEN_NAME, steps, "cell", state == null ? null : state.sizesInternal());
  }

  /// `state` with new first rows.
  private static Tensor replaced(Tensor state, Tensor rows) {
    long n = state.size(0);
    long count = rows.size(0);
    return count == n ? rows : Tensor.cat(List.of(rows, state.narrow(0, count, n - count)));
  }
}
