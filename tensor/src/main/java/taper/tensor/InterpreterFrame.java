package taper.tensor;

import org.jspecify.annotations.Nullable;

/// The interpreters in force, outermost first.
record InterpreterFrame(Interpreter interpreter, @Nullable InterpreterFrame inner) {

  static InterpreterFrame append(@Nullable InterpreterFrame frames, Interpreter last) {
    return frames == null
        ? new InterpreterFrame(last, null)
        : new InterpreterFrame(frames.interpreter, append(frames.inner, last));
  }
}
