package taper.cpu.assembler;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static taper.cpu.assembler.Register.RAX;
import static taper.cpu.assembler.Register.RBX;
import static taper.cpu.assembler.Register.RCX;
import static taper.cpu.assembler.Register.RDI;
import static taper.cpu.assembler.Register.RDX;
import static taper.cpu.assembler.Register.RSI;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/// What the processor can do, as it says itself (`cpuid`) and as the operating system lets it (`xgetbv`).
///
/// `-Dtaper.isa=avx2` makes a processor with AVX-512 behave as one without.
///
/// @param unavailable why code for this processor cannot be assembled, or null if it can
/// @param isa the widest instruction set that may be used
/// @param bfloat16 whether there are instructions for bfloat16 (AVX512-BF16)
/// @param firstCacheBytes the size of the first data cache of a core, in bytes
/// @param secondCacheBytes the size of the second cache, in bytes
public record CpuFeatures(
    @Nullable String unavailable,
    Isa isa,
    boolean bfloat16,
    int firstCacheBytes,
    int secondCacheBytes) {

  private static final class Holder {
    static final CpuFeatures CURRENT = detect();
  }

  /// The features of this processor.
  public static CpuFeatures current() {
    return Holder.CURRENT;
  }

  private static CpuFeatures none(String reason) {
    return new CpuFeatures(reason, Isa.AVX2, false, 32 << 10, 512 << 10);
  }

  private static CpuFeatures detect() {
    @Nullable String unavailable = CodeMemory.unavailable();
    if (unavailable != null) {
      return none(unavailable);
    }
    try (Arena arena = Arena.ofConfined()) {
      var query = new Query(identification(), arena.allocate(16, 16));
      int vendorLeaf = query.run(0, 0)[0];
      int[] one = query.run(1, 0);
      int[] seven = vendorLeaf >= 7 ? query.run(7, 0) : new int[4];
      boolean saves = bit(one[2], 27);
      int state = saves ? query.run(-1, 0)[0] : 0;
      boolean avx2 =
          (state & 6) == 6
              && bit(one[2], 12) // FMA
              && bit(one[2], 28) // AVX
              && bit(one[2], 29) // F16C
              && bit(seven[1], 5) // AVX2
              && bit(seven[1], 8); // BMI2
      if (!avx2) {
        return none("the processor lacks AVX2, FMA, F16C or BMI2");
      }
      boolean avx512 =
          (state & 0xE6) == 0xE6
              && bit(seven[1], 16) // F
              && bit(seven[1], 17) // DQ
              && bit(seven[1], 30) // BW
              && bit(seven[1], 31); // VL
      String wanted = System.getProperty("taper.isa", "").toLowerCase(Locale.ROOT);
      boolean wide = avx512 && !wanted.equals("avx2");
      boolean bfloat16 = wide && seven[0] >= 1 && bit(query.run(7, 1)[0], 5);
      int[] caches = caches(query);
      return new CpuFeatures(null, wide ? Isa.AVX512 : Isa.AVX2, bfloat16, caches[0], caches[1]);
    } catch (CodeMemory.UnavailableException e) {
      return none(String.valueOf(e.getMessage()));
    }
  }

  private static boolean bit(int word, int number) {
    return (word >>> number & 1) != 0;
  }

  /// Cache sizes: leaf 4 (Intel) and leaf 8000001D (AMD) have the same layout.
  private static int[] caches(Query query) {
    int[] sizes = {32 << 10, 512 << 10};
    boolean amd = query.run(0, 0)[2] == 0x444D4163;
    int leaf = amd ? 0x8000001D : 4;
    for (int i = 0; i < 8; i++) {
      int[] r = query.run(leaf, i);
      int type = r[0] & 31;
      int level = r[0] >> 5 & 7;
      if (type == 0) {
        break;
      }
      int size = ((r[1] >>> 22) + 1) * ((r[1] >> 12 & 1023) + 1) * ((r[1] & 4095) + 1) * (r[2] + 1);
      if (type != 2 && level <= 2) {
        sizes[level - 1] = size;
      }
    }
    return sizes;
  }

  private record Query(Code code, MemorySegment registers) {
    int[] run(int leaf, int subleaf) {
      code.run(registers.address(), leaf & 0xFFFFFFFFL, subleaf);
      return registers.toArray(JAVA_INT);
    }
  }

  /// Stores `eax, ebx, ecx, edx` of cpuid at the first argument; leaf -1 asks for the state that the
  /// system saves instead.
  private static Code identification() {
    var a = new Assembler();
    var system = new Label();
    var store = new Label();
    a.push(RBX);
    a.mov(Register.R8, RDX);
    a.mov(RAX, RSI);
    a.mov(RCX, Register.R8);
    a.mov(Register.R9, 0xFFFFFFFFL);
    a.cmp(RAX, Register.R9);
    a.jump(Condition.EQUAL, system);
    a.cpuid();
    a.jump(store);
    a.bind(system);
    a.mov(RCX, 0);
    a.xgetbv();
    a.bind(store);
    a.movl(Memory.at(RDI, 0), RAX);
    a.movl(Memory.at(RDI, 4), RBX);
    a.movl(Memory.at(RDI, 8), RCX);
    a.movl(Memory.at(RDI, 12), RDX);
    a.pop(RBX);
    a.ret();
    return a.install();
  }
}
