package taper.tensor;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Elements;

/// Class indices: what shape they must have for given predictions, and which values.
final class Labels {
  private Labels() {}

  /// The number of classes of predictions of shape `self`.
  static long classes(long[] self) {
    return self.length == 1 ? self[0] : self[1];
  }

  /// The dimension of the classes.
  static int dim(int rank) {
    return rank == 1 ? 0 : 1;
  }

  /// The shape of the labels for predictions of shape `self`.
  static long[] shape(long[] self) {
    long[] result = new long[self.length - 1];
    for (int d = 0, k = 0; d < self.length; d++) {
      if (d != dim(self.length)) {
        result[k++] = self[d];
      }
    }
    return result;
  }

  /// Checks predictions, labels and weights against each other, and returns the shape of the losses.
  ///
  /// @throws ShapeException if they do not fit
  static long[] checked(String op, List<long @Nullable []> shapes, Reduction reduction) {
    long[] self = shapes.get(0);
    long[] target = shapes.get(1);
    long[] weight = shapes.get(2);
    assert self != null && target != null;
    if (self.length == 0) {
      throw new ShapeException(
          "%s: self must have a dimension of classes, as in [classes] or [n, classes, …], but has shape []."
              .formatted(op));
    }
    long[] wanted = shape(self);
    if (!Arrays.equals(wanted, target)) {
      throw new ShapeException(
          "%s: target must have shape %s, one label for each prediction of self %s, but has shape %s. Dimension %d of self is that of the classes."
              .formatted(
                  op,
                  Arrays.toString(wanted),
                  Arrays.toString(self),
                  Arrays.toString(target),
                  dim(self.length)));
    }
    if (weight != null && (weight.length != 1 || weight[0] != classes(self))) {
      throw new ShapeException(
          "%s: weight must have shape [%d], one element for each class of self %s, but has shape %s."
              .formatted(op, classes(self), Arrays.toString(self), Arrays.toString(weight)));
    }
    return reduction == Reduction.NONE ? wanted : new long[0];
  }

  /// Checks that every label names a class or is to be ignored.
  ///
  /// @throws ArgumentException at the first that does not
  static void check(String op, long classes, long ignoreIndex, Tensor target) {
    var labels = new Elements(target.data());
    for (long i = 0, n = labels.numel(); i < n; i++) {
      long label = labels.wholeAt(i);
      if ((label < 0 || label >= classes) && label != ignoreIndex) {
        throw new ArgumentException(
            "%s: labels must be in 0..%d, one of %d classes, or the ignoreIndex %d, but target%s is %d. Classes are counted from 0."
                .formatted(op, classes - 1, classes, ignoreIndex, position(i, target), label));
      }
    }
    Reference.reachabilityFence(target);
  }

  /// Where element `index` in row-major order lies, as `[2, 0]`; nothing for rank 0.
  static String position(long index, Tensor target) {
    int rank = target.dim();
    long[] at = new long[rank];
    for (int d = rank - 1; d >= 0; d--) {
      at[d] = index % target.size(d);
      index /= target.size(d);
    }
    return rank == 0
        ? ""
        : Arrays.stream(at).mapToObj(Long::toString).collect(Collectors.joining(", ", "[", "]"));
  }
}
