package taper.testing.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Catalogue;
import taper.tensor.Tensor;

/// The way back of a call.
final class Gradients {
  private Gradients() {}

  /// Has all of `inputs` that can have gradients ask for them, and returns those.
  static List<Tensor> ask(List<@Nullable Tensor> inputs) {
    var leaves = new ArrayList<Tensor>();
    for (Tensor x : inputs) {
      if (x != null
          && !Catalogue.isNumber(x)
          && x.dtype().isDifferentiable()
          && x.gradFn() == null
          && leaves.stream().noneMatch(leaf -> leaf == x)) {
        x.requiresGrad_();
        leaves.add(x);
      }
    }
    return leaves;
  }

  /// Goes back from the sum of each output and returns the gradients of `leaves`.
  static List<Tensor> of(List<Tensor> outputs, List<Tensor> leaves) {
    for (Tensor out : outputs) {
      if (out != null && out.requiresGrad()) {
        Tensor parts = out.isComplex() ? out.viewAsReal() : out;
        parts.sum().backward(null, true, false);
      }
    }
    var grads = new ArrayList<Tensor>();
    for (Tensor leaf : leaves) {
      Tensor grad = leaf.grad();
      if (grad != null) {
        grads.add(grad);
      }
    }
    return grads;
  }
}
