package taper.tensor;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import taper.tensor.Shapes.Slice;
import taper.tensor.spi.CheckedSizes;
import taper.tensor.spi.Strided;

/// Gradients of slices of one tensor, on their way to become its gradient. Belongs to one walk of the [Engine].
///
/// Slices that fill the tensor, as those of `chunk`, `split` and `unbind` do, are joined by `cat`: nothing is filled with
/// zeros, and nothing added. Otherwise the first is placed among zeros, and the others are added where they belong. Either
/// way the cost grows with the slices, not with the tensor for each of them.
final class Parts {
  private record Part(Slice slice, Tensor grad) {}

  private final long[] whole;
  private final List<Part> parts = new ArrayList<>();
  private long elements;

  /// Parts of a tensor with sizes `whole`.
  Parts(long[] whole) {
    this.whole = whole;
  }

  /// Takes hold of the gradient of `slice`.
  void add(Slice slice, Tensor grad) {
    grad.pin();
    parts.add(new Part(slice, grad));
    elements += grad.numel();
  }

  /// Whether there are as many elements as the tensor has, so that waiting for more would only cost memory.
  boolean areEnough() {
    return elements >= CheckedSizes.numel(whole);
  }

  /// The gradient that all of them make, pinned; lets go of them.
  Tensor joined() {
    Tensor result = !tile() ? sum() : parts.size() == 1 ? withDim(parts.getFirst()) : chain();
    result.pin();
    drop();
    return result;
  }

  /// Lets go of the parts.
  void drop() {
    parts.forEach(part -> part.grad.unpin());
    parts.clear();
  }

  /// Sorts the parts along their dimension, and says whether they fill it without gap or overlap.
  private boolean tile() {
    int dim = parts.getFirst().slice.dim();
    long end = 0;
    List<Part> sorted = new ArrayList<>(parts);
    sorted.sort(Comparator.comparingLong(part -> part.slice.start()));
    for (Part part : sorted) {
      Slice slice = part.slice;
      if (slice.dim() != dim || slice.start() != end || slice.length() > 1 && slice.step() != 1) {
        return false;
      }
      end += slice.length();
    }
    if (end != whole[dim]) {
      return false;
    }
    parts.clear();
    parts.addAll(sorted);
    return true;
  }

  private Tensor chain() {
    List<Tensor> tensors = new ArrayList<>(parts.size());
    for (Part part : parts) {
      tensors.add(withDim(part));
    }
    return Tensor.cat(tensors, parts.getFirst().slice.dim());
  }

  /// The gradient of a part, with the dimension that `select` takes away.
  private Tensor withDim(Part part) {
    return part.grad.dim() == whole.length ? part.grad : part.grad.unsqueeze(part.slice.dim());
  }

  private Tensor sum() {
    Part first = parts.getFirst();
    Strided base = Views.dense(first.grad.dtype(), whole);
    var place = Views.within(base, Views.slice(base, first.slice));
    Tensor sum = Shapes.Operators.PLACE.on(new Shapes.Place(whole, place), withDim(first));
    for (Part part : parts.subList(1, parts.size())) {
      addTo(sum, part.slice, part.grad);
    }
    return sum;
  }

  /// Adds `grad` to a slice of `sum`.
  static void addTo(Tensor sum, Slice slice, Tensor grad) {
    Tensor view = Shapes.Operators.SLICE.on(slice, sum);
    view.add_(grad.dim() == sum.dim() ? grad : grad.unsqueeze(slice.dim()));
  }
}
