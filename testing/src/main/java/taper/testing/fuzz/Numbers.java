package taper.testing.fuzz;

import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.List;
import java.util.SplittableRandom;

/// Draws values that programs pass by mistake: one beside the right one, limits of types, NaN.
final class Numbers {
  private static final List<String> INTS =
      List.of(
          "0", "1", "-1", "2", "3", "7", "-2", "65536", "1073741824", "2147483647", "-2147483648");
  private static final List<String> LONGS =
      List.of(
          "0",
          "1",
          "-1",
          "2",
          "3",
          "5",
          "65536",
          "2147483648",
          "4294967296",
          "4611686018427387904",
          "9223372036854775807",
          "-9223372036854775808");
  private static final List<String> DOUBLES =
      List.of(
          "0.0",
          "1.0",
          "-1.0",
          "2.0",
          "0.5",
          "-0.0",
          "NaN",
          "Infinity",
          "-Infinity",
          "1.0E300",
          "1.7976931348623157E308",
          "4.9E-324",
          "65536.0",
          "1.0E-9");

  private Numbers() {}

  static <T> T one(List<T> of, SplittableRandom random) {
    return of.get(random.nextInt(of.size()));
  }

  /// `tree`, a value of type `type`, with one change somewhere.
  static Tree changed(Type type, Tree tree, SplittableRandom random) {
    Class<?> raw = Literals.raw(type);
    return switch (tree) {
      case Tree.Leaf leaf -> new Tree.Leaf(word(raw, leaf.text(), random));
      case Tree.Group group when raw.isRecord() -> component(raw, group, random);
      case Tree.Group group -> element(Literals.element(type), group, random);
    };
  }

  private static Tree component(Class<?> raw, Tree.Group group, SplittableRandom random) {
    RecordComponent[] components = raw.getRecordComponents();
    if (components.length == 0) {
      return group;
    }
    int i = random.nextInt(components.length);
    boolean boxed = Number.class.isAssignableFrom(components[i].getType());
    if (boxed && random.nextInt(10) == 0) {
      return group.with(i, new Tree.Leaf("null"));
    }
    return group.with(i, changed(components[i].getGenericType(), group.parts().get(i), random));
  }

  private static Tree element(Type element, Tree.Group group, SplittableRandom random) {
    int n = group.parts().size();
    int choice = random.nextInt(10);
    if (n == 0 || choice == 0) {
      return group.plus(
          random.nextInt(n + 1), new Tree.Leaf(word(Literals.raw(element), "1", random)));
    }
    int i = random.nextInt(n);
    return switch (choice) {
      case 1 -> group.without(i);
      case 2 -> group.plus(i, group.parts().get(i));
      case 3 -> new Tree.Group(List.of());
      default -> group.with(i, changed(element, group.parts().get(i), random));
    };
  }

  private static String word(Class<?> raw, String old, SplittableRandom random) {
    if (raw == boolean.class || raw == Boolean.class) {
      return String.valueOf(!Boolean.parseBoolean(old));
    }
    if (raw == int.class || raw == Integer.class) {
      return random.nextInt(3) == 0 ? beside(old, random) : one(INTS, random);
    }
    if (raw == long.class || raw == Long.class) {
      return random.nextInt(3) == 0 ? beside(old, random) : one(LONGS, random);
    }
    if (raw == double.class || raw == Double.class) {
      return one(DOUBLES, random);
    }
    if (raw.isEnum()) {
      return ((Enum<?>) one(List.of(raw.getEnumConstants()), random)).name();
    }
    return old;
  }

  private static String beside(String old, SplittableRandom random) {
    return old.matches("-?\\d{1,9}")
        ? String.valueOf(Long.parseLong(old) + (random.nextBoolean() ? 1 : -1))
        : old;
  }
}
