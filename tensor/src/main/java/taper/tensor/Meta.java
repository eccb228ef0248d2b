package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.spi.Strided;

/// What autograd knows of one tensor.
final class Meta {
  boolean requiresGrad;
  @Nullable Node gradFn;
  int output;
  @Nullable Tensor grad;
  @Nullable AccumulateGrad accumulator;
  List<UnaryOperator<Tensor>> leafHooks = List.of();
  boolean retainsGrad;

  /// The tensor whose memory this one looks at, or null; never itself a view.
  @Nullable Tensor base;

  /// The geometry of the view, as it was made.
  @Nullable Strided geometry;

  /// On a base: how often its history was replaced by an in-place operator. On a view: the count it has seen.
  int rebases;

  void addLeafHook(UnaryOperator<Tensor> hook) {
    if (leafHooks.isEmpty()) {
      leafHooks = new ArrayList<>(1);
    }
    leafHooks.add(hook);
  }
}
