package taper.cpu.moving;

/// The lines of a shape along one dimension, and where they begin in several operands.
final class LineWalk {
  /// Lines along the last dimension are long enough from this length on.
  static final int LONG = 16;

  private final int line;
  private final long[] sizes;
  private final long[][] strides;
  private final long[] index;
  final long[] at;

  LineWalk(long[] sizes, long[]... strides) {
    this.sizes = sizes;
    this.strides = strides;
    this.index = new long[sizes.length];
    this.at = new long[strides.length];
    int longest = sizes.length - 1;
    for (int d = 0; d < sizes.length && sizes[longest] < LONG; d++) {
      if (sizes[d] > sizes[longest]) {
        longest = d;
      }
    }
    this.line = longest;
  }

  int length() {
    return Math.toIntExact(sizes[line]);
  }

  long step(int operand) {
    return strides[operand][line];
  }

  long lines() {
    long n = 1;
    for (int d = 0; d < sizes.length; d++) {
      n *= d == line ? 1 : sizes[d];
    }
    return n;
  }

  /// The lines of a shape of two dimensions, whose strides are those of three operands, of which the second has indices.
  Loops.Lines lines(int width) {
    int other = 1 - line;
    return new Loops.Lines(
        sizes[other], strides[0][other] * width, strides[1][other] * 8, strides[2][other] * width);
  }

  int line() {
    return line;
  }

  /// Goes to a line, counted from the first.
  void seek(long number) {
    java.util.Arrays.fill(at, 0);
    long rest = number;
    for (int d = sizes.length - 1; d >= 0; d--) {
      if (d != line) {
        index[d] = rest % sizes[d];
        rest /= sizes[d];
        for (int o = 0; o < at.length; o++) {
          at[o] += strides[o][d] * index[d];
        }
      }
    }
  }

  void next() {
    for (int d = sizes.length - 1; d >= 0; d--) {
      if (d == line) {
        continue;
      }
      if (++index[d] < sizes[d]) {
        for (int o = 0; o < at.length; o++) {
          at[o] += strides[o][d];
        }
        return;
      }
      index[d] = 0;
      for (int o = 0; o < at.length; o++) {
        at[o] -= strides[o][d] * (sizes[d] - 1);
      }
    }
  }
}
