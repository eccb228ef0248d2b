package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Reductions of large tensors that are expanded, cut or of a small type give what they give of a copy, and take no memory.
final class BlockwiseReductionsTest {
  private static final long BLOCK = 16L << 20;

  @TestFactory
  Stream<DynamicTest> whatIsExpandedIsReducedAsItsCopy() {
    Tensor numbers = Tensor.randn(5, 1, 7).expand(5, 130_000, 7);
    return Stream.of(
            reductions("expanded", numbers),
            reductions(
                "expanded along two dimensions", Tensor.randn(3, 1, 7, 1).expand(3, 1100, 7, 200)),
            reductions("transposed", Tensor.randn(2100, 2400).t()),
            reductions("of half precision", Tensor.randn(3, 1_500_000).to(DType.BFLOAT16)))
        .flatMap(tests -> tests);
  }

  private static Stream<DynamicTest> reductions(String name, Tensor x) {
    return Stream.of(
        same(name + ", sum", x, t -> t.sum()),
        same(name + ", sum along 0", x, t -> t.sum(0, false)),
        same(name + ", sum along 1", x, t -> t.sum(1, true)),
        same(name + ", mean", x, t -> t.mean()),
        same(name + ", mean along 1", x, t -> t.mean(1, false)),
        same(name + ", amax along 1", x, t -> t.amax(1)),
        same(name + ", max", x, t -> t.max()),
        same(name + ", min", x, t -> t.min()),
        same(name + ", argmax", x, t -> t.argmax()),
        same(name + ", max along 0", x, t -> t.max(0, false).indices()),
        same(name + ", min along 1", x, t -> t.min(1, false).values()),
        same(name + ", var", x, t -> t.var()),
        same(name + ", std along 1", x, t -> t.std(1)),
        same(name + ", norm", x, t -> t.norm()),
        same(name + ", norm of order 3 along 1", x, t -> t.norm(3, new int[] {1}, false)),
        same(name + ", logsumexp", x, t -> t.logsumexp(new int[] {0, 1}, false)),
        same(name + ", any", x, t -> t.gt(100).any()));
  }

  private static DynamicTest same(String name, Tensor x, UnaryOperator<Tensor> reduction) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          try (var _ = Memory.scope()) {
            Tensor expected =
                reduction.apply(x.dtype() == DType.BFLOAT16 ? x.to(DType.FLOAT32) : x.contiguous());
            Tensor actual = reduction.apply(x);

            assertThat(actual.shape()).isEqualTo(expected.shape());
            double[] a = actual.to(DType.FLOAT64).toDoubleArray();
            double[] e = expected.to(actual.dtype()).to(DType.FLOAT64).toDoubleArray();
            double large = x.numel() * 1e-7 / 4; // sums of numbers of both signs
            for (int i = 0; i < e.length; i++) {
              double room = name.contains("sum") || name.contains("mean") ? large : 0;
              double relative = x.dtype() == DType.BFLOAT16 ? 1.0 / 128 : 1e-5;
              assertThat(a[i])
                  .isCloseTo(
                      e[i],
                      org.assertj.core.api.Assertions.within(Math.abs(e[i]) * relative + room));
            }
          }
        });
  }

  @Test
  void whatIsExpandedIsNotCopied() {
    Tensor one = Tensor.ones(1).mul(3);
    Tensor many = one.expand(1L << 33);
    Tensor rows = Tensor.ones(3, 1).expand(3, 1L << 33);
    long before = Memory.allocated();
    Memory.resetMaxAllocated();

    assertThat(many.sum().item()).isEqualTo(3.0 * (1L << 33));
    assertThat(many.mean().item()).isEqualTo(3);
    assertThat(many.max().item()).isEqualTo(3);
    assertThat(many.amax(0).item()).isEqualTo(3);
    assertThat(many.prod().item()).isEqualTo(Double.POSITIVE_INFINITY);
    assertThat(many.norm().item())
        .isCloseTo(3 * Math.sqrt(1L << 33), org.assertj.core.api.Assertions.within(0.1));
    assertThat(many.var().item()).isZero();
    assertThat(many.argmax().item()).isZero();
    assertThat(rows.sum(1, false).toFloatArray()).containsExactly(0x1p33f, 0x1p33f, 0x1p33f);
    assertThat(many.any().item()).isEqualTo(1);
    assertThat(Memory.maxAllocated()).isLessThan(before + (1 << 20));
  }

  @Test
  void wholeNumbersAreCountedExactly() {
    Tensor bytes = Tensor.full(DType.UINT8, 200L, 1).expand(1L << 40);

    assertThat(bytes.sum().itemLong()).isEqualTo(200L << 40);
    assertThat(Tensor.ones(DType.BOOL, 1).expand(1L << 40).sum().itemLong()).isEqualTo(1L << 40);
  }

  @Test
  void smallTypesAreConvertedInBlocks() {
    for (DType dtype : List.of(DType.UINT8, DType.BOOL, DType.BFLOAT16, DType.FLOAT16)) {
      try (var _ = Memory.scope()) {
        Tensor x = Tensor.ones(dtype, 60_000_000);
        long before = Memory.allocated();
        Memory.resetMaxAllocated();

        Tensor sum = x.sum();

        assertThat(sum.item())
            .as(dtype.toString())
            .isEqualTo(Tensor.scalar(6e7).to(sum.dtype()).item());
        assertThat(Memory.maxAllocated()).as(dtype.toString()).isLessThan(before + 3 * BLOCK);
      }
    }
  }
}
