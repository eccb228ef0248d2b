package taper.nn;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Memory;
import taper.tensor.TaperException;

/// The modules that are being called on one thread, outermost first. An error on its way out is told where it happened:
/// the path of the innermost module as seen from the outermost.
final class Calls {
  private static final ThreadLocal<Deque<Module>> RUNNING =
      ThreadLocal.withInitial(ArrayDeque::new);

  private Calls() {}

  static <R> R run(Module module, Supplier<R> body) {
    Deque<Module> running = RUNNING.get();
    int around = running.size();
    if (around == 0) {
      module.nameParts();
    } else if (around >= Nesting.LIMIT) {
      throw new ArgumentException(
          "modules must be called at most %d deep inside each other, but these are called deeper. Does one of them contain itself?"
              .formatted(Nesting.LIMIT));
    }
    running.addLast(module);
    String outer = Memory.enter(module.label());
    try {
      return body.get();
    } catch (TaperException e) {
      if (!e.hasPlace()) {
        e.within(place(running));
      }
      throw e;
    } catch (StackOverflowError e) {
      if (around > 0) {
        throw e;
      }
      var deep =
          new ArgumentException(
              "%s: a call must fit into the stack of its thread, but goes deeper. Does a module contain itself? A larger stack is given with -Xss, or to the constructor of the thread."
                  .formatted(module.typeName()));
      deep.initCause(e);
      throw deep;
    } finally {
      Memory.enter(outer);
      while (running.size() > around) { // more than one after a stack overflow
        running.removeLast();
      }
    }
  }

  /// Such as `classifier.1 (Linear)`, or `Linear` if the innermost is the outermost too.
  private static String place(Deque<Module> running) {
    List<Module> modules = new ArrayList<>(running);
    Module innermost = modules.getLast();
    var path = new ArrayDeque<String>();
    int at = modules.size() - 1;
    while (at > 0) {
      // the outermost module that knows this one; usually the outermost of all
      int from = 0;
      String within = null;
      while (from < at && within == null) {
        within = pathIn(modules.get(from), modules.get(at));
        if (within == null) {
          from++;
        }
      }
      if (within == null) { // not registered anywhere: its class has to do
        path.addFirst(modules.get(at).typeName());
        at--;
      } else {
        if (!within.isEmpty()) {
          path.addFirst(within);
        }
        at = from;
      }
    }
    return path.isEmpty()
        ? innermost.typeName()
        : String.join(".", path) + " (" + innermost.typeName() + ")";
  }

  private static @Nullable String pathIn(Module root, Module wanted) {
    for (Map.Entry<String, Module> entry : root.namedModules().entrySet()) {
      if (entry.getValue() == wanted) {
        return entry.getKey();
      }
    }
    return null;
  }
}
