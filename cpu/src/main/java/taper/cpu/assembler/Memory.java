package taper.cpu.assembler;

import org.jspecify.annotations.Nullable;

/// An operand in memory: `base + index * scale + displacement`, or a place in the code.
///
/// @param index a general-purpose register, or a vector register for gathers
/// @param label a place in the code (constants), instead of a base
/// @param broadcast whether one element is spread over all lanes (AVX-512)
/// @param mask the lanes that a store writes (AVX-512)
public record Memory(
    @Nullable Register base,
    @Nullable Operand index,
    int scale,
    int displacement,
    @Nullable Label label,
    boolean broadcast,
    Mask mask)
    implements Operand {

  /// The memory at `base`.
  public static Memory at(Register base) {
    return at(base, 0);
  }

  /// The memory `displacement` bytes behind `base`.
  public static Memory at(Register base, int displacement) {
    return new Memory(base, null, 1, displacement, null, false, Mask.K0);
  }

  /// The memory at `base + index * scale + displacement`; `scale` is 1, 2, 4 or 8.
  public static Memory at(Register base, Register index, int scale, int displacement) {
    assert index != Register.RSP;
    return new Memory(base, index, scale, displacement, null, false, Mask.K0);
  }

  /// The memory at `base + index[lane] * scale + displacement` of every lane.
  public static Memory gather(Register base, Vector index, int scale, int displacement) {
    return new Memory(base, index, scale, displacement, null, false, Mask.K0);
  }

  /// The data at `label`.
  public static Memory at(Label label) {
    return new Memory(null, null, 1, 0, label, false, Mask.K0);
  }

  /// One element here, spread over all lanes.
  public Memory spread() {
    return new Memory(base, index, scale, displacement, label, true, mask);
  }

  /// This memory, of which only the masked lanes are written.
  public Memory masked(Mask by) {
    return new Memory(base, index, scale, displacement, label, broadcast, by);
  }

  /// The memory `bytes` further on.
  public Memory plus(int bytes) {
    return new Memory(base, index, scale, displacement + bytes, label, broadcast, mask);
  }

  @Override
  public int number() {
    return 0;
  }
}
