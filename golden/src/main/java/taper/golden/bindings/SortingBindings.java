package taper.golden.bindings;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Tolerance;
import taper.tensor.DType;
import taper.tensor.GradientOptions;
import taper.tensor.HistogramOptions;
import taper.tensor.SearchOptions;
import taper.tensor.Sorting.Unique;
import taper.tensor.Statistics.Interpolation;
import taper.tensor.Tensor;
import taper.tensor.UniqueOptions;

/// Sorting, scans and statistics.
public final class SortingBindings {
  private SortingBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    addOrder(table);
    addDistinct(table);
    addScans(table);
    addStatistics(table);
  }

  private static void addOrder(Bindings table) {
    table
        .bind(
            "sort",
            "sort(dim, descending)",
            a -> {
              a.flag(-1, "stable", true);
              return a.self().sort(a.dim(1, "dim", -1), a.flag(2, "descending", false));
            })
        .note("Always stable.");
    table
        .bind(
            "argsort",
            "argsort(dim, descending)",
            a -> {
              a.flag(-1, "stable", true);
              return a.self().argsort(a.dim(1, "dim", -1), a.flag(2, "descending", false));
            })
        .note("Always stable.");
    table.bind("msort", "msort()", a -> a.self().msort());
    table.bind(
        "topk",
        "topk(k, dim, largest, sorted)",
        a ->
            a.self()
                .topk(
                    a.integer(1, "k"),
                    a.dim(2, "dim", -1),
                    a.flag(3, "largest", true),
                    a.flag(4, "sorted", true)));
    table.bind(
        "kthvalue",
        "kthvalue(k, dim, keepDim)",
        a ->
            a.self().kthvalue(a.integer(1, "k"), a.dim(2, "dim", -1), a.flag(3, "keepdim", false)));
    table.bind(
        "median",
        "median(dim, keepDim)",
        a ->
            a.has(1, "dim")
                ? a.self().median(a.dim(1, "dim"), a.flag(2, "keepdim", false))
                : a.self().median());
    table.bind(
        "nanmedian",
        "nanmedian(dim, keepDim)",
        a ->
            a.has(1, "dim")
                ? a.self().nanmedian(a.dim(1, "dim"), a.flag(2, "keepdim", false))
                : a.self().nanmedian());
    table.bind(
        "mode",
        "mode(dim, keepDim)",
        a -> a.self().mode(a.dim(1, "dim", -1), a.flag(2, "keepdim", false)));
  }

  private static void addDistinct(Bindings table) {
    table
        .bind(
            "unique",
            "unique(o -> o.dim(dim).returnInverse(true).returnCounts(true))",
            a -> {
              a.flag(1, "sorted", true);
              return flat(
                  a.self()
                      .unique(o ->
                          with(
                              a,
                              o.returnInverse(a.flag(2, "return_inverse", false))
                                  .returnCounts(a.flag(3, "return_counts", false)),
                              4)));
            })
        .note("Always sorted.")
        .unordered(a -> !a.flag(1, "sorted", true), SortingBindings::sameUpToOrder);
    table.bind(
        "unique_consecutive",
        "uniqueConsecutive(o -> o.dim(dim).returnInverse(true).returnCounts(true))",
        a ->
            flat(
                a.self()
                    .uniqueConsecutive(o ->
                        with(
                            a,
                            o.returnInverse(a.flag(1, "return_inverse", false))
                                .returnCounts(a.flag(2, "return_counts", false)),
                            3))));
    table.bind(
        "searchsorted",
        "Tensor.searchsorted(sortedSequence, values, o -> o.side(\"right\").sorter(sorter))",
        a ->
            Tensor.searchsorted(
                a.self(),
                a.operand(1, "self"),
                o -> {
                  SearchOptions search =
                      o.outInt32(a.flag(-1, "out_int32", false)).sorter(a.find(-1, "sorter"));
                  String side = a.findText(-1, "side");
                  boolean right = a.flag(-1, "right", false);
                  return side != null ? search.side(side) : search.right(right);
                }));
    table.bind(
        "bucketize",
        "bucketize(boundaries, o -> o.right(right))",
        a ->
            a.self()
                .bucketize(
                    a.tensor(1, "boundaries"),
                    o ->
                        o.right(a.flag(-1, "right", false))
                            .outInt32(a.flag(-1, "out_int32", false))));
    table.bind(
        "isin",
        "isin(testElements, invert)",
        a -> {
          a.flag(-1, "assume_unique", false);
          return a.self().isin(a.operand(1, "test_elements"), a.flag(-1, "invert", false));
        });
  }

  /// What differs between distinct elements, their places and counts, whatever their order.
  private static @Nullable String sameUpToOrder(
      Arguments a,
      List<@Nullable Object> ours,
      List<@Nullable Object> expected,
      Tolerance tolerance) {
    if (ours.size() != expected.size()) {
      return ours.size() + " results, expected " + expected.size();
    }
    if (!(expected.getFirst() instanceof Tensor values)) {
      return "no elements";
    }
    Unique order = values.unique(o -> with(a, o.returnInverse(true), 4));
    Tensor places = order.inverse();
    if (places == null || places.numel() != order.values().size(a.dim(4, "dim", 0))) {
      return "elements that are not distinct: " + values;
    }
    var ordered = new ArrayList<@Nullable Object>();
    ordered.add(order.values());
    int next = 1;
    if (a.flag(2, "return_inverse", false)) {
      ordered.add(
          expected.get(next++) instanceof Tensor inverse
              ? places.indexSelect(0, inverse.reshape(-1)).viewAs(inverse)
              : null);
    }
    if (a.flag(3, "return_counts", false)) {
      ordered.add(
          expected.get(next) instanceof Tensor counts
              ? counts.indexSelect(0, places.argsort())
              : null);
    }
    for (int i = 0; i < ours.size(); i++) {
      if (!(ours.get(i) instanceof Tensor x)
          || !(ordered.get(i) instanceof Tensor y)
          || x.dtype() != y.dtype()
          || !x.shape().equals(y.shape())
          || !x.allclose(y, tolerance.relative(), tolerance.absolute())) {
        return "result %d is %s, expected, in order, %s".formatted(i, ours.get(i), ordered.get(i));
      }
    }
    return null;
  }

  private static UniqueOptions with(Arguments a, UniqueOptions options, int position) {
    return a.has(position, "dim") ? options.dim(a.dim(position, "dim")) : options;
  }

  private static List<Tensor> flat(Unique unique) {
    var result = new ArrayList<Tensor>();
    result.add(unique.values());
    if (unique.inverse() != null) {
      result.add(unique.inverse());
    }
    if (unique.counts() != null) {
      result.add(unique.counts());
    }
    return result;
  }

  private static void addScans(Bindings table) {
    table.bind(
        "cumsum",
        "cumsum(dim, dtype)",
        a -> {
          DType dtype = a.dtype(-1, "dtype");
          int dim = a.dim(1, "dim");
          return dtype == null ? a.self().cumsum(dim) : a.self().cumsum(dim, dtype);
        });
    table.bind(
        "cumprod",
        "cumprod(dim, dtype)",
        a -> {
          DType dtype = a.dtype(-1, "dtype");
          int dim = a.dim(1, "dim");
          return dtype == null ? a.self().cumprod(dim) : a.self().cumprod(dim, dtype);
        });
    table.bind("cummax", "cummax(dim)", a -> a.self().cummax(a.dim(1, "dim")));
    table.bind("cummin", "cummin(dim)", a -> a.self().cummin(a.dim(1, "dim")));
    table.bind("logcumsumexp", "logcumsumexp(dim)", a -> a.self().logcumsumexp(a.dim(1, "dim")));
    table.bind(
        "diff",
        "diff(n, dim, prepend, append)",
        a ->
            a.self()
                .diff(
                    Math.toIntExact(a.integer(1, "n", 1)),
                    a.dim(2, "dim", -1),
                    a.find(3, "prepend"),
                    a.find(4, "append")));
    table.bind(
        "gradient",
        "gradient(o -> o.spacing(spacing).dim(dims).edgeOrder(edgeOrder))",
        a -> a.self().gradient(o -> gradientOptions(a, o)));
    for (String name : List.of("trapezoid", "trapz")) {
      table.bind(
          name,
          "trapezoid(x, dim)",
          a -> {
            int dim = a.dim(-1, "dim", -1);
            return a.has(1, "x")
                ? a.self().trapezoid(a.tensor(1, "x"), dim)
                : a.self().trapezoid(a.number(-1, "dx", 1), dim);
          });
    }
    table.bind(
        "cumulative_trapezoid",
        "cumulativeTrapezoid(x, dim)",
        a -> {
          int dim = a.dim(-1, "dim", -1);
          return a.has(1, "x")
              ? a.self().cumulativeTrapezoid(a.tensor(1, "x"), dim)
              : a.self().cumulativeTrapezoid(a.number(-1, "dx", 1), dim);
        });
  }

  private static GradientOptions gradientOptions(Arguments a, GradientOptions options) {
    GradientOptions result = options.edgeOrder(Math.toIntExact(a.integer(-1, "edge_order", 1)));
    if (a.has(-1, "dim")) {
      result = result.dim(a.dims(-1, "dim"));
    }
    Object spacing = a.value(-1, "spacing");
    if (spacing instanceof List<?> list) {
      return list.stream().anyMatch(Tensor.class::isInstance)
          ? result.coordinates(a.tensors(-1, "spacing").toArray(Tensor[]::new))
          : result.spacing(a.numbers(-1, "spacing"));
    }
    return spacing == null ? result : result.spacing(a.number(-1, "spacing"));
  }

  private static void addStatistics(Bindings table) {
    table.bind("quantile", "quantile(q, dim, keepDim, interpolation)", a -> quantile(a, false));
    table.bind(
        "nanquantile", "nanquantile(q, dim, keepDim, interpolation)", a -> quantile(a, true));
    table.bind(
        "histc",
        "histc(bins, min, max)",
        a ->
            a.self()
                .histc(a.integer(1, "bins", 100), a.number(2, "min", 0), a.number(3, "max", 0)));
    table.bind(
        "histogram",
        "histogram(bins, o -> o.range(min, max).weight(weight).density(true))",
        a ->
            a.value(1, "bins") instanceof Tensor edges
                ? a.self().histogram(edges, o -> histogramOptions(a, o))
                : a.self().histogram(a.integer(1, "bins"), o -> histogramOptions(a, o)));
    table.bind(
        "histogramdd",
        "histogramdd(bins, o -> o.range(ranges).weight(weight).density(true))",
        a ->
            a.value(1, "bins") instanceof List<?> list && list.getFirst() instanceof Tensor
                ? a.self().histogramdd(a.tensors(1, "bins"), o -> histogramOptions(a, o))
                : a.self().histogramdd(a.longs(1, "bins"), o -> histogramOptions(a, o)));
    table.bind(
        "bincount",
        "bincount(weights, minlength)",
        a -> a.self().bincount(a.find(1, "weights"), a.integer(2, "minlength", 0)));
    table.bind(
        "cov",
        "cov(o -> o.correction(correction).fweights(fweights).aweights(aweights))",
        a ->
            a.self()
                .cov(o ->
                    o.correction(a.number(-1, "correction", 1))
                        .fweights(a.find(-1, "fweights"))
                        .aweights(a.find(-1, "aweights"))));
    table.bind("corrcoef", "corrcoef()", a -> a.self().corrcoef());
  }

  private static HistogramOptions histogramOptions(Arguments a, HistogramOptions options) {
    HistogramOptions result =
        options.weight(a.find(-1, "weight")).density(a.flag(-1, "density", false));
    return a.has(-1, "range") ? result.range(a.numbers(-1, "range")) : result;
  }

  private static Tensor quantile(Arguments a, boolean ignoreNan) {
    Tensor x = a.self();
    Tensor q =
        a.value(1, "q") instanceof Tensor tensor
            ? tensor
            : Tensor.scalar(
                x.dtype().isFloatingPoint() ? x.dtype() : DType.FLOAT32, a.number(1, "q"));
    Integer dim = a.has(2, "dim") ? a.dim(2, "dim") : null;
    boolean keepDim = a.flag(3, "keepdim", false);
    var interpolation =
        Interpolation.valueOf(a.text(-1, "interpolation", "linear").toUpperCase(Locale.ROOT));
    return ignoreNan
        ? x.nanquantile(q, dim, keepDim, interpolation)
        : x.quantile(q, dim, keepDim, interpolation);
  }
}
