package taper.nn;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import taper.tensor.ArgumentException;

/// How deep a walk through a tree of modules is: it must come to an end before the stack does.
final class Nesting {
  /// The most modules inside each other.
  static final int LIMIT = 500;

  private final Module root;
  private final Set<Module> within = Collections.newSetFromMap(new IdentityHashMap<>());
  private int depth;

  Nesting(Module root) {
    this.root = root;
  }

  /// Goes into `module`, which has not been gone into.
  ///
  /// @throws ArgumentException if it is inside of itself, or too deep
  void enter(String path, Module module) {
    if (!within.add(module)) {
      throw new ArgumentException(
          "%s: modules must not contain themselves, but '%s' is a %s that is around it."
              .formatted(root.typeName(), path, module.typeName()));
    }
    deeper();
  }

  /// Goes one step into the tree, for walks that see every module once.
  void deeper() {
    if (++depth > LIMIT) {
      throw new ArgumentException(
          "%s: modules must be nested at most %d deep, but are nested deeper."
              .formatted(root.typeName(), LIMIT));
    }
  }

  /// Goes back out of `module`.
  void leave(Module module) {
    within.remove(module);
    back();
  }

  /// Goes one step back.
  void back() {
    depth--;
  }
}
