package taper.tensor;

import java.util.List;
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
  private static final List<Setting.Mode> CARRIED =
      List.of(
          Setting.Mode.GRAD,
          Setting.Mode.INFERENCE,
          Setting.Mode.ANOMALY,
          Setting.Mode.ANOMALY_NAN,
          Setting.Mode.REFERENCE,
          Setting.Mode.DTYPE,
          Setting.Mode.PRINTING);

  private final @Nullable Object[] values = new @Nullable Object[CARRIED.size()];

  private Modes(Context context) {
    for (int i = 0; i < values.length; i++) {
      values[i] = CARRIED.get(i).get(context);
    }
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
    for (int i = 0; i < values.length; i++) {
      CARRIED.get(i).set(context, values[i]);
    }
  }
}
