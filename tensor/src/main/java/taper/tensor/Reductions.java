package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceReductions;

/// Sums, means and extremes along dimensions.
public sealed interface Reductions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the sum of all elements; whole numbers are summed as `int64`.
  default Tensor sum() {
    return Operators.SUM.on(Reduce.all(), self());
  }

  /// Returns the sums along `dim`.
  default Tensor sum(int dim, boolean keepDim) {
    return sum(new int[] {dim}, keepDim);
  }

  /// Returns the sums along `dims`; none means all.
  default Tensor sum(int[] dims, boolean keepDim) {
    return Operators.SUM.on(Reduce.along("sum", dims, keepDim, self()), self());
  }

  /// Returns whether any element is not 0.
  default Tensor any() {
    return Operators.ANY.on(Reduce.all(), self());
  }

  /// Returns this tensor summed over the dimensions that were broadcast from `sizes`.
  default Tensor sumToSize(long... sizes) {
    long[] own = self().sizes();
    if (Arrays.equals(own, sizes)) {
      return self();
    }
    int lead = own.length - sizes.length;
    int[] dims =
        java.util.stream.IntStream.range(0, own.length)
            .filter(d -> d < lead || sizes[d - lead] == 1 && own[d] != 1)
            .toArray();
    Tensor result = dims.length == 0 ? self() : sum(dims, true);
    return lead > 0 ? result.view(sizes) : result;
  }

  /// Along which dimensions to reduce.
  ///
  /// @param dims sorted, counted from 0; null for all
  /// @param keepDim whether reduced dimensions stay, with size 1
  record Reduce(int @Nullable [] dims, boolean keepDim) {

    static Reduce all() {
      return new Reduce(null, false);
    }

    static Reduce along(String op, int[] dims, boolean keepDim, Tensor x) {
      if (dims.length == 0) {
        return new Reduce(null, keepDim);
      }
      int[] sorted = Arrays.stream(dims).map(d -> Checks.dim(op, d, x.dim())).sorted().toArray();
      for (int i = 1; i < sorted.length; i++) {
        if (sorted[i] == sorted[i - 1]) {
          throw new ArgumentException(
              "%s: dims must be different, but dim %d appears twice in %s."
                  .formatted(op, sorted[i], Arrays.toString(dims)));
        }
      }
      return new Reduce(sorted, keepDim);
    }

    /// Whether dimension `d` is reduced.
    public boolean reduces(int d) {
      return dims == null || Arrays.binarySearch(dims, d) >= 0;
    }

    List<long[]> shape(List<long @Nullable []> in) {
      long[] sizes = in.get(0);
      assert sizes != null;
      return List.of(
          java.util.stream.IntStream.range(0, sizes.length)
              .filter(d -> keepDim || !reduces(d))
              .mapToLong(d -> reduces(d) ? 1 : sizes[d])
              .toArray());
    }

    /// `reduced` seen with the dimensions that were reduced, at size 1, so that it broadcasts against `sizes`.
    Tensor restore(Tensor reduced, long[] sizes) {
      if (keepDim) {
        return reduced;
      }
      long[] kept = sizes.clone();
      for (int d = 0; d < kept.length; d++) {
        if (reduces(d)) {
          kept[d] = 1;
        }
      }
      return reduced.view(kept);
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("reductions");

    static final Operator<Reduce> SUM =
        FAMILY
            .<Reduce>structured("sum", "self[*] -> [*]", ReferenceReductions.SUM)
            .shape(Reduce::shape)
            .dtypes(DTypes.SUM)
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> b.attributes().restore(b.grad(), b.sizes("self")).expand(b.sizes("self")))
            .torch(
                "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType?"
                    + " dtype=None) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .sample(new Reduce(new int[] {1}, false), "f32[3 4 2]")
            .declare();

    static final Operator<Reduce> ANY =
        FAMILY
            .<Reduce>structured("any", "self[*] -> [*]", ReferenceReductions.ANY)
            .shape(Reduce::shape)
            .dtypes(DTypes.ANY.results(DTypes.Result.BOOL))
            .notDifferentiable()
            .torch("aten::any(Tensor self) -> Tensor")
            .sample(Reduce.all(), "f32[3 4]")
            .declare();

    private Operators() {}
  }
}
