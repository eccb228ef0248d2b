package taper.tensor;

import java.util.Arrays;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Truncation;

/// The numbers that a pointwise kernel takes besides its tensors. Owned by the call: the arrays must not be changed.
///
/// @param values the numbers, as a floating-point kernel uses them
/// @param wholes the same numbers, as a whole-number kernel uses them
/// @param imaginary the imaginary parts of the numbers; empty if all are real

public record Parameters(double[] values, long[] wholes, double[] imaginary) {
  private static final double[] REAL = {};

  /// No numbers.
  public static final Parameters NONE = new Parameters(new double[0], new long[0]);

  /// Real numbers.
  public Parameters(double[] values, long[] wholes) {
    this(values, wholes, REAL);
  }

  /// The given numbers; for whole-number kernels they are cut off towards zero.
  public static Parameters of(double... values) {
    long[] wholes = new long[values.length];
    for (int i = 0; i < values.length; i++) {
      wholes[i] = Truncation.toInt64(values[i]);
    }
    return new Parameters(values, wholes);
  }

  /// These numbers, followed by the value of a number operand.
  Parameters plus(Strided number) {
    double[] moreValues = Arrays.copyOf(values, values.length + 1);
    long[] moreWholes = Arrays.copyOf(wholes, wholes.length + 1);
    moreValues[values.length] = number.doubleValue();
    moreWholes[wholes.length] = number.longValue();
    double[] moreImaginary = imaginary;
    if (imaginary.length > 0 || number.dtype().isComplex()) {
      moreImaginary = Arrays.copyOf(imaginary, values.length + 1);
      moreImaginary[values.length] = number.imaginaryValue();
    }
    return new Parameters(moreValues, moreWholes, moreImaginary);
  }

  /// The conjugate numbers.
  Parameters conjugate() {
    double[] negated = imaginary.clone();
    for (int i = 0; i < negated.length; i++) {
      negated[i] = -negated[i];
    }
    return imaginary.length == 0 ? this : new Parameters(values, wholes, negated);
  }
}
