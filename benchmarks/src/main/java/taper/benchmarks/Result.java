package taper.benchmarks;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.benchmarks.work.Json;
import taper.benchmarks.work.Measurement;

/// What the contestants took for one workload with one number of threads.
final class Result {
  private final String name;
  private final int threads;
  private final double flops;
  private final double bytes;
  private final Map<Contestant, Measurement> best = new EnumMap<>(Contestant.class);

  /// A result without measurements.
  ///
  /// @param flops the floating-point operations in a step, or 0 if it is about memory
  /// @param bytes the bytes that a step must read and write, or 0 if it is about operations
  Result(String name, int threads, double flops, double bytes) {
    this.name = name;
    this.threads = threads;
    this.flops = flops;
    this.bytes = bytes;
  }

  /// Takes another round into account.
  void add(Contestant contestant, Measurement measured) {
    best.merge(contestant, measured, Measurement::or);
  }

  @Nullable Measurement of(Contestant contestant) {
    return best.get(contestant);
  }

  /// The faster of the peers, or null if none took part.
  @Nullable Measurement peer() {
    return best.entrySet().stream()
        .filter(entry -> entry.getKey().isPeer())
        .map(Map.Entry::getValue)
        .min((a, b) -> Double.compare(a.best(), b.best()))
        .orElse(null);
  }

  /// How many times as long as ours the best step of the faster peer takes, or NaN if a side is missing.
  double ratio() {
    Measurement ours = of(Contestant.TAPER);
    Measurement peer = peer();
    return ours == null || peer == null ? Double.NaN : peer.best() / ours.best();
  }

  /// The same of the medians, each peer's best median.
  double medianRatio() {
    Measurement ours = of(Contestant.TAPER);
    double peer =
        best.entrySet().stream()
            .filter(entry -> entry.getKey().isPeer())
            .mapToDouble(entry -> entry.getValue().median())
            .min()
            .orElse(Double.NaN);
    return ours == null ? Double.NaN : peer / ours.median();
  }

  /// Our 10⁹ operations, or bytes, in a second.
  double rate() {
    Measurement ours = of(Contestant.TAPER);
    return ours == null ? Double.NaN : (flops > 0 ? flops : bytes) / ours.best() / 1e6;
  }

  /// The share of what the machine can do at most.
  double share(Limits limits) {
    return rate() / (flops > 0 ? limits.gflops(threads) : limits.copyGigabytes(threads));
  }

  /// What the numbers say against a comparison, or null if nothing does.
  @Nullable String complaint() {
    List<Measurement> sides = List.copyOf(best.values());
    if (sides.stream().map(Measurement::parameters).distinct().count() > 1) {
      return "%s: all must have as many parameters, but have %s"
          .formatted(name, sides.stream().map(Measurement::parameters).toList());
    }
    boolean trains = name.endsWith("-train");
    double least = sides.stream().mapToDouble(Measurement::firstLoss).min().orElse(0);
    double most = sides.stream().mapToDouble(Measurement::firstLoss).max().orElse(0);
    if (trains && most > 1.2 * least) {
      return String.format(
          Locale.ROOT,
          "%s: the first losses must be near each other, but are from %.3f to %.3f",
          name,
          least,
          most);
    }
    return null;
  }

  static String heading() {
    return "%-30s %2s %10s %10s %10s %10s %7s %8s %9s %7s"
        .formatted(
            "ms: best (median)",
            "t",
            "taper",
            "(median)",
            "libtorch",
            "djl",
            "ratio",
            "(median)",
            "G/s",
            "share");
  }

  String row(Limits limits) {
    Measurement ours = of(Contestant.TAPER);
    return String.format(
        Locale.ROOT,
        "%-30s %2d %10s %10s %10s %10s %7s %8s %9s %7s",
        name,
        threads,
        millis(ours == null ? Double.NaN : ours.best()),
        millis(ours == null ? Double.NaN : ours.median()),
        millis(bestOf(Contestant.LIBTORCH)),
        millis(bestOf(Contestant.DJL)),
        shown("%.2f", ratio()),
        shown("%.2f", medianRatio()),
        shown(flops > 0 ? "%.1f F" : "%.1f B", rate() == 0 ? Double.NaN : rate()),
        shown("%.0f %%", rate() == 0 ? Double.NaN : 100 * share(limits)));
  }

  private double bestOf(Contestant contestant) {
    Measurement measured = of(contestant);
    return measured == null ? Double.NaN : measured.best();
  }

  private static String millis(double value) {
    return shown(value < 0.1 ? "%.5f" : value < 10 ? "%.3f" : "%.2f", value);
  }

  private static String shown(String format, double value) {
    return Double.isNaN(value) ? "–" : String.format(Locale.ROOT, format, value);
  }

  /// The result as JSON, with what each contestant measured.
  String json(Limits limits) {
    Measurement ours = of(Contestant.TAPER);
    Measurement peer = peer();
    var json = new Json().text("name", name).number("threads", threads);
    if (ours != null) {
      json.number("ours", ours.best()).number("oursMedian", ours.median());
    }
    if (peer != null) {
      json.number("peer", peer.best()).text("fasterPeer", peer.library());
    }
    json.number("ratio", ratio()).number("medianRatio", medianRatio());
    if (rate() > 0) {
      json.number(flops > 0 ? "gflops" : "gigabytes", rate()).number("share", share(limits));
    }
    for (Contestant contestant : Contestant.values()) {
      if (best.containsKey(contestant)) {
        json.raw(
            contestant.name().toLowerCase(Locale.ROOT),
            Objects.requireNonNull(of(contestant)).json());
      }
    }
    return json.toString();
  }
}
