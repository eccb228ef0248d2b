package taper.tensor.internal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Fourier transforms of one length, in double precision: `X[k] = Σ x[j] e^(-2πi jk/n)`.
///
/// Lengths whose prime factors are at most 13 are Stockham's: a stage for each factor reads from one pair of arrays and
/// writes to the other, and what comes out is in order without a permutation [1]. A stage's innermost loop runs over
/// values that share a factor, so that transforming several lines at once, interleaved, makes every such loop long. Other
/// lengths are Bluestein's: `jk = (j² + k² - (k - j)²) / 2` makes the transform a convolution, which transforms of a power
/// of two compute [2]. Both take `O(n log n)` steps for each line.
///
/// Immutable; threads share it. Arrays hold element `j` of line `b` at `j · lines + b`.
///
/// [1] Swarztrauber 1984, FFT algorithms for vector computers
///
/// [2] Bluestein 1970, A linear filtering approach to the computation of the discrete Fourier transform
public final class Fourier {
  private static final int LARGEST_FACTOR = 13;
  private static final int REMEMBERED = 32;
  private static final Map<Integer, Fourier> PLANS =
      new LinkedHashMap<>(REMEMBERED, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Fourier> eldest) {
          return size() > REMEMBERED;
        }
      };

  private final int n;
  private final List<Stage> stages = new ArrayList<>();
  private Fourier inner = this; // Bluestein: the transform of a power of two
  private double[] chirpRe = {};
  private double[] chirpIm = {};
  private double[] filterRe = {};
  private double[] filterIm = {};

  /// One factor: `twiddles` are those of `e^(-2πi pj/length)` for each `p` below `length / radix` and `j` from 1.
  private record Stage(int radix, int length, double[] re, double[] im) {}

  private Fourier(int n) {
    this.n = n;
    List<Integer> factors = factors(n);
    if (factors.isEmpty() || factors.getLast() <= LARGEST_FACTOR) {
      int length = n;
      for (int radix : factors) {
        stages.add(stage(radix, length));
        length /= radix;
      }
    } else {
      bluestein();
    }
  }

  /// The transform of length `n`.
  public static Fourier of(int n) {
    Fourier plan;
    synchronized (PLANS) {
      plan = PLANS.get(n);
    }
    if (plan == null) {
      plan = new Fourier(n); // asks for another itself
      synchronized (PLANS) {
        PLANS.put(n, plan);
      }
    }
    return plan;
  }

  /// How long the arrays of [#run] must be for one line.
  public int room() {
    return inner.n;
  }

  /// Fours first, then the primes in ascending order; a factor beyond [#LARGEST_FACTOR] is the last.
  private static List<Integer> factors(int n) {
    var result = new ArrayList<Integer>();
    int rest = n;
    while (rest % 4 == 0) {
      result.add(4);
      rest /= 4;
    }
    for (int p = 2; (long) p * p <= rest; p++) {
      while (rest % p == 0) {
        result.add(p);
        rest /= p;
      }
    }
    if (rest > 1) {
      result.add(rest);
    }
    return result;
  }

  private static Stage stage(int radix, int length) {
    int m = length / radix;
    double[] re = new double[m * (radix - 1)];
    double[] im = new double[m * (radix - 1)];
    for (int p = 0; p < m; p++) {
      for (int j = 1; j < radix; j++) {
        int at = p * (radix - 1) + j - 1;
        re[at] = cos((long) p * j, length);
        im[at] = -sin((long) p * j, length);
      }
    }
    return new Stage(radix, length, re, im);
  }

  /// `cos(2π k/n)`, from an angle of at most π/4.
  static double cos(long k, long n) {
    long turn = 8 * (k % n); // 8 n is the full circle
    turn = turn > 4 * n ? 8 * n - turn : turn;
    boolean negative = turn > 2 * n;
    turn = negative ? 4 * n - turn : turn;
    double value =
        turn <= n
            ? Math.cos(Math.PI * turn / (4.0 * n))
            : Math.sin(Math.PI * (2 * n - turn) / (4.0 * n));
    return negative ? -value : value;
  }

  /// `sin(2π k/n)`.
  static double sin(long k, long n) {
    long r = k % n;
    return cos(4 * r + 3 * n, 4 * n); // sin(x) is cos(x - π/2)
  }

  private void bluestein() {
    int size = Integer.highestOneBit(2 * n - 2) << 1;
    inner = of(size);
    chirpRe = new double[n];
    chirpIm = new double[n];
    filterRe = new double[size];
    filterIm = new double[size];
    for (int j = 0; j < n; j++) {
      long square = (long) j * j % (2L * n);
      chirpRe[j] = cos(square, 2L * n);
      chirpIm[j] = -sin(square, 2L * n);
      int back = j == 0 ? 0 : size - j;
      filterRe[j] = chirpRe[j];
      filterIm[j] = -chirpIm[j];
      filterRe[back] = chirpRe[j];
      filterIm[back] = -chirpIm[j];
    }
    inner.run(filterRe, filterIm, new double[size], new double[size], 1);
    for (int j = 0; j < size; j++) {
      filterRe[j] /= size;
      filterIm[j] /= size;
    }
  }

  /// Transforms `lines` interleaved lines in place. The inverse, without its factor `1/n`, is the same with real and
  /// imaginary parts exchanged.
  ///
  /// @param workRe as long as the others: [#room()] for each line
  public void run(double[] re, double[] im, double[] workRe, double[] workIm, int lines) {
    if (inner != this) {
      runBluestein(re, im, workRe, workIm, lines);
      return;
    }
    double[] xr = re;
    double[] xi = im;
    double[] yr = workRe;
    double[] yi = workIm;
    int s = lines;
    for (Stage stage : stages) {
      switch (stage.radix) {
        case 2 -> two(stage, s, xr, xi, yr, yi);
        case 3 -> three(stage, s, xr, xi, yr, yi);
        case 4 -> four(stage, s, xr, xi, yr, yi);
        case 5 -> five(stage, s, xr, xi, yr, yi);
        default -> any(stage, s, xr, xi, yr, yi);
      }
      s *= stage.radix;
      double[] tr = xr;
      double[] ti = xi;
      xr = yr;
      xi = yi;
      yr = tr;
      yi = ti;
    }
    if (xr != re) {
      System.arraycopy(xr, 0, re, 0, n * lines);
      System.arraycopy(xi, 0, im, 0, n * lines);
    }
  }

  private void runBluestein(double[] re, double[] im, double[] workRe, double[] workIm, int lines) {
    int size = inner.n;
    for (int j = 0, at = 0; j < n; j++) {
      double cr = chirpRe[j];
      double ci = chirpIm[j];
      for (int b = 0; b < lines; b++, at++) {
        double r = re[at] * cr - im[at] * ci;
        im[at] = re[at] * ci + im[at] * cr;
        re[at] = r;
      }
    }
    Arrays.fill(re, n * lines, size * lines, 0);
    Arrays.fill(im, n * lines, size * lines, 0);
    inner.run(re, im, workRe, workIm, lines);
    for (int j = 0, at = 0; j < size; j++) {
      double fr = filterRe[j];
      double fi = filterIm[j];
      for (int b = 0; b < lines; b++, at++) {
        double r = re[at] * fr - im[at] * fi;
        im[at] = re[at] * fi + im[at] * fr;
        re[at] = r;
      }
    }
    inner.run(im, re, workRe, workIm, lines);
    for (int j = 0, at = 0; j < n; j++) {
      double cr = chirpRe[j];
      double ci = chirpIm[j];
      for (int b = 0; b < lines; b++, at++) {
        double r = re[at] * cr - im[at] * ci;
        im[at] = re[at] * ci + im[at] * cr;
        re[at] = r;
      }
    }
  }

  private static void two(Stage stage, int s, double[] xr, double[] xi, double[] yr, double[] yi) {
    int m = stage.length / 2;
    for (int p = 0; p < m; p++) {
      double wr = stage.re[p];
      double wi = stage.im[p];
      int a = s * p;
      int b = a + s * m;
      int o = 2 * s * p;
      for (int q = 0; q < s; q++) {
        double ar = xr[a + q];
        double ai = xi[a + q];
        double br = xr[b + q];
        double bi = xi[b + q];
        yr[o + q] = ar + br;
        yi[o + q] = ai + bi;
        double dr = ar - br;
        double di = ai - bi;
        yr[o + s + q] = dr * wr - di * wi;
        yi[o + s + q] = dr * wi + di * wr;
      }
    }
  }

  private static void three(
      Stage stage, int s, double[] xr, double[] xi, double[] yr, double[] yi) {
    int m = stage.length / 3;
    double half = Math.sqrt(0.75);
    for (int p = 0; p < m; p++) {
      double w1r = stage.re[2 * p];
      double w1i = stage.im[2 * p];
      double w2r = stage.re[2 * p + 1];
      double w2i = stage.im[2 * p + 1];
      int a = s * p;
      int b = a + s * m;
      int c = b + s * m;
      int o = 3 * s * p;
      for (int q = 0; q < s; q++) {
        double sumR = xr[b + q] + xr[c + q];
        double sumI = xi[b + q] + xi[c + q];
        double turnR = half * (xi[b + q] - xi[c + q]);
        double turnI = -half * (xr[b + q] - xr[c + q]);
        double ar = xr[a + q];
        double ai = xi[a + q];
        double midR = ar - 0.5 * sumR;
        double midI = ai - 0.5 * sumI;
        yr[o + q] = ar + sumR;
        yi[o + q] = ai + sumI;
        double r = midR + turnR;
        double i = midI + turnI;
        yr[o + s + q] = r * w1r - i * w1i;
        yi[o + s + q] = r * w1i + i * w1r;
        r = midR - turnR;
        i = midI - turnI;
        yr[o + 2 * s + q] = r * w2r - i * w2i;
        yi[o + 2 * s + q] = r * w2i + i * w2r;
      }
    }
  }

  private static void four(Stage stage, int s, double[] xr, double[] xi, double[] yr, double[] yi) {
    int m = stage.length / 4;
    for (int p = 0; p < m; p++) {
      double w1r = stage.re[3 * p];
      double w1i = stage.im[3 * p];
      double w2r = stage.re[3 * p + 1];
      double w2i = stage.im[3 * p + 1];
      double w3r = stage.re[3 * p + 2];
      double w3i = stage.im[3 * p + 2];
      int a = s * p;
      int b = a + s * m;
      int c = b + s * m;
      int d = c + s * m;
      int o = 4 * s * p;
      int o1 = o + s;
      int o2 = o1 + s;
      int o3 = o2 + s;
      for (int q = 0; q < s; q++) {
        double acr = xr[a + q] + xr[c + q];
        double aci = xi[a + q] + xi[c + q];
        double amcr = xr[a + q] - xr[c + q];
        double amci = xi[a + q] - xi[c + q];
        double bdr = xr[b + q] + xr[d + q];
        double bdi = xi[b + q] + xi[d + q];
        double turnR = xi[b + q] - xi[d + q]; // -i (b - d)
        double turnI = xr[d + q] - xr[b + q];
        yr[o + q] = acr + bdr;
        yi[o + q] = aci + bdi;
        double r = amcr + turnR;
        double i = amci + turnI;
        yr[o1 + q] = r * w1r - i * w1i;
        yi[o1 + q] = r * w1i + i * w1r;
        r = acr - bdr;
        i = aci - bdi;
        yr[o2 + q] = r * w2r - i * w2i;
        yi[o2 + q] = r * w2i + i * w2r;
        r = amcr - turnR;
        i = amci - turnI;
        yr[o3 + q] = r * w3r - i * w3i;
        yi[o3 + q] = r * w3i + i * w3r;
      }
    }
  }

  private static final double C1 = cos(1, 5);
  private static final double C2 = cos(2, 5);
  private static final double S1 = sin(1, 5);
  private static final double S2 = sin(2, 5);

  private static void five(Stage stage, int s, double[] xr, double[] xi, double[] yr, double[] yi) {
    int m = stage.length / 5;
    for (int p = 0; p < m; p++) {
      double[] wr = stage.re;
      double[] wi = stage.im;
      int w = 4 * p;
      int a = s * p;
      int b = a + s * m;
      int c = b + s * m;
      int d = c + s * m;
      int e = d + s * m;
      int o = 5 * s * p;
      for (int q = 0; q < s; q++) {
        double ar = xr[a + q];
        double ai = xi[a + q];
        double ber = xr[b + q] + xr[e + q];
        double bei = xi[b + q] + xi[e + q];
        double bmer = xr[b + q] - xr[e + q];
        double bmei = xi[b + q] - xi[e + q];
        double cdr = xr[c + q] + xr[d + q];
        double cdi = xi[c + q] + xi[d + q];
        double cmdr = xr[c + q] - xr[d + q];
        double cmdi = xi[c + q] - xi[d + q];
        yr[o + q] = ar + ber + cdr;
        yi[o + q] = ai + bei + cdi;
        double m1r = ar + C1 * ber + C2 * cdr;
        double m1i = ai + C1 * bei + C2 * cdi;
        double m2r = ar + C2 * ber + C1 * cdr;
        double m2i = ai + C2 * bei + C1 * cdi;
        double t1r = S1 * bmei + S2 * cmdi; // -i (S1 (b - e) + S2 (c - d))
        double t1i = -(S1 * bmer + S2 * cmdr);
        double t2r = S2 * bmei - S1 * cmdi;
        double t2i = -(S2 * bmer - S1 * cmdr);
        double r = m1r + t1r;
        double i = m1i + t1i;
        yr[o + s + q] = r * wr[w] - i * wi[w];
        yi[o + s + q] = r * wi[w] + i * wr[w];
        r = m2r + t2r;
        i = m2i + t2i;
        yr[o + 2 * s + q] = r * wr[w + 1] - i * wi[w + 1];
        yi[o + 2 * s + q] = r * wi[w + 1] + i * wr[w + 1];
        r = m2r - t2r;
        i = m2i - t2i;
        yr[o + 3 * s + q] = r * wr[w + 2] - i * wi[w + 2];
        yi[o + 3 * s + q] = r * wi[w + 2] + i * wr[w + 2];
        r = m1r - t1r;
        i = m1i - t1i;
        yr[o + 4 * s + q] = r * wr[w + 3] - i * wi[w + 3];
        yi[o + 4 * s + q] = r * wi[w + 3] + i * wr[w + 3];
      }
    }
  }

  /// Any small prime, by the definition.
  private static void any(Stage stage, int s, double[] xr, double[] xi, double[] yr, double[] yi) {
    int radix = stage.radix;
    int m = stage.length / radix;
    double[] rootRe = new double[radix];
    double[] rootIm = new double[radix];
    for (int k = 0; k < radix; k++) {
      rootRe[k] = cos(k, radix);
      rootIm[k] = -sin(k, radix);
    }
    for (int p = 0; p < m; p++) {
      for (int j = 0; j < radix; j++) {
        double wr = j == 0 ? 1 : stage.re[p * (radix - 1) + j - 1];
        double wi = j == 0 ? 0 : stage.im[p * (radix - 1) + j - 1];
        int o = s * (radix * p + j);
        for (int q = 0; q < s; q++) {
          double r = 0;
          double i = 0;
          for (int k = 0, root = 0; k < radix; k++) {
            int x = s * (p + m * k) + q;
            r += xr[x] * rootRe[root] - xi[x] * rootIm[root];
            i += xr[x] * rootIm[root] + xi[x] * rootRe[root];
            root += j;
            root = root >= radix ? root - radix : root;
          }
          yr[o + q] = r * wr - i * wi;
          yi[o + q] = r * wi + i * wr;
        }
      }
    }
  }
}
