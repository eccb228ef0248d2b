package taper.testing;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import taper.cpu.GuardedMemory;
import taper.cpu.GuardedMemory.Side;
import taper.tensor.Catalogue;
import taper.tensor.Memory;
import taper.tensor.Operator;
import taper.tensor.internal.Heap;

/// Runs every operator on every sample with all tensors, inputs, outputs and temporaries, between pages that cannot be
/// touched: a kernel that reads or writes one byte beyond an operand kills the virtual machine, which no test
/// overlooks.
@EnabledOnOs({OS.LINUX, OS.MAC})
final class GuardPagesTest {

  /// Lays every tensor flush against the page at one side.
  private record Guarded(Side side, Map<Long, GuardedMemory> regions) implements Heap.Source {
    @Override
    public MemorySegment allocate(long bytes) {
      var region = new GuardedMemory(bytes, side);
      regions.put(region.address(), region);
      return region.segment();
    }

    @Override
    public void free(MemorySegment memory) {
      GuardedMemory region = regions.remove(memory.address());
      if (region != null) {
        region.close(); // checks that nothing was written beside it
      }
    }
  }

  @AfterEach
  void restore() {
    Heap.setSource(null);
  }

  @TestFactory
  Stream<DynamicTest> noKernelTouchesABytePastAnOperand() {
    return Stream.of(Side.values())
        .flatMap(side ->
            Catalogue.operators().stream()
                .map(operator ->
                    DynamicTest.dynamicTest(
                        operator.name() + ", guarded " + side, () -> run(operator, side))));
  }

  private static void run(Operator<?> operator, Side side) {
    var failures = new ArrayList<AssertionError>();
    Heap.setSource(new Guarded(side, new ConcurrentHashMap<>()));
    try {
      for (OperatorChecks.Check check : OperatorChecks.of(operator)) {
        if (check.name().contains("agrees") || check.name().contains("finite gradients")) {
          try (var _ = Memory.scope("guarded")) {
            check.body().run();
          } catch (AssertionError e) {
            failures.add(e);
          }
        }
      }
    } finally {
      Heap.setSource(null);
    }
    if (!failures.isEmpty()) {
      throw failures.getFirst();
    }
  }
}
