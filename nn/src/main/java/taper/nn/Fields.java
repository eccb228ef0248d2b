package taper.nn;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Buffer;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// The fields of a class of modules that may hold something to register, superclasses first, in declaration order.
///
/// A field counts if it is an instance field, not `transient`, and its declared type can hold a module, a parameter or a
/// buffer; what it then really holds decides. Found once per class.
final class Fields {
  private static final ClassValue<Fields> OF =
      new ClassValue<>() {
        @Override
        protected Fields computeValue(Class<?> type) {
          return new Fields(type);
        }
      };

  /// One field. `readable` is false if the package of its class is closed to us.
  record Slot(Field field, String name, boolean readable) {

    @Nullable Object read(Module owner) {
      try {
        return field.get(owner);
      } catch (IllegalAccessException e) {
        throw new AssertionError("the field was made accessible", e);
      }
    }

    /// Says why the field cannot be read, and what helps.
    ArgumentException closed() {
      Class<?> type = field.getDeclaringClass();
      return new ArgumentException(
          "%s: fields that hold modules, parameters or buffers must be readable, but module %s does not open package %s to taper.nn, so field '%s' is not. Add `opens %s to taper.nn;` to its module-info, or call %s(\"%s\", %s) in the constructor."
              .formatted(
                  type.getSimpleName(),
                  type.getModule().getName(),
                  type.getPackageName(),
                  field.getName(),
                  type.getPackageName(),
                  Parameter.class.isAssignableFrom(field.getType())
                      ? "registerParameter"
                      : Buffer.class.isAssignableFrom(field.getType())
                          ? "registerBuffer"
                          : "registerModule",
                  name,
                  field.getName()));
    }
  }

  private final List<Slot> slots = new ArrayList<>();
  private final List<Slot> collections = new ArrayList<>();

  private Fields(Class<?> type) {
    var classes = new ArrayDeque<Class<?>>();
    for (Class<?> c = type; c != Module.class && c != null; c = c.getSuperclass()) {
      classes.push(c);
    }
    for (Class<?> c : classes) {
      for (Field field : c.getDeclaredFields()) {
        inspect(field);
      }
    }
  }

  private void inspect(Field field) {
    int modifiers = field.getModifiers();
    Class<?> type = field.getType();
    if (Modifier.isStatic(modifiers)
        || Modifier.isTransient(modifiers)
        || field.isSynthetic()
        || type.isPrimitive()) {
      return;
    }
    Key key = field.getAnnotation(Key.class);
    String name = key == null ? field.getName() : key.value();
    if (isCollection(type)) {
      Class<?> element = registrable(field.getGenericType());
      if (element != null) {
        throw wrongCollection(field, element);
      }
      if (element == null && readable(field)) {
        collections.add(new Slot(field, name, true));
      }
    } else if (mayHold(type)) {
      slots.add(new Slot(field, name, readable(field)));
    }
  }

  private static boolean readable(Field field) {
    try {
      field.setAccessible(true);
      return true;
    } catch (InaccessibleObjectException e) {
      return false;
    }
  }

  private static boolean mayHold(Class<?> type) {
    return Module.class.isAssignableFrom(type)
        || Tensor.class.isAssignableFrom(type)
        || type.isInterface() && !type.isSealed() && !type.getName().startsWith("java.");
  }

  private static boolean isCollection(Class<?> type) {
    return type.isArray()
        || !Module.class.isAssignableFrom(type)
            && (Iterable.class.isAssignableFrom(type) || Map.class.isAssignableFrom(type));
  }

  /// The module, parameter or buffer type that `type`, a collection's, contains, or null.
  private static @Nullable Class<?> registrable(Type type) {
    return switch (type) {
      case Class<?> c when c.isArray() -> registrable(c.getComponentType());
      case Class<?> c when isRegistrable(c) -> c;
      case ParameterizedType p -> {
        for (Type argument : p.getActualTypeArguments()) {
          Class<?> found = registrable(argument);
          if (found != null) {
            yield found;
          }
        }
        yield null;
      }
      case WildcardType w -> registrable(w.getUpperBounds()[0]);
      default -> null;
    };
  }

  private static boolean isRegistrable(Class<?> c) {
    return Module.class.isAssignableFrom(c)
        || Parameter.class.isAssignableFrom(c)
        || Buffer.class.isAssignableFrom(c);
  }

  private static ArgumentException wrongCollection(Field field, Class<?> element) {
    String owner = field.getDeclaringClass().getSimpleName();
    String type = simple(field.getGenericType());
    if (!Module.class.isAssignableFrom(element)) {
      String method = element == Parameter.class ? "registerParameter" : "registerBuffer";
      return new ArgumentException(
          "%s: parameters and buffers must be fields of their own to be registered, but field '%s' is a %s. Call %s(name, …) for each of them in the constructor, and make the field transient."
              .formatted(owner, field.getName(), type, method));
    }
    boolean map = Map.class.isAssignableFrom(field.getType());
    return new ArgumentException(
        "%s: modules must be fields of type Module, ModuleList or ModuleDict to be registered, but field '%s' is a %s. Declare it as a %s; if its modules are registered elsewhere, make the field transient."
            .formatted(owner, field.getName(), type, map ? "ModuleDict" : "ModuleList"));
  }

  private static String simple(Type type) {
    return switch (type) {
      case Class<?> c -> c.getSimpleName();
      case ParameterizedType p -> {
        var arguments = new ArrayList<String>();
        for (Type argument : p.getActualTypeArguments()) {
          arguments.add(simple(argument));
        }
        yield simple(p.getRawType()) + "<" + String.join(", ", arguments) + ">";
      }
      case WildcardType w -> "? extends " + simple(w.getUpperBounds()[0]);
      default -> type.getTypeName();
    };
  }

  /// The fields of `type`.
  ///
  /// @throws ArgumentException if one of them is a collection of modules
  static Fields of(Class<?> type) {
    return OF.get(type);
  }

  List<Slot> slots() {
    return Collections.unmodifiableList(slots);
  }

  /// Looks into collections whose declared type does not say what they hold.
  ///
  /// @throws ArgumentException if one of them holds modules
  void checkCollections(Module owner) {
    for (Slot slot : collections) {
      Object first = first(slot.read(owner));
      if (first != null && isRegistrable(first.getClass())) {
        throw wrongCollection(slot.field(), first.getClass());
      }
    }
  }

  private static @Nullable Object first(@Nullable Object collection) {
    return switch (collection) {
      case Object[] array when array.length > 0 -> array[0];
      case Map<?, ?> map -> first(map.values());
      case java.util.Collection<?> some -> {
        Iterator<?> each = some.iterator();
        yield each.hasNext() ? each.next() : null;
      }
      case null, default -> null;
    };
  }
}
