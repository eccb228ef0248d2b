package taper.tensor.internal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PhiloxTest {
  // the known answers of Random123, kat_vectors, philox4x32 with 10 rounds
  @Test
  void blockOfZerosIsTheKnownAnswer() {
    assertThat(block(0, 0, 0, 0, 0, 0))
        .containsExactly(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8);
  }

  @Test
  void blockOfOnesIsTheKnownAnswer() {
    assertThat(block(-1, -1, -1, -1, -1, -1))
        .containsExactly(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd);
  }

  @Test
  void blockOfDigitsOfPiIsTheKnownAnswer() {
    assertThat(block(0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344, 0xa4093822, 0x299f31d0))
        .containsExactly(0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1);
  }

  @Test
  void streamIsTheBlocksOneAfterTheOther() {
    int[] stream = new int[12];

    Philox.fill(0x123456789abcdefL, 7, 0x1122334455667788L, stream);

    assertThat(new int[] {stream[8], stream[9], stream[10], stream[11]})
        .containsExactly(block(2, 7, 0x55667788, 0x11223344, 0x89abcdef, 0x1234567));
  }

  private static int[] block(int c0, int c1, int c2, int c3, int k0, int k1) {
    int[] out = new int[4];
    Philox.block(c0, c1, c2, c3, k0, k1, out, 0);
    return out;
  }
}
