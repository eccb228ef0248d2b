package taper.tensor;

/// A complex number in double precision: an element of a `complex64` or `complex128` tensor, or an operand.
///
/// @param re the real part
/// @param im the imaginary part
public record Complex(double re, double im) {
  /// The imaginary unit.
  public static final Complex I = new Complex(0, 1);

  /// The real number `re`.
  public static Complex of(double re) {
    return new Complex(re, 0);
  }

  /// The complex number `re + im · i`.
  public static Complex of(double re, double im) {
    return new Complex(re, im);
  }

  /// The number as Python prints it, such as `(1.0-2.0j)`.
  @Override
  public String toString() {
    boolean negative = Math.copySign(1, im) < 0;
    return "(" + re + (negative ? "-" : "+") + Math.abs(im) + "j)";
  }
}
