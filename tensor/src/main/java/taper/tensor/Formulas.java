package taper.tensor;

import java.util.List;
import java.util.stream.Collectors;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Binary;
import taper.tensor.spi.Formula.Constant;
import taper.tensor.spi.Formula.Input;
import taper.tensor.spi.Formula.Parameter;
import taper.tensor.spi.Formula.Select;
import taper.tensor.spi.Formula.Unary;

/// What declarations do to formulas besides deriving them: renumbering operands.
final class Formulas {
  /// Renumbered operands are kept apart from those not yet renumbered by this offset.
  private static final int MARK = 1 << 16;

  private Formulas() {}

  static String pointwiseSignature(List<String> names) {
    return names.stream().map(n -> n + "[*b]").collect(Collectors.joining(", ")) + " -> [*b]";
  }

  static Formula replaceInput(Formula f, int position, Formula by) {
    return map(f, in -> in.position() == position ? by : in);
  }

  static Formula marked(int position) {
    return new Input(MARK + position);
  }

  static Formula unmark(Formula f) {
    return map(f, in -> in.position() >= MARK ? new Input(in.position() - MARK) : in);
  }

  private static Formula map(Formula f, java.util.function.Function<Input, Formula> to) {
    return switch (f) {
      case Input in -> to.apply(in);
      case Parameter p -> p;
      case Constant c -> c;
      case Unary(var function, var of) -> new Unary(function, map(of, to));
      case Binary(var arithmetic, var left, var right) ->
          new Binary(arithmetic, map(left, to), map(right, to));
      case Select(var left, var comparison, var right, var then, var otherwise) ->
          new Select(map(left, to), comparison, map(right, to), map(then, to), map(otherwise, to));
    };
  }

  static int parameterCount(Formula f) {
    return switch (f) {
      case Input _, Constant _ -> 0;
      case Parameter(int position) -> position + 1;
      case Unary(var _, var of) -> parameterCount(of);
      case Binary(var _, var left, var right) ->
          Math.max(parameterCount(left), parameterCount(right));
      case Select(var left, var _, var right, var then, var otherwise) ->
          Math.max(
              Math.max(parameterCount(left), parameterCount(right)),
              Math.max(parameterCount(then), parameterCount(otherwise)));
    };
  }
}
