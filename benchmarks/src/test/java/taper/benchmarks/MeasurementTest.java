package taper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class MeasurementTest {
  @Test
  void theMedianOfAnEvenNumberLiesBetweenTheMiddleTwo() {
    assertThat(measured(4.0, 1.0, 3.0, 2.0).median()).isEqualTo(2.5);
    assertThat(measured(9.0, 1.0, 3.0).median()).isEqualTo(3.0);
  }

  @Test
  void anEpochHasAStepForTheLastIncompleteBatch() {
    assertThat(measured(10.0).epochEstimate()).isEqualTo(9.38);
  }

  @Test
  void whatIsPrintedCanBeReadBack() {
    Measurement measurement = measured(4.125, 1.5, 3.0);

    Measurement back = Measurement.parse(measurement.json());

    assertThat(back).isEqualTo(measurement);
  }

  @Test
  void roundsAreJoinedBeforeTheMedianIsTaken() {
    assertThat(measured(1.0, 2.0).and(measured(7.0)).median()).isEqualTo(2.0);
  }

  @Test
  void aLineThatIsNoMeasurementIsRejected() {
    assertThatThrownBy(() -> Measurement.parse(""))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("not a measurement: ");
  }

  @Test
  void randomBatchesAreTheSameEveryTimeAndNeverZero() {
    Batches first = Batches.random(2, 3);
    Batches second = Batches.random(2, 3);

    assertThat(first.images()).isDeepEqualTo(second.images());
    assertThat(first.labels()).isDeepEqualTo(second.labels());
    assertThat(first.images()[1]).doesNotContain(0f);
  }

  private static Measurement measured(Double... millis) {
    return new Measurement("x", 2, 64, List.of(millis), 1.25, 2.3f, 0.1f);
  }
}
