package taper.tensor;

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
    GRAD {
      @Override
      Object get(Context context) {
        return context.gradMode;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.gradMode = value == Boolean.TRUE;
      }
    },
    INFERENCE {
      @Override
      Object get(Context context) {
        return context.inferenceMode;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.inferenceMode = value == Boolean.TRUE;
      }
    },
    ANOMALY {
      @Override
      Object get(Context context) {
        return context.anomalyMode;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.anomalyMode = value == Boolean.TRUE;
      }
    },
    ANOMALY_NAN {
      @Override
      Object get(Context context) {
        return context.anomalyChecksNan;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.anomalyChecksNan = value == Boolean.TRUE;
      }
    },
    SAVED_HOOKS {
      @Override
      @Nullable Object get(Context context) {
        return context.savedHooks;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.savedHooks = value;
      }
    },
    PRINTING {
      @Override
      @Nullable Object get(Context context) {
        return context.printOptions;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.printOptions = value;
      }
    },
    DTYPE {
      @Override
      Object get(Context context) {
        return context.defaultDtype;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.defaultDtype = value instanceof DType dtype ? dtype : DType.FLOAT32;
      }
    },
    INTERPRETERS {
      @Override
      @Nullable Object get(Context context) {
        return context.interpreters;
      }

      @Override
      void set(Context context, @Nullable Object value) {
        context.interpreters = value;
      }
    };

    abstract @Nullable Object get(Context context);

    abstract void set(Context context, @Nullable Object value);
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
