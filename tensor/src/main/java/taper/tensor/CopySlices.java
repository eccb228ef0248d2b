package taper.tensor;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// The history of a base after an in-place operator wrote into a view of it.
///
/// Going back, the gradient of the part that was written takes the way through that operator, and what comes out of it
/// for the view takes the part's place; the rest of the gradient passes by.
final class CopySlices extends Node {
  private final @Nullable Edge base;
  private final Strided baseGeometry;
  private final Strided viewGeometry;
  private final Node function;

  CopySlices(@Nullable Edge base, Strided baseGeometry, Strided viewGeometry, Node function) {
    this.base = base;
    this.baseGeometry = baseGeometry;
    this.viewGeometry = viewGeometry;
    this.function = function;
  }

  @Override
  public String name() {
    return "CopySlices";
  }

  @Override
  int outputCount() {
    return 1;
  }

  @Override
  @Nullable Edge[] edges() {
    @Nullable Edge[] inner = function.edges();
    @Nullable Edge[] result = Arrays.copyOf(inner, Math.max(inner.length, 1));
    result[0] = base; // the written view itself, in the place of the operator's first input
    return result;
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    Tensor grad = grads[0];
    @Nullable Tensor[] result = new Tensor[edges().length];
    if (grad == null) {
      return result;
    }
    Tensor part = Shapes.gatherGeometry(grad, baseGeometry, viewGeometry);
    @Nullable Tensor[] through = function.apply(new Tensor[] {part});
    System.arraycopy(through, 0, result, 0, through.length);
    if (base != null) {
      Tensor first = through.length == 0 ? null : through[0];
      Tensor own = first == null ? Tensor.zeros(part.dtype(), viewGeometry.sizes()) : first;
      result[0] = Shapes.replaceGeometry(grad, own, baseGeometry, viewGeometry);
    }
    return result;
  }

  @Override
  void release() {
    function.release();
  }

  @Override
  boolean isReleased() {
    return function.isReleased();
  }
}
