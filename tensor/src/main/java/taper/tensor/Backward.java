package taper.tensor;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What a gradient formula sees of the call it differentiates. Belongs to one pass over one node.
///
/// @param <A> the record of the operator's attributes
public final class Backward<A extends Record> {
  private final OperatorNode<A> node;
  private final @Nullable Tensor[] grads;
  private @Nullable Object shared;
  private int position;

  Backward(OperatorNode<A> node, @Nullable Tensor[] grads) {
    this.node = node;
    this.grads = grads;
  }

  /// The attributes of the call.
  public A attributes() {
    return node.attributes();
  }

  /// The gradient of the first output.
  public Tensor grad() {
    return grad(0);
  }

  /// The gradient of output `position`, zeros if none has arrived.
  public Tensor grad(int position) {
    Tensor grad = grads[position];
    return grad != null ? grad : node.zeros(position);
  }

  /// Whether a gradient of output `position` has arrived.
  public boolean hasGrad(int position) {
    return grads[position] != null;
  }

  /// The input called `name`, which the gradient must keep.
  public Tensor input(String name) {
    return node.savedInput(node.operator().signature().position(name));
  }

  /// Input `position`, which the gradient must keep; for operators that take any number.
  public Tensor input(int position) {
    return node.savedInput(position);
  }

  /// The input called `name`, or null if the caller left it out.
  public @Nullable Tensor find(String name) {
    int position = node.operator().signature().position(name);
    return node.hasInput(position) ? node.savedInput(position) : null;
  }

  /// The first output, which the gradient must keep.
  public Tensor output() {
    return output(0);
  }

  /// Output `position`, which the gradient must keep.
  public Tensor output(int position) {
    return node.savedOutput(position);
  }

  /// The sizes of the input called `name`.
  public long[] sizes(String name) {
    return node.inputSizes(node.operator().signature().position(name));
  }

  /// The sizes of input `position`, for operators that take any number.
  public long[] sizes(int position) {
    return node.inputSizes(position);
  }

  /// The position of the input whose gradient is asked for; of use to operators that take any number.
  public int position() {
    return position;
  }

  /// Goes on to the gradient of input `input`.
  void moveTo(int input) {
    position = input;
  }

  /// Whether the gradient of the input called `name` is asked for.
  public boolean needs(String name) {
    return node.needs(node.operator().signature().position(name));
  }

  /// Computes once per pass what the gradients of several inputs share.
  @SuppressWarnings("unchecked") // the same declaration writes and reads it
  public <T> T shared(Function<Backward<A>, T> compute) {
    Object value = shared;
    if (value == null) {
      value = compute.apply(this);
      shared = value;
    }
    return (T) value;
  }
}
