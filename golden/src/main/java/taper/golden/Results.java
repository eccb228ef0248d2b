package taper.golden;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.Autograd;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Shape;
import taper.tensor.Tensor;

/// Flattens results, and finds the first difference between ours and the expected ones.
final class Results {
  private Results() {}

  /// The tensors, numbers and texts in `value`, depth first.
  static List<@Nullable Object> flatten(@Nullable Object value) {
    var leaves = new ArrayList<@Nullable Object>();
    flatten(value, leaves);
    return leaves;
  }

  private static void flatten(@Nullable Object value, List<@Nullable Object> into) {
    switch (value) {
      case null -> into.add(null);
      case List<?> list -> list.forEach(item -> flatten(item, into));
      case Map<?, ?> map -> map.values().forEach(item -> flatten(item, into));
      case Object[] array -> Arrays.asList(array).forEach(item -> flatten(item, into));
      case long[] numbers -> Arrays.stream(numbers).forEach(into::add);
      case int[] numbers -> Arrays.stream(numbers).forEach(n -> into.add((long) n));
      case Integer number -> into.add((long) number);
      case Shape shape -> into.addAll(shape.toList());
      case Record record -> {
        for (RecordComponent component : record.getClass().getRecordComponents()) {
          try {
            flatten(component.getAccessor().invoke(record), into);
          } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
          }
        }
      }
      default -> into.add(value);
    }
  }

  /// The first difference, or null if there is none.
  static @Nullable String difference(
      List<@Nullable Object> ours, List<@Nullable Object> expected, Bindings.Precision precision) {
    if (ours.size() != expected.size()) {
      return "%d results, expected %d".formatted(ours.size(), expected.size());
    }
    for (int i = 0; i < ours.size(); i++) {
      String difference = difference(ours.get(i), expected.get(i), precision);
      if (difference != null) {
        return (ours.size() > 1 ? "result " + i + ": " : "") + difference;
      }
    }
    return null;
  }

  /// How `ours` differs from `expected`, or null.
  static @Nullable String difference(
      @Nullable Object ours, @Nullable Object expected, Bindings.Precision precision) {
    if (expected instanceof Tensor e && ours instanceof Tensor o) {
      return difference(o, e, Tolerance.of(e.dtype(), precision));
    }
    if (expected instanceof Double e && ours instanceof Number o) {
      return Tolerance.of(DType.FLOAT64, precision).accepts(o.doubleValue(), e)
          ? null
          : o + ", expected " + e;
    }
    boolean same = expected == null ? ours == null : expected.equals(ours);
    return same ? null : Values.describe(ours) + ", expected " + Values.describe(expected);
  }

  /// How the tensor `ours` differs from `expected`, or null.
  static @Nullable String difference(Tensor ours, Tensor expected, Tolerance tolerance) {
    if (ours.dtype() != expected.dtype()) {
      return "dtype %s, expected %s".formatted(ours.dtype(), expected.dtype());
    }
    if (!ours.shape().equals(expected.shape())) {
      return "shape %s, expected %s".formatted(ours.shape(), expected.shape());
    }
    if (ours.dtype().isComplex()) {
      return complexDifference(ours.detach(), expected.detach(), tolerance);
    }
    if (ours.dtype().isFloatingPoint()) {
      return realDifference(numbers(ours), numbers(expected), tolerance);
    }
    long[] a = Autograd.noGrad(() -> ours.to(DType.INT64).toLongArray());
    long[] b = Autograd.noGrad(() -> expected.to(DType.INT64).toLongArray());
    for (int i = 0; i < a.length; i++) {
      if (a[i] != b[i]) {
        return "element %d of %d is %d, expected %d".formatted(i, a.length, a[i], b[i]);
      }
    }
    return null;
  }

  /// Complex numbers differ by the size of their difference, measured against the size of the expected one.
  private static @Nullable String complexDifference(
      Tensor ours, Tensor expected, Tolerance tolerance) {
    Complex[] a = ours.toComplexArray();
    Complex[] b = expected.toComplexArray();
    int first = -1;
    int wrong = 0;
    double largest = 0;
    for (int i = 0; i < a.length; i++) {
      double size = Math.hypot(b[i].re(), b[i].im());
      double apart = Math.hypot(a[i].re() - b[i].re(), a[i].im() - b[i].im());
      boolean ordinary = Double.isFinite(apart) && Double.isFinite(size);
      boolean near =
          ordinary
              ? apart <= tolerance.absolute() + tolerance.relative() * size
              : tolerance.accepts(a[i].re(), b[i].re()) && tolerance.accepts(a[i].im(), b[i].im());
      if (!near) {
        first = first < 0 ? i : first;
        wrong++;
        largest = Math.max(largest, apart);
      }
    }
    return first < 0
        ? null
        : "element %d of %d is %s, expected %s; %d differ, by %.3g at most"
            .formatted(first, a.length, a[first], b[first], wrong, largest);
  }

  private static double[] numbers(Tensor x) {
    return Autograd.noGrad(() -> x.detach().to(DType.FLOAT64).toDoubleArray());
  }

  private static @Nullable String realDifference(double[] a, double[] b, Tolerance tolerance) {
    int first = -1;
    int wrong = 0;
    double largest = 0;
    for (int i = 0; i < a.length; i++) {
      if (!tolerance.accepts(a[i], b[i])) {
        first = first < 0 ? i : first;
        wrong++;
        largest = Math.max(largest, Math.abs(a[i] - b[i]));
      }
    }
    return first < 0
        ? null
        : "element %d of %d is %s, expected %s; %d differ, by %.3g at most"
            .formatted(first, a.length, a[first], b[first], wrong, largest);
  }
}
