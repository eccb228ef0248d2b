package taper.golden.bindings;

import static taper.golden.bindings.CreationBindings.into;

import java.util.List;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.Combine;
import taper.tensor.Complex;
import taper.tensor.Tensor;

/// Reading and writing by index.
public final class IndexingBindings {
  private IndexingBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    reading(table);
    writing(table);
    table.precision(Precision.GENERAL);
    combining(table);
  }

  private static void reading(Bindings table) {
    table
        .bind("__getitem__", "get(index)", a -> a.self().get(a.index(1, "index")))
        .note(
            "`x[0, 1:5, None, ..., mask]` is `x.get(at(0), range(1, 5), newAxis(), ellipsis(),"
                + " of(mask))`");
    table.bind(
        "gather",
        "gather(dim, index)",
        a ->
            into(
                a,
                () -> {
                  a.flag(-1, "sparse_grad", false);
                  return a.self().gather(a.dim(1, "dim"), a.tensor(2, "index"));
                }));
    table.bind(
        "index_select",
        "indexSelect(dim, index)",
        a -> into(a, () -> a.self().indexSelect(a.dim(1, "dim"), a.tensor(2, "index"))));
    table.bind("take", "take(index)", a -> into(a, () -> a.self().take(a.tensor(1, "index"))));
    table.bind(
        "take_along_dim",
        "takeAlongDim(indices, dim)",
        a ->
            into(
                a,
                () ->
                    a.has(2, "dim")
                        ? a.self().takeAlongDim(a.tensor(1, "indices"), a.dim(2, "dim"))
                        : a.self().takeAlongDim(a.tensor(1, "indices"))));
    table.bind(
        "masked_select",
        "maskedSelect(mask)",
        a -> into(a, () -> a.self().maskedSelect(a.tensor(1, "mask"))));
    table.bind(
        "nonzero",
        "nonzero(), nonzeroTuple()",
        a -> a.flag(1, "as_tuple", false) ? (Object) a.self().nonzeroTuple() : a.self().nonzero());
    table.bind("argwhere", "argwhere()", a -> a.self().argwhere());
  }

  private static void writing(Bindings table) {
    table.bind(
        "__setitem__",
        "set(value, index)",
        a -> a.self().set(a.tensor(2, "value"), a.index(1, "index")));
    table
        .bind("scatter", "scatter(dim, index, source)", a -> scatter(a))
        .note("`reduce` takes `Combine.SUM` for `add` and `Combine.PROD` for `multiply`");
    table.bind(
        "index_copy",
        "indexCopy(dim, index, source)",
        a -> a.self().indexCopy(a.dim(1, "dim"), a.tensor(2, "index"), a.tensor(3, "source")));
    table.bind(
        "index_fill",
        "indexFill(dim, index, value)",
        a ->
            switch (a.value(3, "value")) {
              case Tensor value -> a.self().indexFill(a.dim(1, "dim"), a.tensor(2, "index"), value);
              case Complex value ->
                  a.self().indexFill(a.dim(1, "dim"), a.tensor(2, "index"), value);
              case null, default ->
                  a.self().indexFill(a.dim(1, "dim"), a.tensor(2, "index"), a.number(3, "value"));
            });
    table.bind(
        "index_put",
        "indexPut(indices, values, accumulate)",
        a ->
            a.self()
                .indexPut(
                    a.findTensors(1, "indices"),
                    a.tensor(2, "values"),
                    a.flag(3, "accumulate", false)));
    table.bind(
        "put",
        "put(index, source, accumulate)",
        a ->
            a.self()
                .put(a.tensor(1, "index"), a.tensor(2, "source"), a.flag(3, "accumulate", false)));
    table.bind(
        "masked_scatter",
        "maskedScatter(mask, source)",
        a -> a.self().maskedScatter(a.tensor(1, "mask"), a.tensor(2, "source")));
    table.bind("masked_fill", "maskedFill(mask, value)", a -> maskedFill(a));
  }

  private static Tensor maskedFill(Arguments a) {
    return switch (a.value(2, "value")) {
      case Tensor value -> a.self().maskedFill(a.tensor(1, "mask"), value);
      case Complex value -> a.self().maskedFill(a.tensor(1, "mask"), complex(value, a));
      case Long whole -> a.self().maskedFill(a.tensor(1, "mask"), whole);
      case null, default -> a.self().maskedFill(a.tensor(1, "mask"), a.number(2, "value"));
    };
  }

  private static Tensor complex(Complex value, Arguments a) {
    return Tensor.full(a.self().dtype(), value);
  }

  private static Tensor scatter(Arguments a) {
    int dim = a.dim(1, "dim");
    Tensor index = a.tensor(2, "index");
    Combine way =
        switch (a.text(-1, "reduce", "")) {
          case "add" -> Combine.SUM;
          case "multiply" -> Combine.PROD;
          case "" -> Combine.AMAX; // not used
          case String other -> Combine.of(other);
        };
    boolean combine = a.has(-1, "reduce");
    boolean named = a.has(-1, "value");
    if (named || !(a.value(3, "src") instanceof Tensor)) {
      double value = named ? a.number(-1, "value") : a.number(3, "src");
      return combine
          ? a.self().scatter(dim, index, value, way)
          : a.self().scatter(dim, index, value);
    }
    Tensor source = a.tensor(3, "src");
    return combine
        ? a.self().scatter(dim, index, source, way)
        : a.self().scatter(dim, index, source);
  }

  private static void combining(Bindings table) {
    table.bind(
        "scatter_add",
        "scatterAdd(dim, index, source)",
        a -> a.self().scatterAdd(a.dim(1, "dim"), a.tensor(2, "index"), a.tensor(3, "src")));
    table.bind(
        "scatter_reduce",
        "scatterReduce(dim, index, source, reduce, includeSelf)",
        a ->
            a.self()
                .scatterReduce(
                    a.dim(1, "dim"),
                    a.tensor(2, "index"),
                    a.tensor(3, "src"),
                    Combine.of(a.text(4, "reduce", "")),
                    a.flag(-1, "include_self", true)));
    table.bind(
        "index_add",
        "indexAdd(dim, index, source, alpha)",
        a ->
            a.self()
                .indexAdd(
                    a.dim(1, "dim"),
                    a.tensor(2, "index"),
                    a.tensor(3, "source"),
                    a.number(-1, "alpha", 1)));
    table.bind(
        "index_reduce",
        "indexReduce(dim, index, source, reduce, includeSelf)",
        a ->
            a.self()
                .indexReduce(
                    a.dim(1, "dim"),
                    a.tensor(2, "index"),
                    a.tensor(3, "source"),
                    Combine.of(a.text(4, "reduce", "")),
                    a.flag(-1, "include_self", true)));
    table
        .bind(
            "segment_reduce",
            "segmentReduce(reduce, lengths, axis, initial)",
            a -> segmentReduce(a))
        .note(
            "instead of `offsets`, `lengths` are their differences; always checked, as without"
                + " `unsafe`");
    inPlace(table);
  }

  private static Tensor segmentReduce(Arguments a) {
    Combine way =
        switch (a.text(1, "reduce", "")) {
          case "max" -> Combine.AMAX;
          case "min" -> Combine.AMIN;
          case String other -> Combine.of(other);
        };
    int axis = a.dim(-1, "axis", 0);
    boolean unsafe = a.flag(-1, "unsafe", false);
    Tensor offsets = a.find(-1, "offsets");
    Tensor lengths = offsets == null ? a.tensor(-1, "lengths") : differences(offsets);
    Double initial = a.findNumber(-1, "initial");
    Tensor x = a.self();
    if (unsafe
        && lengths.dim() == 1) { // PyTorch then passes over what lies behind the last segment
      x = x.narrow(axis, 0, lengths.sum().itemLong());
    }
    return initial == null
        ? x.segmentReduce(way, lengths, axis)
        : x.segmentReduce(way, lengths, axis, initial);
  }

  private static Tensor differences(Tensor offsets) {
    long count = offsets.size(-1) - 1;
    return offsets.narrow(-1, 1, count).sub(offsets.narrow(-1, 0, count));
  }

  private static void inPlace(Bindings table) {
    for (String name :
        List.of(
            "scatter_",
            "scatter_add_",
            "index_add_",
            "index_copy_",
            "index_fill_",
            "index_put_",
            "put_")) {
      table.say("Tensor." + name, ours(name));
    }
  }

  private static String ours(String name) {
    String[] words = name.substring(0, name.length() - 1).split("_");
    var result = new StringBuilder(words[0]);
    for (int i = 1; i < words.length; i++) {
      result.append(Character.toUpperCase(words[i].charAt(0))).append(words[i].substring(1));
    }
    return result + "_(…)";
  }
}
