package taper.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.function.UnaryOperator;
import taper.benchmarks.work.Batches;
import taper.benchmarks.work.Operators;
import taper.benchmarks.work.Operators.Update;
import taper.benchmarks.work.Operators.Window;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Workload;
import taper.benchmarks.work.Workloads;

/// The networks that are measured, made of a library's operators: what `TaperNetworks` makes of modules.
///
/// @param <T> the library's tensors
final class Networks<T> {
  private final Operators<T> o;
  private final Setting setting;
  private final List<T> parameters = new ArrayList<>();
  private boolean learns = true;
  private boolean training = true;
  private long count;
  private int seed;

  private Networks(Operators<T> operators, Setting setting) {
    this.o = operators;
    this.setting = setting;
  }

  /// The workload of the name.
  static <T> Workload of(Operators<T> operators, String name, Setting setting) {
    var networks = new Networks<>(operators, setting);
    int batch = setting.batchOr(Workloads.named(name).batch());
    int width = setting.widthOr(Workloads.named(name).width());
    return switch (name) {
      case "mnist-cnn-train" -> networks.mnist(batch, width);
      case "mlp-train" -> networks.mlp(batch, width);
      case "gpt-small-train" -> networks.gpt(batch, width);
      case "resnet18-cifar-train" -> networks.resnet18(batch);
      case "resnet50-infer" -> networks.resnet50(batch);
      case "bert-mini-infer" -> networks.bert(batch, width);
      case "lstm-train" -> networks.lstm(batch, width);
      default -> throw new IllegalArgumentException("There is no workload %s.".formatted(name));
    };
  }

  // ---- workloads

  private Workload mnist(int batch, int width) {
    return classifier(
        digits(width), Batches.digits(setting, batch), o.adamW(parameters, 1e-3), batch, 1, 28, 28);
  }

  /// The network of `./taper train mnist`.
  private UnaryOperator<T> digits(int width) {
    UnaryOperator<T> first = conv(1, width, 3, Window.padding(1), true);
    UnaryOperator<T> second = conv(width, 2 * width, 3, Window.padding(1), true);
    UnaryOperator<T> hidden = linear(98 * width, 128);
    UnaryOperator<T> output = linear(128, 10);
    return x -> {
      T a = o.maxPool2d(o.relu(first.apply(x)), 2, 2, 0);
      T b = o.maxPool2d(o.relu(second.apply(a)), 2, 2, 0);
      T c = o.relu(hidden.apply(o.reshape(b, -1, 98L * width)));
      return output.apply(training ? o.dropout(c, 0.5) : c);
    };
  }

  /// Trains that network for an epoch on the digits in a folder, and prints what `./taper train mnist` prints.
  static <T> void trainDigits(Operators<T> operators, Path folder) throws IOException {
    var networks = new Networks<>(operators, Setting.of());
    UnaryOperator<T> network = networks.digits(32);
    var update = operators.adamW(networks.parameters, 1e-3);
    var train = Images.of(folder, "train");
    var test = Images.of(folder, "t10k");
    int[] order = train.shuffled();
    double[] seen = new double[2];
    for (int start = 0; start < order.length; start += 64) {
      var batch = train.batch(order, start, Math.min(order.length, start + 64));
      T images = operators.floats(batch.images()[0], batch.size(), 1, 28, 28);
      T labels = operators.integers(batch.labels()[0], batch.size());
      List<T> output = new ArrayList<>();
      seen[0] +=
          batch.size()
              * operators.train(
                  () -> {
                    T logits = network.apply(images);
                    output.add(logits);
                    return operators.crossEntropy(logits, labels);
                  },
                  new Counting<>(operators, update, output, labels, seen));
      operators.free(images);
      operators.free(labels);
    }
    networks.training = false;
    double right = 0;
    int[] all = test.inOrder();
    for (int start = 0; start < all.length; start += 500) {
      var batch = test.batch(all, start, start + 500);
      T images = operators.floats(batch.images()[0], batch.size(), 1, 28, 28);
      T labels = operators.integers(batch.labels()[0], batch.size());
      right += operators.infer(() -> operators.right(network.apply(images), labels));
      operators.free(images);
      operators.free(labels);
    }
    System.out.printf(
        java.util.Locale.ROOT,
        "train loss %.4f accuracy %.2f %%, test accuracy %.2f %%%n",
        seen[0] / order.length,
        100 * seen[1] / order.length,
        100 * right / all.length);
  }

  /// Counts the right answers after the step.
  private record Counting<T>(
      Operators<T> operators, Update update, List<T> output, T labels, double[] seen)
      implements Update {
    @Override
    public void zero() {
      update.zero();
    }

    @Override
    public void step() {
      update.step();
      seen[1] += operators.number(operators.right(output.getFirst(), labels));
    }

    @Override
    public void close() {}
  }

  private Workload mlp(int batch, int width) {
    UnaryOperator<T> first = linear(784, width);
    UnaryOperator<T> second = linear(width, width);
    UnaryOperator<T> third = linear(width, 10);
    return classifier(
        x -> third.apply(o.relu(second.apply(o.relu(first.apply(x))))),
        Batches.digits(setting, batch),
        o.sgd(parameters, 0.01),
        batch,
        784);
  }

  private Workload resnet18(int batch) {
    int width = 64;
    UnaryOperator<T> stem = normalized(3, width, 3, 1, true);
    List<UnaryOperator<T>> blocks = new ArrayList<>();
    int in = width;
    for (int stage = 0; stage < 4; stage++) {
      int out = width << stage;
      for (int block = 0; block < 2; block++) {
        int stride = stage > 0 && block == 0 ? 2 : 1;
        UnaryOperator<T> first = normalized(in, out, 3, stride, true);
        UnaryOperator<T> second = normalized(out, out, 3, 1, true);
        blocks.add(
            residual(
                x -> second.apply(o.relu(first.apply(x))),
                stride == 1 && in == out
                    ? UnaryOperator.identity()
                    : normalized(in, out, 1, stride, true)));
        in = out;
      }
    }
    UnaryOperator<T> output = linear(in, 10);
    return classifier(
        x -> output.apply(o.meanOfPlanes(chain(blocks, o.relu(stem.apply(x))))),
        Batches.random(4, batch, 3 * 32 * 32, 10),
        o.sgd(parameters, 0.01),
        batch,
        3,
        32,
        32);
  }

  private Workload resnet50(int batch) {
    int width = 64;
    learns = false;
    UnaryOperator<T> stem = normalized(3, width, 7, 2, false);
    List<UnaryOperator<T>> blocks = new ArrayList<>();
    int[] depths = {3, 4, 6, 3};
    int in = width;
    for (int stage = 0; stage < 4; stage++) {
      int inner = width << stage;
      for (int block = 0; block < depths[stage]; block++) {
        int stride = stage > 0 && block == 0 ? 2 : 1;
        UnaryOperator<T> first = normalized(in, inner, 1, 1, false);
        UnaryOperator<T> second = normalized(inner, inner, 3, stride, false);
        UnaryOperator<T> third = normalized(inner, 4 * inner, 1, 1, false);
        blocks.add(
            residual(
                x -> third.apply(o.relu(second.apply(o.relu(first.apply(x))))),
                block > 0
                    ? UnaryOperator.identity()
                    : normalized(in, 4 * inner, 1, stride, false)));
        in = 4 * inner;
      }
    }
    UnaryOperator<T> output = linear(in, 1000);
    T image = o.floats(Batches.noise(1, batch * 3 * 224 * 224), batch, 3, 224, 224);
    return inference(
        x ->
            output.apply(
                o.meanOfPlanes(chain(blocks, o.maxPool2d(o.relu(stem.apply(x)), 3, 2, 1)))),
        image);
  }

  private Workload gpt(int batch, int width) {
    int time = 64;
    int vocabulary = 65;
    UnaryOperator<T> token = embedding(vocabulary, width);
    UnaryOperator<T> position = embedding(time, width);
    T positions = o.integers(range(time), time);
    List<UnaryOperator<T>> blocks = new ArrayList<>();
    for (int layer = 0; layer < 4; layer++) {
      UnaryOperator<T> before = layerNorm(width);
      UnaryOperator<T> attention = attention(batch, time, width, true);
      UnaryOperator<T> between = layerNorm(width);
      UnaryOperator<T> feed = feedForward(width);
      blocks.add(x -> o.add(x, attention.apply(before.apply(x))));
      blocks.add(x -> o.add(x, feed.apply(between.apply(x))));
    }
    UnaryOperator<T> last = layerNorm(width);
    UnaryOperator<T> head = linear(width, vocabulary, false);
    List<T> inputs = new ArrayList<>();
    List<T> targets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      inputs.add(o.integers(Batches.tokens(i, batch * time, vocabulary), batch, time));
      targets.add(o.integers(Batches.tokens(i + 10, batch * time, vocabulary), batch * time));
    }
    return training(
        x -> {
          T sum = o.add(token.apply(x), position.apply(positions));
          T logits = head.apply(last.apply(chain(blocks, sum)));
          return o.reshape(logits, (long) batch * time, vocabulary);
        },
        inputs::get,
        targets::get,
        4,
        o.adamW(parameters, 1e-3));
  }

  private Workload bert(int batch, int width) {
    learns = false;
    int time = 128;
    UnaryOperator<T> token = embedding(30522, width);
    UnaryOperator<T> position = embedding(512, width);
    UnaryOperator<T> segment = embedding(2, width);
    UnaryOperator<T> first = layerNorm(width);
    T positions = o.integers(range(time), time);
    T segments = o.integers(new long[batch * time], batch, time);
    List<UnaryOperator<T>> blocks = new ArrayList<>();
    for (int layer = 0; layer < 4; layer++) {
      UnaryOperator<T> attention = attention(batch, time, width, false);
      UnaryOperator<T> between = layerNorm(width);
      UnaryOperator<T> feed = feedForward(width);
      UnaryOperator<T> after = layerNorm(width);
      blocks.add(x -> between.apply(o.add(x, attention.apply(x))));
      blocks.add(x -> after.apply(o.add(x, feed.apply(x))));
    }
    return inference(
        x -> {
          T sum = o.add(o.add(token.apply(x), position.apply(positions)), segment.apply(segments));
          return chain(blocks, first.apply(sum));
        },
        o.integers(Batches.tokens(1, batch * time, 30522), batch, time));
  }

  private Workload lstm(int batch, int width) {
    int time = 64;
    List<T> weights = new ArrayList<>();
    double bound = 1 / Math.sqrt(width);
    for (int layer = 0; layer < 2; layer++) {
      weights.add(uniform(bound, 4L * width, width));
      weights.add(uniform(bound, 4L * width, width));
      weights.add(uniform(bound, 4L * width));
      weights.add(uniform(bound, 4L * width));
    }
    UnaryOperator<T> output = linear(width, 10);
    List<T> inputs = new ArrayList<>();
    List<T> targets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      inputs.add(o.floats(Batches.noise(i, time * batch * width), time, batch, width));
      targets.add(o.integers(Batches.tokens(i, time * batch, 10), (long) time * batch));
    }
    return training(
        x -> o.reshape(output.apply(o.lstm(x, weights, width, 2)), (long) time * batch, 10),
        inputs::get,
        targets::get,
        4,
        o.adamW(parameters, 1e-3));
  }

  // ---- what a step is

  private Workload classifier(
      UnaryOperator<T> network, Batches batches, Update update, long... shape) {
    List<T> images = new ArrayList<>();
    List<T> labels = new ArrayList<>();
    for (int i = 0; i < batches.count(); i++) {
      images.add(o.floats(batches.images()[i], shape));
      labels.add(o.integers(batches.labels()[i], shape[0]));
    }
    return training(network, images::get, labels::get, batches.count(), update);
  }

  private Workload training(
      UnaryOperator<T> network,
      IntFunction<T> inputs,
      IntFunction<T> targets,
      int batches,
      Update update) {
    return new Workload() {
      @Override
      public float run(int step) {
        int i = step % batches;
        return o.train(
            () -> o.crossEntropy(network.apply(inputs.apply(i)), targets.apply(i)), update);
      }

      @Override
      public long parameters() {
        return count;
      }

      @Override
      public void close() {
        update.close();
      }
    };
  }

  private Workload inference(UnaryOperator<T> network, T input) {
    return new Workload() {
      @Override
      public float run(int step) {
        return o.infer(() -> network.apply(input));
      }

      @Override
      public long parameters() {
        return count;
      }
    };
  }

  // ---- layers

  private static <T> T chain(List<UnaryOperator<T>> layers, T x) {
    for (UnaryOperator<T> layer : layers) {
      x = layer.apply(x);
    }
    return x;
  }

  private UnaryOperator<T> residual(UnaryOperator<T> body, UnaryOperator<T> shortcut) {
    return x -> o.relu(o.add(body.apply(x), shortcut.apply(x)));
  }

  private UnaryOperator<T> linear(int in, int out) {
    return linear(in, out, true);
  }

  private UnaryOperator<T> linear(int in, int out, boolean biased) {
    double bound = 1 / Math.sqrt(in);
    T weight = uniform(bound, out, in);
    T bias = biased ? uniform(bound, out) : null;
    return x -> o.linear(x, weight, bias);
  }

  private UnaryOperator<T> conv(int in, int out, int size, Window window, boolean biased) {
    double bound = 1 / Math.sqrt(in * size * size);
    T weight = uniform(bound, out, in, size, size);
    T bias = biased ? uniform(bound, out) : null;
    return x -> biased ? o.conv2d(x, weight, bias, window) : o.conv2d(x, weight, window);
  }

  /// A convolution without bias and a batch normalization.
  private UnaryOperator<T> normalized(int in, int out, int size, int stride, boolean training) {
    UnaryOperator<T> conv = conv(in, out, size, new Window(stride, size / 2, 1, 1), false);
    T weight = constant(1, out);
    T bias = constant(0, out);
    T mean = o.floats(new float[out], out);
    T variance = o.floats(filled(1, out), out);
    return x -> o.batchNorm(conv.apply(x), weight, bias, mean, variance, training);
  }

  private UnaryOperator<T> layerNorm(int width) {
    T weight = constant(1, width);
    T bias = constant(0, width);
    return x -> o.layerNorm(x, weight, bias);
  }

  private UnaryOperator<T> embedding(int rows, int width) {
    float[] values = Batches.noise(seed++, rows * width);
    for (int i = 0; i < values.length; i++) {
      values[i] *= 0.02f;
    }
    T table = learned(values, rows, width);
    return x -> o.embedding(table, x);
  }

  private UnaryOperator<T> feedForward(int width) {
    UnaryOperator<T> in = linear(width, 4 * width);
    UnaryOperator<T> out = linear(4 * width, width);
    return x -> out.apply(o.gelu(in.apply(x)));
  }

  private UnaryOperator<T> attention(int batch, int time, int width, boolean causal) {
    UnaryOperator<T> in = linear(width, 3 * width);
    UnaryOperator<T> out = linear(width, width);
    return x -> {
      List<T> parts = o.chunk(in.apply(x), 3);
      T heads =
          o.attention(
              heads(parts.get(0), batch, time, width),
              heads(parts.get(1), batch, time, width),
              heads(parts.get(2), batch, time, width),
              causal);
      return out.apply(o.reshape(o.transpose(heads, 1, 2), batch, time, width));
    };
  }

  private T heads(T x, int batch, int time, int width) {
    return o.transpose(o.reshape(x, batch, time, 4, width / 4), 1, 2);
  }

  // ---- parameters

  private T uniform(double bound, long... shape) {
    Random random = new Random(seed++);
    float[] values = new float[size(shape)];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) (bound * (2 * random.nextDouble() - 1));
    }
    return learned(values, shape);
  }

  private T constant(float value, int size) {
    return learned(filled(value, size), size);
  }

  private T learned(float[] values, long... shape) {
    count += values.length;
    T plain = o.floats(values, shape);
    if (!learns) {
      return plain;
    }
    T parameter = o.parameter(plain);
    parameters.add(parameter);
    return parameter;
  }

  private static float[] filled(float value, int size) {
    float[] values = new float[size];
    java.util.Arrays.fill(values, value);
    return values;
  }

  private static int size(long[] shape) {
    long size = 1;
    for (long each : shape) {
      size *= each;
    }
    return Math.toIntExact(size);
  }

  private static long[] range(int size) {
    return java.util.stream.LongStream.range(0, size).toArray();
  }
}
