package taper.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import taper.benchmarks.work.Measurement;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Workloads;

/// Compares the most memory that a process ever held, after few steps and after many.
///
/// ```
/// PeakMemory [--only REGEX] [--threads 2] [--steps 10,1000] [--contestants taper,libtorch,djl]
/// ```
///
/// What a JVM holds that does nothing is taken off. Contestants are started as a user would start them.
public final class PeakMemory {
  private PeakMemory() {}

  /// Measures and prints a table.
  ///
  /// @throws IOException if a contestant cannot be started, or fails
  public static void main(String... arguments) throws IOException, InterruptedException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      options.put(arguments[i], arguments[i + 1]);
    }
    String only = options.getOrDefault("--only", ".*-train");
    int threads = Integer.parseInt(options.getOrDefault("--threads", "2"));
    int[] steps =
        Arrays.stream(options.getOrDefault("--steps", "10,1000").split(","))
            .mapToInt(Integer::parseInt)
            .toArray();
    List<Contestant> contestants =
        Arrays.stream(options.getOrDefault("--contestants", "taper,libtorch,djl").split(","))
            .map(name -> Contestant.valueOf(name.toUpperCase(Locale.ROOT)))
            .toList();
    Map<Contestant, Double> bases = new LinkedHashMap<>();
    for (Contestant contestant : contestants) {
      bases.put(contestant, megabytes(Long.parseLong(contestant.idle())));
      System.out.printf(
          Locale.ROOT, "%s: an idle JVM holds %.0f MB%n", contestant, bases.get(contestant));
    }
    for (Workloads workload : Workloads.ALL) {
      if (workload.name().matches(only)) {
        List<String> row = new ArrayList<>();
        for (int count : steps) {
          for (Contestant contestant : contestants) {
            var setting =
                Setting.of("--threads", "" + threads, "--steps", "" + count, workload.name());
            List<Measurement> measured = contestant.measureAsUsual(setting);
            row.add(
                measured.isEmpty()
                    ? "%s after %d: –".formatted(contestant, count)
                    : String.format(
                        Locale.ROOT,
                        "%s after %d: %.0f MB",
                        contestant,
                        count,
                        megabytes(measured.getFirst().peak())
                            - bases.getOrDefault(contestant, 0.0)));
          }
        }
        System.out.println(workload.name() + ": " + String.join(", ", row));
      }
    }
  }

  private static double megabytes(long bytes) {
    return bytes / 1e6;
  }
}
