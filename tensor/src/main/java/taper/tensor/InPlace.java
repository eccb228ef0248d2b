package taper.tensor;

import taper.tensor.spi.Strided;

/// Gives a tensor, and the base it is a view of, a new history after an in-place operator.
final class InPlace {
  private InPlace() {}

  static void rebase(Tensor target, Node node) {
    Meta meta = target.meta();
    Tensor base = meta.base;
    Strided geometry = meta.geometry;
    if (base == null || geometry == null) {
      meta.gradFn = node;
      meta.output = 0;
      meta.requiresGrad = true;
      meta.rebases++;
      return;
    }
    Meta baseMeta = base.meta();
    var slices = new CopySlices(base.edge(), base.data(), geometry, node);
    baseMeta.gradFn = slices;
    baseMeta.output = 0;
    baseMeta.requiresGrad = true;
    baseMeta.rebases++;
    refresh(meta);
  }

  /// Renews the history of a view whose base has got a new one.
  static void refresh(Meta meta) {
    Tensor base = meta.base;
    Strided geometry = meta.geometry;
    if (base == null || geometry == null) {
      return;
    }
    Meta baseMeta = base.meta();
    Node.Edge edge = base.edge();
    if (edge != null) {
      meta.gradFn = new AsStridedNode(edge, base.data(), geometry);
      meta.output = 0;
      meta.requiresGrad = true;
    }
    meta.rebases = baseMeta.rebases;
  }
}
