package taper.golden.bindings;

import java.util.ArrayList;
import java.util.List;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.tensor.SearchOptions;
import taper.tensor.Sorting.Unique;
import taper.tensor.Tensor;
import taper.tensor.UniqueOptions;

/// Sorting, scans and statistics.
public final class SortingBindings {
  private SortingBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    addOrder(table);
    addDistinct(table);
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
        .note("Always sorted.");
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
}
