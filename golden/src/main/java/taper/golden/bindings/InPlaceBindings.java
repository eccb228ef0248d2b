package taper.golden.bindings;

import taper.golden.Bindings;
import taper.tensor.Tensor;

/// Methods that write into the tensor they are called on, where the sets have no cases of their own.
public final class InPlaceBindings {
  private InPlaceBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.bind(
        "scatter_",
        "scatter_(dim, index, source)",
        a ->
            a.value(3, "src") instanceof Tensor source
                ? a.self().scatter_(a.dim(1, "dim"), a.tensor(2, "index"), source)
                : a.self().scatter_(a.dim(1, "dim"), a.tensor(2, "index"), a.number(3, "value")));
    table.bind(
        "scatter_add_",
        "scatterAdd_(dim, index, source)",
        a -> a.self().scatterAdd_(a.dim(1, "dim"), a.tensor(2, "index"), a.tensor(3, "src")));
    table.bind(
        "index_add_",
        "indexAdd_(dim, index, source, alpha)",
        a ->
            a.self()
                .indexAdd_(
                    a.dim(1, "dim"),
                    a.tensor(2, "index"),
                    a.tensor(3, "source"),
                    a.number(-1, "alpha", 1)));
    table.bind(
        "index_copy_",
        "indexCopy_(dim, index, source)",
        a -> a.self().indexCopy_(a.dim(1, "dim"), a.tensor(2, "index"), a.tensor(3, "source")));
    table.bind(
        "index_fill_",
        "indexFill_(dim, index, value)",
        a -> a.self().indexFill_(a.dim(1, "dim"), a.tensor(2, "index"), a.number(3, "value")));
    table.bind(
        "index_put_",
        "indexPut_(indices, values, accumulate)",
        a ->
            a.self()
                .indexPut_(
                    a.tensors(1, "indices"),
                    a.tensor(2, "values"),
                    a.flag(3, "accumulate", false)));
  }
}
