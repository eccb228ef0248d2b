package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.Reductions.Reduce;
import taper.tensor.Sorting;
import taper.tensor.Sorting.Kinds;
import taper.tensor.Sorting.Kth;
import taper.tensor.Sorting.Order;
import taper.tensor.Sorting.TopK;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Kernels that put elements in order, over keys that have the order of the elements; see [Keys].
///
/// Sorting is stable. Where ranks leave a choice of equal elements, it is PyTorch's; see [Selection]. Operands are
/// contiguous.
public final class ReferenceSorting {
  private static final int FEW = 32;

  private ReferenceSorting() {}

  /// Elements in order, and where they were.
  public static final Kernel SORT =
      new LineByLine(
          (attributes, x) -> Axis.of(x, ((Order) attributes).dim()),
          (attributes, out, in, axis, first, last) -> {
            boolean descending = ((Order) attributes).descending();
            Strided x = in[0];
            var sorter = new Sorter(x.dtype(), axis.length());
            for (long line = first; line < last; line++) {
              long start = axis.start(line);
              int[] order = sorter.sort(x, start, axis.step(), axis.length(), descending);
              axis.pick(x, start, order, axis.length(), out[0], start);
              axis.write(order, axis.length(), out[1], start);
            }
          });

  /// The `k` largest or smallest elements, and where they are.
  public static final Kernel TOP_K =
      new LineByLine(
          (attributes, x) -> Axis.of(x, ((TopK) attributes).dim()), ReferenceSorting::topK);

  private static void topK(
      Record attributes, Strided[] out, Strided[] in, Axis axis, long first, long last) {
    var a = (TopK) attributes;
    Strided x = in[0];
    int n = axis.length();
    int k = (int) a.k();
    if (k == 0) {
      return;
    }
    Axis target = Axis.of(out[0], a.dim());
    int bits = Keys.bits(x.dtype());
    long all = Keys.largest(x.dtype());
    long[] keys = new long[n];
    int[] found = new int[k];
    var sorter = new Sorter(x.dtype(), k);
    int[] result = new int[k];
    for (long line = first; line < last; line++) {
      long start = axis.start(line);
      Keys.read(x, start, axis.step(), n, keys);
      if (a.largest()) {
        for (int i = 0; i < n; i++) {
          keys[i] ^= all;
        }
      }
      boolean tie;
      if (k <= FEW && k <= n / 4) {
        tie = few(keys, n, k, sorter.keys(), result);
      } else {
        tie = best(keys, n, bits, k, found);
        long[] few = sorter.keys();
        for (int i = 0; i < k; i++) {
          few[i] = keys[found[i]];
        }
        int[] order = sorter.sort(k, false);
        few = sorter.keys();
        for (int i = 0; i < k; i++) {
          result[i] = found[order[i]];
          tie |= i > 0 && few[i] == few[i - 1];
        }
      }
      if (tie) {
        var selection = new Selection(keys, n);
        selection.smallest(k);
        System.arraycopy(selection.places(), 0, result, 0, k);
      }
      axis.pick(x, start, result, k, out[0], target.start(line));
      axis.write(result, k, out[1], target.start(line));
    }
  }

  /// Writes the positions of the `k` smallest keys, smallest first, which are kept sorted in `least` while the others are
  /// gone through; returns whether equal ones may have been among them.
  private static boolean few(long[] keys, int n, int k, long[] least, int[] places) {
    int count = 0;
    boolean tie = false;
    for (int i = 0; i < n; i++) {
      long key = keys[i] ^ Long.MIN_VALUE;
      boolean full = count == k;
      if (full && key >= least[k - 1]) {
        tie |= key == least[k - 1];
        continue;
      }
      int at = full ? k - 1 : count++;
      long gone = least[at];
      for (; at > 0 && least[at - 1] > key; at--) {
        least[at] = least[at - 1];
        places[at] = places[at - 1];
      }
      least[at] = key;
      places[at] = i;
      tie |= at > 0 && least[at - 1] == key || full && least[k - 1] == gone;
    }
    return tie;
  }

  /// Writes the positions of the `k` smallest keys, in rising order; returns whether others would do as well.
  private static boolean best(long[] keys, int n, int bits, int k, int[] found) {
    if (k == n) {
      for (int i = 0; i < n; i++) {
        found[i] = i;
      }
      return false;
    }
    long limit = Keys.select(keys, n, bits, k - 1) ^ Long.MIN_VALUE;
    int to = 0;
    int equal = 0;
    for (int i = 0; i < n; i++) {
      long key = keys[i] ^ Long.MIN_VALUE;
      if (key <= limit) {
        equal += key == limit ? 1 : 0;
        if (to < k) {
          found[to] = i;
        }
        to++;
      }
    }
    return equal > 1;
  }

  /// The element of a rank.
  public static final Kernel KTH =
      new LineByLine(
          (attributes, x) -> axis(x, ((Kth) attributes).over()),
          (attributes, out, in, axis, first, last) -> {
            int rank = (int) ((Kth) attributes).k() - 1;
            ranked(axis, out, in[0], true, (_, _) -> rank, first, last);
          });

  /// The lower median; NaN if there is one.
  public static final Kernel MEDIAN = median((n, nan) -> nan > 0 ? n - 1 : (n - 1) / 2);

  /// The lower median of what is not NaN.
  public static final Kernel NAN_MEDIAN = median((n, nan) -> nan == n ? 0 : (n - nan - 1) / 2);

  private interface Rank {
    /// The rank that is looked for among `n` keys, of which `nan` are NaN.
    int of(int n, int nan);
  }

  private static Kernel median(Rank rank) {
    return new LineByLine(
        (attributes, x) -> axis(x, (Reduce) attributes),
        (_, out, in, axis, first, last) -> ranked(axis, out, in[0], false, rank, first, last));
  }

  private static void ranked(
      Axis axis, Strided[] out, Strided x, boolean kth, Rank rank, long first, long last) {
    int n = axis.length();
    long[] keys = new long[n];
    boolean floating = x.dtype().isFloatingPoint();
    long largest = Keys.largest(x.dtype());
    for (long line = first; line < last; line++) {
      long start = axis.start(line);
      Keys.read(x, start, axis.step(), n, keys);
      int nan = 0;
      if (floating) {
        for (int i = 0; i < n; i++) {
          nan += keys[i] == largest ? 1 : 0;
        }
      }
      int wanted = rank.of(n, nan);
      long key = Keys.select(keys, n, Keys.bits(x.dtype()), wanted);
      int before = floating && key == largest && !kth ? wanted : less(keys, n, key);
      int at = occurrence(keys, key, wanted - before);
      if (kth && out.length > 1) {
        boolean tie = wanted > before || occurrence(keys, key, 1) >= 0;
        at = tie ? new Selection(keys, n).quick(wanted) : at;
      }
      Axis.copy(x, start + at * axis.step(), out[0], line);
      if (out.length > 1) {
        Axis.set(out[1], line, at);
      }
    }
  }

  /// How many of `n` keys are smaller than `key`.
  private static int less(long[] keys, int n, long key) {
    int count = 0;
    for (int i = 0; i < n; i++) {
      count += Long.compareUnsigned(keys[i], key) < 0 ? 1 : 0;
    }
    return count;
  }

  /// Where `key` occurs once more than `skipped` times, or -1.
  private static int occurrence(long[] keys, long key, int skipped) {
    for (int i = 0; i < keys.length; i++) {
      if (keys[i] == key && skipped-- == 0) {
        return i;
      }
    }
    return -1;
  }

  /// The most frequent elements, the smallest of equally frequent ones, and where one of them is.
  public static final Kernel MODE =
      new LineByLine(
          (attributes, x) -> axis(x, (Reduce) attributes),
          (_, out, in, axis, first, last) -> {
            Strided x = in[0];
            int n = axis.length();
            boolean floating = x.dtype().isFloatingPoint();
            long nan = Keys.largest(x.dtype());
            var sorter = new Sorter(x.dtype(), n);
            for (long line = first; line < last; line++) {
              long start = axis.start(line);
              int[] order = sorter.sort(x, start, axis.step(), n, false);
              long[] keys = sorter.keys();
              int best = 0;
              int most = 0;
              int run = 0;
              for (int i = 0; i < n; i++) {
                boolean same = i > 0 && keys[i] == keys[i - 1] && !(floating && keys[i] == nan);
                run = same ? run + 1 : 1;
                if (run > most) {
                  most = run;
                  best = i;
                }
              }
              int at = order[best];
              if (most > 1 && n > Selection.SHORT) {
                long key = keys[best];
                Keys.read(x, start, axis.step(), n, keys);
                at = new Selection(keys, n).last(key);
              }
              Axis.copy(x, start + at * axis.step(), out[0], line);
              Axis.set(out[1], line, at);
            }
          });

  /// The lines of `x` that are reduced: along one dimension, or the only one.
  private static Axis axis(Strided x, Reduce over) {
    int[] dims = over.dims();
    return dims == null ? new Axis(1, Math.toIntExact(x.numel()), 1) : Axis.of(x, dims[0]);
  }

  /// Distinct elements in order; where each element of the input is among them; how often each occurs; how many
  /// there are. Only the beginnings of the first and third output are written, and the second if it is asked for.
  public static final Kernel UNIQUE =
      (attributes, out, in) -> {
        Strided x = in[0];
        int n = Math.toIntExact(x.numel());
        if (n == 0) {
          Axis.set(out[3], 0, 0);
          return;
        }
        boolean floating = x.dtype().isFloatingPoint();
        boolean inverse = ((Kinds) attributes).inverse();
        long nan = Keys.largest(x.dtype());
        var sorter = new Sorter(x.dtype(), n);
        int[] order = sorter.sort(x, 0, 1, n, false);
        long[] keys = sorter.keys();
        int distinct = -1;
        int since = 0;
        for (int i = 0; i < n; i++) {
          if (i == 0 || keys[i] != keys[i - 1] || floating && keys[i] == nan) {
            if (distinct >= 0) {
              Axis.set(out[2], distinct, i - since);
            }
            distinct++;
            since = i;
            Axis.copy(x, order[i], out[0], distinct);
          }
          if (inverse) {
            Axis.set(out[1], order[i], distinct);
          }
        }
        Axis.set(out[2], distinct, n - since);
        Axis.set(out[3], 0, distinct + 1);
      };

  /// As [#UNIQUE], but equal elements are only one if they follow each other; nothing is put in order.
  public static final Kernel UNIQUE_CONSECUTIVE =
      (attributes, out, in) -> {
        Strided x = in[0];
        int n = Math.toIntExact(x.numel());
        boolean floating = x.dtype().isFloatingPoint();
        boolean inverse = ((Kinds) attributes).inverse();
        long nan = Keys.largest(x.dtype());
        long[] keys = new long[Math.min(n, Ranges.RUN)];
        int distinct = -1;
        int since = 0;
        long before = 0;
        for (int from = 0; from < n; from += Ranges.RUN) {
          int count = Math.min(Ranges.RUN, n - from);
          Keys.read(x, from, 1, count, keys);
          for (int i = 0; i < count; i++) {
            boolean alone = from + i == 0 || floating && before == nan;
            if (!alone && !inverse) {
              while (i < count && keys[i] == before) {
                i++;
              }
              if (i == count) {
                break;
              }
            }
            if (alone || keys[i] != before) {
              if (distinct >= 0) {
                Axis.set(out[2], distinct, from + i - since);
              }
              distinct++;
              since = from + i;
              before = keys[i];
              Axis.copy(x, since, out[0], distinct);
            }
            if (inverse) {
              Axis.set(out[1], from + i, distinct);
            }
          }
        }
        if (n > 0) {
          Axis.set(out[2], distinct, n - since);
        }
        Axis.set(out[3], 0, distinct + 1);
      };

  /// `rows[n m] -> [n], [n], [n], [1]`: the first of each kind of rows, in their order; of which kind each row is; how
  /// many there are of each kind; how many kinds. Only the beginnings of the first and third output are written.
  public static final Kernel UNIQUE_ROWS = (attributes, out, in) -> kinds(out, in[0], true);

  /// As [#UNIQUE_ROWS], but equal rows are only of one kind if they follow each other.
  public static final Kernel UNIQUE_CONSECUTIVE_ROWS =
      (attributes, out, in) -> kinds(out, in[0], false);

  private static void kinds(Strided[] out, Strided rows, boolean sorted) {
    int n = Math.toIntExact(rows.size(0));
    long m = rows.size(1);
    var elements = new Elements(rows);
    Integer[] order = new Integer[n];
    Arrays.setAll(order, i -> i);
    if (sorted) {
      Arrays.sort(order, (a, b) -> compare(elements, a * m, b * m, m));
    }
    int kind = -1;
    int since = 0;
    for (int i = 0; i < n; i++) {
      if (i == 0 || compare(elements, order[i] * m, order[i - 1] * m, m) != 0) {
        if (kind >= 0) {
          Axis.set(out[2], kind, i - since);
        }
        kind++;
        since = i;
        Axis.set(out[0], kind, order[i]);
      }
      Axis.set(out[1], order[i], kind);
    }
    if (n > 0) {
      Axis.set(out[2], kind, n - since);
    }
    Axis.set(out[3], 0, kind + 1);
  }

  private static int compare(Elements x, long a, long b, long m) {
    for (long i = 0; i < m; i++) {
      int c =
          x.isWhole()
              ? Long.compare(x.wholeAt(a + i), x.wholeAt(b + i))
              : Double.compare(x.at(a + i) + 0.0, x.at(b + i) + 0.0);
      if (c != 0) {
        return c;
      }
    }
    return 0;
  }

  /// `sorted[*b m], values[*c], sorter?[*b m] -> [*c]`: how many elements of a sorted line come before each value.
  public static final Kernel SEARCH =
      (attributes, out, in) -> {
        boolean right = ((Sorting.Search) attributes).right();
        Strided lines = in[0];
        Strided values = in[1];
        Strided sorter = in.length > 2 ? in[2] : null;
        int m = Math.toIntExact(lines.size(lines.rank() - 1));
        boolean one = lines.rank() == 1;
        long count = one ? 1 : m == 0 ? 0 : lines.numel() / m;
        long per = one ? values.numel() : values.rank() == 0 ? 1 : values.size(values.rank() - 1);
        var to = new Elements(out[0]);
        var from = new Elements(values);
        var line = new Elements(lines);
        Elements places = sorter == null ? null : new Elements(sorter);
        boolean whole = from.isWhole();
        if (m == 0) {
          for (long i = 0; i < out[0].numel(); i++) {
            to.set(i, 0L);
          }
          return;
        }
        double[] numbers = new double[whole ? 0 : m];
        long[] wholes = new long[whole ? m : 0];
        for (long l = 0; l < count; l++) {
          for (int i = 0; i < m; i++) {
            long at = l * m + (places == null ? i : places.wholeAt(l * m + i));
            if (whole) {
              wholes[i] = line.wholeAt(at);
            } else {
              numbers[i] = line.at(at);
            }
          }
          for (long i = l * per; i < (l + 1) * per; i++) {
            to.set(
                i,
                whole
                    ? search(wholes, from.wholeAt(i), right)
                    : search(numbers, from.at(i), right));
          }
        }
      };

  private static long search(double[] line, double value, boolean right) {
    int from = 0;
    int to = line.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (right ? line[middle] > value : line[middle] >= value) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }

  private static long search(long[] line, long value, boolean right) {
    int from = 0;
    int to = line.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (right ? line[middle] > value : line[middle] >= value) {
        to = middle;
      } else {
        from = middle + 1;
      }
    }
    return from;
  }
}
