package taper.cpu.parallel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ParallelTest {
  private final int before = Parallel.threads();

  @AfterEach
  void restore() {
    Parallel.setThreads(before);
  }

  @Test
  void everyStepIsDoneOnce() {
    for (int threads : new int[] {1, 2, 3, 7}) {
      Parallel.setThreads(threads);
      for (int size : new int[] {0, 1, 9, 10, 11, 1000}) {
        var times = new AtomicIntegerArray(size);

        Parallel.run(
            size,
            10,
            (from, to) -> {
              for (long i = from; i < to; i++) {
                times.incrementAndGet((int) i);
              }
            });

        for (int i = 0; i < size; i++) {
          assertThat(times.get(i)).isEqualTo(1);
        }
      }
    }
  }

  @Test
  void everyThreadHasAsManyChunks() {
    assertThat(Parallel.evenly(3 << 15, 1 << 15, 2)).isEqualTo(3 << 13); // four chunks, not three
    assertThat(Parallel.evenly(103, 10, 2)).isEqualTo(10);
    assertThat(Parallel.evenly(101, 25, 4)).isEqualTo(13);
    assertThat(Parallel.evenly(2, 1, 2)).isEqualTo(1);
    assertThat(Parallel.evenly(7, 1, 3)).isEqualTo(1);
  }

  @Test
  void chunksAreMultiplesOfWhatTheGrainIsAMultipleOf() {
    assertThat(Parallel.evenly(1000, 128, 3) % 64).isZero();
    assertThat(Parallel.evenly(1000, 32, 3) % 32).isZero();
    assertThat(Parallel.evenly(1000, 12, 3) % 4).isZero();
  }

  @Test
  void severalThreadsTakePart() {
    Parallel.setThreads(2);

    assertThat(twoTakePart()).isTrue();
  }

  private static boolean twoTakePart() {
    var both = new CountDownLatch(2);
    Parallel.run(
        2,
        1,
        (_, _) -> {
          both.countDown();
          try {
            assertThat(both.await(1, TimeUnit.MINUTES)).isTrue();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        });
    return both.getCount() == 0;
  }

  @Test
  void exceptionsSurfaceInTheCaller() {
    Parallel.setThreads(3);

    assertThatThrownBy(() ->
            Parallel.run(
                100,
                1,
                (from, _) -> {
                  if (from == 77) {
                    throw new IllegalStateException("at 77");
                  }
                }))
        .hasMessage("at 77");

    var sum = new AtomicLong();
    Parallel.run(100, 1, (from, _) -> sum.addAndGet(from));
    assertThat(sum).hasValue(99 * 100 / 2);
  }

  @Test
  void aPhaseBeginsWhenTheOneBeforeHasEnded() {
    for (int threads : new int[] {1, 2, 3, 7}) {
      Parallel.setThreads(threads);
      for (int parts : new int[] {1, 2, 3}) {
        int count = parts;
        var ended = new AtomicIntegerArray(50);
        var early = new AtomicLong();

        Parallel.phases(
            parts,
            50,
            (_, phase) -> {
              if (phase > 0 && ended.get(phase - 1) != count) {
                early.incrementAndGet();
              }
              ended.incrementAndGet(phase);
            });

        assertThat(early).hasValue(0);
        for (int phase = 0; phase < 50; phase++) {
          assertThat(ended.get(phase)).isEqualTo(parts);
        }
      }
    }
  }

  @Test
  void exceptionsOfPhasesSurfaceInTheCaller() {
    Parallel.setThreads(2);

    assertThatThrownBy(() ->
            Parallel.phases(
                2,
                100,
                (part, phase) -> {
                  if (part == 1 && phase == 77) {
                    throw new IllegalStateException("at 77");
                  }
                }))
        .hasMessage("at 77");

    var sum = new AtomicLong();
    Parallel.phases(2, 100, (_, phase) -> sum.addAndGet(phase));
    assertThat(sum).hasValue(2 * 99 * 100 / 2);
  }

  @Test
  void aCallerThatIsInterruptedWaitsForAllChunks() {
    Parallel.setThreads(2);
    for (int trial = 0; trial < 200; trial++) {
      var running = new AtomicLong();
      Thread.currentThread().interrupt();

      Parallel.run(
          16,
          1,
          (_, _) -> {
            running.incrementAndGet();
            Thread.onSpinWait();
            running.decrementAndGet();
          });

      assertThat(running).hasValue(0);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void nothingRunsAnyMoreWhenTheStackIsFull() {
    Parallel.setThreads(2);
    var running = new AtomicLong();

    for (int trial = 0; trial < 20; trial++) {
      assertThatThrownBy(() -> deeper(running)).isInstanceOf(StackOverflowError.class);
      assertThat(running).hasValue(0);
    }
    assertThat(twoTakePart()).isTrue();
  }

  @SuppressWarnings("InfiniteRecursion") // until the stack is full
  private static int deeper(AtomicLong running) {
    Thread caller = Thread.currentThread();
    Parallel.run(
        4,
        1,
        (_, _) -> {
          if (Thread.currentThread() != caller) {
            running.incrementAndGet();
            Thread.onSpinWait();
            running.decrementAndGet();
          }
        });
    return deeper(running) + 1;
  }

  @Test
  void theNumberOfThreadsMayChangeWhileLoopsRun() throws InterruptedException {
    var stop = new AtomicLong();
    Thread changing =
        Thread.ofPlatform()
            .start(() -> {
              for (int i = 0; stop.get() == 0; i++) {
                Parallel.setThreads(1 + i % 4);
              }
            });

    for (int i = 0; i < 2000; i++) {
      var sum = new AtomicLong();
      Parallel.run(33, 1, (from, _) -> sum.addAndGet(from));
      Parallel.phases(3, 5, (part, _) -> sum.addAndGet(part));
      assertThat(sum).hasValue(16 * 33 + 5 * 3);
    }
    stop.set(1);
    changing.join();
  }

  @Test
  void loopsNest() {
    Parallel.setThreads(2);
    var sum = new AtomicLong();

    Parallel.run(8, 1, (_, _) -> Parallel.run(10, 1, (from, _) -> sum.addAndGet(from)));

    assertThat(sum).hasValue(8 * 45);
  }

  @Test
  void manyThreadsMayStartLoopsAtOnce() throws InterruptedException {
    Parallel.setThreads(3);
    var sum = new AtomicLong();
    var threads = new Thread[4];
    for (int t = 0; t < threads.length; t++) {
      threads[t] =
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < 500; i++) {
                  Parallel.run(16, 1, (from, _) -> sum.addAndGet(from));
                }
              });
    }
    for (Thread thread : Arrays.asList(threads)) {
      thread.join();
    }

    assertThat(sum).hasValue(4 * 500 * 120);
  }

  @Test
  void theNumberOfThreadsMustBePositive() {
    assertThatThrownBy(() -> Parallel.setThreads(0))
        .hasMessage("setNumThreads: the number of threads must be at least 1, but is 0.");
  }
}
