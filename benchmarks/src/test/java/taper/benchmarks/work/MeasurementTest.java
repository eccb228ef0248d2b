package taper.benchmarks.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeasurementTest {
  @Test
  void whatIsPrintedCanBeReadBack() {
    Measurement measurement = measured(1.25, 2.5);

    Measurement back = Measurement.parse(measurement.json());

    assertThat(back).isEqualTo(measurement);
  }

  @Test
  void aKernelHasNoLoss() {
    var kernel =
        new Measurement("x", "kernel/add", 1, 9, 0.25, 0.5, 0.25, 0, 0, Double.NaN, Double.NaN, 7);

    String json = kernel.json();

    assertThat(json).doesNotContain("Loss").doesNotContain("NaN");
    assertThat(Measurement.parse(json)).isEqualTo(kernel);
  }

  @Test
  void ofSeveralRoundsTheBestCounts() {
    Measurement both = measured(1.5, 2.0).or(measured(1.25, 2.5));

    assertThat(both.best()).isEqualTo(1.25);
    assertThat(both.median()).isEqualTo(2.0);
    assertThat(both.steps()).isEqualTo(20);
  }

  @Test
  void aLineThatIsNoMeasurementIsRejected() {
    assertThatThrownBy(() -> Measurement.parse("{\"library\":\"x\"}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a measurement: {\"library\":\"x\"}");
  }

  @Test
  void randomBatchesAreTheSameEveryTimeAndNeverZero() {
    Batches first = Batches.random(2, 3, 784, 10);
    Batches second = Batches.random(2, 3, 784, 10);

    assertThat(first.images()).isDeepEqualTo(second.images());
    assertThat(first.labels()).isDeepEqualTo(second.labels());
    assertThat(first.images()[1]).doesNotContain(0f);
  }

  @Test
  void aSettingSurvivesTheCommandLine() {
    Setting setting =
        Setting.of("--threads", "1", "--batch", "16", "--seconds", "0.5", "mlp-train");

    assertThat(Setting.of(setting.words().toArray(String[]::new))).isEqualTo(setting);
    assertThat(setting.names()).isEqualTo(List.of("mlp-train"));
    assertThat(setting.batchOr(64)).isEqualTo(16);
    assertThat(setting.widthOr(64)).isEqualTo(64);
  }

  @Test
  void aSettingWithoutAValueIsRejected() {
    assertThatThrownBy(() -> Setting.of("--threads"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("--threads: a value must follow.");
  }

  private static Measurement measured(double best, double median) {
    return new Measurement(
        "Taper (x86)", "mlp-train", 2, 10, best, median, 1.25, 0.125, 669706, 2.5, 0.125, 1 << 20);
  }
}
