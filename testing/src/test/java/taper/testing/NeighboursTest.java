package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import taper.tensor.Autograd;
import taper.tensor.Memory;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Kernels share the processors with other programs.
final class NeighboursTest {
  private static final long BLOCK_NANOS = 1_000_000_000;
  private static final int BLOCKS = 12;

  private final int threads = Threads.numThreads();

  @AfterEach
  void restore() {
    Threads.setNumThreads(threads);
  }

  @Test
  @Tag("slow")
  void twoThreadsBesideTwoBusyProgramsAreAsFastAsOne() throws IOException {
    Tensor weight = Tensor.randn(512, 512).mul(0.05).requiresGrad_();
    Tensor x = Tensor.randn(128, 512);
    List<Process> neighbours = new ArrayList<>();
    double[] seconds = new double[3];
    long[] steps = new long[3];
    try {
      for (int i = 0; i < 2; i++) {
        neighbours.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
      }
      for (int block = 0; block < 2 * BLOCKS; block++) {
        int count = 1 + block % 2;
        Threads.setNumThreads(count);
        long start = System.nanoTime();
        while (System.nanoTime() - start < BLOCK_NANOS) {
          step(x, weight);
          steps[count]++;
        }
        seconds[count] += (System.nanoTime() - start) / 1e9;
      }
    } finally {
      neighbours.forEach(Process::destroyForcibly);
    }

    double ratio = steps[2] / seconds[2] / (steps[1] / seconds[1]);
    assertThat(ratio).as("speed of two threads by that of one").isGreaterThan(0.9);
  }

  private static void step(Tensor x, Tensor weight) {
    try (var _ = Memory.scope()) {
      Tensor y = x;
      for (int layer = 0; layer < 6; layer++) {
        y = y.mm(weight).relu().softmax(1).add(x);
      }
      y.square().mean().backward();
      Tensor grad = weight.grad();
      if (grad != null) {
        Autograd.noGrad(() -> weight.sub_(grad.mul(0.01)));
      }
      weight.setGrad(null);
    }
  }
}
