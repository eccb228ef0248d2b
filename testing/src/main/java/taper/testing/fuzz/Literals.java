package taper.testing.fuzz;

import java.lang.reflect.Array;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Generator;

/// Java values as trees, and back: numbers, enums, strings, records, arrays, lists, generators.
final class Literals {
  private static final Tree NULL = new Tree.Leaf("null");

  private Literals() {}

  /// Thrown for a value that has no text.
  static final class NoTextException extends RuntimeException {
    private static final long serialVersionUID = 1;

    NoTextException(String message) {
      super(message);
    }
  }

  static Tree write(@Nullable Object value) {
    return switch (value) {
      case null -> NULL;
      case Number number -> new Tree.Leaf(number.toString());
      case Boolean truth -> new Tree.Leaf(truth.toString());
      case Enum<?> constant -> new Tree.Leaf(constant.name());
      case String text -> new Tree.Leaf('"' + text.replace(' ', '~') + '"');
      case Generator _ -> new Tree.Leaf("generator");
      case List<?> list -> new Tree.Group(list.stream().map(Literals::write).toList());
      case Record record -> new Tree.Group(components(record));
      default -> {
        if (!value.getClass().isArray()) {
          throw new NoTextException("a " + value.getClass().getName() + " has no text");
        }
        var parts = new ArrayList<Tree>();
        for (int i = 0; i < Array.getLength(value); i++) {
          parts.add(write(Array.get(value, i)));
        }
        yield new Tree.Group(parts);
      }
    };
  }

  private static List<Tree> components(Record record) {
    var parts = new ArrayList<Tree>();
    for (RecordComponent component : record.getClass().getRecordComponents()) {
      try {
        component.getAccessor().setAccessible(true);
        parts.add(write(component.getAccessor().invoke(record)));
      } catch (ReflectiveOperationException e) {
        throw new IllegalStateException(e);
      }
    }
    return parts;
  }

  /// The value of type `type` that `tree` describes.
  ///
  /// @throws IllegalArgumentException if the tree is none of the type
  static @Nullable Object read(Type type, Tree tree) {
    if (tree.equals(NULL)) {
      return null;
    }
    return switch (tree) {
      case Tree.Leaf leaf -> leaf(raw(type), leaf.text());
      case Tree.Group group -> group(type, group.parts());
    };
  }

  private static Object group(Type type, List<Tree> parts) {
    Class<?> raw = raw(type);
    if (raw.isRecord()) {
      return record(raw, parts);
    }
    Type element = element(type);
    if (raw.isArray()) {
      Object array = Array.newInstance(raw.getComponentType(), parts.size());
      for (int i = 0; i < parts.size(); i++) {
        Array.set(array, i, read(element, parts.get(i)));
      }
      return array;
    }
    var list = new ArrayList<@Nullable Object>();
    parts.forEach(part -> list.add(read(element, part)));
    return list;
  }

  /// A record of class `raw` with the components that `parts` describe.
  static Record record(Class<?> raw, List<Tree> parts) {
    RecordComponent[] components = raw.getRecordComponents();
    if (components.length != parts.size()) {
      throw new IllegalArgumentException(
          raw.getSimpleName() + " has other components than " + parts);
    }
    var types = new Class<?>[components.length];
    var values = new @Nullable Object[components.length];
    for (int i = 0; i < components.length; i++) {
      types[i] = components[i].getType();
      values[i] = read(components[i].getGenericType(), parts.get(i));
    }
    try {
      return (Record)
          Objects.requireNonNull(Arguments.invoke(raw.getDeclaredConstructor(types), null, values));
    } catch (NoSuchMethodException e) {
      throw new IllegalStateException(e);
    }
  }

  /// The class behind `type`.
  static Class<?> raw(Type type) {
    return switch (type) {
      case Class<?> raw -> raw;
      case ParameterizedType generic -> raw(generic.getRawType());
      default -> Object.class;
    };
  }

  /// The type of the elements of an array or a list.
  static Type element(Type type) {
    return type instanceof ParameterizedType generic
        ? generic.getActualTypeArguments()[0]
        : Objects.requireNonNullElse(raw(type).getComponentType(), Object.class);
  }

  private static Object leaf(Class<?> raw, String text) {
    if (raw == boolean.class || raw == Boolean.class) {
      return Boolean.valueOf(text);
    }
    if (raw == int.class || raw == Integer.class) {
      return Integer.valueOf(text);
    }
    if (raw == long.class || raw == Long.class) {
      return Long.valueOf(text);
    }
    if (raw == double.class || raw == Double.class || raw == Number.class) {
      return Double.valueOf(text);
    }
    if (raw == byte.class) {
      return Byte.valueOf(text);
    }
    if (raw == short.class) {
      return Short.valueOf(text);
    }
    if (raw == float.class || raw == Float.class) {
      return Float.valueOf(text);
    }
    if (raw == String.class || raw == Object.class || raw == CharSequence.class) {
      return text.substring(1, text.length() - 1).replace('~', ' ');
    }
    if (raw == Generator.class) {
      return new Generator(7);
    }
    for (Object constant : Objects.requireNonNullElse(raw.getEnumConstants(), new Object[0])) {
      if (((Enum<?>) constant).name().equals(text)) {
        return constant;
      }
    }
    throw new IllegalArgumentException("'" + text + "' is no " + raw.getSimpleName());
  }
}
