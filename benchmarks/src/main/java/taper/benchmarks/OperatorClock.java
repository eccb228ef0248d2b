package taper.benchmarks;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Times named operators, one after the other, and prints a line for each: name, best and median time, and the least time
/// that the calling thread spent on a processor, in milliseconds. With one thread the last is what a call costs however
/// busy the machine is.
///
/// Every operator runs until its time no longer matters for start-up (a fifth of a second, at least five calls), and is
/// then timed call by call for as long again.
public final class OperatorClock {
  private static final long WARM_UP_NANOS = 200_000_000;
  private static final int LEAST_CALLS = 5;
  private static final int MOST_CALLS = 2000;

  private final Map<String, Runnable> operators = new LinkedHashMap<>();

  /// Adds an operator, which frees what it makes.
  public void add(String name, Runnable operator) {
    operators.put(name, operator);
  }

  /// Times those whose names match the pattern in `arguments`, all if there is none.
  public void run(String... arguments) {
    Predicate<String> chosen =
        Pattern.compile(arguments.length == 0 ? ".*" : arguments[0]).asMatchPredicate();
    operators.forEach((name, operator) -> {
      if (chosen.test(name)) {
        repeat(operator);
        Times times = repeat(operator);
        Arrays.sort(times.millis);
        Arrays.sort(times.cpuMillis);
        System.out.printf(
            Locale.ROOT,
            "%s %.5f %.5f %.5f%n",
            name,
            times.millis[0],
            times.millis[times.millis.length / 2],
            times.cpuMillis[0]);
      }
    });
  }

  private record Times(double[] millis, double[] cpuMillis) {}

  private static Times repeat(Runnable operator) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double[] millis = new double[MOST_CALLS];
    double[] cpuMillis = new double[MOST_CALLS];
    long start = System.nanoTime();
    int calls = 0;
    while (calls < LEAST_CALLS || calls < MOST_CALLS && System.nanoTime() - start < WARM_UP_NANOS) {
      long cpuBefore = threads.getCurrentThreadCpuTime();
      long before = System.nanoTime();
      operator.run();
      millis[calls] = (System.nanoTime() - before) / 1e6;
      cpuMillis[calls++] = (threads.getCurrentThreadCpuTime() - cpuBefore) / 1e6;
    }
    return new Times(Arrays.copyOf(millis, calls), Arrays.copyOf(cpuMillis, calls));
  }
}
