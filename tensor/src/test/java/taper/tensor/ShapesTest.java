package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ShapesTest {

  private static Tensor grid() {
    return Tensor.arange(DType.FLOAT32, 0, 24, 1).view(2, 3, 4);
  }

  @Test
  void viewsShareMemory() {
    Tensor x = grid();

    assertThat(x.permute(2, 0, 1).sharesStorageWith(x)).isTrue();
    assertThat(x.transpose(0, 1).flatten().sharesStorageWith(x)).isFalse();
    assertThat(x.flatten(1).sharesStorageWith(x)).isTrue();
    assertThat(x.select(1, -1).sharesStorageWith(x)).isTrue();
    assertThat(x.chunk(2, 2)).allMatch(x::sharesStorageWith);
  }

  @Test
  void chunksAreEqualButForTheLast() {
    List<Tensor> chunks = Tensor.arange(11).chunk(4, 0);

    assertThat(chunks.stream().map(Tensor::numel)).containsExactly(3L, 3L, 3L, 2L);
    assertThat(Tensor.arange(5).chunk(4, 0)).hasSize(3);
  }

  @Test
  void writesToAViewReachTheBase() {
    Tensor x = grid();

    x.diagonal(1, 1, 2).fill_(-1);

    assertThat(x.select(0, 1).toFloatArray())
        .containsExactly(12, -1, 14, 15, 16, 17, -1, 19, 20, 21, 22, -1);
  }

  @Test
  void gradientsOfViewsLieWhereTheyLook() {
    Tensor x = grid().requiresGrad_();

    x.select(0, 1).narrow(1, 1, 2).select(0, 2).mul(Tensor.of(new float[] {3, 5})).sum().backward();

    float[] expected = new float[24];
    expected[21] = 3;
    expected[22] = 5;
    assertThat(x.grad().toFloatArray()).isEqualTo(expected);
  }

  @Test
  void repeatPutsCopiesSideBySide() {
    Tensor x = Tensor.of(new float[] {1, 2}, 2);

    assertThat(x.repeat(2, 2).toFloatArray()).containsExactly(1, 2, 1, 2, 1, 2, 1, 2);
    assertThat(x.repeatInterleave(2, 0).toFloatArray()).containsExactly(1, 1, 2, 2);
  }

  @Test
  void catPromotesAndSkipsEmptyVectors() {
    Tensor x = Tensor.cat(List.of(Tensor.zeros(0), Tensor.of(new int[] {1, 2}, 1, 2)), 1);

    assertThat(x.shape()).isEqualTo(Shape.of(1, 2));
    assertThat(x.dtype()).isEqualTo(DType.FLOAT32);
  }

  @Test
  void gradientsOfWritesIntoATransposedBaseFollowItsStrides() {
    Tensor base = Tensor.arange(DType.FLOAT32, 0, 6, 1).view(2, 3).mT().detach(); // [3 2]
    Tensor factor = Tensor.of(new float[] {10, 100}, 2).requiresGrad_();

    base.select(0, 1).mul_(factor);
    base.mul(Tensor.arange(DType.FLOAT32, 0, 6, 1).view(3, 2)).sum().backward();

    assertThat(base.toFloatArray()).containsExactly(0, 3, 10, 400, 2, 5);
    assertThat(factor.grad().toFloatArray()).containsExactly(1 * 2, 4 * 3);
  }

  @Test
  void gradientsOfAnyStridesGoBackToTheElementsThatWereSeen() {
    Tensor x = Tensor.arange(DType.FLOAT32, 0, 6, 1).view(2, 3).mT().detach().requiresGrad_();

    x.asStrided(new long[] {3, 2}, new long[] {1, 1}, 1).sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(0, 2, 1, 1, 2, 0);
  }

  @Test
  void aViewBeyondTheMemoryIsRefused() {
    Tensor x = Tensor.zeros(2, 3);

    assertThatThrownBy(() -> x.asStrided(new long[] {2, 2}, new long[] {4, 1}, 1))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "asStrided: the view must stay inside the memory of 6 elements, but sizes [2, 2],"
                + " strides [4, 1] and offset 1 reach element 6.");
  }

  @Test
  void moreThanTwoToThe31ElementsCanBeAddressed() {
    Tensor x = Tensor.of(new byte[] {7}, 1).expand(3_000_000_000L);

    assertThat(x.numel()).isEqualTo(3_000_000_000L);
    assertThat(x.select(0, 2_999_999_999L).item()).isEqualTo(7);
    assertThat(x.view(2, 1_500_000_000L).get(1, -1).item()).isEqualTo(7);
    assertThat(x.narrow(0, 2_900_000_000L, 3).numel()).isEqualTo(3);
  }

  @Test
  void mistakesNameShapesAndRemedies() {
    Tensor x = grid();

    assertThatThrownBy(() -> x.transpose(0, 1).view(6, 4))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "view: the elements must lie densely enough to be seen as [6, 4], but the tensor has"
                + " shape [3, 2, 4] and strides [4, 12, 1]. Use reshape.");
    assertThatThrownBy(() -> x.reshape(5, -1))
        .hasMessage(
            "reshape: the number of elements must stay the same, but [2, 3, 4] has 24 elements and"
                + " shape [5, -1] asks for a multiple of 5. A size of -1 is worked out from the others.");
    assertThatThrownBy(() -> x.select(1, 3))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "select: the index must be in -3..2 for dimension 1 of shape [2, 3, 4], but is 3.");
    assertThatThrownBy(() -> x.narrow(2, 2, 3))
        .hasMessage(
            "narrow: start and length must lie inside dimension 2, but start 2 and length 3 exceed"
                + " its size 4 in shape [2, 3, 4].");
    assertThatThrownBy(() -> x.permute(0, 1))
        .hasMessage(
            "permute: dims must name each of the 3 dimensions once, but are [0, 1] for shape [2, 3,"
                + " 4].");
    assertThatThrownBy(() -> x.permute(0, 1, 1))
        .hasMessage("permute: dims must be different, but are [0, 1, 1].");
    assertThatThrownBy(() -> x.transpose(0, 3))
        .hasMessage("transpose: dim must be in -3..2, but is 3.");
    assertThatThrownBy(() -> x.split(new long[] {1, 1}, 1))
        .hasMessage(
            "split: the sizes must add up to dimension 1, but [1, 1] add up to 2 and shape [2, 3,"
                + " 4] has 3 there.");
    assertThatThrownBy(() -> x.chunk(0, 0))
        .hasMessage("chunk: there must be at least 1 chunk, but chunks is 0.");
    assertThatThrownBy(() -> Tensor.cat(List.of()))
        .hasMessage("cat: there must be at least one tensor, but the list is empty.");
    assertThatThrownBy(() -> Tensor.cat(List.of(x, x), 3))
        .hasMessage("cat: dim must be in -3..2, but is 3.");
    assertThatThrownBy(() -> Tensor.zeros(2, -1))
        .hasMessage("tensor: sizes must not be negative, but the shape is [2, -1].");
    assertThatThrownBy(() -> x.t())
        .hasMessage(
            "t: there must be at most 2 dimensions, but self has shape [2, 3, 4]. Use mT() or"
                + " transpose.");
  }
}
