package taper.tensor;

import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// The history of a view whose base has been changed in place: a look at part of the base's new value.
final class AsStridedNode extends Node {
  private final Edge base;
  private final Strided baseGeometry;
  private final Strided viewGeometry;

  AsStridedNode(Edge base, Strided baseGeometry, Strided viewGeometry) {
    this.base = base;
    this.baseGeometry = baseGeometry;
    this.viewGeometry = viewGeometry;
  }

  @Override
  public String name() {
    return "AsStridedBackward0";
  }

  @Override
  int outputCount() {
    return 1;
  }

  @Override
  @Nullable Edge[] edges() {
    return new Edge[] {base};
  }

  @Override
  @Nullable Tensor[] apply(@Nullable Tensor[] grads) {
    Tensor grad = grads[0];
    if (grad == null) {
      return new Tensor[1];
    }
    return new Tensor[] {Shapes.scatterGeometry(grad, baseGeometry, viewGeometry)};
  }

  @Override
  void release() {}

  @Override
  boolean isReleased() {
    return false;
  }
}
