package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SequencedMap;
import java.util.TreeSet;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Generator;
import taper.tensor.Memory;
import taper.tensor.MemoryLimitException;
import taper.tensor.ReleasedException;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// Constructors take every argument: they make a module, or say what is wrong with it.
final class ConstructorsTest {
  private static final int CALLS = 100; // for each constructor

  /// Values that are too small, right, or far too large; none of which takes long.
  private final Random random = new Random(12);

  /// All classes of this package that can be made.
  private static List<Class<?>> layers() throws ClassNotFoundException {
    File folder = new File(Module.class.getResource("Module.class").getPath()).getParentFile();
    var names = new TreeSet<String>();
    for (String file : folder.list()) {
      if (file.endsWith(".class") && file.indexOf('$') < 0) {
        names.add(file.substring(0, file.length() - 6));
      }
    }
    var classes = new ArrayList<Class<?>>();
    for (String name : names) {
      Class<?> type = Class.forName("taper.nn." + name);
      int modifiers = type.getModifiers();
      if (Modifier.isPublic(modifiers)
          && !Modifier.isAbstract(modifiers)
          && type.getConstructors().length > 0
          && type != PackedSequence.class
          && type != IncompatibleKeys.class) {
        classes.add(type);
      }
    }
    return classes;
  }

  private <T> T one(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private @Nullable Object value(Type type) {
    if (type == long.class || type == Long.class) {
      return one(
          List.of(
              0L,
              1L,
              1L,
              2L,
              2L,
              3L,
              4L,
              4L,
              -1L,
              -2L,
              1L << 40,
              1L << 62,
              Long.MAX_VALUE,
              Long.MIN_VALUE));
    }
    if (type == int.class || type == Integer.class) {
      return one(
          List.of(
              0,
              1,
              1,
              2,
              2,
              3,
              4,
              -1,
              -2,
              Integer.MAX_VALUE,
              Integer.MAX_VALUE - 1,
              Integer.MIN_VALUE));
    }
    if (type == double.class || type == Double.class) {
      return one(
          List.of(
              0.0,
              0.1,
              0.5,
              1.0,
              2.0,
              -0.5,
              1e-300,
              Double.NaN,
              Double.POSITIVE_INFINITY,
              Double.NEGATIVE_INFINITY));
    }
    if (type == boolean.class) {
      return random.nextBoolean();
    }
    if (random.nextInt(6) == 0) {
      return null;
    }
    if (type == String.class) {
      return one(List.of("", "same", "valid", "zeros", "nearest", "a.b", "linear"));
    }
    if (type == Generator.class) {
      return new Generator(1);
    }
    if (type == Tensor.class) {
      return one(List.of(Tensor.ones(2), Tensor.ones(0), Tensor.ones(2, 2), Tensor.ones()));
    }
    if (type == UnaryOperator.class) {
      return (UnaryOperator<Object>) x -> x;
    }
    if (type == BinaryOperator.class) {
      return (BinaryOperator<Object>) (x, _) -> x;
    }
    if (type == Supplier.class) {
      return (Supplier<Object>) () -> Tensor.ones(2);
    }
    if (type instanceof ParameterizedType p) {
      Type raw = p.getRawType();
      if (raw == UnaryOperator.class) {
        return options(p.getActualTypeArguments()[0]);
      }
      if (raw == BinaryOperator.class) {
        return value(BinaryOperator.class);
      }
      if (raw == List.class) {
        return list(p.getActualTypeArguments()[0]);
      }
      if (raw == Map.class || raw == SequencedMap.class) {
        var map = new LinkedHashMap<Object, Object>();
        for (Object element : list(p.getActualTypeArguments()[1])) {
          map.put(value(String.class), element);
        }
        return map;
      }
    }
    if (type instanceof java.lang.reflect.WildcardType w) {
      return value(w.getUpperBounds()[0]);
    }
    if (type instanceof Class<?> c) {
      if (c.isArray()) {
        Object array = Array.newInstance(c.getComponentType(), random.nextInt(4));
        for (int i = 0; i < Array.getLength(array); i++) {
          Array.set(array, i, value(c.getComponentType()));
        }
        return array;
      }
      if (c.isEnum()) {
        return one(Arrays.asList(c.getEnumConstants()));
      }
      if (c == Module.class) {
        return new Tanh();
      }
      if (c == LayerNorm.class) {
        return new LayerNorm(2);
      }
      if (c == TransformerEncoderLayer.class) {
        return new TransformerEncoderLayer(2, 1, o -> o.dimFeedforward(2));
      }
      if (c == TransformerDecoderLayer.class) {
        return new TransformerDecoderLayer(2, 1, o -> o.dimFeedforward(2));
      }
    }
    throw new AssertionError("no values for " + type);
  }

  private List<Object> list(Type element) {
    var list = new ArrayList<@Nullable Object>();
    for (int i = random.nextInt(4); i > 0; i--) {
      list.add(value(element));
    }
    return random.nextBoolean() ? list : Collections.unmodifiableList(list);
  }

  /// A function that changes options at random, by their own methods.
  private UnaryOperator<@Nullable Object> options(Type type) {
    int changes = random.nextInt(4);
    if (random.nextInt(20) == 0) {
      return _ -> null;
    }
    Class<?> record = (Class<?>) type;
    List<Method> methods =
        Arrays.stream(record.getMethods())
            .filter(m ->
                m.getReturnType() == record
                    && m.getParameterCount() > 0
                    && !Modifier.isStatic(m.getModifiers()))
            .sorted((a, b) -> a.toString().compareTo(b.toString()))
            .toList();
    return start -> {
      Object options = start;
      for (int i = 0; i < changes && !methods.isEmpty(); i++) {
        Method method = one(methods);
        Object[] arguments =
            Arrays.stream(method.getGenericParameterTypes()).map(this::value).toArray();
        try {
          method.setAccessible(true);
          options = method.invoke(options, arguments);
        } catch (InvocationTargetException e) {
          if (e.getCause() instanceof RuntimeException problem) {
            throw problem;
          }
          throw new AssertionError(e);
        } catch (IllegalAccessException e) {
          throw new AssertionError(e);
        }
      }
      return options;
    };
  }

  @Test
  void everyConstructorTakesEveryArgument() throws ClassNotFoundException {
    long limit = Memory.limit();
    var wrong = new LinkedHashMap<String, String>();
    int made = 0;
    int refused = 0;
    Memory.setLimit(Memory.allocated() + (32 << 20));
    try {
      for (Class<?> layer : layers()) {
        for (Constructor<?> constructor : layer.getConstructors()) {
          for (int call = 0; call < CALLS; call++) {
            Object[] arguments =
                Arrays.stream(constructor.getGenericParameterTypes()).map(this::value).toArray();
            try (var _ = Memory.scope()) {
              Object module = constructor.newInstance(arguments);
              made++;
              assertThat(module.toString()).isNotEmpty();
              if (module instanceof Module m) {
                assertThat(m.stateDict()).isNotNull();
              }
            } catch (InvocationTargetException e) {
              Throwable cause = e.getCause();
              if (cause instanceof TaperException) {
                refused++;
                if (!cause.getMessage().matches("(?s)[\\w.]+: .*, but .*")
                    && !cause.getMessage().startsWith("memory: ")) {
                  wrong.putIfAbsent(layer.getSimpleName() + " words " + cause.getMessage(), "");
                }
              } else {
                wrong.putIfAbsent(
                    layer.getSimpleName()
                        + " "
                        + cause.getClass().getSimpleName()
                        + " "
                        + cause.getStackTrace()[0],
                    Arrays.deepToString(arguments) + " " + cause);
              }
            } catch (ReflectiveOperationException | RuntimeException e) {
              wrong.putIfAbsent(
                  layer.getSimpleName() + " afterwards " + e.getStackTrace()[0],
                  Arrays.deepToString(arguments) + " " + e);
            }
          }
        }
      }
    } finally {
      Memory.setLimit(limit);
    }

    assertThat(wrong).isEmpty();
    assertThat(made).isGreaterThan(2_000);
    assertThat(refused).isGreaterThan(2_000);
  }

  @Test
  void whatIsWrongIsNamed() {
    refuses(() -> new Linear(-1, 3), "Linear: inFeatures must not be negative, but is -1.");
    refuses(
        () -> new Linear(1, 3, null),
        "Linear: options must be a function, such as o -> o, but are null.");
    refuses(
        () -> new LayerNorm(new long[] {2}, _ -> null),
        "LayerNorm: options must return options, but return null. Return what they are given to leave them as they are.");
    refuses(() -> new Dropout(2), "Dropout: p must be a probability from 0 to 1, but is 2.0.");
    refuses(() -> new LayerNorm(), "LayerNorm: normalizedShape must have a size, but is empty.");
    refuses(
        () -> new LayerNorm(3, -1),
        "LayerNorm: a size of normalizedShape must not be negative, but is -1.");
    refuses(
        () -> new MultiheadAttention(6, 4),
        "MultiheadAttention: numHeads must divide embedDim, but numHeads is 4 and embedDim 6.");
    refuses(
        () -> new MultiheadAttention(1L << 62, 1),
        "MultiheadAttention: embedDim must be small enough for a tensor of 3 times as many rows, but is 4611686018427387904.");
    refuses(
        () -> new LSTM(1, 1L << 61),
        "LSTM: hiddenSize must be small enough for a tensor of 4 times as many rows, but is 2305843009213693952.");
    refuses(() -> new GroupNorm(2, -4), "GroupNorm: numChannels must be positive, but is -4.");
    refuses(() -> new MSELoss(null), "MSELoss: reduction must be given, but is null.");
    refuses(
        () -> new Sequential(new Tanh(), null), "Sequential: a module must be given, but is null.");
    refuses(
        () -> new ModuleList((List<Module>) null),
        "ModuleList: modules must be given, but is null.");
    refuses(
        () -> new Conv2d(1, 1, 1, o -> o.padding((String) null)),
        "conv: padding must be a number, 'valid' or 'same', but is 'null'.");
  }

  @Test
  void asManyLayersAsDoNotFitIntoMemoryAreRefusedAtOnce() {
    assertThatThrownBy(() -> new RNN(1, 1, o -> o.numLayers(Integer.MAX_VALUE)))
        .isInstanceOf(MemoryLimitException.class)
        .hasMessage(
            "RNN: numLayers must be small enough for the memory limit, %d bytes, but 2147483647 layers take 12 bytes each.",
            Memory.limit());
  }

  @Test
  void inputsHooksAndStatesThatAreMissingAreNamed() {
    var linear = new Linear(2, 2);
    float[] before = linear.weight().toFloatArray();
    Tensor released = Tensor.ones(2);
    try (var scope = Memory.scope("step")) {
      scope.own(released);
    }

    assertThatThrownBy(() -> linear.call(null))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Linear: the input must be given, but is null.");
    assertThatThrownBy(() -> linear.registerForwardHook(null))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("module: a hook must be given, but is null.");
    assertThatThrownBy(() -> linear.loadStateDict(null))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Linear: the state dict must be given, but is null.");
    assertThatThrownBy(
            () -> linear.loadStateDict(Map.of("weight", Tensor.ones(2, 2), "bias", released)))
        .isInstanceOf(ReleasedException.class);
    assertThat(linear.weight().toFloatArray()).containsExactly(before);
  }

  @Test
  void numbersThatAreNoneArePrintedAsPythonDoes() {
    assertThat(new Hardtanh(Double.NEGATIVE_INFINITY, Double.NaN))
        .hasToString("Hardtanh(min_val=-inf, max_val=nan)");
  }

  @Test
  void tensorsWithoutElementsAreInitialised() {
    for (long[] shape : new long[][] {{0, 1}, {1, 0}, {0, 0}, {3, 0}}) {
      assertThat(Init.orthogonal_(Tensor.ones(shape)).numel()).isZero();
      assertThat(Init.eye_(Tensor.ones(shape)).numel()).isZero();
      assertThat(Init.normal_(Tensor.ones(shape)).numel()).isZero();
    }
    assertThat(Init.dirac_(Tensor.ones(2, 2, 0), 1).numel()).isZero();
    assertThatThrownBy(() -> Init.dirac_(Tensor.ones(2, 2, 1), 0))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "dirac_: the groups must divide the outputs, but there are 0 groups and 2 outputs.");
  }

  private static void refuses(Supplier<Object> making, String message) {
    assertThatThrownBy(making::get).isInstanceOf(ArgumentException.class).hasMessage(message);
  }
}
