package taper.tensor;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/// Hooks in the order of their registration, each with a guard that takes it away again, wherever else it is registered.
///
/// @param <H> the type of the hooks
final class HookList<H> {
  private final List<Entry<H>> entries = new CopyOnWriteArrayList<>();

  /// One registration: equal to itself only.
  private static final class Entry<H> {
    final H hook;

    Entry(H hook) {
      this.hook = hook;
    }
  }

  Guard add(H hook) {
    var entry = new Entry<>(hook);
    entries.add(entry);
    return () -> entries.remove(entry);
  }

  boolean isEmpty() {
    return entries.isEmpty();
  }

  /// The hooks of this moment: one that runs may take itself away.
  List<H> all() {
    return entries.stream().map(entry -> entry.hook).toList();
  }
}
