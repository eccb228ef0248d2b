package taper.data;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import taper.tensor.ArgumentException;
import taper.tensor.Generator;

/// Some of the samples of another data set, in an order of its own. Immutable, and as safe to share
/// between threads as the other data set.
///
/// @param <T> the type of a sample
public final class Subset<T> implements Dataset<T> {
  private final Dataset<T> data;
  private final long[] indices;

  /// The samples of `data` with these numbers.
  public Subset(Dataset<T> data, long... indices) {
    this.data = Checks.given("Subset", "data", data);
    this.indices = Checks.given("Subset", "indices", indices).clone();
  }

  /// Splits `data` at random into parts of the given lengths.
  ///
  /// @throws ArgumentException if the lengths do not add up to the size of `data`
  public static <T> List<Subset<T>> randomSplit(
      Dataset<T> data, long[] lengths, Generator generator) {
    long sum = Arrays.stream(lengths).sum();
    if (sum != data.size() || Arrays.stream(lengths).anyMatch(length -> length < 0)) {
      throw new ArgumentException(
          "randomSplit: the lengths must add up to the size of the data set, "
              + data.size()
              + ", but they are "
              + Arrays.toString(lengths)
              + ", which is "
              + sum
              + ". Give fractions that add up to 1 to leave the counting to randomSplit.");
    }
    long[] order = generator.permutation(sum);
    List<Subset<T>> parts = new ArrayList<>();
    int at = 0;
    for (long length : lengths) {
      parts.add(new Subset<>(data, Arrays.copyOfRange(order, at, at + (int) length)));
      at += (int) length;
    }
    return List.copyOf(parts);
  }

  /// Splits `data` at random into parts of the given lengths, with draws from [Generator#global()].
  public static <T> List<Subset<T>> randomSplit(Dataset<T> data, long... lengths) {
    return randomSplit(data, lengths, Generator.global());
  }

  /// Splits `data` at random into parts that are the given fractions of it. Every part is rounded down;
  /// what is left over goes to the parts in turn, one sample each.
  ///
  /// @throws ArgumentException if a fraction is outside 0 to 1 or they do not add up to 1
  public static <T> List<Subset<T>> randomSplit(
      Dataset<T> data, double[] fractions, Generator generator) {
    double sum = 0;
    boolean inside = true;
    long[] lengths = new long[fractions.length];
    for (int i = 0; i < fractions.length; i++) {
      sum += fractions[i];
      inside &= fractions[i] >= 0 && fractions[i] <= 1;
      lengths[i] = (long) Math.floor(data.size() * fractions[i]);
    }
    if (!inside || Math.abs(sum - 1) > 1e-9) {
      throw new ArgumentException(
          "randomSplit: the fractions must be from 0 to 1 and add up to 1, but they are "
              + Arrays.toString(fractions)
              + ".");
    }
    long rest = data.size() - Arrays.stream(lengths).sum();
    for (int i = 0; i < rest; i++) {
      lengths[i % lengths.length]++;
    }
    return randomSplit(data, lengths, generator);
  }

  /// The numbers of the samples in the other data set, as a copy.
  public long[] indices() {
    return indices.clone();
  }

  @Override
  public long size() {
    return indices.length;
  }

  @Override
  public boolean letsNothingEscape() {
    return data.letsNothingEscape();
  }

  @Override
  public T get(long index) {
    if (index < 0 || index >= indices.length) {
      throw new ArgumentException(
          "Subset: the index must be from 0 to "
              + (indices.length - 1)
              + ", but it is "
              + index
              + ".");
    }
    return data.get(indices[(int) index]);
  }
}
