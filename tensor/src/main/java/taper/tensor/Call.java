package taper.tensor;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// One application of an operator, as interpreters see it. Belongs to the thread that makes it.
///
/// @param <A> the record of the operator's attributes
public final class Call<A extends Record> {
  private final Operator<A> operator;
  private final A attributes;
  private final @Nullable Tensor[] inputs;
  private final @Nullable Tensor target;
  private final @Nullable InterpreterFrame rest;

  Call(
      Operator<A> operator,
      A attributes,
      @Nullable Tensor[] inputs,
      @Nullable Tensor target,
      @Nullable InterpreterFrame rest) {
    this.operator = operator;
    this.attributes = attributes;
    this.inputs = inputs;
    this.target = target;
    this.rest = rest;
  }

  /// The operator.
  public Operator<A> operator() {
    return operator;
  }

  /// Its attributes.
  public A attributes() {
    return attributes;
  }

  /// Its inputs, in order.
  public @Nullable Tensor[] inputs() {
    return inputs.clone();
  }

  /// The tensor that the call overwrites, or null if it makes a new one.
  public @Nullable Tensor target() {
    return target;
  }

  /// The same call with other inputs.
  public Call<A> withInputs(@Nullable Tensor... others) {
    return new Call<>(operator, attributes, others, target, rest);
  }

  /// Hands the call on to the interpreter inside, in the end to autograd and the kernel, and returns the outputs.
  public List<Tensor> proceed() {
    Context context = Context.current();
    Object before = context.interpreters;
    context.interpreters = rest;
    try {
      return List.of(Dispatch.call(operator, attributes, inputs, target));
    } finally {
      context.interpreters = before;
    }
  }
}
