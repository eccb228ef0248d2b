package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import taper.optim.AdamW;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.ReleasedException;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

/// The promises of memory that looks after itself, on whole trainings. Some need a virtual machine of their own.
final class MemoryProofsTest {

  private static Sequential network() {
    return new Sequential(
        new Conv2d(1, 4, 3, o -> o.padding(1)),
        new BatchNorm2d(4),
        new ReLU(),
        new MaxPool2d(2),
        new Flatten(),
        new Linear(4 * 4 * 4, 16),
        new GELU(),
        new Dropout(0.5),
        new Linear(16, 10));
  }

  private static double step(Sequential model, AdamW optimizer, Tensor x, Tensor labels) {
    Tensor loss = model.call(x).crossEntropy(labels);
    optimizer.zeroGrad();
    loss.backward();
    optimizer.step();
    return loss.item();
  }

  /// Trains inside scopes for 500 steps and prints the bytes held after steps 10 and 500.
  static final class TrainInScopes {
    public static void main(String[] arguments) {
      var model = network();
      var optimizer = new AdamW(model.parameters(), o -> o.lr(1e-3));
      Tensor x = Tensor.randn(8, 1, 8, 8);
      Tensor labels = Tensor.zeros(DType.INT64, 8);
      long early = 0;
      for (int i = 1; i <= 500; i++) {
        try (var _ = Memory.scope("step")) {
          step(model, optimizer, x, labels);
        }
        if (i == 10) {
          early = Memory.allocated();
        }
      }
      System.out.println("RESULT " + early + " " + Memory.allocated());
    }
  }

  /// Makes a million tensors without a scope in 512 MiB and prints how many collections had to be forced.
  static final class MillionOperations {
    public static void main(String[] arguments) {
      Tensor x = Tensor.ones(4096); // 16 KB: 16 GB in all
      Tensor y = x;
      for (int i = 0; i < 1_000_000; i++) {
        y = x.add(1.0);
      }
      System.out.println(
          "RESULT "
              + Memory.forcedCollections()
              + " "
              + Memory.maxAllocated()
              + " "
              + (long) y.sum().item());
    }
  }

  private static long[] inItsOwnMachine(Class<?> main, String... flags)
      throws IOException, InterruptedException {
    var command = new ArrayList<String>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags));
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(300, TimeUnit.SECONDS)).as(output).isTrue();
    assertThat(output).contains("RESULT ");
    String line = output.lines().filter(l -> l.startsWith("RESULT ")).findFirst().orElseThrow();
    return java.util.Arrays.stream(line.substring(7).split(" "))
        .mapToLong(Long::parseLong)
        .toArray();
  }

  @Test
  void fiveHundredStepsInScopesHoldNoMoreBytesWithoutAnyCollector() throws Exception {
    long[] bytes =
        inItsOwnMachine(
            TrainInScopes.class, "-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx2g");

    assertThat(bytes[1]).isEqualTo(bytes[0]);
  }

  @Test
  void aMillionOperationsWithoutScopesNeedFewForcedCollections() throws Exception {
    long[] result =
        inItsOwnMachine(MillionOperations.class, "-Dtaper.memory.limit=512m", "-Xmx512m");

    assertThat(result[0]).as("forced collections").isLessThan(20);
    assertThat(result[1]).as("most bytes held").isLessThanOrEqualTo(512L << 20);
    assertThat(result[2]).isEqualTo(2 * 4096);
  }

  @Test
  void anExceptionInTheMiddleOfAStepReturnsToTheBaseline() {
    var model = network();
    var optimizer = new AdamW(model.parameters(), o -> o.lr(1e-3));
    Tensor x = Tensor.randn(8, 1, 8, 8);
    Tensor labels = Tensor.zeros(DType.INT64, 8);
    Tensor wrong = Tensor.zeros(DType.INT64, 5);
    for (int i = 0; i < 3; i++) {
      try (var _ = Memory.scope()) {
        step(model, optimizer, x, labels);
      }
    }
    long before = Memory.allocated();

    for (int i = 0; i < 5; i++) {
      try (var _ = Memory.scope()) {
        step(model, optimizer, x, wrong);
      } catch (ShapeException expected) {
        // the loss refuses five labels for eight images
      }
    }

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void twoTrainingsOnTwoThreadsGiveWhatEachGivesAlone() throws Exception {
    double alone = train(1);
    var first = new AtomicReference<Double>();
    var second = new AtomicReference<Double>();

    Thread a = Thread.ofPlatform().start(() -> first.set(train(1)));
    Thread b = Thread.ofPlatform().start(() -> second.set(train(1)));
    a.join();
    b.join();

    assertThat(first.get()).isEqualTo(alone);
    assertThat(second.get()).isEqualTo(alone);
  }

  /// Trains a network without dropout, whose mask would come from the generator that all threads share.
  private static double train(int seed) {
    Sequential model;
    Tensor x;
    synchronized (MemoryProofsTest.class) {
      Tensor.manualSeed(seed);
      model = new Sequential(new Linear(6, 32), new Tanh(), new Linear(32, 3));
      x = Tensor.randn(16, 6);
    }
    var optimizer = new AdamW(model.parameters(), o -> o.lr(1e-2));
    Tensor labels = Tensor.zeros(DType.INT64, 16);
    double loss = 0;
    for (int i = 0; i < 200; i++) {
      try (var _ = Memory.scope()) {
        loss = step(model, optimizer, x, labels);
      }
    }
    return loss;
  }

  @Test
  void useAfterReleaseThrowsAndNeverCrashes() {
    var random = new SplittableRandom(5);
    var tensors = new ArrayList<Tensor>();
    int refused = 0;
    for (int round = 0; round < 300; round++) {
      try (var _ = Memory.scope("round " + round)) {
        for (int i = 0; i < 10; i++) {
          long n = random.nextLong(1, 300);
          Tensor made = Tensor.ones(n);
          tensors.add(random.nextInt(4) == 0 ? made.keep() : made);
        }
      }
      for (int i = 0; i < 20; i++) {
        Tensor x = tensors.get(random.nextInt(tensors.size()));
        try {
          double sum =
              switch (random.nextInt(4)) {
                case 0 -> x.add(x).sum().item() / 2;
                case 1 -> x.view(-1, 1).transpose(0, 1).sum().item();
                case 2 -> x.clone().sum().item();
                default -> x.mul(1.0).reshape(1, -1).matmul(x.unsqueeze(1)).sum().item();
              };
          assertThat(sum).isEqualTo(x.numel());
        } catch (ReleasedException e) {
          assertThat(x.isReleased()).isTrue();
          assertThat(e).hasMessageContaining("was released by scope 'round ");
          refused++;
        }
      }
    }

    assertThat(refused).isGreaterThan(1000);
  }

  @Test
  void theSummaryTellsTensorsByTheModuleThatMadeThem() {
    var model = network();

    Tensor y = model.call(Tensor.randn(8, 1, 8, 8));

    assertThat(Memory.summary()).contains("0 (Conv2d)").contains("8 (Linear)");
    assertThat(y.shape()).hasToString("[8, 10]");
  }
}
