package taper.tensor;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.SecureRandom;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;
import taper.tensor.internal.Philox;
import taper.tensor.internal.Sampling;

/// A stream of random numbers: PyTorch's CPU generator, draw for draw.
///
/// Two generators with the same seed, or with the same [#state()], give the same numbers here and in
/// PyTorch. Mutable. Every method is atomic and holds the generator's monitor, so threads may share a
/// generator; a caller that needs several draws in a row without another thread in between
/// synchronises on the generator, as every random operator does. Nothing has to be freed.
///
/// Operators without a generator of their own use [#global()]. Work on many threads should not share a
/// stream, since the order of the draws would then decide the values: [#derived(long, long)] gives
/// every piece of work its own.
public final class Generator {
  /*
   * Mersenne Twister 19937 [1]: a state of 624 words, advanced as a whole and then tempered word by
   * word. Word i of the new state depends on words i, i + 1 and i + 397 of the cycle, so the advance
   * falls into three loops without a modulo. Advancing and tempering work in place on one array, with
   * constant distances: only then can C2 prove that nothing overlaps within a vector, and turn the
   * loops into vector code (0.4 ns a draw instead of 2.5 ns).
   *
   * `left` counts as PyTorch does: one more than the words that are still unused. After seeding it is 1
   * although no word was used yet: the state is advanced before the first draw.
   *
   * [1] Matsumoto, Nishimura 1998, Mersenne Twister: a 623-dimensionally equidistributed uniform
   *     pseudo-random number generator, ACM TOMACS 8(1).
   */
  private static final int WORDS = 624;
  private static final int SHIFT = 397;
  private static final int MATRIX = 0x9908b0df;
  private static final int UPPER = 0x80000000;
  private static final int LOWER = 0x7fffffff;

  /// The seed of a generator that was not given one, as in PyTorch.
  public static final long DEFAULT_SEED = 67280421310721L;

  /// The size of [#state()], in bytes.
  public static final int STATE_BYTES = 5056;

  private static final Generator GLOBAL = new Generator();

  private final int[] words = new int[WORDS];
  private int next;
  private int left;
  private long initialSeed;
  private double nextNormal;
  private boolean hasNextNormal;
  // PyTorch's state has a place for a cached float as well; it is carried along unchanged
  private float nextFloatNormal;
  private boolean hasNextFloatNormal;

  /// A generator seeded with [#DEFAULT_SEED].
  public Generator() {
    this(DEFAULT_SEED);
  }

  /// A generator seeded with `seed`, see [#manualSeed(long)].
  public Generator(long seed) {
    seedWords(seed);
  }

  private Generator(Generator other) {
    copyFrom(other);
  }

  /// The generator that every random operator uses that is not given another one: the process's, or inside of
  /// [#with(Supplier, Supplier)] the thread's own.
  public static Generator global() {
    Supplier<Generator> own = Context.current().generator;
    return own == null ? GLOBAL : own.get();
  }

  /// Returns what `body` returns, run with another generator in the place of [#global()] on this thread.
  ///
  /// @param stream gives the generator; asked once, when the first number is drawn
  public static <R> R with(Supplier<Generator> stream, Supplier<R> body) {
    Context context = Context.current();
    Supplier<Generator> before = context.generator;
    context.generator = new Lazy(stream);
    try {
      return body.get();
    } finally {
      context.generator = before;
    }
  }

  /// Most bodies draw nothing; a generator of 624 words is made for those that do.
  private static final class Lazy implements Supplier<Generator> {
    private final Supplier<Generator> making;
    private @Nullable Generator made;

    Lazy(Supplier<Generator> making) {
      this.making = making;
    }

    @Override
    public Generator get() {
      Generator generator = made;
      if (generator == null) {
        generator = making.get();
        made = generator;
      }
      return generator;
    }
  }

  /// Restarts the stream from `seed` and forgets the cached normal value.
  ///
  /// Every `long` is allowed, negative ones too; as in PyTorch all of it is remembered, and the lower
  /// 32 bits decide the numbers.
  ///
  /// @return this generator
  public synchronized Generator manualSeed(long seed) {
    seedWords(seed);
    return this;
  }

  /// Restarts the stream from a seed that cannot be foreseen.
  ///
  /// @return the seed, to be noted and given to [#manualSeed(long)] later
  public synchronized long seed() {
    // 53 bits, as in PyTorch, so that the seed survives a trip through JSON
    long seed = new SecureRandom().nextLong() & ((1L << 53) - 1);
    seedWords(seed);
    return seed;
  }

  /// The seed from which the stream started.
  public synchronized long initialSeed() {
    return initialSeed;
  }

  /// Draws 32 random bits.
  public synchronized int random() {
    if (left == 1) {
      advance();
    }
    left--;
    return temper(words[next++]);
  }

  /// Draws 64 random bits: two draws of 32 bits, the upper half first.
  public synchronized long random64() {
    long high = random();
    return high << 32 | Integer.toUnsignedLong(random());
  }

  /// Fills `count` elements of `into` from `offset` on with draws of 32 bits, as [#random()] gives
  /// them, some ten times as fast.
  ///
  /// @throws IndexOutOfBoundsException if the region lies outside the array
  public synchronized void random(int[] into, int offset, int count) {
    Objects.checkFromIndexSize(offset, count, into.length);
    int at = offset;
    int end = offset + count;
    while (at < end) {
      if (left == 1) {
        advance();
      }
      int n = Math.min(end - at, left - 1);
      System.arraycopy(words, next, into, at, n);
      next += n;
      left -= n;
      at += n;
    }
    temper(into, offset, end);
  }

  /// Draws a number from 0 (included) to 1 (excluded) with 53 random bits.
  public synchronized double uniform() {
    return (random64() & ((1L << 53) - 1)) * 0x1p-53;
  }

  /// Draws a number from the standard normal distribution.
  ///
  /// - Source: Box, Muller 1958, A note on the generation of random normal deviates. Values come in
  ///   pairs; the second one is kept for the next call, and is part of [#state()].
  public synchronized double normal() {
    if (hasNextNormal) {
      hasNextNormal = false;
      return nextNormal;
    }
    double u1 = uniform();
    double u2 = uniform();
    double radius = Math.sqrt(-2.0 * Math.log(1 - u2));
    double angle = 2.0 * Math.PI * u1;
    nextNormal = radius * Math.sin(angle);
    hasNextNormal = true;
    return radius * Math.cos(angle);
  }

  /// Draws a whole number from `from` (included) to `to` (excluded) as `random_(from, to)` does for
  /// `int64`: 32 bits modulo the range, 64 bits if the range is `2^32` or more.
  ///
  /// @throws ArgumentException if `from` is not below `to`
  public synchronized long random(long from, long to) {
    if (from >= to) {
      throw new ArgumentException(
          "random: from must be less than to, but from is " + from + " and to is " + to + ".");
    }
    long range = to - from; // unsigned
    boolean narrow = range > 0 && range < 1L << 32;
    return from
        + (narrow
            ? Integer.toUnsignedLong(random()) % range
            : Long.remainderUnsigned(random64(), range));
  }

  /// Draws a seed for another generator: a number from 0 to [Long#MAX_VALUE], as `random_()` gives it for
  /// `int64`. PyTorch's loaders and samplers start their own streams this way.
  public synchronized long nextSeed() {
    return random64() & Long.MAX_VALUE;
  }

  /// Draws a random order of the numbers from 0 to `n - 1`, as `randperm` does.
  ///
  /// @throws ArgumentException if `n` is negative or larger than an array can be
  public long[] permutation(long n) {
    return Sampling.permutation(n, this);
  }

  /// Draws `count` indices into `weights`, each with a probability in proportion to its weight, as
  /// `multinomial` does on `float64`.
  ///
  /// @param replacement whether an index may be drawn more than once
  /// @throws ArgumentException if a weight is negative or not finite, if all are 0, or if there are
  ///     fewer than `count` and none may be drawn twice
  public long[] multinomial(double[] weights, int count, boolean replacement) {
    return Sampling.multinomial(weights, count, replacement, this);
  }

  /// The state in the layout of `torch.get_rng_state()`, [#STATE_BYTES] long.
  public synchronized byte[] state() {
    ByteBuffer out = ByteBuffer.allocate(STATE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    out.putLong(initialSeed).putInt(left).putInt(1).putLong(next);
    for (int word : words) {
      out.putLong(Integer.toUnsignedLong(word));
    }
    // normal_x, normal_y, normal_rho, normal_is_valid: only the second is still in use
    out.putDouble(0).putDouble(hasNextNormal ? nextNormal : 0).putDouble(0);
    out.putInt(hasNextNormal ? 1 : 0).putInt(0);
    out.putFloat(hasNextFloatNormal ? nextFloatNormal : 0).put((byte) (hasNextFloatNormal ? 1 : 0));
    return out.array();
  }

  /// Continues from `state`, which came from [#state()] or from `torch.get_rng_state()`.
  ///
  /// @return this generator
  /// @throws ArgumentException if `state` is no such state; the generator is then unchanged
  public synchronized Generator loadState(byte[] state) {
    if (state.length != STATE_BYTES) {
      throw new ArgumentException(
          "loadState: the state of a CPU generator must have "
              + STATE_BYTES
              + " bytes, but it has "
              + state.length
              + ".");
    }
    ByteBuffer in = ByteBuffer.wrap(state).order(ByteOrder.LITTLE_ENDIAN);
    long seed = in.getLong();
    int newLeft = in.getInt();
    int seeded = in.getInt();
    long newNext = in.getLong();
    boolean fresh = newLeft == 1 && newNext == 0;
    if (seeded == 0
        || newLeft < 1
        || newLeft > WORDS
        || !(fresh || newLeft + newNext == WORDS + 1)) {
      throw new ArgumentException(
          "loadState: a seeded generator has as many words left as were not used of "
              + WORDS
              + ", but this state says seeded "
              + seeded
              + ", left "
              + newLeft
              + ", next "
              + newNext
              + ". The bytes are damaged or no generator state.");
    }
    initialSeed = seed;
    left = newLeft;
    next = (int) newNext;
    for (int i = 0; i < WORDS; i++) {
      words[i] = (int) in.getLong();
    }
    in.getDouble();
    nextNormal = in.getDouble();
    in.getDouble();
    hasNextNormal = in.getInt() != 0;
    in.getInt();
    nextFloatNormal = in.getFloat();
    hasNextFloatNormal = in.get() != 0;
    return this;
  }

  /// A second generator that continues from the same point, on its own from then on.
  public synchronized Generator copy() {
    return new Generator(this);
  }

  /// Continues from where `other` is; its seed becomes the seed of this generator.
  ///
  /// @return this generator
  public synchronized Generator continueFrom(Generator other) {
    copyFrom(other);
    return this;
  }

  /// Remembers the state until the result is closed, so that whatever draws in between leaves no
  /// trace: `try (var fork = Generator.global().fork()) { … }`.
  public synchronized Fork fork() {
    return new Fork(this);
  }

  /// The stream that belongs to item `index` of `epoch`, derived from [#initialSeed()].
  ///
  /// Nothing is drawn from this generator, and it does not matter how far it has come: the same seed,
  /// epoch and index always give the same stream, whichever thread asks and in whatever order. This is
  /// how data loading stays the same for any number of workers. Only the lower 32 bits of `epoch`
  /// count.
  ///
  /// - Source: the 624 words are counter-based random numbers (Philox 4x32-10, key = seed, counter =
  ///   epoch and index), so that streams with different coordinates share no part of their start.
  public Generator derived(long epoch, long index) {
    Generator stream = new Generator(this);
    Philox.fill(stream.initialSeed, (int) epoch, index, stream.words);
    stream.words[0] |= UPPER; // a state of all zeros would never leave zero
    stream.next = 0;
    stream.left = 1;
    stream.hasNextNormal = false;
    stream.hasNextFloatNormal = false;
    return stream;
  }

  private void copyFrom(Generator other) {
    synchronized (other) {
      System.arraycopy(other.words, 0, words, 0, WORDS);
      next = other.next;
      left = other.left;
      initialSeed = other.initialSeed;
      nextNormal = other.nextNormal;
      hasNextNormal = other.hasNextNormal;
      nextFloatNormal = other.nextFloatNormal;
      hasNextFloatNormal = other.hasNextFloatNormal;
    }
  }

  private void seedWords(long seed) {
    initialSeed = seed;
    int word = (int) seed;
    words[0] = word;
    for (int i = 1; i < WORDS; i++) {
      word = 1812433253 * (word ^ word >>> 30) + i;
      words[i] = word;
    }
    left = 1;
    next = 0;
    hasNextNormal = false;
    hasNextFloatNormal = false;
  }

  private void advance() {
    twist(words);
    next = 0;
    left = WORDS + 1;
  }

  private static void twist(int[] words) {
    for (int i = 0; i < WORDS - SHIFT; i++) {
      int y = words[i] & UPPER | words[i + 1] & LOWER;
      words[i] = words[i + SHIFT] ^ y >>> 1 ^ -(y & 1) & MATRIX;
    }
    for (int i = WORDS - SHIFT; i < WORDS - 1; i++) {
      int y = words[i] & UPPER | words[i + 1] & LOWER;
      words[i] = words[i - (WORDS - SHIFT)] ^ y >>> 1 ^ -(y & 1) & MATRIX;
    }
    int y = words[WORDS - 1] & UPPER | words[0] & LOWER;
    words[WORDS - 1] = words[SHIFT - 1] ^ y >>> 1 ^ -(y & 1) & MATRIX;
  }

  private static int temper(int word) {
    int y = word;
    y ^= y >>> 11;
    y ^= y << 7 & 0x9d2c5680;
    y ^= y << 15 & 0xefc60000;
    return y ^ y >>> 18;
  }

  private static void temper(int[] values, int from, int to) {
    for (int i = from; i < to; i++) {
      int y = values[i];
      y ^= y >>> 11;
      y ^= y << 7 & 0x9d2c5680;
      y ^= y << 15 & 0xefc60000;
      values[i] = y ^ y >>> 18;
    }
  }

  /// Puts a generator back to where it was when it is closed. Belongs to the thread that opened it.
  public static final class Fork implements AutoCloseable {
    private final Generator generator;
    private final Generator before;
    private boolean open = true;

    private Fork(Generator generator) {
      this.generator = generator;
      this.before = new Generator(generator);
    }

    /// Puts the generator back; closing a second time does nothing.
    @Override
    public void close() {
      if (open) {
        open = false;
        synchronized (generator) {
          generator.copyFrom(before);
        }
      }
    }
  }
}
