package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static taper.tensor.Index.all;
import static taper.tensor.Index.at;
import static taper.tensor.Index.ellipsis;
import static taper.tensor.Index.every;
import static taper.tensor.Index.from;
import static taper.tensor.Index.newAxis;
import static taper.tensor.Index.of;
import static taper.tensor.Index.range;
import static taper.tensor.Index.upTo;

import org.junit.jupiter.api.Test;

final class IndexingTest {

  private static Tensor grid() {
    return Tensor.arange(DType.FLOAT32, 0, 24, 1).view(2, 3, 4);
  }

  @Test
  void integersTakeDimensionsAway() {
    assertThat(grid().get(1, -1).toFloatArray()).containsExactly(20, 21, 22, 23);
    assertThat(grid().get(1, 2, 3).item()).isEqualTo(23);
  }

  @Test
  void rangesAreViews() {
    Tensor x = grid();

    Tensor part = x.get(all(), range(1, 3), every(2));
    part.fill_(-1);

    assertThat(part.shape()).isEqualTo(Shape.of(2, 2, 2));
    assertThat(x.get(0, 1).toFloatArray()).containsExactly(-1, 5, -1, 7);
  }

  @Test
  void boundsBeyondTheDimensionAreMovedToItsEnds() {
    Tensor x = Tensor.arange(5);

    assertThat(x.get(range(-2, 100)).toLongArray()).containsExactly(3, 4);
    assertThat(x.get(upTo(-3)).toLongArray()).containsExactly(0, 1);
    assertThat(x.get(from(7)).toLongArray()).isEmpty();
    assertThat(x.get(range(3, 1)).toLongArray()).isEmpty();
    assertThat(x.get(range(0, 5, 2)).toLongArray()).containsExactly(0, 2, 4);
  }

  @Test
  void anEllipsisStandsForTheRest() {
    assertThat(grid().get(ellipsis(), at(0)).toFloatArray()).containsExactly(0, 4, 8, 12, 16, 20);
    assertThat(grid().get(newAxis(), ellipsis(), newAxis()).shape())
        .isEqualTo(Shape.of(1, 2, 3, 4, 1));
  }

  @Test
  void tensorsOfIndicesSideBySideTakeThePlaceOfTheirDimensions() {
    Tensor picked = grid().get(all(), of(0, 2), of(3, 1));

    assertThat(picked.shape()).isEqualTo(Shape.of(2, 2));
    assertThat(picked.toFloatArray()).containsExactly(3, 9, 15, 21);
  }

  @Test
  void tensorsOfIndicesThatAreApartComeFirst() {
    Tensor picked = grid().get(of(0, 1), all(), of(3, -4));

    assertThat(picked.shape()).isEqualTo(Shape.of(2, 3));
    assertThat(picked.toFloatArray()).containsExactly(3, 7, 11, 12, 16, 20);
  }

  @Test
  void masksPickInOrder() {
    Tensor x = grid();

    Tensor picked = x.get(of(x.gt(20.0)));

    assertThat(picked.toFloatArray()).containsExactly(21, 22, 23);
    assertThat(x.maskedSelect(Tensor.of(new boolean[] {false, false, true, false})).toFloatArray())
        .containsExactly(2, 6, 10, 14, 18, 22);
  }

  @Test
  void writingBroadcastsIntoViewsAndPicks() {
    Tensor x = Tensor.zeros(3, 4);

    x.set(1.0, at(0));
    x.set(Tensor.of(new float[] {7, 8}, 1, 1, 2), from(1), range(0, 2));
    x.set(5, of(0, 2), at(3));
    x.set(-1.0, of(x.eq(8.0)));

    assertThat(x.toFloatArray()).containsExactly(1, 1, 1, 5, 7, -1, 0, 0, 7, -1, 0, 5);
  }

  @Test
  void accumulationCountsRepeatedIndices() {
    Tensor x = Tensor.zeros(3);

    x.accumulate(Tensor.of(new float[] {1, 10, 100}), of(0, 2, 0));

    assertThat(x.toFloatArray()).containsExactly(101, 0, 10);
  }

  @Test
  void gradientsOfPicksAreSummedWhereTheyCameFrom() {
    Tensor x = Tensor.ones(3, 2).requiresGrad_();

    x.get(of(1, 1, -1)).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 0, 2, 2, 1, 1);
  }

  @Test
  void writesReachTheHistory() {
    Tensor x = Tensor.ones(4).requiresGrad_();
    Tensor value = Tensor.of(new float[] {3}).requiresGrad_();
    Tensor y = x.mul(2.0);

    y.set(value, of(0, 2));
    y.set(0.0, at(3));
    y.sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 2, 0, 0);
    assertThat(value.grad().toFloatArray()).containsExactly(2);
  }

  @Test
  void mistakesNameTheIndexAndTheShape() {
    assertThatThrownBy(() -> grid().get(0, 3))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "get: the index must be in -3..2 for dimension 1 of shape [2, 3, 4], but is 3.");
    assertThatThrownBy(() -> grid().get(0, 0, 0, 0))
        .hasMessage("get: there must be at most 3 indices for shape [2, 3, 4], but there are 4.");
    assertThatThrownBy(() -> grid().get(of(2)))
        .hasMessage(
            "index: indices of dimension 0 of shape [2, 3, 4] must be in -2..1, but indices[0][0]"
                + " is 2.");
    assertThatThrownBy(() -> grid().set(Tensor.ones(5), at(0)))
        .hasMessage(
            "set: the value must broadcast to the shape of the indexed part, [3, 4], but has shape"
                + " [5].");
    assertThatThrownBy(() -> grid().get(of(Tensor.of(new boolean[] {true}, 1))))
        .hasMessage(
            "get: a mask must have the sizes of the dimensions it stands for, but dimension 0 of"
                + " mask [1] is 1 and dimension 0 of shape [2, 3, 4] is 2.");
    assertThatThrownBy(() -> of(Tensor.ones(1)))
        .hasMessage(
            "index: a tensor used as an index must hold whole numbers or truth values, but is"
                + " float32. Convert it with .to(DType.INT64).");
  }
}
