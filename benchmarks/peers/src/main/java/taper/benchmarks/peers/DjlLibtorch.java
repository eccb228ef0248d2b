package taper.benchmarks.peers;

import ai.djl.Device;
import ai.djl.Model;
import ai.djl.engine.Engine;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.nn.Activation;
import ai.djl.nn.Blocks;
import ai.djl.nn.SequentialBlock;
import ai.djl.nn.convolutional.Conv2d;
import ai.djl.nn.core.Linear;
import ai.djl.nn.norm.Dropout;
import ai.djl.nn.pooling.Pool;
import ai.djl.training.DefaultTrainingConfig;
import ai.djl.training.GradientCollector;
import ai.djl.training.Trainer;
import ai.djl.training.loss.Loss;
import ai.djl.training.optimizer.Optimizer;
import ai.djl.training.tracker.Tracker;
import java.io.IOException;
import taper.benchmarks.Batches;
import taper.benchmarks.StepClock;
import taper.benchmarks.Workload;

/// The MNIST network on the official libtorch, driven through DJL.
public final class DjlLibtorch implements Workload {
  private final Model model;
  private final Trainer trainer;
  private final Loss loss = Loss.softmaxCrossEntropyLoss();
  private final NDList[] images;
  private final NDList[] labels;

  private DjlLibtorch(Batches batches) {
    Engine.getInstance().setRandomSeed(0);
    model = Model.newInstance("mnist", Device.cpu());
    model.setBlock(
        new SequentialBlock()
            .add(
                Conv2d.builder()
                    .setKernelShape(new Shape(3, 3))
                    .optPadding(new Shape(1, 1))
                    .setFilters(32)
                    .build())
            .add(Activation.reluBlock())
            .add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)))
            .add(
                Conv2d.builder()
                    .setKernelShape(new Shape(3, 3))
                    .optPadding(new Shape(1, 1))
                    .setFilters(64)
                    .build())
            .add(Activation.reluBlock())
            .add(Pool.maxPool2dBlock(new Shape(2, 2), new Shape(2, 2)))
            .add(Blocks.batchFlattenBlock())
            .add(Linear.builder().setUnits(128).build())
            .add(Activation.reluBlock())
            .add(Dropout.builder().optRate(0.5f).build())
            .add(Linear.builder().setUnits(10).build()));
    var optimizer =
        Optimizer.adamW()
            .optLearningRateTracker(Tracker.fixed(1e-3f))
            .optWeightDecays(0.01f)
            .build();
    trainer =
        model.newTrainer(
            new DefaultTrainingConfig(loss)
                .optOptimizer(optimizer)
                .optDevices(new Device[] {Device.cpu()}));
    trainer.initialize(new Shape(batches.size(), 1, 28, 28));
    NDManager manager = model.getNDManager();
    images = new NDList[batches.count()];
    labels = new NDList[batches.count()];
    for (int i = 0; i < images.length; i++) {
      images[i] =
          new NDList(manager.create(batches.images()[i], new Shape(batches.size(), 1, 28, 28)));
      labels[i] = new NDList(manager.create(batches.labels()[i]));
    }
  }

  @Override
  public String name() {
    return "libtorch " + Engine.getInstance().getVersion() + " (DJL)";
  }

  @Override
  public float step(int batch) {
    try (NDManager scope = trainer.getManager().newSubManager()) {
      // The temporaries of the step are freed with the scope, as DJL's own training loop does.
      NDList input = new NDList(images[batch].singletonOrThrow().duplicate());
      input.attach(scope);
      NDArray value;
      try (GradientCollector collector = trainer.newGradientCollector()) {
        NDList output = trainer.forward(input);
        value = loss.evaluate(labels[batch], output);
        collector.backward(value);
        value.attach(scope);
        output.attach(scope);
      }
      trainer.step();
      return value.getFloat();
    }
  }

  @Override
  public void close() {
    trainer.close();
    model.close();
  }

  /// Measures as [StepClock.Task#of(String...)] says.
  public static void main(String... arguments) throws IOException {
    StepClock.Task task = StepClock.Task.of(arguments);
    System.setProperty("ai.djl.pytorch.num_threads", String.valueOf(task.threads()));
    System.setProperty("ai.djl.pytorch.num_interop_threads", "1");
    System.setProperty("ai.djl.offline", "true");
    System.setProperty("OPT_OUT_TRACKING", "true");
    try (var workload = new DjlLibtorch(task.batches())) {
      StepClock.report(workload, task, System.out);
    }
  }
}
