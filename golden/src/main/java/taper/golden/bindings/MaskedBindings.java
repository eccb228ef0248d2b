package taper.golden.bindings;

import java.util.function.UnaryOperator;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.tensor.Masked;
import taper.tensor.MaskedOptions;
import taper.tensor.Tensor;

/// Functions that look only at what a mask lets through.
public final class MaskedBindings {
  private MaskedBindings() {}

  private interface Reduction {
    Tensor apply(Tensor x, UnaryOperator<MaskedOptions> options);
  }

  private interface Along {
    Tensor apply(Tensor x, int dim, UnaryOperator<MaskedOptions> options);
  }

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    reduction(table, "sum", "sum", Masked::sum);
    reduction(table, "prod", "prod", Masked::prod);
    reduction(table, "amax", "amax", Masked::amax);
    reduction(table, "amin", "amin", Masked::amin);
    reduction(table, "argmax", "argmax", Masked::argmax);
    reduction(table, "argmin", "argmin", Masked::argmin);
    reduction(table, "mean", "mean", Masked::mean);
    reduction(table, "median", "median", Masked::median);
    reduction(table, "logsumexp", "logsumexp", Masked::logsumexp);
    for (String name : new String[] {"var", "std"}) {
      Reduction call = name.equals("var") ? Masked::var : Masked::std;
      table.bind(
          "masked." + name,
          "Masked." + name + "(x, o -> o.mask(mask).dim(dims).unbiased(true))",
          a -> {
            boolean unbiased = a.flag(2, "unbiased", false);
            return call.apply(a.self(), o -> options(a, 1, o).unbiased(unbiased));
          });
    }
    table.bind(
        "masked.norm",
        "Masked.norm(x, ord, o -> o.mask(mask).dim(dims))",
        a -> Masked.norm(a.self(), a.number(1, "ord", 2), o -> options(a, 2, o)));
    along(table, "cumsum", "cumsum", Masked::cumsum);
    along(table, "cumprod", "cumprod", Masked::cumprod);
    along(table, "softmax", "softmax", Masked::softmax);
    along(table, "log_softmax", "logSoftmax", Masked::logSoftmax);
    along(table, "softmin", "softmin", Masked::softmin);
    table.bind(
        "masked.normalize",
        "Masked.normalize(x, ord, dim, eps, o -> o.mask(mask))",
        a ->
            Masked.normalize(
                a.self(),
                a.number(1, "ord"),
                a.dim(2, "dim"),
                a.number(-1, "eps", 1e-12),
                o -> masked(a, o)));
    table.bind(
        "masked.logaddexp",
        "Masked.logaddexp(x, other, xMask, otherMask)",
        a ->
            Masked.logaddexp(
                a.self(),
                a.tensor(1, "other"),
                a.find(-1, "input_mask"),
                a.find(-1, "other_mask")));
  }

  private static void reduction(Bindings table, String torch, String ours, Reduction call) {
    table.bind(
        "masked." + torch,
        "Masked." + ours + "(x, o -> o.mask(mask).dim(dims).keepDim(true))",
        a -> call.apply(a.self(), o -> options(a, 1, o)));
  }

  private static void along(Bindings table, String torch, String ours, Along call) {
    table.bind(
        "masked." + torch,
        "Masked." + ours + "(x, dim, o -> o.mask(mask))",
        a -> call.apply(a.self(), a.dim(1, "dim"), o -> masked(a, o)));
  }

  private static MaskedOptions options(Arguments a, int position, MaskedOptions options) {
    MaskedOptions result = masked(a, options).keepDim(a.flag(-1, "keepdim", false));
    return a.has(position, "dim") ? result.dim(a.dims(position, "dim")) : result;
  }

  private static MaskedOptions masked(Arguments a, MaskedOptions options) {
    return options.mask(a.find(-1, "mask")).dtype(a.dtype(-1, "dtype"));
  }
}
