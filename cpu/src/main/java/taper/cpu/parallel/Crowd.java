package taper.cpu.parallel;

import java.io.FileInputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/// Notices when other programs want the processors, and says how many threads are worth while then.
///
/// A thread that loses its processor in the middle of a chunk keeps all others waiting for some milliseconds, hundreds of
/// times as long as the chunk takes. And a system that is fair to programs gives each thread of a program less, the more of
/// them want to run. Now and then that does not matter; but where it costs more time than threads gain by working
/// together, fewer threads are faster. So the time lost makes a debt, and work pays it back. Who is deep in debt does with
/// fewer threads for a while, the longer the more often that happens, up to a second. Then all are tried again.
///
/// The time that a thread was ready to run and had no processor is told by Linux, in `/proc/thread-self/schedstat`.
/// Elsewhere only the waits for other threads count.
final class Crowd {
  /// A wait is a stall only if it is longer, and longer than the waiting thread would have taken for what it waits for.
  static final long SHORTEST_STALL = 150_000;

  private static final long DEEP = 10_000_000;
  private static final long SHORTEST_PERIOD = 8_000_000;
  private static final int HIGHEST = 7;

  /// So long after a period nothing counts: the system has yet to find a place for the threads.
  private static final long GRACE = 20_000_000;

  /// As many periods, one soon after the other, leave one thread.
  private static final int STEPS = 4;

  /// Work pays back the debt of as large a part of its time.
  private static final int PAYS = 2;

  /// How often a thread looks how long it waited, and when that was too long ago to say anything.
  private static final long SAMPLE_NANOS = 10_000_000;

  private static final long LONG_AGO = 5 * SAMPLE_NANOS;

  private static volatile int level;
  private static volatile long until;
  private static volatile long debt;

  private static volatile boolean untold;
  private static @Nullable Thread sampled;
  private static volatile long sampledAt;
  private static long delayThen;

  private Crowd() {}

  /// How many of `wanted` threads shall work now.
  static int threads(int wanted) {
    return threads(wanted, isThere());
  }

  static int threads(int wanted, boolean crowded) {
    return crowded ? Math.max(1, wanted - Math.ceilDiv(wanted * level, STEPS)) : wanted;
  }

  /// Whether there are fewer threads than wanted.
  static boolean isThere() {
    return level > 0 && System.nanoTime() - until < 0;
  }

  /// Says that threads had to wait for one that had lost its processor.
  static synchronized void stalled(long nanos) {
    if (level > 0 && System.nanoTime() - until < GRACE) {
      return;
    }
    long sum = debt + nanos;
    if (sum > DEEP) {
      until = System.nanoTime() + (SHORTEST_PERIOD << level);
      level = Math.min(level + 1, HIGHEST);
    }
    debt = sum > DEEP ? DEEP / 2 : sum;
  }

  /// Says that threads have worked together, until `now`, without a stall.
  static void worked(long nanos, long now) {
    boolean look = !untold && now - sampledAt > SAMPLE_NANOS;
    if ((look || debt > 0) && !isThere()) {
      if (look && !Thread.currentThread().isVirtual()) {
        sample(now);
      }
      payBack(nanos / PAYS);
    }
  }

  /// Looks how long the calling thread has waited for a processor since it looked last.
  private static synchronized void sample(long now) {
    long delay = delay();
    boolean recent =
        sampled == Thread.currentThread()
            && now - sampledAt < LONG_AGO
            && (level == 0 || sampledAt - until > GRACE);
    long lost = delay - delayThen;
    sampled = Thread.currentThread();
    sampledAt = now;
    delayThen = delay;
    if (recent && lost > SHORTEST_STALL) {
      stalled(lost);
    }
  }

  /// The second number of the line is the time in nanoseconds.
  private static long delay() {
    try (var file = new FileInputStream("/proc/thread-self/schedstat")) {
      byte[] line = new byte[64];
      int length = file.read(line);
      long number = 0;
      int spaces = 0;
      for (int i = 0; i < length && spaces < 2; i++) {
        if (line[i] == ' ') {
          spaces++;
        } else if (spaces == 1) {
          number = 10 * number + line[i] - '0';
        }
      }
      return number;
    } catch (IOException e) {
      untold = true; // another system
      return 0;
    }
  }

  private static synchronized void payBack(long nanos) {
    debt = Math.max(0, debt - nanos);
    if (debt == 0 && level > 0) {
      level--;
      debt = level == 0 ? 0 : DEEP / 2;
    }
  }

  /// Forgets all stalls.
  static synchronized void leave() {
    level = 0;
    debt = 0;
  }
}
