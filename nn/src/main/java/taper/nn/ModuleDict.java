package taper.nn;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import taper.tensor.ArgumentException;

/// Modules by name, in the order in which they were added. Called by whoever has it as a field, module by module.
public final class ModuleDict extends Module {
  private final transient Map<String, Module> map = new LinkedHashMap<>();

  /// No modules.
  public ModuleDict() {}

  /// The modules by name.
  public ModuleDict(Map<String, ? extends Module> modules) {
    Sizes.given("ModuleDict", "modules", modules).forEach(this::put);
  }

  /// Adds `module` under `key`, or replaces the one that is there.
  ///
  /// @return this module
  /// @throws ArgumentException if the key contains a dot
  public ModuleDict put(String key, Module module) {
    Sizes.given("ModuleDict", "a module", module);
    if (map.containsKey(key)) {
      replace(key, module);
    } else {
      registerModule(key, module);
    }
    map.put(key, module);
    return this;
  }

  /// The module under `key`.
  ///
  /// @throws ArgumentException if there is none
  public Module get(String key) {
    Module module = map.get(key);
    if (module == null) {
      throw new ArgumentException(
          "ModuleDict: the key must be one of %s, but is '%s'.".formatted(map.keySet(), key));
    }
    return module;
  }

  /// The module under `key`, as `type`.
  ///
  /// @throws ArgumentException if there is none, or it is of another type
  public <T extends Module> T get(String key, Class<T> type) {
    return ModuleList.as("ModuleDict", key, get(key), type);
  }

  /// Takes the module under `key` out.
  ///
  /// @return the module
  /// @throws ArgumentException if there is none
  public Module remove(String key) {
    Module module = get(key);
    unregister(key);
    map.remove(key);
    return module;
  }

  /// Whether there is a module under `key`.
  public boolean containsKey(String key) {
    return map.containsKey(key);
  }

  /// The names in order.
  public Set<String> keys() {
    return new java.util.LinkedHashSet<>(map.keySet());
  }

  /// The number of modules.
  public int size() {
    return map.size();
  }
}
