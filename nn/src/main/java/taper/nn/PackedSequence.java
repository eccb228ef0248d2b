package taper.nn;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Sequences of different lengths, step after step without padding, as recurrent layers take them. Immutable.
///
/// ```java
/// PackedSequence packed = PackedSequence.packPaddedSequence(x, new long[] {5, 3}, false, true);
/// LSTM.Packed result = lstm.call(packed, null, null);
/// Tensor padded = result.output().padPackedSequence(false, 0).output();
/// ```
///
/// @param data the rows of all steps, `[m *]`
/// @param batchSizes how many rows each step has, `[t]`, which never become more
/// @param sortedIndices which sequence of the caller each one is, `[n]`, or null if they came in order
/// @param unsortedIndices where each sequence of the caller is, `[n]`, or null if they came in order
public record PackedSequence(
    Tensor data,
    Tensor batchSizes,
    @Nullable Tensor sortedIndices,
    @Nullable Tensor unsortedIndices) {

  /// Checks that the parts fit each other.
  ///
  /// @throws ArgumentException if `batchSizes` is no vector of positive `int64` numbers that never become more and are
  ///     together as many as `data` has rows, or an order does not name each sequence once
  public PackedSequence {
    if (batchSizes.dim() != 1 || batchSizes.dtype() != DType.INT64 || batchSizes.numel() == 0) {
      throw new ArgumentException(
          "PackedSequence: batchSizes must be a vector of at least one int64, but is %s of shape %s."
              .formatted(batchSizes.dtype(), batchSizes.shape()));
    }
    long[] sizes = batchSizes.toLongArray();
    for (int t = 0; t < sizes.length; t++) {
      if (sizes[t] < 1 || t > 0 && sizes[t] > sizes[t - 1]) {
        throw new ArgumentException(
            "PackedSequence: batchSizes must be positive and never become more, but are %s."
                .formatted(Arrays.toString(sizes)));
      }
    }
    long rows = Arrays.stream(sizes).sum();
    if (data.dim() == 0 || data.size(0) != rows) {
      throw new ArgumentException(
          "PackedSequence: data must have as many rows as batchSizes say together, %d, but has shape %s."
              .formatted(rows, data.shape()));
    }
    checkOrder("sortedIndices", sortedIndices, sizes[0]);
    checkOrder("unsortedIndices", unsortedIndices, sizes[0]);
  }

  private static void checkOrder(String name, @Nullable Tensor order, long n) {
    if (order == null) {
      return;
    }
    boolean vector = order.dim() == 1 && order.dtype() == DType.INT64 && order.numel() == n;
    long[] sorted = vector ? order.toLongArray() : new long[0];
    Arrays.sort(sorted);
    boolean names = vector;
    for (int i = 0; i < sorted.length; i++) {
      names &= sorted[i] == i;
    }
    if (!names) {
      throw new ArgumentException(
          "PackedSequence: %s must name each of the %d sequences once, as int64, but is %s of shape %s%s."
              .formatted(
                  name,
                  n,
                  order.dtype(),
                  order.shape(),
                  vector ? ", " + Arrays.toString(order.toLongArray()) : ""));
    }
  }

  /// Padded sequences and their lengths.
  ///
  /// @param output the sequences, `[t n *]` or `[n t *]`
  /// @param lengths how long each is, `[n]`
  public record Padded(Tensor output, Tensor lengths) {}

  /// Packs sequences that were padded to the same length.
  ///
  /// @param input `[t n *]`, or with `batchFirst` `[n t *]`
  /// @param lengths how long each sequence is
  /// @param batchFirst whether the batch dimension comes first
  /// @param enforceSorted whether the longest sequences must come first; otherwise they are sorted
  /// @throws ArgumentException if there are not as many lengths as sequences, one is not positive or beyond the input, or
  ///     they are not sorted though they must be
  public static PackedSequence packPaddedSequence(
      Tensor input, long[] lengths, boolean batchFirst, boolean enforceSorted) {
    Tensor x = batchFirst ? input.transpose(0, 1) : input;
    check(x, lengths, enforceSorted);
    Tensor sorted = null;
    Tensor unsorted = null;
    long[] longest = lengths;
    if (!enforceSorted) {
      int[] order =
          IntStream.range(0, lengths.length)
              .boxed()
              .sorted((a, b) -> Long.compare(lengths[b], lengths[a]))
              .mapToInt(i -> i)
              .toArray();
      long[] back = new long[order.length];
      for (int i = 0; i < order.length; i++) {
        back[order[i]] = i;
      }
      longest = Arrays.stream(order).mapToLong(i -> lengths[i]).toArray();
      sorted = Tensor.of(Arrays.stream(order).asLongStream().toArray());
      unsorted = Tensor.of(back);
      x = x.indexSelect(1, sorted);
    }
    var steps = new ArrayList<Tensor>();
    long[] batchSizes = new long[Math.toIntExact(longest[0])];
    for (int t = 0; t < batchSizes.length; t++) {
      int step = t;
      batchSizes[t] = Arrays.stream(longest).filter(length -> length > step).count();
      steps.add(x.select(0, t).narrow(0, 0, batchSizes[t]));
    }
    return new PackedSequence(Tensor.cat(steps), Tensor.of(batchSizes), sorted, unsorted);
  }

  private static void check(Tensor x, long[] lengths, boolean enforceSorted) {
    if (x.dim() < 2 || lengths.length == 0 || lengths.length != x.size(1)) {
      throw new ArgumentException(
          "packPaddedSequence: there must be a length for each sequence, but there are %d for an input of shape %s."
              .formatted(lengths.length, x.shape()));
    }
    for (int i = 0; i < lengths.length; i++) {
      if (lengths[i] <= 0 || lengths[i] > x.size(0)) {
        throw new ArgumentException(
            "packPaddedSequence: lengths must be from 1 to %d, but length %d is %d."
                .formatted(x.size(0), i, lengths[i]));
      }
      if (enforceSorted && i > 0 && lengths[i] > lengths[i - 1]) {
        throw new ArgumentException(
            "packPaddedSequence: the longest sequences must come first, but length %d is %d after %d. Pass false for enforceSorted."
                .formatted(i, lengths[i], lengths[i - 1]));
      }
    }
  }

  /// Pads the sequences to the length of the longest, in the order in which they were packed.
  ///
  /// @param batchFirst whether the batch dimension of the result comes first
  /// @param paddingValue what stands behind the end of a sequence
  public Padded padPackedSequence(boolean batchFirst, double paddingValue) {
    long[] sizes = batchSizes.toLongArray();
    long n = sizes[0];
    long[] lengths = new long[Math.toIntExact(n)];
    var steps = new ArrayList<Tensor>();
    long offset = 0;
    for (long size : sizes) {
      Tensor rows = data.narrow(0, offset, size);
      offset += size;
      for (int r = 0; r < size; r++) {
        lengths[r]++;
      }
      if (size < n) {
        long[] rest = data.shape().toArray();
        rest[0] = n - size;
        rows = Tensor.cat(List.of(rows, Tensor.full(data.dtype(), paddingValue, rest)));
      }
      steps.add(rows);
    }
    Tensor output = unsorted(Tensor.stack(steps, 0), 1);
    return new Padded(
        batchFirst ? output.transpose(0, 1) : output, unsorted(Tensor.of(lengths), 0));
  }

  /// As [#padPackedSequence(boolean, double)], with time first and zeros.
  public Padded padPackedSequence() {
    return padPackedSequence(false, 0);
  }

  /// The same sequences with other rows.
  PackedSequence with(Tensor rows) {
    return new PackedSequence(rows, batchSizes, sortedIndices, unsortedIndices);
  }

  /// States in the order of the caller, as the layers need them.
  Tensor sorted(Tensor states, int dim) {
    return sortedIndices == null ? states : states.indexSelect(dim, sortedIndices);
  }

  /// States as the layers give them, in the order of the caller.
  Tensor unsorted(Tensor states, int dim) {
    return unsortedIndices == null ? states : states.indexSelect(dim, unsortedIndices);
  }
}
