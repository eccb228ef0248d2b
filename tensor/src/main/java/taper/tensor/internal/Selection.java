package taper.tensor.internal;

/// Chooses among equal keys as PyTorch does.
///
/// PyTorch finds ranks with the partial sorts of the C++ library that it is built with, which choose one of several
/// equal elements by the order in which they happen to exchange elements. Where there are equal keys these are the same
/// algorithms, exchange by exchange: introsort and introselect [1] with the median of three, heaps as in [2, 5.2.3], and
/// PyTorch's own quick select. Where all keys differ [Keys#select] finds the same elements in less time.
///
/// [1] Musser 1997, Introspective sorting and selection algorithms.
/// [2] Knuth, The Art of Computer Programming, volume 3, 2nd edition, 1998.
final class Selection {
  /// Shorter lines are sorted by insertion, which leaves equal elements in their order.
  static final int SHORT = 16;

  private final long[]
      keys; // with the sign bit inverted, so that signed comparisons give their order
  private final int[] places;

  /// A choice among the first `n` keys, of which it makes a copy.
  Selection(long[] from, int n) {
    keys = new long[n];
    places = new int[n];
    for (int i = 0; i < n; i++) {
      keys[i] = from[i] ^ Long.MIN_VALUE;
      places[i] = i;
    }
  }

  /// Where the elements are that have been brought to the front.
  int[] places() {
    return places;
  }

  /// Brings the `k` smallest keys to the front, in order.
  void smallest(int k) {
    int n = keys.length;
    if ((long) k * 64 <= n) {
      heapSelect(0, k, n);
      sortHeap(0, k);
    } else {
      nth(0, k - 1, n);
      sort(0, k - 1);
    }
  }

  /// Sorts all keys and returns where the last of those equal to `key` was.
  int last(long key) {
    sort(0, keys.length);
    int at = keys.length - 1;
    while (keys[at] != (key ^ Long.MIN_VALUE)) {
      at--;
    }
    return places[at];
  }

  /// Finds the key of rank `rank` as PyTorch does by itself, and returns where it was.
  int quick(int rank) {
    int left = 0;
    int right = keys.length - 1;
    while (right > left) {
      if (right == left + 1) {
        order(left, right);
        break;
      }
      swap(left + (right - left) / 2, left + 1);
      order(left + 1, right);
      order(left, right);
      order(left + 1, left);
      int i = left + 1;
      int j = right;
      long pivot = keys[left];
      while (true) {
        do {
          i++;
        } while (pivot > keys[i]);
        do {
          j--;
        } while (keys[j] > pivot);
        if (j < i) {
          break;
        }
        swap(i, j);
      }
      swap(left, j);
      if (j <= rank) {
        left = i;
      }
      if (j >= rank) {
        right = j - 1;
      }
    }
    return places[rank];
  }

  private void order(int a, int b) {
    if (keys[a] > keys[b]) {
      swap(a, b);
    }
  }

  private void swap(int a, int b) {
    long key = keys[a];
    keys[a] = keys[b];
    keys[b] = key;
    int place = places[a];
    places[a] = places[b];
    places[b] = place;
  }

  private void move(int from, int to) {
    keys[to] = keys[from];
    places[to] = places[from];
  }

  private static int depth(int n) {
    return 2 * (31 - Integer.numberOfLeadingZeros(n));
  }

  private void nth(int first, int nth, int last) {
    if (first == last || nth == last) {
      return;
    }
    int depth = depth(last - first);
    while (last - first > 3) {
      if (depth-- == 0) {
        heapSelect(first, nth + 1, last);
        swap(first, nth);
        return;
      }
      int cut = partition(first, last);
      if (cut <= nth) {
        first = cut;
      } else {
        last = cut;
      }
    }
    insertionSort(first, last);
  }

  private void sort(int first, int last) {
    if (first == last) {
      return;
    }
    sort(first, last, depth(last - first));
    if (last - first > SHORT) {
      insertionSort(first, first + SHORT);
      for (int i = first + SHORT; i < last; i++) {
        insert(i);
      }
    } else {
      insertionSort(first, last);
    }
  }

  private void sort(int first, int last, int depth) {
    while (last - first > SHORT) {
      if (depth-- == 0) {
        heapSelect(first, last, last);
        sortHeap(first, last);
        return;
      }
      int cut = partition(first, last);
      sort(cut, last, depth);
      last = cut;
    }
  }

  private void insertionSort(int first, int last) {
    for (int i = first + 1; i < last; i++) {
      if (keys[i] < keys[first]) {
        long key = keys[i];
        int place = places[i];
        System.arraycopy(keys, first, keys, first + 1, i - first);
        System.arraycopy(places, first, places, first + 1, i - first);
        keys[first] = key;
        places[first] = place;
      } else {
        insert(i);
      }
    }
  }

  private void insert(int i) {
    long key = keys[i];
    int place = places[i];
    int at = i;
    for (; key < keys[at - 1]; at--) {
      move(at - 1, at);
    }
    keys[at] = key;
    places[at] = place;
  }

  private int partition(int first, int last) {
    int a = first + 1;
    int b = first + (last - first) / 2;
    int c = last - 1;
    if (keys[a] < keys[b]) {
      swap(first, keys[b] < keys[c] ? b : keys[a] < keys[c] ? c : a);
    } else {
      swap(first, keys[a] < keys[c] ? a : keys[b] < keys[c] ? c : b);
    }
    long pivot = keys[first];
    int from = first + 1;
    int to = last;
    while (true) {
      while (keys[from] < pivot) {
        from++;
      }
      to--;
      while (pivot < keys[to]) {
        to--;
      }
      if (from >= to) {
        return from;
      }
      swap(from, to);
      from++;
    }
  }

  // Heaps of the keys from `first` on, the largest on top

  private void heapSelect(int first, int middle, int last) {
    int n = middle - first;
    for (int parent = (n - 2) / 2; n > 1 && parent >= 0; parent--) {
      sift(first, parent, n, keys[first + parent], places[first + parent]);
    }
    for (int i = middle; i < last; i++) {
      if (keys[i] < keys[first]) {
        pop(first, n, i);
      }
    }
  }

  private void sortHeap(int first, int last) {
    while (last - first > 1) {
      last--;
      pop(first, last - first, last);
    }
  }

  private void pop(int first, int n, int to) {
    long key = keys[to];
    int place = places[to];
    move(first, to);
    sift(first, 0, n, key, place);
  }

  private void sift(int first, int hole, int n, long key, int place) {
    int top = hole;
    int child = hole;
    while (child < (n - 1) / 2) {
      child = 2 * (child + 1);
      if (keys[first + child] < keys[first + child - 1]) {
        child--;
      }
      move(first + child, first + hole);
      hole = child;
    }
    if ((n & 1) == 0 && child == (n - 2) / 2) {
      child = 2 * child + 1;
      move(first + child, first + hole);
      hole = child;
    }
    int parent = (hole - 1) / 2;
    while (hole > top && keys[first + parent] < key) {
      move(first + parent, first + hole);
      hole = parent;
      parent = (hole - 1) / 2;
    }
    keys[first + hole] = key;
    places[first + hole] = place;
  }
}
