package taper.tensor;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// The operators declared in one file, in the order of their declaration.
public final class Family {
  private final String name;
  private final List<Operator<?>> operators = new ArrayList<>();

  /// An empty family.
  public Family(String name) {
    this.name = name;
  }

  /// Begins an operator that applies `formula` to every element of its one input.
  public Operator.Declaration<Operator.None> pointwise(
      String operator, UnaryOperator<Formula> formula) {
    return pointwise(
        operator, List.of("self"), formula.apply(new Formula.Input(0)), Operator.noParameters());
  }

  /// Begins an operator that applies `formula` to every pair of elements of its two inputs, which broadcast.
  public Operator.Declaration<Operator.None> pointwise2(
      String operator, BinaryOperator<Formula> formula) {
    return pointwise(
        operator,
        List.of("self", "other"),
        formula.apply(new Formula.Input(0), new Formula.Input(1)),
        Operator.noParameters());
  }

  /// Begins an operator that applies `formula` to the elements of `inputs`, which broadcast.
  public Operator.Declaration<Operator.None> pointwise(
      String operator, List<String> inputs, Formula formula) {
    return pointwise(operator, inputs, formula, Operator.noParameters());
  }

  /// Begins an operator that applies `formula` to the elements of `inputs`, which broadcast, and to numbers that
  /// `parameters` takes from the attributes.
  public <A extends Record> Operator.Declaration<A> pointwise(
      String operator, List<String> inputs, Formula formula, Function<A, Parameters> parameters) {
    return new Operator.Declaration<>(
        this,
        operator,
        Formulas.pointwiseSignature(inputs),
        new Definition.Pointwise<>(formula, parameters));
  }

  /// Begins an operator with a kernel of its own, and the dimensions that `signature` names.
  public <A extends Record> Operator.Declaration<A> structured(
      String operator, String signature, Kernel reference) {
    return new Operator.Declaration<>(
        this, operator, signature, new Definition.Structured<>(reference));
  }

  /// Begins an operator that is made of others.
  public <A extends Record> Operator.Declaration<A> composite(
      String operator, String signature, BiFunction<A, Inputs, Tensor> body) {
    return new Operator.Declaration<>(
        this,
        operator,
        signature,
        new Definition.Composite<>((a, in) -> new Tensor[] {body.apply(a, in)}));
  }

  /// Begins an operator that looks at its input's memory in another way.
  public <A extends Record> Operator.Declaration<A> view(
      String operator, BiFunction<A, Strided, Strided> geometry) {
    return new Operator.Declaration<A>(
            this, operator, "self[*] -> [*]", new Definition.View<>(geometry))
        .dtypes(DTypes.ANY);
  }

  /// The name of the family.
  public String name() {
    return name;
  }

  void add(Operator<?> operator) {
    operators.add(operator);
  }

  /// The operators, in the order of their declaration.
  public List<Operator<?>> operators() {
    return Collections.unmodifiableList(operators);
  }

  @Override
  public String toString() {
    return name + operators.stream().map(Operator::name).toList();
  }
}
