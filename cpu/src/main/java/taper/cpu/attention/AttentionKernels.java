package taper.cpu.attention;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.tensor.DType;
import taper.tensor.spi.Kernel;

/// Attention and its gradients without a matrix of all weights in memory, of operands of any strides. Threads may share
/// it.
///
/// Queries and keys are cut into blocks of 64; of the weights there is one tile of 64 × 64 at a time [1]. A running
/// softmax [2] keeps, for every query, the largest product so far and the sum of exponentials; when a larger one comes,
/// what was summed before is scaled down. Only the logarithm of that sum is left for the way back, which computes
/// the weights again [3].
///
/// Tiles are transposed: a row is a key, a column a query. So the softmax goes down columns and never has to join the
/// lanes of a vector, and the padding of a last block is a matter of columns that nobody reads. Queries are transposed
/// once a block and scaled on that occasion, keys and values are used where they lie. Masks, causal ones too, are what a
/// tile holds before the product is added to it.
///
/// A task is a head and up to 256 queries, on the way back a head.
///
/// - [1] Rabe, Staats 2021, Self-attention does not need O(n²) memory, arXiv:2112.05682
/// - [2] Milakov, Gimelshein 2018, Online normalizer calculation for softmax, arXiv:1805.02867
/// - [3] Dao 2023, FlashAttention-2, arXiv:2307.08691
public final class AttentionKernels {
  private final Isa isa;
  private @Nullable AttentionCode single;
  private @Nullable AttentionCode twice;

  /// Kernels for a processor that has `isa`; their code is assembled when it is first needed.
  public AttentionKernels(Isa isa) {
    this.isa = isa;
  }

  private synchronized AttentionCode code(DType dtype) {
    AttentionCode code = dtype == DType.FLOAT64 ? twice : single;
    if (code == null) {
      code = new AttentionCode(isa, dtype);
      if (dtype == DType.FLOAT64) {
        twice = code;
      } else {
        single = code;
      }
    }
    return code;
  }

  /// Inputs: queries, keys, values, mask or null. Outputs: weighted values, logarithms of the sums of exponentials.
  public Kernel forward() {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      if (out[0].numel() == 0) {
        return;
      }
      var run = new ForwardPass(code(in[0].dtype()), attributes, out, in);
      Parallel.run(run.tasks(), run.grain(), run);
      Reference.reachabilityFence(out); // the code sees addresses only
      Reference.reachabilityFence(in);
    });
  }

  /// Inputs: gradient, queries, keys, values, mask or null, weighted values, logarithms of the sums. Outputs: the gradients
  /// of queries, keys and values.
  public Kernel gradient() {
    return Kernel.ofAnyStrides((attributes, out, in) -> {
      if (in[0].numel() == 0) {
        return;
      }
      var run = new BackwardPass(code(in[1].dtype()), attributes, out, in);
      Parallel.run(run.tasks(), run.grain(), run);
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(in);
    });
  }
}
