package taper.golden.bindings;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.golden.MistypedCall;
import taper.tensor.DType;
import taper.tensor.Shape;
import taper.tensor.Tensor;

/// Shapes and views.
public final class ShapeBindings {
  private ShapeBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.ELEMENTWISE);
    views(table);
    pieces(table);
    joined(table);
    rearranged(table);
    diagonals(table);
  }

  private static void views(Bindings table) {
    for (String name : List.of("view", "Tensor.view")) {
      table.bind(
          name,
          "view(sizes), view(dtype)",
          a ->
              a.value(1, "dtype") instanceof DType dtype
                  ? a.self().view(dtype)
                  : a.self().view(a.longsFrom(1, "size")));
    }
    table.bind("view_as", "viewAs(other)", a -> a.self().viewAs(a.tensor(1, "other")));
    table.bind("reshape", "reshape(sizes)", a -> a.self().reshape(a.longsFrom(1, "shape")));
    table.bind("reshape_as", "reshapeAs(other)", a -> a.self().reshapeAs(a.tensor(1, "other")));
    table.bind(
        "flatten",
        "flatten(startDim, endDim)",
        a -> a.self().flatten(a.dim(1, "start_dim", 0), a.dim(2, "end_dim", -1)));
    table.bind(
        "unflatten",
        "unflatten(dim, sizes)",
        a -> a.self().unflatten(a.dim(1, "dim"), a.longs(2, "sizes")));
    table.bind("ravel", "ravel()", a -> a.self().ravel());
    for (String name : List.of("expand", "Tensor.expand")) {
      table.bind(name, "expand(sizes)", a -> a.self().expand(a.longsFrom(1, "size")));
    }
    table.bind("expand_as", "expandAs(other)", a -> a.self().expandAs(a.tensor(1, "other")));
    table.bind("broadcast_to", "broadcastTo(sizes)", a -> a.self().broadcastTo(a.longs(1, "size")));
    table.bind(
        "broadcast_tensors",
        "Tensor.broadcastTensors(tensors)",
        a -> Tensor.broadcastTensors(all(a).toArray(Tensor[]::new)));
    table.bind(
        "broadcast_shapes",
        "Tensor.broadcastShapes(shapes)",
        a -> {
          Shape[] shapes = new Shape[a.count()];
          for (int i = 0; i < shapes.length; i++) {
            shapes[i] = Shape.of(a.longs(i, "shape"));
          }
          return Tensor.broadcastShapes(shapes);
        });
    table.bind("sum_to_size", "sumToSize(sizes)", a -> a.self().sumToSize(a.longsFrom(1, "size")));
    table.bind(
        "transpose",
        "transpose(dim0, dim1)",
        a -> a.self().transpose(a.dim(1, "dim0"), a.dim(2, "dim1")));
    for (String name : List.of("swapaxes", "swapdims")) {
      table.bind(
          name, name + "(dim0, dim1)", a -> a.self().swapaxes(a.dim(1, "dim0"), a.dim(2, "dim1")));
    }
    table.bind("t", "t()", a -> a.self().t());
    table.bind("T", "T()", a -> a.self().T());
    table.bind("mT", "mT()", a -> a.self().mT());
    table.bind("permute", "permute(dims)", a -> a.self().permute(dimsFrom(a, 1, "dims")));
    for (String name : List.of("movedim", "moveaxis")) {
      table.bind(
          name,
          name + "(source, destination)",
          a -> a.self().movedim(a.dims(1, "source"), a.dims(2, "destination")));
    }
    table.bind(
        "squeeze",
        "squeeze(), squeeze(dims)",
        a -> a.has(1, "dim") ? a.self().squeeze(a.dims(1, "dim")) : a.self().squeeze());
    table.bind("unsqueeze", "unsqueeze(dim)", a -> a.self().unsqueeze(a.dim(1, "dim")));
    table.bind(
        "narrow",
        "narrow(dim, start, length)",
        a ->
            a.value(2, "start") instanceof Tensor start
                ? a.self().narrow(a.dim(1, "dim"), start, a.integer(3, "length"))
                : a.self().narrow(a.dim(1, "dim"), a.integer(2, "start"), a.integer(3, "length")));
    table.bind(
        "narrow_copy",
        "narrowCopy(dim, start, length)",
        a -> a.self().narrowCopy(a.dim(1, "dim"), a.integer(2, "start"), a.integer(3, "length")));
    table.bind(
        "select",
        "select(dim, index)",
        a -> a.self().select(a.dim(1, "dim"), a.integer(2, "index")));
    table.bind(
        "slice",
        "slice(dim, start, end, step)",
        a ->
            a.self()
                .slice(
                    a.dim(1, "dim", 0),
                    a.integer(2, "start", 0),
                    a.integer(3, "end", Long.MAX_VALUE),
                    a.integer(4, "step", 1)));
    table.bind(
        "unfold",
        "unfold(dim, size, step)",
        a -> a.self().unfold(a.dim(1, "dimension"), a.integer(2, "size"), a.integer(3, "step")));
    table.bind(
        "as_strided",
        "asStrided(sizes, strides, offset)",
        a -> {
          Tensor x = a.self();
          return x.asStrided(
              a.longs(1, "size"),
              a.longs(2, "stride"),
              a.integer(3, "storage_offset", x.storageOffset()));
        });
    table
        .bind("resize_", "resize_(sizes)", a -> a.self().clone().resize_(a.longsFrom(1, "size")))
        .note("views of the tensor keep the memory that they have");
    table.bind(
        "resize_as_",
        "resizeAs_(other)",
        a -> a.self().clone().resizeAs_(a.tensor(1, "the_template")));
    for (int rank = 1; rank <= 3; rank++) {
      int deep = rank;
      table.bind(
          "atleast_" + rank + "d",
          "atleast" + rank + "d()",
          a ->
              a.value(0, "input") instanceof List<?>
                  ? a.tensors(0, "tensors").stream().map(x -> atLeast(x, deep)).toList()
                  : a.count() > 1
                      ? all(a).stream().map(x -> atLeast(x, deep)).toList()
                      : atLeast(a.self(), deep));
    }
  }

  private static Tensor atLeast(Tensor x, int rank) {
    return switch (rank) {
      case 1 -> x.atleast1d();
      case 2 -> x.atleast2d();
      default -> x.atleast3d();
    };
  }

  /// The tensors of a call that takes a list, or any number of arguments.
  private static List<Tensor> all(Arguments a) {
    return a.value(0, "tensors") instanceof List<?> && a.count() == 1
        ? a.tensors(0, "tensors")
        : a.value(0, "tensors") instanceof List<?>
            ? Stream.concat(a.tensors(0, "tensors").stream(), a.tensorsFrom(1).stream()).toList()
            : a.tensorsFrom(0);
  }

  private static int[] dimsFrom(Arguments a, int position, String name) {
    return Arrays.stream(a.longsFrom(position, name)).mapToInt(Math::toIntExact).toArray();
  }

  private static void pieces(Bindings table) {
    table.bind(
        "split",
        "split(size, dim), split(sizes, dim)",
        a ->
            a.value(1, "split_size_or_sections") instanceof Long size
                ? a.self().split(size, a.dim(2, "dim", 0))
                : a.self().split(a.longs(1, "split_size_or_sections"), a.dim(2, "dim", 0)));
    table.bind(
        "split_with_sizes",
        "splitWithSizes(sizes, dim)",
        a -> a.self().splitWithSizes(a.longs(1, "split_sizes"), a.dim(2, "dim", 0)));
    table.bind(
        "chunk",
        "chunk(chunks, dim)",
        a -> a.self().chunk(Math.toIntExact(a.integer(1, "chunks")), a.dim(2, "dim", 0)));
    table.bind(
        "tensor_split",
        "tensorSplit(sections, dim), tensorSplit(indices, dim)",
        a ->
            switch (a.value(1, "indices_or_sections")) {
              case Long sections ->
                  a.self().tensorSplit(Math.toIntExact(sections), a.dim(2, "dim", 0));
              case Tensor tensor -> a.self().tensorSplit(tensor, a.dim(2, "dim", 0));
              case null, default ->
                  a.self().tensorSplit(a.longs(1, "indices_or_sections"), a.dim(2, "dim", 0));
            });
    table.bind(
        "hsplit",
        "hsplit(sections), hsplit(indices)",
        a ->
            a.value(1, "indices_or_sections") instanceof Long sections
                ? a.self().hsplit(Math.toIntExact(sections))
                : a.self().hsplit(a.longs(1, "indices_or_sections")));
    table.bind(
        "vsplit",
        "vsplit(sections), vsplit(indices)",
        a ->
            a.value(1, "indices_or_sections") instanceof Long sections
                ? a.self().vsplit(Math.toIntExact(sections))
                : a.self().vsplit(a.longs(1, "indices_or_sections")));
    table.bind(
        "dsplit",
        "dsplit(sections), dsplit(indices)",
        a ->
            a.value(1, "indices_or_sections") instanceof Long sections
                ? a.self().dsplit(Math.toIntExact(sections))
                : a.self().dsplit(a.longs(1, "indices_or_sections")));
    table.bind("unbind", "unbind(dim)", a -> a.self().unbind(a.dim(1, "dim", 0)));
  }

  private static void joined(Bindings table) {
    table.bind(
        "cat",
        "Tensor.cat(tensors, dim)",
        a ->
            CreationBindings.into(
                a, () -> Tensor.cat(a.tensors(0, "tensors"), a.dim(1, "dim", 0))));
    for (String name : List.of("concat", "concatenate")) {
      table.bind(
          name,
          "Tensor.cat(tensors, dim)",
          a -> Tensor.cat(a.tensors(0, "tensors"), a.dim(1, "dim", 0)));
    }
    table.bind(
        "stack",
        "Tensor.stack(tensors, dim)",
        a -> Tensor.stack(a.tensors(0, "tensors"), a.dim(1, "dim", 0)));
    table.bind("hstack", "Tensor.hstack(tensors)", a -> Tensor.hstack(a.tensors(0, "tensors")));
    table.bind("vstack", "Tensor.vstack(tensors)", a -> Tensor.vstack(a.tensors(0, "tensors")));
    table.bind(
        "row_stack", "Tensor.rowStack(tensors)", a -> Tensor.rowStack(a.tensors(0, "tensors")));
    table.bind("dstack", "Tensor.dstack(tensors)", a -> Tensor.dstack(a.tensors(0, "tensors")));
    table.bind(
        "column_stack",
        "Tensor.columnStack(tensors)",
        a -> Tensor.columnStack(a.tensors(0, "tensors")));
    table.bind(
        "block_diag",
        "Tensor.blockDiag(tensors)",
        a -> Tensor.blockDiag(all(a).toArray(Tensor[]::new)));
    table.bind(
        "cartesian_prod",
        "Tensor.cartesianProd(vectors)",
        a -> Tensor.cartesianProd(all(a).toArray(Tensor[]::new)));
    table.bind(
        "combinations",
        "combinations(r, withReplacement)",
        a ->
            a.self()
                .combinations(
                    Math.toIntExact(a.integer(1, "r", 2)), a.flag(2, "with_replacement", false)));
    table.bind(
        "meshgrid",
        "Tensor.meshgrid(indexing, vectors)",
        a -> Tensor.meshgrid(a.text(-1, "indexing", "ij"), all(a).toArray(Tensor[]::new)));
  }

  private static void rearranged(Bindings table) {
    table.bind("repeat", "repeat(repeats)", a -> a.self().repeat(a.longsFrom(1, "repeats")));
    table.bind("tile", "tile(repeats)", a -> a.self().tile(a.longsFrom(1, "dims")));
    table.bind(
        "repeat_interleave",
        "repeatInterleave(repeats, dim, outputSize)",
        a -> repeatInterleave(a));
    table.bind("flip", "flip(dims)", a -> a.self().flip(dimsFrom(a, 1, "dims")));
    table.bind("fliplr", "fliplr()", a -> a.self().fliplr());
    table.bind("flipud", "flipud()", a -> a.self().flipud());
    table.bind(
        "roll",
        "roll(shifts, dims)",
        a -> {
          long[] shifts = a.longs(1, "shifts");
          int[] dims = a.findDims(2, "dims");
          return dims == null && shifts.length == 1
              ? a.self().roll(shifts[0])
              : a.self().roll(shifts, dims == null ? new int[0] : dims);
        });
    table.bind(
        "rot90",
        "rot90(k, dim0, dim1)",
        a -> {
          int[] dims = a.has(2, "dims") ? a.dims(2, "dims") : new int[] {0, 1};
          if (dims.length != 2) {
            throw new MistypedCall("rot90 takes two dimensions");
          }
          return a.self().rot90(a.integer(1, "k", 1), dims[0], dims[1]);
        });
    table.bind("triu", "triu(diagonal)", a -> a.self().triu(a.integer(1, "diagonal", 0)));
    table.bind("tril", "tril(diagonal)", a -> a.self().tril(a.integer(1, "diagonal", 0)));
  }

  private static Tensor repeatInterleave(Arguments a) {
    Object repeats = a.value(1, "repeats");
    Long size = a.findInteger(-1, "output_size");
    if (repeats == null) {
      return a.self().repeatInterleave();
    }
    if (repeats instanceof Tensor each) {
      if (!a.has(2, "dim")) {
        return a.self().repeatInterleave(each);
      }
      return size == null
          ? a.self().repeatInterleave(each, a.dim(2, "dim"))
          : a.self().repeatInterleave(each, a.dim(2, "dim"), size);
    }
    return a.has(2, "dim")
        ? a.self().repeatInterleave(a.integer(1, "repeats"), a.dim(2, "dim"))
        : a.self().repeatInterleave(a.integer(1, "repeats"));
  }

  private static void diagonals(Bindings table) {
    table.bind("diag", "diag(diagonal)", a -> a.self().diag(a.integer(1, "diagonal", 0)));
    table.bind("diagflat", "diagflat(offset)", a -> a.self().diagflat(a.integer(1, "offset", 0)));
    table.bind(
        "diag_embed",
        "diagEmbed(offset, dim1, dim2)",
        a ->
            a.self()
                .diagEmbed(a.integer(1, "offset", 0), a.dim(2, "dim1", -2), a.dim(3, "dim2", -1)));
    for (String name : List.of("diagonal", "linalg.diagonal")) {
      int first = name.equals("diagonal") ? 0 : -2;
      table.bind(
          name,
          "diagonal(offset, dim1, dim2)",
          a ->
              a.self()
                  .diagonal(
                      a.integer(1, "offset", 0),
                      a.dim(2, "dim1", first),
                      a.dim(3, "dim2", first + 1)));
    }
    table.bind(
        "diagonal_scatter",
        "diagonalScatter(source, offset, dim1, dim2)",
        a ->
            a.self()
                .diagonalScatter(
                    a.tensor(1, "src"),
                    a.integer(2, "offset", 0),
                    a.dim(3, "dim1", 0),
                    a.dim(4, "dim2", 1)));
    table.bind(
        "select_scatter",
        "selectScatter(source, dim, index)",
        a -> a.self().selectScatter(a.tensor(1, "src"), a.dim(2, "dim"), a.integer(3, "index")));
    table.bind(
        "slice_scatter",
        "sliceScatter(source, dim, start, end, step)",
        a ->
            a.self()
                .sliceScatter(
                    a.tensor(1, "src"),
                    a.dim(2, "dim", 0),
                    a.integer(3, "start", 0),
                    a.integer(4, "end", Long.MAX_VALUE),
                    a.integer(5, "step", 1)));
    table.bind(
        "as_strided_scatter",
        "asStridedScatter(source, sizes, strides, offset)",
        a -> {
          Tensor x = a.self();
          return x.asStridedScatter(
              a.tensor(1, "src"),
              a.longs(2, "size"),
              a.longs(3, "stride"),
              a.integer(4, "storage_offset", x.storageOffset()));
        });
  }
}
