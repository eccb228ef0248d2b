package taper.tensor.internal;

import taper.tensor.Reductions.Reduce;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain reductions, one output element after the other, in double precision or in whole numbers.
public final class ReferenceReductions {
  private ReferenceReductions() {}

  /// Sums.
  public static final Kernel SUM =
      over(
          (x, line, out, o) -> {
            if (x.isWhole()) {
              long sum = 0;
              for (long i = 0; i < line.count(); i++) {
                sum += x.wholeAtDistance(line.distance(i));
              }
              out.set(o, sum);
            } else {
              double sum = 0;
              for (long i = 0; i < line.count(); i++) {
                sum += x.atDistance(line.distance(i));
              }
              out.set(o, sum);
            }
          });

  /// Whether any element is not 0.
  public static final Kernel ANY =
      over(
          (x, line, out, o) -> {
            long found = 0;
            for (long i = 0; i < line.count() && found == 0; i++) {
              found = x.atDistance(line.distance(i)) != 0 ? 1 : 0;
            }
            out.set(o, found);
          });

  /// The elements that are reduced to one.
  public interface Line {
    /// How many there are.
    long count();

    /// Where element `i` lies, in elements from the first of the operand.
    long distance(long i);
  }

  /// Reduces one line.
  public interface Body {
    /// Writes element `o` of `out`.
    void reduce(Elements x, Line line, Elements out, long o);
  }

  /// A kernel that reduces each line with `body`.
  public static Kernel over(Body body) {
    return new Kernel() {
      @Override
      public boolean anyStrides() {
        return true;
      }

      @Override
      public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
        lines((Reduce) attributes, outputs[0], inputs[0], body);
      }
    };
  }

  /// Runs `body` for every element of `out`, with the line of `x` that belongs to it.
  public static void lines(Reduce reduce, Strided out, Strided x, Body body) {
    int rank = x.rank();
    var read = new Elements(x);
    var write = new Elements(out);
    long[] innerSizes = new long[rank];
    long[] outerSizes = new long[rank];
    long count = 1;
    for (int d = 0; d < rank; d++) {
      boolean reduced = reduce.reduces(d);
      innerSizes[d] = reduced ? x.size(d) : 1;
      outerSizes[d] = reduced ? 1 : x.size(d);
      count *= innerSizes[d];
    }
    long inner = count;
    for (long o = 0, n = out.numel(); o < n; o++) {
      long start = distance(o, outerSizes, x);
      body.reduce(
          read,
          new Line() {
            @Override
            public long count() {
              return inner;
            }

            @Override
            public long distance(long i) {
              return start + ReferenceReductions.distance(i, innerSizes, x);
            }
          },
          write,
          o);
    }
  }

  private static long distance(long index, long[] sizes, Strided x) {
    long result = 0;
    for (int d = sizes.length - 1; d >= 0; d--) {
      result += index % sizes[d] * x.stride(d);
      index /= sizes[d];
    }
    return result;
  }
}
