package taper.tensor;

import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Handle;
import taper.tensor.internal.Heap;
import taper.tensor.internal.Report;

/// The memory that tensors hold outside the Java heap.
///
/// Nothing here has to be called: memory comes back by itself, at the latest when the collector finds a
/// tensor unreachable. A scope gives it back at a moment of your choice:
///
/// ```java
/// for (var batch : loader) {
///   try (var step = Memory.scope()) {
///     var loss = model.call(batch.images()).crossEntropy(batch.labels());
///     loss.backward();
///     optimizer.step();
///   } // activations, gradients of activations and the loss are gone; parameters and their gradients stay
/// }
/// ```
public final class Memory {
  private Memory() {}

  /// Opens a scope: tensors that this thread makes until it is closed, and that are not kept with
  /// [Tensor#keep()], are released when it is closed. Parameters, gradients of leaves, buffers and the state of
  /// optimizers keep themselves. Scopes nest.
  public static Scope scope() {
    return scope("memory scope");
  }

  /// Opens a scope with a name, which appears in the error when a released tensor is touched.
  public static Scope scope(String name) {
    return new Scope(taper.tensor.internal.Scope.open(name));
  }

  /// Returns what `body` returns, and lets go of every other tensor that is made in it as soon as no graph needs it.
  /// For functions whose temporaries nobody else gets hold of.
  public static Tensor tidy(Supplier<Tensor> body) {
    try (var frame = taper.tensor.internal.Scope.frame(Context.current())) {
      Tensor result = body.get();
      result.passFrom(frame);
      return result;
    }
  }

  /// Calls `step` with `x`, which nobody else knows and nobody reads afterwards: the step may overwrite it, see
  /// [#mayOverwrite(Tensor)], and if no graph keeps it, it is released. For the steps of a chain inside
  /// [#tidy(Supplier)].
  public static Tensor passOn(Tensor x, UnaryOperator<Tensor> step) {
    return passOn(x, step, x);
  }

  /// As [#passOn], for a step that may read `x` several times, and so must not overwrite it.
  public static Tensor lend(Tensor x, UnaryOperator<Tensor> step) {
    return passOn(x, step, null);
  }

  private static Tensor passOn(
      Tensor x, UnaryOperator<Tensor> step, @Nullable Tensor overwritable) {
    Context context = Context.current();
    Object before = context.lastRead;
    context.lastRead = overwritable;
    try {
      Tensor result = step.apply(x);
      if (result != x && x.isLooseIn(context)) {
        x.releaseNow();
      }
      return result;
    } finally {
      context.lastRead = before;
    }
  }

  /// Whether the running step may write its result into `x`: it was passed on with [#passOn], and no graph keeps it.
  public static boolean mayOverwrite(Tensor x) {
    Context context = Context.current();
    return context.lastRead == x && x.isContiguous() && x.isLooseIn(context);
  }

  /// Runs `body`, and lets go of every tensor that is made in it, and is not kept, as soon as no graph needs it.
  public static void tidy(Runnable body) {
    try (var _ = taper.tensor.internal.Scope.frame(Context.current())) {
      body.run();
    }
  }

  /// As [#tidy(Supplier)], for several results.
  public static List<Tensor> tidyAll(Supplier<List<Tensor>> body) {
    try (var frame = taper.tensor.internal.Scope.frame(Context.current())) {
      List<Tensor> results = body.get();
      results.forEach(result -> result.passFrom(frame));
      return results;
    }
  }

  /// Returns what `body` returns, code of somebody else inside a [#tidy(Supplier)], such as a hook: what it makes, and what
  /// it gets to see, is not let go when the tidy ends, since it may have kept it.
  public static <R> R untidy(List<? extends Tensor> seen, Supplier<R> body) {
    Context context = Context.current();
    seen.forEach(x -> x.shown(context));
    var inside = taper.tensor.internal.Scope.leaveFrames(context);
    try {
      return body.get();
    } finally {
      taper.tensor.internal.Scope.reenter(context, inside);
    }
  }

  /// Returns what `body` returns, run as if no scope were open: what is made in it lives as long as somebody refers to it.
  public static <R> R unscoped(Supplier<R> body) {
    Context context = Context.current();
    var inside = taper.tensor.internal.Scope.leaveAll(context);
    try {
      return body.get();
    } finally {
      taper.tensor.internal.Scope.reenterAll(context, inside);
    }
  }

  /// The bytes that live tensors hold, rounded up to the allocator's size classes, and [#working()].
  public static long allocated() {
    return Heap.live();
  }

  /// The largest value of [#allocated()] since the start or the last [#resetMaxAllocated()], in bytes.
  public static long maxAllocated() {
    return Heap.peak();
  }

  /// The bytes that kernels hold: working memory that their threads keep for the next call, and assembled code. Part of
  /// [#allocated()]. When memory is short, working memory is given back.
  public static long working() {
    return Heap.working();
  }

  /// Begins a new measurement of [#maxAllocated()].
  public static void resetMaxAllocated() {
    Heap.resetPeak();
  }

  /// The bytes taken from the system; what is not held by tensors waits for the next ones.
  public static long reserved() {
    return Heap.reserved();
  }

  /// How many garbage collections were asked for because tensors held too much.
  public static long forcedCollections() {
    return Heap.forcedCollections();
  }

  /// The most bytes that tensors and kernels may hold, what waits for the next tensors included: three quarters of the machine's memory, or the system property
  /// `taper.memory.limit` (such as `512m`).
  public static long limit() {
    return Heap.limit();
  }

  /// Sets the most bytes that tensors may hold.
  public static void setLimit(long bytes) {
    if (bytes <= 0) {
      throw new ArgumentException(
          "memory: the limit must be positive, but is " + bytes + " bytes.");
    }
    Heap.setLimit(bytes);
  }

  /// What live tensors hold, by the module that was running when they were made and by type, largest first.
  public static String summary() {
    Heap.live();
    return Report.of(
        Handle.live(),
        "%,d bytes are held, %,d of them by kernels (at most %,d so far, %,d taken from the system)"
            .formatted(allocated(), working(), maxAllocated(), reserved()));
  }

  /// Says which module is running on this thread, so that [#summary()] can tell whose tensors there are; null for none.
  ///
  /// @return what was said before
  public static @Nullable String enter(@Nullable String module) {
    Context context = Context.current();
    String before = context.modulePath;
    context.modulePath = module;
    return before;
  }

  /// Remembers which tensors exist now, to find out later what has been left behind; see [Snapshot#leaked()].
  public static Snapshot snapshot() {
    return new Snapshot(Handle.lastId());
  }

  /// A moment, for finding tensors that were made after it and are still alive. Immutable.
  public static final class Snapshot {
    private final long lastId;

    private Snapshot(long lastId) {
      this.lastId = lastId;
    }

    /// Asks for a collection and reports the tensors that were made since and are still alive, grouped. With
    /// `-Dtaper.memory.trace=true` each group says where its first tensor was made. Empty if there are none.
    public String leaked() {
      Heap.collect();
      List<Handle.Held> young = Handle.live().stream().filter(h -> h.id() > lastId).toList();
      return young.isEmpty()
          ? ""
          : Report.of(
              young, young.size() + " tensors were made since the snapshot and are still alive");
    }
  }

  /// Tensors made on one thread between opening and closing. Belongs to the thread that opened it.
  public static final class Scope implements AutoCloseable {
    private final taper.tensor.internal.Scope scope;

    private Scope(taper.tensor.internal.Scope scope) {
      this.scope = scope;
    }

    /// Has the scope release `tensors` too, though they were made outside of it, such as the batch of a step.
    public void own(Tensor... tensors) {
      for (Tensor tensor : tensors) {
        tensor.moveTo(scope);
      }
    }

    /// Releases what was made in the scope and not kept.
    @Override
    public void close() {
      scope.close();
    }
  }
}
