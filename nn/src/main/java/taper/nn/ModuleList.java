package taper.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import taper.tensor.ArgumentException;

/// A list of modules, registered under their positions. Called by whoever has it as a field, module by module.
///
/// ```java
/// private final ModuleList blocks = new ModuleList(new Block(), new Block());
///
/// protected Tensor forward(Tensor x) {
///   for (Module block : blocks) {
///     x = block.call(x);
///   }
///   return x;
/// }
/// ```
public final class ModuleList extends Module implements Iterable<Module> {
  private final transient List<Module> list = new ArrayList<>();

  /// The modules in order.
  public ModuleList(Module... modules) {
    this(Arrays.asList(Sizes.given("ModuleList", "modules", modules)));
  }

  /// The modules in order.
  public ModuleList(List<? extends Module> modules) {
    extend(modules);
  }

  /// Adds `module` at the end.
  ///
  /// @return this list
  public ModuleList append(Module module) {
    registerModule(Integer.toString(list.size()), Sizes.given("ModuleList", "a module", module));
    list.add(module);
    return this;
  }

  /// Adds `modules` at the end.
  ///
  /// @return this list
  public ModuleList extend(List<? extends Module> modules) {
    Sizes.given("ModuleList", "modules", modules).forEach(this::append);
    return this;
  }

  /// The number of modules.
  public int size() {
    return list.size();
  }

  /// The module at `index`, which counts from the end if it is negative.
  ///
  /// @throws ArgumentException if there is none
  public Module get(int index) {
    return list.get(position("ModuleList", index, list.size()));
  }

  /// The module at `index`, as `type`.
  ///
  /// @throws ArgumentException if there is none, or it is of another type
  public <T extends Module> T get(int index, Class<T> type) {
    return as("ModuleList", Integer.toString(index), get(index), type);
  }

  /// Replaces the module at `index`.
  ///
  /// @throws ArgumentException if there is none
  public void set(int index, Module module) {
    int position = position("ModuleList", index, list.size());
    replace(Integer.toString(position), Sizes.given("ModuleList", "a module", module));
    list.set(position, module);
  }

  /// The modules in order.
  public Stream<Module> stream() {
    return List.copyOf(list).stream();
  }

  @Override
  public Iterator<Module> iterator() {
    return List.copyOf(list).iterator();
  }

  static int position(String type, int index, int size) {
    if (index < -size || index >= size) {
      throw new ArgumentException(
          size == 0
              ? "%s: there must be a module to take, but there is none.".formatted(type)
              : "%s: the index must be in %d..%d, but is %d."
                  .formatted(type, -size, size - 1, index));
    }
    return index < 0 ? index + size : index;
  }

  static <T extends Module> T as(String owner, String key, Module module, Class<T> type) {
    if (!type.isInstance(module)) {
      throw new ArgumentException(
          "%s: module %s must be a %s, but is a %s."
              .formatted(owner, key, type.getSimpleName(), module.typeName()));
    }
    return type.cast(module);
  }
}
