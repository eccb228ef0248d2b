package taper.nn;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SequencedMap;
import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Checkpoint;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Modules one after the other: the output of each is the input of the next.
///
/// ```java
/// var model = new Sequential(new Linear(784, 128), new ReLU(), new Linear(128, 10));
/// ```
///
/// What one layer hands to the next is released as soon as the graph does not need it, provided that both are layers of
/// this package without hooks, so that nobody else can know the tensor. A [ReLU] before a pool of maxima is then computed
/// behind it, where there are fewer elements: which element of a window is the largest does not depend on it.
public final class Sequential extends Module implements Iterable<Module> {
  private final transient List<Module> sequence = new ArrayList<>();

  /// The modules, named by their positions.
  public Sequential(Module... modules) {
    for (Module module : Sizes.given("Sequential", "modules", modules)) {
      append(module);
    }
  }

  /// The modules with names of their own.
  public Sequential(SequencedMap<String, ? extends Module> modules) {
    Sizes.given("Sequential", "modules", modules).forEach(this::append);
  }

  /// Adds `module` at the end, named by its position.
  ///
  /// @return this module
  public Sequential append(Module module) {
    return append(Integer.toString(sequence.size()), module);
  }

  /// Adds `module` at the end, under `name`.
  ///
  /// @return this module
  /// @throws taper.tensor.ArgumentException if the name is taken or contains a dot
  public Sequential append(String name, Module module) {
    registerModule(name, Sizes.given("Sequential", "a module", module));
    sequence.add(module);
    return this;
  }

  /// The number of modules.
  public int size() {
    return sequence.size();
  }

  /// The module at `index`, which counts from the end if it is negative.
  ///
  /// @throws taper.tensor.ArgumentException if there is none
  public Module get(int index) {
    return sequence.get(ModuleList.position("Sequential", index, sequence.size()));
  }

  @Override
  public Iterator<Module> iterator() {
    return List.copyOf(sequence).iterator();
  }

  /// Runs the modules in `segments` groups of about equal length, of which all but the last are checkpointed: what they
  /// compute is not kept for the backward pass but computed again there, see [Checkpoint]. PyTorch's
  /// `checkpoint_sequential`. Hooks of this module are passed by.
  ///
  /// @throws taper.tensor.ArgumentException if there are not as many modules as segments, or no segment
  public Tensor callCheckpointed(int segments, Tensor input) {
    if (segments < 1 || segments > size()) {
      throw new ArgumentException(
          "Sequential: segments must be in 1..%d, the number of modules, but is %d."
              .formatted(size(), segments));
    }
    int length = size() / segments;
    var parts = new ArrayList<UnaryOperator<Tensor>>();
    for (int s = 0; s < segments; s++) {
      int from = s * length;
      int to = s == segments - 1 ? size() : from + length;
      parts.add(x -> forward(from, to, x));
    }
    return Checkpoint.sequential(parts, segments, input);
  }

  @Override
  protected Tensor forward(Tensor input) {
    return forward(0, sequence.size(), input);
  }

  private Tensor forward(int first, int last, Tensor input) {
    Tensor x = input;
    int next = first;
    while (next < last) {
      int end = next;
      while (end < last && sequence.get(end).letsNothingEscape()) {
        end++;
      }
      if (end - next > 1) {
        var chain = new Chain(sequence.subList(next, end), null);
        Tensor given = x;
        x = Memory.tidy(() -> chain.run(given));
        next = end;
      } else {
        x = sequence.get(next).call(x);
        next++;
      }
    }
    return x;
  }

  @Override
  protected boolean letsNothingEscape() {
    return letsNothingEscape(0);
  }

  /// As above, `depth` sequences deep; one that contains itself has no end.
  private boolean letsNothingEscape(int depth) {
    if (hasHooks() || depth > Nesting.LIMIT) {
      return false;
    }
    for (Module module : sequence) {
      if (!(module instanceof Sequential inner
          ? inner.letsNothingEscape(depth + 1)
          : module.letsNothingEscape())) {
        return false;
      }
    }
    return true;
  }
}
