package taper.benchmarks;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Runs the contestants in turns and compares the times of their training steps.
///
/// ```
/// SideBySide [--rounds 3] [--threads 1,2] [--contestants libtorch,taper] [--steps 60]
///            [--warm-up 20] [--data FOLDER] [--json FILE]
/// ```
///
/// Every round starts each contestant in a JVM of its own, in the order given and then in reverse, so
/// that a machine that grows warmer or busier favours nobody. The ratio of medians is the figure to
/// quote; the ratio of the best steps is what it would be on a machine without anything else to do.
/// libtorch's threads spin while they wait, so on a busy machine its median suffers: run this alone.
public final class SideBySide {
  private static final double LOAD_TO_WARN_AT = 0.5;

  private final int rounds;
  private final List<Integer> threads;
  private final List<Contestant> contestants;
  private final @Nullable Path json;
  private final List<String> passedOn;

  private SideBySide(Map<String, String> options) {
    rounds = Integer.parseInt(options.getOrDefault("--rounds", "3"));
    threads =
        Arrays.stream(options.getOrDefault("--threads", "1,2").split(","))
            .map(Integer::valueOf)
            .toList();
    contestants =
        Arrays.stream(options.getOrDefault("--contestants", "libtorch,taper").split(","))
            .map(name -> Contestant.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_')))
            .toList();
    String file = options.get("--json");
    json = file == null ? null : Path.of(file);
    passedOn =
        Stream.of("--steps", "--warm-up", "--data", "--batch-size")
            .filter(options::containsKey)
            .flatMap(name -> Stream.of(name, options.getOrDefault(name, "")))
            .toList();
  }

  /// Measures and prints a table; writes the same as JSON where asked to.
  ///
  /// @throws IOException if a contestant cannot be started, or fails
  public static void main(String... arguments) throws IOException, InterruptedException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      options.put(arguments[i], arguments[i + 1]);
    }
    new SideBySide(options).run();
  }

  private void run() throws IOException, InterruptedException {
    double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    if (load > LOAD_TO_WARN_AT) {
      System.err.printf(
          Locale.ROOT,
          "The machine is busy (load %.2f): trust the best times more than medians.%n",
          load);
    }
    Map<Integer, Map<Contestant, Measurement>> results = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      List<Contestant> order = round % 2 == 0 ? contestants : contestants.reversed();
      for (int count : threads) {
        for (Contestant contestant : order) {
          Measurement measured = measure(contestant, count);
          System.err.printf(
              Locale.ROOT,
              "round %d of %d, %d threads: %s: median %.2f ms, best %.2f ms%n",
              round + 1,
              rounds,
              count,
              measured.name(),
              measured.median(),
              measured.min());
          results
              .computeIfAbsent(count, _ -> new LinkedHashMap<>())
              .merge(contestant, measured, Measurement::and);
        }
      }
    }
    print(results);
    if (json != null) {
      Files.writeString(json, json(results, load));
    }
  }

  private Measurement measure(Contestant contestant, int count)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(passedOn);
    arguments.addAll(List.of("--threads", String.valueOf(count)));
    List<String> command = contestant.command(List.of(), arguments);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.PIPE).start();
    Thread.ofVirtual().start(() -> discard(process));
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (!process.waitFor(10, TimeUnit.MINUTES) || process.exitValue() != 0) {
      process.destroyForcibly();
      throw new IOException(
          "a contestant must end well, but this did not: " + String.join(" ", command));
    }
    return Measurement.parse(
        out.lines().filter(line -> line.startsWith("{")).findFirst().orElse(""));
  }

  // What a contestant says on its error stream is warnings; a full pipe would stop it.
  private static void discard(Process process) {
    try (var errors = process.getErrorStream()) {
      errors.transferTo(System.err);
    } catch (IOException _) {
      return; // it has ended
    }
  }

  private void print(Map<Integer, Map<Contestant, Measurement>> results) {
    System.out.printf(
        "%-28s %7s %10s %10s %8s %10s %12s %11s%n",
        "", "threads", "median ms", "best ms", "CPU ms", "epoch s", "median ratio", "best ratio");
    results.forEach((count, row) -> {
      Measurement reference = row.get(contestants.getFirst());
      row.forEach((contestant, measured) ->
          System.out.printf(
              Locale.ROOT,
              "%-28s %7d %10.2f %10.2f %8.2f %10.1f %12s %11s%n",
              measured.name(),
              count,
              measured.median(),
              measured.min(),
              measured.cpuMillis(),
              measured.epochEstimate(),
              ratio(measured.median(), reference == null ? Double.NaN : reference.median()),
              ratio(measured.min(), reference == null ? Double.NaN : reference.min())));
    });
  }

  private String json(Map<Integer, Map<Contestant, Measurement>> results, double load) {
    List<String> rows = new ArrayList<>();
    results.forEach((_, row) -> {
      Measurement reference = row.get(contestants.getFirst());
      row.values()
          .forEach(measured ->
              rows.add(
                  "{\"ratioOfMedians\":%s,\"ratioOfBest\":%s,\"measurement\":%s}"
                      .formatted(
                          ratio(
                              measured.median(),
                              reference == null ? Double.NaN : reference.median()),
                          ratio(measured.min(), reference == null ? Double.NaN : reference.min()),
                          measured.json())));
    });
    return "{\"rounds\":%d,\"loadBefore\":%s,\"java\":\"%s\",\"results\":[\n%s\n]}\n"
        .formatted(rounds, load, Runtime.version(), String.join(",\n", rows));
  }

  private static String ratio(double value, double reference) {
    return String.format(Locale.ROOT, "%.3f", value / reference);
  }
}
