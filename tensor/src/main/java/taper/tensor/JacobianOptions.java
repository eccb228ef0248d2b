package taper.tensor;

/// The options of [Autograd#jacobian] and its like, with PyTorch's names and defaults. Immutable.
///
/// @param createGraph whether the derivative is itself recorded, for higher ones
/// @param strict whether it is an error if an output does not depend on an input, instead of a derivative of 0
public record JacobianOptions(boolean createGraph, boolean strict) {

  /// Not recorded, and not strict.
  public static final JacobianOptions DEFAULT = new JacobianOptions(false, false);

  /// With derivatives that are recorded.
  public JacobianOptions createGraph(boolean on) {
    return new JacobianOptions(on, strict);
  }

  /// With errors where there is no influence.
  public JacobianOptions strict(boolean on) {
    return new JacobianOptions(createGraph, on);
  }
}
