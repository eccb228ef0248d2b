package taper.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import taper.benchmarks.work.Measurement;

class BenchTest {
  private static final Limits LIMITS = new Limits(List.of(200.0, 400.0), List.of(10.0, 20.0));

  @Test
  void theRatioIsThatOfTheFasterPeer() {
    Result result = new Result("mlp-train", 2, 4e9, 0);
    result.add(Contestant.TAPER, measured("Taper", 20, 30));
    result.add(Contestant.LIBTORCH, measured("libtorch", 50, 90));
    result.add(Contestant.DJL, measured("DJL", 40, 120));

    assertThat(result.ratio()).isEqualTo(2);
    assertThat(result.medianRatio()).isEqualTo(3);
    assertThat(result.rate()).isEqualTo(200);
    assertThat(result.share(LIMITS)).isEqualTo(0.5);
  }

  @Test
  void withoutAPeerThereIsNoRatio() {
    Result result = new Result("mlp-train", 1, 4e9, 0);
    result.add(Contestant.TAPER, measured("Taper", 20, 30));

    assertThat(result.ratio()).isNaN();
    assertThat(result.json(LIMITS)).doesNotContain("ratio").doesNotContain("peer");
  }

  @Test
  void laterRoundsCountWhereTheyAreFaster() {
    Result result = new Result("mlp-train", 1, 4e9, 0);
    result.add(Contestant.TAPER, measured("Taper", 20, 30));
    result.add(Contestant.TAPER, measured("Taper", 25, 26));
    result.add(Contestant.DJL, measured("DJL", 40, 52));

    assertThat(result.ratio()).isEqualTo(2);
    assertThat(result.medianRatio()).isEqualTo(2);
  }

  @Test
  void theJsonHasWhatIsAskedOfIt() {
    Result result = new Result("mlp-train", 2, 4e9, 0);
    result.add(Contestant.TAPER, measured("Taper", 20, 30));
    result.add(Contestant.DJL, measured("DJL", 40, 120));

    assertThat(result.json(LIMITS))
        .startsWith(
            "{\"name\":\"mlp-train\",\"threads\":2,\"ours\":20.00,\"oursMedian\":30.00,\"peer\":40.00,")
        .contains("\"ratio\":2.000", "\"gflops\":200.0", "\"share\":0.500000");
  }

  @Test
  void networksOfDifferentSizesAreNoComparison() {
    Result result = new Result("mlp-train", 2, 4e9, 0);
    result.add(Contestant.TAPER, measured("Taper", 20, 30));
    result.add(
        Contestant.DJL, new Measurement("DJL", "mlp-train", 2, 10, 1, 1, 1, 0, 99, 2.3, 2.2, 1));

    assertThat(result.complaint())
        .isEqualTo("mlp-train: all must have as many parameters, but have [100, 99]");
  }

  @Test
  void optionsAreReadInBothSpellings() {
    assertThat(Bench.options(List.of("--only", "a.*", "--threads=1")))
        .isEqualTo(Map.of("--only", "a.*", "--threads", "1"));
    assertThatThrownBy(() -> Bench.options(List.of("--quick", "1")))
        .hasMessage("There is no option --quick.");
    assertThatThrownBy(() -> Bench.options(List.of("--only")))
        .hasMessage("--only: a value must follow.");
    assertThatThrownBy(() -> new Bench(Map.of("--peer", "numpy")))
        .hasMessage("--peer must be libtorch, djl or none, but is numpy.");
  }

  @Test
  void theGeometricMeanOfTwoAndEightIsFour() {
    assertThat(Bench.geometricMean(2, 8)).isCloseTo(4, within(1e-12));
  }

  @Test
  void fourTimesTheTimeForTwiceTheSizeIsASquare() {
    assertThat(Growth.exponent(64, 1.5, 128, 6)).isCloseTo(2, within(1e-12));
    assertThat(Growth.exponent(0, Double.NaN, 16, 1)).isNaN();
  }

  private static Measurement measured(String library, double best, double median) {
    return new Measurement(library, "mlp-train", 2, 10, best, median, 1, 0, 100, 2.3, 2.2, 1);
  }
}
