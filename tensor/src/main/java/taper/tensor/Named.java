package taper.tensor;

import java.util.function.Supplier;
import java.util.regex.Pattern;

/// Errors of what an operator is composed of, told as the operator's own.
final class Named {
  private static final Pattern OPERATOR = Pattern.compile("\\A\\w+: ");

  private Named() {}

  /// What `body` returns, which computes `op` by another operator.
  ///
  /// @param given the input as the caller knows it
  /// @param made the same in the shape that the other operator is given
  static <T> T as(String op, Tensor given, Tensor made, Supplier<T> body) {
    try {
      return body.get();
    } catch (ShapeException e) {
      throw caused(new ShapeException(told(e, op, given, made)), e);
    } catch (ArgumentException e) {
      throw caused(new ArgumentException(told(e, op, given, made)), e);
    } catch (DTypeException e) {
      throw caused(new DTypeException(told(e, op, given, made)), e);
    }
  }

  private static <E extends TaperException> E caused(E told, TaperException by) {
    told.initCause(by);
    return told;
  }

  private static String told(TaperException e, String op, Tensor given, Tensor made) {
    return OPERATOR
        .matcher(e.text())
        .replaceFirst(op + ": ")
        .replace(made.shape().toString(), given.shape().toString());
  }
}
