package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

final class PackedSequenceTest {
  private static final Tensor ROWS = Tensor.ones(5, 2);

  private static Tensor of(long... numbers) {
    return Tensor.of(numbers);
  }

  @Test
  void partsThatFitAreTaken() {
    var packed = new PackedSequence(ROWS, of(2, 2, 1), of(1, 0), of(1, 0));

    assertThat(packed.padPackedSequence().lengths().toLongArray()).containsExactly(2, 3);
  }

  @Test
  void partsThatDoNotFitAreNamed() {
    assertThatThrownBy(() -> new PackedSequence(ROWS, Tensor.ones(3), null, null))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "PackedSequence: batchSizes must be a vector of at least one int64, but is float32 of"
                + " shape [3].");
    assertThatThrownBy(() -> new PackedSequence(ROWS, of(2, 3), null, null))
        .hasMessage(
            "PackedSequence: batchSizes must be positive and never become more, but are [2, 3].");
    assertThatThrownBy(() -> new PackedSequence(ROWS, of(5, 0), null, null))
        .hasMessage(
            "PackedSequence: batchSizes must be positive and never become more, but are [5, 0].");
    assertThatThrownBy(() -> new PackedSequence(ROWS, of(2, 2), null, null))
        .hasMessage(
            "PackedSequence: data must have as many rows as batchSizes say together, 4, but has"
                + " shape [5, 2].");
    assertThatThrownBy(() -> new PackedSequence(ROWS, of(2, 2, 1), of(0, 0), of(0, 1)))
        .hasMessage(
            "PackedSequence: sortedIndices must name each of the 2 sequences once, as int64, but is"
                + " int64 of shape [2], [0, 0].");
    assertThatThrownBy(() -> new PackedSequence(ROWS, of(2, 2, 1), null, of(0)))
        .hasMessage(
            "PackedSequence: unsortedIndices must name each of the 2 sequences once, as int64, but"
                + " is int64 of shape [1].");
  }
}
