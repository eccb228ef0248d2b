package taper.tensor;

import java.util.function.DoubleUnaryOperator;
import java.util.function.LongUnaryOperator;
import taper.tensor.Reductions.Norm;
import taper.tensor.Reductions.Operators;
import taper.tensor.Reductions.Reduce;
import taper.tensor.Reductions.Variance;
import taper.tensor.internal.Context;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Reductions of what a kernel cannot read where it lies, since it is expanded, cut or of a smaller type, without a copy
/// of all of it.
///
/// Elements that repeat along a reduced dimension are looked at once, and the result says how often they count. The rest
/// is copied in blocks: of whole lines, or of parts of a line whose results are reduced again.
final class BlockwiseReductions<A extends Record> {
  /// What is smaller is copied as a whole.
  private static final long BLOCK_BYTES = 16L << 20;

  private final Operator<A> op;
  private final A attributes;
  private final Kernel kernel;
  private final Reduce over;
  private final DType dtype;

  private BlockwiseReductions(Operator<A> op, A attributes, Kernel kernel, DType dtype) {
    this.op = op;
    this.attributes = attributes;
    this.kernel = kernel;
    this.over = over(attributes);
    this.dtype = dtype;
  }

  /// Whether to reduce `x` this way, if a kernel asks for it dense and of type `dtype`.
  static boolean suit(Operator<?> op, Strided x, DType dtype) {
    if (x.isNumber() || dtype.isComplex() || x.numel() <= BLOCK_BYTES / dtype.byteSize()) {
      return false;
    }
    return switch (op.name()) {
      case "sum", "mean", "prod", "max", "min", "amax", "amin", "any", "all", "norm" -> true;
      case "logsumexp", "var", "std", "varMean", "argmax", "argmin", "maxDim", "minDim" -> true;
      default -> false;
    };
  }

  /// Reduces `x` into `out`, whose regions are contiguous.
  static <A extends Record> void run(
      Operator<A> op, A attributes, Kernel kernel, Strided x, DType dtype, Strided[] out) {
    new BlockwiseReductions<>(op, attributes, kernel, dtype).run(x, out);
  }

  private static Reduce over(Record attributes) {
    return switch (attributes) {
      case Reduce reduce -> reduce;
      case Variance variance -> variance.over();
      case Norm norm -> norm.over();
      default -> throw new IllegalArgumentException("not a reduction: " + attributes);
    };
  }

  private void run(Strided x, Strided[] out) {
    long[] sizes = x.sizes();
    long[] kept = x.sizes();
    double repeats = 1;
    long wholeRepeats = 1; // modulo 2^64, as whole numbers are
    double length = 1;
    for (int d = 0; d < sizes.length; d++) {
      if (over.reduces(d)) {
        kept[d] = 1;
        length *= sizes[d];
        if (x.stride(d) == 0) {
          repeats *= sizes[d];
          wholeRepeats *= sizes[d];
          sizes[d] = 1;
        }
      }
    }
    Strided once = x.view(0, sizes, x.strides());
    Strided[] lines = new Strided[out.length];
    for (int o = 0; o < out.length; o++) {
      lines[o] = out[o].view(0, kept.clone(), Strided.contiguousStrides(kept));
    }
    if (repeats == 1) {
      fill(once, lines);
    } else {
      repeated(x, once, lines, repeats, wholeRepeats, length);
    }
  }

  private void repeated(
      Strided x, Strided once, Strided[] out, double repeats, long wholeRepeats, double length) {
    switch (op.name()) {
      case "sum" -> {
        fill(once, out);
        change(out[0], v -> v * repeats, v -> v * wholeRepeats);
      }
      case "prod" -> {
        fill(once, out);
        change(out[0], v -> Math.pow(v, repeats), v -> power(v, wholeRepeats));
      }
      case "logsumexp" -> {
        fill(once, out);
        change(out[0], v -> v + Math.log(repeats), v -> v);
      }
      case "norm" -> {
        double p = ((Norm) attributes).p();
        double factor = p == 0 ? repeats : Double.isInfinite(p) ? 1 : Math.pow(repeats, 1 / p);
        fill(once, out);
        change(out[0], v -> v * factor, v -> v);
      }
      case "var", "std", "varMean" -> {
        double correction = ((Variance) attributes).correction();
        double factor = length / Math.max(0, length - correction);
        double scale = op.name().equals("std") ? Math.sqrt(factor) : factor;
        whole(new Variance(over, 0), once, out);
        change(out[0], v -> v * scale, v -> v);
      }
      case "argmax", "argmin" -> {
        fill(once, out);
        change(out[0], v -> v, index -> place(index, x, once));
      }
      default -> fill(once, out);
    }
  }

  /// Reduces all lines of `x`, in blocks.
  private void fill(Strided x, Strided[] out) {
    int kept = firstOf(x, false);
    if (isSmall(x)) {
      whole(attributes, x, out);
    } else if (kept >= 0) {
      long rows = rows(x, kept);
      for (long from = 0; from < x.size(kept); from += rows) {
        long count = Math.min(rows, x.size(kept) - from);
        Strided[] part = new Strided[out.length];
        for (int o = 0; o < out.length; o++) {
          part[o] = narrow(out[o], kept, from, count);
        }
        fill(narrow(x, kept, from, count), part);
      }
    } else {
      line(x, out);
    }
  }

  /// Reduces one line.
  private void line(Strided x, Strided[] out) {
    switch (op.name()) {
      case "sum", "prod", "max", "min", "amax", "amin", "any", "all", "norm", "logsumexp" ->
          ofParts(x, out[0]);
      case "mean" -> {
        var sum =
            new BlockwiseReductions<>(
                Operators.SUM, over, Operators.SUM.kernel(dtype, dtype), dtype);
        sum.ofParts(x, out[0]);
        double length = x.numel();
        change(out[0], v -> v / length, v -> v);
      }
      default -> whole(attributes, x, out);
    }
  }

  private void ofParts(Strided x, Strided out) {
    int reduced = firstOf(x, true);
    long rows = rows(x, reduced);
    long parts = Math.ceilDiv(x.size(reduced), rows);
    Tensor results = temporary(out.dtype(), parts);
    for (long p = 0; p < parts; p++) {
      long from = p * rows;
      Strided part = narrow(x, reduced, from, Math.min(rows, x.size(reduced) - from));
      fill(part, new Strided[] {results.data().view(p, out.sizes(), out.strides())});
    }
    Record all = attributes instanceof Norm norm ? new Norm(norm.p(), Reduce.all()) : Reduce.all();
    op.kernel(out.dtype(), out.dtype())
        .run(all, new Strided[] {out}, new Strided[] {results.data()});
    results.releaseNow();
  }

  /// Reduces a copy of all of `x`.
  private void whole(Record how, Strided x, Strided[] out) {
    Tensor copy = temporary(dtype, x.sizes());
    Copies.raw(copy.data(), x);
    kernel.run(how, out, new Strided[] {copy.data()});
    copy.releaseNow();
  }

  private static Tensor temporary(DType dtype, long... sizes) {
    return Tensor.allocate(Context.current(), dtype, sizes, Device.CPU);
  }

  private boolean isSmall(Strided x) {
    return x.numel() <= BLOCK_BYTES / dtype.byteSize();
  }

  /// The outermost dimension of more than one element that is reduced, or is not; -1 if there is none.
  private int firstOf(Strided x, boolean reduced) {
    for (int d = 0; d < x.rank(); d++) {
      if (over.reduces(d) == reduced && x.size(d) > 1) {
        return d;
      }
    }
    return -1;
  }

  /// How many places along a dimension make a block.
  private long rows(Strided x, int dim) {
    return Math.max(1, BLOCK_BYTES / dtype.byteSize() / (x.numel() / x.size(dim)));
  }

  private static Strided narrow(Strided x, int dim, long from, long count) {
    long[] sizes = x.sizes();
    sizes[dim] = count;
    return x.view(from * x.stride(dim), sizes, x.strides());
  }

  private static void change(Strided out, DoubleUnaryOperator real, LongUnaryOperator whole) {
    var elements = new Elements(out);
    for (long i = 0; i < elements.numel(); i++) {
      if (elements.isWhole()) {
        elements.set(i, whole.applyAsLong(elements.wholeAt(i)));
      } else {
        elements.set(i, real.applyAsDouble(elements.at(i)));
      }
    }
  }

  /// `base` to the power of `exponent`, modulo 2^64.
  private static long power(long base, long exponent) {
    long result = 1;
    long square = base;
    for (long rest = exponent; rest != 0; rest >>>= 1) {
      if ((rest & 1) != 0) {
        result *= square;
      }
      square *= square;
    }
    return result;
  }

  /// Where the element at `index` of the reduced dimensions of `once` lies in those of `x`.
  private long place(long index, Strided x, Strided once) {
    long result = 0;
    long distance = 1;
    long rest = index;
    for (int d = x.rank() - 1; d >= 0; d--) {
      if (over.reduces(d)) {
        result += rest % once.size(d) * distance;
        rest /= once.size(d);
        distance *= x.size(d);
      }
    }
    return result;
  }
}
