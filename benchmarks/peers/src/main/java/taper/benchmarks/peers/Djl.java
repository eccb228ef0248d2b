package taper.benchmarks.peers;

import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.ndarray.types.SparseFormat;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import taper.benchmarks.work.Operators;

/// The operators of DJL's arrays. Whatever they make is closed at the end of a step, as DJL's own training
/// loop does it with a manager for each step.
final class Djl implements Operators<NDArray> {
  private final NDManager manager = NDManager.newBaseManager();
  private final List<NDArray> temporaries = new ArrayList<>();

  private NDArray keep(NDArray x) {
    temporaries.add(x);
    return x;
  }

  private NDArray keep(NDList list) {
    temporaries.addAll(list);
    return list.head();
  }

  /// What was made before, as a kernel's operands were, stays.
  private void begin(boolean tracking) {
    temporaries.clear();
    JniUtils.setGradMode(tracking);
  }

  private void free() {
    temporaries.forEach(NDArray::close);
    temporaries.clear();
  }

  @Override
  public NDArray floats(float[] values, long... shape) {
    return manager.create(values, new Shape(shape));
  }

  @Override
  public NDArray integers(long[] values, long... shape) {
    return manager.create(values, new Shape(shape));
  }

  @Override
  public NDArray parameter(NDArray value) {
    value.setRequiresGradient(true);
    return value;
  }

  @Override
  public float train(Supplier<NDArray> loss, Update update) {
    begin(true);
    update.zero();
    NDArray value = loss.get();
    JniUtils.backward((PtNDArray) value, (PtNDArray) keep(value.onesLike()), false, false);
    JniUtils.setGradMode(false);
    update.step();
    float result = value.getFloat();
    free();
    return result;
  }

  @Override
  public float infer(Supplier<NDArray> output) {
    begin(false);
    NDArray value = output.get();
    float result = keep(keep(value.flatten()).get(0)).getFloat();
    free();
    return result;
  }

  @Override
  public void run(Supplier<NDArray> kernel) {
    begin(false);
    var _ = kernel.get();
    free();
  }

  @Override
  public void track(Supplier<NDArray> kernel) {
    begin(true);
    var _ = kernel.get();
    free();
  }

  @Override
  public Runnable backward(Supplier<NDArray> output, NDArray parameter, NDArray gradient) {
    JniUtils.setGradMode(true);
    var value = (PtNDArray) output.get();
    temporaries.clear(); // the graph lives on
    return () -> JniUtils.backward(value, (PtNDArray) gradient, true, false);
  }

  private record Step(Optimizer optimizer, List<NDArray> parameters) implements Update {
    @Override
    public void zero() {
      for (NDArray parameter : parameters) {
        if (parameter.hasGradient()) {
          JniUtils.zeroGrad((PtNDArray) parameter);
        }
      }
    }

    @Override
    public void step() {
      for (int i = 0; i < parameters.size(); i++) {
        NDArray parameter = parameters.get(i);
        try (NDArray gradient = parameter.getGradient()) {
          optimizer.update("" + i, parameter, gradient);
        }
      }
    }

    @Override
    public void close() {}
  }

  @Override
  public Update sgd(List<NDArray> parameters, double lr) {
    return new Step(
        Optimizer.sgd().setLearningRateTracker(Tracker.fixed((float) lr)).optMomentum(0.9f).build(),
        parameters);
  }

  @Override
  public Update adamW(List<NDArray> parameters, double lr) {
    return new Step(
        Optimizer.adamW()
            .optLearningRateTracker(Tracker.fixed((float) lr))
            .optWeightDecays(0.01f)
            .build(),
        parameters);
  }

  @Override
  public NDArray add(NDArray a, NDArray b) {
    return keep(a.add(b));
  }

  @Override
  public NDArray add(NDArray a, double number) {
    return keep(a.add(number));
  }

  @Override
  public NDArray mul(NDArray a, NDArray b) {
    return keep(a.mul(b));
  }

  @Override
  public NDArray sum(NDArray x) {
    return keep(x.sum());
  }

  @Override
  public NDArray sum(NDArray x, int dim) {
    return keep(x.sum(new int[] {dim}));
  }

  @Override
  public NDArray mean(NDArray x, int dim) {
    return keep(x.mean(new int[] {dim}));
  }

  @Override
  public NDArray max(NDArray x, int dim) {
    return keep(x.max(new int[] {dim}));
  }

  @Override
  public NDArray cumsum(NDArray x, int dim) {
    return keep(x.cumSum(dim));
  }

  @Override
  public NDArray sort(NDArray x) {
    return keep(x.sort(-1));
  }

  @Override
  public NDArray topk(NDArray x, int k) {
    return keep(x.topK(k, -1));
  }

  @Override
  public NDArray cat(NDArray a, NDArray b, int dim) {
    return keep(a.concat(b, dim));
  }

  @Override
  public NDArray transposedCopy(NDArray x) {
    throw new UnsupportedOperationException("DJL has no copy of a transposed array");
  }

  @Override
  public NDArray indexSelect(NDArray x, int dim, NDArray index) {
    throw new UnsupportedOperationException("DJL has no indexSelect");
  }

  @Override
  public NDArray scatterAdd(NDArray x, int dim, NDArray index, NDArray source) {
    throw new UnsupportedOperationException("DJL has no scatterAdd");
  }

  @Override
  public NDArray randn(long... shape) {
    return keep(manager.randomNormal(new Shape(shape)));
  }

  @Override
  public NDArray matmul(NDArray a, NDArray b) {
    return keep(a.matMul(b));
  }

  @Override
  public NDArray linear(NDArray x, NDArray weight, NDArray bias) {
    return keep(x.getNDArrayInternal().linear(x, weight, bias));
  }

  @Override
  public NDArray conv2d(NDArray x, NDArray weight, Window window) {
    return conv2d(x, weight, null, window);
  }

  @Override
  public NDArray conv2d(NDArray x, NDArray weight, NDArray bias, Window w) {
    return keep(
        x.getNDArrayInternal()
            .convolution(
                x,
                weight,
                bias,
                new Shape(w.stride(), w.stride()),
                new Shape(w.padding(), w.padding()),
                new Shape(w.dilation(), w.dilation()),
                w.groups()));
  }

  @Override
  public NDArray maxPool2d(NDArray x, int size, int stride, int padding) {
    return keep(
        x.getNDArrayInternal()
            .maxPool(
                new Shape(size, size),
                new Shape(stride, stride),
                new Shape(padding, padding),
                false));
  }

  @Override
  public NDArray meanOfPlanes(NDArray x) {
    return keep(x.getNDArrayInternal().globalAvgPool());
  }

  @Override
  public NDArray relu(NDArray x) {
    return keep(x.getNDArrayInternal().relu());
  }

  @Override
  public NDArray gelu(NDArray x) {
    return keep(x.getNDArrayInternal().gelu());
  }

  @Override
  public NDArray dropout(NDArray x, double p) {
    return keep(x.getNDArrayInternal().dropout(x, (float) p, true));
  }

  @Override
  public NDArray batchNorm(
      NDArray x,
      NDArray weight,
      NDArray bias,
      NDArray runningMean,
      NDArray runningVar,
      boolean training) {
    // DJL's momentum is the share of the old.
    return keep(
        x.getNDArrayInternal()
            .batchNorm(x, runningMean, runningVar, weight, bias, 1, 0.9f, 1e-5f, training));
  }

  @Override
  public NDArray layerNorm(NDArray x, NDArray weight, NDArray bias) {
    return keep(x.getNDArrayInternal().layerNorm(x, weight.getShape(), weight, bias, 1e-5f));
  }

  @Override
  public NDArray softmax(NDArray x) {
    return keep(x.softmax(-1));
  }

  @Override
  public NDArray embedding(NDArray table, NDArray indices) {
    return keep(table.getNDArrayInternal().embedding(indices, table, SparseFormat.DENSE));
  }

  @Override
  public NDArray crossEntropy(NDArray x, NDArray targets) {
    NDArray logarithms = keep(x.logSoftmax(-1));
    NDArray columns = keep(targets.reshape(-1, 1));
    return keep(keep(keep(logarithms.gather(columns, 1)).mean()).neg());
  }

  @Override
  public NDArray right(NDArray x, NDArray targets) {
    NDArray same = keep(keep(x.argMax(1)).eq(targets));
    return keep(keep(same.toType(DataType.FLOAT32, true)).sum());
  }

  @Override
  public double number(NDArray x) {
    return x.getFloat();
  }

  @Override
  public void free(NDArray x) {
    x.close();
  }

  @Override
  public NDArray reshape(NDArray x, long... shape) {
    return keep(x.reshape(shape));
  }

  @Override
  public NDArray transpose(NDArray x, int a, int b) {
    return keep(x.swapAxes(a, b));
  }

  @Override
  public List<NDArray> chunk(NDArray x, int parts) {
    NDList chunks = x.split(parts, x.getShape().dimension() - 1);
    temporaries.addAll(chunks);
    return chunks;
  }

  private final java.util.Map<Long, NDArray> masks = new java.util.HashMap<>();

  @Override
  public NDArray attention(NDArray query, NDArray key, NDArray value, boolean causal) {
    long time = query.getShape().get(2);
    float scale = (float) (1 / Math.sqrt(query.getShape().get(3)));
    NDArray products = keep(query.matMul(keep(key.swapAxes(2, 3))));
    NDArray scores = keep(products.mul(scale));
    if (causal) {
      scores = keep(scores.add(masks.computeIfAbsent(time, this::mask)));
    }
    return keep(keep(scores.softmax(-1)).matMul(value));
  }

  private NDArray mask(long time) {
    int n = (int) time;
    float[] values = new float[n * n];
    for (int row = 0; row < n; row++) {
      for (int column = row + 1; column < n; column++) {
        values[row * n + column] = Float.NEGATIVE_INFINITY;
      }
    }
    return floats(values, time, time);
  }

  @Override
  public NDArray lstm(NDArray x, List<NDArray> weights, int hidden, int layers) {
    NDArray state = keep(manager.zeros(new Shape(layers, x.getShape().get(1), hidden)));
    NDList results =
        x.getNDArrayInternal()
            .lstm(
                x,
                new NDList(state, state),
                new NDList(weights),
                true,
                layers,
                0,
                true,
                false,
                false);
    return keep(results);
  }
}
