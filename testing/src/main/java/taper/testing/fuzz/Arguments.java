package taper.testing.fuzz;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Device;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// Arguments from their text, and calls by reflection that throw what the method throws.
final class Arguments {
  private Arguments() {}

  /// The arguments of `executable` that `trees` describe; tensors among them are added to `made`.
  static @Nullable Object[] read(
      Executable executable, List<Tree> trees, List<@Nullable Tensor> made) {
    Type[] types = executable.getGenericParameterTypes();
    var values = new @Nullable Object[types.length];
    for (int i = 0; i < types.length; i++) {
      values[i] = value(types[i], trees.get(i), made);
    }
    return values;
  }

  private static @Nullable Object value(Type type, Tree tree, List<@Nullable Tensor> made) {
    Class<?> raw = Literals.raw(type);
    String text = tree.toString();
    if (Tensor.class.isAssignableFrom(raw) && text.startsWith("<")) {
      Tensor x = Operand.parse(text.substring(1, text.length() - 1)).tensor(made);
      if (raw == Parameter.class && x != null) {
        x = withGradient(new Parameter(x));
      }
      made.add(x);
      return x;
    }
    if (raw == Device.class && !text.equals("null")) {
      return Device.CPU;
    }
    if (!(tree instanceof Tree.Group group)) {
      return Literals.read(type, tree);
    }
    if (raw == UnaryOperator.class) {
      return options(Surface.options(type), group.parts(), made);
    }
    if (raw == List.class || raw.isArray()) {
      Type element = Literals.element(type);
      var list = new ArrayList<@Nullable Object>();
      group.parts().forEach(part -> list.add(value(element, part, made)));
      if (!raw.isArray()) {
        return list;
      }
      Object array = Array.newInstance(raw.getComponentType(), list.size());
      for (int i = 0; i < list.size(); i++) {
        Array.set(array, i, list.get(i));
      }
      return array;
    }
    return Literals.read(type, tree);
  }

  private static Parameter withGradient(Parameter parameter) {
    parameter.mul(parameter).sum().backward();
    return parameter;
  }

  private static UnaryOperator<@Nullable Object> options(
      Class<?> record, List<Tree> settings, List<@Nullable Tensor> made) {
    return given -> {
      Object options = given;
      for (Tree setting : settings) {
        List<Tree> words = ((Tree.Group) setting).parts();
        Method setter =
            Surface.setters(record).stream()
                .filter(
                    m -> (m.getName() + Surface.parameters(m)).equals(words.getFirst().toString()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no option " + words.getFirst()));
        options = invoke(setter, options, read(setter, words.subList(1, words.size()), made));
      }
      return options;
    };
  }

  /// Calls `executable`, on `target` if it is a method of objects, and throws what it throws.
  static @Nullable Object invoke(
      Executable executable, @Nullable Object target, @Nullable Object[] values) {
    try {
      executable.setAccessible(true);
      return switch (executable) {
        case Constructor<?> constructor -> constructor.newInstance(values);
        case Method method -> method.invoke(target, values);
      };
    } catch (InvocationTargetException e) {
      switch (e.getCause()) {
        case RuntimeException cause -> throw cause;
        case Error cause -> throw cause;
        case null, default -> throw new IllegalStateException(e);
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
