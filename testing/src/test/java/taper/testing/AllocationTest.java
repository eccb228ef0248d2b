package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Hot kernels make no garbage that grows with their operands: what a call leaves on the Java heap is handles and a few
/// small arrays, whatever the size of the tensors.
@DisabledIfSystemProperty(
    named = "taper.kernels",
    matches = "java",
    disabledReason = "the fall-back works on arrays of the Java heap by design")
final class AllocationTest {
  private static final int CALLS = 50;

  /// In bytes a call: far below any operand, of which the smallest holds 400 KB.
  private static final long BOUND = 20_000;

  /// The same for products: handles, the plan of the product, and one object for the threads.
  private static final long PRODUCT_BOUND = 3_000;

  @TestFactory
  java.util.stream.Stream<DynamicTest> hotKernelsMakeNoGarbage() {
    Tensor a = Tensor.randn(512, 512);
    Tensor b = Tensor.randn(512, 512);
    Tensor x = Tensor.randn(8, 16, 28, 28);
    Tensor weight = Tensor.randn(32, 16, 3, 3);
    Tensor labels = Tensor.zeros(DType.INT64, 512);
    return java.util.stream.Stream.of(
        check("add_", () -> a.add_(b)),
        check("mul", () -> a.mul(b)),
        check("relu", () -> a.relu()),
        check("exp", () -> a.exp()),
        check("sum", () -> a.sum()),
        check("sum along a dimension", () -> a.sum(0, false)),
        check("softmax", () -> a.softmax(1)),
        check("mm", PRODUCT_BOUND, () -> a.mm(b)),
        check("linear", PRODUCT_BOUND, () -> a.linear(b, null)),
        check("conv2d", () -> x.conv2d(weight, null, o -> o.padding(1))),
        check("maxPool2d", () -> x.maxPool2d(2)),
        check("crossEntropy", () -> a.crossEntropy(labels)));
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
      long before = thread.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < CALLS; i++) {
        call.run();
      }
      return (thread.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }
  }
}
