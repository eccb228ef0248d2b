package taper.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import taper.benchmarks.work.Batches;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Workload;
import taper.benchmarks.work.Workloads;
import taper.nn.Conv2d;
import taper.nn.CrossEntropyLoss;
import taper.nn.Dropout;
import taper.nn.Embedding;
import taper.nn.Flatten;
import taper.nn.GELU;
import taper.nn.LSTM;
import taper.nn.LayerNorm;
import taper.nn.Linear;
import taper.nn.MaxPool2d;
import taper.nn.Module;
import taper.nn.ReLU;
import taper.nn.Sequential;
import taper.optim.AdamW;
import taper.optim.Optimizer;
import taper.optim.SGD;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;
import taper.vision.models.ResNet;

/// The networks that are measured, on Taper; `Networks` has the same for the peers.
final class TaperNetworks {
  private static final int HEADS = 4;

  private TaperNetworks() {}

  /// The workload of the name.
  ///
  /// @throws IllegalArgumentException if there is none
  static Workload of(String name, Setting setting) {
    int batch = setting.batchOr(Workloads.named(name).batch());
    int width = setting.widthOr(Workloads.named(name).width());
    return switch (name) {
      case "mnist-cnn-train" -> mnist(setting, batch, width);
      case "mlp-train" -> mlp(setting, batch, width);
      case "gpt-small-train" -> gpt(batch, width);
      case "resnet18-cifar-train" -> resnet18(batch);
      case "resnet50-infer" -> resnet50(batch);
      case "bert-mini-infer" -> bert(batch, width);
      case "lstm-train" -> lstm(batch, width);
      default -> throw new IllegalArgumentException("There is no workload %s.".formatted(name));
    };
  }

  // Workloads

  private static Workload mnist(Setting setting, int batch, int width) {
    var model =
        new Sequential(
            new Conv2d(1, width, 3, o -> o.padding(1)),
            new ReLU(),
            new MaxPool2d(2),
            new Conv2d(width, 2L * width, 3, o -> o.padding(1)),
            new ReLU(),
            new MaxPool2d(2),
            new Flatten(),
            new Linear(98L * width, 128),
            new ReLU(),
            new Dropout(0.5),
            new Linear(128, 10));
    return classifier(model, adamW(model), Batches.digits(setting, batch), batch, 1, 28, 28);
  }

  private static Workload mlp(Setting setting, int batch, int width) {
    var model =
        new Sequential(
            new Linear(784, width),
            new ReLU(),
            new Linear(width, width),
            new ReLU(),
            new Linear(width, 10));
    return classifier(model, sgd(model), Batches.digits(setting, batch), batch, 784);
  }

  /// The stages of the usual network, behind the first convolution that suits small images.
  private static Workload resnet18(int batch) {
    var usual = ResNet.resnet18(o -> o.numClasses(10)).namedChildren();
    var layers = new LinkedHashMap<String, Module>();
    layers.put("conv1", new Conv2d(3, 64, 3, o -> o.padding(1).bias(false)));
    for (String name : List.of("bn1", "relu", "layer1", "layer2", "layer3", "layer4", "avgpool")) {
      layers.put(name, Objects.requireNonNull(usual.get(name)));
    }
    layers.put("flatten", new Flatten());
    layers.put("fc", Objects.requireNonNull(usual.get("fc")));
    var model = new Sequential(layers);
    return classifier(
        model, sgd(model), Batches.random(4, batch, 3 * 32 * 32, 10), batch, 3, 32, 32);
  }

  private static Workload resnet50(int batch) {
    return inference(
        ResNet.resnet50(), Tensor.of(Batches.noise(1, batch * 3 * 224 * 224), batch, 3, 224, 224));
  }

  private static Workload gpt(int batch, int width) {
    int time = 64;
    int vocabulary = 65;
    var model = new Gpt(vocabulary, time, width);
    List<Tensor> inputs = new ArrayList<>();
    List<Tensor> targets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      inputs.add(Tensor.of(Batches.tokens(i, batch * time, vocabulary), batch, time));
      targets.add(Tensor.of(Batches.tokens(i + 10, batch * time, vocabulary)));
    }
    return training(model, adamW(model), inputs, targets, vocabulary);
  }

  private static Workload bert(int batch, int width) {
    int time = 128;
    return inference(
        new Bert(30522, batch, time, width),
        Tensor.of(Batches.tokens(1, batch * time, 30522), batch, time));
  }

  private static Workload lstm(int batch, int width) {
    int time = 64;
    var model = new Recurrent(width);
    List<Tensor> inputs = new ArrayList<>();
    List<Tensor> targets = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      inputs.add(Tensor.of(Batches.noise(i, time * batch * width), time, batch, width));
      targets.add(Tensor.of(Batches.tokens(i, time * batch, 10)));
    }
    return training(model, adamW(model), inputs, targets, 10);
  }

  // What a step is

  private static AdamW adamW(Module model) {
    return new AdamW(model.parameters(), o -> o.lr(1e-3));
  }

  private static SGD sgd(Module model) {
    return new SGD(model.parameters(), o -> o.lr(0.01).momentum(0.9));
  }

  private static Workload classifier(
      Module model, Optimizer<?> optimizer, Batches batches, long... shape) {
    List<Tensor> inputs = new ArrayList<>();
    List<Tensor> targets = new ArrayList<>();
    for (int i = 0; i < batches.count(); i++) {
      inputs.add(Tensor.of(batches.images()[i], shape));
      targets.add(Tensor.of(batches.labels()[i]));
    }
    return training(model, optimizer, inputs, targets, 10);
  }

  private static Workload training(
      Module model,
      Optimizer<?> optimizer,
      List<Tensor> inputs,
      List<Tensor> targets,
      int classes) {
    var criterion = new CrossEntropyLoss();
    return new Workload() {
      @Override
      public float run(int step) {
        int batch = step % inputs.size();
        try (var _ = Memory.scope("step")) {
          optimizer.zeroGrad();
          Tensor output = model.call(inputs.get(batch));
          Tensor loss = criterion.call(output.reshape(-1, classes), targets.get(batch));
          loss.backward();
          optimizer.step();
          return (float) loss.item();
        }
      }

      @Override
      public long parameters() {
        return count(model);
      }
    };
  }

  private static Workload inference(Module model, Tensor input) {
    model.eval();
    return new Workload() {
      @Override
      public float run(int step) {
        try (var _ = Autograd.noGrad();
            var _ = Memory.scope("step")) {
          return (float) model.call(input).flatten().narrow(0, 0, 1).item();
        }
      }

      @Override
      public long parameters() {
        return count(model);
      }
    };
  }

  private static long count(Module model) {
    return model.parameters().stream().mapToLong(Tensor::numel).sum();
  }

  // Parts of networks

  private static Sequential feedForward(int width) {
    return new Sequential(new Linear(width, 4L * width), new GELU(), new Linear(4L * width, width));
  }

  private static final class SelfAttention extends Module {
    private final Linear in;
    private final Linear out;
    private final transient boolean causal;

    SelfAttention(int width, boolean causal) {
      in = new Linear(width, 3L * width);
      out = new Linear(width, width);
      this.causal = causal;
    }

    @Override
    protected Tensor forward(Tensor x) { // [batch, time, width]
      List<Tensor> parts = in.call(x).chunk(3, -1).stream().map(SelfAttention::heads).toList();
      Tensor heads =
          parts.get(0).scaledDotProductAttention(parts.get(1), parts.get(2), o -> o.causal(causal));
      return out.call(heads.transpose(1, 2).reshape(x.size(0), x.size(1), x.size(2)));
    }

    private static Tensor heads(Tensor x) { // to [batch, heads, time, width / heads]
      return x.reshape(x.size(0), x.size(1), HEADS, x.size(2) / HEADS).transpose(1, 2);
    }
  }

  /// A layer of a transformer: normalized before each part, as in GPT, or after it, as in BERT.
  private static final class Block extends Module {
    private final SelfAttention attention;
    private final Sequential feed;
    private final LayerNorm first;
    private final LayerNorm second;
    private final transient boolean before;

    Block(int width, boolean before) {
      attention = new SelfAttention(width, before);
      feed = feedForward(width);
      first = new LayerNorm(width);
      second = new LayerNorm(width);
      this.before = before;
    }

    @Override
    protected Tensor forward(Tensor x) {
      if (before) {
        Tensor y = x.add(attention.call(first.call(x)));
        return y.add(feed.call(second.call(y)));
      }
      Tensor y = first.call(x.add(attention.call(x)));
      return second.call(y.add(feed.call(y)));
    }
  }

  private static Sequential blocks(int width, boolean before) {
    var blocks = new Module[4];
    Arrays.setAll(blocks, _ -> new Block(width, before));
    return new Sequential(blocks);
  }

  private static Embedding embedding(int rows, int width) {
    var embedding = new Embedding(rows, width);
    Autograd.noGrad(() -> embedding.weight().mul_(0.02));
    return embedding;
  }

  private static final class Recurrent extends Module {
    private final LSTM lstm;
    private final Linear out;

    Recurrent(int width) {
      lstm = new LSTM(width, width, o -> o.numLayers(2));
      out = new Linear(width, 10);
    }

    @Override
    protected Tensor forward(Tensor x) { // [time, batch, width]
      return out.call(lstm.run(x).output());
    }
  }

  private static final class Gpt extends Module {
    private final Embedding token;
    private final Embedding position;
    private final Sequential blocks;
    private final LayerNorm last;
    private final Linear head;
    private final transient Tensor positions;

    Gpt(int vocabulary, int time, int width) {
      token = embedding(vocabulary, width);
      position = embedding(time, width);
      blocks = blocks(width, true);
      last = new LayerNorm(width);
      head = new Linear(width, vocabulary, o -> o.bias(false));
      positions = Tensor.arange(time);
    }

    @Override
    protected Tensor forward(Tensor x) {
      Tensor sum = token.call(x).add(position.call(positions));
      return head.call(last.call(blocks.call(sum)));
    }
  }

  private static final class Bert extends Module {
    private final Embedding token;
    private final Embedding position;
    private final Embedding segment;
    private final LayerNorm first;
    private final Sequential blocks;
    private final transient Tensor positions;
    private final transient Tensor segments;

    Bert(int vocabulary, int batch, int time, int width) {
      token = embedding(vocabulary, width);
      position = embedding(512, width);
      segment = embedding(2, width);
      first = new LayerNorm(width);
      blocks = blocks(width, false);
      positions = Tensor.arange(time);
      segments = Tensor.zeros(DType.INT64, batch, time);
    }

    @Override
    protected Tensor forward(Tensor x) {
      Tensor sum = token.call(x).add(position.call(positions)).add(segment.call(segments));
      return blocks.call(first.call(sum));
    }
  }
}
