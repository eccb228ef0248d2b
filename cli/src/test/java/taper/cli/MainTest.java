package taper.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... arguments) {
    return Main.run(arguments, new PrintWriter(out, true), new PrintWriter(err, true));
  }

  @Test
  void helpNamesTheCommandsAndThoseOfTheLauncher() {
    assertThat(run("--help")).isZero();

    assertThat(out.toString()).contains("train", "info", "run FILE.java", "shell", "test [--slow]");
    assertThat(err.toString()).isEmpty();
  }

  @Test
  void theHelpOfATrainingShowsDefaults() {
    assertThat(run("train", "mnist", "--help")).isZero();

    assertThat(out.toString())
        .contains(
            "--epochs=N", "--batch-size=N", "--lr=RATE", "--seed=N", "--workers=N", "--threads=N")
        .contains("--out=DIR", "--json=FILE", "Default: 64");
  }

  @Test
  void theFuzzerMakesTheCallsItIsGiven() {
    assertThat(run("fuzz", "relu {} <f32[3]> BACKWARD", "add {} <f32[3]> <f32[4]>")).isZero();

    assertThat(out.toString()).contains("2 calls, 1 of them refused").contains("0 findings");
  }

  @Test
  void theFuzzerStepsOptimizers() {
    assertThat(run("fuzz", "--of", "OPTIMIZERS", "--seed", "1", "--calls", "200")).isZero();

    assertThat(out.toString()).contains("seed 1: 200 calls");
  }

  @Test
  void anUnknownCommandIsAMistakeOfUse() {
    assertThat(run("trian")).isEqualTo(2);

    assertThat(err.toString()).contains("trian").contains("train");
  }

  @Test
  void aTrainingWithoutAModelIsAMistakeOfUse() {
    assertThat(run("train")).isEqualTo(2);

    assertThat(err.toString()).contains("Missing required subcommand");
  }

  @Test
  void aBatchSizeOfZeroIsAMistakeOfUse() {
    assertThat(run("train", "mnist", "--batch-size", "0")).isEqualTo(2);

    assertThat(err.toString()).startsWith("--batch-size must be at least 1, but is 0.");
  }

  @Test
  void aRateThatIsNoNumberIsAMistakeOfUse() {
    assertThat(run("train", "mnist", "--lr", "fast")).isEqualTo(2);

    assertThat(err.toString()).contains("--lr").contains("fast");
  }

  @Test
  void aFolderThatCannotBeMadeFailsBeforeTheTraining(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "in the way");

    assertThat(run("train", "mnist", "--out", file.resolve("below").toString())).isEqualTo(1);

    assertThat(err.toString()).contains("--out").contains("cannot be written to");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void resultsThatCannotBeWrittenAreRefusedBeforeTheTraining(@TempDir Path folder) {
    Path out = folder.resolve("out");
    Path json = folder.resolve("none/results.json");

    assertThat(run("train", "mnist", "--out", out.toString(), "--json", json.toString()))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains(
            "--json %s must lie in a folder that exists and can be written to, but %s does not exist."
                .formatted(json, json.getParent()));
    assertThat(run("train", "mnist", "--out", out.toString(), "--json", folder.toString()))
        .isEqualTo(2);
    assertThat(err.toString())
        .contains("--json %s must be a file, but is a folder. Add a name.".formatted(folder));
  }

  @Test
  void infoTellsTheKernelsInUse() {
    assertThat(run("info")).isZero();

    assertThat(out.toString()).contains("kernels", "threads", "memory limit");
  }
}
