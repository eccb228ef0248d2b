package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.Elements;
import taper.tensor.internal.ReferenceShapes;
import taper.tensor.spi.AlongDims;
import taper.tensor.spi.Strided;

/// Views and rearrangements: the same elements in another shape.
public sealed interface Shapes permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the same memory with other sizes; one size may be -1 and follows from the rest.
  ///
  /// @throws ShapeException if the number of elements differs, or the strides do not allow it
  default Tensor view(long... sizes) {
    return Operators.VIEW.on(new Sizes(sizes), self());
  }

  /// Returns the elements with other sizes: a view where possible, else a copy. One size may be -1.
  ///
  /// @throws ShapeException if the number of elements differs
  default Tensor reshape(long... sizes) {
    long[] full = Views.inferred("reshape", sizes, self().numel(), self().sizes());
    return Views.reshaped(self().data(), full) != null ? view(full) : self().clone().view(full);
  }

  /// Returns the elements with the sizes of `other`: a view where possible, else a copy.
  default Tensor reshapeAs(Tensor other) {
    return reshape(other.sizes());
  }

  /// Returns the same memory with the sizes of `other`.
  default Tensor viewAs(Tensor other) {
    return view(other.sizes());
  }

  /// Returns all elements in one dimension: a view where possible, else a copy.
  default Tensor flatten() {
    return flatten(0, -1);
  }

  /// Returns the elements with dimensions `startDim` to the last as one; a view where possible, else a copy.
  default Tensor flatten(int startDim) {
    return flatten(startDim, -1);
  }

  /// Returns the elements with dimensions `startDim` to `endDim`, both included, as one: a view where possible, else a
  /// copy.
  ///
  /// - Shape: `[a b c d] -> [a b·c d]` for 1 and 2; a tensor of rank 0 becomes one of rank 1
  ///
  /// @throws ArgumentException if `startDim` comes after `endDim`, or there is no such dimension
  default Tensor flatten(int startDim, int endDim) {
    int rank = self().dim();
    int from = Checks.dim("flatten", startDim, rank);
    int to = Checks.dim("flatten", endDim, rank);
    if (from > to) {
      throw new ArgumentException(
          "flatten: startDim must not come after endDim, but they are %d and %d."
              .formatted(startDim, endDim));
    }
    return rank > 0 && from == to ? self() : reshape(Views.flattened(self().sizes(), from, to));
  }

  /// Returns a view with dimension `dim` cut into dimensions of `sizes`, of which one may be -1.
  ///
  /// @throws ShapeException if their product is not the size of `dim`
  default Tensor unflatten(int dim, long... sizes) {
    int at = Checks.dim("unflatten", dim, self().dim());
    return view(Views.unflattened(self().sizes(), at, sizes));
  }

  /// Returns a view in which dimensions of size 1 are repeated up to `sizes`; -1 keeps a size.
  ///
  /// @throws ShapeException if another dimension would have to change
  default Tensor expand(long... sizes) {
    return Arrays.equals(self().sizesInternal(), sizes)
        ? self()
        : Operators.EXPAND.on(new Sizes(sizes), self());
  }

  /// Returns a view expanded to the sizes of `other`.
  default Tensor expandAs(Tensor other) {
    return expand(other.sizes());
  }

  /// Returns a view with two dimensions exchanged.
  default Tensor transpose(int dim0, int dim1) {
    int rank = self().dim();
    return Operators.TRANSPOSE.on(
        new Transpose(Checks.dim("transpose", dim0, rank), Checks.dim("transpose", dim1, rank)),
        self());
  }

  /// Returns a view with the dimensions in another order.
  ///
  /// @throws ArgumentException if `dims` does not name every dimension once
  default Tensor permute(int... dims) {
    return Operators.PERMUTE.on(new Dims(Views.permutation(dims, self())), self());
  }

  /// Returns a view with dimension `source` moved to place `destination`; the others keep their order.
  default Tensor movedim(int source, int destination) {
    return movedim(new int[] {source}, new int[] {destination});
  }

  /// Returns a view with dimensions `source` moved to places `destination`; the others keep their order.
  ///
  /// @throws ArgumentException if a dimension is named twice or the numbers of dimensions differ
  default Tensor movedim(int[] source, int[] destination) {
    return permute(Views.moved(source, destination, self().dim()));
  }

  /// Returns a view without the dimensions of size 1.
  default Tensor squeeze() {
    return squeeze(IntStream.range(0, self().dim()).toArray());
  }

  /// Returns a view without those of dimensions `dims` that have size 1.
  default Tensor squeeze(int... dims) {
    return Operators.SQUEEZE.on(new Dims(Views.removable(dims, self())), self());
  }

  /// Returns a view with a new dimension of size 1 at `dim`.
  ///
  /// - Shape: `[a b] -> [a 1 b]` for 1; -1 adds it at the end
  default Tensor unsqueeze(int dim) {
    return Operators.UNSQUEEZE.on(
        new ResultDim(Checks.dim("unsqueeze", dim, self().dim() + 1)), self());
  }

  /// Returns a view of `length` indices of dimension `dim`, from `start` on; a negative `start` counts from the end.
  ///
  /// @throws ArgumentException if they do not lie inside the dimension
  default Tensor narrow(int dim, long start, long length) {
    int at = Views.existing("narrow", dim, self());
    long size = self().size(at);
    long from = start < 0 ? start + size : start;
    if (length < 0 || from < 0 || length > size - from) {
      throw new ArgumentException(
          "narrow: start and length must lie inside dimension %d, but start %d and length %d exceed its size %d in shape %s."
              .formatted(at, start, length, size, self().shape()));
    }
    return Operators.SLICE.on(new Slice(at, from, length, 1), self());
  }

  /// Returns a view of index `index` of dimension `dim`, which goes away; a negative index counts from the end.
  ///
  /// - Shape: `[a b c] -> [a c]` for dimension 1
  ///
  /// @throws ArgumentException if the index lies outside
  default Tensor select(int dim, long index) {
    int at = Views.existing("select", dim, self());
    return Operators.SELECT.on(
        new Select(at, Views.index("select", index, at, self().sizesInternal())), self());
  }

  /// Returns views of pieces of `size` indices of dimension 0; the last may be smaller.
  default List<Tensor> split(long size) {
    return split(size, 0);
  }

  /// Returns views of pieces of `size` indices of dimension `dim`; the last may be smaller.
  ///
  /// @throws ArgumentException if `size` is not positive
  default List<Tensor> split(long size, int dim) {
    int at = Views.existing("split", dim, self());
    return split(Views.pieces("split", size, self().size(at)), at);
  }

  /// Returns views of pieces of `sizes` indices of dimension `dim`.
  ///
  /// @throws ShapeException if the sizes do not add up to that of the dimension
  default List<Tensor> split(long[] sizes, int dim) {
    return Views.split(self(), sizes, Views.existing("split", dim, self()));
  }

  /// Returns views of at most `chunks` equal pieces of dimension `dim`; the last may be smaller.
  ///
  /// @throws ArgumentException if `chunks` is not positive
  default List<Tensor> chunk(int chunks, int dim) {
    int at = Views.existing("chunk", dim, self());
    return split(Views.chunks(chunks, self().size(at)), at);
  }

  /// Returns views of every index of dimension 0, which goes away.
  default List<Tensor> unbind() {
    return unbind(0);
  }

  /// Returns views of every index of dimension `dim`, which goes away.
  default List<Tensor> unbind(int dim) {
    int at = Views.existing("unbind", dim, self());
    Views.countable("unbind", self().size(at));
    return Views.severalOf(
        LongStream.range(0, self().size(at)).mapToObj(i -> select(at, i)).toList());
  }

  /// Returns a view of the diagonal of the first two dimensions.
  default Tensor diagonal() {
    return diagonal(0, 0, 1);
  }

  /// Returns a view of a diagonal of dimensions `dim1` and `dim2`, which becomes the last dimension.
  ///
  /// - Shape: `[a b c] -> [b min(a, c)]` for dimensions 0 and 2
  ///
  /// @param offset 0 for the main diagonal, positive ones lie above it, negative ones below
  /// @throws ArgumentException if both dimensions are the same
  default Tensor diagonal(long offset, int dim1, int dim2) {
    int first = Views.existing("diagonal", dim1, self());
    int second = Views.existing("diagonal", dim2, self());
    if (first == second) {
      throw new ArgumentException(
          "diagonal: dim1 and dim2 must differ, but are %d and %d.".formatted(dim1, dim2));
    }
    return Operators.DIAGONAL.on(new Diagonal(offset, first, second), self());
  }

  /// Returns this tensor if it is contiguous, else a contiguous copy.
  default Tensor contiguous() {
    return self().isContiguous() ? self() : self().clone();
  }

  /// Returns a view with any sizes and strides of the memory behind this tensor, which begins at element `offset` of that
  /// memory.
  ///
  /// @param strides in elements, not negative
  /// @param offset from the beginning of the memory, in elements; see [Tensor#storageOffset()]
  /// @throws ArgumentException if a stride is negative, or the view would reach beyond the memory
  default Tensor asStrided(long[] sizes, long[] strides, long offset) {
    Views.checkInside("asStrided", sizes, strides, offset, self());
    var part = new AsStrided(sizes.clone(), strides.clone(), offset - self().storageOffset());
    return Operators.AS_STRIDED.on(new Restride(part, self().strides()), self());
  }

  /// Returns the matrices with all elements below a diagonal set to 0.
  ///
  /// - Shape: `[*b n m] -> [*b n m]`
  ///
  /// @param diagonal 0 for the main diagonal, positive ones lie above it
  default Tensor triu(long diagonal) {
    return Operators.TRIU.on(Views.triangle(diagonal), self());
  }

  /// Returns the matrices with all elements below the main diagonal set to 0.
  default Tensor triu() {
    return triu(0);
  }

  /// Returns the matrices with all elements above a diagonal set to 0.
  ///
  /// - Shape: `[*b n m] -> [*b n m]`
  ///
  /// @param diagonal 0 for the main diagonal, positive ones lie above it
  default Tensor tril(long diagonal) {
    return Operators.TRIL.on(Views.triangle(diagonal), self());
  }

  /// Returns the matrices with all elements above the main diagonal set to 0.
  default Tensor tril() {
    return tril(0);
  }

  /// Returns copies of the tensor side by side, `repeats[d]` times along dimension `d`.
  ///
  /// - Shape: `[a b] -> [2 3·a 4·b]` for 2, 3 and 4
  ///
  /// @throws ArgumentException if there are fewer numbers than dimensions, or one is negative
  default Tensor repeat(long... repeats) {
    return Operators.REPEAT.on(new Sizes(Views.repeats(repeats, self())), self());
  }

  /// Returns a copy with every element repeated `repeats` times along `dim`.
  default Tensor repeatInterleave(long repeats, int dim) {
    int at = Views.existing("repeatInterleave", dim, self());
    if (repeats < 0) {
      throw new ArgumentException(
          "repeatInterleave: repeats must not be negative, but is %d.".formatted(repeats));
    }
    long[] sizes = self().sizes();
    long[] wide = Arrays.copyOf(self().unsqueeze(at + 1).sizes(), sizes.length + 1);
    wide[at + 1] = repeats;
    sizes[at] *= repeats;
    return self().unsqueeze(at + 1).expand(wide).reshape(sizes);
  }

  /// Returns a copy with the indices of dimensions `dims` in reverse order.
  default Tensor flip(int... dims) {
    return Operators.FLIP.on(new Dims(Views.different("flip", dims, self())), self());
  }

  /// Returns a copy with all elements shifted by `shift` in row-major order; what leaves at the end enters at the
  /// beginning.
  default Tensor roll(long shift) {
    return flatten().roll(shift, 0).view(self().sizes());
  }

  /// Returns a copy with the indices of dimension `dim` shifted up by `shift`; what leaves at the end enters at the
  /// beginning.
  default Tensor roll(long shift, int dim) {
    return roll(new long[] {shift}, new int[] {dim});
  }

  /// Returns a copy with the indices of dimensions `dims` shifted up by `shifts`.
  ///
  /// @throws ArgumentException if the numbers of shifts and dimensions differ
  default Tensor roll(long[] shifts, int... dims) {
    return Operators.ROLL.on(Views.roll(shifts, dims, self()), self());
  }

  // More views

  /// Returns a view with the dimensions in reverse order; of a matrix, its transpose.
  default Tensor T() {
    int rank = self().dim();
    return permute(IntStream.range(0, rank).map(d -> rank - 1 - d).toArray());
  }

  /// Returns a view with two dimensions exchanged: [#transpose(int, int)] under another name.
  default Tensor swapaxes(int axis0, int axis1) {
    return transpose(axis0, axis1);
  }

  /// Returns a view with two dimensions exchanged: [#transpose(int, int)] under another name.
  default Tensor swapdims(int dim0, int dim1) {
    return transpose(dim0, dim1);
  }

  /// Returns a view with dimension `source` moved to place `destination`: [#movedim(int, int)] under another name.
  default Tensor moveaxis(int source, int destination) {
    return movedim(source, destination);
  }

  /// Returns a view with dimensions `source` moved to places `destination`: [#movedim(int[], int[])] under another name.
  default Tensor moveaxis(int[] source, int[] destination) {
    return movedim(source, destination);
  }

  /// Returns all elements in one dimension: a view where possible, else a copy.
  default Tensor ravel() {
    return self().contiguous().reshape(-1);
  }

  /// Returns a view expanded to `sizes`: [#expand(long...)] under PyTorch's other name.
  default Tensor broadcastTo(long... sizes) {
    return expand(sizes);
  }

  /// Returns the tensor with at least 1 dimension, as a view.
  ///
  /// - Shape: `[] -> [1]`; others stay
  default Tensor atleast1d() {
    return self().dim() == 0 ? reshape(1) : self();
  }

  /// Returns the tensor with at least 2 dimensions, as a view.
  ///
  /// - Shape: `[] -> [1 1]`, `[n] -> [1 n]`; others stay
  default Tensor atleast2d() {
    return switch (self().dim()) {
      case 0 -> reshape(1, 1);
      case 1 -> unsqueeze(0);
      default -> self();
    };
  }

  /// Returns the tensor with at least 3 dimensions, as a view.
  ///
  /// - Shape: `[] -> [1 1 1]`, `[n] -> [1 n 1]`, `[n m] -> [n m 1]`; others stay
  default Tensor atleast3d() {
    return switch (self().dim()) {
      case 0 -> reshape(1, 1, 1);
      case 1 -> unsqueeze(0).unsqueeze(-1);
      case 2 -> unsqueeze(-1);
      default -> self();
    };
  }

  /// Returns a view of windows of `size` indices of dimension `dim`, `step` apart; they become the last dimension.
  ///
  /// - Shape: `[a b] -> [n b size]` for dimension 0, with `n = (a - size) / step + 1`
  ///
  /// @throws ArgumentException if `size` is negative or larger than the dimension, or `step` is not positive
  default Tensor unfold(int dim, long size, long step) {
    int at = Checks.dim("unfold", dim, self().dim());
    long whole = self().dim() == 0 ? 1 : self().size(at);
    if (size < 0 || size > whole || step < 1) {
      throw new ArgumentException(
          "unfold: size must be in 0..%d and step positive for dimension %d of shape %s, but they are %d and %d."
              .formatted(whole, at, self().shape(), size, step));
    }
    return Operators.UNFOLD.on(new Unfold(at, size, step), self());
  }

  /// Returns the memory read as elements of another type, as a view. Where the sizes of the elements differ, the last
  /// dimension becomes longer or shorter. No gradient flows through it.
  ///
  /// - Shape: `[a b] -> [a 2·b]` from `float64` to `float32`
  ///
  /// @throws ShapeException if the elements of the last dimension do not make whole elements of the new type, or do not
  ///     lie next to each other
  default Tensor view(DType dtype) {
    return dtype == self().dtype()
        ? view(self().sizes())
        : Operators.VIEW_AS_TYPE.on(new As(dtype), self());
  }

  /// Returns a view of `length` indices of dimension `dim`, from the one element of `start` on.
  ///
  /// @throws ArgumentException if they do not lie inside the dimension, or `start` is no whole number
  default Tensor narrow(int dim, Tensor start, long length) {
    if (start.dim() != 0 || !start.dtype().isIntegral()) {
      throw new ArgumentException(
          "narrow: start must be a whole number, a tensor of rank 0, but is a %s tensor of shape %s."
              .formatted(start.dtype(), start.shape()));
    }
    return narrow(dim, start.itemLong(), length);
  }

  /// Returns a copy of `length` indices of dimension `dim`, from `start` on.
  ///
  /// @throws ArgumentException if they do not lie inside the dimension
  default Tensor narrowCopy(int dim, long start, long length) {
    return narrow(dim, start, length).clone();
  }

  /// Returns every `step`-th index of dimension `dim` from `start` to `end`, which is excluded, as a view. Bounds count
  /// from the end if they are negative, and are moved to the ends of the dimension if they lie beyond.
  ///
  /// @throws ArgumentException if `step` is not positive
  default Tensor slice(int dim, long start, long end, long step) {
    return Operators.SLICE.on(Views.slice("slice", dim, start, end, step, self()), self());
  }

  // Pieces

  /// Returns views of pieces of `sizes` indices of dimension 0.
  ///
  /// @throws ShapeException if the sizes do not add up to that of the dimension
  default List<Tensor> splitWithSizes(long... sizes) {
    return split(sizes, 0);
  }

  /// Returns views of pieces of `sizes` indices of dimension `dim`.
  ///
  /// @throws ShapeException if the sizes do not add up to that of the dimension
  default List<Tensor> splitWithSizes(long[] sizes, int dim) {
    return split(sizes, dim);
  }

  /// Returns views of at most `chunks` equal pieces of dimension 0; the last may be smaller.
  default List<Tensor> chunk(int chunks) {
    return chunk(chunks, 0);
  }

  /// Returns views of exactly `sections` pieces of dimension 0; the first ones are larger by one if they cannot be equal.
  default List<Tensor> tensorSplit(int sections) {
    return tensorSplit(sections, 0);
  }

  /// Returns views of exactly `sections` pieces of dimension `dim`; the first ones are larger by one if they cannot be
  /// equal.
  ///
  /// @throws ArgumentException if `sections` is not positive
  default List<Tensor> tensorSplit(int sections, int dim) {
    return Arrangements.sections("tensorSplit", self(), sections, dim);
  }

  /// Returns views of the pieces of dimension `dim` before, between and after `indices`.
  ///
  /// - Shape: `[5] -> [2], [1], [2]` for the indices 2 and 3
  default List<Tensor> tensorSplit(long[] indices, int dim) {
    return Arrangements.between("tensorSplit", self(), indices, dim);
  }

  /// Returns views of pieces of dimension `dim`: of equal ones if `indicesOrSections` has rank 0, else of those before,
  /// between and after the indices.
  ///
  /// @throws ShapeException if it has more than 1 dimension
  /// @throws DTypeException if it is not `int64`
  default List<Tensor> tensorSplit(Tensor indicesOrSections, int dim) {
    return Arrangements.split(self(), indicesOrSections, dim);
  }

  /// Returns views of `sections` equal pieces side by side: of dimension 1, or 0 of a vector.
  ///
  /// @throws ShapeException if the tensor has no dimension, or its size is no multiple of `sections`
  default List<Tensor> hsplit(int sections) {
    return Arrangements.equalSections("hsplit", self(), sections, 1, self().dim() == 1 ? 0 : 1);
  }

  /// Returns views of the pieces side by side before, between and after `indices`.
  ///
  /// @throws ShapeException if the tensor has no dimension
  default List<Tensor> hsplit(long[] indices) {
    return Arrangements.between(
        "hsplit", Arrangements.deep("hsplit", self(), 1), indices, self().dim() == 1 ? 0 : 1);
  }

  /// Returns views of `sections` equal pieces below each other: of dimension 0.
  ///
  /// @throws ShapeException if the tensor has fewer than 2 dimensions, or its size is no multiple of `sections`
  default List<Tensor> vsplit(int sections) {
    return Arrangements.equalSections("vsplit", self(), sections, 2, 0);
  }

  /// Returns views of the pieces below each other before, between and after `indices`.
  ///
  /// @throws ShapeException if the tensor has fewer than 2 dimensions
  default List<Tensor> vsplit(long[] indices) {
    return Arrangements.between("vsplit", Arrangements.deep("vsplit", self(), 2), indices, 0);
  }

  /// Returns views of `sections` equal pieces behind each other: of dimension 2.
  ///
  /// @throws ShapeException if the tensor has fewer than 3 dimensions, or its size is no multiple of `sections`
  default List<Tensor> dsplit(int sections) {
    return Arrangements.equalSections("dsplit", self(), sections, 3, 2);
  }

  /// Returns views of the pieces behind each other before, between and after `indices`.
  ///
  /// @throws ShapeException if the tensor has fewer than 3 dimensions
  default List<Tensor> dsplit(long[] indices) {
    return Arrangements.between("dsplit", Arrangements.deep("dsplit", self(), 3), indices, 2);
  }

  // Repetition and rotation

  /// Returns copies of the tensor side by side, `repeats` counted from the last dimension; missing ones are 1.
  ///
  /// - Shape: `[a b] -> [a 3·b]` for 3
  default Tensor tile(long... repeats) {
    return repeat(Arrangements.padded(repeats, self().dim()));
  }

  /// Returns all elements in one dimension, each repeated `repeats` times.
  default Tensor repeatInterleave(long repeats) {
    return flatten().repeatInterleave(repeats, 0);
  }

  /// Returns all elements in one dimension, element `i` repeated `repeats[i]` times.
  ///
  /// @throws ShapeException if there is neither one number nor one for each element
  default Tensor repeatInterleave(Tensor repeats) {
    return flatten().repeatInterleave(repeats, 0);
  }

  /// Returns a copy with index `i` of dimension `dim` repeated `repeats[i]` times.
  ///
  /// @param repeats a vector of whole numbers, as long as the dimension, or with one element
  /// @throws ShapeException if it has another length
  /// @throws ArgumentException if a number is negative
  default Tensor repeatInterleave(Tensor repeats, int dim) {
    return Arrangements.repeatInterleave(self(), repeats, dim, -1);
  }

  /// As [#repeatInterleave(Tensor, int)], with the sum of `repeats` known beforehand.
  ///
  /// @throws ShapeException if `outputSize` is not the sum
  default Tensor repeatInterleave(Tensor repeats, int dim, long outputSize) {
    return Arrangements.repeatInterleave(self(), repeats, dim, outputSize);
  }

  /// Returns each index of this vector of numbers, as often as its number says: 0, 0, 2 for 2, 0 and 1.
  ///
  /// @throws ShapeException if this is no vector
  /// @throws DTypeException if the numbers are neither `int64` nor `int32`
  /// @throws ArgumentException if one is negative
  default Tensor repeatInterleave() {
    return Arrangements.repeatedIndices(self(), -1);
  }

  /// Returns all choices of `r` different elements of this vector, one in each row.
  ///
  /// - Shape: `[n] -> [k r]`
  ///
  /// @throws ShapeException if this is no vector
  /// @throws ArgumentException if `r` is negative
  default Tensor combinations(int r) {
    return combinations(r, false);
  }

  /// Returns all choices of `r` elements of this vector, one in each row.
  ///
  /// @param withReplacement whether an element may be chosen again
  default Tensor combinations(int r, boolean withReplacement) {
    return Arrangements.combinations(self(), r, withReplacement);
  }

  /// Returns a copy with the order of columns reversed: dimension 1.
  ///
  /// @throws ShapeException if there are fewer than 2 dimensions
  default Tensor fliplr() {
    return Arrangements.deep("fliplr", self(), 2).flip(1);
  }

  /// Returns a copy with the order of rows reversed: dimension 0.
  ///
  /// @throws ShapeException if there is no dimension
  default Tensor flipud() {
    return Arrangements.deep("flipud", self(), 1).flip(0);
  }

  /// Returns the tensor turned by 90 degrees, from dimension 0 towards dimension 1.
  default Tensor rot90() {
    return rot90(1, 0, 1);
  }

  /// Returns the tensor turned `k` times by 90 degrees, from dimension `dim0` towards dimension `dim1`; the other way
  /// round if `k` is negative.
  ///
  /// @throws ShapeException if there are fewer than 2 dimensions
  /// @throws ArgumentException if both dimensions are the same
  default Tensor rot90(long k, int dim0, int dim1) {
    return Arrangements.rot90(self(), k, dim0, dim1);
  }

  // Diagonals

  /// Returns a view of a diagonal of the first two dimensions.
  default Tensor diagonal(long offset) {
    return diagonal(offset, 0, 1);
  }

  /// Returns the main diagonal of a matrix, or a matrix with this vector on its diagonal.
  default Tensor diag() {
    return diag(0);
  }

  /// Returns a copy of a diagonal of a matrix, or a square matrix with this vector on that diagonal and zeros elsewhere.
  ///
  /// - Shape: `[n m] -> [min(n, m)]`, `[n] -> [n n]` for diagonal 0
  ///
  /// @param diagonal 0 for the main diagonal, positive ones lie above it
  /// @throws ShapeException if there are neither 1 nor 2 dimensions
  default Tensor diag(long diagonal) {
    return switch (self().dim()) {
      case 1 -> diagEmbed(diagonal, 0, 1);
      case 2 -> diagonal(diagonal, 0, 1).clone();
      default ->
          throw new ShapeException(
              "diag: there must be 1 or 2 dimensions, but self has shape %s. See diagonal and diagEmbed."
                  .formatted(self().shape()));
    };
  }

  /// Returns a square matrix with all elements on its main diagonal and zeros elsewhere.
  default Tensor diagflat() {
    return diagflat(0);
  }

  /// Returns a square matrix with all elements on a diagonal and zeros elsewhere.
  ///
  /// @param offset 0 for the main diagonal, positive ones lie above it
  default Tensor diagflat(long offset) {
    return flatten().diagEmbed(offset, 0, 1);
  }

  /// Returns square matrices with the vectors of the last dimension on their diagonals and zeros elsewhere.
  ///
  /// - Shape: `[*b n] -> [*b n n]`
  default Tensor diagEmbed() {
    return diagEmbed(0, -2, -1);
  }

  /// Returns matrices in dimensions `dim1` and `dim2` of the result, with the vectors of the last dimension on a diagonal
  /// and zeros elsewhere.
  ///
  /// @param offset 0 for the main diagonal, positive ones lie above it
  /// @throws ArgumentException if both dimensions are the same
  default Tensor diagEmbed(long offset, int dim1, int dim2) {
    return Operators.DIAG_EMBED.on(Arrangements.embedding(self(), offset, dim1, dim2), self());
  }

  // Copies with a part replaced

  /// Returns a copy with `source` in the place of [#diagonal(long, int, int)].
  ///
  /// @throws ShapeException if `source` has another shape than the diagonal
  default Tensor diagonalScatter(Tensor source, long offset, int dim1, int dim2) {
    Tensor part = diagonal(offset, dim1, dim2);
    return Arrangements.replaced("diagonalScatter", self(), part, source);
  }

  /// Returns a copy with `source` on the main diagonal of the first two dimensions.
  default Tensor diagonalScatter(Tensor source) {
    return diagonalScatter(source, 0, 0, 1);
  }

  /// Returns a copy with `source` in the place of [#select(int, long)].
  ///
  /// @throws ShapeException if `source` has another shape than that part
  default Tensor selectScatter(Tensor source, int dim, long index) {
    return Arrangements.replaced("selectScatter", self(), select(dim, index), source);
  }

  /// Returns a copy with `source` in the place of [#slice(int, long, long, long)].
  ///
  /// @throws ShapeException if `source` has another shape than that part
  default Tensor sliceScatter(Tensor source, int dim, long start, long end, long step) {
    return Arrangements.replaced("sliceScatter", self(), slice(dim, start, end, step), source);
  }

  /// Returns a copy with `source` in the place of [#asStrided(long[], long[], long)].
  ///
  /// @throws ShapeException if `source` has other sizes
  default Tensor asStridedScatter(Tensor source, long[] sizes, long[] strides, long offset) {
    return Arrangements.replaced(
        "asStridedScatter", self(), asStrided(sizes, strides, offset), source);
  }

  /// As [#asStridedScatter(Tensor, long[], long[], long)], beginning at this tensor's first element.
  default Tensor asStridedScatter(Tensor source, long[] sizes, long[] strides) {
    return asStridedScatter(source, sizes, strides, self().storageOffset());
  }

  /// Returns a view with any sizes and strides, which begins at this tensor's first element.
  default Tensor asStrided(long[] sizes, long[] strides) {
    return asStrided(sizes, strides, self().storageOffset());
  }

  // Size in place

  /// Gives this tensor other sizes, in place. Elements stay in row-major order of the memory; new ones, if there are more
  /// than before, are whatever the memory holds. Other views keep the memory that they have.
  ///
  /// @throws AutogradException if the tensor requires grad
  /// @throws ShapeException if a size is negative
  default Tensor resize_(long... sizes) {
    return Arrangements.resize(self(), sizes);
  }

  /// Gives this tensor the sizes of `other`, in place: see [#resize_(long...)].
  default Tensor resizeAs_(Tensor other) {
    return resize_(other.sizes());
  }

  /// The part of `grad`, a gradient of the base, that belongs to the view.
  static Tensor gatherGeometry(Tensor grad, Strided base, Strided view) {
    if (base.dtype().isComplex() && !view.dtype().isComplex()) { // real(), imag(), viewAsReal()
      return gatherGeometry(grad.viewAsReal(), base.parts(), view);
    }
    if (view.dtype().isComplex() && !base.dtype().isComplex()) {
      return gatherGeometry(grad, base, view.parts()).contiguous().viewAsComplex();
    }
    Tensor image = image(grad, base);
    return image.asStrided(
        view.sizes(), view.strides(), image.storageOffset() + offset(base, view));
  }

  /// A gradient of the base that is `grad` where the view looks, and 0 elsewhere.
  static Tensor scatterGeometry(Tensor grad, Strided base, Strided view) {
    return Views.overlaps(view) && view.dtype() == base.dtype()
        ? Arrangements.gradientThrough(grad, base, Views.within(base, view))
        : replaceGeometry(Tensor.zeros(base.dtype(), base.sizes()), grad, base, view);
  }

  /// `whole` with `part` in the place where the view looks.
  static Tensor replaceGeometry(Tensor whole, Tensor part, Strided base, Strided view) {
    if (base.dtype().isComplex() && !view.dtype().isComplex()) {
      return replaceGeometry(whole.viewAsReal(), part, base.parts(), view)
          .contiguous()
          .viewAsComplex();
    }
    if (view.dtype().isComplex() && !base.dtype().isComplex()) {
      return replaceGeometry(whole, part.viewAsReal(), base, view.parts());
    }
    Tensor replaced =
        Operators.AS_STRIDED_SCATTER.on(
            new AsStrided(view.sizes(), view.strides(), offset(base, view)),
            image(whole, base),
            part);
    return base.isContiguous() ? replaced : replaced.asStrided(base.sizes(), base.strides());
  }

  /// The elements of `x`, which has the sizes of `base`, laid out in memory as those of `base` are; in one dimension
  /// if that is not densely.
  private static Tensor image(Tensor x, Strided base) {
    if (base.isContiguous()) {
      return x.contiguous();
    }
    long extent = 1;
    for (int d = 0; d < base.rank(); d++) {
      extent += (base.size(d) - 1) * base.stride(d);
    }
    var geometry = new AsStrided(base.sizes(), base.strides(), 0);
    return Operators.PLACE.on(new Place(new long[] {extent}, geometry), x);
  }

  private static long offset(Strided base, Strided view) {
    return (view.byteOffset() - base.byteOffset()) / view.dtype().byteSize();
  }

  /// Sizes to view or expand to.
  ///
  /// @param sizes the sizes of the result
  record Sizes(long[] sizes) {}

  /// One dimension, counted from 0.
  ///
  /// @param dim the dimension
  record Dim(int dim) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// A dimension of the result, counted from 0.
  ///
  /// @param dim the dimension
  record ResultDim(int dim) {}

  /// Dimensions, counted from 0.
  ///
  /// @param dims the dimensions
  record Dims(int[] dims) implements AlongDims {
    @Override
    public int[] alongDims() {
      return dims;
    }
  }

  /// Indices of one dimension.
  ///
  /// @param dim the dimension
  /// @param start the first
  /// @param length how many
  /// @param step the distance between neighbours
  record Slice(int dim, long start, long length, long step) implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// One index of one dimension.
  ///
  /// @param dim the dimension
  /// @param index the index
  record Select(int dim, long index) implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// A diagonal of two dimensions.
  ///
  /// @param offset how far it lies above the main diagonal
  /// @param dim1 the dimension of rows
  /// @param dim2 the dimension of columns
  record Diagonal(long offset, int dim1, int dim2) implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return new int[] {dim1, dim2};
    }
  }

  /// The edge of a triangle of matrices.
  ///
  /// @param diagonal how far it lies above the main diagonal
  record Triangle(long diagonal) {}

  /// Shifts along dimensions.
  ///
  /// @param shifts by how much
  /// @param dims along which dimensions
  record Roll(long[] shifts, int[] dims) implements AlongDims.NoScalar {
    @Override
    public int[] alongDims() {
      return dims;
    }
  }

  /// A geometry inside a larger, contiguous tensor.
  ///
  /// @param whole the sizes of that tensor
  /// @param part the geometry
  record Place(long[] whole, AsStrided part) {}

  /// Two dimensions, counted from 0.
  ///
  /// @param dim0 one
  /// @param dim1 the other
  record Transpose(int dim0, int dim1) implements AlongDims {
    @Override
    public int[] alongDims() {
      return dim0 == dim1 ? new int[] {dim0} : new int[] {dim0, dim1};
    }
  }

  /// A geometry.
  ///
  /// @param sizes the sizes
  /// @param strides the strides, in elements
  /// @param offset from the first element of the tensor it belongs to, in elements
  record AsStrided(long[] sizes, long[] strides, long offset) {}

  /// Another geometry of a tensor.
  ///
  /// @param part the new one
  /// @param selfStrides the strides of the tensor itself
  record Restride(AsStrided part, long[] selfStrides) {}

  /// Windows of one dimension.
  ///
  /// @param dim the dimension
  /// @param size how many indices a window has
  /// @param step the distance between windows
  record Unfold(int dim, long size, long step) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }
  }

  /// Another type of the same memory.
  ///
  /// @param dtype the type
  record As(DType dtype) {}

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("shapes");

    static final Operator<Sizes> VIEW =
        FAMILY
            .<Sizes>view("view", (a, x) -> Views.view(x, a.sizes()))
            .gradient("self", Keeps.NOTHING, b -> b.grad().reshape(b.sizes("self")))
            .torch("aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)")
            .sample(new Sizes(new long[] {6, 2}), "f32[3 4]")
            .sample(new Sizes(new long[] {2, 0, 5}), "f32[0 3]")
            .sample(new Sizes(new long[] {1, 1}), "f32[]")
            .sample(new Sizes(new long[] {-1, 6}), "f32[3 4]")
            .rejects(
                new Sizes(new long[] {5, 2}),
                "f32[3 4]",
                "view: the number of elements must stay the same, but [3, 4] has 12 elements and"
                    + " shape [5, 2] asks for 10. A size of -1 is worked out from the others.")
            .rejects(
                new Sizes(new long[] {-1, 5}),
                "f32[3 4]",
                "view: the number of elements must stay the same, but [3, 4] has 12 elements and"
                    + " shape [-1, 5] asks for a multiple of 5. A size of -1 is worked out from the"
                    + " others.")
            .rejects(
                new Sizes(new long[] {-1, -1}),
                "f32[3 4]",
                "view: only one size may be -1, but the shape is [-1, -1].")
            .rejects(
                new Sizes(new long[] {-3, -4}),
                "f32[3 4]",
                "view: sizes must not be negative, but the shape is [-3, -4].")
            .declare();

    static final Operator<Sizes> EXPAND =
        FAMILY
            .<Sizes>view("expand", (a, x) -> Views.expanded(x, a.sizes()))
            .gradient("self", Keeps.NOTHING, b -> b.grad().sumToSize(b.sizes("self")))
            .torch(
                "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)")
            .sample(new Sizes(new long[] {2, 3, 4}), "f32[3 1]")
            .sample(new Sizes(new long[] {0, 4}), "f32[1 4]")
            .sample(new Sizes(new long[] {2, -1, 4}), "f32[3 1]")
            .rejects(
                new Sizes(new long[] {3, 5}),
                "f32[3 4]",
                "expand: only dimensions of size 1 and new leading ones can be repeated, but shape"
                    + " [3, 4] was asked to become [3, 5].")
            .declare();

    static final Operator<Transpose> TRANSPOSE =
        FAMILY
            .<Transpose>view(
                "transpose",
                (a, x) -> {
                  long[] sizes = x.sizes();
                  long[] strides = x.strides();
                  if (sizes.length > 0) {
                    sizes[a.dim0()] = x.size(a.dim1());
                    sizes[a.dim1()] = x.size(a.dim0());
                    strides[a.dim0()] = x.stride(a.dim1());
                    strides[a.dim1()] = x.stride(a.dim0());
                  }
                  return x.view(0, sizes, strides);
                })
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> b.grad().transpose(b.attributes().dim0(), b.attributes().dim1()))
            .torch("aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)")
            .sample(new Transpose(0, 1), "f32[3 4]")
            .sample(new Transpose(0, 2), "f32[2 3 4]")
            .sample(new Transpose(1, 0), "f32[0 3]")
            .sample(new Transpose(0, 0), "f32[]")
            .declare();

    static final Operator<Dims> PERMUTE =
        FAMILY
            .<Dims>view(
                "permute",
                (a, x) -> {
                  int[] dims = a.dims();
                  long[] sizes = new long[dims.length];
                  long[] strides = new long[dims.length];
                  for (int d = 0; d < dims.length; d++) {
                    sizes[d] = x.size(dims[d]);
                    strides[d] = x.stride(dims[d]);
                  }
                  return x.view(0, sizes, strides);
                })
            .gradient(
                "self", Keeps.NOTHING, b -> b.grad().permute(Views.inverse(b.attributes().dims())))
            .torch("aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)")
            .sample(new Dims(new int[] {2, 0, 1}), "f32[3 4 2]")
            .sample(new Dims(new int[0]), "f32[]")
            .declare();

    static final Operator<Dims> SQUEEZE =
        FAMILY
            .<Dims>view("squeeze", (a, x) -> Views.without(x, a.dims()))
            .gradient("self", Keeps.NOTHING, b -> b.grad().reshape(b.sizes("self")))
            .gradientName("SqueezeBackward1")
            .torch("aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)")
            .torch("aten::squeeze(Tensor(a) self) -> Tensor(a)")
            .torch("aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)")
            .sample(new Dims(new int[] {0, 2}), "f32[1 3 1 4]")
            .sample(new Dims(new int[0]), "f32[3 4]")
            .sample(new Dims(new int[] {0}), "f32[1 0]")
            .declare();

    static final Operator<ResultDim> UNSQUEEZE =
        FAMILY
            .<ResultDim>view("unsqueeze", (a, x) -> Views.with(x, a.dim()))
            .gradient("self", Keeps.NOTHING, b -> b.grad().squeeze(b.attributes().dim()))
            .torch("aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)")
            .sample(new ResultDim(1), "f32[3 4]")
            .sample(new ResultDim(0), "f32[]")
            .declare();

    static final Operator<Slice> SLICE =
        FAMILY
            .<Slice>view("slice", (a, x) -> Views.slice(x, a))
            .gradient("self", Keeps.NOTHING, b -> placed(b, Views::slice))
            .torch(
                "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt?"
                    + " end=None, SymInt step=1) -> Tensor(a)")
            .torch(
                "aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)")
            .sample(new Slice(1, 1, 2, 1), "f32[3 4]")
            .sample(new Slice(0, 1, 3, 2), "f32[7 2]")
            .sample(new Slice(1, 2, 0, 1), "f32[3 4]")
            .declare();

    static final Operator<Select> SELECT =
        FAMILY
            .<Select>view("select", (a, x) -> Views.select(x, a))
            .gradient("self", Keeps.NOTHING, b -> placed(b, Views::select))
            .torch("aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)")
            .sample(new Select(1, 2), "f32[3 4 2]")
            .sample(new Select(0, 0), "f32[3]")
            .declare();

    static final Operator<Diagonal> DIAGONAL =
        FAMILY
            .<Diagonal>view("diagonal", (a, x) -> Views.diagonal(x, a))
            .gradient("self", Keeps.NOTHING, b -> placed(b, Views::diagonal))
            .torch(
                "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)")
            .sample(new Diagonal(0, 0, 1), "f32[3 4]")
            .sample(new Diagonal(-1, 2, 0), "f32[3 4 5]")
            .sample(new Diagonal(9, 0, 1), "f32[3 4]")
            .declare();

    static final Operator<Restride> AS_STRIDED =
        FAMILY
            .<Restride>view("asStrided", Arrangements::restrided)
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Arrangements.gradientThrough(
                        b.grad(),
                        Views.laid(b.grad().dtype(), b.sizes("self"), b.attributes().selfStrides()),
                        b.attributes().part()))
            .torch(
                "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt?"
                    + " storage_offset=None) -> Tensor(a)")
            .sample(
                new Restride(
                    new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1), new long[] {4, 1}),
                "f32[3 4]")
            .sample(
                new Restride(
                    new AsStrided(new long[] {3, 2}, new long[] {1, 1}, 2), new long[] {4, 1}),
                "f32[3 4]")
            .declare();

    static final Operator<AsStrided> AS_STRIDED_SCATTER =
        FAMILY
            .<AsStrided>structured(
                "asStridedScatter",
                "self[*a], source[*b] -> [*a]",
                (attributes, out, in) -> {
                  var a = (AsStrided) attributes;
                  Copies.raw(out[0], in[0]);
                  addInto(out[0].view(a.offset(), a.sizes(), a.strides()), in[1], false);
                })
            .shape((a, in) -> {
              Checks.shape("asStridedScatter", "source", in.get(1), a.sizes());
              return List.of(in.getFirst().clone());
            })
            .dtypes(DTypes.SAME.complexByParts())
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    Operators.AS_STRIDED_SCATTER.on(
                        b.attributes(),
                        b.grad(),
                        Tensor.zeros(b.grad().dtype(), b.sizes("source"))))
            .gradient("source", Keeps.NOTHING, b -> seen(b.grad(), b.attributes()))
            .torch(
                "aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride,"
                    + " SymInt? storage_offset=None) -> Tensor")
            .sample(new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1), "f32[3 4], f32[2 2]")
            .declare();

    static final Operator<AsStrided> AS_STRIDED_ADD =
        FAMILY
            .<AsStrided>structured(
                "asStridedAdd",
                "self[*a], source[*b] -> [*a]",
                (attributes, out, in) -> {
                  var a = (AsStrided) attributes;
                  Copies.raw(out[0], in[0]);
                  addInto(out[0].view(a.offset(), a.sizes(), a.strides()), in[1], true);
                })
            .dtypes(DTypes.SAME.complexByParts())
            .gradient("self", Keeps.NOTHING, Backward::grad)
            .gradient("source", Keeps.NOTHING, b -> seen(b.grad(), b.attributes()))
            .own()
            .sample(new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1), "f32[3 4], f32[2 2]")
            .declare();

    /// The part of a gradient, laid out densely, that a geometry sees.
    static Tensor seen(Tensor grad, AsStrided a) {
      Tensor dense = grad.contiguous();
      return dense.asStrided(a.sizes(), a.strides(), dense.storageOffset() + a.offset());
    }

    private static void addInto(Strided to, Strided from, boolean add) {
      if (!add) {
        Copies.raw(to, from);
        return;
      }
      var out = new Elements(to);
      var in = new Elements(from);
      for (long i = 0; i < in.numel(); i++) {
        out.set(i, out.at(i) + in.at(i));
      }
    }

    /// The gradient of a view that sees no element twice: zeros, with `grad` where the view looks.
    private static <A extends Record> Tensor placed(
        Backward<A> b, BiFunction<Strided, A, Strided> geometry) {
      long[] whole = b.sizes("self");
      Strided base = Views.dense(b.grad().dtype(), whole);
      Strided part = geometry.apply(base, b.attributes());
      var place = Views.within(base, part);
      return PLACE.on(new Place(whole, place), b.grad());
    }

    static final Operator<Place> PLACE =
        FAMILY
            .<Place>structured(
                "place",
                "source[*b] -> [*a]",
                (attributes, out, in) -> {
                  AsStrided a = ((Place) attributes).part();
                  Copies.fill(out[0], Strided.number(0L));
                  Copies.raw(out[0].view(a.offset(), a.sizes(), a.strides()), in[0]);
                })
            .shape(Views::placed)
            .dtypes(DTypes.ANY)
            .gradient("source", Keeps.NOTHING, b -> seen(b.grad(), b.attributes().part()))
            .own()
            .sample(
                new Place(
                    new long[] {3, 4}, new AsStrided(new long[] {2, 2}, new long[] {4, 1}, 1)),
                "f32[2 2]")
            .declare();

    static final Operator<Place> DIAG_EMBED =
        FAMILY
            .<Place>composite(
                "diagEmbed", "self[*a] -> [*b]", (a, in) -> PLACE.on(a, in.get("self")))
            .dtypes(DTypes.ANY.complex())
            .torch(
                "aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor")
            .sample(
                new Place(new long[] {3, 3}, new AsStrided(new long[] {2}, new long[] {4}, 1)),
                "f32[2]")
            .declare();

    static final Operator<Unfold> UNFOLD =
        FAMILY
            .<Unfold>view("unfold", (a, x) -> Views.unfolded(x, a))
            .gradient(
                "self",
                Keeps.NOTHING,
                b -> {
                  Strided base = Views.dense(b.grad().dtype(), b.sizes("self"));
                  Strided part = Views.unfolded(base, b.attributes());
                  return AS_STRIDED_ADD.on(
                      Views.within(base, part),
                      Tensor.zeros(b.grad().dtype(), b.sizes("self")),
                      b.grad());
                })
            .torch("aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)")
            .sample(new Unfold(0, 3, 2), "f32[7]")
            .sample(new Unfold(1, 2, 1), "f32[3 4 2]")
            .sample(new Unfold(0, 1, 1), "f32[]")
            .declare();

    static final Operator<As> VIEW_AS_TYPE =
        FAMILY
            .<As>view("viewAsType", (a, x) -> Views.as(x, a.dtype()))
            .notDifferentiable()
            .torch("aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)")
            .sample(new As(DType.INT32), "i64[3 4]")
            .declare();

    static final Operator<Triangle> TRIU =
        FAMILY
            .<Triangle>structured(
                "triu",
                "self[*b n m] -> [*b n m]",
                ReferenceShapes.triangle((row, column, diagonal) -> column - row >= diagonal))
            .dtypes(DTypes.ANY.complexByParts())
            .gradient("self", Keeps.NOTHING, b -> b.grad().triu(b.attributes().diagonal()))
            .torch("aten::triu(Tensor self, int diagonal=0) -> Tensor")
            .sample(new Triangle(0), "f32[3 4]")
            .sample(new Triangle(-1), "f32[2 4 3]")
            .sample(new Triangle(2), "f32[0 4 3]")
            .sample(new Triangle(0), "c64[3 4]")
            .rejects(
                new Triangle(0),
                "f32[3]",
                "triu: self must have at least 2 dimensions [*b n m], but has shape [3].")
            .declare();

    static final Operator<Triangle> TRIL =
        FAMILY
            .<Triangle>structured(
                "tril",
                "self[*b n m] -> [*b n m]",
                ReferenceShapes.triangle((row, column, diagonal) -> column - row <= diagonal))
            .dtypes(DTypes.ANY.complexByParts())
            .gradient("self", Keeps.NOTHING, b -> b.grad().tril(b.attributes().diagonal()))
            .torch("aten::tril(Tensor self, int diagonal=0) -> Tensor")
            .sample(new Triangle(0), "f32[3 4]")
            .sample(new Triangle(1), "f32[2 4 3]")
            .sample(new Triangle(0), "c64[3 4]")
            .declare();

    static final Operator<Sizes> REPEAT =
        FAMILY
            .<Sizes>composite(
                "repeat", "self[*a] -> [*b]", (a, in) -> Views.repeated(in.get("self"), a.sizes()))
            .dtypes(DTypes.ANY)
            .torch("aten::repeat(Tensor self, SymInt[] repeats) -> Tensor")
            .sample(new Sizes(new long[] {2, 3, 1}), "f32[3 4]")
            .sample(new Sizes(new long[] {2, 0}), "f32[3 4]")
            .sample(new Sizes(new long[] {3}), "f32[]")
            .declare();

    static final Operator<Dims> FLIP =
        FAMILY
            .<Dims>structured(
                "flip",
                "self[*a] -> [*a]",
                ReferenceShapes.moved((a, dim, index, size) ->
                    Views.contains(((Dims) a).dims(), dim) ? size - 1 - index : index))
            .dtypes(DTypes.ANY.complexByParts())
            .gradient("self", Keeps.NOTHING, b -> b.grad().flip(b.attributes().dims()))
            .torch("aten::flip(Tensor self, int[] dims) -> Tensor")
            .sample(new Dims(new int[] {0}), "f32[3 4]")
            .sample(new Dims(new int[] {0, 2}), "f32[2 3 4]")
            .sample(new Dims(new int[] {1}), "f32[2 0]")
            .sample(new Dims(new int[] {0}), "c64[3 4]")
            .declare();

    static final Operator<Roll> ROLL =
        FAMILY
            .<Roll>structured(
                "roll",
                "self[*a] -> [*a]",
                ReferenceShapes.moved((a, dim, index, size) ->
                    Math.floorMod(index - Views.shift((Roll) a, dim), size)))
            .dtypes(DTypes.ANY.complexByParts())
            .gradient(
                "self",
                Keeps.NOTHING,
                b ->
                    b.grad()
                        .roll(
                            Arrays.stream(b.attributes().shifts()).map(s -> -s).toArray(),
                            b.attributes().dims()))
            .torch("aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor")
            .sample(new Roll(new long[] {1}, new int[] {0}), "f32[3 4]")
            .sample(new Roll(new long[] {-2, 5}, new int[] {0, 1}), "f32[3 4]")
            .sample(new Roll(new long[] {1}, new int[] {0}), "f32[0 4]")
            .declare();

    static final Operator<ResultDim> CAT =
        FAMILY
            .<ResultDim>structured("cat", "tensors...[*] -> [*]", ReferenceShapes.CAT)
            .shape(Views::catShape)
            .dtypes(DTypes.PROMOTE.complexByParts())
            .gradient("tensors", Keeps.NOTHING, Views::catGradient)
            .torch("aten::cat(Tensor[] tensors, int dim=0) -> Tensor")
            .sample(new ResultDim(0), "f32[3 4], f32[2 4]")
            .sample(new ResultDim(1), "f32[3 1], f32[3 0], f32[3 5]")
            .sample(new ResultDim(2), "f32[2 3 1], f32[2 3 4]")
            .sample(new ResultDim(0), "f32[3]")
            .sample(new ResultDim(0), "f32[0], f32[3 4]")
            .sample(new ResultDim(0), "c64[3 4], c64[3 4]")
            .rejects(
                new ResultDim(0),
                "f32[2 3], f32[2 4]",
                "cat: all sizes but that of dim 0 must be equal, but dimension 1 is 3 in tensors[0]"
                    + " [2, 3] and 4 in tensors[1] [2, 4]. Give another dim, or make them equal"
                    + " with narrow or expand.")
            .rejects(
                new ResultDim(0),
                "f32[2 3], f32[3]",
                "cat: all tensors must have the same number of dimensions, but tensors[0] has shape"
                    + " [2, 3] and tensors[1] has shape [3]. See unsqueeze.")
            .declare();

    static final Operator<ResultDim> STACK =
        FAMILY
            .<ResultDim>composite(
                "stack", "tensors...[*] -> [*]", (a, in) -> Views.stack(in, a.dim()))
            .dtypes(DTypes.PROMOTE.complexWithHalf())
            .torch("aten::stack(Tensor[] tensors, int dim=0) -> Tensor")
            .sample(new ResultDim(0), "f32[3 4], f32[3 4]")
            .sample(new ResultDim(2), "f32[3 4], f32[3 4], f32[3 4]")
            .sample(new ResultDim(0), "f32[], f32[]")
            .sample(new ResultDim(0), "c64[3 4], c64[3 4]")
            .rejects(
                new ResultDim(0),
                "f32[2 3], f32[2 4]",
                "stack: all tensors must have one shape, but tensors[0] has [2, 3] and tensors[1]"
                    + " has [2, 4].")
            .declare();

    private Operators() {}
  }
}
