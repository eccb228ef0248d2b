package taper.cpu.reductions;

import taper.tensor.Reductions.Reduce;
import taper.tensor.spi.Strided;

/// How the elements of a contiguous tensor fall into the lines that are reduced to one element each.
///
/// Neighbouring dimensions that are both kept or both reduced are joined, so that groups alternate. Lines
/// are numbered as the elements of the result. Immutable.
public final class Lines {
  private final long[] sizes;
  private final boolean innerReduced;
  private final long count;
  private final long length;

  private Lines(long[] sizes, boolean innerReduced, long count, long length) {
    this.sizes = sizes;
    this.innerReduced = innerReduced;
    this.count = count;
    this.length = length;
  }

  /// The lines of `x` along the dimensions of `reduce`.
  public static Lines of(Strided x, Reduce reduce) {
    int rank = x.rank();
    boolean[] reduced = new boolean[rank];
    for (int d = 0; d < rank; d++) {
      reduced[d] = reduce.reduces(d);
    }
    return of(x, reduced);
  }

  /// The lines of `x` along the dimensions that are marked.
  public static Lines of(Strided x, boolean[] reduced) {
    long[] sizes = new long[Math.max(1, x.rank())];
    boolean[] kinds = new boolean[sizes.length];
    int groups = 0;
    long count = 1;
    long length = 1;
    for (int d = 0; d < x.rank(); d++) {
      if (reduced[d]) {
        length *= x.size(d);
      } else {
        count *= x.size(d);
      }
      if (x.size(d) != 1) {
        if (groups > 0 && kinds[groups - 1] == reduced[d]) {
          sizes[groups - 1] *= x.size(d);
        } else {
          sizes[groups] = x.size(d);
          kinds[groups++] = reduced[d];
        }
      }
    }
    if (groups == 0) {
      sizes[0] = 1;
      kinds[0] = true;
      groups = 1;
    }
    return new Lines(java.util.Arrays.copyOf(sizes, groups), kinds[groups - 1], count, length);
  }

  /// The number of lines.
  public long count() {
    return count;
  }

  /// The number of elements in a line.
  public long length() {
    return length;
  }

  /// The number of groups of dimensions, outermost first.
  public int groups() {
    return sizes.length;
  }

  /// The size of a group.
  public long size(int group) {
    return sizes[group];
  }

  /// Whether a group is reduced.
  public boolean isReduced(int group) {
    return innerReduced == ((sizes.length - 1 - group) % 2 == 0);
  }

  /// The line to which the elements at `index` of the outermost `groups` groups belong, times 1; kept groups
  /// further in count as 0.
  public long line(long index, int groups) {
    long line = 0;
    long inner = 1;
    for (int g = sizes.length - 1; g >= groups; g--) {
      inner *= isReduced(g) ? 1 : sizes[g];
    }
    for (int g = groups - 1; g >= 0; g--) {
      if (!isReduced(g)) {
        line += index % sizes[g] * inner;
        inner *= sizes[g];
      }
      index /= sizes[g];
    }
    return line;
  }
}
