package taper.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Generator;
import taper.tensor.spi.Strided;

class SamplingTest {
  private static final Arena ARENA = Arena.ofAuto();

  record Filling(String name, BiConsumer<Strided, Generator> fill) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Filling> fillings() {
    return Stream.of(
        new Filling("uniform", (out, g) -> Sampling.uniform(out, -1, 2, g)),
        new Filling("normal", (out, g) -> Sampling.normal(out, 1, 2, g)),
        new Filling("logNormal", (out, g) -> Sampling.logNormal(out, 0, 1, g)),
        new Filling("exponential", (out, g) -> Sampling.exponential(out, 2, g)),
        new Filling("geometric", (out, g) -> Sampling.geometric(out, 0.2, g)),
        new Filling("cauchy", (out, g) -> Sampling.cauchy(out, 1, 2, g)),
        new Filling("bernoulli", (out, g) -> Sampling.bernoulli(out, 0.3, g)),
        new Filling("dropout", (out, g) -> Sampling.dropout(out, 0.3, g)),
        new Filling("bernoulli by tensor", (out, g) -> Sampling.bernoulli(out, full(out, 0.3), g)),
        new Filling("poisson", (out, g) -> Sampling.poisson(out, full(out, 3), g)),
        new Filling(
            "rreluSlopes", (out, g) -> Sampling.rreluSlopes(out, full(out, -1), 0.1, 0.3, g)),
        new Filling("random to", (out, g) -> Sampling.random(out, 0, 10, g)),
        new Filling("random to 2^40", (out, g) -> Sampling.random(out, 0, 1L << 40, g)),
        new Filling("random", Sampling::random),
        new Filling("random full range", Sampling::randomFullRange));
  }

  @ParameterizedTest
  @MethodSource("fillings")
  void emptyTensorDrawsNothing(Filling filling) {
    Generator generator = new Generator(5);

    filling.fill.accept(tensor(DType.FLOAT32, 3, 0), generator);

    assertThat(generator.state()).isEqualTo(new Generator(5).state());
  }

  @ParameterizedTest
  @MethodSource("fillings")
  void offsetDoesNotMatterAndNeighboursStayUntouched(Filling filling) {
    for (int n : new int[] {1, 7, 8, 15, 16, 17, 31, 1023, 1024, 1025, 1040, 2055}) {
      Strided plain = tensor(DType.FLOAT32, n);
      Strided room = tensor(DType.FLOAT32, n + 2);
      Strided inside = room.view(1, new long[] {n}, new long[] {1});

      filling.fill.accept(plain, new Generator(3));
      filling.fill.accept(inside, new Generator(3));

      assertThat(values(inside)).isEqualTo(values(plain));
      assertThat(values(room)[0]).isZero();
      assertThat(values(room)[n + 1]).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("fillings")
  void transposedTensorIsFilledInTheOrderOfMemory(Filling filling) {
    Strided plain =
        tensor(DType.FLOAT64, 3, 4); // fewer than 16: normal takes the same path for both
    Strided memory = tensor(DType.FLOAT64, 3, 4);
    Strided transposed = memory.view(0, new long[] {4, 3}, new long[] {1, 4});

    filling.fill.accept(plain, new Generator(9));
    filling.fill.accept(transposed, new Generator(9));

    assertThat(values(memory)).isEqualTo(values(plain));
  }

  @ParameterizedTest
  @MethodSource("fillings")
  void stridedTensorIsFilledRowByRowAndGapsStayUntouched(Filling filling) {
    Strided plain = tensor(DType.FLOAT64, 2, 3);
    Strided room = tensor(DType.FLOAT64, 2, 8);
    Strided gaps = room.view(1, new long[] {2, 3}, new long[] {8, 2});

    filling.fill.accept(plain, new Generator(9));
    filling.fill.accept(gaps, new Generator(9));

    assertThat(values(gaps)).isEqualTo(values(plain));
    double[] all = values(room);
    for (int i : new int[] {0, 2, 4, 6, 7, 8, 10, 12, 14, 15}) {
      assertThat(all[i]).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT16"})
  void uniformNumbersHaveTheMomentsOfTheirDistribution(DType dtype) {
    Strided out = tensor(dtype, 100_000);

    Sampling.uniform(out, -1, 3, new Generator(1));

    assertThat(mean(values(out))).isCloseTo(1, within(0.02));
    assertThat(variance(values(out))).isCloseTo(16 / 12.0, within(0.02));
  }

  @ParameterizedTest
  @EnumSource(
      value = DType.class,
      names = {"FLOAT32", "FLOAT64", "BFLOAT16", "FLOAT16"})
  void normalNumbersHaveTheMomentsOfTheirDistribution(DType dtype) {
    Strided out = tensor(dtype, 100_003);

    Sampling.normal(out, 1, 2, new Generator(1));

    assertThat(mean(values(out))).isCloseTo(1, within(0.03));
    assertThat(variance(values(out))).isCloseTo(4, within(0.08));
  }

  @ParameterizedTest
  @EnumSource(value = DType.class, mode = EnumSource.Mode.MATCH_NONE, names = "COMPLEX.*")
  void bernoulliGivesTheSameMaskInEveryType(DType dtype) {
    Strided reference = tensor(DType.FLOAT64, 3000);
    Strided out = tensor(dtype, 3000);

    Sampling.bernoulli(reference, 0.3, new Generator(4));
    Sampling.bernoulli(out, 0.3, new Generator(4));

    assertThat(values(out)).isEqualTo(values(reference));
    assertThat(mean(values(out))).isCloseTo(0.3, within(0.03));
  }

  @Test
  void bernoulliComparesAllBitsOfTheDraw() {
    // the probability lies between two neighbouring draws, or on one
    for (int i = 0; i < 2000; i++) {
      Generator generator = new Generator(i);
      double u = generator.copy().uniform();
      Strided out = tensor(DType.FLOAT32, 1);

      Sampling.bernoulli(out, u, generator.copy());
      assertThat(values(out)[0]).isZero();
      Sampling.bernoulli(out, Math.nextUp(u), generator.copy());
      assertThat(values(out)[0]).isEqualTo(1);
    }
  }

  @Test
  void bernoulliIsConstantAtTheEnds() {
    Strided out = tensor(DType.FLOAT32, 1000);

    Sampling.bernoulli(out, 1, new Generator(1));
    assertThat(values(out)).containsOnly(1);
    Sampling.bernoulli(out, 0, new Generator(1));
    assertThat(values(out)).containsOnly(0);
  }

  @Test
  void permutationHoldsEveryNumberOnce() {
    for (int n : new int[] {0, 1, 2, 1023, 1024, 1025, 1026, 5000}) {
      long[] order = Sampling.permutation(n, new Generator(n));

      Arrays.sort(order);
      for (int i = 0; i < n; i++) {
        assertThat(order[i]).isEqualTo(i);
      }
    }
  }

  @Test
  void multinomialNeverDrawsWhatHasNoWeight() {
    Generator generator = new Generator(2);

    long[] drawn = Sampling.multinomial(new double[] {0, 1, 0, 3, 0}, 4000, true, generator);

    assertThat(drawn).containsOnly(1, 3);
    assertThat(Arrays.stream(drawn).filter(i -> i == 3).count() / 4000.0)
        .isCloseTo(0.75, within(0.03));
  }

  @Test
  void multinomialSaysWhatIsWrongWithTheWeights() {
    Generator generator = new Generator(2);

    assertThatThrownBy(() -> Sampling.multinomial(new double[] {1, -2}, 1, true, generator))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("multinomial: weights must be finite and at least 0, but one is -2.0.");
    assertThatThrownBy(() -> Sampling.multinomial(new double[] {0, 0}, 1, true, generator))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("multinomial: the weights of a row must not all be 0, but their sum is 0.0.");
    assertThatThrownBy(() -> Sampling.multinomial(new double[] {1, 2}, 3, false, generator))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "multinomial: without replacement there must be at least as many weights as draws, but"
                + " there are 2 weights for 3 draws. Draw fewer, or with replacement.");
  }

  @Test
  void poissonHasTheMomentsOfItsDistribution() {
    for (double rate : new double[] {0.5, 9.9, 10, 1000}) {
      Strided out = tensor(DType.FLOAT64, 20_000);

      Sampling.poisson(out, full(out, rate), new Generator(8));

      assertThat(mean(values(out))).isCloseTo(rate, within(0.04 * Math.max(1, rate)));
      assertThat(variance(values(out))).isCloseTo(rate, within(0.06 * Math.max(1, rate)));
    }
  }

  @Test
  void threadsThatShareAGeneratorDrawEveryNumberOnce() throws InterruptedException {
    Generator shared = new Generator(6);
    Strided serial = tensor(DType.FLOAT64, 4 * 50 * 100);
    Sampling.uniform(serial, 0, 1, new Generator(6));
    List<Double> drawn = new ArrayList<>();

    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                Strided out = tensor(DType.FLOAT64, 100);
                for (int i = 0; i < 50; i++) {
                  Sampling.uniform(out, 0, 1, shared);
                  synchronized (drawn) {
                    Arrays.stream(values(out)).forEach(drawn::add);
                  }
                }
              }));
    }
    for (Thread thread : threads) {
      thread.join();
    }

    double[] all = drawn.stream().mapToDouble(Double::doubleValue).sorted().toArray();
    assertThat(all).isEqualTo(Arrays.stream(values(serial)).sorted().toArray());
  }

  private static Strided tensor(DType dtype, long... sizes) {
    long numel = Arrays.stream(sizes).reduce(1, (a, b) -> a * b);
    return Strided.of(
        ARENA.allocate(numel * dtype.byteSize() + 1, 64),
        0,
        dtype,
        sizes,
        Strided.contiguousStrides(sizes));
  }

  private static Strided full(Strided like, double value) {
    Strided out = tensor(like.dtype(), like.sizes());
    double[] values = new double[(int) like.numel()];
    Arrays.fill(values, value);
    new Fill(out).put(values, values.length);
    return out;
  }

  private static double[] values(Strided from) {
    Fill read = new Fill(from);
    double[] values = new double[(int) from.numel()];
    for (int i = 0; i < values.length; i++) {
      values[i] = read.next();
    }
    return values;
  }

  private static double mean(double[] values) {
    return Arrays.stream(values).average().orElse(Double.NaN);
  }

  private static double variance(double[] values) {
    double mean = mean(values);
    return Arrays.stream(values).map(v -> (v - mean) * (v - mean)).average().orElse(Double.NaN);
  }
}
