package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Reductions.Reduce;
import taper.tensor.Statistics.Bincount;
import taper.tensor.Statistics.Bins;
import taper.tensor.Statistics.Histc;
import taper.tensor.Statistics.HistogramDd;
import taper.tensor.Statistics.Interpolation;
import taper.tensor.internal.ReferenceStatistics;

/// What the operators of [Statistics] and [Reductions] are composed of.
final class Statistical {
  private Statistical() {}

  static Tensor norm(Tensor x, String name, int[] dims, boolean keepDim) {
    return switch (name) {
      case "fro" -> x.norm(2, dims, keepDim);
      case "nuc" -> nuclear(x, dims, keepDim);
      default ->
          throw new ArgumentException("norm: p must be a number, fro or nuc, but is " + name + ".");
    };
  }

  private static Tensor nuclear(Tensor x, int[] dims, boolean keepDim) {
    int[] at =
        dims.length == 0
            ? IntStream.range(0, x.dim()).toArray()
            : Arrays.stream(dims).map(d -> Checks.dim("norm", d, x.dim())).toArray();
    if (at.length != 2 || at[0] == at[1]) {
      throw new ArgumentException(
          "norm: nuc needs two different dims, but they are %s of shape %s."
              .formatted(Arrays.toString(at), x.shape()));
    }
    Tensor sum = Linalg.svdvals(x.movedim(at, new int[] {-2, -1})).sum(-1);
    return keepDim ? sum.unsqueeze(Math.min(at[0], at[1])).unsqueeze(Math.max(at[0], at[1])) : sum;
  }

  /// The variances of complex numbers: those of the real parts and of the imaginary parts together.
  static Tensor complexVar(Tensor x, Reduce over, double correction) {
    int[] dims = over.dims();
    int[] all = dims == null ? IntStream.range(0, x.dim()).toArray() : dims;
    Tensor parts = x.viewAsReal();
    Tensor var =
        all.length == 0
            ? parts.unsqueeze(0).var(new int[] {0}, correction, false)
            : parts.var(all, correction, over.keepDim());
    return var.sum(-1);
  }

  static Tensor renorm(Tensor x, double p, int dim, double maxNorm) {
    return x.mul(renormScale(x, p, dim, maxNorm));
  }

  /// What each slice is multiplied by: 1 where its norm is small enough.
  static Tensor renormScale(Tensor x, double p, int dim, double maxNorm) {
    if (x.dim() < 2) {
      throw new ShapeException(
          "renorm: self must have at least 2 dimensions, but has shape " + x.shape() + ".");
    }
    if (!(p > 0) || !(maxNorm >= 0)) {
      throw new ArgumentException(
          "renorm: p must be positive and maxNorm not negative, but they are %s and %s."
              .formatted(p, maxNorm));
    }
    int at = Checks.dim("renorm", dim, x.dim());
    int[] others = IntStream.range(0, x.dim()).filter(d -> d != at).toArray();
    DType dtype = x.dtype().compute();
    Tensor norm = x.to(dtype).norm(p, others, true);
    Tensor large = norm.gt(maxNorm);
    return norm.add(1e-7).reciprocal().mul(maxNorm).where(large, 1).to(x.dtype());
  }

  // Quantiles

  static Tensor level(double q, Tensor x) {
    return Tensor.scalar(x.dtype().isFloatingPoint() ? x.dtype() : DType.FLOAT32, q);
  }

  static Tensor quantile(
      Tensor x,
      Tensor q,
      @Nullable Integer dim,
      boolean keepDim,
      Interpolation interpolation,
      boolean ignoreNan) {
    String op = ignoreNan ? "nanquantile" : "quantile";
    checkQuantile(op, x, q);
    Tensor lines;
    long[] kept;
    if (dim == null) {
      lines = x.reshape(-1);
      kept = new long[keepDim ? x.dim() : 0];
      Arrays.fill(kept, 1);
    } else {
      int at = Checks.dim(op, dim, x.dim());
      lines = (x.dim() == 0 ? x.unsqueeze(0) : x).movedim(at, -1);
      kept = x.sizes();
      if (kept.length > 0) {
        kept[at] = 1;
      }
      if (!keepDim && kept.length > 0) {
        kept = IntStream.range(0, x.dim()).filter(d -> d != at).mapToLong(d -> x.size(d)).toArray();
      }
    }
    Tensor sorted = lines.sort(-1).values();
    long last = sorted.size(-1) - 1;
    Tensor levels = q.dim() == 0 ? q.unsqueeze(0) : q;
    Tensor ranks =
        ignoreNan
            ? levels.mul(sorted.isnan().logicalNot().sum(-1, true).sub(1).to(q.dtype())).clampMin(0)
            : levels.mul(last).maskedFill(sorted.isnan().any(-1, true), last);
    ranks =
        switch (interpolation) {
          case LOWER -> ranks.floor();
          case HIGHER -> ranks.ceil();
          case NEAREST -> ranks.round();
          case LINEAR, MIDPOINT -> ranks;
        };
    long[] full = sorted.sizes();
    full[full.length - 1] = levels.size(0);
    ranks = ranks.expand(full);
    Tensor below = ranks.detach().floor().to(DType.INT64);
    Tensor result = sorted.gather(-1, below);
    if (interpolation == Interpolation.LINEAR || interpolation == Interpolation.MIDPOINT) {
      Tensor above = ranks.detach().ceil().to(DType.INT64);
      Tensor weight =
          interpolation == Interpolation.MIDPOINT
              ? Tensor.fullLike(ranks.detach(), 0.5)
              : ranks.sub(below);
      result = result.lerp(sorted.gather(-1, above), weight);
    }
    if (q.dim() == 0) {
      return result.reshape(kept);
    }
    long[] sizes = new long[kept.length + 1];
    sizes[0] = q.size(0);
    System.arraycopy(kept, 0, sizes, 1, kept.length);
    return result.movedim(-1, 0).reshape(sizes);
  }

  private static void checkQuantile(String op, Tensor x, Tensor q) {
    if (q.dim() > 1) {
      throw new ShapeException(
          "%s: q must be a number or a vector, but has shape %s.".formatted(op, q.shape()));
    }
    if (!x.dtype().isFloatingPoint() || x.dtype().isHalf()) {
      throw new DTypeException(
          "%s: self must be float32 or float64, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(op, x.dtype()));
    }
    if (q.dtype() != x.dtype()) {
      throw new DTypeException(
          "%s: q must be %s as self, but is %s.".formatted(op, x.dtype(), q.dtype()));
    }
    if (x.numel() == 0) {
      throw new ShapeException(
          "%s: there must be elements, but self has shape %s.".formatted(op, x.shape()));
    }
    if (!q.detach().ge(0).logicalAnd(q.detach().le(1)).all().itemBoolean()) {
      throw new ArgumentException(op + ": q must be in 0..1, but is " + q.detach() + ".");
    }
  }

  // Histograms

  static Tensor histc(Tensor x, long bins, double min, double max) {
    if (bins <= 0) {
      throw new ArgumentException("histc: bins must be positive, but is " + bins + ".");
    }
    countable("histc", "bins", bins);
    double[] ends = ends("histc", x, min, max, min == max, 1);
    return Statistics.Operators.HISTC.on(new Histc(bins, ends[0], ends[1]), x);
  }

  /// The ends of an interval: those given or those of the elements, `room` apart from an only value.
  private static double[] ends(
      String op, Tensor x, double min, double max, boolean ofElements, double room) {
    if (ofElements && x.numel() > 0) {
      min = x.detach().amin().item();
      max = x.detach().amax().item();
    }
    if (!Double.isFinite(min) || !Double.isFinite(max)) {
      throw new ArgumentException(
          "%s: the range must be finite, but is %s to %s.".formatted(op, min, max));
    }
    if (min > max) {
      throw new ArgumentException(
          "%s: min must not be larger than max, but they are %s and %s.".formatted(op, min, max));
    }
    return min == max ? new double[] {min - room, max + room} : new double[] {min, max};
  }

  static Tensor points(Tensor x, int dimensions) {
    if (x.dim() < 2) {
      throw new ShapeException(
          "histogramdd: self must have at least 2 dimensions, but has shape " + x.shape() + ".");
    }
    if (x.size(-1) != dimensions) {
      throw new ArgumentException(
          "histogramdd: there must be bins for each coordinate, but there are %d and points have %d."
              .formatted(dimensions, x.size(-1)));
    }
    return x.reshape(-1, dimensions);
  }

  /// The edges of bins of equal width.
  static List<Tensor> edges(Tensor x, long[] bins, HistogramOptions options) {
    double[] range = options.range();
    if (range != null && range.length != 2 * bins.length) {
      throw new ArgumentException(
          "histogram: range must have two numbers for each of %d dimensions, but has %d."
              .formatted(bins.length, range.length));
    }
    var result = new ArrayList<Tensor>();
    for (int d = 0; d < bins.length; d++) {
      if (bins[d] <= 0) {
        throw new ArgumentException("histogram: bins must be positive, but is " + bins[d] + ".");
      }
      double[] ends =
          range != null
              ? ends("histogram", x, range[2 * d], range[2 * d + 1], false, 0.5)
              : ends("histogram", x.select(1, d), 0, x.numel() == 0 ? 1 : 0, true, 0.5);
      result.add(Tensor.linspace(x.dtype(), ends[0], ends[1], bins[d] + 1));
    }
    return result;
  }

  static HistogramDd histogram(
      Tensor x, List<Tensor> edges, HistogramOptions options, boolean even) {
    Tensor weight = options.weight();
    @Nullable Tensor[] inputs = new Tensor[2 + edges.size()];
    inputs[0] = x;
    inputs[1] = weight == null ? null : weight.reshape(-1);
    for (int d = 0; d < edges.size(); d++) {
      if (edges.get(d).dim() != 1 || edges.get(d).numel() == 0) {
        throw new ShapeException(
            "histogram: bins must be vectors with an element, but bins[%d] has shape %s."
                .formatted(d, edges.get(d).shape()));
      }
      inputs[2 + d] = edges.get(d);
    }
    Tensor hist = Statistics.Operators.HISTOGRAM.on(new Bins(even), inputs);
    if (options.density()) {
      hist = hist.div(hist.sum());
      for (int d = 0; d < edges.size(); d++) {
        long[] sizes = new long[edges.size()];
        Arrays.fill(sizes, 1);
        sizes[d] = hist.size(d);
        hist = hist.div(edges.get(d).diff().view(sizes));
      }
    }
    return new HistogramDd(hist, List.copyOf(edges));
  }

  static List<long[]> histogramShape(List<long @Nullable []> in) {
    long[] points = in.get(0);
    long[] weight = in.get(1);
    assert points != null;
    if (weight != null && (weight.length != 1 || weight[0] != points[0])) {
      throw new ShapeException(
          "histogram: weight must have one number for each of %d elements, but has shape %s."
              .formatted(points[0], Arrays.toString(weight)));
    }
    long[] sizes = new long[in.size() - 2];
    for (int d = 0; d < sizes.length; d++) {
      long[] edges = in.get(2 + d);
      assert edges != null;
      sizes[d] = edges[0] - 1;
    }
    return List.of(sizes);
  }

  static Tensor bincount(Tensor x, @Nullable Tensor weights, long minlength) {
    if (x.dtype().isFloatingPoint() || x.dtype() == DType.BOOL) {
      throw new DTypeException(
          "bincount: self must hold whole numbers, but is %s. Convert it with .to(DType.INT64)."
              .formatted(x.dtype()));
    }
    if (minlength < 0) {
      throw new ArgumentException(
          "bincount: minlength must not be negative, but is " + minlength + ".");
    }
    long size = minlength;
    if (x.numel() > 0) {
      long largest = counted(x);
      size = Math.max(size, Math.max(largest, largest + 1));
    }
    countable("bincount", "the numbers counted", size);
    DType dtype =
        weights == null
            ? DType.INT64
            : weights.dtype() == DType.FLOAT32 ? DType.FLOAT32 : DType.FLOAT64;
    return Statistics.Operators.BINCOUNT.on(new Bincount(size, dtype), x, weights);
  }

  private static final long MOST_COUNTERS = 1L << 27;

  private static void countable(String op, String what, long count) {
    if (count > MOST_COUNTERS) {
      throw new ArgumentException(
          "%s: %s must be at most %d, but are %d.".formatted(op, what, MOST_COUNTERS, count));
    }
  }

  /// The largest of the numbers that `bincount` is to count.
  private static long counted(Tensor x) {
    long[] range = x.whileHeld(ReferenceStatistics::range);
    if (range[0] < 0) {
      throw new ArgumentException(
          "bincount: self must not hold negative numbers, but holds " + range[0] + ".");
    }
    return range[1];
  }

  static void checkCounted(Bincount a, @Nullable Tensor[] in) {
    Tensor x = Objects.requireNonNull(in[0]);
    if (x.numel() > 0 && counted(x) >= a.size()) {
      throw new ArgumentException(
          "bincount: self must hold numbers below %d, but holds %d."
              .formatted(a.size(), counted(x)));
    }
  }

  // Covariances

  static Tensor cov(Tensor x, CovOptions options) {
    if (x.dim() > 2) {
      throw new ShapeException(
          "cov: self must have at most 2 dimensions, but has shape " + x.shape() + ".");
    }
    if (x.dtype() == DType.BOOL) {
      throw new DTypeException(
          "cov: self must hold numbers, but is bool. Convert it with .to(DType.INT64).");
    }
    Tensor in = x.dim() < 2 ? x.reshape(1, -1) : x;
    long n = in.size(1);
    Tensor fweights = options.fweights();
    Tensor aweights = options.aweights();
    if (fweights != null) {
      checkWeights("fweights", fweights, n);
      if (fweights.dtype().isFloatingPoint() || fweights.dtype() == DType.BOOL) {
        throw new DTypeException(
            "cov: fweights must be whole numbers, but are %s.".formatted(fweights.dtype()));
      }
    }
    if (aweights != null) {
      checkWeights("aweights", aweights, n);
      if (!aweights.dtype().isFloatingPoint()) {
        throw new DTypeException(
            "cov: aweights must be floating, but are %s.".formatted(aweights.dtype()));
      }
    }
    Tensor w = fweights == null ? aweights : aweights == null ? fweights : fweights.mul(aweights);
    double correction = options.correction();
    Tensor norm;
    Tensor mean;
    if (w == null) {
      norm = Tensor.scalar(DType.FLOAT64, Math.max(0, n - correction));
      mean = in.sum(1).div((double) n);
    } else {
      Tensor sum = w.sum();
      if (sum.item() == 0) {
        throw new ArgumentException("cov: weights must not sum to 0, but do.");
      }
      mean = in.mul(w).sum(1).div(sum);
      norm =
          aweights != null && correction != 0
              ? sum.sub(w.mul(aweights).sum().mul(correction).div(sum))
              : sum.to(DType.FLOAT64).sub(correction);
      norm = norm.clampMin(0);
    }
    Tensor centered = in.sub(mean.unsqueeze(1));
    Tensor weighted = w == null ? centered : centered.mul(w);
    return centered.matmul(weighted.mH()).div(norm).squeeze();
  }

  private static void checkWeights(String name, Tensor weights, long n) {
    if (weights.dim() > 1) {
      throw new ShapeException(
          "cov: %s must be a vector, but has shape %s.".formatted(name, weights.shape()));
    }
    if (weights.numel() != n) {
      throw new ShapeException(
          "cov: %s must have one number for each of %d observations, but has %d."
              .formatted(name, n, weights.numel()));
    }
    if (n > 0 && weights.detach().lt(0).any().itemBoolean()) {
      throw new ArgumentException("cov: " + name + " must not be negative, but some are.");
    }
  }

  static Tensor corrcoef(Tensor x) {
    Tensor c = cov(x, CovOptions.DEFAULT);
    if (c.dim() == 0) {
      return c.div(c);
    }
    Tensor deviation = c.diagonal().real().sqrt();
    Tensor result = c.div(deviation.unsqueeze(1)).div(deviation.unsqueeze(0));
    return c.isComplex()
        ? result.viewAsReal().clamp(-1.0, 1.0).viewAsComplex()
        : result.clamp(-1.0, 1.0);
  }
}
