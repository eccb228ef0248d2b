package taper.tensor;

import taper.tensor.spi.Strided;

/// Gives a tensor, and the base it is a view of, a new history after an in-place operator.
final class InPlace {
  private InPlace() {}

  /// Makes output `output` of `node` the history of `target`.
  static void rebase(Tensor target, Node node, int output) {
    Meta meta = target.meta();
    Tensor base = meta.base;
    Strided geometry = meta.geometry;
    if (base == null || geometry == null) {
      replace(target, node, output);
      return;
    }
    replace(base, new CopySlices(base.edge(), base.data(), geometry, node), 0);
    refresh(target);
  }

  private static void replace(Tensor tensor, Node node, int output) {
    Meta meta = tensor.meta();
    Node before = meta.gradFn;
    if (meta.retainsGrad && before != null) {
      before.hooks().forget(meta.output, tensor);
    }
    meta.gradFn = node;
    meta.output = output;
    meta.requiresGrad = true;
    meta.rebases++;
    if (meta.retainsGrad) {
      node.hooks().retain(output, tensor);
    }
  }

  /// Renews the history of a view whose base has got a new one. A view that was made while nothing was recorded stays
  /// without.
  static void refresh(Tensor view) {
    Meta meta = view.meta();
    Tensor base = meta.base;
    Strided geometry = meta.geometry;
    if (base == null || geometry == null) {
      return;
    }
    Meta baseMeta = base.meta();
    Node.Edge edge = base.edge();
    synchronized (meta) {
      int rebases = baseMeta.rebases;
      if (meta.rebases != rebases) { // threads may share a view
        if (edge != null && meta.origin != Meta.Origin.NOT_RECORDED) {
          replace(view, new AsStridedNode(edge, base.data(), geometry), 0);
        }
        meta.rebases = rebases;
      }
    }
  }
}
