package taper.cpu.loops;

import taper.tensor.spi.Strided;

/// The loops over the elements of several operands of equal sizes: as few as possible, the innermost along
/// the first operand's smallest stride.
///
/// Dimensions of size 1 are dropped, the others ordered by the stride of the first operand, and neighbours
/// joined where no operand jumps between them. Contiguous operands of any rank become one loop, a bias
/// over channels three. Immutable.
public final class Nest {
  private final int operands;
  private final int rank;
  private final long[] sizes;
  private final long[] strides; // [operand][dimension], in bytes

  private Nest(int operands, int rank, long[] sizes, long[] strides) {
    this.operands = operands;
    this.rank = rank;
    this.sizes = sizes;
    this.strides = strides;
  }

  /// The loops over `first` and `others`, which have its sizes. There is at least one loop.
  public static Nest of(Strided first, Strided... others) {
    int operands = 1 + others.length;
    int all = first.rank();
    int[] order = new int[all];
    int kept = 0;
    for (int d = 0; d < all; d++) {
      if (first.size(d) != 1) {
        order[kept++] = d;
      }
    }
    for (int i = 1; i < kept; i++) { // stable, and in one pass where nothing is out of order
      int d = order[i];
      int j = i - 1;
      while (j >= 0 && Math.abs(first.stride(order[j])) < Math.abs(first.stride(d))) {
        order[j + 1] = order[j];
        j--;
      }
      order[j + 1] = d;
    }
    int capacity = Math.max(kept, 1);
    long[] sizes = new long[capacity];
    long[] strides = new long[operands * capacity];
    int rank = 0;
    for (int i = 0; i < kept; i++) {
      int d = order[i];
      boolean joins = rank > 0;
      for (int k = 0; joins && k < operands; k++) {
        Strided x = k == 0 ? first : others[k - 1];
        long stride = x.stride(d) * x.dtype().byteSize();
        joins = strides[k * capacity + rank - 1] == stride * first.size(d);
      }
      int at = joins ? rank - 1 : rank++;
      sizes[at] = joins ? sizes[at] * first.size(d) : first.size(d);
      for (int k = 0; k < operands; k++) {
        Strided x = k == 0 ? first : others[k - 1];
        strides[k * capacity + at] = x.stride(d) * x.dtype().byteSize();
      }
    }
    if (rank == 0) {
      sizes[0] = 1;
      for (int k = 0; k < operands; k++) {
        Strided x = k == 0 ? first : others[k - 1];
        strides[k * capacity] = x.dtype().byteSize();
      }
      rank = 1;
    }
    return new Nest(operands, rank, sizes, strides);
  }

  /// The number of operands.
  public int operands() {
    return operands;
  }

  /// The number of loops, at least 1.
  public int rank() {
    return rank;
  }

  /// The number of steps of a loop, counted from the outermost.
  public long size(int loop) {
    return sizes[loop];
  }

  /// How far an operand moves with each step of a loop, in bytes.
  public long stride(int operand, int loop) {
    return strides[operand * sizes.length + loop];
  }

  /// The steps of the innermost loop.
  public long columns() {
    return sizes[rank - 1];
  }

  /// How far an operand moves with each step of the innermost loop, in bytes.
  public long columnStride(int operand) {
    return stride(operand, rank - 1);
  }

  /// The steps of the loop around the innermost, 1 if there is none.
  public long rows() {
    return rank < 2 ? 1 : sizes[rank - 2];
  }

  /// How far an operand moves with each step of the loop around the innermost, in bytes.
  public long rowStride(int operand) {
    return rank < 2 ? 0 : stride(operand, rank - 2);
  }

  /// The steps of all loops around the two innermost ones.
  public long planes() {
    long planes = 1;
    for (int i = 0; i < rank - 2; i++) {
      planes *= sizes[i];
    }
    return planes;
  }

  /// Where an operand stands in plane `plane`, in bytes from its start.
  public long planeOffset(int operand, long plane) {
    long offset = 0;
    for (int i = rank - 3; i >= 0; i--) {
      offset += plane % sizes[i] * stride(operand, i);
      plane /= sizes[i];
    }
    return offset;
  }
}
