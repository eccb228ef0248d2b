package taper.examples;

import module taper;

import taper.nn.Module;

/// Trains a convolutional network on MNIST: `./taper run examples/src/main/java/taper/examples/MnistCnn.java`.
final class MnistCnn extends Module {
  private final Module features =
      new Sequential(
          new Conv2d(1, 32, 3, o -> o.padding(1)),
          new ReLU(),
          new MaxPool2d(2),
          new Conv2d(32, 64, 3, o -> o.padding(1)),
          new ReLU(),
          new MaxPool2d(2),
          new Flatten());
  private final Linear hidden = new Linear(3136, 128);
  private final Dropout dropout = new Dropout(0.5);
  private final Linear classes = new Linear(128, 10);

  @Override
  protected Tensor forward(Tensor x) {
    x = features.call(x);
    x = dropout.call(hidden.call(x).relu());
    return classes.call(x);
  }

  static void main(String[] arguments) {
    int epochs = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 3;
    Tensor.manualSeed(0);
    var transform = new Compose(new ToTensor(), new Normalize(0.1307, 0.3081));
    var train = new DataLoader<>(Mnist.train(transform), o -> o.batchSize(64).shuffle(true));
    var test = new DataLoader<>(Mnist.test(transform), o -> o.batchSize(500));
    var model = new MnistCnn();
    var optimizer = new AdamW(model.parameters(), o -> o.lr(1e-3));
    var criterion = new CrossEntropyLoss();

    for (int epoch = 1; epoch <= epochs; epoch++) {
      model.train();
      for (var batch : train) {
        optimizer.zeroGrad();
        var loss = criterion.call(model.call(batch.input()), batch.target());
        loss.backward();
        optimizer.step();
      }
      model.eval();
      long right = 0;
      try (var _ = Autograd.noGrad()) {
        for (var batch : test) {
          var answers = model.call(batch.input()).argmax(1);
          right += answers.eq(batch.target()).sum().itemLong();
        }
      }
      IO.println("epoch %d: %.2f %% of the test digits".formatted(epoch, right / 100.0));
    }
  }
}
