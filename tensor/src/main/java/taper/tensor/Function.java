package taper.tensor;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Node.Edge;

/// A function with a gradient of its own, where the operators' own gradients are not what is wanted: PyTorch's
/// `autograd.Function`.
///
/// Instances should have no state of the call; what the gradient needs goes through the [Saver].
public abstract class Function {

  /// For subclasses.
  protected Function() {}

  /// The results for `inputs`. Runs without being recorded.
  protected abstract List<Tensor> forward(Saver saver, List<Tensor> inputs);

  /// The gradient of each input, null for none, from the gradient of each output, null for none.
  protected abstract List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads);

  /// The name of its nodes in the graph, without `Backward`.
  public String name() {
    return getClass().getSimpleName();
  }

  /// Applies the function.
  public final List<Tensor> apply(Tensor... inputs) {
    var saver = new Saver();
    List<Tensor> in = List.of(inputs);
    boolean grad = Autograd.isGradEnabled() && in.stream().anyMatch(Tensor::requiresGrad);
    List<Tensor> outputs = Autograd.noGrad(() -> forward(saver, in));
    if (!grad) {
      saver.release();
      return outputs;
    }
    var node = new FunctionNode(this, saver, in, outputs.size());
    var result = new ArrayList<Tensor>();
    for (int o = 0; o < outputs.size(); o++) {
      Tensor out = outputs.get(o);
      if (in.contains(out)) {
        out = out.detach(); // an input handed back must not become a step after itself
      }
      if (out.dtype().isDifferentiable()) {
        out.attach(node, o);
      }
      result.add(out);
    }
    return List.copyOf(result);
  }

  /// Carries tensors from the forward to the backward pass. Belongs to one call.
  public static final class Saver {
    private final List<Saved> saved = new ArrayList<>();
    private @Nullable FunctionNode node;
    private @Nullable Edge[] edges = {};

    private Saver() {}

    /// Keeps `tensors` for the backward pass.
    public void save(Tensor... tensors) {
      for (Tensor tensor : tensors) {
        saved.add(new Saved(tensor));
      }
    }

    /// What was saved at `position`.
    ///
    /// @throws AutogradException if it has been changed in place since
    public Tensor saved(int position) {
      FunctionNode reader = node;
      if (reader == null) {
        throw new IllegalStateException("saved tensors are read in backward");
      }
      return saved.get(position).get(reader, "saved tensor " + position);
    }

    /// Whether the gradient of input `position` is asked for.
    public boolean needs(int position) {
      return edges[position] != null;
    }

    Saver reading(FunctionNode reader, @Nullable Edge[] wanted) {
      node = reader;
      edges = wanted;
      return this;
    }

    void release() {
      saved.forEach(Saved::release);
    }
  }
}
