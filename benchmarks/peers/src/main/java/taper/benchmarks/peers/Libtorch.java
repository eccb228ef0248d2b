package taper.benchmarks.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.BoolOptional;
import org.bytedeco.pytorch.DoubleOptional;
import org.bytedeco.pytorch.LongOptional;
import org.bytedeco.pytorch.NoGradGuard;
import org.bytedeco.pytorch.Optimizer;
import org.bytedeco.pytorch.SGD;
import org.bytedeco.pytorch.SGDOptions;
import org.bytedeco.pytorch.Scalar;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TensorOptional;
import org.bytedeco.pytorch.TensorVector;
import org.bytedeco.pytorch.global.torch;
import taper.benchmarks.work.Operators;

/// The operators of libtorch's C++ interface.
final class Libtorch implements Operators<Tensor> {
  private final TensorOptional none = new TensorOptional();

  private TensorOptional optional(Tensor x) {
    return x == null ? none : new TensorOptional(x);
  }

  @Override
  public Tensor floats(float[] values, long... shape) {
    return Tensor.create(values, shape);
  }

  @Override
  public Tensor integers(long[] values, long... shape) {
    return Tensor.create(values, shape);
  }

  @Override
  public Tensor parameter(Tensor value) {
    return value.requires_grad_(true);
  }

  @Override
  public float train(Supplier<Tensor> loss, Update update) {
    try (var _ = new PointerScope()) {
      update.zero();
      Tensor value = loss.get();
      value.backward();
      update.step();
      return value.item_float();
    }
  }

  @Override
  public float infer(Supplier<Tensor> output) {
    try (var _ = new PointerScope();
        var _ = new NoGradGuard()) {
      return torch
          .flatten(output.get(), 0, -1)
          .narrow(0, 0, 1)
          .to(torch.ScalarType.Float)
          .item_float();
    }
  }

  @Override
  public void run(Supplier<Tensor> kernel) {
    try (var _ = new PointerScope();
        var _ = new NoGradGuard()) {
      var _ = kernel.get();
    }
  }

  @Override
  public void track(Supplier<Tensor> kernel) {
    try (var _ = new PointerScope()) {
      var _ = kernel.get();
    }
  }

  @Override
  public Runnable backward(Supplier<Tensor> output, Tensor parameter, Tensor gradient) {
    Tensor value = output.get();
    return () -> {
      try (var _ = new PointerScope()) {
        var _ =
            torch.grad(
                new TensorVector(value),
                new TensorVector(parameter),
                new TensorVector(gradient),
                new BoolOptional(true),
                false,
                false);
      }
    };
  }

  private static Update update(Optimizer optimizer) {
    return new Update() {
      @Override
      public void zero() {
        optimizer.zero_grad();
      }

      @Override
      public void step() {
        optimizer.step();
      }

      @Override
      public void close() {
        optimizer.close();
      }
    };
  }

  private static TensorVector vector(List<Tensor> tensors) {
    return new TensorVector(tensors.toArray(Tensor[]::new));
  }

  @Override
  public Update sgd(List<Tensor> parameters, double lr) {
    var options = new SGDOptions(lr);
    options.momentum().put(0.9);
    return update(new SGD(vector(parameters), options));
  }

  @Override
  public Update adamW(List<Tensor> parameters, double lr) {
    return update(new AdamW(vector(parameters), new AdamWOptions(lr)));
  }

  @Override
  public Tensor add(Tensor a, Tensor b) {
    return a.add(b);
  }

  @Override
  public Tensor add(Tensor a, double number) {
    return a.add(new Scalar(number));
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
    return torch.max(x, dim).get0();
  }

  @Override
  public Tensor cumsum(Tensor x, int dim) {
    return torch.cumsum(x, dim);
  }

  @Override
  public Tensor sort(Tensor x) {
    return torch.sort(x).get0();
  }

  @Override
  public Tensor topk(Tensor x, int k) {
    return torch.topk(x, k).get0();
  }

  @Override
  public Tensor cat(Tensor a, Tensor b, int dim) {
    return torch.cat(new TensorVector(a, b), dim);
  }

  @Override
  public Tensor transposedCopy(Tensor x) {
    return x.transpose(-2, -1).contiguous();
  }

  @Override
  public Tensor indexSelect(Tensor x, int dim, Tensor index) {
    return torch.index_select(x, dim, index);
  }

  @Override
  public Tensor scatterAdd(Tensor x, int dim, Tensor index, Tensor source) {
    return torch.scatter_add(x, dim, index, source);
  }

  @Override
  public Tensor randn(long... shape) {
    return torch.randn(shape);
  }

  @Override
  public Tensor matmul(Tensor a, Tensor b) {
    return a.matmul(b);
  }

  @Override
  public Tensor linear(Tensor x, Tensor weight, Tensor bias) {
    return torch.linear(x, weight, optional(bias));
  }

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Window window) {
    return convolved(x, weight, none, window);
  }

  @Override
  public Tensor conv2d(Tensor x, Tensor weight, Tensor bias, Window window) {
    return convolved(x, weight, optional(bias), window);
  }

  private static Tensor convolved(Tensor x, Tensor weight, TensorOptional bias, Window w) {
    return torch.conv2d(
        x,
        weight,
        bias,
        new long[] {w.stride(), w.stride()},
        new long[] {w.padding(), w.padding()},
        new long[] {w.dilation(), w.dilation()},
        w.groups());
  }

  @Override
  public Tensor maxPool2d(Tensor x, int size, int stride, int padding) {
    long[] one = {1, 1};
    return torch.max_pool2d(
        x,
        new long[] {size, size},
        new long[] {stride, stride},
        new long[] {padding, padding},
        one,
        false);
  }

  @Override
  public Tensor meanOfPlanes(Tensor x) {
    return torch.flatten(torch.adaptive_avg_pool2d(x, 1, 1), 1, -1);
  }

  @Override
  public Tensor relu(Tensor x) {
    return torch.relu(x);
  }

  @Override
  public Tensor gelu(Tensor x) {
    return torch.gelu(x);
  }

  @Override
  public Tensor dropout(Tensor x, double p) {
    return torch.dropout(x, p, true);
  }

  @Override
  public Tensor batchNorm(
      Tensor x,
      Tensor weight,
      Tensor bias,
      Tensor runningMean,
      Tensor runningVar,
      boolean training) {
    return torch.batch_norm(
        x,
        optional(weight),
        optional(bias),
        optional(runningMean),
        optional(runningVar),
        training,
        0.1,
        1e-5,
        true);
  }

  @Override
  public Tensor layerNorm(Tensor x, Tensor weight, Tensor bias) {
    return torch.layer_norm(
        x, new long[] {weight.size(0)}, optional(weight), optional(bias), 1e-5, true);
  }

  @Override
  public Tensor softmax(Tensor x) {
    return torch.softmax(x, -1);
  }

  @Override
  public Tensor embedding(Tensor table, Tensor indices) {
    return torch.embedding(table, indices);
  }

  @Override
  public Tensor crossEntropy(Tensor x, Tensor targets) {
    return torch.cross_entropy_loss(x, targets);
  }

  @Override
  public Tensor right(Tensor x, Tensor targets) {
    return x.argmax(new LongOptional(1), false).eq(targets).sum();
  }

  @Override
  public double number(Tensor x) {
    return x.item_long();
  }

  @Override
  public void free(Tensor x) {
    x.close();
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
    TensorVector chunks = torch.chunk(x, parts, -1);
    List<Tensor> result = new ArrayList<>();
    for (long i = 0; i < chunks.size(); i++) {
      result.add(chunks.get(i));
    }
    return result;
  }

  @Override
  public Tensor attention(Tensor query, Tensor key, Tensor value, boolean causal) {
    return torch.scaled_dot_product_attention(
        query, key, value, none, 0, causal, new DoubleOptional(), false);
  }

  @Override
  public Tensor lstm(Tensor x, List<Tensor> weights, int hidden, int layers) {
    Tensor state = torch.zeros(layers, x.size(1), hidden);
    return torch
        .lstm(
            x, new TensorVector(state, state), vector(weights), true, layers, 0, true, false, false)
        .get0();
  }
}
