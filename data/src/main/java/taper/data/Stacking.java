package taper.data;

import java.lang.reflect.Array;
import java.lang.reflect.InaccessibleObjectException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.Memory;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// The usual ways to make a batch. Their errors say by themselves that they belong to a [DataLoader].
///
/// @param way makes the batch
record Stacking<S, B>(Function<List<S>, B> way) implements Collation<S, B> {
  private static final String REMEDY =
      " Give the loader a collation of your own: o -> o.collation(…).";

  @Override
  public B collate(List<S> samples) {
    return way.apply(samples);
  }

  /// A batch of the type of its samples.
  @SuppressWarnings(
      "unchecked") // a batch of tensors is a tensor, of records of one class a record of that
  // class, …
  static <T> T same(List<T> samples) {
    Object batch = collated("", samples);
    Object first = samples.getFirst();
    if (!(batch instanceof Tensor) || first instanceof Tensor) {
      boolean list = batch instanceof List<?> && !(first instanceof List<?>);
      if (!list) {
        return (T) batch;
      }
    }
    throw new ArgumentException(
        "DataLoader: batches must have the type of their samples, but samples are %s and a batch of them is a %s. Use o -> o.collation(Collation.standard()) and name the type of a batch: DataLoader<%s> loader = …"
            .formatted(
                name(first),
                batch instanceof Tensor ? "Tensor" : "List",
                batch instanceof Tensor ? "Tensor" : "List<…>"));
  }

  /// A batch of whatever type it has.
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"}) // the caller says so
  static <S, B> B any(List<S> samples) {
    return (B) collated("", samples);
  }

  static <S extends Record, B extends Record> B into(List<S> samples, Class<B> type) {
    present("", samples);
    return type.cast(record("", samples, type));
  }

  /// The batch of `samples`, which stand at `place` of those of the loader.
  private static Object collated(String place, List<?> samples) {
    present(place, samples);
    return switch (samples.getFirst()) {
      case Tensor _ -> tensors(place, all(place, samples, Tensor.class));
      case Example _ -> {
        List<Example> examples = all(place, samples, Example.class);
        yield new Example(
            tensors(in(place, "input"), column(place, "input", examples, Example::input)),
            tensors(in(place, "target"), column(place, "target", examples, Example::target)));
      }
      case Boolean _ -> {
        List<Boolean> truths = all(place, samples, Boolean.class);
        var values = new boolean[truths.size()];
        for (int i = 0; i < values.length; i++) {
          values[i] = truths.get(i);
        }
        yield made(() -> Tensor.of(values));
      }
      case Number _ -> numbers(all(place, samples, Number.class));
      case CharSequence _ -> List.copyOf(all(place, samples, CharSequence.class));
      case Character _ -> List.copyOf(all(place, samples, Character.class));
      case Enum<?> first -> List.copyOf(all(place, samples, first.getDeclaringClass()));
      case List<?> first -> {
        oneKind(place, samples, List.class);
        yield lists(place, samples.stream().map(s -> (List<?>) s).toList(), first.size());
      }
      case Map<?, ?> first -> {
        oneKind(place, samples, Map.class);
        yield maps(place, samples.stream().map(s -> (Map<?, ?>) s).toList(), first);
      }
      case Record first -> record(place, all(place, samples, first.getClass()), first.getClass());
      case Object[] first -> arrays(place, all(place, samples, first.getClass()), first);
      case Object first when first.getClass().isArray() ->
          tensors(place, all(place, samples, first.getClass()).stream().map(Tensor::of).toList());
      case Object first ->
          throw new ArgumentException(
              "DataLoader: samples must be tensors, numbers, strings, or records, maps, lists or arrays of them, but %s %s.%s"
                  .formatted(
                      place.isEmpty() ? "are" : place + " is", first.getClass().getName(), REMEDY));
    };
  }

  private static String in(String place, String name) {
    return place.isEmpty() ? name : place + "." + name;
  }

  private static String name(Object sample) {
    return sample instanceof Tensor ? "Tensor" : sample.getClass().getSimpleName();
  }

  private static void present(String place, List<?> samples) {
    if (samples.isEmpty()) {
      throw new ArgumentException(
          "DataLoader: a batch must have at least one sample, but has none.");
    }
    for (int i = 0; i < samples.size(); i++) {
      if (samples.get(i) == null) {
        throw new ArgumentException(
            place.isEmpty()
                ? "DataLoader: samples must not be null, but sample %d of the batch is.%s"
                    .formatted(i, REMEDY)
                : "DataLoader: samples must have no nulls in them, but %s of sample %d of the batch is null.%s"
                    .formatted(place, i, REMEDY));
      }
    }
  }

  /// The samples, all of which must be of `type`.
  private static <T> List<T> all(String place, List<?> samples, Class<T> type) {
    oneKind(place, samples, type);
    return samples.stream().map(type::cast).toList();
  }

  private static void oneKind(String place, List<?> samples, Class<?> type) {
    for (int i = 1; i < samples.size(); i++) {
      if (!type.isInstance(samples.get(i))) {
        throw new ArgumentException(
            "DataLoader: the samples of a batch must be of one kind, but %s of sample 0 of the batch is a %s and of sample %d a %s.%s"
                .formatted(
                    place.isEmpty() ? "the class" : place,
                    name(samples.getFirst()),
                    i,
                    name(samples.get(i)),
                    REMEDY));
      }
    }
  }

  private static <S, T> List<T> column(
      String place, String name, List<S> samples, Function<S, @Nullable T> part) {
    var column = new ArrayList<T>();
    for (S sample : samples) {
      column.add(part.apply(sample));
    }
    present(in(place, name), column);
    return column;
  }

  private static Tensor tensors(String place, List<Tensor> samples) {
    for (int i = 1; i < samples.size(); i++) {
      if (!samples.get(i).shape().equals(samples.getFirst().shape())) {
        throw new ShapeException(
            "DataLoader: the samples of a batch must have one shape, but %ssample 0 of the batch is %s and %ssample %d is %s. Resize or pad them, or give the loader a collation of your own."
                .formatted(
                    place.isEmpty() ? "" : place + " of ",
                    samples.getFirst().shape(),
                    place.isEmpty() ? "" : "of ",
                    i,
                    samples.get(i).shape()));
      }
    }
    return made(() -> Tensor.stack(samples, 0));
  }

  /// A part of the batch: it outlives the samples.
  private static Tensor made(Supplier<Tensor> part) {
    return Memory.untidy(List.of(), part);
  }

  private static Tensor numbers(List<Number> numbers) {
    boolean whole =
        numbers.stream()
            .allMatch(n ->
                n instanceof Long
                    || n instanceof Integer
                    || n instanceof Short
                    || n instanceof Byte);
    return made(() ->
        whole
            ? Tensor.of(numbers.stream().mapToLong(Number::longValue).toArray())
            : Tensor.of(numbers.stream().mapToDouble(Number::doubleValue).toArray()));
  }

  private static List<Object> lists(String place, List<? extends List<?>> samples, int size) {
    for (int i = 1; i < samples.size(); i++) {
      sameLength(place, size, i, samples.get(i).size());
    }
    var result = new ArrayList<Object>();
    for (int k = 0; k < size; k++) {
      int at = k;
      result.add(collated(place + "[" + k + "]", column(samples, list -> list.get(at))));
    }
    return result;
  }

  private static void sameLength(String place, int size, int i, int other) {
    if (other != size) {
      throw new ArgumentException(
          "DataLoader: the samples of a batch must have one length, but %s of sample 0 of the batch has %d elements and of sample %d %d.%s"
              .formatted(place.isEmpty() ? "the list" : place, size, i, other, REMEDY));
    }
  }

  private static <S> List<@Nullable Object> column(
      List<? extends S> samples, Function<S, @Nullable Object> part) {
    var column = new ArrayList<@Nullable Object>();
    for (S sample : samples) {
      column.add(part.apply(sample));
    }
    return column;
  }

  private static Object[] arrays(String place, List<? extends Object[]> samples, Object[] first) {
    for (int i = 1; i < samples.size(); i++) {
      sameLength(place, first.length, i, samples.get(i).length);
    }
    Class<?> element = first.getClass().getComponentType();
    var values = new ArrayList<Object>();
    boolean fits = true;
    for (int k = 0; k < first.length; k++) {
      int at = k;
      Object value = collated(place + "[" + k + "]", column(samples, (Object[] a) -> a[at]));
      fits &= element.isInstance(value);
      values.add(value);
    }
    Object[] result =
        fits ? (Object[]) Array.newInstance(element, first.length) : new Object[first.length];
    return values.toArray(result);
  }

  private static Map<Object, Object> maps(
      String place, List<? extends Map<?, ?>> samples, Map<?, ?> first) {
    for (int i = 1; i < samples.size(); i++) {
      if (!samples.get(i).keySet().equals(first.keySet())) {
        throw new ArgumentException(
            "DataLoader: the samples of a batch must have the same keys, but %s of sample 0 of the batch has %s and of sample %d %s.%s"
                .formatted(
                    place.isEmpty() ? "the map" : place,
                    first.keySet(),
                    i,
                    samples.get(i).keySet(),
                    REMEDY));
      }
    }
    var result = new LinkedHashMap<Object, Object>();
    for (Object key : first.keySet()) {
      result.put(
          key, collated(in(place, String.valueOf(key)), column(samples, map -> map.get(key))));
    }
    return result;
  }

  /// A record of class `type`, with what the samples have under the names of its components.
  private static Object record(
      String place, List<? extends Record> samples, Class<? extends Record> type) {
    Class<? extends Record> from = samples.getFirst().getClass();
    RecordComponent[] components = type.getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    for (int c = 0; c < components.length; c++) {
      String name = components[c].getName();
      types[c] = components[c].getType();
      RecordComponent source = from == type ? components[c] : component(from, type, name);
      Object value =
          collated(in(place, name), column(samples, sample -> read(from, source, sample)));
      if (!types[c].isInstance(value)) {
        throw new ArgumentException(
            "DataLoader: component %s of %s must be able to hold a batch, a %s, but is %s. Write another record for batches, and use o -> o.collation(Collation.into(Batch.class))."
                .formatted(
                    name,
                    type.getSimpleName(),
                    value instanceof Tensor ? "Tensor" : value.getClass().getSimpleName(),
                    types[c].getSimpleName()));
      }
      values[c] = value;
    }
    try {
      var constructor = type.getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (InvocationTargetException e) {
      throw thrown(e);
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      throw closed(type, e);
    }
  }

  private static RecordComponent component(Class<?> from, Class<?> type, String name) {
    for (RecordComponent component : from.getRecordComponents()) {
      if (component.getName().equals(name)) {
        return component;
      }
    }
    throw new ArgumentException(
        "DataLoader: samples must have a component for each of %s, but %s has no %s."
            .formatted(type.getSimpleName(), from.getSimpleName(), name));
  }

  private static @Nullable Object read(Class<?> type, RecordComponent component, Record sample) {
    try {
      var accessor = component.getAccessor();
      accessor.setAccessible(true);
      return accessor.invoke(sample);
    } catch (InvocationTargetException e) {
      throw thrown(e);
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      throw closed(type, e);
    }
  }

  /// What the record's own code has thrown.
  private static RuntimeException thrown(InvocationTargetException e) {
    return switch (e.getCause()) {
      case RuntimeException problem -> problem;
      case Error problem -> throw problem;
      case null, default -> new IllegalStateException(e.getCause());
    };
  }

  private static ArgumentException closed(Class<?> type, Exception cause) {
    var closed =
        new ArgumentException(
            "DataLoader: the record %s must be open to taper.data so that its samples can be stacked. Open its package, or give the loader a collation of your own: o -> o.collation(…)."
                .formatted(type.getName()));
    closed.initCause(cause);
    return closed;
  }
}
