package taper.tensor;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// The modes that are in force on a thread: gradients, inference, the default type, printing. A thread that works for
/// another one takes them over:
///
/// ```java
/// var modes = Modes.current();
/// executor.submit(() -> modes.run(() -> model.call(x)));
/// ```
///
/// Scopes, interpreters and hooks stay with their thread. Immutable.
public final class Modes {
  private final boolean gradMode;
  private final boolean inferenceMode;
  private final boolean anomalyMode;
  private final boolean anomalyChecksNan;
  private final boolean referenceKernels;
  private final DType defaultDtype;
  private final @Nullable Object printOptions;

  private Modes(Context context) {
    gradMode = context.gradMode;
    inferenceMode = context.inferenceMode;
    anomalyMode = context.anomalyMode;
    anomalyChecksNan = context.anomalyChecksNan;
    referenceKernels = context.referenceKernels;
    defaultDtype = context.defaultDtype;
    printOptions = context.printOptions;
  }

  /// The modes of this thread.
  public static Modes current() {
    return new Modes(Context.current());
  }

  /// Returns what `body` returns, run in these modes.
  public <R> R run(Supplier<R> body) {
    Context context = Context.current();
    var before = new Modes(context);
    putInForce(context);
    try {
      return body.get();
    } finally {
      before.putInForce(context);
    }
  }

  private void putInForce(Context context) {
    context.gradMode = gradMode;
    context.inferenceMode = inferenceMode;
    context.anomalyMode = anomalyMode;
    context.anomalyChecksNan = anomalyChecksNan;
    context.referenceKernels = referenceKernels;
    context.defaultDtype = defaultDtype;
    context.printOptions = printOptions;
  }
}
