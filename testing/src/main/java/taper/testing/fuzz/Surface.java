package taper.testing.fuzz;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import taper.tensor.Device;
import taper.tensor.Generator;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The public methods and constructors of classes whose arguments can be written down.
///
/// A name such as `Tensor.sum(int,boolean)`, `Linear.new(long,long)` stands for one.
final class Surface {
  /// What has no values to compare, changes the process, or waits for somebody.
  private static final Set<String> LEFT_OUT =
      Set.of(
          "equals",
          "hashCode",
          "getClass",
          "notify",
          "notifyAll",
          "wait",
          "toString",
          "manualSeed",
          "setNumThreads",
          "keep",
          "setData",
          "within",
          "strided",
          "loadStateDict",
          "apply",
          "share");

  private final Map<String, Executable> executables = new LinkedHashMap<>();
  private final List<Executable> entries = new ArrayList<>();

  Surface(List<Class<?>> classes) {
    for (Class<?> type : classes) {
      Stream<Executable> all =
          Stream.concat(
              Modifier.isAbstract(type.getModifiers())
                  ? Stream.of()
                  : Arrays.stream(type.getConstructors()),
              Arrays.stream(type.getMethods()));
      all.filter(e -> !e.isSynthetic() && !LEFT_OUT.contains(e.getName()))
          .filter(e -> Arrays.stream(e.getGenericParameterTypes()).allMatch(Surface::canWrite))
          .sorted(Comparator.comparing(Surface::name))
          .forEach(e -> add(type, e));
    }
  }

  private void add(Class<?> type, Executable e) {
    boolean entry =
        e instanceof Constructor<?> || Modifier.isStatic(e.getModifiers()) || type == Tensor.class;
    if (executables.put(name(type, e), e) == null && entry) {
      entries.add(e);
    }
  }

  /// The constructors, static methods and methods of tensors.
  List<Executable> entries() {
    return entries;
  }

  /// The method or constructor called `name`.
  ///
  /// @throws IllegalArgumentException if there is none
  Executable find(String name) {
    Executable found = executables.get(name);
    if (found == null) {
      throw new IllegalArgumentException("there is no " + name);
    }
    return found;
  }

  /// The methods that compute something from tensors by an object of class `type`.
  List<Method> callsOf(Class<?> type) {
    List<Method> all =
        Arrays.stream(type.getMethods())
            .filter(m -> List.of("call", "run", "step", "forward").contains(m.getName()))
            .filter(m -> !m.isSynthetic() && executables.containsValue(m))
            .sorted(Comparator.comparing(Surface::name))
            .toList();
    List<Method> own =
        all.stream()
            .filter(m -> !m.getDeclaringClass().getSimpleName().matches("Module|Layer"))
            .toList();
    return own.isEmpty() ? all : own; // what all modules have, only layers of one input make work
  }

  static String name(Executable e) {
    return name(e.getDeclaringClass(), e);
  }

  /// The name of `e` as a member of `type`.
  static String name(Class<?> type, Executable e) {
    Class<?> shown =
        Tensor.class.isAssignableFrom(type) || e.getDeclaringClass().isAssignableFrom(Tensor.class)
            ? Tensor.class
            : type;
    return shown.getSimpleName()
        + "."
        + (e instanceof Constructor<?> ? "new" : e.getName())
        + parameters(e);
  }

  static String parameters(Executable e) {
    return Arrays.stream(e.getParameterTypes())
        .map(Class::getSimpleName)
        .collect(Collectors.joining(",", "(", ")"));
  }

  /// Whether arguments of `type` have a text.
  static boolean canWrite(Type type) {
    Class<?> raw = Literals.raw(type);
    if (raw == UnaryOperator.class) {
      return options(type) != Object.class;
    }
    if (List.class == raw || raw.isArray()) {
      return canWrite(Literals.element(type));
    }
    return raw.isPrimitive()
        || raw.isEnum()
        || raw == Tensor.class
        || raw == Parameter.class
        || Set.of(
                Integer.class,
                Long.class,
                Double.class,
                Boolean.class,
                String.class,
                Generator.class,
                Device.class)
            .contains(raw)
        || raw.isRecord()
            && !raw.getName().contains("Result")
            && Arrays.stream(raw.getRecordComponents())
                .allMatch(c -> c.getType().isPrimitive() || c.getType().isEnum());
  }

  /// The record that a lambda with options changes, or Object.
  static Class<?> options(Type type) {
    return type instanceof ParameterizedType generic
            && Literals.raw(generic.getActualTypeArguments()[0]).isRecord()
        ? Literals.raw(generic.getActualTypeArguments()[0])
        : Object.class;
  }

  /// The methods that set something in options of class `record`.
  static List<Method> setters(Class<?> record) {
    return Arrays.stream(record.getMethods())
        .filter(m -> m.getReturnType() == record && m.getParameterCount() > 0)
        .filter(m -> !Modifier.isStatic(m.getModifiers()) && !m.isSynthetic())
        .filter(m -> Arrays.stream(m.getGenericParameterTypes()).allMatch(Surface::canWrite))
        .sorted(Comparator.comparing((AnnotatedElement m) -> name((Method) m)))
        .toList();
  }
}
