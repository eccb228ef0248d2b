package taper.benchmarks;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/// Times named operators, one after the other, on the calling thread, and prints a line for each: name, best and median
/// time in milliseconds.
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
        double[] millis = repeat(operator);
        Arrays.sort(millis);
        System.out.printf(
            Locale.ROOT, "%s %.5f %.5f%n", name, millis[0], millis[millis.length / 2]);
      }
    });
  }

  private static double[] repeat(Runnable operator) {
    double[] millis = new double[MOST_CALLS];
    long start = System.nanoTime();
    int calls = 0;
    while (calls < LEAST_CALLS || calls < MOST_CALLS && System.nanoTime() - start < WARM_UP_NANOS) {
      long before = System.nanoTime();
      operator.run();
      millis[calls++] = (System.nanoTime() - before) / 1e6;
    }
    return Arrays.copyOf(millis, calls);
  }
}
