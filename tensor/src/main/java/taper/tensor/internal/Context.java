package taper.tensor.internal;

import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Generator;

/// What is in force on one thread: modes, scopes, interpreters. Never shared.
public final class Context {
  private static final ThreadLocal<Context> CURRENT = ThreadLocal.withInitial(Context::new);

  /// Whether operators record gradients.
  public boolean gradMode = true;

  /// Whether tensors made now can never take part in a graph.
  public boolean inferenceMode;

  /// Whether the engine looks for the operator that gave birth to a NaN.
  public boolean anomalyMode;

  /// Whether it also looks at every gradient then, not only at errors.
  public boolean anomalyChecksNan = true;

  /// Whether only reference kernels are used, for tests.
  public boolean referenceKernels;

  /// The floating type of new tensors whose type nobody names.
  public DType defaultDtype = DType.FLOAT32;

  /// How tensors are printed, or null for the usual way. The type is the public one of the module's API.
  public @Nullable Object printOptions;

  /// The interpreters in force, outermost first, or null. The type is the public one of the module's API.
  public @Nullable Object interpreters;

  /// The node that the engine runs, while it looks for anomalies, or null. The type is the module's own.
  public @Nullable Object runningNode;

  /// What is done with tensors that the graph saves, or null. The type is the module's own.
  public @Nullable Object savedHooks;

  /// What is to be done when the running backward pass ends, or null if none runs.
  public @Nullable List<Runnable> passEndings;

  /// Gives the generator that this thread uses in the place of the process's, or null.
  public @Nullable Supplier<Generator> generator;

  /// The path of the module whose forward is running, or null.
  public @Nullable String modulePath;

  /// The tensor that the running step of a chain is the last to read, or null.
  public @Nullable Object lastRead;

  /// The guard that was opened last and is still open, by what it sets. The type is the module's own.
  public final @Nullable Object[] settings = new Object[9];

  /// The tensor that waits for the result of the next operator, or null.
  public @Nullable Object out;

  /// How often memory had been short when this thread last gave back what its kernels kept.
  public int shortages;

  @Nullable Scope scope;

  /// What this thread works on just now, from the outermost operator to the innermost.
  private @Nullable Handle[] held = new Handle[16];

  private int heldCount;

  private Context() {}

  /// How many tensors this thread works on.
  public int held() {
    return heldCount;
  }

  /// Works on the memory of `handle` until [#letGo(int)]: nobody gives it away meanwhile.
  ///
  /// @return false if the handle has been released
  public boolean hold(Handle handle) {
    if (!handle.retain()) {
      return false;
    }
    if (heldCount == held.length) {
      held = Arrays.copyOf(held, 2 * heldCount);
    }
    held[heldCount++] = handle;
    return true;
  }

  /// Whether `handle` is what was held when `position` others were.
  public boolean isHeld(int position, Handle handle) {
    return held[position] == handle;
  }

  /// Lets go of all that was held since [#held()] was `count`.
  public void letGo(int count) {
    while (heldCount > count) {
      Handle handle = held[--heldCount];
      held[heldCount] = null;
      if (handle != null) {
        handle.storage().release();
      }
    }
  }

  /// The context of the current thread.
  public static Context current() {
    return CURRENT.get();
  }

  /// Whether a scope or frame is open.
  public boolean hasScope() {
    return scope != null;
  }
}
