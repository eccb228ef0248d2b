package taper.testing.fuzz;

import java.util.List;
import taper.tensor.Tensor;

/// A call that can be printed, read, made and made smaller. Immutable.
interface FuzzCall {

  /// Makes the call and returns all that it computes: outputs, inputs that it overwrites, gradients.
  List<Tensor> make();

  /// The call with one thing made simpler, in all ways; what promises most is first.
  List<FuzzCall> simpler();

  /// The largest number of elements among the operands, saturating: many take long without a fault.
  long largest();

  /// Whether null is passed where no null may be, so that a NullPointerException is what Java programs expect.
  boolean passesNull();

  /// Whether numbers are so large or small that narrower types give up where the reference, in double precision, does not.
  boolean isExtreme();

  /// Whether different kernels may compute different values.
  boolean isLoose();
}
