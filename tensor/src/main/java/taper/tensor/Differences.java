package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Reductions.Cumulative;

/// What the operators of [Scans] are composed of, and their gradients.
final class Differences {
  private Differences() {}

  // Gradients

  /// The gradient of running products `y`. That of element `j` is the product of the elements before it, times
  /// `s[j] = g[j] + x[j+1] s[j+1]`: no division, so that it and all its derivatives are right at zeros, too.
  static Tensor cumprodGradient(Backward<Cumulative> b) {
    Tensor x = b.input("self").conj();
    if (x.dim() == 0) {
      return b.grad();
    }
    int dim = b.attributes().dim();
    Tensor next = shifted(x, dim, false);
    Tensor rest = Scans.Operators.RECURRENCE.on(new Cumulative(dim, true), b.grad(), next);
    long n = x.size(dim);
    if (n <= 1) {
      return rest;
    }
    Tensor before =
        Tensor.cat(
            List.of(Tensor.onesLike(x.narrow(dim, 0, 1)), x.narrow(dim, 0, n - 1).cumprod(dim)),
            dim);
    return rest.mul(before);
  }

  /// `x` moved one place up along `dim`, or down; 0 where nothing moves to.
  static Tensor shifted(Tensor x, int dim, boolean up) {
    if (x.dim() == 0 || x.size(dim) == 0) {
      return Tensor.zerosLike(x);
    }
    long n = x.size(dim);
    Tensor zero = Tensor.zerosLike(x.narrow(dim, 0, 1));
    return Tensor.cat(
        up ? List.of(zero, x.narrow(dim, 0, n - 1)) : List.of(x.narrow(dim, 1, n - 1), zero), dim);
  }

  /// The gradient of a recurrence by its first input: the recurrence back, with the factors one place on.
  static Tensor recurrenceGradient(Backward<Cumulative> b) {
    Cumulative a = b.attributes();
    Tensor factor = shifted(b.input("factor").conj(), a.dim(), a.reverse());
    return Scans.Operators.RECURRENCE.on(Scans.Operators.opposite(a), b.grad(), factor);
  }

  /// Positive and negative gradients are summed apart, each as logarithms, so that nothing overflows.
  static Tensor logcumsumexpGradient(Backward<Cumulative> b) {
    Tensor x = b.input("self");
    Tensor grad = b.grad();
    Tensor positive = grad.gt(0);
    Tensor negative = grad.lt(0);
    Tensor up = summed(b, grad.where(positive, 1).log(), positive, x);
    Tensor down = summed(b, grad.neg().where(negative, 1).log(), negative, x);
    return up.sub(down);
  }

  private static Tensor summed(Backward<Cumulative> b, Tensor log, Tensor mask, Tensor x) {
    Tensor terms = log.sub(b.output()).where(mask, Double.NEGATIVE_INFINITY);
    return Scans.Operators.LOGCUMSUMEXP
        .on(Scans.Operators.opposite(b.attributes()), terms)
        .add(x)
        .exp();
  }

  // Differences

  static Tensor diff(Tensor x, int n, int dim, @Nullable Tensor prepend, @Nullable Tensor append) {
    if (x.dim() == 0) {
      throw new ShapeException("diff: self must have at least 1 dimension, but has shape [].");
    }
    if (n < 0) {
      throw new ArgumentException("diff: n must not be negative, but is " + n + ".");
    }
    int at = Checks.dim("diff", dim, x.dim());
    if (n == 0) {
      return x.clone();
    }
    if (prepend != null || append != null) {
      var parts = new ArrayList<Tensor>();
      if (prepend != null) {
        parts.add(prepend);
      }
      parts.add(x);
      if (append != null) {
        parts.add(append);
      }
      x = Tensor.cat(parts, at);
    }
    for (long i = Math.min(n, x.size(at)); i > 0; i--) {
      long rest = x.size(at) - 1;
      Tensor upper = x.narrow(at, 1, rest);
      Tensor lower = x.narrow(at, 0, rest);
      x = x.dtype() == DType.BOOL ? upper.logicalXor(lower) : upper.sub(lower);
    }
    return x;
  }

  static List<Tensor> gradient(Tensor x, GradientOptions options) {
    List<Integer> given = options.dims();
    int[] dims =
        given == null
            ? IntStream.range(0, x.dim()).toArray()
            : given.stream().mapToInt(d -> Checks.dim("gradient", d, x.dim())).toArray();
    if (Arrays.stream(dims).distinct().count() < dims.length) {
      throw new ArgumentException(
          "gradient: dims must be different, but are " + Arrays.toString(dims) + ".");
    }
    int order = options.edgeOrder();
    if (order != 1 && order != 2) {
      throw new ArgumentException("gradient: edgeOrder must be 1 or 2, but is " + order + ".");
    }
    for (int dim : dims) {
      if (x.size(dim) <= order) {
        throw new ArgumentException(
            "gradient: there must be more than %d samples, edgeOrder, along a dimension, but dim %d of shape %s has %d."
                .formatted(order, dim, x.shape(), x.size(dim)));
      }
    }
    List<Tensor> coordinates = options.coordinates();
    List<Double> spacing = options.spacing();
    int count =
        coordinates != null ? coordinates.size() : spacing != null ? spacing.size() : dims.length;
    if (count != dims.length) {
      throw new ArgumentException(
          "gradient: there must be a spacing for each of %d dimensions, but there are %d."
              .formatted(dims.length, count));
    }
    var result = new ArrayList<Tensor>();
    for (int i = 0; i < dims.length; i++) {
      double step = spacing != null ? spacing.get(i) : options.step();
      result.add(
          coordinates != null
              ? gradient(x, dims[i], coordinates.get(i), order)
              : gradient(x, dims[i], step, order));
    }
    return result;
  }

  private static Tensor gradient(Tensor x, int dim, double h, int order) {
    long n = x.size(dim);
    Tensor first;
    Tensor last;
    if (order == 1) {
      first = x.narrow(dim, 1, 1).sub(x.narrow(dim, 0, 1)).div(h);
      last = x.narrow(dim, n - 1, 1).sub(x.narrow(dim, n - 2, 1)).div(h);
    } else {
      first =
          x.narrow(dim, 0, 1)
              .mul(-1.5)
              .add(x.narrow(dim, 1, 1).mul(2))
              .sub(x.narrow(dim, 2, 1).mul(0.5))
              .div(h);
      last =
          x.narrow(dim, n - 3, 1)
              .mul(0.5)
              .sub(x.narrow(dim, n - 2, 1).mul(2))
              .add(x.narrow(dim, n - 1, 1).mul(1.5))
              .div(h);
    }
    Tensor inner = x.narrow(dim, 2, n - 2).sub(x.narrow(dim, 0, n - 2)).div(h).div(2.0);
    return Tensor.cat(List.of(first, inner, last), dim);
  }

  /// As numpy's `gradient` for samples at the places `at`.
  private static Tensor gradient(Tensor x, int dim, Tensor at, int order) {
    long n = x.size(dim);
    if (at.dim() != 1 || at.size(0) != n) {
      throw new ShapeException(
          "gradient: coordinates must be vectors of the sizes of the dimensions, but those of dim %d, which has size %d, have shape %s."
              .formatted(dim, n, at.shape()));
    }
    Tensor step = at.diff();
    Tensor h1 = step.narrow(0, 0, n - 2);
    Tensor h2 = step.narrow(0, 1, n - 2);
    Tensor sum = h1.add(h2);
    Tensor inner =
        weighted(
            x,
            dim,
            0,
            n - 2,
            h2.neg().div(h1.mul(sum)),
            h2.sub(h1).div(h1.mul(h2)),
            h1.div(h2.mul(sum)));
    Tensor first;
    Tensor last;
    if (order == 1) {
      first = x.narrow(dim, 1, 1).sub(x.narrow(dim, 0, 1)).div(step.select(0, 0));
      last = x.narrow(dim, n - 1, 1).sub(x.narrow(dim, n - 2, 1)).div(step.select(0, n - 2));
    } else {
      Tensor a = h1.narrow(0, 0, 1);
      Tensor b = h2.narrow(0, 0, 1);
      Tensor ab = a.add(b);
      first =
          weighted(
              x,
              dim,
              0,
              1,
              a.mul(2).add(b).neg().div(a.mul(ab)),
              ab.div(a.mul(b)),
              a.neg().div(b.mul(ab)));
      Tensor c = h1.narrow(0, n - 3, 1);
      Tensor d = h2.narrow(0, n - 3, 1);
      Tensor cd = c.add(d);
      last =
          weighted(
              x,
              dim,
              n - 3,
              1,
              d.div(c.mul(cd)),
              cd.neg().div(c.mul(d)),
              d.mul(2).add(c).div(d.mul(cd)));
    }
    return Tensor.cat(List.of(first, inner, last), dim);
  }

  /// Sums of three neighbours each, with weights.
  private static Tensor weighted(
      Tensor x, int dim, long from, long count, Tensor a, Tensor b, Tensor c) {
    long[] sizes = new long[x.dim()];
    Arrays.fill(sizes, 1);
    sizes[dim] = count;
    return a.view(sizes)
        .mul(x.narrow(dim, from, count))
        .add(b.view(sizes).mul(x.narrow(dim, from + 1, count)))
        .add(c.view(sizes).mul(x.narrow(dim, from + 2, count)));
  }

  // Integrals

  static Tensor trapezoid(Tensor y, double dx, int dim) {
    checkNumbers("trapezoid", y);
    int at = Views.existing("trapezoid", dim, y);
    if (y.size(at) == 0) {
      return y.sum(at);
    }
    Tensor ends = y.select(at, 0).add(y.select(at, -1));
    return y.sum(at).sub(ends.mul(0.5)).mul(dx);
  }

  static Tensor trapezoid(Tensor y, Tensor x, int dim) {
    checkNumbers("trapezoid", y);
    checkNumbers("trapezoid", x);
    int at = Views.existing("trapezoid", dim, y);
    if (y.size(at) == 0) {
      return y.sum(at);
    }
    return pairs(y, at).mul(steps("trapezoid", y, x, at)).sum(at).div(2.0);
  }

  static Tensor cumulativeTrapezoid(Tensor y, double dx, int dim) {
    checkNumbers("cumulativeTrapezoid", y);
    int at = Views.existing("cumulativeTrapezoid", dim, y);
    return pairs(y, at).mul(dx / 2).cumsum(at);
  }

  static Tensor cumulativeTrapezoid(Tensor y, Tensor x, int dim) {
    checkNumbers("cumulativeTrapezoid", y);
    checkNumbers("cumulativeTrapezoid", x);
    int at = Views.existing("cumulativeTrapezoid", dim, y);
    return steps("cumulativeTrapezoid", y, x, at).div(2.0).mul(pairs(y, at)).cumsum(at);
  }

  private static void checkNumbers(String op, Tensor x) {
    if (x.dtype() == DType.BOOL) {
      throw new DTypeException(
          op + ": there must be numbers, but a tensor is bool. Convert it with .to(DType.INT64).");
    }
  }

  private static Tensor pairs(Tensor y, int dim) {
    long n = Math.max(y.size(dim) - 1, 0);
    return y.narrow(dim, 0, n).add(y.narrow(dim, y.size(dim) - n, n));
  }

  /// The distances of the places `x`, in a shape that broadcasts against that of `y`.
  private static Tensor steps(String op, Tensor y, Tensor x, int dim) {
    long[] sizes = new long[y.dim()];
    Arrays.fill(sizes, 1);
    if (x.dim() == 1) {
      if (x.size(0) != y.size(dim)) {
        throw new ShapeException(
            "%s: x must have a place for each sample, but has %d, and there are %d samples along dim %d of shape %s."
                .formatted(op, x.size(0), y.size(dim), dim, y.shape()));
      }
      sizes[dim] = x.size(0);
      x = x.view(sizes);
    } else if (x.dim() < y.dim()) {
      System.arraycopy(x.sizesInternal(), 0, sizes, y.dim() - x.dim(), x.dim());
      x = x.view(sizes);
    }
    long n = Math.max(x.size(dim) - 1, 0);
    return x.narrow(dim, x.size(dim) - n, n).sub(x.narrow(dim, 0, n));
  }
}
