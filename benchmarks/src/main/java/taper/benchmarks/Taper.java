package taper.benchmarks;

import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.benchmarks.work.Operators;
import taper.optim.AdamW;
import taper.optim.Optimizer;
import taper.optim.SGD;
import taper.tensor.Autograd;
import taper.tensor.ConvolutionOptions;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Taper's operators.
final class Taper implements Operators<Tensor> {
  @Override
  public Tensor floats(float[] values, long... shape) {
    return Tensor.of(values, shape);
  }

  @Override
  public Tensor integers(long[] values, long... shape) {
    return Tensor.of(values, shape);
  }

  @Override
  public Tensor parameter(Tensor value) {
    return value.requiresGrad_(true);
  }

  @Override
  public float train(Supplier<Tensor> loss, Update update) {
    try (var _ = Memory.scope("step")) {
      update.zero();
      Tensor value = loss.get();
      value.backward();
      update.step();
      return (float) value.item();
    }
  }

  @Override
  public float infer(Supplier<Tensor> output) {
    try (var _ = Autograd.noGrad();
        var _ = Memory.scope("step")) {
      return (float) output.get().flatten().narrow(0, 0, 1).item();
    }
  }

  @Override
  public void run(Supplier<Tensor> kernel) {
    try (var _ = Autograd.noGrad();
        var _ = Memory.scope()) {
      var _ = kernel.get();
    }
  }

  @Override
  public void track(Supplier<Tensor> kernel) {
    try (var _ = Memory.scope()) {
      var _ = kernel.get();
    }
  }

  @Override
  public Runnable backward(Supplier<Tensor> output, Tensor parameter, Tensor gradient) {
    Tensor value = output.get();
    return () -> {
      try (var scope = Memory.scope()) {
        // Gradients outlive scopes, unless a scope owns them.
        scope.own(
            Objects.requireNonNull(
                Autograd.grad(
                        List.of(value),
                        List.of(parameter),
                        o -> o.gradOutputs(gradient).retainGraph(true))
                    .getFirst()));
      }
    };
  }

  private static Update update(Optimizer<?> optimizer) {
    return new Update() {
      @Override
      public void zero() {
        optimizer.zeroGrad();
      }

      @Override
      public void step() {
        optimizer.step();
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public Update sgd(List<Tensor> parameters, double lr) {
    return update(new SGD(parameters, o -> o.lr(lr).momentum(0.9)));
  }

  @Override
  public Update adamW(List<Tensor> parameters, double lr) {
    return update(new AdamW(parameters, o -> o.lr(lr)));
  }

  @Override
  public Tensor add(Tensor a, Tensor b) {
    return a.add(b);
  }

  @Override
  public Tensor add(Tensor a, double number) {
    return a.add(number);
  }

  @Override
  public Tensor mul(Tensor a, Tensor b) {
    return a.mul(b);
  }

  @Override
  public Tensor sum(Tensor x) {
    return x.sum();
  }

  @Override
  public Tensor sum(Tensor x, int dim) {
    return x.sum(dim);
  }

  @Override
  public Tensor mean(Tensor x, int dim) {
    return x.mean(dim);
  }

  @Override
  public Tensor max(Tensor x, int dim) {
    return x.max(dim).values();
  }

  @Override
  public Tensor cumsum(Tensor x, int dim) {
    return x.cumsum(dim);
  }

  @Override
  public Tensor sort(Tensor x) {
    return x.sort().values();
  }

  @Override
  public Tensor topk(Tensor x, int k) {
    return x.topk(k).values();
  }

  @Override
  public Tensor cat(Tensor a, Tensor b, int dim) {
    return Tensor.cat(List.of(a, b), dim);
  }

  @Override
  public Tensor transposedCopy(Tensor x) {
    return x.transpose(-2, -1).contiguous();
  }

  @Override
  public Tensor indexSelect(Tensor x, int dim, Tensor index) {
    return x.indexSelect(dim, index);
  }

  @Override
  public Tensor scatterAdd(Tensor x, int dim, Tensor index, Tensor source) {
    return x.scatterAdd(dim, index, source);
  }

  @Override
  public Tensor randn(long... shape) {
    return Tensor.randn(shape);
  }

  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    return a.matmul(b);
  }

  @Override
  public Tensor linear(Tensor x, Tensor weight, @Nullable Tensor bias) {
    return x.linear(weight, bias);
  }

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Window window) {
    return x.conv2d(weight, null, o -> options(o, window));
  }

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, @Nullable Tensor bias, Window window) {
    return x.conv2d(weight, bias, o -> options(o, window));
  }

  private static ConvolutionOptions options(ConvolutionOptions o, Window window) {
    return o.stride(window.stride())
        .padding(window.padding())
        .dilation(window.dilation())
        .groups(window.groups());
  }

  @Override
  public Tensor maxPool2d(Tensor x, int size, int stride, int padding) {
    return x.maxPool2d(size, o -> o.stride(stride).padding(padding));
  }

  @Override
  public Tensor meanOfPlanes(Tensor x) {
    return x.adaptiveAvgPool2d(1, 1).flatten(1);
  }

  @Override
  public Tensor relu(Tensor x) {
    return x.relu();
  }

  @Override
  public Tensor gelu(Tensor x) {
    return x.gelu();
  }

  @Override
  public Tensor dropout(Tensor x, double p) {
    return x.dropout(p, true);
  }

  @Override
  public Tensor batchNorm(
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor runningMean,
      Tensor runningVar,
      boolean training) {
    return x.batchNorm(runningMean, runningVar, weight, bias, training, 0.1, 1e-5);
  }

  @Override
  public Tensor layerNorm(Tensor x, Tensor weight, Tensor bias) {
    return x.layerNorm(new long[] {weight.size(0)}, weight, bias, 1e-5);
  }

  @Override
  public Tensor softmax(Tensor x) {
    return x.softmax(-1);
  }

  @Override
  public Tensor embedding(Tensor table, Tensor indices) {
    return indices.embedding(table, o -> o);
  }

  @Override
  public Tensor crossEntropy(Tensor x, Tensor targets) {
    return x.crossEntropy(targets);
  }

  @Override
  public Tensor right(Tensor x, Tensor targets) {
    return x.argmax(1, false).eq(targets).sum();
  }

  @Override
  public double number(Tensor x) {
    return x.item();
  }

  @Override
  public void free(Tensor x) {
    try (var scope = Memory.scope()) {
      scope.own(x);
    }
  }

  @Override
  public Tensor reshape(Tensor x, long... shape) {
    return x.reshape(shape);
  }

  @Override
  public Tensor transpose(Tensor x, int a, int b) {
    return x.transpose(a, b);
  }

  @Override
  public List<Tensor> chunk(Tensor x, int parts) {
    return x.chunk(parts, -1);
  }

  @Override
  public Tensor attention(Tensor query, Tensor key, Tensor value, boolean causal) {
    return query.scaledDotProductAttention(key, value, o -> o.causal(causal));
  }

  @Override
  public Tensor lstm(Tensor x, List<Tensor> weights, int hidden, int layers) {
    throw new UnsupportedOperationException("recurrent layers are modules");
  }
}
