package taper.benchmarks;

import java.io.IOException;
import taper.nn.Conv2d;
import taper.nn.CrossEntropyLoss;
import taper.nn.Dropout;
import taper.nn.Flatten;
import taper.nn.Linear;
import taper.nn.MaxPool2d;
import taper.nn.ReLU;
import taper.nn.Sequential;
import taper.optim.AdamW;
import taper.tensor.Memory;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// The MNIST network on Taper.
public final class TaperMnist implements Workload {
  private final String name;
  private final Sequential model;
  private final CrossEntropyLoss criterion = new CrossEntropyLoss();
  private final AdamW optimizer;
  private final Tensor[] images;
  private final Tensor[] labels;

  private TaperMnist(Batches batches) {
    Tensor.manualSeed(0);
    name = "Taper (" + System.getProperty("taper.kernels", "x86") + ")";
    model =
        new Sequential(
            new Conv2d(1, 32, 3, o -> o.padding(1)),
            new ReLU(),
            new MaxPool2d(2),
            new Conv2d(32, 64, 3, o -> o.padding(1)),
            new ReLU(),
            new MaxPool2d(2),
            new Flatten(),
            new Linear(3136, 128),
            new ReLU(),
            new Dropout(0.5),
            new Linear(128, 10));
    optimizer = new AdamW(model.parameters(), o -> o.lr(1e-3));
    images = new Tensor[batches.count()];
    labels = new Tensor[batches.count()];
    for (int i = 0; i < images.length; i++) {
      images[i] = Tensor.of(batches.images()[i], batches.size(), 1, 28, 28);
      labels[i] = Tensor.of(batches.labels()[i]);
    }
  }

  /// The network, ready to learn these batches.
  static TaperMnist on(StepClock.Task task) {
    Threads.setNumThreads(task.threads());
    return new TaperMnist(task.batches());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public float step(int batch) {
    try (var _ = Memory.scope("step")) {
      optimizer.zeroGrad();
      Tensor loss = criterion.call(model.call(images[batch]), labels[batch]);
      loss.backward();
      optimizer.step();
      return (float) loss.item();
    }
  }

  @Override
  public void close() {}

  /// Measures as [StepClock.Task#of(String...)] says.
  ///
  /// @throws IOException if the data cannot be read
  public static void main(String... arguments) throws IOException {
    StepClock.Task task = StepClock.Task.of(arguments);
    try (var workload = on(task)) {
      StepClock.report(workload, task, System.out);
    }
  }
}
