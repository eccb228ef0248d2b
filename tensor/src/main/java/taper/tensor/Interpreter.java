package taper.tensor;

import java.util.List;
import taper.tensor.internal.Context;

/// Sees every application of an operator on one thread while it is in force: tracing, profiling, casting.
///
/// ```java
/// Interpreter counting = call -> { count++; return call.proceed(); };
/// try (var guard = Interpreter.use(counting)) { … }
/// ```
@FunctionalInterface
public interface Interpreter {

  /// Returns the outputs of `call`, usually those of [Call#proceed()]. The interpreter itself is not in force meanwhile.
  List<Tensor> interpret(Call<?> call);

  /// Puts `interpreter` in force on this thread, inside those already there, until the guard is closed.
  static Guard use(Interpreter interpreter) {
    var outer = (InterpreterFrame) Context.current().interpreters;
    return Setting.of(
        "Interpreter.use", Setting.Mode.INTERPRETERS, InterpreterFrame.append(outer, interpreter));
  }
}
