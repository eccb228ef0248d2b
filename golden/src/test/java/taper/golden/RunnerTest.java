package taper.golden;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import taper.serialization.Safetensors;
import taper.tensor.Tensor;

/// The runner itself: what is wrong must not pass.
final class RunnerTest {
  @TempDir private Path folder;

  @BeforeEach
  void writeTensors() {
    Safetensors.save(
        Map.of(
            "0", Tensor.of(new double[] {1, 2, 3}),
            "1", Tensor.of(new double[] {2, 4, 6}),
            "2", Tensor.of(new double[] {2, 4, 6 + 1e-9}),
            "3", Tensor.of(new double[] {0.5, 1, 1.5}),
            "4", Tensor.of(new double[] {0.5, 1, 1.25}),
            "5", Tensor.of(new float[] {2, 4, 6})),
        folder.resolve("set.safetensors"));
  }

  private Outcome run(String rest) throws IOException {
    Path set = folder.resolve("set.json");
    Files.writeString(
        set,
        """
        {"format":"golden-v1","set":"opinfo","tensors":"set.safetensors","cases":[
        {"id":"case","dtype":"float64",%s}]}
        """
            .formatted(rest));
    var report = Golden.run(set, Golden.everything());
    assertThat(report.entries()).hasSize(1);
    return report.entries().getFirst().outcome();
  }

  private static String add(String kwargs, String output, String more) {
    return """
    "op":"add","input":{"$t":"0","rg":true},"args":[{"$t":"0"}],"kwargs":{%s},"output":{"$t":"%s"}%s\
    """
        .formatted(kwargs, output, more);
  }

  @Test
  void equalResultsAndGradientsPass() throws IOException {
    String grads = ",\"grads\":[{\"of\":\"input\",\"grad\":{\"$t\":\"3\"}}],\"grad_outputs\":[0]";

    assertThat(run(add("", "1", grads))).isEqualTo(new Outcome.Passed());
  }

  @Test
  void resultsBeyondTheToleranceFail() throws IOException {
    assertThat(run(add("", "2", "")))
        .isEqualTo(
            new Outcome.Failed(
                "element 2 of 3 is 6.0, expected 6.000000001; 1 differ, by 1.00e-09 at most"));
  }

  @Test
  void otherTypesFail() throws IOException {
    assertThat(run(add("", "5", "")))
        .isEqualTo(new Outcome.Failed("dtype float64, expected float32"));
  }

  @Test
  void wrongGradientsFail() throws IOException {
    String grads = ",\"grads\":[{\"of\":\"input\",\"grad\":{\"$t\":\"4\"}}],\"grad_outputs\":[0]";

    assertThat(run(add("", "1", grads)))
        .isEqualTo(
            new Outcome.Failed(
                "gradient of input: element 2 of 3 is 1.5, expected 1.25; 1 differ, by 0.250 at"
                    + " most"));
  }

  @Test
  void argumentsThatNobodyReadsFail() throws IOException {
    assertThat(run(add("\"beta\":2", "1", "")))
        .isEqualTo(new Outcome.Failed("the binding ignores [beta (2)]"));
  }

  @Test
  void unknownFunctionsAreCountedAsUnsupported() throws IOException {
    assertThat(run("\"op\":\"nonsense\",\"input\":1,\"args\":[],\"kwargs\":{},\"output\":1"))
        .isEqualTo(new Outcome.Unsupported("there is no nonsense"));
  }

  @Test
  void callsThatMustRaiseFailIfTheyDoNot() throws IOException {
    String raises = ",\"raises\":\"RuntimeError\",\"message\":\"no\"";

    assertThat(run(add("", "1", raises)))
        .isEqualTo(new Outcome.Failed("must raise, as in PyTorch: no"));
  }

  @Test
  void unknownKindsOfSetsAreCountedAsUnsupported() throws IOException {
    Path set = folder.resolve("other.json");
    Files.writeString(
        set,
        "{\"format\":\"golden-v1\",\"set\":\"modules\",\"tensors\":null,\"cases\":[{\"id\":\"modules/a\"}]}");

    assertThat(Golden.run(set, Golden.everything()).lines(false))
        .isEqualTo(
            List.of(
                "other.json: 0 passed, 0 failed, 1 unsupported",
                "  modules: 0 passed, 0 failed, 1 unsupported (modules/a: unsupported, sets of kind"
                    + " modules are not run yet)",
                "0 passed, 0 failed, 1 unsupported"));
  }

  @Test
  void aPathWithoutSetsIsAnError() {
    assertThatThrownBy(() -> Golden.run(folder.resolve("absent.json"), Golden.everything()))
        .hasMessage("golden: the set must exist, but there is no " + folder + "/absent.json.");
    assertThatThrownBy(() -> Golden.run(folder, Golden.everything()))
        .hasMessageStartingWith("golden: " + folder + " must be or hold a set of cases");
  }

  @Test
  void namesMayHaveAStar() {
    assertThat(Golden.named("sum, nn.functional.*"))
        .accepts("sum", "nn.functional.relu")
        .rejects("nansum", "relu");
  }
}
