package taper.cpu.x86;

import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Comparison;

/// The inverse circular functions, and the length of a vector, in `float64`.
///
/// Arc sine and cosine follow [1]: a rational function up to ½, beyond it the identity
/// `asin(x) = π/2 - 2 asin √((1 - x)/2)`. The arc tangent follows [2]: the quotient is turned by 45° or 90° first, so
/// that the rational function sees small numbers only; numerator and denominator are chosen before the one division.
///
/// - [1] Sun Microsystems: fdlibm, `e_asin.c`, `e_acos.c`.
/// - [2] Moshier: Cephes mathematical library, `atan.c`.
final class Inverses {
  private static final double HALF_PI = 1.57079632679489655800e+00;
  private static final double HALF_PI_LOW = 6.12323399573676603587e-17;

  private Inverses() {}

  /// [1]: `(asin √t - √t) / √t`, for `t` up to ¼.
  private static Value excess(Lane l, Value t) {
    Value above =
        l.polynomial(
            t,
            1.66666666666666657415e-01,
            -3.25565818622400915405e-01,
            2.01212532134862925881e-01,
            -4.00555345006794114027e-02,
            7.91534994289814532176e-04,
            3.47933107596021167570e-05);
    Value below =
        l.polynomial(
            t,
            1,
            -2.40339491173441421878e+00,
            2.02094576023350569471e+00,
            -6.88283971605453293030e-01,
            7.70381505559019352791e-02);
    return l.div(l.mul(t, above), below);
  }

  static Value asin(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value beyond = l.mul(l.sub(l.constant(1), magnitude), 0.5);
    Value t = l.select(magnitude, Comparison.LESS, 0.5, l.mul(x, x), beyond);
    Value root = l.select(magnitude, Comparison.LESS, 0.5, magnitude, l.sqrt(beyond));
    Value inner = l.fma(root, excess(l, t), root);
    Value outer = l.sub(l.constant(HALF_PI), l.sub(l.add(inner, inner), l.constant(HALF_PI_LOW)));
    return l.withSign(l.select(magnitude, Comparison.LESS, 0.5, inner, outer), x);
  }

  static Value acos(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value beyond = l.mul(l.sub(l.constant(1), magnitude), 0.5);
    Value t = l.select(magnitude, Comparison.LESS, 0.5, l.mul(x, x), beyond);
    Value root = l.select(magnitude, Comparison.LESS, 0.5, x, l.sqrt(beyond));
    Value inner = l.fma(root, excess(l, t), root);
    Value half = l.constant(HALF_PI);
    Value middle = l.sub(half, l.sub(inner, l.constant(HALF_PI_LOW)));
    Value twice = l.add(inner, inner);
    Value low = l.constant(2 * HALF_PI_LOW);
    Value outer =
        l.select(x, Comparison.LESS, 0, l.sub(l.add(half, half), l.sub(twice, low)), twice);
    return l.select(magnitude, Comparison.LESS, 0.5, middle, outer);
  }

  static Value atan(Lane l, Value x) {
    Value y = l.withSign(angle(l, l.abs(x), l.constant(1)), x);
    return l.ifNan(x, x, y);
  }

  /// In `float32`: the smaller of the number and its reciprocal goes through a polynomial.
  static Value atanSingle(Lane l, Value x) {
    Value magnitude = l.abs(x);
    Value one = l.constant(1);
    Value t = l.div(l.min(one, magnitude), l.max(one, magnitude));
    Value z = l.mul(t, t);
    Value p =
        l.polynomial( // minimax, relative error 2⁻²⁸
            z,
            -0.333332986,
            0.199985489,
            -0.142642424,
            0.109521858,
            -0.0840344951,
            0.0579575822,
            -0.0311778337,
            0.0109145986,
            -0.00179362018);
    Value small = l.fma(l.mul(t, z), p, t);
    Value half = l.constant(HALF_PI);
    Value low = l.constant(HALF_PI - (float) HALF_PI);
    Value large = l.sub(half, l.sub(small, low));
    return l.withSign(l.select(magnitude, Comparison.GREATER, one, large, small), x);
  }

  /// In `float64`, of numbers that were `float32`, for a result that will be: the smaller number divided by the larger
  /// goes through a polynomial. Bounds beyond the range of `float32` make 45° of two infinities and 0° of two zeros.
  static Value atan2Single(Lane l, Value y, Value x) {
    Value first = l.min(l.constant(1e300), l.abs(y));
    Value second = l.min(l.constant(1e300), l.abs(x));
    Value t = l.div(l.min(first, second), l.max(l.constant(1e-300), l.max(first, second)));
    Value z = l.mul(t, t);
    Value p =
        l.polynomial( // minimax, relative error 2⁻³⁴
            z,
            -0.3333333213374839,
            0.19999927241677762,
            -0.1428416718820496,
            0.11094503276111914,
            -0.08985437158882902,
            0.07259432417217408,
            -0.05451586108068965,
            0.03447575109696163,
            -0.016299359962098428,
            0.004926319288858359,
            -0.0006979505367713886);
    Value small = l.fma(l.mul(t, z), p, t);
    Value large = l.sub(l.constant(HALF_PI), small);
    return inPlane(l, l.select(first, Comparison.GREATER, second, large, small), y, x);
  }

  /// In `float64`. Numbers whose sum may be infinite are made smaller, and those that have lost digits larger, which changes
  /// no angle.
  static Value atan2(Lane l, Value y, Value x) {
    Value first = l.abs(y);
    Value second = l.abs(x);
    Value largest = l.max(first, second);
    Value one = l.constant(1);
    Value factor = l.select(largest, Comparison.GREATER, 0x1p1000, l.constant(0.25), one);
    factor = l.select(largest, Comparison.LESS, 0x1p-900, l.constant(0x1p100), factor);
    Value angle = angle(l, l.mul(first, factor), l.mul(second, factor));
    return inPlane(l, angle, y, x);
  }

  /// The angle in the plane of a point (x, y) from that of (|x|, |y|).
  private static Value inPlane(Lane l, Value angle, Value y, Value x) {
    // The sign bit counts, -0 is to the left.
    Value left = l.or(l.and(x, l.signBit()), l.constant(1));
    Value whole = l.sub(l.constant(Math.PI), l.sub(angle, l.constant(2 * HALF_PI_LOW)));
    Value turned = l.select(left, Comparison.LESS, 0, whole, angle);
    Value result = l.withSign(turned, y);
    return l.ifNan(x, x, l.ifNan(y, y, result));
  }

  /// The angle of the point (x, y) in the first quadrant, both of which are not negative.
  private static Value angle(Lane l, Value y, Value x) {
    Value zero = l.constant(0);
    Value steep = l.mul(x, 2.41421356237309504880);
    Value middle = l.mul(x, 0.66);
    Value above = byZone(l, y, steep, middle, l.negate(x), l.sub(y, x), y);
    Value below = byZone(l, y, steep, middle, y, l.add(y, x), x);
    Value base = byZone(l, y, steep, middle, l.constant(HALF_PI), l.constant(HALF_PI / 2), zero);
    Value low =
        byZone(l, y, steep, middle, l.constant(HALF_PI_LOW), l.constant(HALF_PI_LOW / 2), zero);
    // Both infinite: 45°. Both 0: 0.
    Value both = l.min(x, y);
    Value infinity = l.constant(Functions.INFINITY);
    above = l.select(both, Comparison.EQUAL, infinity, zero, above);
    below = l.select(both, Comparison.EQUAL, infinity, l.constant(1), below);
    base = l.select(both, Comparison.EQUAL, infinity, l.constant(HALF_PI / 2), base);
    below = l.select(below, Comparison.EQUAL, zero, l.constant(1), below);
    Value t = l.div(above, below);
    Value z = l.mul(t, t);
    Value p =
        l.polynomial(
            z,
            -6.485021904942025371773e1,
            -1.228866684490136173410e2,
            -7.500855792314704667340e1,
            -1.615753718733365076637e1,
            -8.750608600031904122785e-1);
    Value q =
        l.polynomial(
            z,
            1.945506571482613964425e2,
            4.853903996359136964868e2,
            4.328810604912902668951e2,
            1.650270098316988542046e2,
            2.485846490142306297962e1,
            1);
    Value small = l.fma(l.mul(t, z), l.div(p, q), l.add(t, low));
    return l.add(base, small);
  }

  /// `first` where `y` is above `steep`, else `second` where it is above `middle`, else `third`.
  private static Value byZone(
      Lane l, Value y, Value steep, Value middle, Value first, Value second, Value third) {
    Value flatter = l.select(y, Comparison.GREATER, middle, second, third);
    return l.select(y, Comparison.GREATER, steep, first, flatter);
  }

  /// In `float64`. The numbers are scaled by a power of two where their squares may leave the range.
  static Value hypotWide(Lane l, Value x, Value y) {
    Value largest = l.max(l.abs(x), l.abs(y));
    Value one = l.constant(1);
    Value small = l.constant(0x1p-600);
    Value large = l.constant(0x1p600);
    Value up = l.select(largest, Comparison.LESS, 0x1p-500, large, one);
    Value down = l.select(largest, Comparison.LESS, 0x1p-500, small, one);
    up = l.select(largest, Comparison.GREATER, 0x1p500, small, up);
    down = l.select(largest, Comparison.GREATER, 0x1p500, large, down);
    return l.mul(hypot(l, l.mul(x, up), l.mul(y, up)), down);
  }

  static Value hypot(Lane l, Value x, Value y) {
    Value infinity = l.constant(Functions.INFINITY);
    Value length = l.sqrt(l.fma(x, x, l.mul(y, y)));
    length = l.select(l.abs(x), Comparison.EQUAL, infinity, infinity, length);
    return l.select(l.abs(y), Comparison.EQUAL, infinity, infinity, length);
  }
}
