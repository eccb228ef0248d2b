package taper.optim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.LongToDoubleFunction;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.StateDictException;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// Optimizers and schedules take every argument and every state: they work, or say what is wrong with it.
final class ArgumentsTest {
  private static final List<Class<?>> KINDS =
      List.of(
          SGD.class,
          Adam.class,
          AdamW.class,
          StepLR.class,
          MultiStepLR.class,
          ConstantLR.class,
          LinearLR.class,
          ExponentialLR.class,
          CosineAnnealingLR.class,
          CosineAnnealingWarmRestarts.class,
          OneCycleLR.class,
          LambdaLR.class);

  private final Random random = new Random(5);

  private static Tensor parameter() {
    Tensor parameter = Tensor.ones(2).requiresGrad_();
    parameter.mul(2).sum().backward();
    return parameter;
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private double number() {
    return one(
        List.of(
            0.0,
            0.1,
            0.5,
            0.9,
            1.0,
            2.0,
            -0.5,
            1e-300,
            1e300,
            Double.NaN,
            Double.POSITIVE_INFINITY,
            Double.NEGATIVE_INFINITY));
  }

  private long whole() {
    return one(List.of(0L, 1L, 2L, 5L, 100L, -1L, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE));
  }

  private @Nullable Object value(Type type) {
    String name = type.getTypeName();
    if (type == long.class) {
      return whole();
    }
    if (type == double.class) {
      return number();
    }
    if (random.nextInt(8) == 0) {
      return null;
    }
    if (type == long[].class) {
      return new long[] {whole(), whole()};
    }
    if (name.startsWith("taper.optim.Optimizer<")) {
      var optimizer = new SGD(List.of(parameter()), o -> o.lr(0.1).momentum(0.9));
      if (random.nextBoolean()) {
        optimizer.addParamGroup(List.of(parameter()), o -> o.lr(1));
      }
      return optimizer;
    }
    if (type == LongToDoubleFunction.class) {
      return (LongToDoubleFunction) x -> x;
    }
    if (name.startsWith("java.util.List<")) {
      var list = new ArrayList<@Nullable Object>();
      for (int i = random.nextInt(4); i > 0; i--) {
        list.add(
            random.nextInt(8) == 0
                ? null
                : name.contains("LongToDouble")
                    ? value(LongToDoubleFunction.class)
                    : name.contains("Double")
                        ? (Object) number()
                        : one(
                            List.of(
                                parameter(),
                                Tensor.ones(1),
                                Tensor.ones(1).requiresGrad_().mul(2))));
      }
      return list;
    }
    if (name.startsWith("java.util.function.UnaryOperator<")) {
      double number = number();
      boolean truth = random.nextBoolean();
      int which = random.nextInt(8);
      return (UnaryOperator<@Nullable Object>)
          o ->
              which == 0
                  ? null
                  : switch (o) {
                    case SGD.Options s when which == 1 -> s.lr(number);
                    case SGD.Options s when which == 2 -> s.momentum(number).nesterov(truth);
                    case SGD.Options s when which == 3 -> s.dampening(number).weightDecay(number);
                    case AdamOptions a when which == 1 -> a.lr(number).eps(number);
                    case AdamOptions a when which == 2 -> a.betas(number, number).amsgrad(truth);
                    case AdamOptions a when which == 3 -> a.weightDecay(number);
                    case OneCycleLR.Options c when which == 1 -> c.pctStart(number);
                    case OneCycleLR.Options c when which == 2 -> c.momentum(number, number);
                    case OneCycleLR.Options c when which == 3 -> c.anneal(null);
                    default -> o;
                  };
    }
    throw new AssertionError("no values for " + name);
  }

  /// Uses what has been made.
  private void use(Object made) {
    switch (made) {
      case Optimizer<?> optimizer -> {
        if (optimizer.groups().isEmpty()) {
          optimizer.addParamGroup(List.of(parameter()));
        }
        optimizer.step();
        optimizer.loadStateDict(optimizer.stateDict());
        optimizer.loadStateDict(spoiled(optimizer.stateDict()));
        optimizer.step();
        assertThat(optimizer.toString()).isNotEmpty();
      }
      case LRScheduler scheduler -> {
        scheduler.step();
        scheduler.step();
        scheduler.loadStateDict(scheduler.stateDict());
        scheduler.loadStateDict(spoiled(scheduler.stateDict()));
        scheduler.step();
      }
      default -> throw new AssertionError(made);
    }
  }

  /// A copy of `state` with a wrong value somewhere.
  private Map<String, Object> spoiled(Map<String, ?> state) {
    var copy = new LinkedHashMap<String, @Nullable Object>();
    state.forEach((key, value) -> copy.put(key, spoiledSometimes(value)));
    return copy;
  }

  @SuppressWarnings("unchecked")
  private @Nullable Object spoiledSometimes(@Nullable Object value) {
    if (random.nextInt(6) == 0) {
      return one(
          Arrays.asList(
              null, "text", -1, Double.NaN, 1L << 40, List.of(), Map.of(), Tensor.ones(3), true));
    }
    return switch (value) {
      case Map<?, ?> map -> {
        var copy = new LinkedHashMap<Object, @Nullable Object>();
        map.forEach((key, inner) -> copy.put(key, spoiledSometimes(inner)));
        yield copy;
      }
      case List<?> list -> {
        var copy = new ArrayList<@Nullable Object>();
        list.forEach(inner -> copy.add(spoiledSometimes(inner)));
        yield copy;
      }
      case null -> null;
      case Object other -> other;
    };
  }

  @Test
  void everyConstructorTakesEveryArgument() {
    var wrong = new LinkedHashMap<String, String>();
    int made = 0;
    for (Class<?> kind : KINDS) {
      for (Constructor<?> constructor : kind.getConstructors()) {
        for (int call = 0; call < 300; call++) {
          Object[] arguments =
              Arrays.stream(constructor.getGenericParameterTypes()).map(this::value).toArray();
          try {
            Object one = constructor.newInstance(arguments);
            made++;
            use(one);
          } catch (InvocationTargetException e) {
            note(wrong, kind, e.getCause());
          } catch (RuntimeException | ReflectiveOperationException e) {
            note(wrong, kind, e);
          }
        }
      }
    }

    assertThat(wrong).isEmpty();
    assertThat(made).isGreaterThan(1000);
  }

  private static void note(Map<String, String> wrong, Class<?> kind, Throwable problem) {
    if (!(problem instanceof TaperException)) {
      StackTraceElement[] trace = problem.getStackTrace();
      int at = 0;
      while (at < trace.length - 1 && !trace[at].getClassName().startsWith("taper")) {
        at++;
      }
      wrong.putIfAbsent(kind.getSimpleName() + " " + trace[at], problem.toString());
    } else if (!problem.getMessage().matches("(?s)[\\w.]+: .*, but .*")) {
      wrong.putIfAbsent(kind.getSimpleName() + " words", problem.getMessage());
    }
  }

  private static void refuses(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(ArgumentException.class).hasMessage(message);
  }

  @Test
  void whatIsWrongIsNamed() {
    var absent = new ArrayList<Tensor>();
    absent.add(null);
    var sgd = new SGD(List.of(parameter()));

    refuses(() -> new SGD(absent), "SGD: parameter 0 must be given, but is null.");
    refuses(() -> new Adam((List<Tensor>) null), "Adam: parameters must be given, but is null.");
    refuses(
        () -> new AdamW(List.of(parameter()), null),
        "AdamW: options must be a function, such as o -> o, but are null.");
    refuses(() -> new StepLR(null, 1), "StepLR: the optimizer must be given, but is null.");
    refuses(
        () -> new LambdaLR(sgd, (LongToDoubleFunction) null),
        "LambdaLR: the value for each group must be given, but is null.");
    refuses(
        () -> new OneCycleLR(sgd, 1, 10, o -> o.anneal(null)),
        "OneCycleLR: anneal must be given, but is null.");
  }

  @Test
  void groupsComeBeforeTheScheduler() {
    var sgd = new SGD(List.of(parameter()));
    var scheduler = new LambdaLR(sgd, epoch -> 1);
    sgd.addParamGroup(List.of(parameter()));

    refuses(
        scheduler::step,
        "LambdaLR: all groups must be added before the scheduler is made, but there were 1, and now there are 2.");
  }

  @Test
  void aStateWithWordsForNumbersIsRefused() {
    var scheduler = new MultiStepLR(new SGD(List.of(parameter())), 3);
    Map<String, @Nullable Object> state = scheduler.stateDict();
    state.put("milestones", Map.of("three", 1));

    assertThatThrownBy(() -> scheduler.loadStateDict(state))
        .isInstanceOf(StateDictException.class)
        .hasMessage(
            "MultiStepLR: milestones of the state dict must be a map from epochs to counts, but has three in it.");
    var steps = new StepLR(new SGD(List.of(parameter())), 3);
    Map<String, @Nullable Object> never = steps.stateDict();
    never.put("step_size", 0);
    assertThatThrownBy(() -> steps.loadStateDict(never))
        .isInstanceOf(StateDictException.class)
        .hasMessage("StepLR: step_size of the state dict must be positive, but is 0.0.");
  }

  @Test
  void anOptimizerOfSomebodyElseMayKeepWhatItMakes() {
    var kept = new ArrayList<Tensor>();
    class Keeping extends Optimizer<SGD.Options> {
      Keeping(Tensor parameter) {
        super("Keeping", SGD.Options.DEFAULT);
        addParamGroup(List.of(parameter));
      }

      @Override
      protected SGD.Options checked(SGD.Options options) {
        return options;
      }

      @Override
      protected void update(Tensor p, Tensor grad, ParameterState state, SGD.Options options) {
        kept.add(grad.mul(options.lr()));
        p.sub_(kept.getLast());
      }

      @Override
      protected Map<String, @Nullable Object> toMap(SGD.Options options) {
        return Map.of();
      }

      @Override
      protected SGD.Options fromMap(SGD.Options options, Map<String, ?> group) {
        return options;
      }

      @Override
      protected List<String> stateNames() {
        return List.of();
      }

      @Override
      protected Map<String, @Nullable Object> toMap(ParameterState state) {
        return Map.of();
      }
    }
    new Keeping(parameter()).step();

    assertThat(kept).hasSize(1).noneMatch(Tensor::isReleased);
  }
}
