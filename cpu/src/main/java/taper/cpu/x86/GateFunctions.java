package taper.cpu.x86;

import java.util.Objects;
import taper.cpu.x86.Functions.Reduced;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Function;

/// What the gates of recurrent cells are made of, in `float32` to three units in the last place, where [Functions] has them to
/// one: a cell has five of them for each hidden unit, and half of the instructions are there for the last place.
///
/// The logistic function is `1 / (1 + e⁻ˣ)`, in which nothing cancels out. The hyperbolic tangent is `t / (t + 2)` with
/// `t = e²ˣ - 1`: near 0 that is as precise as `t`, which is `2ⁿ (eʳ - 1) + (2ⁿ - 1)`, and below it needs no sign of its own.
final class GateFunctions {
  /// Beyond this the hyperbolic tangent is 1.
  private static final double ONE = 10;

  private GateFunctions() {}

  static Value sigmoid(Lane l, Value x) {
    if (l.isWide()) {
      return Objects.requireNonNull(Functions.one(l, Function.SIGMOID, x));
    }
    return l.div(l.constant(1), l.add(Functions.exp(l, l.negate(x)), 1));
  }

  static Value tanh(Lane l, Value x) {
    if (l.isWide()) {
      return Objects.requireNonNull(Functions.one(l, Function.TANH, x));
    }
    Reduced reduced = Functions.reduce(l, l.clamp(l.add(x, x), -2 * ONE, 2 * ONE));
    Value scale = Functions.power(l, reduced.n());
    Value t = l.fma(scale, reduced.expm1(), l.sub(scale, l.constant(1)));
    return l.div(t, l.add(t, 2));
  }
}
