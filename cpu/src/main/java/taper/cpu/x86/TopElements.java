package taper.cpu.x86;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.reductions.ParallelLines;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.Sorting.TopK;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.LinesKernel;
import taper.tensor.spi.Strided;

/// The largest or smallest elements of dense lines by the loops of [LineCode]; what those do not cover goes to the reference
/// kernel, on several cores.
public final class TopElements {
  private static final long GRAIN = 1 << 14;

  private TopElements() {}

  /// The kernel of `operator`, or null if there is none here.
  public static @Nullable Kernel kernel(Isa isa, Operator<?> operator, DType compute) {
    if (isa != Isa.AVX512
        || !(operator.definition() instanceof Definition.Structured<?> structured)
        || !(structured.reference() instanceof LinesKernel reference)) {
      return null;
    }
    return switch (operator.name()) {
      case "topk" -> compute == DType.FLOAT32 ? new Top(reference) : null;
      default -> null;
    };
  }

  private static boolean isLast(Strided x, int dim) {
    return x.rank() > 0 && dim == x.rank() - 1;
  }

  /// The best elements of lines: those found so far are kept in order, and only what is not worse than the last of them is
  /// looked at. The more elements have been seen, the rarer that is: of `n` in any order, some `k · log(n / k)` are.
  ///
  /// Equal elements leave a choice that is PyTorch's; lines that have some are left to the reference.
  private static final class Top implements Kernel {
    private static final int MOST = 128;
    private static final int FIRST = 64;
    private static final int CHUNK = 512;

    private final LinesKernel reference;
    private final Code largest = LineCode.beyond(true);
    private final Code smallest = LineCode.beyond(false);

    Top(LinesKernel reference) {
      this.reference = reference;
    }

    @Override
    public void run(Record attributes, Strided[] out, Strided[] in) {
      var a = (TopK) attributes;
      Strided x = in[0];
      if (a.k() == 0 || a.k() > MOST || !isLast(x, a.dim()) || x.size(a.dim()) < 8 * a.k()) {
        ParallelLines.run(reference, attributes, out, in);
        return;
      }
      int n = Math.toIntExact(x.size(a.dim()));
      Parallel.run(
          x.numel() / n,
          Math.max(1, GRAIN / n),
          (first, last) -> {
            var best = new Best((int) a.k(), a.largest() ? largest : smallest, a.largest());
            for (long line = first; line < last; line++) {
              if (best.of(x, line * n, n)) {
                best.write(x, line * n, out, line * a.k());
              } else {
                reference.run(attributes, out, in, line, line + 1);
              }
            }
          });
    }
  }

  /// The best elements of a line, best first.
  private static final class Best {
    private final int k;
    private final Code code;
    private final int turn;
    private final int[] keys; // the smaller the better
    private final int[] places;
    private final MemorySegment found =
        Scratch.ofThread().memory(Scratch.Use.ROWS, 4 * (Top.CHUNK + LineCode.SLACK));

    Best(int k, Code code, boolean largest) {
      this.k = k;
      this.code = code;
      this.turn = largest ? -1 : 0;
      this.keys = new int[k];
      this.places = new int[k];
    }

    /// A number that has the order of `x`, turned around if the largest are wanted. NaN is the largest.
    private int key(float x) {
      int bits = Float.floatToRawIntBits(x + 0f); // -0 + 0 is 0
      int key = Float.isNaN(x) ? Integer.MAX_VALUE : bits ^ (bits >> 31 & Integer.MAX_VALUE);
      return key ^ turn;
    }

    /// Finds them; false if some that are equal leave a choice.
    boolean of(Strided x, long start, int n) {
      MemorySegment m = x.memory();
      long at = x.byteOffset() + 4 * start;
      int count = 0;
      boolean tie = false;
      int chunk = Math.max(k, Math.min(n, Top.FIRST));
      for (int i = 0; i < chunk; i++) {
        int key = key(m.get(JAVA_FLOAT_UNALIGNED, at + 4L * i));
        if (count == k && key >= keys[k - 1]) {
          tie |= key == keys[k - 1];
        } else {
          tie |= insert(key, i, count);
          count = Math.min(k, count + 1);
        }
      }
      long block = Raw.arguments();
      for (int done = chunk; done < n && !tie; done += chunk) {
        chunk = Math.min(Math.min(Top.CHUNK, done), n - done);
        Raw.put(block, m.get(JAVA_FLOAT_UNALIGNED, at + 4L * places[k - 1]));
        code.run(block, x.address() + 4 * (start + done), chunk, done, found.address());
        int more = (int) Raw.longAt(block);
        for (int i = 0; i < more; i++) {
          int place = found.get(JAVA_INT_UNALIGNED, 4L * i);
          int key = key(m.get(JAVA_FLOAT_UNALIGNED, at + 4L * place));
          if (key >= keys[k - 1]) {
            tie |= key == keys[k - 1];
          } else {
            tie |= insert(key, place, k);
          }
        }
      }
      return !tie;
    }

    /// Takes a key in, the worst of which goes if all `k` are there; answers whether it met an equal one.
    private boolean insert(int key, int place, int count) {
      boolean full = count == k;
      int at = full ? k - 1 : count;
      int gone = keys[at];
      for (; at > 0 && keys[at - 1] > key; at--) {
        keys[at] = keys[at - 1];
        places[at] = places[at - 1];
      }
      keys[at] = key;
      places[at] = place;
      return at > 0 && keys[at - 1] == key || full && keys[k - 1] == gone;
    }

    void write(Strided x, long start, Strided[] out, long line) {
      MemorySegment values = out[0].memory();
      MemorySegment indices = out[1].memory();
      for (int i = 0; i < k; i++) {
        float value =
            x.memory().get(JAVA_FLOAT_UNALIGNED, x.byteOffset() + 4 * (start + places[i]));
        values.set(JAVA_FLOAT_UNALIGNED, out[0].byteOffset() + 4 * (line + i), value);
        indices.set(JAVA_LONG_UNALIGNED, out[1].byteOffset() + 8 * (line + i), (long) places[i]);
      }
    }
  }
}
