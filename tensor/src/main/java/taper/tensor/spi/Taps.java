package taper.tensor.spi;

import java.util.Arrays;

/// A linear map along one dimension: element `o` of the result is the sum of `weight[t] · x[index[t]]` over `t` in
/// `start[o] … start[o + 1]`. Threads may share it; nobody may change the arrays.
///
/// @param in how many elements are read
/// @param start where the taps of each element of the result begin, and the end of the last
/// @param index the element that each tap reads
/// @param weight what it counts
public record Taps(int in, int[] start, int[] index, double[] weight) {

  /// How many elements the result has.
  public int out() {
    return start.length - 1;
  }

  /// Whether the map changes nothing.
  public boolean isIdentity() {
    if (in != out() || index.length != in) {
      return false;
    }
    for (int o = 0; o < in; o++) {
      if (start[o] != o || index[o] != o || weight[o] != 1) {
        return false;
      }
    }
    return true;
  }

  /// The smallest index that elements `from` to `to` of the result read.
  public int least(int from, int to) {
    int least = in;
    for (int t = start[from]; t < start[to]; t++) {
      least = Math.min(least, index[t]);
    }
    return least;
  }

  /// The largest index that elements `from` to `to` of the result read, and one more.
  public int end(int from, int to) {
    int end = 0;
    for (int t = start[from]; t < start[to]; t++) {
      end = Math.max(end, index[t] + 1);
    }
    return end;
  }

  /// The number of taps of every element, or -1 if they differ.
  public int uniform() {
    int n = out() == 0 ? -1 : start[1];
    for (int o = 0; o < out(); o++) {
      if (start[o + 1] - start[o] != n) {
        return -1;
      }
    }
    return n;
  }

  /// The map of the gradients: from the result's elements to those of `x`.
  public Taps transposed() {
    int out = out();
    int[] first = new int[in + 1];
    for (int i : index) {
      first[i + 1]++;
    }
    for (int i = 0; i < in; i++) {
      first[i + 1] += first[i];
    }
    int[] next = Arrays.copyOf(first, in);
    int[] from = new int[index.length];
    double[] by = new double[index.length];
    for (int o = 0; o < out; o++) {
      for (int t = start[o]; t < start[o + 1]; t++) {
        int at = next[index[t]]++;
        from[at] = o;
        by[at] = weight[t];
      }
    }
    return new Taps(out, first, from, by);
  }

  /// What one element of the result is made of.
  public interface Rule {
    /// Adds the taps of element `o` to `into`.
    void taps(int o, Builder into);
  }

  /// Collects taps.
  public static final class Builder {
    private int[] index = new int[64];
    private double[] weight = new double[64];
    private int count;

    private Builder() {}

    /// Adds one.
    public void add(int i, double w) {
      if (count == index.length) {
        index = Arrays.copyOf(index, 2 * count);
        weight = Arrays.copyOf(weight, 2 * count);
      }
      index[count] = i;
      weight[count++] = w;
    }
  }

  /// The map from `in` to `out` elements of which `rule` tells the taps.
  public static Taps of(int in, int out, Rule rule) {
    var builder = new Builder();
    int[] start = new int[out + 1];
    for (int o = 0; o < out; o++) {
      rule.taps(o, builder);
      start[o + 1] = builder.count;
    }
    return new Taps(
        in,
        start,
        Arrays.copyOf(builder.index, builder.count),
        Arrays.copyOf(builder.weight, builder.count));
  }

  /// The map that copies element `index[o]` to each `o`.
  public static Taps copies(int in, int[] index) {
    return of(in, index.length, (o, into) -> into.add(index[o], 1));
  }
}
