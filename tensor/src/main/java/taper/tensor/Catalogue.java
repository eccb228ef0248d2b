package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// All operators, by family. Immutable.
public final class Catalogue {
  private Catalogue() {}

  /// The families, in the order of the documentation.
  public static List<Family> families() {
    return List.of(
        Creation.Operators.FAMILY,
        Pointwise.Operators.FAMILY,
        Activations.Operators.FAMILY,
        Comparisons.Operators.FAMILY,
        Reductions.Operators.FAMILY,
        Shapes.Operators.FAMILY,
        Indexing.Operators.FAMILY,
        LinearAlgebra.Operators.FAMILY,
        Convolutions.Operators.FAMILY,
        Pooling.Operators.FAMILY,
        Normalization.Operators.FAMILY,
        Recurrent.Operators.FAMILY,
        Losses.Operators.FAMILY,
        MarginLosses.Operators.FAMILY,
        Random.Operators.FAMILY,
        OptimizerSteps.FAMILY,
        ComplexParts.Operators.FAMILY,
        Spectral.Operators.FAMILY,
        Decompositions.Operators.FAMILY,
        Bits.Operators.FAMILY,
        SpecialFunctions.Operators.FAMILY,
        Padding.Operators.FAMILY,
        Resizing.Operators.FAMILY,
        Unfolding.Operators.FAMILY,
        Embeddings.Operators.FAMILY,
        Attention.Operators.FAMILY,
        Distances.Operators.FAMILY,
        Dropouts.Operators.FAMILY,
        Scattering.Operators.FAMILY,
        Sorting.Operators.FAMILY,
        Scans.Operators.FAMILY,
        Statistics.Operators.FAMILY);
  }

  /// All operators.
  public static List<Operator<?>> operators() {
    var result = new ArrayList<Operator<?>>();
    for (Family family : families()) {
      result.addAll(family.operators());
    }
    return List.copyOf(result);
  }

  /// The operator called `name`, or null if there is none.
  public static @Nullable Operator<?> find(String name) {
    return operators().stream().filter(o -> o.name().equals(name)).findFirst().orElse(null);
  }

  /// The Java number `value` as an operand, as `x.add(2.5)` passes it: it does not widen the type of a floating tensor.
  public static Tensor number(double value) {
    return Tensor.number(value);
  }

  /// The Java truth value `value` as an operand.
  public static Tensor number(boolean value) {
    return Tensor.number(value);
  }

  /// The whole Java number `value` as an operand.
  public static Tensor number(long value) {
    return Tensor.number(value);
  }

  /// The complex number `value` as an operand.
  public static Tensor number(Complex value) {
    return Tensor.number(value);
  }

  /// Whether `operand` is a Java number, which has no memory and no gradient.
  public static boolean isNumber(Tensor operand) {
    return operand.isNumber();
  }

  /// Runs `body` with the reference kernels only, on this thread: the values that every other kernel is tested against.
  public static <T> T withReferenceKernels(Supplier<T> body) {
    Context context = Context.current();
    boolean before = context.referenceKernels;
    context.referenceKernels = true;
    try {
      return body.get();
    } finally {
      context.referenceKernels = before;
    }
  }
}
