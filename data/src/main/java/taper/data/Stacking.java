package taper.data;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import taper.tensor.ArgumentException;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// The usual way to make a batch.
final class Stacking {
  private Stacking() {}

  @SuppressWarnings(
      "unchecked") // a batch of tensors is a tensor, of records of one class a record of that
  // class, …
  static <T> T stack(List<T> samples) {
    return (T) any((List<Object>) samples);
  }

  private static Object any(List<Object> samples) {
    return switch (samples.getFirst()) {
      case Tensor _ -> tensors(samples.stream().map(Tensor.class::cast).toList());
      case Example _ ->
          new Example(
              tensors(samples.stream().map(s -> ((Example) s).input()).toList()),
              tensors(samples.stream().map(s -> ((Example) s).target()).toList()));
      case List<?> first -> lists(samples, first.size());
      case Record first -> records(samples, first);
      case Object first ->
          throw new ArgumentException(
              "DataLoader: samples must be tensors, records or lists of them, but are %s. Give the loader a collation of your own: o -> o.collation(…)."
                  .formatted(first.getClass().getName()));
    };
  }

  private static Tensor tensors(List<Tensor> samples) {
    for (int i = 1; i < samples.size(); i++) {
      if (!samples.get(i).shape().equals(samples.getFirst().shape())) {
        throw new ShapeException(
            "DataLoader: the samples of a batch must have one shape, but sample 0 of the batch is %s and sample %d is %s. Resize or pad them, or give the loader a collation of your own."
                .formatted(samples.getFirst().shape(), i, samples.get(i).shape()));
      }
    }
    return Tensor.stack(samples, 0);
  }

  private static List<Object> lists(List<Object> samples, int size) {
    var result = new ArrayList<Object>();
    for (int i = 0; i < size; i++) {
      int place = i;
      result.add(any(samples.stream().map(s -> (Object) ((List<?>) s).get(place)).toList()));
    }
    return result;
  }

  private static Object records(List<Object> samples, Record first) {
    RecordComponent[] components = first.getClass().getRecordComponents();
    Class<?>[] types = new Class<?>[components.length];
    Object[] values = new Object[components.length];
    try {
      for (int c = 0; c < components.length; c++) {
        var accessor = components[c].getAccessor();
        accessor.setAccessible(true);
        types[c] = components[c].getType();
        var column = new ArrayList<Object>();
        for (Object sample : samples) {
          column.add(accessor.invoke(sample));
        }
        values[c] = any(column);
      }
      var constructor = first.getClass().getDeclaredConstructor(types);
      constructor.setAccessible(true);
      return constructor.newInstance(values);
    } catch (ReflectiveOperationException | RuntimeException e) {
      if (e instanceof InvocationTargetException
          || !(e instanceof ReflectiveOperationException
              || e instanceof java.lang.reflect.InaccessibleObjectException)) {
        throw e instanceof RuntimeException known ? known : new IllegalStateException(e.getCause());
      }
      throw new ArgumentException(
          "DataLoader: the record %s must be open to taper.data so that its samples can be stacked. Open its package, or give the loader a collation of your own: o -> o.collation(…)."
              .formatted(first.getClass().getName()));
    }
  }
}
