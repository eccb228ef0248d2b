package taper.tensor.internal;

import java.util.Arrays;
import taper.tensor.Reductions.Cumulative;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Running results along a dimension of contiguous operands, in double precision or in whole numbers.
///
/// A tensor is seen as planes of rows: the dimension runs down the rows of a plane, one running result a column. Where
/// the dimension is the last one, a plane has one column and its rows are read in runs.
public final class ReferenceScans {
  private ReferenceScans() {}

  /// What is done to columns at once, one row after the other.
  private interface Real {
    /// Folds the row `x` of `n` columns from column `from` on into `state`, and writes what is to be the result over `x`.
    void fold(double[] state, double[] x, int n);

    /// Folds `n` elements of one column into `state[0]`.
    void run(double[] state, double[] x, int n, boolean backwards);

    /// Folds four lines from their beginning, whose chains of dependent operations overlap.
    void four(double[] a, double[] b, double[] c, double[] d, int n);
  }

  private interface Whole {
    void fold(long[] state, long[] x, int n);

    void run(long[] state, long[] x, int n, boolean backwards);
  }

  /// Running sums.
  public static final Kernel CUMSUM = scan(new Sums(), new WholeSums(), 0);

  /// Running products.
  public static final Kernel CUMPROD = scan(new Products(), new WholeProducts(), 1);

  /// Logarithms of running sums of exponentials.
  public static final Kernel LOGCUMSUMEXP =
      scan(new Exponentials(), new WholeSums(), Double.NEGATIVE_INFINITY);

  private static final class Sums implements Real {
    @Override
    public void fold(double[] state, double[] x, int n) {
      for (int c = 0; c < n; c++) {
        x[c] = state[c] += x[c];
      }
    }

    @Override
    public void run(double[] state, double[] x, int n, boolean backwards) {
      double sum = state[0];
      if (backwards) {
        for (int i = n - 1; i >= 0; i--) {
          x[i] = sum += x[i];
        }
      } else {
        for (int i = 0; i < n; i++) {
          x[i] = sum += x[i];
        }
      }
      state[0] = sum;
    }

    @Override
    public void four(double[] a, double[] b, double[] c, double[] d, int n) {
      double p = 0;
      double q = p;
      double r = p;
      double s = p;
      for (int i = 0; i < n; i++) {
        a[i] = p += a[i];
        b[i] = q += b[i];
        c[i] = r += c[i];
        d[i] = s += d[i];
      }
    }
  }

  private static final class Products implements Real {
    @Override
    public void fold(double[] state, double[] x, int n) {
      for (int c = 0; c < n; c++) {
        x[c] = state[c] *= x[c];
      }
    }

    @Override
    public void run(double[] state, double[] x, int n, boolean backwards) {
      double product = state[0];
      if (backwards) {
        for (int i = n - 1; i >= 0; i--) {
          x[i] = product *= x[i];
        }
      } else {
        for (int i = 0; i < n; i++) {
          x[i] = product *= x[i];
        }
      }
      state[0] = product;
    }

    @Override
    public void four(double[] a, double[] b, double[] c, double[] d, int n) {
      double p = 1;
      double q = p;
      double r = p;
      double s = p;
      for (int i = 0; i < n; i++) {
        a[i] = p *= a[i];
        b[i] = q *= b[i];
        c[i] = r *= c[i];
        d[i] = s *= d[i];
      }
    }
  }

  private static final class Exponentials implements Real {
    @Override
    public void fold(double[] state, double[] x, int n) {
      for (int c = 0; c < n; c++) {
        x[c] = state[c] = logAddExp(state[c], x[c]);
      }
    }

    @Override
    public void run(double[] state, double[] x, int n, boolean backwards) {
      double sum = state[0];
      for (int k = 0; k < n; k++) {
        int i = backwards ? n - 1 - k : k;
        x[i] = sum = logAddExp(sum, x[i]);
      }
      state[0] = sum;
    }

    private static double logAddExp(double a, double b) {
      double max = Math.max(a, b);
      double min = Math.min(a, b);
      return min != max || Double.isFinite(min) ? log1p(Math.exp(min - max)) + max : a;
    }

    @Override
    public void four(double[] a, double[] b, double[] c, double[] d, int n) {
      double[] state = new double[1];
      for (double[] line : new double[][] {a, b, c, d}) {
        state[0] = Double.NEGATIVE_INFINITY;
        run(state, line, n, false);
      }
    }
  }

  /// `log(1 + x)` for `x` in 0..1, with the rounding error of `1 + x` taken back: faster than [Math#log1p].
  private static double log1p(double x) {
    double y = 1 + x;
    return y == 1 ? x : Math.log(y) * (x / (y - 1));
  }

  private static final class WholeSums implements Whole {
    @Override
    public void fold(long[] state, long[] x, int n) {
      for (int c = 0; c < n; c++) {
        x[c] = state[c] += x[c];
      }
    }

    @Override
    public void run(long[] state, long[] x, int n, boolean backwards) {
      for (int k = 0; k < n; k++) {
        int i = backwards ? n - 1 - k : k;
        x[i] = state[0] += x[i];
      }
    }
  }

  private static final class WholeProducts implements Whole {
    @Override
    public void fold(long[] state, long[] x, int n) {
      for (int c = 0; c < n; c++) {
        x[c] = state[c] *= x[c];
      }
    }

    @Override
    public void run(long[] state, long[] x, int n, boolean backwards) {
      for (int k = 0; k < n; k++) {
        int i = backwards ? n - 1 - k : k;
        x[i] = state[0] *= x[i];
      }
    }
  }

  private static Kernel scan(Real real, Whole whole, double identity) {
    return new LineByLine(
        (attributes, x) -> Axis.of(x, ((Cumulative) attributes).dim()),
        (attributes, out, in, axis, first, last) -> {
          boolean reverse = ((Cumulative) attributes).reverse();
          if (out[0].dtype().isComplex()) {
            assert real instanceof Products : "sums are taken by parts";
            complexProducts(axis, out[0], in[0], first, last);
          } else if (out[0].dtype().isFloatingPoint()) {
            scan(real, identity, reverse, axis, out[0], in[0], first, last);
          } else {
            scan(whole, (long) identity, reverse, axis, out[0], in[0], first, last);
          }
        });
  }

  private static void scan(
      Real real,
      double identity,
      boolean reverse,
      Axis axis,
      Strided out,
      Strided x,
      long first,
      long last) {
    int n = axis.length();
    double[] state = new double[Ranges.RUN];
    double[] run = new double[Ranges.RUN];
    if (axis.step() == 1) {
      long line = first;
      if (!reverse && n <= Ranges.RUN && line + 4 <= last) {
        double[][] four = {run, new double[n], new double[n], new double[n]};
        for (; line + 4 <= last; line += 4) {
          for (int i = 0; i < 4; i++) {
            Ranges.read(x, (line + i) * n, n, four[i]);
          }
          real.four(four[0], four[1], four[2], four[3], n);
          for (int i = 0; i < 4; i++) {
            Ranges.write(out, (line + i) * n, n, four[i]);
          }
        }
      }
      for (; line < last; line++) {
        state[0] = identity;
        for (int done = 0; done < n; done += Ranges.RUN) {
          int count = Math.min(Ranges.RUN, n - done);
          long at = line * n + (reverse ? n - done - count : done);
          Ranges.read(x, at, count, run);
          real.run(state, run, count, reverse);
          Ranges.write(out, at, count, run);
        }
      }
      return;
    }
    for (long line = first; line < last; ) {
      int count = columns(axis, line, last);
      Arrays.fill(state, identity);
      for (int row = 0; row < n; row++) {
        long at = axis.start(line) + (reverse ? n - 1 - row : row) * axis.step();
        Ranges.read(x, at, count, run);
        real.fold(state, run, count);
        Ranges.write(out, at, count, run);
      }
      line += count;
    }
  }

  /// How many lines from `line` on lie side by side, up to a run of them.
  private static int columns(Axis axis, long line, long last) {
    long inPlane = axis.step() - line % axis.step();
    return (int) Math.min(Ranges.RUN, Math.min(inPlane, last - line));
  }

  private static void scan(
      Whole whole,
      long identity,
      boolean reverse,
      Axis axis,
      Strided out,
      Strided x,
      long first,
      long last) {
    int n = axis.length();
    long[] state = new long[Ranges.RUN];
    long[] run = new long[Ranges.RUN];
    if (axis.step() == 1) {
      for (long line = first; line < last; line++) {
        state[0] = identity;
        for (int done = 0; done < n; done += Ranges.RUN) {
          int count = Math.min(Ranges.RUN, n - done);
          long at = line * n + (reverse ? n - done - count : done);
          Ranges.read(x, at, count, run);
          whole.run(state, run, count, reverse);
          Ranges.write(out, at, count, run);
        }
      }
      return;
    }
    for (long line = first; line < last; ) {
      int count = columns(axis, line, last);
      Arrays.fill(state, identity);
      for (int row = 0; row < n; row++) {
        long at = axis.start(line) + (reverse ? n - 1 - row : row) * axis.step();
        Ranges.read(x, at, count, run);
        whole.fold(state, run, count);
        Ranges.write(out, at, count, run);
      }
      line += count;
    }
  }

  /// Running maxima, and where the last of the largest is.
  public static final Kernel CUMMAX = extremes(true);

  /// Running minima, and where the last of the smallest is.
  public static final Kernel CUMMIN = extremes(false);

  private static Kernel extremes(boolean largest) {
    return new LineByLine(
        (attributes, x) -> Axis.of(x, ((Cumulative) attributes).dim()),
        (_, out, in, axis, first, last) -> {
          Strided x = in[0];
          boolean whole = !x.dtype().isFloatingPoint();
          // Columns side by side, down the rows of a plane; a dense line is a plane of one column.
          for (long line = first; line < last; ) {
            int n = axis.step() == 1 ? 1 : columns(axis, line, last);
            long start = axis.start(line);
            if (axis.step() == 1 && whole) {
              wholeLine(largest, out, x, start, axis.length());
            } else if (axis.step() == 1) {
              realLine(largest, out, x, start, axis.length());
            } else if (whole) {
              wholeColumns(largest, out, x, start, axis, n);
            } else {
              realColumns(largest, out, x, start, axis, n);
            }
            line += n;
          }
        });
  }

  private static void realLine(boolean largest, Strided[] out, Strided x, long start, int length) {
    double[] run = new double[Math.min(Ranges.RUN, length)];
    long[] places = new long[run.length];
    double sign = largest ? 1 : -1;
    double best = Double.NEGATIVE_INFINITY;
    long place = 0;
    for (int from = 0; from < length; from += run.length) {
      int n = Math.min(run.length, length - from);
      Ranges.read(x, start + from, n, run);
      for (int i = 0; i < n; i++) {
        double value = run[i] * sign;
        if (!(value < best)) { // seldom, unless there is a NaN
          if (!Double.isNaN(best) || Double.isNaN(value)) {
            best = value;
            place = (long) from + i;
          }
        }
        run[i] = best * sign;
        places[i] = place;
      }
      Ranges.write(out[0], start + from, n, run);
      Ranges.write(out[1], start + from, n, places);
    }
  }

  private static void wholeLine(boolean largest, Strided[] out, Strided x, long start, int length) {
    long[] run = new long[Math.min(Ranges.RUN, length)];
    long[] places = new long[run.length];
    long best = largest ? Long.MIN_VALUE : Long.MAX_VALUE;
    long place = 0;
    for (int from = 0; from < length; from += run.length) {
      int n = Math.min(run.length, length - from);
      Ranges.read(x, start + from, n, run);
      for (int i = 0; i < n; i++) {
        long value = run[i];
        if (largest ? value >= best : value <= best) {
          best = value;
          place = (long) from + i;
        }
        run[i] = best;
        places[i] = place;
      }
      Ranges.write(out[0], start + from, n, run);
      Ranges.write(out[1], start + from, n, places);
    }
  }

  private static void realColumns(
      boolean largest, Strided[] out, Strided x, long start, Axis axis, int n) {
    double[] run = new double[n];
    double[] best = new double[n];
    long[] places = new long[n];
    Arrays.fill(best, largest ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY);
    for (int row = 0; row < axis.length(); row++) {
      long at = start + row * axis.step();
      Ranges.read(x, at, n, run);
      for (int c = 0; c < n; c++) {
        if ((largest ? run[c] >= best[c] : run[c] <= best[c]) || Double.isNaN(run[c])) {
          best[c] = run[c];
          places[c] = row;
        }
      }
      Ranges.write(out[0], at, n, best);
      Ranges.write(out[1], at, n, places);
    }
  }

  private static void wholeColumns(
      boolean largest, Strided[] out, Strided x, long start, Axis axis, int n) {
    long[] run = new long[n];
    long[] best = new long[n];
    long[] places = new long[n];
    Arrays.fill(best, largest ? Long.MIN_VALUE : Long.MAX_VALUE);
    for (int row = 0; row < axis.length(); row++) {
      long at = start + row * axis.step();
      Ranges.read(x, at, n, run);
      for (int c = 0; c < n; c++) {
        if (largest ? run[c] >= best[c] : run[c] <= best[c]) {
          best[c] = run[c];
          places[c] = row;
        }
      }
      Ranges.write(out[0], at, n, best);
      Ranges.write(out[1], at, n, places);
    }
  }

  private static void complexProducts(Axis axis, Strided out, Strided in, long first, long last) {
    var x = new Elements(in);
    var y = new Elements(out);
    for (long line = first; line < last; line++) {
      double re = 1;
      double im = 0;
      for (int i = 0; i < axis.length(); i++) {
        long at = axis.start(line) + i * axis.step();
        double xr = x.realAtDistance(at);
        double xi = x.imaginaryAtDistance(at);
        double next = re * xr - im * xi;
        im = re * xi + im * xr;
        re = next;
        y.setAtDistance(at, re, im);
      }
    }
  }

  /// `y = x + a · (y of the element before)`, from one end of a dimension to the other.
  public static final Kernel RECURRENCE =
      (attributes, out, in) -> {
        var attr = (Cumulative) attributes;
        Axis axis = Axis.of(in[0], attr.dim());
        var x = new Elements(in[0]);
        var factor = new Elements(in[1]);
        var y = new Elements(out[0]);
        int n = axis.length();
        boolean complex = x.isComplex();
        for (long line = 0; line < axis.count(); line++) {
          double re = 0;
          double im = 0;
          for (int i = 0; i < n; i++) {
            long at = axis.start(line) + (attr.reverse() ? n - 1 - i : i) * axis.step();
            double fr = i == 0 ? 0 : factor.realAtDistance(at);
            double fi = i == 0 ? 0 : factor.imaginaryAtDistance(at);
            double next = x.realAtDistance(at) + (re * fr - im * fi);
            im = complex ? x.imaginaryAtDistance(at) + (re * fi + im * fr) : 0;
            re = next;
            y.setAtDistance(at, re, im);
          }
        }
      };
}
