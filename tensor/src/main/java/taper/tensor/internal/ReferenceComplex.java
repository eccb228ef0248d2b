package taper.tensor.internal;

import taper.tensor.spi.Strided;

/// Complex numbers and their polar coordinates, element by element.
public final class ReferenceComplex {
  private ReferenceComplex() {}

  /// The absolute value, without the cost of `Math.hypot` where squares neither overflow nor vanish.
  static double abs(double re, double im) {
    double squares = re * re + im * im;
    return squares > 1e-280 && squares < 1e280 ? Math.sqrt(squares) : Math.hypot(re, im);
  }

  /// Complex numbers of absolute values and angles.
  public static void polar(Strided out, Strided abs, Strided angle) {
    var to = new Elements(out);
    var sizes = new Elements(abs);
    var angles = new Elements(angle);
    var walk = new Odometer(out.sizes(), out.strides(), abs.strides(), angle.strides());
    for (long i = 0, n = walk.numel(); i < n; i++) {
      double size = sizes.atDistance(walk.at(1));
      double at = angles.atDistance(walk.at(2));
      to.setAtDistance(walk.at(0), size * Math.cos(at), size * Math.sin(at));
      walk.step();
    }
  }
}
