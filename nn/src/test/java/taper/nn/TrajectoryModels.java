package taper.nn;

import java.util.List;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import taper.tensor.DType;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// The models and data of the reference trajectories, written as their notes describe them.
final class TrajectoryModels {
  private TrajectoryModels() {}

  /// Inputs and targets.
  record Data(Tensor x, Tensor y) {}

  static Data data(String id, JsonNode p) {
    return switch (id.charAt(0)) {
      case 'a', 'h' -> id.startsWith("a3") ? regression(p) : classes(p);
      case 'b', 'c' -> images(p);
      case 'd' -> counts(p);
      case 'e' -> sequences(p);
      case 'f' -> labels(p);
      default -> throw new IllegalArgumentException(id);
    };
  }

  private static Data classes(JsonNode p) {
    long n = p.get("n").asLong();
    long classes = p.get("classes").asLong();
    Tensor x = Tensor.randn(n, p.get("d").asLong());
    Tensor w = Tensor.randn(p.get("d").asLong(), classes);
    return new Data(x, x.matmul(w).add(Tensor.randn(n, classes).mul(0.1)).argmax(1));
  }

  private static Data regression(JsonNode p) {
    long n = p.get("n").asLong();
    Tensor x = Tensor.randn(n, p.get("d").asLong());
    return new Data(x, x.sum(1, true).sin().add(Tensor.randn(n, 1).mul(0.05)));
  }

  private static Data labels(JsonNode p) {
    long n = p.get("n").asLong();
    Tensor x = Tensor.randn(n, p.get("d").asLong());
    Tensor w = Tensor.randn(p.get("d").asLong(), p.get("labels").asLong());
    return new Data(x, x.matmul(w).gt(0.5).to(DType.FLOAT32));
  }

  private static Data images(JsonNode p) {
    long n = p.get("n").asLong();
    long side = p.get("side").asLong();
    Tensor y = Tensor.randint(0, p.get("classes").asLong(), n);
    Tensor x = Tensor.randn(n, p.get("c").asLong(), side, side).mul(0.5);
    long[] classes = y.toLongArray();
    for (int i = 0; i < n; i++) {
      x.select(0, i).select(1, classes[i] % side).add_(1L);
    }
    return new Data(x, y);
  }

  private static Data sequences(JsonNode p) {
    long t = p.get("T").asLong();
    long vocab = p.get("vocab").asLong();
    Tensor s = Tensor.randint(0, vocab, p.get("n").asLong(), t + 1);
    for (long odd = 1; odd <= t; odd += 2) {
      s.select(1, odd).copy_(s.select(1, odd - 1).mul(3L).add(1L).remainder(vocab));
    }
    return new Data(s.narrow(1, 0, t).contiguous(), s.narrow(1, 1, t).contiguous());
  }

  private static Data counts(JsonNode p) {
    long t = p.get("T").asLong();
    long vocab = p.get("vocab").asLong();
    Tensor x = Tensor.randint(0, vocab, p.get("n").asLong(), t);
    Tensor small = x.lt(vocab / 2).sum(1);
    return new Data(x, small.mul(p.get("classes").asLong()).floorDivide(t + 1));
  }

  static Module model(String id) {
    return switch (id.substring(0, 2)) {
      case "a0" -> mlp(8, 16, 3, ReLU::new);
      case "a1" -> mlp(5, 12, 4, Tanh::new);
      case "a3" -> mlp(3, 16, 1, SiLU::new);
      case "f0" -> mlp(9, 16, 6, ReLU::new);
      case "b0" -> cnn(32, 64, 3136, 128, 0.5, 10);
      case "b1" -> cnn(6, 8, 72, 16, 0.25, 5);
      case "c0" -> new ResNet(3, 8, 5, BatchNorm2d::new);
      case "c1" -> new ResNet(2, 6, 4, channels -> new GroupNorm(2, channels));
      case "d0" ->
          new SeqClassifier(
              11, 6, () -> new LSTM(6, 10, o -> o.numLayers(2).batchFirst(true)), 10, 3);
      case "e0" -> new GPT(17, 12, 32, 2, 0, false);
      case "e1" -> new GPT(13, 10, 24, 3, 0.1, true);
      case "h0" -> dropoutMlp(12, 3);
      case "h1" -> dropoutMlp(10, 4);
      default -> throw new IllegalArgumentException(id);
    };
  }

  private static Module mlp(
      long in, long hidden, long out, java.util.function.Supplier<Module> activation) {
    return new Sequential(
        new Linear(in, hidden),
        activation.get(),
        new Linear(hidden, hidden),
        activation.get(),
        new Linear(hidden, out));
  }

  private static Module dropoutMlp(long hidden, long out) {
    return new Sequential(
        new Linear(6, hidden),
        new BatchNorm1d(hidden),
        new ReLU(),
        new Dropout(0.3),
        new Linear(hidden, out));
  }

  private static Module cnn(long c1, long c2, long flat, long hidden, double p, long classes) {
    return new Sequential(
        new Conv2d(1, c1, 3, o -> o.padding(1)),
        new ReLU(),
        new MaxPool2d(2),
        new Conv2d(c1, c2, 3, o -> o.padding(1)),
        new ReLU(),
        new MaxPool2d(2),
        new Flatten(),
        new Linear(flat, hidden),
        new ReLU(),
        new Dropout(p),
        new Linear(hidden, classes));
  }

  private static final class ResBlock extends Module {
    private final Conv2d conv1;
    private final Module norm1;
    private final Conv2d conv2;
    private final Module norm2;

    @Key("short")
    private final Sequential shortcut;

    ResBlock(long in, long out, int stride, LongFunction<Module> norm) {
      conv1 = new Conv2d(in, out, 3, o -> o.stride(stride).padding(1).bias(false));
      norm1 = norm.apply(out);
      conv2 = new Conv2d(out, out, 3, o -> o.padding(1).bias(false));
      norm2 = norm.apply(out);
      shortcut =
          stride == 1
              ? new Sequential()
              : new Sequential(
                  new Conv2d(in, out, 1, o -> o.stride(stride).bias(false)), norm.apply(out));
    }

    @Override
    protected Tensor forward(Tensor x) {
      Tensor inner = norm2.call(conv2.call(norm1.call(conv1.call(x)).relu()));
      return inner.add(shortcut.call(x)).relu();
    }
  }

  private static final class ResNet extends Module {
    private final Conv2d conv;
    private final Module norm;
    private final ResBlock block1;
    private final ResBlock block2;
    private final Linear fc;

    ResNet(long channels, long width, long classes, LongFunction<Module> norms) {
      conv = new Conv2d(channels, width, 3, o -> o.padding(1).bias(false));
      norm = norms.apply(width);
      block1 = new ResBlock(width, width, 1, norms);
      block2 = new ResBlock(width, 2 * width, 2, norms);
      fc = new Linear(2 * width, classes);
    }

    @Override
    protected Tensor forward(Tensor x) {
      Tensor features = block2.call(block1.call(norm.call(conv.call(x)).relu()));
      return fc.call(features.mean(new int[] {2, 3}, false));
    }
  }

  private static final class SeqClassifier extends Module {
    private final Embedding emb;
    private final Module rnn;
    private final Linear fc;

    SeqClassifier(long vocab, long size, Supplier<Module> rnn, long out, long classes) {
      emb = new Embedding(vocab, size);
      this.rnn = rnn.get();
      fc = new Linear(out, classes);
    }

    @Override
    protected Tensor forward(Tensor tokens) {
      return fc.call(rnn.call(emb.call(tokens)).select(1, -1));
    }
  }

  private static final class Block extends Module {
    private final LayerNorm ln1;
    private final Linear qkv;
    private final Linear proj;
    private final Dropout drop1;
    private final LayerNorm ln2;
    private final Linear fc;
    private final Linear fc2;
    private final Dropout drop2;
    private final transient int heads;

    Block(long size, int heads, double p) {
      this.heads = heads;
      ln1 = new LayerNorm(size);
      qkv = new Linear(size, 3 * size);
      proj = new Linear(size, size);
      drop1 = new Dropout(p);
      ln2 = new LayerNorm(size);
      fc = new Linear(size, 4 * size);
      fc2 = new Linear(4 * size, size);
      drop2 = new Dropout(p);
    }

    @Override
    protected Tensor forward(Tensor input) {
      Tensor x = input.add(drop1.call(proj.call(attention(ln1.call(input)))));
      return x.add(drop2.call(fc2.call(fc.call(ln2.call(x)).gelu())));
    }

    private Tensor attention(Tensor x) {
      long n = x.size(0);
      long t = x.size(1);
      long size = x.size(2);
      List<Tensor> parts = qkv.call(x).split(size, 2);
      Tensor q = heads(parts.get(0));
      Tensor k = heads(parts.get(1));
      Tensor v = heads(parts.get(2));
      Tensor future = Tensor.ones(DType.BOOL, t, t).triu(1);
      Tensor scores = q.matmul(k.mT()).div(Math.sqrt((double) size / heads));
      Tensor weights = scores.maskedFill(future, Double.NEGATIVE_INFINITY).softmax(-1);
      return weights.matmul(v).transpose(1, 2).reshape(n, t, size);
    }

    private Tensor heads(Tensor x) {
      return x.view(x.size(0), x.size(1), heads, x.size(2) / heads).transpose(1, 2);
    }
  }

  private static final class GPT extends Module {
    private final Embedding tok;
    private final Embedding pos;
    private final ModuleList blocks;
    private final LayerNorm ln;
    private final Linear head;

    GPT(long vocab, long length, long size, int heads, double p, boolean tied) {
      tok = new Embedding(vocab, size);
      pos = new Embedding(length, size);
      blocks = new ModuleList(new Block(size, heads, p), new Block(size, heads, p));
      ln = new LayerNorm(size);
      head = new Linear(size, vocab, o -> o.bias(false));
      if (tied) {
        head.tieWeight(tok.weight());
      }
    }

    @Override
    protected Tensor forward(Tensor tokens) {
      Tensor positions = Tensor.arange(tokens.size(1));
      Tensor x = tok.call(tokens).add(pos.call(positions));
      for (Module block : blocks) {
        x = block.call(x);
      }
      Tensor logits = head.call(ln.call(x));
      return logits.reshape(-1, logits.size(-1));
    }
  }
}
