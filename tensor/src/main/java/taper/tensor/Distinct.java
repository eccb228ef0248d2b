package taper.tensor;

import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Operator.None;
import taper.tensor.Sorting.Kinds;
import taper.tensor.Sorting.Search;
import taper.tensor.Sorting.Unique;
import taper.tensor.internal.Elements;
import taper.tensor.spi.CheckedSizes;

/// What the operators of [Sorting] share: distinct elements and places among sorted ones.
final class Distinct {
  private Distinct() {}

  /// Types of elements, places, counts, number.
  static final DTypes TYPES =
      DTypes.ANY
          .real()
          .results(
              DTypes.Result.COMPUTED,
              DTypes.Result.INT64,
              DTypes.Result.INT64,
              DTypes.Result.INT64);

  /// Types of places, kinds, counts, number.
  static final DTypes ROW_TYPES =
      DTypes.ANY
          .real()
          .results(
              DTypes.Result.INT64, DTypes.Result.INT64, DTypes.Result.INT64, DTypes.Result.INT64);

  static List<long[]> shapes(Kinds kinds, long @Nullable [] sizes) {
    assert sizes != null;
    long[] vector = {CheckedSizes.numel(sizes)};
    return List.of(
        vector, kinds.inverse() ? sizes.clone() : new long[] {0}, vector, new long[] {1});
  }

  static List<long[]> rowShapes(long @Nullable [] sizes) {
    assert sizes != null;
    long[] vector = {sizes[0]};
    return List.of(vector, vector, vector, new long[] {1});
  }

  static Unique of(Tensor x, UniqueOptions options, boolean sorted) {
    Integer dim = options.dim();
    try (var _ = Autograd.noGrad()) {
      Tensor[] out;
      Tensor values;
      if (dim == null) {
        out =
            (sorted ? Sorting.Operators.UNIQUE : Sorting.Operators.UNIQUE_CONSECUTIVE)
                .all(new Kinds(options.returnInverse()), x);
        values = first(out[0], out[3]);
      } else {
        int at = Checks.dim(sorted ? "unique" : "uniqueConsecutive", dim, x.dim());
        Tensor line = x.dim() == 0 ? x.unsqueeze(0) : x;
        long n = line.size(at);
        if (line.numel() == 0 && n > 0) {
          throw new ShapeException(
              "unique: slices must have elements, but those along dim %d of shape %s have none."
                  .formatted(at, x.shape()));
        }
        Tensor rows = line.movedim(at, 0).reshape(n, n == 0 ? 0 : line.numel() / n);
        out =
            (sorted ? Sorting.Operators.UNIQUE_ROWS : Sorting.Operators.UNIQUE_CONSECUTIVE_ROWS)
                .all(None.NONE, rows);
        values = line.indexSelect(at, first(out[0], out[3]));
      }
      return new Unique(
          values,
          options.returnInverse() ? out[1] : null,
          options.returnCounts() ? first(out[2], out[3]) : null);
    }
  }

  /// The beginning of `x`, of a length that only the kernel knew.
  private static Tensor first(Tensor x, Tensor count) {
    long n = count.select(0, 0).itemLong();
    return n == x.numel() ? x : x.narrow(0, 0, n).clone();
  }

  static Tensor search(Tensor line, Tensor values, SearchOptions options) {
    Tensor places =
        Sorting.Operators.SEARCH_SORTED.on(
            new Search(options.right()), line, values, options.sorter());
    return options.outInt32() ? places.to(DType.INT32) : places;
  }

  static List<long[]> searchShape(List<long @Nullable []> in) {
    long[] line = in.get(0);
    long[] values = in.get(1);
    long[] sorter = in.get(2);
    assert line != null && values != null;
    if (line.length == 0) {
      throw new ShapeException(
          "searchsorted: sortedSequence must have at least 1 dimension, but has shape [].");
    }
    if (line.length > 1
        && !(line.length == values.length
            && Arrays.equals(line, 0, line.length - 1, values, 0, line.length - 1))) {
      throw new ShapeException(
          "searchsorted: values must have the sizes of sortedSequence but for the last dimension, but have shape %s and %s."
              .formatted(Arrays.toString(values), Arrays.toString(line)));
    }
    if (sorter != null && !Arrays.equals(sorter, line)) {
      throw new ShapeException(
          "searchsorted: sorter must have the sizes of sortedSequence, but has shape %s, not %s."
              .formatted(Arrays.toString(sorter), Arrays.toString(line)));
    }
    return List.of(values.clone());
  }

  static void checkSorter(@Nullable Tensor[] in) {
    Tensor sorter = in[2];
    Tensor line = in[0];
    if (sorter == null || line == null) {
      return;
    }
    long n = line.size(-1);
    var places = new Elements(sorter.data());
    for (long i = 0; i < places.numel(); i++) {
      long place = places.wholeAt(i);
      if (place < 0 || place >= n) {
        throw new ArgumentException(
            "searchsorted: sorter must be in 0..%d, but holds %d.".formatted(n - 1, place));
      }
    }
    Reference.reachabilityFence(sorter);
  }

  static Tensor isin(Tensor x, Tensor test, boolean invert) {
    DType dtype = x.dtype().promote(test.dtype());
    try (var _ = Autograd.noGrad()) {
      Tensor found;
      if (test.numel() == 0) {
        found = Tensor.zeros(DType.BOOL, x.sizes());
      } else {
        Tensor sorted = test.to(dtype).reshape(-1).sort().values();
        Tensor values = x.to(dtype);
        Tensor places = search(sorted, values, SearchOptions.DEFAULT).clampMax(sorted.numel() - 1);
        found = sorted.indexSelect(0, places.reshape(-1)).view(x.sizes()).eq(values);
      }
      return invert ? found.logicalNot() : found;
    }
  }
}
