package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.Catalogue;
import taper.tensor.Operator;
import taper.tensor.Tensor;

/// A call of an operator: `conv2d {1 1 0 0 1 1 1} <f32[1 2 5 5]> <f32[3 2 2 2]> <none> backward`.
///
/// @param operator the operator
/// @param attributes the components of its record
/// @param operands its inputs
/// @param mode how it is called
/// @param out what [Operator#into] writes to
record OperatorCall(
    Operator<?> operator, Tree.Group attributes, List<Operand> operands, Mode mode, Operand out)
    implements FuzzCall {

  /// How the operator is called.
  enum Mode {
    FORWARD,
    BACKWARD,
    IN_PLACE,
    INTO;

    boolean writes() {
      return this == IN_PLACE || this == INTO;
    }
  }

  OperatorCall {
    operands = List.copyOf(operands);
  }

  /// The call of the operator's sample number `i`.
  static OperatorCall ofSample(Operator<?> operator, int i) {
    var sample = operator.samples().get(i);
    return new OperatorCall(
        operator,
        (Tree.Group) Literals.write(sample.attributes()),
        Operand.ofSample(sample.inputs()),
        Mode.FORWARD,
        new Operand.Absent());
  }

  /// Reads what [#toString()] writes.
  static OperatorCall parse(String line, Map<String, Operator<?>> operators) {
    List<Tree> trees = Tree.parse(line);
    Operator<?> operator = operators.get(trees.getFirst().toString());
    if (operator == null) {
      throw new IllegalArgumentException("there is no operator of the call " + line);
    }
    var operands = new ArrayList<Operand>();
    var mode = Mode.FORWARD;
    Operand out = new Operand.Absent();
    for (Tree tree : trees.subList(2, trees.size())) {
      String text = tree.toString();
      if (!text.startsWith("<")) {
        mode = Mode.valueOf(text);
      } else if (mode == Mode.INTO) {
        out = Operand.parse(text.substring(1, text.length() - 1));
      } else {
        operands.add(Operand.parse(text.substring(1, text.length() - 1)));
      }
    }
    return new OperatorCall(operator, (Tree.Group) trees.get(1), operands, mode, out);
  }

  @Override
  public String toString() {
    var text = new StringBuilder(operator.name()).append(' ').append(attributes);
    operands.forEach(operand -> text.append(" <").append(operand).append('>'));
    if (mode != Mode.FORWARD) {
      text.append(' ').append(mode);
    }
    return mode == Mode.INTO
        ? text.append(" <").append(out).append('>').toString()
        : text.toString();
  }

  OperatorCall withAttributes(Tree.Group others) {
    return new OperatorCall(operator, others, operands, mode, out);
  }

  OperatorCall withOperands(List<Operand> others) {
    return new OperatorCall(operator, attributes, others, mode, out);
  }

  OperatorCall withOperand(int i, Operand operand) {
    var changed = new ArrayList<>(operands);
    changed.set(i, operand);
    return withOperands(changed);
  }

  OperatorCall withMode(Mode other, Operand target) {
    return new OperatorCall(operator, attributes, operands, other, target);
  }

  @Override
  public List<Tensor> make() {
    return make(operator);
  }

  private <A extends Record> List<Tensor> make(Operator<A> op) {
    var made = new ArrayList<@Nullable Tensor>();
    operands.forEach(operand -> made.add(operand.tensor(made)));
    Tensor target = out.tensor(made);
    A record = record(op);
    var leaves = mode == Mode.BACKWARD ? Gradients.ask(made) : List.<Tensor>of();
    @Nullable Tensor[] in = made.toArray(Tensor[]::new);
    var before = new ArrayList<double @Nullable []>();
    for (int i = 0; i < in.length; i++) {
      before.add(op.mutates(i, in.length) || mode.writes() ? null : elements(in[i]));
    }
    Tensor.manualSeed(7);
    var results = new ArrayList<Tensor>();
    switch (mode) {
      case FORWARD, BACKWARD -> results.addAll(List.of(op.all(record, in)));
      case IN_PLACE -> results.add(op.inPlace(record, present(in)));
      case INTO -> results.add(op.into(present(new Tensor[] {target})[0], record, present(in)));
    }
    if (mode == Mode.BACKWARD) {
      results.addAll(Gradients.of(results, leaves));
    }
    for (int i = 0; i < in.length; i++) {
      Tensor x = in[i];
      if (before.get(i) != null && !Arrays.equals(before.get(i), elements(x))) {
        throw new AssertionError("input " + i + " was changed");
      }
      if (x != null && !Catalogue.isNumber(x) && op.mutates(i, in.length)) {
        results.add(x);
      }
    }
    return results;
  }

  /// The elements of `x`, if there are few.
  private static double @Nullable [] elements(@Nullable Tensor x) {
    return x == null || Catalogue.isNumber(x) || x.numel() > 4096 || x.isComplex()
        ? null
        : x.detach().toDoubleArray();
  }

  @SuppressWarnings("unchecked")
  private <A extends Record> A record(Operator<A> op) {
    Record sample = op.samples().getFirst().attributes();
    return sample instanceof Operator.None
        ? (A) Operator.None.NONE
        : (A) Literals.record(sample.getClass(), attributes.parts());
  }

  /// What a caller without null checks passes.
  @SuppressWarnings("NullAway")
  private static Tensor[] present(@Nullable Tensor[] in) {
    return in;
  }

  @Override
  public long largest() {
    return operands.stream()
        .mapToLong(operand -> operand instanceof Operand.Region region ? region.numel() : 1)
        .max()
        .orElse(1);
  }

  @Override
  public boolean passesNull() {
    return mode == Mode.INTO && out instanceof Operand.Absent
        || mode == Mode.IN_PLACE && operands.getFirst() instanceof Operand.Absent;
  }

  @Override
  public boolean isExtreme() {
    return Extremes.in(toString());
  }

  @Override
  public boolean isLoose() {
    return !operator.ambiguous().isEmpty();
  }

  @Override
  public List<FuzzCall> simpler() {
    var result = new ArrayList<FuzzCall>();
    if (mode != Mode.FORWARD) {
      result.add(withMode(Mode.FORWARD, new Operand.Absent()));
    }
    for (int s = 0; s < operator.samples().size(); s++) {
      OperatorCall sample = ofSample(operator, s);
      Shrinking.trees(attributes, sample.attributes())
          .forEach(tree -> result.add(withAttributes((Tree.Group) tree)));
      if (sample.operands().size() == operands.size()) {
        for (int i = 0; i < operands.size(); i++) {
          if (!operands.get(i).equals(sample.operands().get(i))) {
            result.add(withOperand(i, sample.operands().get(i)));
          }
        }
      }
    }
    for (int i = 0; i < operands.size(); i++) {
      for (Operand operand : Shrinking.operands(operands.get(i))) {
        result.add(withOperand(i, operand));
      }
    }
    return result;
  }
}
