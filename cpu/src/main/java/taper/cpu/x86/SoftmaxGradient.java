package taper.cpu.x86;

import java.lang.ref.Reference;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.LazyCode;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// The gradient of softmax, or of its logarithm, along the last dimension of contiguous operands. Threads may share it.
public final class SoftmaxGradient {
  private static final long BLOCK = 16384; // elements, some 3 µs of work

  private final DType dtype;
  private final LazyCode code;

  /// For elements of `dtype`, `float32` or `float64`; code is assembled when it is first needed.
  public SoftmaxGradient(Isa isa, DType dtype, boolean logarithm) {
    this.dtype = dtype;
    this.code = new LazyCode(() -> SoftmaxGradientCode.assemble(isa, dtype, logarithm));
  }

  /// The gradient by the elements of `rows` rows of `length` of them, from that by the results and these.
  public void run(Strided out, Strided grad, Strided results, long rows, long length) {
    Code code = this.code.get();
    long toOut = out.address();
    long toGrad = grad.address();
    long toResults = results.address();
    long row = length * dtype.byteSize();
    Parallel.run(
        rows,
        Math.max(1, BLOCK / length),
        (from, to) -> {
          long block = Raw.arguments();
          Raw.put(block + VectorRows.COLUMNS, length);
          Raw.put(block + VectorRows.ROWS, to - from);
          operand(block, 0, toOut + from * row, row);
          operand(block, 1, toGrad + from * row, row);
          operand(block, 2, toResults + from * row, row);
          code.run(block);
        });
    Reference.reachabilityFence(out); // the code sees addresses only
    Reference.reachabilityFence(grad);
    Reference.reachabilityFence(results);
  }

  private static void operand(long block, int number, long address, long row) {
    long at = block + VectorRows.OPERANDS + (long) VectorRows.OPERAND_BYTES * number;
    Raw.put(at, address);
    Raw.put(at + 8, row);
  }
}
