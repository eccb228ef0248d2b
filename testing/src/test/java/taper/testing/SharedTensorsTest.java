package taper.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import taper.tensor.AutogradException;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.ReleasedException;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// What several threads do with the same tensors is right, or refused.
final class SharedTensorsTest {
  private static final int FEW = 300;
  private static final int MANY = 10_000;

  private final int threads = Threads.numThreads();

  @AfterEach
  void restore() {
    Threads.setNumThreads(threads);
  }

  /// Runs `body` on `count` threads at once, and throws what one of them threw.
  private static void together(int count, Consumer<Integer> body) throws InterruptedException {
    var ready = new CountDownLatch(count);
    var failure = new AtomicReference<@Nullable Throwable>();
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < count; t++) {
      int number = t;
      Thread.Builder builder = t % 2 == 0 ? Thread.ofPlatform() : Thread.ofVirtual();
      all.add(
          builder.start(() -> {
            try {
              ready.countDown();
              ready.await();
              body.accept(number);
            } catch (InterruptedException | RuntimeException | Error e) {
              failure.set(e);
            }
          }));
    }
    for (Thread thread : all) {
      thread.join();
    }
    Throwable thrown = failure.get();
    if (thrown != null) {
      throw new AssertionError(thrown);
    }
  }

  @Test
  void aScopeThatIsClosedWhileAnotherThreadComputesSpoilsNothing() throws InterruptedException {
    closed(FEW);
  }

  @Test
  @Tag("slow")
  void aScopeThatIsClosedWhileAnotherThreadComputesSpoilsNothingTenThousandTimes()
      throws InterruptedException {
    closed(MANY);
  }

  private static void closed(int trials) throws InterruptedException {
    long[] lengths = {1, 5_000, 200_000};
    var right = new AtomicInteger();
    for (int trial = 0; trial < trials; trial++) {
      long n = lengths[trial % lengths.length];
      int patience = trial % 50;
      var x = new AtomicReference<@Nullable Tensor>();
      var steps = new AtomicInteger();

      together(
          2,
          number -> {
            if (number == 0) {
              try (var _ = Memory.scope("owner")) {
                x.set(Tensor.ones(n));
                while (steps.get() < patience) {
                  Thread.onSpinWait();
                }
              }
              try (var _ = Memory.scope()) { // takes the memory that has been given back
                for (int i = 0; i < 4; i++) {
                  var _ = Tensor.full(DType.FLOAT32, 7, n);
                }
              }
            } else {
              use(x, steps, right, n);
            }
          });
    }
    assertThat(right.get()).isPositive();
  }

  private static void use(
      AtomicReference<@Nullable Tensor> shared, AtomicInteger steps, AtomicInteger right, long n) {
    try {
      for (int i = 0; i < 60; i++) {
        Tensor x = shared.get();
        if (x != null) {
          try (var _ = Memory.scope()) {
            assertThat(x.add(x).mul(x).sum().item()).isEqualTo(2.0 * n);
            assertThat(x.narrow(0, n - 1, 1).item()).isEqualTo(1);
            right.incrementAndGet();
          }
        }
        steps.incrementAndGet();
      }
    } catch (ReleasedException e) {
      assertThat(e).hasMessageContaining("must be alive, but was released");
    } finally {
      steps.set(100);
    }
  }

  @Test
  void memoryThatSetDataReplacesStaysWithWhoeverComputesWithIt() throws InterruptedException {
    Tensor weight = Tensor.ones(20_000);

    together(
        2,
        number -> {
          for (int i = 0; i < FEW; i++) {
            try (var _ = Memory.scope()) {
              if (number == 0) {
                weight.setData(Tensor.full(DType.FLOAT32, 1, i % 2 == 0 ? 20_000 : 10_000));
                var _ = Tensor.full(DType.FLOAT32, 7, 20_000);
              } else {
                Tensor mean = weight.mul(3).sub(weight).mean();
                assertThat(mean.item()).isEqualTo(2);
              }
            } catch (ReleasedException e) {
              assertThat(e).hasMessageContaining("setData");
            } catch (taper.tensor.ShapeException e) {
              // One operand before, one afterwards, or the one's sizes and the other's memory.
              assertThat(e.getMessage()).containsAnyOf("10000", "inside the storage");
            }
          }
        });
  }

  @Test
  void backwardPassesOfFourThreadsAddUpInSharedLeaves() throws InterruptedException {
    addUp(FEW);
  }

  @Test
  @Tag("slow")
  void backwardPassesOfFourThreadsAddUpInSharedLeavesTenThousandTimes()
      throws InterruptedException {
    addUp(MANY);
  }

  private static void addUp(int trials) throws InterruptedException {
    for (int trial = 0; trial < trials; trial++) {
      Tensor w = Tensor.ones(trial % 3 == 0 ? 5_000 : 3).requiresGrad_();
      Tensor b = Tensor.zeros(1).requiresGrad_();
      var seen = new AtomicInteger();
      if (trial % 2 == 0) {
        var _ = w.registerPostAccumulateGradHook(_ -> seen.incrementAndGet());
      }

      together(
          4,
          number -> {
            try (var _ = Memory.scope()) {
              w.mul(number + 1).add(b).sum().backward();
              w.mul(w).sum().backward();
            }
          });

      Tensor ofW = w.grad();
      Tensor ofB = b.grad();
      assertThat(ofW).isNotNull();
      assertThat(ofB).isNotNull();
      assertThat(ofW.sub(1 + 2 + 3 + 4 + 4 * 2).abs().max().item()).isEqualTo(0);
      assertThat(ofB.item()).isEqualTo(4.0 * w.numel());
      assertThat(seen.get()).isEqualTo(trial % 2 == 0 ? 8 : 0);
    }
  }

  @Test
  void passesOverOneGraphCountOnceEach() throws InterruptedException {
    for (int trial = 0; trial < FEW; trial++) {
      Tensor w = Tensor.ones(3).requiresGrad_();
      Tensor trunk = w.mul(2).exp().log().mul(w);
      Tensor loss = trunk.sum();

      together(4, _ -> loss.backward(null, true, false));

      Tensor grad = w.grad();
      assertThat(grad).isNotNull();
      assertThat(grad.sub(4 * 4).abs().max().item()).isLessThan(1e-4);
    }
  }

  @Test
  void ofPassesThatFreeOneGraphOneCountsAndTheOthersAreRefused() throws InterruptedException {
    for (int trial = 0; trial < FEW; trial++) {
      Tensor w = Tensor.ones(3).requiresGrad_();
      Tensor loss = w.mul(w).sum();
      var refused = new AtomicInteger();

      together(
          4,
          _ -> {
            try {
              loss.backward();
            } catch (AutogradException e) {
              assertThat(e).hasMessageContaining("the graph must not have been walked before");
              refused.incrementAndGet();
            }
          });

      Tensor grad = w.grad();
      assertThat(refused.get()).isEqualTo(3);
      assertThat(grad).isNotNull();
      assertThat(grad.toFloatArray()).containsExactly(2, 2, 2);
    }
  }

  @Test
  void aThreadThatIsInterruptedFinishesItsKernels() throws InterruptedException {
    Threads.setNumThreads(2);
    Tensor x = Tensor.ones(300_000);

    together(
        2,
        _ -> {
          for (int i = 0; i < FEW / 3; i++) {
            Thread.currentThread().interrupt();
            try (var _ = Memory.scope()) {
              assertThat(x.add(x).sum().item()).isEqualTo(600_000);
            }
            assertThat(Thread.interrupted()).isTrue();
          }
        });
  }

  @Test
  void theNumberOfThreadsMayChangeWhileOthersCompute() throws InterruptedException {
    Tensor a = Tensor.ones(200, 300);
    Tensor b = Tensor.ones(300, 150);

    together(
        3,
        number -> {
          for (int i = 0; i < FEW / 3; i++) {
            if (number == 0) {
              Threads.setNumThreads(1 + i % 4);
            }
            try (var _ = Memory.scope()) {
              assertThat(a.mm(b).sum().item()).isEqualTo(200 * 150 * 300.0);
            }
          }
        });
  }

  @Test
  void versionsCountEveryWriteOfEveryThread() throws InterruptedException {
    Tensor x = Tensor.zeros(1);
    Tensor w = Tensor.ones(1).requiresGrad_();
    Tensor y = w.mul(x);

    together(
        4,
        _ -> {
          for (int i = 0; i < FEW; i++) {
            x.zero_();
          }
        });

    assertThat(org.assertj.core.api.Assertions.catchThrowable(y::backward))
        .hasMessageContaining("(version " + 4 * FEW + ", expected 0)");
  }
}
