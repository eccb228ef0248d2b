package taper.tensor;

import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// How the gradient of one input follows from the gradient of the output.
///
/// What it keeps is alive from the forward to the backward pass, so the memory cost of an operator is visible where it
/// is declared.
///
/// @param keeps the tensors that the rule reads
/// @param rule the formula, over tensors, so that it can be differentiated again
/// @param <A> the record of the operator's attributes
public record Gradient<A extends Record>(Keeps keeps, Rule<A> rule) {

  /// The tensors that a gradient reads.
  ///
  /// @param inputs the names of inputs
  /// @param outputs the positions of outputs
  public record Keeps(Set<String> inputs, Set<Integer> outputs) {

    /// Nothing: only the gradient itself, shapes and attributes.
    public static final Keeps NOTHING = new Keeps(Set.of(), Set.of());

    /// The first output.
    public static final Keeps OUTPUT = new Keeps(Set.of(), Set.of(0));

    /// The named inputs.
    public static Keeps inputs(String... names) {
      return new Keeps(Set.of(names), Set.of());
    }

    /// These, and the outputs at the given positions.
    public Keeps andOutputs(int... positions) {
      return new Keeps(inputs, Set.copyOf(Arrays.stream(positions).boxed().toList()));
    }
  }

  /// The formula of one gradient.
  ///
  /// @param <A> the record of the operator's attributes
  @FunctionalInterface
  public interface Rule<A extends Record> {
    /// The gradient of the input, or null for none. Broadcast dimensions and types are brought back to those of the
    /// input by the engine.
    @Nullable Tensor apply(Backward<A> call);
  }
}
