package taper.tensor.internal;

/// Philox 4x32-10: random numbers by counter. Block `n` of a stream is a function of the key and of `n`
/// alone, so any part of a stream can be computed on its own, on any thread or device.
///
/// Stateless.
///
/// - Source: Salmon, Moraes, Dror, Shaw 2011, Parallel Random Numbers: As Easy as 1, 2, 3, section 3.3;
///   checked against the known answers of the Random123 library.
public final class Philox {
  private static final long MULTIPLIER_0 = 0xD2511F53L;
  private static final long MULTIPLIER_1 = 0xCD9E8D57L;
  private static final int WEYL_0 = 0x9E3779B9;
  private static final int WEYL_1 = 0xBB67AE85;
  private static final int ROUNDS = 10;

  private Philox() {}

  /// Writes the four words of the block with the counter `(c0, c1, c2, c3)` and the key `(k0, k1)` to
  /// `into[offset … offset + 3]`.
  public static void block(int c0, int c1, int c2, int c3, int k0, int k1, int[] into, int offset) {
    for (int round = 0; round < ROUNDS; round++) {
      long product0 = MULTIPLIER_0 * Integer.toUnsignedLong(c0);
      long product1 = MULTIPLIER_1 * Integer.toUnsignedLong(c2);
      int next0 = (int) (product1 >>> 32) ^ c1 ^ k0;
      int next2 = (int) (product0 >>> 32) ^ c3 ^ k1;
      c1 = (int) product1;
      c3 = (int) product0;
      c0 = next0;
      c2 = next2;
      k0 += WEYL_0;
      k1 += WEYL_1;
    }
    into[offset] = c0;
    into[offset + 1] = c1;
    into[offset + 2] = c2;
    into[offset + 3] = c3;
  }

  /// Fills `into`, whose length is a multiple of 4, with the start of the stream `(stream, substream)`
  /// of `key`.
  public static void fill(long key, int stream, long substream, int[] into) {
    assert into.length % 4 == 0;
    for (int i = 0; i < into.length; i += 4) {
      block(
          i / 4,
          stream,
          (int) substream,
          (int) (substream >>> 32),
          (int) key,
          (int) (key >>> 32),
          into,
          i);
    }
  }
}
