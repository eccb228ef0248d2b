package taper.benchmarks.peers;

import java.io.IOException;
import org.bytedeco.javacpp.LongPointer;
import org.bytedeco.javacpp.PointerScope;
import org.bytedeco.pytorch.AdamW;
import org.bytedeco.pytorch.AdamWOptions;
import org.bytedeco.pytorch.Conv2dImpl;
import org.bytedeco.pytorch.Conv2dOptions;
import org.bytedeco.pytorch.DropoutImpl;
import org.bytedeco.pytorch.LinearImpl;
import org.bytedeco.pytorch.Module;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.global.torch;
import taper.benchmarks.Batches;
import taper.benchmarks.StepClock;
import taper.benchmarks.Workload;

/// The MNIST network on libtorch's C++ interface, driven through the JavaCPP presets.
public final class BytedecoLibtorch implements Workload {
  private static final class Net extends Module {
    final Conv2dImpl first = conv(1, 32);
    final Conv2dImpl second = conv(32, 64);
    final LinearImpl hidden = new LinearImpl(3136, 128);
    final DropoutImpl dropout = new DropoutImpl(0.5);
    final LinearImpl output = new LinearImpl(128, 10);

    Net() {
      register_module("first", first);
      register_module("second", second);
      register_module("hidden", hidden);
      register_module("dropout", dropout);
      register_module("output", output);
    }

    private static Conv2dImpl conv(long in, long out) {
      var options = new Conv2dOptions(in, out, new LongPointer(3, 3));
      options.padding().put(new LongPointer(1, 1));
      return new Conv2dImpl(options);
    }

    Tensor forward(Tensor x) {
      x = torch.max_pool2d(torch.relu(first.forward(x)), 2, 2);
      x = torch.max_pool2d(torch.relu(second.forward(x)), 2, 2);
      x = torch.relu(hidden.forward(torch.flatten(x, 1, -1)));
      return output.forward(dropout.forward(x));
    }
  }

  private final Net net;
  private final AdamW optimizer;
  private final Tensor[] images;
  private final Tensor[] labels;

  private BytedecoLibtorch(int threads, Batches batches) {
    torch.set_num_threads(threads);
    torch.manual_seed(0);
    net = new Net();
    net.train(true);
    optimizer = new AdamW(net.parameters(), new AdamWOptions(1e-3));
    images = new Tensor[batches.count()];
    labels = new Tensor[batches.count()];
    for (int i = 0; i < images.length; i++) {
      images[i] = Tensor.create(batches.images()[i], batches.size(), 1, 28, 28);
      labels[i] = Tensor.create(batches.labels()[i], batches.size());
    }
  }

  @Override
  public String name() {
    return "libtorch 2.10.0 (JavaCPP)";
  }

  @Override
  public float step(int batch) {
    try (var _ = new PointerScope()) {
      optimizer.zero_grad();
      Tensor loss = torch.cross_entropy_loss(net.forward(images[batch]), labels[batch]);
      loss.backward();
      optimizer.step();
      return loss.item_float();
    }
  }

  @Override
  public void close() {
    net.close();
  }

  /// Measures as [StepClock.Task#of(String...)] says.
  public static void main(String... arguments) throws IOException {
    StepClock.Task task = StepClock.Task.of(arguments);
    try (var workload = new BytedecoLibtorch(task.threads(), task.batches())) {
      StepClock.report(workload, task, System.out);
    }
  }
}
