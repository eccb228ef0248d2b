package taper.testing.fuzz;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// A call of a method, or of a constructor and a method of what it makes: `Tensor.sum(int,boolean) <f32[3 4]> 1 true backward`,
/// `Linear.new(long,long) 3 4 Linear.call(Tensor) <f32[2 3]>`.
///
/// @param steps each with its arguments; a method of an object has the object of the step before, or a tensor as its first
/// @param backward whether to go back from the sum of what is computed
record MethodCall(List<Step> steps, boolean backward) implements FuzzCall {

  /// A method or constructor with its arguments.
  record Step(String name, Executable executable, List<Tree> arguments) {
    public Step {
      arguments = List.copyOf(arguments);
    }

    boolean hasSelf() {
      return !(executable instanceof Constructor<?>)
          && !Modifier.isStatic(executable.getModifiers())
          && name.startsWith("Tensor.");
    }

    Step with(int i, Tree argument) {
      var changed = new ArrayList<>(arguments);
      changed.set(i, argument);
      return new Step(name, executable, changed);
    }

    @Override
    public String toString() {
      return arguments.isEmpty() ? name : name + " " + Tree.line(arguments);
    }
  }

  MethodCall {
    steps = List.copyOf(steps);
  }

  /// Whether `line` is one of these.
  static boolean matches(String line) {
    return line.matches("\\w+\\.\\w+\\(.*");
  }

  /// Reads what [#toString()] writes.
  static MethodCall parse(String line, Surface surface) {
    var steps = new ArrayList<Step>();
    boolean backward = false;
    List<Tree> trees = Tree.parse(line);
    for (int i = 0; i < trees.size(); ) {
      String name = trees.get(i).toString();
      if (name.equals("backward")) {
        backward = true;
        i++;
      } else {
        Step bare = new Step(name, surface.find(name), List.of());
        int count = bare.executable().getParameterCount() + (bare.hasSelf() ? 1 : 0);
        steps.add(new Step(name, bare.executable(), trees.subList(i + 1, i + 1 + count)));
        i += 1 + count;
      }
    }
    return new MethodCall(steps, backward);
  }

  @Override
  public String toString() {
    return String.join(" ", steps.stream().map(Step::toString).toList())
        + (backward ? " backward" : "");
  }

  MethodCall with(int step, int i, Tree argument) {
    var changed = new ArrayList<>(steps);
    changed.set(step, steps.get(step).with(i, argument));
    return new MethodCall(changed, backward);
  }

  @Override
  public List<Tensor> make() {
    Tensor.manualSeed(7);
    var made = new ArrayList<@Nullable Tensor>();
    Object result = null;
    List<Tensor> leaves = List.of();
    for (Step step : steps) {
      Object target = result;
      List<Tree> trees = step.arguments();
      if (step.hasSelf()) {
        String self = trees.getFirst().toString();
        target = Operand.parse(self.substring(1, self.length() - 1)).tensor(made);
        made.add((Tensor) target);
        trees = trees.subList(1, trees.size());
        if (target == null) {
          return List.of();
        }
      }
      @Nullable Object[] values = Arguments.read(step.executable(), trees, made);
      if (backward) {
        leaves = Gradients.ask(made);
      }
      result = Arguments.invoke(step.executable(), target, values);
    }
    var results = new ArrayList<Tensor>();
    collect(result, results);
    made.stream().filter(Parameter.class::isInstance).forEach(results::add);
    if (backward) {
      results.addAll(Gradients.of(results, leaves));
    }
    return results;
  }

  private static void collect(@Nullable Object value, List<Tensor> into) {
    switch (value) {
      case Tensor tensor -> into.add(tensor);
      case List<?> list -> list.forEach(element -> collect(element, into));
      case Object[] array -> Arrays.asList(array).forEach(element -> collect(element, into));
      case Record record -> {
        for (var component : record.getClass().getRecordComponents()) {
          if (Modifier.isPublic(record.getClass().getModifiers())) {
            collect(Arguments.invoke(component.getAccessor(), record, new Object[0]), into);
          }
        }
      }
      case null, default -> {}
    }
  }

  @Override
  public long largest() {
    return steps.stream()
        .flatMap(step -> step.arguments().stream())
        .mapToLong(MethodCall::largest)
        .max()
        .orElse(1);
  }

  private static long largest(Tree tree) {
    return switch (tree) {
      case Tree.Group group ->
          group.parts().stream().mapToLong(MethodCall::largest).max().orElse(1);
      case Tree.Leaf leaf ->
          leaf.text().startsWith("<")
                  && Operand.parse(leaf.text().substring(1, leaf.text().length() - 1))
                      instanceof Operand.Region region
              ? region.numel()
              : 1;
    };
  }

  @Override
  public boolean passesNull() {
    return steps.stream().anyMatch(MethodCall::passesNull);
  }

  private static boolean passesNull(Step step) {
    AnnotatedType[] types = step.executable().getAnnotatedParameterTypes();
    int self = step.hasSelf() ? 1 : 0;
    for (int i = 0; i < types.length; i++) {
      String text = step.arguments().get(i + self).toString();
      boolean missing = text.equals("null") || text.equals("<none>");
      boolean inside = text.startsWith("{") && text.matches(".*(\\bnull\\b|<none>).*");
      if (inside || missing && !types[i].isAnnotationPresent(Nullable.class)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean isExtreme() {
    return Extremes.in(toString());
  }

  @Override
  public boolean isLoose() {
    return steps.stream()
        .anyMatch(step ->
            step.name()
                .matches(
                    "(?i)\\w+\\.(\\w*empty|\\w*svd|\\w*eig|qr|lstsq|pca|geqrf|ldl|lu|householder|ormqr|matrixRank|resize|pinv|zeta|polygamma|\\w*argsort|\\w*sort|topk)\\w*\\(.*"));
  }

  @Override
  public List<FuzzCall> simpler() {
    var result = new ArrayList<FuzzCall>();
    if (backward) {
      result.add(new MethodCall(steps, false));
    }
    for (int s = 0; s < steps.size(); s++) {
      List<Tree> arguments = steps.get(s).arguments();
      for (int i = 0; i < arguments.size(); i++) {
        for (Tree simple : Shrinking.tree(arguments.get(i))) {
          result.add(with(s, i, simple));
        }
      }
    }
    return result;
  }
}
