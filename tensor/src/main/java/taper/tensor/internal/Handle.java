package taper.tensor.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.ref.PhantomReference;
import java.lang.ref.ReferenceQueue;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import taper.tensor.ReleasedException;
import taper.tensor.spi.Strided;

/// One tensor's hold on its storage.
///
/// It is let go once: by a scope, by the framework as soon as it knows that nobody can use the tensor any
/// more, or, when neither did, by the collector through the phantom reference that the handle is. Handles
/// that are alive are linked with each other, since a phantom reference must itself be reachable to be
/// enqueued.
public final class Handle extends PhantomReference<Object> {
  private static final VarHandle STATE;
  private static final VarHandle PINS;

  static {
    try {
      PINS = MethodHandles.lookup().findVarHandle(Handle.class, "pins", int.class);
      STATE = MethodHandles.lookup().findVarHandle(Handle.class, "state", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int LIVE = 0;
  private static final int RELEASED = 1;
  private static final int STRIPES = 16;
  private static final Handle[] HEADS = new Handle[STRIPES];
  static final ReferenceQueue<Object> QUEUE = new ReferenceQueue<>();

  static {
    for (int i = 0; i < STRIPES; i++) {
      HEADS[i] = new Handle();
    }
  }

  private static final AtomicLong IDS = new AtomicLong();
  private static final boolean TRACE = Boolean.getBoolean("taper.memory.trace");

  private final @Nullable Storage storage;
  private final @Nullable Strided region;
  private final @Nullable String place;
  private final @Nullable Throwable origin;
  private final long id;
  private final Handle head;
  private @Nullable Handle next;
  private @Nullable Handle previous;

  @SuppressWarnings("unused") // through STATE
  private volatile int state;

  @Nullable Scope scope;
  private @Nullable String releasedBy;

  @SuppressWarnings("unused") // through PINS
  private volatile int pins;

  private boolean orphan;
  private boolean kept;

  private Handle() {
    super(new Object(), null);
    this.storage = null;
    this.region = null;
    this.place = null;
    this.origin = null;
    this.id = 0;
    this.head = this;
  }

  /// A hold of `owner` on `storage`, which belongs to the scope in force on this thread, if there is one.
  public Handle(Object owner, Storage storage, Strided region, Context context) {
    super(owner, QUEUE);
    this.storage = storage;
    this.region = region;
    this.place = context.modulePath;
    this.origin = TRACE ? new Throwable("the tensor was made here") : null;
    this.id = IDS.incrementAndGet();
    if (!storage.retain()) {
      clear();
      throw new ReleasedException(
          "tensor: the memory of this %s tensor of shape %s must be alive, but was released on another thread meanwhile. Call keep() on it before the scope ends, or use its values inside."
              .formatted(region.dtype(), Arrays.toString(region.sizes())));
    }
    this.head = HEADS[(int) Thread.currentThread().threadId() & STRIPES - 1];
    synchronized (head) {
      next = head.next;
      previous = head;
      if (next != null) {
        next.previous = this;
      }
      head.next = this;
    }
    Scope current = context.scope;
    if (current != null) {
      try {
        current.add(this);
      } catch (Throwable t) { // the heap is full
        release(null);
        throw t;
      }
    }
  }

  /// The storage this handle holds, or held.
  public Storage storage() {
    assert storage != null;
    return storage;
  }

  /// What the tensor sees of the storage.
  public Strided region() {
    assert region != null;
    return region;
  }

  /// The hold that takes the place of this one when `owner` sees the storage in another way.
  public Handle seenAs(Object owner, Strided geometry, Context context) {
    Handle next = new Handle(owner, storage(), geometry, context);
    Scope of = scope;
    next.adopt();
    if (of != null && of.belongsTo(context)) {
      of.add(next);
    }
    next.orphan = orphan;
    next.kept = kept;
    next.pins = pins;
    return next;
  }

  /// Adds a holder to the storage, unless this hold has been let go.
  boolean retain() {
    return state == LIVE && storage().retain();
  }

  /// Whether the hold has been let go.
  public boolean isReleased() {
    return state == RELEASED;
  }

  /// What let go of the storage, for the error message.
  public String releasedBy() {
    return releasedBy == null ? "the framework" : releasedBy;
  }

  /// Lets go of the storage. Calls after the first do nothing.
  public void release(@Nullable String by) {
    if (state == LIVE && STATE.compareAndSet(this, LIVE, RELEASED)) {
      releasedBy = by;
      scope = null;
      clear();
      synchronized (head) {
        Handle before = previous;
        assert before != null;
        before.next = next;
        if (next != null) {
          next.previous = before;
        }
        next = null;
        previous = null;
      }
      storage().release();
    }
  }

  /// Says that the framework needs the tensor for a while: the graph saved it, or the engine passes it on. A
  /// frame does not let go of a pinned handle; it leaves that to the last [#unpin()].
  public void pin() {
    PINS.getAndAdd(this, 1);
  }

  /// Takes one pin back, and lets go of the storage if that was the last and nobody else owns the handle.
  public void unpin() {
    if ((int) PINS.getAndAdd(this, -1) == 1 && orphan) {
      release(null);
    }
  }

  /// Whether only the framework knows the tensor, and only one part of it: it may be overwritten or stolen.
  public boolean isExclusive() {
    return orphan && pins == 1 && storage().isHeldOnce();
  }

  /// Whether the frame in force made the tensor, and nothing else has taken hold of it or its memory since.
  public boolean isLooseIn(Context context) {
    return scope != null && scope == context.scope && pins == 0 && storage().isHeldOnce();
  }

  /// Called by a frame that ends: lets go now, or, while the handle is pinned, leaves it to the last pin.
  void endOfFrame() {
    scope = null;
    orphan = true;
    if (pins == 0) {
      release(null);
    }
  }

  /// Whether the frame that made it has ended, so that the last pin lets go of it.
  boolean isOrphan() {
    return orphan;
  }

  /// Makes the handle its user's own: neither scopes nor the framework let go of it from now on.
  public void adopt() {
    scope = null;
    orphan = false;
  }

  /// Makes the handle its user's own for good: a scope does not get it back.
  public void keep() {
    adopt();
    kept = true;
  }

  /// Whether the user has asked to [#keep()] it.
  boolean isKept() {
    return kept;
  }

  /// What one live handle holds.
  ///
  /// @param id handles are numbered in the order in which they are made
  /// @param place the path of the module that was running, or null
  /// @param origin where it was made, if `taper.memory.trace` is set
  public record Held(
      long id,
      Storage storage,
      Strided region,
      @Nullable String place,
      @Nullable Throwable origin) {}

  /// All live handles, oldest first.
  public static List<Held> live() {
    var result = new ArrayList<Held>();
    for (Handle head : HEADS) {
      synchronized (head) {
        for (Handle h = head.next; h != null; h = h.next) {
          Strided region = h.region;
          if (region != null) {
            result.add(new Held(h.id, h.storage(), region, h.place, h.origin));
          }
        }
      }
    }
    result.sort(Comparator.comparingLong(Held::id));
    return result;
  }

  /// Handles are numbered in the order in which they are made.
  public long id() {
    return id;
  }

  /// The number of the youngest handle.
  public static long lastId() {
    return IDS.get();
  }

  /// Lets go of what the collector has found unreachable.
  static int drain() {
    int count = 0;
    while (QUEUE.poll() instanceof Handle handle) {
      handle.release("the collector");
      count++;
    }
    return count;
  }
}
