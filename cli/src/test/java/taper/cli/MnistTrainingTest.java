package taper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import taper.serialization.Safetensors;
import taper.tensor.Threads;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

final class MnistTrainingTest {
  private final int threads = Threads.numThreads();

  @AfterEach
  void restore() {
    Threads.setNumThreads(threads);
  }

  private static MnistTraining training(int workers, StringWriter out) {
    var progress = new Progress(new PrintWriter(out, true), false);
    return new MnistTraining(1, Long.MAX_VALUE, 64, 1e-3, 0, workers, progress);
  }

  @Test
  void lossesDoNotDependOnThreadsOrWorkersToTheLastBit() {
    var runs = new ArrayList<List<Double>>();
    for (int[] setting : new int[][] {{0, 1}, {1, 2}, {4, 2}}) {
      Threads.setNumThreads(setting[1]);
      runs.add(training(setting[0], new StringWriter()).losses(12));
    }

    assertThat(runs.get(1)).isEqualTo(runs.get(0));
    assertThat(runs.get(2)).isEqualTo(runs.get(0));
    assertThat(runs.get(0).getLast()).isLessThan(runs.get(0).getFirst());
  }

  @Test
  @Tag("slow")
  void oneEpochLearnsDigits(@TempDir Path folder) {
    var out = new StringWriter();
    Path json = folder.resolve("result.json");

    int code =
        Main.run(
            new String[] {
              "train",
              "mnist",
              "--epochs",
              "1",
              "--out",
              folder.toString(),
              "--json",
              json.toString()
            },
            new PrintWriter(out, true),
            new PrintWriter(out, true));

    assertThat(code).as(out.toString()).isZero();
    JsonNode result = JsonMapper.shared().readTree(json.toFile());
    assertThat(result.get("parameters").asLong()).isEqualTo(421_642);
    JsonNode epoch = result.get("epochs").get(0);
    assertThat(epoch.get("testAccuracy").asDouble()).isBetween(0.98, 1.0);
    assertThat(epoch.get("trainAccuracy").asDouble()).isBetween(0.9, 1.0);
    var weights = Safetensors.load(folder.resolve("mnist.safetensors"));
    assertThat(weights.get("0.weight").shape()).hasToString("[32, 1, 3, 3]");
  }
}
