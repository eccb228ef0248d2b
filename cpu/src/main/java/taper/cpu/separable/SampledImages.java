package taper.cpu.separable;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.SamplingKernel;
import taper.tensor.spi.SamplingKernel.Places;
import taper.tensor.spi.Strided;

/// Images of `float32` read at any places, by the second step of [SeparableCode]: a channel is a row, out of which pixels are
/// gathered.
///
/// The reference kernel finds the pixels of some places, once for all channels. Their table stays in the first cache while
/// channel after channel is read.
public final class SampledImages implements Kernel {
  /// Places at a time: a multiple of the lanes.
  private static final int BLOCK = 256;

  /// So many blocks share what finding places needs.
  private static final long MOST_BLOCKS = 16;

  private final Isa isa;
  private final int lanes;
  private final SamplingKernel kernel;
  private final LazyCode code;

  SampledImages(Isa isa, SamplingKernel kernel) {
    this.isa = isa;
    this.lanes = isa.lanes(4);
    this.kernel = kernel;
    this.code = new LazyCode(() -> SeparableCode.picks(isa));
  }

  /// The kernel of `operator`, or null if it is not of this kind.
  public static @Nullable Kernel kernel(Isa isa, Operator<?> operator, DType compute) {
    return compute == DType.FLOAT32
            && operator.definition() instanceof Definition.Structured<?> structured
            && structured.reference() instanceof SamplingKernel sampling
        ? new SampledImages(isa, sampling)
        : null;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Strided y = outputs[0];
    Strided x = inputs[0];
    Strided grid = inputs[1];
    if (y.numel() == 0
        || x.numel() == 0
        || y.dtype() != DType.FLOAT32
        || x.dtype() != DType.FLOAT32
        || grid.dtype() != DType.FLOAT32) {
      kernel.run(attributes, outputs, inputs);
      return;
    }
    long images = x.size(0);
    long channels = x.size(1);
    int pixels = Math.toIntExact(x.numel() / (images * channels));
    int points = Math.toIntExact(y.numel() / (images * channels));
    long blocks = Math.ceilDiv(points, BLOCK);
    long from = x.address();
    long to = y.address();
    Code gather = code.get();
    Parallel.run(
        images * blocks,
        Math.clamp(images * blocks / 4, 1, MOST_BLOCKS),
        (first, end) -> {
          Places places = kernel.places(attributes, x, grid, Math.min(BLOCK, points));
          long table =
              Scratch.ofThread()
                  .address(Scratch.Use.IMAGE_ROWS, (long) BLOCK / lanes * entry(places.taps()));
          for (long b = first; b < end; b++) {
            long image = b / blocks;
            int point = (int) (b % blocks) * BLOCK;
            int count = Math.min(BLOCK, points - point);
            places.find(image, point, count);
            write(places, table, count, pixels);
            long block = Raw.arguments();
            Raw.put(block + SeparableCode.OUT, to + 4 * (image * channels * points + point));
            Raw.put(block + SeparableCode.OUT_BYTES, 4L * points);
            Raw.put(block + SeparableCode.ROWS, channels);
            Raw.put(block + SeparableCode.OWN_ROWS, from + 4 * image * channels * pixels);
            Raw.put(block + SeparableCode.PITCH, 4L * pixels);
            Raw.put(block + SeparableCode.VECTOR_TABLE, table);
            Raw.put(block + SeparableCode.VECTORS, (long) Math.ceilDiv(count, lanes));
            gather.run(block);
          }
        });
    Reference.reachabilityFence(x); // the code sees addresses only
    Reference.reachabilityFence(y);
  }

  /// The bytes of a vector's entry.
  private long entry(int taps) {
    return MapTable.vectorBytes(isa) + (long) taps * MapTable.pickBytes(isa);
  }

  /// Writes the entries of `count` places, vector by vector. What is outside is not read, but counts as a 0.
  private void write(Places places, long table, int count, int pixels) {
    int taps = places.taps();
    int[] index = places.index();
    double[] weight = places.weight();
    int weights = MapTable.pickWeights(isa);
    long at = table;
    for (int o = 0; o < count; o += lanes) {
      int here = Math.min(lanes, count - o);
      Raw.put(at + MapTable.VECTOR_PICK, (long) MapTable.Pick.GATHERED.ordinal());
      Raw.put(at + MapTable.VECTOR_COUNT, (long) taps);
      Raw.put(at + MapTable.VECTOR_MASK, (1L << here) - 1);
      if (isa == Isa.AVX2) {
        MapTable.ones(at + MapTable.VECTOR_LANES, (1 << here) - 1, lanes);
      }
      at += MapTable.vectorBytes(isa);
      for (int k = 0; k < taps; k++) {
        int mask = 0;
        for (int lane = here; lane < lanes; lane++) {
          Raw.putInt(at + MapTable.PICK_INDICES + 4L * lane, 0);
        }
        for (int lane = 0; lane < here; lane++) {
          int t = (o + lane) * taps + k;
          int i = index[t];
          boolean within = i < pixels;
          mask |= within ? 1 << lane : 0;
          Raw.putInt(at + MapTable.PICK_INDICES + 4L * lane, within ? i : 0);
          Raw.put(at + weights + 4L * lane, (float) weight[t]);
        }
        Raw.put(at + MapTable.PICK_MASK, (long) mask);
        if (isa == Isa.AVX2) {
          MapTable.ones(at + MapTable.PICK_LANES, mask, lanes);
        }
        at += MapTable.pickBytes(isa);
      }
    }
  }
}
