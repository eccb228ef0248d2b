package taper.tensor;

/// The numbers that a pointwise kernel takes besides its tensors. Owned by the call: the arrays must not be changed.
///
/// @param values the numbers, as a floating-point kernel uses them
/// @param wholes the same numbers, as a whole-number kernel uses them
public record Parameters(double[] values, long[] wholes) {

  /// No numbers.
  public static final Parameters NONE = new Parameters(new double[0], new long[0]);

  /// The given numbers; for whole-number kernels they are cut off towards zero.
  public static Parameters of(double... values) {
    long[] wholes = new long[values.length];
    for (int i = 0; i < values.length; i++) {
      wholes[i] = (long) values[i];
    }
    return new Parameters(values, wholes);
  }

  /// These numbers, followed by the value of a number operand.
  Parameters plus(taper.tensor.spi.Strided number) {
    double[] moreValues = java.util.Arrays.copyOf(values, values.length + 1);
    long[] moreWholes = java.util.Arrays.copyOf(wholes, wholes.length + 1);
    moreValues[values.length] = number.doubleValue();
    moreWholes[wholes.length] = number.longValue();
    return new Parameters(moreValues, moreWholes);
  }
}
