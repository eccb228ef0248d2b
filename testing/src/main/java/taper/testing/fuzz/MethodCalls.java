package taper.testing.fuzz;

import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Device;
import taper.tensor.Generator;
import taper.tensor.Operator;
import taper.tensor.Tensor;

/// Draws calls of methods and constructors. Calls that succeeded are remembered, and changed a little.
final class MethodCalls {
  private static final int REMEMBERED = 12;
  private static final List<String> SMALL =
      List.of(
          "0", "1", "1", "1", "2", "2", "2", "2", "3", "3", "3", "3", "4", "4", "4", "6", "6", "8",
          "8", "-1");
  private static final List<String> FRACTIONS =
      List.of("0.0", "0.5", "0.5", "1.0", "1.0", "2.0", "0.1", "-1.0", "3.0", "1.0E-5");
  private static final List<String> SHAPES =
      List.of(
          "f32[3 4]",
          "f32[3 4]",
          "f32[5]",
          "f32[2 3 4]",
          "f32[2 3 8 8]",
          "f32[2 3 6]",
          "f32[1 2 4 5 6]",
          "f32[4 4] definite",
          "f32[]",
          "i64[3] in 0..3",
          "i64[3 4] in 0..3",
          "bool[3 4]",
          "f64[3 4]",
          "c64[3 4]",
          "f32[3 4] in 0..1",
          "u8[3 4] in 0..2",
          "f32[0 3]",
          "bf16[3 4]");

  private final Surface surface;
  private final Map<String, Operator<?>> operators;
  private final Map<String, List<MethodCall>> valid = new HashMap<>();

  MethodCalls(Surface surface, Map<String, Operator<?>> operators) {
    this.surface = surface;
    this.operators = operators;
  }

  boolean isEmpty() {
    return surface.entries().isEmpty();
  }

  MethodCall draw(SplittableRandom random) {
    Executable entry = Numbers.one(surface.entries(), random);
    List<MethodCall> known = valid.getOrDefault(Surface.name(entry), List.of());
    MethodCall call =
        known.isEmpty() || random.nextInt(4) == 0
            ? fresh(entry, random)
            : Numbers.one(known, random);
    int changes = known.isEmpty() ? random.nextInt(2) : 1 + random.nextInt(3);
    for (; changes > 0; changes--) {
      call = changed(call, random);
    }
    return new MethodCall(call.steps(), random.nextBoolean());
  }

  /// Remembers that `call` succeeded.
  void succeeded(MethodCall call) {
    List<MethodCall> known =
        valid.computeIfAbsent(
            Surface.name(call.steps().getFirst().executable()), _ -> new ArrayList<>());
    if (known.size() < REMEMBERED) {
      known.add(call);
    } else {
      known.set(Math.floorMod(call.hashCode(), REMEMBERED), call);
    }
  }

  private MethodCall fresh(Executable entry, SplittableRandom random) {
    var steps = new ArrayList<MethodCall.Step>();
    List<Operand> like = like(entry.getName(), random);
    steps.add(step(Surface.name(entry), entry, like, random));
    if (entry instanceof Constructor<?> constructor) {
      Class<?> type = constructor.getDeclaringClass();
      List<Method> calls = surface.callsOf(type);
      if (!calls.isEmpty()) {
        Method call = Numbers.one(calls, random);
        steps.add(step(Surface.name(type, call), call, inputs(steps.getFirst(), random), random));
      }
    }
    return new MethodCall(steps, false);
  }

  /// The operands of a sample of the operator that is called as the method.
  private List<Operand> like(String name, SplittableRandom random) {
    Operator<?> operator = operators.get(name);
    return operator == null || operator.samples().isEmpty()
        ? List.of()
        : Operand.ofSample(Numbers.one(operator.samples(), random).inputs());
  }

  /// Inputs for a layer or loss that `constructor` makes: an image or the like, and others of its shape, or labels.
  private static List<Operand> inputs(MethodCall.Step constructor, SplittableRandom random) {
    String first = input(constructor, random);
    String leading =
        first.replaceAll(".*\\[(\\d*) ?(\\d*).*", random.nextBoolean() ? "$1" : "$1 $2");
    String second =
        switch (random.nextInt(3)) {
          case 0 -> "i64[" + leading.strip() + "] in 0..2";
          case 1 -> first.replaceAll(" in .*", "") + " in 0..1";
          default -> first;
        };
    return List.of(Operand.parse(first), Operand.parse(second), Operand.parse(second));
  }

  private static String input(MethodCall.Step constructor, SplittableRandom random) {
    var numbers =
        new ArrayList<>(
            constructor.arguments().stream()
                .map(Tree::toString)
                .filter(text -> text.matches("\\d{1,2}"))
                .toList());
    numbers.add("3");
    String first = numbers.getFirst();
    Matcher rank = Pattern.compile("([123])d\\.new").matcher(constructor.name());
    int dimensions = rank.find() ? Integer.parseInt(rank.group(1)) : 1 + random.nextInt(3);
    return Numbers.one(
        List.of(
            "f32[2 " + first + List.of(" 9", " 9 8", " 6 7 5").get(dimensions - 1) + "]",
            "f32[1 " + first + List.of(" 12", " 11 12", " 9 9 9").get(dimensions - 1) + "]",
            "f32[2 " + first + "]",
            "f32[2 5 " + first + "]",
            "f32[" + first + "]",
            "i64[2 3] in 0.." + first,
            "f32[3 " + Numbers.one(numbers, random) + " " + Numbers.one(numbers, random) + "]"),
        random);
  }

  private MethodCall.Step step(
      String name, Executable executable, List<Operand> like, SplittableRandom random) {
    var bare = new MethodCall.Step(name, executable, List.of());
    var arguments = new ArrayList<Tree>();
    int[] next = {0};
    if (bare.hasSelf()) {
      arguments.add(tensor(like, next, random));
    }
    for (Type type : executable.getGenericParameterTypes()) {
      arguments.add(argument(type, like, next, random));
    }
    return new MethodCall.Step(name, executable, arguments);
  }

  private static Tree tensor(List<Operand> like, int[] next, SplittableRandom random) {
    int i = next[0]++;
    Operand operand =
        i < like.size()
            ? like.get(i)
            : !like.isEmpty() && random.nextBoolean()
                ? like.getFirst()
                : Operand.parse(Numbers.one(SHAPES, random));
    return new Tree.Leaf("<" + operand + ">");
  }

  private Tree argument(Type type, List<Operand> like, int[] next, SplittableRandom random) {
    Class<?> raw = Literals.raw(type);
    if (Tensor.class.isAssignableFrom(raw)) {
      return tensor(like, next, random);
    }
    if (raw == UnaryOperator.class) {
      return new Tree.Group(
          IntStream.range(0, random.nextInt(4))
              .mapToObj(_ -> setting(Surface.options(type), like, next, random))
              .toList());
    }
    if (raw == List.class || raw.isArray()) {
      return new Tree.Group(
          IntStream.range(0, random.nextInt(5))
              .mapToObj(_ -> argument(Literals.element(type), like, next, random))
              .toList());
    }
    if (raw.isRecord()) {
      return new Tree.Group(
          java.util.Arrays.stream(raw.getRecordComponents())
              .map(c -> argument(c.getGenericType(), like, next, random))
              .toList());
    }
    return new Tree.Leaf(word(raw, random));
  }

  private Tree setting(Class<?> options, List<Operand> like, int[] next, SplittableRandom random) {
    Method setter = Numbers.one(Surface.setters(options), random);
    var words = new ArrayList<Tree>();
    words.add(new Tree.Leaf(setter.getName() + Surface.parameters(setter)));
    for (Type type : setter.getGenericParameterTypes()) {
      words.add(argument(type, like, next, random));
    }
    return new Tree.Group(words);
  }

  private static String word(Class<?> raw, SplittableRandom random) {
    if (raw == boolean.class || raw == Boolean.class) {
      return random.nextBoolean() ? "true" : "false";
    }
    if (raw == double.class || raw == float.class || raw == Double.class) {
      return Numbers.one(FRACTIONS, random);
    }
    if (raw == byte.class || raw == short.class || raw == int.class || raw == long.class) {
      return Numbers.one(SMALL, random);
    }
    if (raw == Integer.class || raw == Long.class) {
      return Numbers.one(SMALL, random);
    }
    if (raw.isEnum()) {
      return ((Enum<?>) Numbers.one(List.of(raw.getEnumConstants()), random)).name();
    }
    if (raw == String.class) {
      return Numbers.one(
          List.of(
              "\"\"",
              "\"mean\"",
              "\"ij,jk->ik\"",
              "\"bilinear\"",
              "\"nearest\"",
              "\"linear\"",
              "\"x\"",
              "\"constant\"",
              "\"fro\""),
          random);
    }
    return raw == Generator.class ? "generator" : raw == Device.class ? "cpu" : "null";
  }

  private MethodCall changed(MethodCall call, SplittableRandom random) {
    int s = random.nextInt(call.steps().size());
    MethodCall.Step step = call.steps().get(s);
    if (step.arguments().isEmpty()) {
      return call;
    }
    int i = random.nextInt(step.arguments().size());
    int parameter = step.hasSelf() ? i - 1 : i;
    Type type =
        parameter < 0 ? Tensor.class : step.executable().getGenericParameterTypes()[parameter];
    return call.with(s, i, changed(type, step.arguments().get(i), parameter >= 0, random));
  }

  private Tree changed(Type type, Tree tree, boolean mayBeNull, SplittableRandom random) {
    Class<?> raw = Literals.raw(type);
    if (mayBeNull && !raw.isPrimitive() && random.nextInt(25) == 0) {
      return new Tree.Leaf("null");
    }
    if (tree.toString().equals("null")) {
      return argument(type, List.of(), new int[1], random);
    }
    if (Tensor.class.isAssignableFrom(raw)) {
      return changedTensor(tree, random);
    }
    if (raw == UnaryOperator.class) {
      return changedOptions(type, (Tree.Group) tree, random);
    }
    if (tree instanceof Tree.Group group && (raw == List.class || raw.isArray())) {
      int n = group.parts().size();
      int choice = random.nextInt(6);
      if (n == 0 || choice == 0) {
        return group.plus(
            random.nextInt(n + 1), argument(Literals.element(type), List.of(), new int[1], random));
      }
      int i = random.nextInt(n);
      return choice == 1
          ? group.without(i)
          : group.with(i, changed(Literals.element(type), group.parts().get(i), true, random));
    }
    return random.nextBoolean() && tree instanceof Tree.Leaf
        ? new Tree.Leaf(word(raw, random))
        : Numbers.changed(type, tree, random);
  }

  private static Tree changedTensor(Tree tree, SplittableRandom random) {
    String text = tree.toString();
    Operand before = Operand.parse(text.substring(1, text.length() - 1));
    Operand after = OperatorCalls.operand(before, List.of(before), 0, random);
    return after instanceof Operand.Region || after instanceof Operand.Absent
        ? new Tree.Leaf("<" + after + ">")
        : tree;
  }

  private Tree changedOptions(Type type, Tree.Group group, SplittableRandom random) {
    int n = group.parts().size();
    int choice = random.nextInt(5);
    if (n == 0 || choice == 0) {
      return group.plus(n, setting(Surface.options(type), List.of(), new int[1], random));
    }
    int i = random.nextInt(n);
    if (choice == 1) {
      return group.without(i);
    }
    var setting = (Tree.Group) group.parts().get(i);
    Method setter = setter(Surface.options(type), setting.parts().getFirst().toString());
    if (setter == null) {
      return group;
    }
    int k = random.nextInt(setter.getParameterCount());
    return group.with(
        i,
        setting.with(
            k + 1,
            changed(
                setter.getGenericParameterTypes()[k], setting.parts().get(k + 1), true, random)));
  }

  private static @Nullable Method setter(Class<?> options, String name) {
    return Surface.setters(options).stream()
        .filter(m -> (m.getName() + Surface.parameters(m)).equals(name))
        .findFirst()
        .orElse(null);
  }
}
