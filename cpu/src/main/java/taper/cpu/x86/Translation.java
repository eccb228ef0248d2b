package taper.cpu.x86;

import java.util.HashMap;
import java.util.Map;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;

/// Turns a formula into values of a program; equal parts are computed once.
///
/// A product that is added to something is fused with the addition and rounded once. PyTorch's kernels do
/// the same, some by hand (`add` with `alpha`), the others since their compiler contracts.
final class Translation {
  private final Algebra lane;
  private final IntFunction<Value> inputs;
  private final IntFunction<Value> parameters;
  private final Map<Formula, Value> known = new HashMap<>();

  Translation(Algebra lane, IntFunction<Value> inputs, IntFunction<Value> parameters) {
    this.lane = lane;
    this.inputs = inputs;
    this.parameters = parameters;
  }

  /// The value of `f`, or null if a function in it exists in Java only.
  @Nullable Value of(Formula f) {
    Value before = known.get(f);
    if (before != null) {
      return before;
    }
    Value value =
        switch (f) {
          case Formula.Input(var position) -> inputs.apply(position);
          case Formula.Parameter(var position) -> parameters.apply(position);
          case Formula.Constant(var number) -> lane.constant(number);
          case Formula.Unary(var function, var operand) -> {
            Value x = of(operand);
            yield x == null ? null : lane.one(function, x);
          }
          case Formula.Binary(var arithmetic, var left, var right)
              when fuses(arithmetic) && isProduct(left) ->
              fused(arithmetic, (Formula.Binary) left, right, true);
          case Formula.Binary(var arithmetic, var left, var right)
              when fuses(arithmetic) && isProduct(right) ->
              fused(arithmetic, (Formula.Binary) right, left, false);
          case Formula.Binary(var arithmetic, var left, var right) -> {
            Value x = of(left);
            Value y = of(right);
            yield x == null || y == null ? null : lane.two(arithmetic, x, y);
          }
          case Formula.Select(var left, var comparison, var right, var then, var otherwise) -> {
            Value x = of(left);
            Value y = of(right);
            Value chosen = of(then);
            Value other = of(otherwise);
            yield x == null || y == null || chosen == null || other == null
                ? null
                : lane.select(x, comparison, y, chosen, other);
          }
        };
    if (value != null) {
      known.put(f, value);
    }
    return value;
  }

  private static boolean fuses(Arithmetic arithmetic) {
    return arithmetic == Arithmetic.PLUS || arithmetic == Arithmetic.MINUS;
  }

  private static boolean isProduct(Formula f) {
    return f instanceof Formula.Binary(var arithmetic, _, _) && arithmetic == Arithmetic.TIMES;
  }

  private @Nullable Value fused(
      Arithmetic arithmetic, Formula.Binary product, Formula other, boolean productFirst) {
    Value x = of(product.left());
    Value y = of(product.right());
    Value z = of(other);
    if (x == null || y == null || z == null) {
      return null;
    }
    if (arithmetic == Arithmetic.PLUS) {
      return lane.fma(x, y, z);
    }
    return productFirst ? lane.fms(x, y, z) : lane.fnma(x, y, z);
  }
}
