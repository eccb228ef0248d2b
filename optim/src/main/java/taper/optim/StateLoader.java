package taper.optim;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.StateDictException;
import taper.tensor.Tensor;

/// Reads the state dict of an optimizer, without changing the optimizer.
final class StateLoader {
  private static final Set<String> NOTES =
      Set.of("initial_lr", "max_lr", "min_lr", "max_momentum", "base_momentum");

  private final String optimizer;
  private final List<String> names;
  private final List<Map<String, ?>> groups = new ArrayList<>();
  private final IdentityHashMap<Tensor, ParameterState> state = new IdentityHashMap<>();

  StateLoader(String optimizer, List<String> names) {
    this.optimizer = optimizer;
    this.names = names;
  }

  void load(Map<String, ?> stateDict, List<List<Tensor>> parameters) {
    Map<?, ?> states = map(stateDict.get("state"), "state");
    List<?> packed = list(stateDict.get("param_groups"), "param_groups");
    if (packed.size() != parameters.size()) {
      throw new StateDictException(
          "%s: the state dict must have one entry of param_groups per group, but it has %d for %d groups."
              .formatted(optimizer, packed.size(), parameters.size()));
    }
    for (int g = 0; g < packed.size(); g++) {
      Map<String, Object> group = new LinkedHashMap<>();
      map(packed.get(g), "param_groups[" + g + "]")
          .forEach((key, value) -> group.put(String.valueOf(key), value));
      List<?> numbers = list(group.get("params"), "param_groups[" + g + "].params");
      if (numbers.size() != parameters.get(g).size()) {
        throw new StateDictException(
            "%s: group %d of the state dict must have as many parameters as the optimizer's, but it has %d and the optimizer %d."
                .formatted(optimizer, g, numbers.size(), parameters.get(g).size()));
      }
      for (int p = 0; p < numbers.size(); p++) {
        Object entry = entry(states, numbers.get(p));
        if (entry != null) {
          Tensor parameter = parameters.get(g).get(p);
          String path = "state[" + numbers.get(p) + "]";
          state.put(parameter, state(map(entry, path), path, parameter));
        }
      }
      groups.add(group);
    }
  }

  /// Keys are whole numbers of any type, or, out of JSON, their texts.
  private static @Nullable Object entry(Map<?, ?> states, @Nullable Object number) {
    String wanted = String.valueOf(number);
    for (Map.Entry<?, ?> entry : states.entrySet()) {
      if (String.valueOf(entry.getKey()).equals(wanted)) {
        return entry.getValue();
      }
    }
    return null;
  }

  private ParameterState state(Map<?, ?> entry, String path, Tensor parameter) {
    var result = new LinkedHashMap<String, Tensor>();
    for (String name : names) {
      Object value = entry.get(name);
      if (value == null) {
        continue;
      }
      if (!(value instanceof Tensor tensor)) {
        throw new StateDictException(
            "%s: %s.%s of the state dict must be a tensor, but is a %s."
                .formatted(optimizer, path, name, value.getClass().getSimpleName()));
      }
      if (!tensor.shape().equals(parameter.shape())) {
        throw new StateDictException(
            "%s: %s.%s of the state dict must have the shape of its parameter, %s, but has %s."
                .formatted(optimizer, path, name, parameter.shape(), tensor.shape()));
      }
      result.put(name, Autograd.noGrad(() -> tensor.detach().to(parameter.dtype()).clone()).keep());
    }
    long steps =
        switch (entry.get("step")) {
          case Tensor tensor -> (long) tensor.item();
          case Number number -> number.longValue();
          case null, default -> 0;
        };
    return new ParameterState(result, steps);
  }

  private Map<?, ?> map(@Nullable Object value, String path) {
    if (value instanceof Map<?, ?> map) {
      return map;
    }
    throw wrong(path, "a map", value);
  }

  private List<?> list(@Nullable Object value, String path) {
    if (value instanceof List<?> list) {
      return list;
    }
    throw wrong(path, "a list", value);
  }

  private StateDictException wrong(String path, String what, @Nullable Object value) {
    return new StateDictException(
        "%s: %s of the state dict must be %s, but is %s."
            .formatted(
                optimizer,
                path,
                what,
                value == null ? "missing" : "a " + value.getClass().getSimpleName()));
  }

  List<Map<String, ?>> groups() {
    return groups;
  }

  Map<Tensor, ParameterState> state() {
    return state;
  }

  /// What schedules have kept with group `g`.
  Map<String, Double> notes(int g) {
    var result = new LinkedHashMap<String, Double>();
    groups
        .get(g)
        .forEach((key, value) -> {
          if (NOTES.contains(key) && value instanceof Number number) {
            result.put(key, number.doubleValue());
          }
        });
    return result;
  }
}
