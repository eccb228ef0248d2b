package taper.cpu.products;

import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Scratch;

/// What one core can do at best, measured: the yardstick of benchmarks.
public final class Peaks {
  private static final int SUMS = 12;
  private static final int REPEATS = 2000;

  private Peaks() {}

  /// Floating-point operations per nanosecond of a loop of fused multiply-adds that touches registers only:
  /// the best of `rounds` rounds of some ten microseconds.
  public static double multiplyAdds(Isa isa, boolean wide, int rounds) {
    Lanes lanes = new Lanes(isa, wide ? 8 : 4);
    var a = new Assembler();
    for (int i = 0; i < SUMS + 2; i++) {
      lanes.zero(a, i);
    }
    a.mov(RCX, RDI);
    a.repeat(
        RCX,
        () -> {
          for (int i = 0; i < SUMS; i++) {
            lanes.multiplyAdd(a, i, SUMS, lanes.v(SUMS + 1));
          }
        });
    a.vzeroupper();
    a.ret();
    Code code = a.install();
    long best = Long.MAX_VALUE;
    for (int i = 0; i < rounds; i++) {
      long start = System.nanoTime();
      code.run(REPEATS);
      best = Math.min(best, System.nanoTime() - start);
    }
    return 2.0 * SUMS * lanes.count() * REPEATS / best;
  }

  /// Bytes read and written per nanosecond when `bytes` bytes are copied: the best of `rounds` copies.
  public static double copiedBytes(Isa isa, int bytes, int rounds) {
    Lanes lanes = new Lanes(isa, 4);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(bytes, 64);
      MemorySegment to = arena.allocate(bytes, 64);
      long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);
      long best = Long.MAX_VALUE;
      for (int i = 0; i < rounds; i++) {
        long start = System.nanoTime();
        PlaneCopy.run(
            block, lanes, false, from.address(), 0, 0, to.address(), 0, 0, bytes / 4, 1, 1);
        best = Math.min(best, System.nanoTime() - start);
      }
      return 2.0 * bytes / best;
    }
  }
}
