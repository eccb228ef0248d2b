package taper.tensor.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The handles made on one thread between two moments, to be let go together.
///
/// Users open scopes by hand. The framework opens frames around compositions and gradient formulas, so that
/// their temporaries go as soon as the result is known; a frame passes what it keeps on to the scope
/// around it. A user's code never runs inside a frame: see [#leaveFrames].
public final class Scope implements AutoCloseable {
  private final Context context;
  private final @Nullable Scope parent;
  private final boolean frame;
  private final String name;
  private final List<Handle> handles = new ArrayList<>();
  private final List<Runnable> endings = new ArrayList<>();
  private boolean closed;

  private Scope(Context context, boolean frame, String name) {
    this.context = context;
    this.parent = context.scope;
    this.frame = frame;
    this.name = name;
    context.scope = this;
  }

  /// Opens a user's scope on this thread.
  public static Scope open(String name) {
    return new Scope(Context.current(), false, name);
  }

  /// Opens a frame of the framework's own.
  public static Scope frame(Context context) {
    return new Scope(context, true, "");
  }

  boolean belongsTo(Context other) {
    return context == other;
  }

  void add(Handle handle) {
    handle.scope = this;
    handles.add(handle);
  }

  /// Makes `handle` one of this scope's, whatever scope it was in.
  public void take(Handle handle) {
    if (closed || Context.current() != context) {
      throw new IllegalStateException(
          "scope: a memory scope must be open, and takes tensors on the thread that opened it, but '%s' %s."
              .formatted(
                  name,
                  closed
                      ? "is closed"
                      : "was asked on '" + Thread.currentThread().getName() + "'"));
    }
    handle.adopt();
    add(handle);
  }

  /// Gives a handle that the framework had taken out of every scope to the one in force, if there is one
  /// and the user has not asked to keep it.
  public static void giveBack(Context context, Handle handle) {
    Scope current = context.scope;
    if (current != null && !handle.isKept() && !handle.isReleased()) {
      current.take(handle);
    }
  }

  /// Passes `handle` on to the scope around this one.
  public void pass(Handle handle) {
    if (handle.scope == this) {
      handle.scope = null;
      Scope outer = around();
      if (outer != null) {
        outer.add(handle);
      }
    }
  }

  /// Leaves the frames in force, until [#reenter]: what this thread makes belongs to the innermost scope of a user, or
  /// to nobody. Stands around every call of the framework into code that is not its own, which may keep what it makes.
  ///
  /// @return the frame to come back to, or null if none is in force
  public static @Nullable Scope leaveFrames(Context context) {
    Scope inside = context.scope;
    if (inside == null || !inside.frame) {
      return null;
    }
    context.scope = inside.userScope();
    return inside;
  }

  /// Comes back to the frame that [#leaveFrames] has left.
  public static void reenter(Context context, @Nullable Scope inside) {
    if (inside != null) {
      closeUpTo(context, inside.userScope());
      context.scope = inside;
    }
  }

  /// Leaves all scopes and frames, until [#reenterAll].
  ///
  /// @return the scope to come back to
  public static @Nullable Scope leaveAll(Context context) {
    Scope inside = context.scope;
    context.scope = null;
    return inside;
  }

  /// Comes back to the scope that [#leaveAll] has left.
  public static void reenterAll(Context context, @Nullable Scope inside) {
    closeUpTo(context, null);
    context.scope = inside == null || !inside.closed ? inside : inside.around();
  }

  /// Makes a handle that a frame or the engine would let go of the user's, who gets to see the tensor and may keep it.
  public static void show(Context context, Handle handle) {
    Scope owner = handle.scope;
    if (handle.isOrphan() || owner != null && owner.frame) {
      handle.adopt();
      Scope current = context.scope;
      Scope outer = current != null && current.frame ? current.userScope() : current;
      if (outer != null) {
        outer.add(handle);
      }
    }
  }

  /// The innermost open scope around this one.
  private @Nullable Scope around() {
    Scope outer = parent;
    while (outer != null && outer.closed) {
      outer = outer.parent;
    }
    return outer;
  }

  /// The innermost open scope of a user around this frame.
  private @Nullable Scope userScope() {
    Scope outer = around();
    while (outer != null && outer.frame) {
      outer = outer.around();
    }
    return outer;
  }

  /// Closes scopes that were left open inside `outer`.
  private static void closeUpTo(Context context, @Nullable Scope outer) {
    Scope inner = context.scope;
    while (inner != null && inner != outer) {
      inner.close();
      inner = context.scope;
    }
  }

  /// Has `ending` run when the innermost scope of a user closes, if one is open: a graph that nobody went
  /// back through lets go of what it saved.
  public static void atEnd(Context context, Runnable ending) {
    Scope scope = context.scope;
    while (scope != null && scope.frame) {
      scope = scope.parent;
    }
    if (scope != null) {
      scope.endings.add(ending);
    }
  }

  /// Lets go of everything that was made in the scope and not kept. Closing twice does nothing.
  @Override
  public void close() {
    if (closed) {
      return;
    }
    if (Context.current() != context) {
      throw new IllegalStateException(
          "scope: a memory scope must be closed on the thread that opened it, but '%s' was closed on '%s'. Let each thread open its own."
              .formatted(name, Thread.currentThread().getName()));
    }
    closed = true;
    closeUpTo(context, this); // scopes inside that an exception left open
    context.scope = around();
    String by = frame ? null : "scope '" + name + "'";
    for (Handle handle : handles) {
      if (handle.scope == this) {
        if (frame) {
          handle.endOfFrame();
        } else {
          handle.release(by);
        }
      }
    }
    handles.clear();
    endings.forEach(Runnable::run);
    endings.clear();
  }
}
