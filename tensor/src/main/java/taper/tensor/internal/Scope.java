package taper.tensor.internal;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The handles made on one thread between two moments, to be let go together.
///
/// Users open scopes by hand. The framework opens frames around compositions and gradient formulas, so that
/// their temporaries go as soon as the result is known; a frame passes what it keeps on to the scope
/// around it.
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

  void add(Handle handle) {
    handle.scope = this;
    handles.add(handle);
  }

  /// Makes `handle` one of this scope's, whatever scope it was in.
  public void take(Handle handle) {
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
      if (parent != null) {
        parent.add(handle);
      }
    }
  }

  /// Passes all handles on to the user's scope around this frame; without one they become their user's own.
  public void promote() {
    Scope outer = parent;
    while (outer != null && outer.frame) {
      outer = outer.parent;
    }
    for (Handle handle : handles) {
      if (handle.scope == this) {
        handle.scope = null;
        if (outer != null) {
          outer.add(handle);
        }
      }
    }
    handles.clear();
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
    closed = true;
    if (Context.current() != context) {
      closed = false;
      throw new IllegalStateException("a memory scope must be closed on the thread that opened it");
    }
    while (context.scope != this) { // scopes inside that an exception left open
      Scope inner = context.scope;
      if (inner == null) {
        break;
      }
      inner.close();
    }
    context.scope = parent;
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
