package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import taper.tensor.TaperException;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// The system property `taper.kernels`.
final class KernelsPropertyTest {

  /// Prints the errors of the first uses of tensors.
  static final class FirstUses {
    private FirstUses() {}

    public static void main(String... arguments) {
      attempt(() -> Tensor.ones(2).add(1));
      attempt(() -> Tensor.of(new float[] {1, 2}));
      attempt(Threads::numThreads);
    }

    private static void attempt(Runnable use) {
      try {
        use.run();
        System.out.println("fine");
      } catch (TaperException e) {
        System.out.println(e.getMessage());
      }
    }
  }

  @Test
  void aValueThatNamesNoLibraryIsReportedAtEveryUse() throws IOException, InterruptedException {
    String output = OtherMachine.run(FirstUses.class, "-Dtaper.kernels=gpu");

    assertThat(output.lines())
        .hasSize(3)
        .allMatch(line ->
            line.matches(
                "taper.kernels: the value must be reference or one of \\[.*\\bjava\\b.*], but is"
                    + " 'gpu'\\."));
  }

  @Test
  void reference() throws IOException, InterruptedException {
    assertThat(OtherMachine.run(FirstUses.class, "-Dtaper.kernels=reference").lines())
        .containsExactly("fine", "fine", "fine");
  }
}
