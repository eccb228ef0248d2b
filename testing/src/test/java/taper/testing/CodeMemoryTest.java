package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import taper.tensor.Autograd;
import taper.tensor.Catalogue;
import taper.tensor.Operator;
import taper.tensor.Tensor;

/// Where the memory for assembled code is used up, kernels without code take over.
final class CodeMemoryTest {
  private static final List<String> OPERATORS =
      List.of(
          "add",
          "to",
          "mm",
          "linear",
          "conv2d",
          "maxPool2x2",
          "constantPadNd",
          "attention",
          "attentionGradient",
          "lstmLayer",
          "lstmLayerGradient",
          "gruLayer",
          "layerNorm",
          "layerNormGradient",
          "batchNorm",
          "softmax",
          "softmaxGradient",
          "crossEntropy",
          "sum",
          "amax",
          "cumsum",
          "cat",
          "flip",
          "gather",
          "scatter",
          "scatterAdd",
          "indexSelect",
          "indexAdd",
          "index",
          "indexPut",
          "embedding",
          "embeddingGradient",
          "topk",
          "sort",
          "pow",
          "adamStep");

  /// Runs the checks of many operators, and prints what fails.
  static final class Checks {
    private Checks() {}

    public static void main(String... arguments) {
      Tensor.ones(2).add(1); // the processor's features are known from here on
      for (String name : OPERATORS) {
        Operator<?> operator = Catalogue.find(name);
        if (operator == null) {
          System.out.println("FAILED there is no operator " + name);
          continue;
        }
        for (OperatorChecks.Check check : OperatorChecks.of(operator)) {
          if (!check.name().contains("derivative") && !check.name().contains("BFLOAT16")) {
            attempt(check.name(), check.body());
          }
        }
      }
      attempt("in place", Checks::inPlace);
      System.out.println("DONE");
    }

    private static void attempt(String name, Runnable body) {
      try {
        body.run();
      } catch (RuntimeException | AssertionError e) {
        System.out.println("FAILED " + name + ": " + e);
      }
    }

    /// What reads its result must not run twice.
    private static void inPlace() {
      try (var _ = Autograd.noGrad()) {
        Tensor sums = Tensor.ones(40, 6);
        Tensor index = Tensor.arange(40).remainder(7);
        sums.indexAdd_(0, index, Tensor.ones(40, 6));
        assertThat(sums.sum().item()).isEqualTo(480);
        assertThat(sums.toFloatArray()[0]).isEqualTo(7);
        Tensor strided = Tensor.ones(30, 20).t();
        strided.add_(Tensor.ones(30));
        assertThat(strided.sum().item()).isEqualTo(1200);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {16 << 10, 256 << 10})
  void kernelsWithoutCodeTakeOverWhenItIsFull(int bytes) throws IOException, InterruptedException {
    String output = OtherMachine.run(Checks.class, "-Dtaper.codeBytes=" + bytes);

    assertThat(output.lines().filter(line -> line.startsWith("FAILED"))).isEmpty();
    assertThat(output).contains("DONE");
  }
}
