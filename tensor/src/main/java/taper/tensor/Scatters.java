package taper.tensor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.tensor.Scattering.ScatterReduce;
import taper.tensor.Scattering.SegmentReduce;
import taper.tensor.spi.Strided;

/// What the methods and declarations of [Scattering] share.
final class Scatters {
  private Scatters() {}

  static void sameType(String op, Tensor self, String name, Tensor other) {
    if (self.dtype() != other.dtype()) {
      throw new DTypeException(
          "%s: %s must have the dtype of self, %s, but is %s. Convert it with .to(dtype)."
              .formatted(op, name, self.dtype(), other.dtype()));
    }
  }

  static Index[] index(List<? extends @Nullable Tensor> indices) {
    return indices.stream()
        .map(tensor -> tensor == null ? Index.all() : Index.of(tensor))
        .toArray(Index[]::new);
  }

  // Reading

  static Tensor take(Tensor x, Tensor index) {
    whole("take", "index", index);
    Tensor flat = x.flatten();
    return flat.get(Index.of(index.reshape(-1))).view(index.sizes());
  }

  private static void whole(String op, String name, Tensor index) {
    if (index.dtype() != DType.INT64) {
      throw new DTypeException(
          "%s: %s must be int64, but is %s. Convert it with .to(DType.INT64)."
              .formatted(op, name, index.dtype()));
    }
  }

  static Tensor takeAlongDim(Tensor x, Tensor indices, int dim) {
    whole("takeAlongDim", "indices", indices);
    if (x.dim() != indices.dim()) {
      throw new ShapeException(
          "takeAlongDim: indices must have as many dimensions as self, but has shape %s and self %s."
              .formatted(indices.shape(), x.shape()));
    }
    int at = Checks.dim("takeAlongDim", dim, x.dim());
    if (x.dim() == 0) {
      return x.gather(0, indices);
    }
    long[] own = x.sizes();
    long[] wanted = indices.sizes();
    long ownSize = own[at];
    long wantedSize = wanted[at];
    own[at] = 1;
    wanted[at] = 1;
    long[] common = Arrangements.broadcast("takeAlongDim", own, wanted);
    own = common.clone();
    own[at] = ownSize;
    common[at] = wantedSize;
    return x.expand(own).gather(at, indices.expand(common));
  }

  // Writing

  static void checkPut(Tensor index, Tensor source, Tensor self) {
    whole("put", "index", index);
    sameType("put", self, "source", source);
    if (index.numel() != source.numel()) {
      throw new ShapeException(
          "put: source must have as many elements as index, but has shape %s and index %s."
              .formatted(source.shape(), index.shape()));
    }
  }

  static Tensor put(Tensor x, Tensor index, Tensor source, boolean accumulate) {
    checkPut(index, source, x);
    Tensor flat = x.flatten();
    return Indexing.Operators.INDEX_PUT
        .on(
            new Indexing.Put(new int[] {0}, accumulate),
            flat,
            source.reshape(-1),
            index.reshape(-1))
        .view(x.sizes());
  }

  /// `index`, a vector of places along `dim`, with the sizes of `source`.
  static Tensor along(String op, Tensor x, int dim, Tensor index, Tensor source) {
    int at = Checks.dim(op, dim, x.dim());
    if (index.dim() > 1) {
      throw new ShapeException(
          "%s: index must be a vector, but has shape %s.".formatted(op, index.shape()));
    }
    long[] wanted = x.dim() == 0 ? new long[0] : x.sizes();
    if (wanted.length > 0) {
      wanted[at] = index.numel();
    }
    boolean scalars =
        x.dim() == 0 && source.numel() == 1 && source.dim() <= 1
            || source.dim() == 0 && index.numel() == 1 && x.dim() == 1;
    if (!Arrays.equals(wanted, source.sizesInternal()) && !scalars) {
      throw new ShapeException(
          "%s: source must have the sizes of self with %d along dim %d, %s, but has shape %s."
              .formatted(op, index.numel(), at, Arrays.toString(wanted), source.shape()));
    }
    return wide(index, at, source.sizes());
  }

  private static Tensor wide(Tensor index, int dim, long[] sizes) {
    if (sizes.length == 0) {
      return index.reshape();
    }
    long[] ones = new long[sizes.length];
    Arrays.fill(ones, 1);
    ones[dim] = index.numel();
    return index.reshape(ones).expand(sizes);
  }

  static Tensor indexCopy(
      String op, Tensor x, int dim, Tensor index, Tensor source, boolean inPlace) {
    Tensor wide = along(op, x, dim, index, source);
    return inPlace ? x.scatter_(dim, wide, source) : x.scatter(dim, wide, source);
  }

  static Tensor indexFill(Tensor x, int dim, Tensor index, Tensor value, boolean inPlace) {
    String op = inPlace ? "indexFill_" : "indexFill";
    int at = Checks.dim(op, dim, x.dim());
    if (value.dim() != 0) {
      throw new ShapeException(
          "%s: value must have 0 dimensions, but has shape %s.".formatted(op, value.shape()));
    }
    if (index.dim() > 1) {
      throw new ShapeException(
          "%s: index must be a vector, but has shape %s.".formatted(op, index.shape()));
    }
    long[] sizes = x.sizes();
    if (sizes.length == 0) {
      sizes = new long[] {index.numel()};
    } else {
      sizes[at] = index.numel();
    }
    Tensor wide = wide(index, at, sizes);
    Tensor source = value.to(x.dtype()).expand(sizes);
    return inPlace ? x.scatter_(dim, wide, source) : x.scatter(dim, wide, source);
  }

  static Tensor maskedScatter(Tensor x, Tensor mask, Tensor source, boolean inPlace) {
    String op = inPlace ? "maskedScatter_" : "maskedScatter";
    if (mask.dtype() != DType.BOOL) {
      throw new DTypeException(
          "%s: mask must be bool, but is %s. Convert it with .to(DType.BOOL)."
              .formatted(op, mask.dtype()));
    }
    sameType(op, x, "source", source);
    long[] sizes =
        inPlace ? x.sizes() : Arrangements.broadcast(op, x.sizesInternal(), mask.sizesInternal());
    Tensor places = mask.expand(sizes);
    Tensor target = inPlace ? x : x.expand(sizes);
    if (sizes.length == 0) {
      places = places.unsqueeze(0);
    }
    Tensor at = places.nonzero();
    long count = at.size(0);
    if (source.numel() < count) {
      throw new ShapeException(
          "%s: source must have as many elements as mask has true ones, %d, but has shape %s."
              .formatted(op, count, source.shape()));
    }
    Tensor values = source.flatten().narrow(0, 0, count);
    Tensor written = sizes.length == 0 ? target.unsqueeze(0) : target;
    int rank = Math.max(1, sizes.length);
    Tensor[] in = new Tensor[2 + rank];
    in[0] = written;
    in[1] = values;
    int[] dims = new int[rank];
    for (int d = 0; d < rank; d++) {
      in[2 + d] = at.select(1, d);
      dims[d] = d;
    }
    var put = new Indexing.Put(dims, false);
    if (inPlace) {
      Indexing.Operators.INDEX_PUT.inPlace(put, in);
      return x;
    }
    return Indexing.Operators.INDEX_PUT.on(put, in).view(sizes);
  }

  // Combining

  /// The part of `source` that `index` reaches.
  private static Tensor reached(Tensor source, long[] sizes) {
    Tensor part = source;
    for (int d = 0; d < sizes.length && d < source.dim(); d++) {
      if (part.size(d) != sizes[d]) {
        part = part.narrow(d, 0, sizes[d]);
      }
    }
    return part;
  }

  static Tensor reduceSelfGradient(Backward<ScatterReduce> b) {
    ScatterReduce a = b.attributes();
    Tensor grad = b.grad();
    Tensor self = b.input("self");
    Tensor index = b.input("index");
    Tensor source = b.input("source");
    Tensor own =
        switch (a.reduce()) {
          case SUM -> grad;
          case PROD -> {
            Tensor masked = self.maskedFill(self.eq(0), 1);
            Tensor product =
                masked.scatterReduce(a.dim(), index, source, a.reduce(), a.includeSelf());
            yield grad.mul(product).div(masked);
          }
          case MEAN -> grad.div(counts(a, grad, index));
          case AMAX, AMIN -> {
            Tensor chosen = self.eq(b.output()).to(grad.dtype());
            yield chosen.mul(grad.div(ties(b, chosen)));
          }
        };
    return a.includeSelf() ? own : own.scatter(a.dim(), index, 0);
  }

  static Tensor reduceSourceGradient(Backward<ScatterReduce> b) {
    ScatterReduce a = b.attributes();
    Tensor index = b.input("index");
    long[] sizes = b.sizes("source");
    Tensor reached = reached(b.input("source"), index.sizesInternal());
    Tensor part = reachedGradient(b, a, index, reached);
    if (Arrays.equals(sizes, part.sizesInternal())) {
      return part;
    }
    if (sizes.length != part.dim()) {
      return part.reshape(sizes);
    }
    var place = new Shapes.AsStrided(part.sizes(), Strided.contiguousStrides(sizes), 0);
    return Shapes.Operators.PLACE.on(new Shapes.Place(sizes, place), part);
  }

  private static Tensor reachedGradient(
      Backward<ScatterReduce> b, ScatterReduce a, Tensor index, Tensor source) {
    Tensor grad = b.grad();
    Tensor self = b.input("self");
    int dim = a.dim();
    return switch (a.reduce()) {
      case SUM -> grad.gather(dim, index);
      case PROD -> {
        Tensor zero = source.eq(0);
        Tensor zeros =
            Tensor.zeros(grad.dtype(), self.sizes())
                .scatterAdd(dim, index, zero.to(grad.dtype()))
                .gather(dim, index);
        Tensor only = zero.logicalAnd(zeros.eq(1));
        Tensor rest =
            self.scatterReduce(dim, index, source.maskedFill(only, 1), a.reduce(), a.includeSelf());
        Tensor others = grad.mul(rest).gather(dim, index);
        Tensor usual = grad.mul(b.output()).gather(dim, index).div(source.maskedFill(zero, 1));
        yield others.where(only, usual);
      }
      case MEAN -> grad.div(counts(a, grad, index)).gather(dim, index);
      case AMAX, AMIN -> {
        Tensor chosen = self.eq(b.output()).to(grad.dtype());
        Tensor each = grad.div(ties(b, chosen)).gather(dim, index);
        yield source.eq(b.output().gather(dim, index)).to(grad.dtype()).mul(each);
      }
    };
  }

  /// How many values each mean is made of, at least 1.
  private static Tensor counts(ScatterReduce a, Tensor grad, Tensor index) {
    Tensor begin = Tensor.full(grad.dtype(), a.includeSelf() ? 1 : 0, grad.sizes());
    Tensor ones = Tensor.ones(grad.dtype(), index.sizes());
    return begin.scatterAdd(a.dim(), index, ones).clamp(1, Double.POSITIVE_INFINITY);
  }

  /// How many elements share each extreme; `chosen` is 1 where this tensor's own is one.
  private static Tensor ties(Backward<ScatterReduce> b, Tensor chosen) {
    int dim = b.attributes().dim();
    Tensor index = b.input("index");
    Tensor source = reached(b.input("source"), index.sizesInternal());
    Tensor equal = source.eq(b.output().gather(dim, index)).to(chosen.dtype());
    return chosen.scatterAdd(dim, index, equal);
  }

  // Segments

  static Tensor segmentReduce(
      Tensor x, Combine reduce, Tensor lengths, int axis, @Nullable Double initial) {
    int at = Checks.dim("segmentReduce", axis, x.dim());
    whole("segmentReduce", "lengths", lengths);
    boolean fits = lengths.dim() == at + 1 && x.dim() > 0;
    for (int d = 0; fits && d < at; d++) {
      fits = lengths.size(d) == x.size(d);
    }
    if (!fits) {
      throw new ShapeException(
          "segmentReduce: lengths must have the dimensions of self before axis %d and one more, but has shape %s and self %s."
              .formatted(at, lengths.shape(), x.shape()));
    }
    return Scattering.Operators.SEGMENT_REDUCE.on(
        new SegmentReduce(at, reduce, initial), x, lengths);
  }

  static void checkSegments(SegmentReduce a, @Nullable Tensor[] in) {
    Tensor x = Objects.requireNonNull(in[0]);
    Tensor lengths = Objects.requireNonNull(in[1]);
    int at = a.axis();
    long[] all = lengths.toLongArray();
    int segments = Math.toIntExact(lengths.size(-1));
    for (int from = 0; segments > 0 && from < all.length; from += segments) {
      long sum = 0;
      for (int i = 0; i < segments; i++) {
        if (all[from + i] < 0) {
          throw new ArgumentException(
              "segmentReduce: lengths must not be negative, but one is %d."
                  .formatted(all[from + i]));
        }
        sum += all[from + i];
      }
      if (sum != x.size(at)) {
        throw new ShapeException(
            "segmentReduce: lengths must add up to dimension %d of self %s, %d, but add up to %d."
                .formatted(at, x.shape(), x.size(at), sum));
      }
    }
  }

  /// The segment of every element of `sizes`, along the axis.
  private static Tensor segmentIndex(SegmentReduce a, Tensor lengths, long[] sizes) {
    long[] all = lengths.toLongArray();
    int segments = Math.toIntExact(lengths.size(-1));
    int length = Math.toIntExact(sizes[a.axis()]);
    int lines = segments == 0 ? 0 : all.length / segments;
    long[] index = new long[Math.multiplyExact(Math.max(lines, 0), length)];
    for (int line = 0; line < lines; line++) {
      int to = Math.multiplyExact(line, length);
      int from = Math.multiplyExact(line, segments);
      for (int s = 0; s < segments; s++) {
        int count = (int) all[from + s];
        Arrays.fill(index, to, to + count, s);
        to += count;
      }
    }
    long[] own = new long[sizes.length];
    Arrays.fill(own, 1);
    System.arraycopy(sizes, 0, own, 0, a.axis() + 1);
    return Tensor.of(index, own).expand(sizes);
  }

  static Tensor segments(SegmentReduce a, Inputs in) {
    Tensor x = in.get("self");
    Tensor lengths = in.get("lengths");
    long[] sizes = x.sizes();
    sizes[a.axis()] = lengths.size(-1);
    Double given = a.initial();
    double initial = given != null ? given : identity(a.reduce());
    Tensor begin = Tensor.full(x.dtype(), initial, sizes);
    Combine way = a.reduce() == Combine.MEAN ? Combine.SUM : a.reduce();
    Tensor index = segmentIndex(a, lengths, x.sizes());
    Tensor result = begin.scatterReduce(a.axis(), index, x, way, true);
    if (a.reduce() != Combine.MEAN) {
      return result;
    }
    Tensor counts = wideLengths(a, lengths, sizes);
    Tensor divisor = given != null ? counts.clamp(1, Double.POSITIVE_INFINITY) : counts;
    return result.div(divisor.to(x.dtype()));
  }

  private static double identity(Combine way) {
    return switch (way) {
      case SUM, MEAN -> 0;
      case PROD -> 1;
      case AMAX -> Double.NEGATIVE_INFINITY;
      case AMIN -> Double.POSITIVE_INFINITY;
    };
  }

  private static Tensor wideLengths(SegmentReduce a, Tensor lengths, long[] sizes) {
    var own = new ArrayList<Long>();
    for (int d = 0; d < sizes.length; d++) {
      own.add(d <= a.axis() ? sizes[d] : 1L);
    }
    return lengths.reshape(own.stream().mapToLong(Long::longValue).toArray()).expand(sizes);
  }

  static Tensor segmentGradient(Backward<SegmentReduce> b) {
    SegmentReduce a = b.attributes();
    Tensor x = b.input("self");
    Tensor lengths = b.input("lengths");
    Tensor index = segmentIndex(a, lengths, x.sizes());
    int axis = a.axis();
    long[] sizes = x.sizes();
    sizes[axis] = lengths.size(-1);
    Tensor grad = b.grad().gather(axis, index);
    return switch (a.reduce()) {
      case SUM -> grad;
      case MEAN -> grad.div(wideLengths(a, lengths, sizes).gather(axis, index).to(grad.dtype()));
      case AMAX, AMIN -> {
        Tensor chosen = x.eq(b.output().gather(axis, index)).logicalOr(x.ne(x)).to(grad.dtype());
        Tensor count =
            Tensor.zeros(grad.dtype(), sizes).scatterAdd(axis, index, chosen).gather(axis, index);
        yield grad.mul(chosen).div(count.clamp(1, Double.POSITIVE_INFINITY));
      }
      case PROD -> {
        Tensor zero = x.eq(0);
        Tensor zeros =
            Tensor.zeros(grad.dtype(), sizes)
                .scatterAdd(axis, index, zero.to(grad.dtype()))
                .gather(axis, index);
        Tensor only = zero.logicalAnd(zeros.eq(1));
        Double given = a.initial();
        Tensor rest =
            Tensor.full(x.dtype(), given != null ? given : 1, sizes)
                .scatterReduce(axis, index, x.maskedFill(only, 1), Combine.PROD, true)
                .gather(axis, index);
        Tensor usual = b.output().gather(axis, index).div(x.maskedFill(zero, 1));
        yield grad.mul(rest.where(only, usual));
      }
    };
  }
}
