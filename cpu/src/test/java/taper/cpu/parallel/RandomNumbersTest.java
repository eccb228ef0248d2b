package taper.cpu.parallel;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.Tensor;

/// Random numbers that are drawn for all threads are those that one thread would draw.
class RandomNumbersTest {
  private static final int PIECE = 1024;
  private static final int COUNT = 60 * PIECE;

  private static double[] onThreads(int threads, Supplier<Tensor> fill) {
    int before = Parallel.threads();
    try {
      Parallel.setThreads(threads);
      Tensor.manualSeed(3);
      Tensor filled = fill.get();
      return Tensor.cat(java.util.List.of(filled.to(DType.FLOAT64), next())).toDoubleArray();
    } finally {
      Parallel.setThreads(before);
    }
  }

  /// What the stream gives next: where it has come to.
  private static Tensor next() {
    return Tensor.of(new double[] {Generator.global().uniform()}, 1);
  }

  private static void same(Supplier<Tensor> whole) {
    double[] one = onThreads(1, whole);
    for (int threads = 2; threads <= 5; threads++) {
      assertThat(onThreads(threads, whole)).isEqualTo(one);
    }
  }

  @Test
  void normalNumbersAreTheSameOnAnyNumberOfThreads() {
    for (int more : new int[] {0, 1, 16, 17, 1000}) {
      same(() -> Tensor.empty(COUNT + more).normal_(1, 2));
      same(() -> Tensor.empty(DType.FLOAT64, COUNT + more).normal_(1, 2));
    }
  }

  @Test
  void normalNumbersOfATensorAreThoseOfItsPieces() {
    double[] whole = onThreads(2, () -> Tensor.empty(COUNT).normal_(1, 2));

    double[] pieces =
        onThreads(
            2,
            () -> {
              Tensor x = Tensor.empty(COUNT);
              for (int at = 0; at < COUNT; at += PIECE) {
                x.narrow(0, at, PIECE).normal_(1, 2);
              }
              return x;
            });
    assertThat(whole).isEqualTo(pieces);
  }

  @Test
  void masksAreTheSameOnAnyNumberOfThreadsAndByPieces() {
    for (DType type : new DType[] {DType.FLOAT32, DType.BOOL}) {
      same(() -> Tensor.empty(type, COUNT + 5).bernoulli_(0.3));
      double[] whole = onThreads(2, () -> Tensor.empty(type, COUNT).bernoulli_(0.3));
      double[] pieces =
          onThreads(
              2,
              () -> {
                Tensor x = Tensor.empty(type, COUNT);
                for (int at = 0; at < COUNT; at += PIECE) {
                  x.narrow(0, at, PIECE).bernoulli_(0.3);
                }
                return x;
              });
      assertThat(whole).isEqualTo(pieces);
    }
    same(() -> Tensor.ones(COUNT + 5).dropout(0.2, true));
  }

  @Test
  void wholeNumbersAreTheSameOnAnyNumberOfThreadsAndByPieces() {
    same(() -> Tensor.empty(DType.INT64, COUNT + 5).random_(-7, 1 << 20));
    double[] whole = onThreads(2, () -> Tensor.empty(DType.INT64, COUNT).random_(-7, 1000));

    double[] pieces =
        onThreads(
            2,
            () -> {
              Tensor x = Tensor.empty(DType.INT64, COUNT);
              for (int at = 0; at < COUNT; at += PIECE) {
                x.narrow(0, at, PIECE).random_(-7, 1000);
              }
              return x;
            });
    assertThat(whole).isEqualTo(pieces);
  }

  @Test
  void evenlySpacedNumbersAreTheSameOnAnyNumberOfThreads() {
    same(() -> Tensor.linspace(-1, 3, 3 * COUNT));
    same(() -> Tensor.arange(5, 5 + 6 * COUNT, 2));
    same(() -> Tensor.arange(0.5, 3.0 * COUNT, 1.5));
  }
}
