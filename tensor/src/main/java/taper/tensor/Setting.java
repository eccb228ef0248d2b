package taper.tensor;

import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// What holds on one thread until its guard is closed.
///
/// Guards of one mode are closed in any order: one that is closed ends those that were opened inside it, as a block ends
/// the blocks in it, and restores what was in force before. Closing a guard again, or one that has been ended, does
/// nothing.
final class Setting implements Guard {
  /// What can be set.
  enum Mode {
    GRAD(c -> c.gradMode, (c, value) -> c.gradMode = value == Boolean.TRUE),
    INFERENCE(c -> c.inferenceMode, (c, value) -> c.inferenceMode = value == Boolean.TRUE),
    ANOMALY(c -> c.anomalyMode, (c, value) -> c.anomalyMode = value == Boolean.TRUE),
    ANOMALY_NAN(c -> c.anomalyChecksNan, (c, value) -> c.anomalyChecksNan = value == Boolean.TRUE),
    REFERENCE(c -> c.referenceKernels, (c, value) -> c.referenceKernels = value == Boolean.TRUE),
    SAVED_HOOKS(c -> c.savedHooks, (c, value) -> c.savedHooks = value),
    PRINTING(c -> c.printOptions, (c, value) -> c.printOptions = value),
    DTYPE(
        c -> c.defaultDtype,
        (c, value) -> c.defaultDtype = value instanceof DType dtype ? dtype : DType.FLOAT32),
    INTERPRETERS(c -> c.interpreters, (c, value) -> c.interpreters = value);

    private final Function<Context, @Nullable Object> reader;
    private final BiConsumer<Context, @Nullable Object> writer;

    Mode(Function<Context, @Nullable Object> reader, BiConsumer<Context, @Nullable Object> writer) {
      this.reader = reader;
      this.writer = writer;
    }

    @Nullable Object get(Context context) {
      return reader.apply(context);
    }

    void set(Context context, @Nullable Object value) {
      writer.accept(context, value);
    }
  }

  private final String name;
  private final Mode mode;
  private final Context context;
  private final String thread;
  private final @Nullable Object before;
  private final @Nullable Setting outer;
  private boolean closed;

  private Setting(String name, Mode mode, Context context) {
    this.name = name;
    this.mode = mode;
    this.context = context;
    this.thread = Thread.currentThread().getName();
    this.before = mode.get(context);
    this.outer = (Setting) context.settings[mode.ordinal()];
    context.settings[mode.ordinal()] = this;
  }

  /// Sets `value` on this thread until the guard is closed.
  ///
  /// @param name the method that was called, for messages
  static Setting of(String name, Mode mode, @Nullable Object value) {
    Context context = Context.current();
    var setting = new Setting(name, mode, context);
    mode.set(context, value);
    return setting;
  }

  /// A guard that closes `first` and `second`.
  static Guard both(Setting first, Setting second) {
    return () -> {
      first.close();
      second.close();
    };
  }

  /// @throws IllegalStateException on a thread that did not open it
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (Context.current() != context) {
      throw new IllegalStateException(
          "%s: a guard must be closed on the thread that opened it, '%s', but was closed on '%s'. Let each thread open its own."
              .formatted(name, thread, Thread.currentThread().getName()));
    }
    Setting inner = (Setting) context.settings[mode.ordinal()];
    while (inner != null && inner != this) {
      inner.closed = true;
      inner = inner.outer;
    }
    closed = true;
    context.settings[mode.ordinal()] = outer;
    mode.set(context, before);
  }
}
