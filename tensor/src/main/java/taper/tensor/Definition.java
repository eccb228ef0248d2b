package taper.tensor;

import java.util.function.BiFunction;
import java.util.function.Function;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Where the values of an operator come from.
///
/// @param <A> the record of the operator's attributes
public sealed interface Definition<A extends Record> {

  /// A formula over one element of each input. Kernels, gradients and reference values follow from it.
  ///
  /// @param formula the value of an output element
  /// @param parameters the numbers that the formula takes from the attributes
  record Pointwise<A extends Record>(Formula formula, Function<A, Parameters> parameters)
      implements Definition<A> {}

  /// Other operators, applied one after the other. Gradients are theirs, unless the declaration has some: then the
  /// whole is one step of the graph.
  ///
  /// @param body returns the outputs
  record Composite<A extends Record>(BiFunction<A, Inputs, Tensor[]> body)
      implements Definition<A> {}

  /// The first input's memory, seen with other sizes and strides.
  ///
  /// @param geometry returns the view of the given region
  record View<A extends Record>(BiFunction<A, Strided, Strided> geometry)
      implements Definition<A> {}

  /// A kernel of its own. Backends may have a faster one.
  ///
  /// @param reference the plain one, for every type
  record Structured<A extends Record>(Kernel reference) implements Definition<A> {}
}
