package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// Finds the order of the elements of lines, one line after the other. Belongs to one thread.
///
/// Sorting is by digits, from the lowest on, which keeps equal elements in their order and takes time in proportion to
/// the number of elements [1, 5.2.5]. Digits that all elements share are passed over, so that small whole numbers are
/// sorted as fast as bytes. Keys of up to 32 bits travel in one word with the position of the element; short lines of
/// them are left to [Arrays#sort(long\[\])], for which the position settles ties.
///
/// [1] Knuth, The Art of Computer Programming, volume 3, 2nd edition, 1998.
final class Sorter {
  private static final int SHORT = 200;

  private final int bits;
  private final boolean packed;
  private long[] keys;
  private long[] otherKeys;
  private int[] order;
  private int[] otherOrder;
  private final int[][] counts;
  private final int digitBits;

  /// A sorter of lines of at most `n` elements.
  Sorter(DType dtype, int n) {
    this.bits = Keys.bits(dtype);
    this.packed = bits <= 32;
    this.keys = new long[n];
    this.otherKeys = new long[n];
    this.order = new int[n];
    this.otherOrder = packed ? order : new int[n];
    this.digitBits = n <= 4096 ? 8 : 11;
    this.counts = new int[(bits + digitBits - 1) / digitBits][1 << digitBits];
  }

  /// The keys of the line in order, after [#sort]; inverted if the order is descending.
  long[] keys() {
    return keys;
  }

  /// The positions of the elements of a line in their order: an array that the next call overwrites.
  int[] sort(Strided x, long start, long step, int n, boolean descending) {
    Keys.read(x, start, step, n, keys);
    return sort(n, descending);
  }

  /// As [#sort(Strided, long, long, int, boolean)], for keys that the caller has written into [#keys()].
  int[] sort(int n, boolean descending) {
    if (descending) {
      long all = -1L >>> (64 - bits);
      for (int i = 0; i < n; i++) {
        keys[i] ^= all;
      }
    }
    if (packed) {
      sortPacked(n);
    } else {
      sortPairs(n);
    }
    return order;
  }

  private void sortPacked(int n) {
    long[] from = keys;
    for (int i = 0; i < n; i++) {
      from[i] = from[i] << 32 | i;
    }
    if (n <= SHORT) {
      for (int i = 0; i < n; i++) {
        from[i] ^= Long.MIN_VALUE;
      }
      Arrays.sort(from, 0, n);
      for (int i = 0; i < n; i++) {
        from[i] ^= Long.MIN_VALUE;
      }
    } else {
      count(from, n, 32);
      long[] to = otherKeys;
      for (int d = 0; d < counts.length; d++) {
        int[] place = counts[d];
        int shift = 32 + d * digitBits;
        int mask = place.length - 1;
        if (place[(int) (from[0] >>> shift) & mask] == n) {
          continue;
        }
        starts(place);
        for (int i = 0; i < n; i++) {
          long word = from[i];
          to[place[(int) (word >>> shift) & mask]++] = word;
        }
        long[] swap = from;
        from = to;
        to = swap;
      }
      keys = from;
      otherKeys = to;
    }
    for (int i = 0; i < n; i++) {
      long word = from[i];
      order[i] = (int) word;
      from[i] = word >>> 32;
    }
  }

  private void sortPairs(int n) {
    for (int i = 0; i < n; i++) {
      order[i] = i;
    }
    if (n <= 48) {
      insert(n);
      return;
    }
    long[] from = keys;
    long[] to = otherKeys;
    int[] fromOrder = order;
    int[] toOrder = otherOrder;
    count(from, n, 0);
    for (int d = 0; d < counts.length; d++) {
      int[] place = counts[d];
      int shift = d * digitBits;
      int mask = place.length - 1;
      if (place[(int) (from[0] >>> shift) & mask] == n) {
        continue;
      }
      starts(place);
      for (int i = 0; i < n; i++) {
        long key = from[i];
        int at = place[(int) (key >>> shift) & mask]++;
        to[at] = key;
        toOrder[at] = fromOrder[i];
      }
      long[] swap = from;
      from = to;
      to = swap;
      int[] swapOrder = fromOrder;
      fromOrder = toOrder;
      toOrder = swapOrder;
    }
    keys = from;
    otherKeys = to;
    order = fromOrder;
    otherOrder = toOrder;
  }

  private void insert(int n) {
    for (int i = 1; i < n; i++) {
      long key = keys[i];
      int j = i;
      for (; j > 0 && Long.compareUnsigned(keys[j - 1], key) > 0; j--) {
        keys[j] = keys[j - 1];
        order[j] = order[j - 1];
      }
      keys[j] = key;
      order[j] = i;
    }
  }

  /// Counts the digits of all places in one pass.
  private void count(long[] from, int n, int lowest) {
    for (int[] place : counts) {
      Arrays.fill(place, 0);
    }
    int mask = (1 << digitBits) - 1;
    for (int i = 0; i < n; i++) {
      long rest = from[i] >>> lowest;
      for (int[] place : counts) {
        place[(int) rest & mask]++;
        rest >>>= digitBits;
      }
    }
  }

  private static void starts(int[] place) {
    int sum = 0;
    for (int i = 0; i < place.length; i++) {
      int count = place[i];
      place[i] = sum;
      sum += count;
    }
  }
}
