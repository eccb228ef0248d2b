package taper.cpu.plain;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;

/// Formulas as a list of operations on numbered registers; equal parts are computed once. Immutable.
///
/// @param fixed constants and parameters, which stay the same for all blocks
/// @param operations what is done for each block, in order
/// @param registers how many registers there are; input `i` is in register `i`
/// @param results where the values are
record Steps(List<Fixed> fixed, List<Operation> operations, int registers, List<Integer> results) {

  /// A register that is filled once: with parameter `parameter`, or with `value` if that is negative.
  record Fixed(int register, int parameter, double value) {}

  /// One operation.
  sealed interface Operation {
    /// Where the result goes.
    int to();
  }

  /// A function of one register.
  record One(int to, Formula.Function function, int x) implements Operation {}

  /// A function of two registers.
  record Two(int to, Formula.Arithmetic arithmetic, int x, int y) implements Operation {}

  /// `x · y + z`, rounded once, as the assembled kernels do; the product or the rest may be negated.
  record Fused(int to, int x, int y, int z, boolean minusProduct, boolean minusRest)
      implements Operation {}

  /// A choice between two registers by a comparison of two others.
  record Choice(int to, int x, Formula.Comparison comparison, int y, int then, int otherwise)
      implements Operation {}

  static Steps of(List<Formula> formulas, int inputs) {
    var builder = new Builder(inputs);
    List<Integer> results = formulas.stream().map(builder::register).toList();
    return new Steps(
        List.copyOf(builder.fixed), List.copyOf(builder.operations), builder.next, results);
  }

  private static final class Builder {
    private final List<Fixed> fixed = new ArrayList<>();
    private final List<Operation> operations = new ArrayList<>();
    private final Map<Formula, Integer> known = new HashMap<>();
    private int next;

    Builder(int inputs) {
      next = inputs;
    }

    private static boolean fuses(Arithmetic arithmetic) {
      return arithmetic == Arithmetic.PLUS || arithmetic == Arithmetic.MINUS;
    }

    private static boolean isProduct(Formula.Binary f) {
      return f.arithmetic() == Arithmetic.TIMES;
    }

    private int fused(
        Formula.Binary product, Formula rest, boolean minusProduct, boolean minusRest) {
      int x = register(product.left());
      int y = register(product.right());
      int z = register(rest);
      operations.add(new Fused(next, x, y, z, minusProduct, minusRest));
      return next++;
    }

    private int register(Formula f) {
      Integer before = known.get(f);
      if (before != null) {
        return before;
      }
      int register =
          switch (f) {
            case Formula.Input(var position) -> position;
            case Formula.Parameter(var position) -> {
              fixed.add(new Fixed(next, position, 0));
              yield next++;
            }
            case Formula.Constant(var value) -> {
              fixed.add(new Fixed(next, -1, value));
              yield next++;
            }
            case Formula.Unary(var function, var of) -> {
              int x = register(of);
              operations.add(new One(next, function, x));
              yield next++;
            }
            case Formula.Binary(var arithmetic, var left, var right)
                when fuses(arithmetic) && left instanceof Formula.Binary b && isProduct(b) ->
                fused(b, right, false, arithmetic == Arithmetic.MINUS);
            case Formula.Binary(var arithmetic, var left, var right)
                when fuses(arithmetic) && right instanceof Formula.Binary b && isProduct(b) ->
                fused(b, left, arithmetic == Arithmetic.MINUS, false);
            case Formula.Binary(var arithmetic, var left, var right) -> {
              int x = register(left);
              int y = register(right);
              operations.add(new Two(next, arithmetic, x, y));
              yield next++;
            }
            case Formula.Select(var left, var comparison, var right, var then, var otherwise) -> {
              int x = register(left);
              int y = register(right);
              int chosen = register(then);
              int other = register(otherwise);
              operations.add(new Choice(next, x, comparison, y, chosen, other));
              yield next++;
            }
          };
      known.put(f, register);
      return register;
    }
  }
}
