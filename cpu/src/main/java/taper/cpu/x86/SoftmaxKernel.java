package taper.cpu.x86;

import java.lang.ref.Reference;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.tensor.Activations.Along;
import taper.tensor.DType;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Softmax, or its logarithm, along any dimension of contiguous operands. Threads may share it.
///
/// Along the last dimension the rows are used where they are; along others, as many of them as fit the
/// first cache are gathered into rows and put back.
public final class SoftmaxKernel implements Kernel {
  private static final long BLOCK = 4096;
  private static final long LINE = 64; // in bytes
  private static final long SECOND_CACHE = 256 << 10; // in bytes

  private final LazyCode code;

  /// A kernel for elements of `dtype`, `float32` or `float64`, assembled when it is first used.
  public SoftmaxKernel(Isa isa, DType dtype, boolean logarithm) {
    this.code = new LazyCode(() -> SoftmaxCode.assemble(isa, dtype, logarithm));
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Strided x = inputs[0];
    if (x.numel() == 0) {
      return;
    }
    int dim = ((Along) attributes).dim();
    long length = x.rank() == 0 ? 1 : x.size(dim);
    long inner = 1;
    for (int d = dim + 1; d < x.rank(); d++) {
      inner *= x.size(d);
    }
    if (inner == 1) {
      rows(outputs[0].address(), x.address(), x.numel() / length, length, x.dtype().byteSize());
    } else {
      lines(outputs[0].address(), x.address(), length, inner, x.numel(), x.dtype().byteSize());
    }
    Reference.reachabilityFence(outputs); // the code sees addresses only
    Reference.reachabilityFence(inputs);
  }

  private void call(long out, long in, long rows, long columns, int bytes) {
    long block = Raw.arguments();
    Raw.put(block + VectorRows.COLUMNS, columns);
    Raw.put(block + VectorRows.ROWS, rows);
    Raw.put(block + VectorRows.OPERANDS, out);
    Raw.put(block + VectorRows.OPERANDS + 8, columns * bytes);
    Raw.put(block + VectorRows.OPERANDS + 16, in);
    Raw.put(block + VectorRows.OPERANDS + 24, columns * bytes);
    code.get().run(block);
  }

  private void rows(long out, long in, long rows, long columns, int bytes) {
    Parallel.run(
        rows,
        Math.max(1, BLOCK / columns),
        (from, to) ->
            call(
                out + from * columns * bytes,
                in + from * columns * bytes,
                to - from,
                columns,
                bytes));
  }

  private void lines(long out, long in, long length, long inner, long numel, int bytes) {
    // whole cache lines, as long as they stay in the second cache
    long line = length * LINE <= SECOND_CACHE ? LINE / bytes : 1;
    long together = Math.max(1, Math.min(inner, Math.max(line, BLOCK / length)));
    long blocks = (inner + together - 1) / together;
    Parallel.run(
        numel / (length * inner) * blocks,
        1,
        (from, to) -> {
          for (long b = from; b < to; b++) {
            long first = b % blocks * together;
            long count = Math.min(together, inner - first);
            long offset = (b / blocks * length * inner + first) * bytes;
            long scratch = Scratch.ofThread().address(Scratch.Use.ROWS, count * length * bytes);
            Packing.copy(
                bytes,
                in + offset,
                bytes,
                inner * bytes,
                scratch,
                length * bytes,
                bytes,
                count,
                length);
            call(scratch, scratch, count, length, bytes);
            Packing.copy(
                bytes,
                scratch,
                length * bytes,
                bytes,
                out + offset,
                bytes,
                inner * bytes,
                count,
                length);
          }
        });
  }
}
