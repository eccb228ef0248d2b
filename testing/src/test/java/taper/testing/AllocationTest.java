package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Hot kernels make no garbage that grows with their operands: what a call leaves on the Java heap is handles and a few
/// small arrays, whatever the size of the tensors.
///
/// What all threads leave is counted, since chance says which of them does how much of a call, and for two threads, since
/// a call has some words for each. The least of several rounds counts, since the rest of the JVM makes garbage too.
@DisabledIfSystemProperty(
    named = "taper.kernels",
    matches = "java",
    disabledReason = "the fall-back works on arrays of the Java heap by design")
final class AllocationTest {
  private static final int CALLS = 50;

  /// In bytes a call: the handle of the result, the description of the work, and one object for the threads.
  private static final long BOUND = 4_000;

  /// The same for what has several results, or several kernels behind it.
  private static final long COMPOSED_BOUND = 8_000;

  /// The same for what asks for a place for each of its columns.
  private static final long WIDE_BOUND = 16_000;

  private final int threads = Threads.numThreads();

  @BeforeEach
  void useTwoThreads() {
    Threads.setNumThreads(2);
  }

  @AfterEach
  void restoreThreads() {
    Threads.setNumThreads(threads);
  }

  @TestFactory
  java.util.stream.Stream<DynamicTest> hotKernelsMakeNoGarbage() {
    Tensor a = Tensor.randn(512, 512);
    Tensor b = Tensor.randn(512, 512);
    Tensor x = Tensor.randn(8, 16, 28, 28);
    Tensor images = Tensor.randn(8, 256, 8, 8);
    Tensor weight = Tensor.randn(32, 16, 3, 3);
    Tensor labels = Tensor.zeros(DType.INT64, 512);
    Tensor one = Tensor.ones(1);
    Tensor row = Tensor.randn(512);
    Tensor heads = Tensor.randn(4, 4, 64, 32);
    return java.util.stream.Stream.of(
        check("add one element", () -> one.add(one)),
        check("add_", () -> a.add_(b)),
        check("add a row", () -> a.add(row)),
        check("mul", () -> a.mul(b)),
        check("relu", () -> a.relu()),
        check("gelu", () -> a.gelu()),
        check("exp", () -> a.exp()),
        check("sum", () -> a.sum()),
        check("sum along a dimension", WIDE_BOUND, () -> a.sum(0, false)),
        check("max along a dimension", () -> a.max(1, false)),
        check("softmax", () -> a.softmax(1)),
        check("mm", () -> a.mm(b)),
        check("mm of a transposed matrix", () -> a.mm(b.t())),
        check("linear", () -> a.linear(b, row)),
        check("conv2d", COMPOSED_BOUND, () -> x.conv2d(weight, null, o -> o.padding(1))),
        check("maxPool2d", () -> x.maxPool2d(2)),
        check("maxPool2d that overlaps", () -> x.maxPool2d(3, o -> o.stride(2).padding(1))),
        check("avgPool2d", COMPOSED_BOUND, () -> x.avgPool2d(3, o -> o.stride(2).padding(1))),
        check("adaptiveAvgPool2d", () -> x.adaptiveAvgPool2d(1, 1)),
        check("crossEntropy", () -> a.crossEntropy(labels)),
        check("layerNorm", () -> a.layerNorm(new long[] {512}, row, row, 1e-5)),
        check("batchNorm", COMPOSED_BOUND, () -> batchNorm(images)),
        check("attention", COMPOSED_BOUND, () -> heads.scaledDotProductAttention(heads, heads)),
        check("embedding", () -> labels.embedding(a)),
        check("cat", COMPOSED_BOUND, () -> Tensor.cat(List.of(a, b), 1)),
        check("transposed copy", () -> a.t().contiguous()),
        check("dropout", () -> a.dropout(0.5, true)),
        check("indexSelect", () -> a.indexSelect(0, labels)));
  }

  private static Tensor batchNorm(Tensor x) {
    return x.batchNorm(null, null, null, null, true, 0.1, 1e-5);
  }

  private static DynamicTest check(String name, Runnable call) {
    return check(name, BOUND, call);
  }

  private static DynamicTest check(String name, long bound, Runnable call) {
    return DynamicTest.dynamicTest(
        name,
        () -> {
          long[] bytes = new long[5];
          for (int round = 0; round < bytes.length; round++) {
            bytes[round] = perCall(call);
          }

          assertThat(Arrays.stream(bytes).min().orElseThrow()).as("bytes a call").isLessThan(bound);
        });
  }

  private static long perCall(Runnable call) {
    var thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (var _ = Autograd.noGrad();
        var _ = Memory.scope()) {
      call.run();
      long before = thread.getTotalThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
      return (thread.getTotalThreadAllocatedBytes() - before) / CALLS;
    }
  }
}
