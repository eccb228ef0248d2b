package taper.tensor.internal;

import taper.tensor.Reductions.Norm;
import taper.tensor.Reductions.Place;
import taper.tensor.Reductions.Reduce;
import taper.tensor.Reductions.Variance;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Plain reductions, one output element after the other, in double precision or in whole numbers.
public final class ReferenceReductions {
  private ReferenceReductions() {}

  /// Sums.
  public static final Kernel SUM =
      over((line, out, o) -> {
        if (line.isWhole()) {
          long sum = 0;
          for (long i = 0; i < line.count(); i++) {
            sum += line.wholeAt(i);
          }
          out.set(o, sum);
        } else {
          out.set(o, line.sum());
        }
      });

  /// Means.
  public static final Kernel MEAN = over((line, out, o) -> out.set(o, line.sum() / line.count()));

  /// Products.
  public static final Kernel PROD =
      over((line, out, o) -> {
        if (line.isWhole()) {
          long product = 1;
          for (long i = 0; i < line.count(); i++) {
            product *= line.wholeAt(i);
          }
          out.set(o, product);
        } else if (line.isComplex()) {
          double re = 1;
          double im = 0;
          for (long i = 0; i < line.count(); i++) {
            double xr = line.realAt(i);
            double xi = line.imaginaryAt(i);
            double next = re * xr - im * xi;
            im = re * xi + im * xr;
            re = next;
          }
          out.set(o, re, im);
        } else {
          double product = 1;
          for (long i = 0; i < line.count(); i++) {
            product *= line.at(i);
          }
          out.set(o, product);
        }
      });

  /// The largest elements.
  public static final Kernel AMAX = over((line, out, o) -> copy(line, line.best(true), out, o));

  /// The smallest elements.
  public static final Kernel AMIN = over((line, out, o) -> copy(line, line.best(false), out, o));

  /// The largest elements and where they are.
  public static final Kernel MAX_DIM = choice(true);

  /// The smallest elements and where they are.
  public static final Kernel MIN_DIM = choice(false);

  /// Where the largest elements are.
  public static final Kernel ARGMAX = over((line, out, o) -> out.set(o, line.best(true)));

  /// Where the smallest elements are.
  public static final Kernel ARGMIN = over((line, out, o) -> out.set(o, line.best(false)));

  /// Whether any element is not 0.
  public static final Kernel ANY =
      over((line, out, o) -> {
        long found = 0;
        for (long i = 0; i < line.count() && found == 0; i++) {
          found = line.at(i) != 0 ? 1 : 0;
        }
        out.set(o, found);
      });

  /// Whether no element is 0.
  public static final Kernel ALL =
      over((line, out, o) -> {
        long found = 1;
        for (long i = 0; i < line.count() && found == 1; i++) {
          found = line.at(i) != 0 ? 1 : 0;
        }
        out.set(o, found);
      });

  /// Variances.
  public static final Kernel VAR =
      variance((line, a, out, o) -> out[0].set(o, line.variance(a.correction())));

  /// Standard deviations.
  public static final Kernel STD =
      variance((line, a, out, o) -> out[0].set(o, Math.sqrt(line.variance(a.correction()))));

  /// Variances and means.
  public static final Kernel VAR_MEAN =
      variance((line, a, out, o) -> {
        out[0].set(o, line.variance(a.correction()));
        out[1].set(o, line.sum() / line.count());
      });

  /// Logarithms of sums of exponentials.
  public static final Kernel LOGSUMEXP =
      over((line, out, o) -> {
        double max = Double.NEGATIVE_INFINITY;
        for (long i = 0; i < line.count(); i++) {
          max = Math.max(max, line.at(i));
        }
        double shift = Double.isInfinite(max) ? 0 : max;
        double sum = 0;
        for (long i = 0; i < line.count(); i++) {
          sum += Math.exp(line.at(i) - shift);
        }
        out.set(o, Math.log(sum) + shift);
      });

  /// Norms.
  public static final Kernel NORM =
      Kernel.ofAnyStrides((attributes, outputs, inputs) -> {
        var norm = (Norm) attributes;
        lines(
            norm.over(), outputs, inputs[0], (line, out, o) -> out[0].set(o, line.norm(norm.p())));
      });

  /// Zeros, but for one element in every line.
  public static final Kernel PLACE =
      (attributes, outputs, inputs) -> {
        var a = (Place) attributes;
        var out = new Elements(outputs[0]);
        var in = new Elements(inputs[0]);
        var indices = new Elements(inputs[1]);
        for (long i = 0; i < out.numel(); i++) {
          out.set(i, 0);
        }
        long stride = stride(outputs[0], a.dim());
        for (long i = 0; i < in.numel(); i++) {
          long at = i / stride * stride * a.size() + indices.wholeAt(i) * stride + i % stride;
          if (in.isWhole()) {
            out.set(at, in.wholeAt(i));
          } else {
            out.set(at, in.at(i));
          }
        }
      };

  /// One element of every line.
  public static final Kernel PICK =
      (attributes, outputs, inputs) -> {
        var a = (Place) attributes;
        var out = new Elements(outputs[0]);
        var in = new Elements(inputs[0]);
        var indices = new Elements(inputs[1]);
        long stride = stride(inputs[0], a.dim());
        for (long i = 0; i < out.numel(); i++) {
          long at = i / stride * stride * a.size() + indices.wholeAt(i) * stride + i % stride;
          if (in.isWhole()) {
            out.set(i, in.wholeAt(at));
          } else {
            out.set(i, in.at(at));
          }
        }
      };

  private static long stride(Strided contiguous, int dim) {
    return contiguous.rank() == 0 ? 1 : Math.max(contiguous.stride(dim), 1);
  }

  private static void copy(Line line, long i, Elements out, long o) {
    if (line.isWhole()) {
      out.set(o, line.wholeAt(i));
    } else {
      out.set(o, line.at(i));
    }
  }

  private static Kernel choice(boolean largest) {
    return pair((line, out, o) -> {
      long i = line.best(largest);
      copy(line, i, out[0], o);
      out[1].set(o, i);
    });
  }

  /// The elements that are reduced to one.
  public static final class Line {
    private final Elements x;
    private final Strided region;
    private final long[] sizes;
    private final long count;
    private long start;

    private Line(Strided region, long[] sizes, long count) {
      this.x = new Elements(region);
      this.region = region;
      this.sizes = sizes;
      this.count = count;
    }

    /// How many there are.
    public long count() {
      return count;
    }

    /// Whether they are whole numbers or truth values.
    public boolean isWhole() {
      return x.isWhole();
    }

    /// Element `i`.
    public double at(long i) {
      return x.atDistance(start + distance(i, sizes, region));
    }

    /// Whether they are complex numbers.
    public boolean isComplex() {
      return x.isComplex();
    }

    /// The real part of element `i`.
    public double realAt(long i) {
      return x.realAtDistance(start + distance(i, sizes, region));
    }

    /// The imaginary part of element `i`.
    public double imaginaryAt(long i) {
      return x.imaginaryAtDistance(start + distance(i, sizes, region));
    }

    /// Element `i`, as a whole number.
    public long wholeAt(long i) {
      return x.wholeAtDistance(start + distance(i, sizes, region));
    }

    double sum() {
      double sum = 0;
      for (long i = 0; i < count; i++) {
        sum += at(i);
      }
      return sum;
    }

    double variance(double correction) {
      double mean = sum() / count;
      double squares = 0;
      for (long i = 0; i < count; i++) {
        squares += (at(i) - mean) * (at(i) - mean);
      }
      return squares / Math.max(0, count - correction);
    }

    double norm(double p) {
      double result = 0;
      if (p == Double.NEGATIVE_INFINITY) {
        result = Double.POSITIVE_INFINITY;
      }
      for (long i = 0; i < count; i++) {
        double size = Math.abs(at(i));
        if (p == Double.POSITIVE_INFINITY) {
          result = Math.max(result, size);
        } else if (p == Double.NEGATIVE_INFINITY) {
          result = Math.min(result, size);
        } else {
          result += p == 0 ? size == 0 ? 0 : 1 : p == 1 ? size : Math.pow(size, p);
        }
      }
      return p == 0 || p == 1 || Double.isInfinite(p) ? result : Math.pow(result, 1 / p);
    }

    /// Where the first of the largest or smallest elements is; NaN comes before all.
    long best(boolean largest) {
      if (x.isWhole()) {
        long best = 0;
        for (long i = 1; i < count; i++) {
          long value = wholeAt(i);
          if (largest ? value > wholeAt(best) : value < wholeAt(best)) {
            best = i;
          }
        }
        return best;
      }
      long best = 0;
      double extreme = at(0);
      for (long i = 1; i < count && !Double.isNaN(extreme); i++) {
        double value = at(i);
        if (Double.isNaN(value) || (largest ? value > extreme : value < extreme)) {
          best = i;
          extreme = value;
        }
      }
      return best;
    }
  }

  /// Reduces one line to one element.
  public interface Body {
    /// Writes element `o` of `out`.
    void reduce(Line line, Elements out, long o);
  }

  /// Reduces one line to one element of each output.
  public interface ManyBody {
    /// Writes element `o` of every output.
    void reduce(Line line, Elements[] out, long o);
  }

  private interface VarianceBody {
    void reduce(Line line, Variance a, Elements[] out, long o);
  }

  /// A kernel that reduces each line with `body`.
  public static Kernel over(Body body) {
    return pair((line, out, o) -> body.reduce(line, out[0], o));
  }

  private static Kernel pair(ManyBody body) {
    return Kernel.ofAnyStrides((attributes, outputs, inputs) -> {
      lines((Reduce) attributes, outputs, inputs[0], body);
    });
  }

  private static Kernel variance(VarianceBody body) {
    return Kernel.ofAnyStrides((attributes, outputs, inputs) -> {
      var a = (Variance) attributes;
      lines(a.over(), outputs, inputs[0], (line, out, o) -> body.reduce(line, a, out, o));
    });
  }

  /// Runs `body` for every element of the outputs, with the line of `x` that belongs to it.
  public static void lines(Reduce reduce, Strided[] outputs, Strided x, ManyBody body) {
    int rank = x.rank();
    var write = new Elements[outputs.length];
    for (int i = 0; i < write.length; i++) {
      write[i] = new Elements(outputs[i]);
    }
    long[] innerSizes = new long[rank];
    long[] outerSizes = new long[rank];
    long count = 1;
    for (int d = 0; d < rank; d++) {
      boolean reduced = reduce.reduces(d);
      innerSizes[d] = reduced ? x.size(d) : 1;
      outerSizes[d] = reduced ? 1 : x.size(d);
      count *= innerSizes[d];
    }
    var line = new Line(x, innerSizes, count);
    for (long o = 0, n = outputs[0].numel(); o < n; o++) {
      line.start = distance(o, outerSizes, x);
      body.reduce(line, write, o);
    }
  }

  private static long distance(long index, long[] sizes, Strided x) {
    long result = 0;
    for (int d = sizes.length - 1; d >= 0; d--) {
      if (sizes[d] > 1) {
        result += index % sizes[d] * x.stride(d);
        index /= sizes[d];
      }
    }
    return result;
  }
}
