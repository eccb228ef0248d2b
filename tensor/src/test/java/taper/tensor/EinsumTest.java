package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

final class EinsumTest {
  private final Tensor a = Tensor.arange(DType.FLOAT64, 0, 6, 1).view(2, 3);
  private final Tensor b = Tensor.arange(DType.FLOAT64, 1, 13, 1).view(3, 4);

  private static void same(Tensor actual, Tensor expected) {
    assertThat(actual.shape()).isEqualTo(expected.shape());
    assertThat(actual.toDoubleArray()).containsExactly(expected.toDoubleArray());
  }

  @Test
  void sharedLettersAreSummed() {
    same(Tensor.einsum("ij,jk->ik", a, b), a.mm(b));
    same(Tensor.einsum("ij,jk", a, b), a.mm(b));
    same(Tensor.einsum("ij,jk->ki", a, b), a.mm(b).t());
  }

  @Test
  void aLetterThatIsNotInTheResultIsSummed() {
    same(Tensor.einsum("ij->j", a), a.sum(0));
    same(Tensor.einsum("ij->", a), a.sum());
    same(Tensor.einsum("ij,jk->i", a, b), a.mm(b).sum(1));
  }

  @Test
  void aRepeatedLetterTakesTheDiagonal() {
    Tensor square = b.narrow(1, 0, 3);

    same(Tensor.einsum("ii->i", square), square.diagonal());
    same(Tensor.einsum("ii", square), square.trace());
    same(
        Tensor.einsum("iji->ji", Tensor.arange(DType.FLOAT64, 0, 12, 1).view(2, 3, 2)),
        Tensor.of(new double[] {0, 7, 2, 9, 4, 11}, 3, 2));
  }

  @Test
  void anEllipsisBroadcasts() {
    Tensor stack = Tensor.arange(DType.FLOAT64, 0, 24, 1).view(4, 2, 3);

    same(Tensor.einsum("...ij,jk->...ik", stack, b), stack.matmul(b));
    same(Tensor.einsum("...ij->...ji", stack), stack.mT());
    same(Tensor.einsum("...j,...j", stack, a), stack.mul(a).sum(-1));
  }

  @Test
  void anyNumberOfOperandsIsMultiplied() {
    Tensor c = Tensor.arange(DType.FLOAT64, 0, 8, 1).view(4, 2);

    same(Tensor.einsum("ij,jk,kl->il", a, b, c), a.mm(b).mm(c));
    same(Tensor.einsum("ij,jk,ki->", a, b, c), a.mm(b).mm(c).trace());
    same(
        Tensor.einsum("i,j,k->ijk", a.select(0, 0), b.select(0, 0), c.select(0, 0)),
        a.select(0, 0)
            .view(3, 1, 1)
            .mul(b.select(0, 0).view(1, 4, 1))
            .mul(c.select(0, 0).view(1, 1, 2)));
  }

  @Test
  void whatDoesNotFitIsNamed() {
    assertThatThrownBy(() -> Tensor.einsum("ij,jk->ik", a, b.t()))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "einsum: dimensions of one subscript must have one size or 1, but 'j' is 4 in operand 1"
                + " of shape [4, 3] and 3 before, in 'ij,jk->ik'.");
    assertThatThrownBy(() -> Tensor.einsum("ij,jk->ik", a))
        .hasMessage(
            "einsum: there must be as many operands as subscripts, but 'ij,jk->ik' has 2 and there"
                + " are 1 operands.");
    assertThatThrownBy(() -> Tensor.einsum("ij->il", a))
        .hasMessage(
            "einsum: subscripts of the result must appear in an operand, but 'l' does not in"
                + " 'ij->il'.");
    assertThatThrownBy(() -> Tensor.einsum("i1->i", a))
        .hasMessage(
            "einsum: subscripts must be letters and one ellipsis for each operand, but 'i1->i' has"
                + " '1'.");
    assertThatThrownBy(() -> Tensor.einsum("i->i", a))
        .hasMessage(
            "einsum: every dimension must have a subscript, but operand 0 has shape [2, 3] and"
                + " 'i->i' names 1.");
  }
}
