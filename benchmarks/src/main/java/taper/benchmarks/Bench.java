package taper.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import taper.benchmarks.work.Json;
import taper.benchmarks.work.Kernels;
import taper.benchmarks.work.Kernels.Kernel;
import taper.benchmarks.work.Measurement;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Workloads;

/// Measures Taper beside its peers: `./taper bench`.
///
/// Every round starts each contestant in a JVM of its own, in one order and then in reverse, so that a
/// machine that grows warmer or busier favours nobody. The figure to quote is the ratio of the best steps:
/// what it would be on a machine without anything else to do.
public final class Bench {
  private static final String USAGE =
      """
      Usage: taper bench [--only NAME] [--threads 1,2] [--peer libtorch|djl|none] [--rounds 5] [--json FILE]
                         [--batch N] [--width N] [--seconds S] [--data FOLDER]

      Runs training steps, inferences and kernels in Taper and in libtorch, in turns, and compares the times.

        --list            prints the names of all that can be measured
        --only NAME       those whose name is this, or matches it as a regular expression; otherwise all
        --threads 1,2     numbers of threads to measure with (1 and all processors)
        --peer NAME       libtorch (2.10, by its Java binding), djl (2.7.1, by DJL), none; both unless said
        --rounds N        how often each contestant runs (5); the best step of all counts
        --json FILE       writes the results there too
        --batch N, --width N   other sizes than the usual ones
        --seconds S       how long each measurement takes at least
        --data FOLDER     the MNIST files for mnist-cnn-train and mlp-train, instead of noise
      """;
  private static final double BUSY = 0.05;

  private final Predicate<String> chosen;
  private final List<Integer> threads;
  private final List<Contestant> contestants;
  private final int rounds;
  private final @Nullable Path json;
  private final Setting setting;
  private final Map<String, Kernel> kernels = new Kernels<>(new Taper()).all();
  private final Map<String, Result> results = new LinkedHashMap<>();
  private double busiest;

  Bench(Map<String, String> options) {
    String only = options.getOrDefault("--only", ".*");
    Predicate<String> matches = Pattern.compile(only).asMatchPredicate();
    chosen =
        name -> name.equals(only) || name.equals(Workloads.KERNEL + only) || matches.test(name);
    int all = Runtime.getRuntime().availableProcessors();
    threads =
        Arrays.stream(options.getOrDefault("--threads", all > 1 ? "1," + all : "1").split(","))
            .map(Integer::valueOf)
            .toList();
    contestants =
        switch (options.getOrDefault("--peer", "both")) {
          case "both" -> List.of(Contestant.LIBTORCH, Contestant.DJL, Contestant.TAPER);
          case "libtorch" -> List.of(Contestant.LIBTORCH, Contestant.TAPER);
          case "djl" -> List.of(Contestant.DJL, Contestant.TAPER);
          case "none" -> List.of(Contestant.TAPER);
          default ->
              throw new IllegalArgumentException(
                  "--peer must be libtorch, djl or none, but is %s."
                      .formatted(options.get("--peer")));
        };
    rounds = Integer.parseInt(options.getOrDefault("--rounds", "5"));
    String file = options.get("--json");
    json = file == null ? null : Path.of(file);
    setting =
        Setting.of(
            Stream.of("--batch", "--width", "--seconds", "--data")
                .filter(options::containsKey)
                .flatMap(name -> Stream.of(name, options.getOrDefault(name, "")))
                .toArray(String[]::new));
  }

  /// Measures and prints a table; writes the same as JSON where asked to.
  ///
  /// @throws IOException if a contestant cannot be started, or fails
  public static void main(String... arguments) throws IOException, InterruptedException {
    List<String> words = List.of(arguments);
    if (words.contains("--help") || words.contains("-h")) {
      System.out.print(USAGE);
      return;
    }
    try {
      if (words.equals(List.of("--list"))) {
        new Bench(Map.of()).groups().forEach(group -> group.forEach(System.out::println));
        return;
      }
      new Bench(options(words)).run();
    } catch (IllegalArgumentException e) {
      System.err.println(e.getMessage());
      System.err.print(USAGE);
      System.exit(2);
    }
  }

  static Map<String, String> options(List<String> words) {
    List<String> known =
        List.of(
            "--only",
            "--threads",
            "--peer",
            "--rounds",
            "--json",
            "--batch",
            "--width",
            "--seconds",
            "--data");
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i < words.size(); i++) {
      String word = words.get(i);
      int equals = word.indexOf('=');
      String name = equals < 0 ? word : word.substring(0, equals);
      if (!known.contains(name)) {
        throw new IllegalArgumentException("There is no option %s.".formatted(word));
      }
      if (equals < 0 && i + 1 == words.size()) {
        throw new IllegalArgumentException("%s: a value must follow.".formatted(word));
      }
      options.put(name, equals < 0 ? words.get(++i) : word.substring(equals + 1));
    }
    return options;
  }

  private void run() throws IOException, InterruptedException {
    List<List<String>> groups = groups();
    if (groups.isEmpty()) {
      throw new IllegalArgumentException(
          "--only must name something that can be measured, such as %s."
              .formatted(Workloads.ALL.getFirst().name()));
    }
    Limits limits = Limits.measure(threads.stream().mapToInt(Integer::intValue).max().orElse(1));
    System.out.print(limits);
    for (List<String> group : groups) {
      for (int count : threads) {
        for (int round = 0; round < rounds; round++) {
          for (Contestant contestant : round % 2 == 0 ? contestants : contestants.reversed()) {
            measure(contestant, setting.threads(count).named(group), round);
          }
        }
      }
    }
    print(limits);
    if (json != null) {
      Files.writeString(json, json(limits));
    }
  }

  /// The chosen names: each network in a JVM of its own, the kernels in one.
  private List<List<String>> groups() {
    List<List<String>> groups = new ArrayList<>();
    Workloads.ALL.stream()
        .map(Workloads::name)
        .filter(chosen)
        .forEach(name -> groups.add(List.of(name)));
    List<String> small = kernels.keySet().stream().filter(chosen).toList();
    if (!small.isEmpty()) {
      groups.add(small);
    }
    return groups;
  }

  private void measure(Contestant contestant, Setting setting, int round)
      throws IOException, InterruptedException {
    for (Measurement measured : contestant.measure(setting)) {
      results
          .computeIfAbsent(measured.name() + " " + measured.threads(), _ -> result(measured))
          .add(contestant, measured);
      busiest = Math.max(busiest, measured.elsewhere());
      System.err.printf(
          Locale.ROOT,
          "round %d of %d, %s on %d: %s: median %.3f ms, best %.3f ms%s%s%n",
          round + 1,
          rounds,
          measured.name(),
          measured.threads(),
          measured.library(),
          measured.median(),
          measured.best(),
          Double.isNaN(measured.firstLoss())
              ? ""
              : String.format(
                  Locale.ROOT, ", loss %.3f to %.3f", measured.firstLoss(), measured.lastLoss()),
          measured.elsewhere() < BUSY
              ? ""
              : String.format(
                  Locale.ROOT, " (others kept %.2f processors busy)", measured.elsewhere()));
    }
  }

  private Result result(Measurement measured) {
    Kernel kernel = kernels.get(measured.name());
    return kernel == null
        ? new Result(
            measured.name(), measured.threads(), Workloads.flops(measured.name(), setting), 0)
        : new Result(measured.name(), measured.threads(), kernel.flops(), kernel.bytes());
  }

  private void print(Limits limits) {
    System.out.println(Result.heading());
    results.values().forEach(result -> System.out.println(result.row(limits)));
    double[] ratios =
        results.values().stream()
            .mapToDouble(Result::ratio)
            .filter(ratio -> !Double.isNaN(ratio))
            .toArray();
    if (ratios.length > 1) {
      System.out.printf(
          Locale.ROOT,
          "geometric mean of the %d ratios %.2f, the least %.2f%n",
          ratios.length,
          geometricMean(ratios),
          Arrays.stream(ratios).min().orElse(Double.NaN));
    }
    for (Result result : results.values()) {
      String complaint = result.complaint();
      if (complaint != null) {
        System.out.println(complaint);
      }
    }
    if (busiest >= BUSY) {
      System.out.printf(
          Locale.ROOT,
          "The machine was busy: other programs kept up to %.2f processors. libtorch's threads spin"
              + " while they wait, so repeat this on an idle machine.%n",
          busiest);
    }
  }

  static double geometricMean(double... values) {
    return Math.exp(Arrays.stream(values).map(Math::log).average().orElse(Double.NaN));
  }

  private String json(Limits limits) {
    String rows =
        String.join(",\n", results.values().stream().map(result -> result.json(limits)).toList());
    var json =
        new Json()
            .text("java", Runtime.version().toString())
            .text("processor", processor())
            .number("rounds", rounds)
            .number("elsewhere", busiest)
            .raw("peakGflops", limits.gflops().toString())
            .raw("copyGigabytes", limits.copyGigabytes().toString());
    return json.raw("results", "[\n" + rows + "\n]") + "\n";
  }

  private static String processor() {
    try (var lines = Files.lines(Path.of("/proc/cpuinfo"), StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.replaceFirst(".*:", "").strip())
          .findFirst()
          .orElse("unknown");
    } catch (IOException _) {
      return "unknown";
    }
  }
}
