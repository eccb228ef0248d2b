package taper.golden.bindings;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.tensor.ArgumentException;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.DTypeException;
import taper.tensor.Reductions.MinMax;
import taper.tensor.Tensor;

/// Reductions.
public final class ReductionBindings {
  private ReductionBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    addSums(table);
    addTruths(table);
    addExtremes(table);
    addVariances(table);
    addNorms(table);
  }

  private interface Sum {
    Tensor apply(Tensor x, int[] dims, boolean keepDim);
  }

  private interface TypedSum {
    Tensor apply(Tensor x, int[] dims, boolean keepDim, DType dtype);
  }

  private static void addSums(Bindings table) {
    table.bind("sum", "sum(dims, keepDim, dtype)", a -> reduced(a, Tensor::sum, Tensor::sum));
    table.bind(
        "mean",
        "mean(dims, keepDim, dtype)",
        a -> written(a, reduced(a, Tensor::mean, Tensor::mean)));
    table.bind(
        "nansum",
        "nansum(dims, keepDim)",
        a ->
            reduced(
                a, Tensor::nansum, (x, dims, keepDim, dtype) -> x.to(dtype).nansum(dims, keepDim)));
    table.bind(
        "nanmean",
        "nanmean(dims, keepDim)",
        a ->
            reduced(
                a,
                Tensor::nanmean,
                (x, dims, keepDim, dtype) -> x.to(dtype).nanmean(dims, keepDim)));
    table.bind(
        "prod",
        "prod(dim, keepDim, dtype)",
        a -> {
          DType dtype = a.dtype(-1, "dtype");
          if (!a.has(1, "dim")) {
            return dtype == null ? a.self().prod() : a.self().prod(dtype);
          }
          int dim = a.dim(1, "dim");
          boolean keepDim = a.flag(2, "keepdim", false);
          return dtype == null ? a.self().prod(dim, keepDim) : a.self().prod(dim, keepDim, dtype);
        });
    table.bind("count_nonzero", "countNonzero(dims)", a -> a.self().countNonzero(dims(a)));
    table.bind(
        "logsumexp",
        "logsumexp(dims, keepDim)",
        a -> a.self().logsumexp(a.dims(1, "dim"), a.flag(2, "keepdim", false)));
  }

  private static Tensor reduced(Arguments a, Sum sum, TypedSum typed) {
    DType dtype = a.dtype(-1, "dtype");
    boolean keepDim = a.flag(2, "keepdim", false);
    return dtype == null
        ? sum.apply(a.self(), dims(a), keepDim)
        : typed.apply(a.self(), dims(a), keepDim, dtype);
  }

  /// The dimensions, none for all.
  private static int[] dims(Arguments a) {
    int @Nullable [] dims = a.findDims(1, "dim");
    return dims == null ? new int[0] : dims;
  }

  private static void addTruths(Bindings table) {
    table.bind(
        "all", "all(dims, keepDim)", a -> a.self().all(dims(a), a.flag(2, "keepdim", false)));
    table.bind(
        "any", "any(dims, keepDim)", a -> a.self().any(dims(a), a.flag(2, "keepdim", false)));
  }

  private static void addExtremes(Bindings table) {
    table.bind(
        "amax",
        "amax(dims, keepDim)",
        a -> written(a, a.self().amax(dims(a), a.flag(2, "keepdim", false))));
    table.bind(
        "amin",
        "amin(dims, keepDim)",
        a -> written(a, a.self().amin(dims(a), a.flag(2, "keepdim", false))));
    table.bind(
        "aminmax",
        "aminmax(dim, keepDim)",
        a -> {
          MinMax result =
              a.has(-1, "dim")
                  ? a.self().aminmax(a.dim(-1, "dim"), a.flag(-1, "keepdim", false))
                  : a.self().aminmax();
          if (!a.has(-1, "out")) {
            return result;
          }
          List<Tensor> out = a.tensors(-1, "out");
          return List.of(written(out.get(0), result.min()), written(out.get(1), result.max()));
        });
    table.bind(
        "max",
        "max(dim, keepDim)",
        a ->
            a.value(1, "other") instanceof Tensor other
                ? tensor(a).max(other)
                : a.has(1, "dim")
                    ? a.self().max(a.dim(1, "dim"), a.flag(2, "keepdim", false))
                    : a.self().max());
    table.bind(
        "min",
        "min(dim, keepDim)",
        a ->
            a.value(1, "other") instanceof Tensor other
                ? tensor(a).min(other)
                : a.has(1, "dim")
                    ? a.self().min(a.dim(1, "dim"), a.flag(2, "keepdim", false))
                    : a.self().min());
    table.bind(
        "argmax",
        "argmax(dim, keepDim)",
        a -> {
          boolean keepDim = a.flag(2, "keepdim", false);
          return a.has(1, "dim") ? a.self().argmax(a.dim(1, "dim"), keepDim) : a.self().argmax();
        });
    table.bind(
        "argmin",
        "argmin(dim, keepDim)",
        a -> {
          boolean keepDim = a.flag(2, "keepdim", false);
          return a.has(1, "dim") ? a.self().argmin(a.dim(1, "dim"), keepDim) : a.self().argmin();
        });
  }

  /// What the function is called on, which must not be a number.
  private static Tensor tensor(Arguments a) {
    if (Catalogue.isNumber(a.self())) {
      throw new ArgumentException("self must be a tensor, but is a number.");
    }
    return a.self();
  }

  /// Writes the result into the argument `out`, if there is one.
  private static Tensor written(Arguments a, Tensor result) {
    Tensor out = a.find(-1, "out");
    return out == null ? result : written(out, result);
  }

  private static Tensor written(Tensor out, Tensor result) {
    if (out.dtype() != result.dtype()) {
      throw new DTypeException(
          "out: the result is %s, but out is %s.".formatted(result.dtype(), out.dtype()));
    }
    return out.copy_(result);
  }

  private static void addVariances(Bindings table) {
    table.bind(
        "var",
        "var(dims, correction, keepDim)",
        a -> a.self().var(over(a), correction(a), keepDim(a)));
    table.bind(
        "std",
        "std(dims, correction, keepDim)",
        a -> a.self().std(over(a), correction(a), keepDim(a)));
    table.bind(
        "var_mean",
        "varMean(dims, correction, keepDim)",
        a -> a.self().varMean(over(a), correction(a), keepDim(a)));
    table.bind(
        "std_mean",
        "stdMean(dims, correction, keepDim)",
        a -> a.self().stdMean(over(a), correction(a), keepDim(a)));
  }

  /// The dimensions; the first argument may be `unbiased` instead.
  private static int[] over(Arguments a) {
    return a.value(1, "dim") instanceof Boolean ? new int[0] : dims(a);
  }

  private static double correction(Arguments a) {
    if (a.value(1, "dim") instanceof Boolean unbiased) {
      return unbiased ? 1 : 0;
    }
    return a.has(2, "unbiased")
        ? a.flag(2, "unbiased", true) ? 1 : 0
        : a.number(-1, "correction", 1);
  }

  private static boolean keepDim(Arguments a) {
    return a.flag(3, "keepdim", false);
  }

  private static void addNorms(Bindings table) {
    table.bind(
        "norm",
        "norm(p, dims, keepDim)",
        a -> {
          DType dtype = a.dtype(-1, "dtype");
          Tensor x = dtype == null ? a.self() : a.self().to(dtype);
          int[] dims = a.has(2, "dim") ? a.dims(2, "dim") : new int[0];
          boolean keepDim = a.flag(3, "keepdim", false);
          return a.value(1, "p") instanceof String name
              ? x.norm(name, dims, keepDim)
              : x.norm(a.number(1, "p", 2), dims, keepDim);
        });
    table.bind(
        "dist", "dist(other, p)", a -> a.self().dist(a.tensor(1, "other"), a.number(2, "p", 2)));
    table.bind(
        "renorm",
        "renorm(p, dim, maxNorm)",
        a -> a.self().renorm(a.number(1, "p"), a.dim(2, "dim"), a.number(3, "maxnorm")));
  }
}
