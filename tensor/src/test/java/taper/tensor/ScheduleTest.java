package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class ScheduleTest {

  @Test
  void nobodyChangesTheSizesOfSteps() {
    long[] sizes = {3, 2};
    var schedule = new Recurrent.Schedule(sizes, false);

    sizes[0] = 9;
    schedule.sizes()[1] = 9;

    assertThat(schedule.sizes()).containsExactly(3, 2);
    assertThat(schedule.rows()).isEqualTo(5);
  }
}
