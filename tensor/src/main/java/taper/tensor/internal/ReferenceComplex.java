package taper.tensor.internal;

import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain kernels between complex numbers and their polar coordinates.
public final class ReferenceComplex {
  private ReferenceComplex() {}

  /// Absolute values.
  public static final Kernel ABS =
      withoutParameters(new ComplexPointwise(Formula.abs(Formula.input(0))));

  /// Angles in radians.
  public static final Kernel ANGLE = toReal((re, im) -> Math.atan2(im, re));

  private static Kernel withoutParameters(Kernel kernel) {
    return Kernels.anyStrides((attributes, out, in) -> kernel.run(Parameters.NONE, out, in));
  }

  private interface OfParts {
    double at(double re, double im);
  }

  private static Kernel toReal(OfParts function) {
    return Kernels.anyStrides((attributes, out, in) -> {
      var to = new Elements(out[0]);
      var from = new Elements(in[0]);
      var walk = new Odometer(out[0].sizes(), out[0].strides(), in[0].strides());
      for (long i = 0, n = walk.numel(); i < n; i++) {
        long at = walk.at(1);
        to.setAtDistance(
            walk.at(0), function.at(from.realAtDistance(at), from.imaginaryAtDistance(at)));
        walk.step();
      }
    });
  }

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
