package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class GeneratorTest {
  @Test
  void drawsAreThoseOfTheReferenceImplementation() {
    // mt19937ar.c seeded with 5489: the 10,000th draw is given in the C++ standard, [rand.predef]
    Generator generator = new Generator(5489);
    int[] draws = new int[10_000];

    generator.random(draws, 0, draws.length);

    assertThat(Integer.toUnsignedLong(draws[9999])).isEqualTo(4123659995L);
  }

  @Test
  void drawsInBulkAreTheDrawsOneByOne() {
    Generator bulk = new Generator(7);
    Generator single = new Generator(7);
    for (int n : new int[] {1, 0, 622, 1, 1, 3000, 623, 625, 17}) {
      int[] draws = new int[n + 2];

      bulk.random(draws, 1, n);

      assertThat(draws[0]).isZero();
      assertThat(draws[n + 1]).isZero();
      for (int i = 1; i <= n; i++) {
        assertThat(draws[i]).isEqualTo(single.random());
      }
      assertThat(bulk.state()).isEqualTo(single.state());
    }
  }

  @Test
  void drawsOutsideTheArrayAreRefused() {
    Generator generator = new Generator(7);

    assertThatThrownBy(() -> generator.random(new int[3], 1, 3))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThat(generator.state()).isEqualTo(new Generator(7).state());
  }

  @Test
  void anySeedIsRememberedAndItsLower32BitsDecide() {
    assertThat(new Generator(-3).initialSeed()).isEqualTo(-3);
    assertThat(new Generator(4294967303L).initialSeed()).isEqualTo(4294967303L);
    assertThat(new Generator(4294967303L).random()).isEqualTo(new Generator(7).random());
    assertThat(new Generator().initialSeed()).isEqualTo(67280421310721L);
  }

  @Test
  void seedStartsAStreamThatCanBeRepeated() {
    Generator generator = new Generator();

    long seed = generator.seed();

    assertThat(seed).isBetween(0L, (1L << 53) - 1);
    assertThat(generator.initialSeed()).isEqualTo(seed);
    assertThat(generator.random()).isEqualTo(new Generator(seed).random());
    assertThat(generator.seed()).isNotEqualTo(seed);
  }

  @Test
  void stateCarriesTheCachedNormalValue() {
    Generator generator = new Generator(1);
    generator.normal();

    Generator other = new Generator(99).loadState(generator.state());

    assertThat(other.normal()).isEqualTo(generator.normal());
    assertThat(other.random()).isEqualTo(generator.random());
    assertThat(other.initialSeed()).isEqualTo(1);
  }

  @Test
  void stateOfOtherLengthIsRefused() {
    assertThatThrownBy(() -> new Generator().loadState(new byte[16]))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("loadState: the state of a CPU generator must have 5056 bytes, but it has 16.");
  }

  @Test
  void damagedStateIsRefusedAndChangesNothing() {
    Generator generator = new Generator(3);
    byte[] damaged = generator.state();
    damaged[8] = 77;

    assertThatThrownBy(() -> generator.loadState(damaged))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "loadState: a seeded generator has as many words left as were not used of 624, but this"
                + " state says seeded 1, left 77, next 0. The bytes are damaged or no generator"
                + " state.");
    assertThat(generator.state()).isEqualTo(new Generator(3).state());
  }

  @Test
  void copyGoesItsOwnWay() {
    Generator generator = new Generator(3);
    generator.random();

    Generator copy = generator.copy();
    int drawn = copy.random();

    assertThat(generator.random()).isEqualTo(drawn);
  }

  @Test
  void forkLeavesNoTrace() {
    Generator generator = new Generator(3);
    generator.normal();
    byte[] before = generator.state();

    try (Generator.Fork _ = generator.fork()) {
      generator.manualSeed(5);
      generator.random();
    }

    assertThat(generator.state()).isEqualTo(before);
  }

  @Test
  void derivedStreamsDependOnSeedEpochAndIndexAlone() {
    Generator generator = new Generator(3);
    long first = generator.derived(2, 5).random64();
    byte[] before = generator.state();

    assertThat(generator.derived(2, 5).random64()).isEqualTo(first);
    assertThat(generator.state()).isEqualTo(before);
    generator.normal();
    assertThat(generator.derived(2, 5).random64()).isEqualTo(first);
    assertThat(new Generator(3).derived(2, 5).random64()).isEqualTo(first);
  }

  @Test
  void derivedStreamsDiffer() {
    Set<Long> starts = new HashSet<>();
    for (long seed : new long[] {0, 1, 1L << 32, -1}) {
      Generator generator = new Generator(seed);
      for (int epoch = 0; epoch < 10; epoch++) {
        for (long index : new long[] {0, 1, 2, 63, 1L << 33}) {
          starts.add(generator.derived(epoch, index).random64());
        }
      }
    }

    assertThat(starts).hasSize(4 * 10 * 5);
  }

  @Test
  void wholeNumbersStayInTheirRange() {
    Generator generator = new Generator(3);
    for (int i = 0; i < 1000; i++) {
      assertThat(generator.random(-3, 4)).isBetween(-3L, 3L);
      assertThat(generator.random(Long.MIN_VALUE, Long.MAX_VALUE)).isLessThan(Long.MAX_VALUE);
      assertThat(generator.nextSeed()).isNotNegative();
    }
  }

  @Test
  void emptyRangeIsRefused() {
    assertThatThrownBy(() -> new Generator().random(4, 4))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("random: from must be less than to, but from is 4 and to is 4.");
  }
}
