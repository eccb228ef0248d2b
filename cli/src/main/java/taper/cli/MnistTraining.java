package taper.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import taper.data.DataLoader;
import taper.data.Example;
import taper.nn.Conv2d;
import taper.nn.CrossEntropyLoss;
import taper.nn.Dropout;
import taper.nn.Flatten;
import taper.nn.Linear;
import taper.nn.MaxPool2d;
import taper.nn.ReLU;
import taper.nn.Sequential;
import taper.optim.AdamW;
import taper.tensor.Autograd;
import taper.tensor.Memory;
import taper.tensor.Tensor;
import taper.tensor.Threads;
import taper.vision.Compose;
import taper.vision.Mnist;
import taper.vision.Normalize;
import taper.vision.ToTensor;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.json.JsonMapper;

/// The training behind `taper train mnist`: two convolutions, two linear layers, AdamW.
final class MnistTraining {
  private static final int EVALUATION_BATCH = 500;

  private final int epochs;
  private final long steps;
  private final int batchSize;
  private final double lr;
  private final int workers;
  private final Progress progress;
  private final Sequential model;
  private final CrossEntropyLoss loss = new CrossEntropyLoss();

  /// What came out of one epoch.
  ///
  /// @param trainLoss the mean loss over the training digits, as they were seen
  /// @param trainAccuracy the share of right answers meanwhile, 0 to 1
  /// @param testLoss the mean loss over the test digits afterwards
  /// @param testAccuracy the share of right answers there, 0 to 1
  /// @param seconds how long the training part took
  record Epoch(
      double trainLoss,
      double trainAccuracy,
      double testLoss,
      double testAccuracy,
      double seconds) {}

  /// What came out of a training.
  ///
  /// @param parameters how many numbers the model learns
  /// @param epochs one entry per epoch
  record Result(long parameters, List<Epoch> epochs) {

    void write(Path file, long seed) {
      try (var writer = Files.newBufferedWriter(file, StandardCharsets.UTF_8);
          JsonGenerator json = JsonMapper.shared().createGenerator(writer)) {
        json.writeStartObject();
        json.writeNumberProperty("seed", seed);
        json.writeNumberProperty("threads", Threads.numThreads());
        json.writeNumberProperty("parameters", parameters);
        json.writeStringProperty("version", About.version());
        json.writeStringProperty("machine", About.machine());
        json.writeArrayPropertyStart("epochs");
        for (int e = 0; e < epochs.size(); e++) {
          Epoch epoch = epochs.get(e);
          json.writeStartObject();
          json.writeNumberProperty("epoch", e + 1);
          json.writeNumberProperty("trainLoss", epoch.trainLoss);
          json.writeNumberProperty("trainAccuracy", epoch.trainAccuracy);
          json.writeNumberProperty("testLoss", epoch.testLoss);
          json.writeNumberProperty("testAccuracy", epoch.testAccuracy);
          json.writeNumberProperty("seconds", epoch.seconds);
          json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
      } catch (IOException e) {
        throw new UncheckedIOException("--json " + file + " cannot be written: " + e, e);
      }
    }
  }

  MnistTraining(
      int epochs, long steps, int batchSize, double lr, long seed, int workers, Progress progress) {
    this.epochs = epochs;
    this.steps = steps;
    this.batchSize = batchSize;
    this.lr = lr;
    this.workers = workers;
    this.progress = progress;
    Tensor.manualSeed(seed);
    this.model =
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
  }

  /// The state dict of the model.
  Map<String, Tensor> weights() {
    return model.stateDict();
  }

  Result run() {
    var optimizer = new AdamW(model.parameters(), o -> o.lr(lr));
    var results = new ArrayList<Epoch>();
    try (var train = loader(true);
        var test = loader(false)) {
      for (int epoch = 1; epoch <= epochs; epoch++) {
        String title = "epoch %d/%d".formatted(epoch, epochs);
        long left = Math.min(steps, train.size());
        progress.begin(title, left);
        long start = System.nanoTime();
        var seen = new Tally();
        model.train();
        for (var batches = train.iterator(); left > 0; left--) {
          Example batch = batches.next();
          try (var scope = Memory.scope("training step")) {
            scope.own(batch.input(), batch.target());
            Step step = step(optimizer, batch);
            seen.add(step, batch.target());
          }
          progress.step((int) batch.target().numel(), seen.loss(), seen.accuracy());
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        Tally tested = evaluate(test);
        results.add(
            new Epoch(seen.loss(), seen.accuracy(), tested.loss(), tested.accuracy(), seconds));
        progress.end(
            "%s  train loss %.4f  accuracy %5.2f %%  test loss %.4f  accuracy %5.2f %%  %.1f s  %,.0f images/s"
                .formatted(
                    title,
                    seen.loss(),
                    100 * seen.accuracy(),
                    tested.loss(),
                    100 * tested.accuracy(),
                    seconds,
                    seen.count / seconds));
      }
    }
    long parameters = model.parameters().stream().mapToLong(Tensor::numel).sum();
    return new Result(parameters, List.copyOf(results));
  }

  private DataLoader<Example> loader(boolean train) {
    var transform = new Compose(new ToTensor(), new Normalize(0.1307, 0.3081));
    return train
        ? new DataLoader<>(
            Mnist.train(transform), o -> o.batchSize(batchSize).shuffle(true).workers(workers))
        : new DataLoader<>(
            Mnist.test(transform), o -> o.batchSize(EVALUATION_BATCH).workers(workers));
  }

  private record Step(Tensor output, double loss) {}

  private Step step(AdamW optimizer, Example batch) {
    Tensor output = model.call(batch.input());
    Tensor error = loss.call(output, batch.target());
    optimizer.zeroGrad();
    error.backward();
    optimizer.step();
    return new Step(output, error.item());
  }

  /// The losses of the first `steps` steps, for tests of repeatability.
  List<Double> losses(int steps) {
    var result = new ArrayList<Double>();
    var optimizer = new AdamW(model.parameters(), o -> o.lr(lr));
    try (var train = loader(true)) {
      var batches = train.iterator();
      for (int i = 0; i < steps; i++) {
        Example batch = batches.next();
        try (var step = Memory.scope("training step")) {
          step.own(batch.input(), batch.target());
          result.add(step(optimizer, batch).loss);
        }
      }
    }
    return result;
  }

  private Tally evaluate(DataLoader<Example> test) {
    model.eval();
    var tally = new Tally();
    try (var _ = Autograd.noGrad()) {
      for (Example batch : test) {
        try (var scope = Memory.scope("evaluation step")) {
          scope.own(batch.input(), batch.target());
          Tensor output = model.call(batch.input());
          tally.add(new Step(output, loss.call(output, batch.target()).item()), batch.target());
        }
      }
    }
    return tally;
  }

  /// Sums losses and right answers over batches.
  private static final class Tally {
    private double lossSum;
    private long right;
    private long count;

    void add(Step step, Tensor target) {
      try (var _ = Autograd.noGrad()) {
        long n = target.numel();
        lossSum += step.loss * n;
        right += step.output.argmax(1, false).eq(target).sum().itemLong();
        count += n;
      }
    }

    double loss() {
      return lossSum / count;
    }

    double accuracy() {
      return (double) right / count;
    }
  }
}
