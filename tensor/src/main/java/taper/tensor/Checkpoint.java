package taper.tensor;

import java.util.List;
import java.util.function.BinaryOperator;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/// Activation checkpointing: trades time for memory. What a segment computes is not kept for the backward pass, but
/// computed again there.
///
/// ```java
/// for (var block : blocks) {
///   x = Checkpoint.run(block::call, x); // keeps x alone, instead of everything in the block
/// }
/// ```
///
/// The backward pass runs the segment a second time, with the same inputs, random numbers and modes, when it first needs
/// one of its tensors. Gradients are the same to the last bit. Segments may hold others: with segments of segments a
/// network of depth n keeps of the order of log n activations. What the segment changes besides, such as the running
/// averages of a normalization, is changed twice.
///
/// Tensors made in the segment, but for its outputs, live as long as somebody refers to them, whatever scope is open: the
/// collector lets go of those that nobody kept. A segment that keeps none can let go of them at once:
/// `Checkpoint.run(x -> Memory.tidy(() -> block.call(x)), x)`. Layers of `taper.nn` do so by themselves. Numbers drawn from
/// a [Generator] of its own are not drawn again, only those of the global one.
///
/// - Source: Chen, Xu, Zhang, Guestrin 2016, Training deep nets with sublinear memory cost, arXiv:1604.06174
public final class Checkpoint {
  private Checkpoint() {}

  /// Runs `segment` without keeping what it computes.
  public static Tensor run(UnaryOperator<Tensor> segment, Tensor input) {
    return run(segment, input, o -> o);
  }

  /// As the shorter form, with options.
  public static Tensor run(
      UnaryOperator<Tensor> segment, Tensor input, UnaryOperator<CheckpointOptions> options) {
    return run(in -> one(segment.apply(in.getFirst())), List.of(input), options).getFirst();
  }

  /// Runs a `segment` of two inputs without keeping what it computes.
  public static Tensor run(BinaryOperator<Tensor> segment, Tensor first, Tensor second) {
    return run(in -> one(segment.apply(in.get(0), in.get(1))), List.of(first, second)).getFirst();
  }

  private static List<Tensor> one(Tensor output) {
    return List.of(Checks.given("Checkpoint", "an output of the segment", output));
  }

  /// Runs a `segment` of several inputs and outputs without keeping what it computes.
  public static List<Tensor> run(
      Function<List<Tensor>, List<Tensor>> segment, List<Tensor> inputs) {
    return run(segment, inputs, o -> o);
  }

  /// As the shorter form, with options.
  public static List<Tensor> run(
      Function<List<Tensor>, List<Tensor>> segment,
      List<Tensor> inputs,
      UnaryOperator<CheckpointOptions> options) {
    if (!Autograd.isGradEnabled()) {
      return segment.apply(inputs);
    }
    return Segment.run(segment, inputs, options.apply(CheckpointOptions.DEFAULT));
  }

  /// Runs `functions` one after the other in `segments` checkpointed segments of about equal length; the last one, whose
  /// backward pass comes first, is run plainly: PyTorch's `checkpoint_sequential`.
  ///
  /// @throws ArgumentException if there are not as many functions as segments, or no segment
  public static Tensor sequential(
      List<? extends UnaryOperator<Tensor>> functions, int segments, Tensor input) {
    if (segments < 1 || segments > functions.size()) {
      throw new ArgumentException(
          "Checkpoint.sequential: segments must be in 1..%d, the number of functions, but is %d."
              .formatted(functions.size(), segments));
    }
    int length = functions.size() / segments;
    Tensor x = input;
    for (int s = 0; s < segments - 1; s++) {
      var part = functions.subList(s * length, (s + 1) * length);
      x = run(in -> chain(part, in), x);
    }
    return chain(functions.subList((segments - 1) * length, functions.size()), x);
  }

  private static Tensor chain(List<? extends UnaryOperator<Tensor>> functions, Tensor input) {
    Tensor x = input;
    for (UnaryOperator<Tensor> function : functions) {
      x = function.apply(x);
    }
    return x;
  }
}
