package taper.benchmarks.work;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

/// What one workload took in one JVM, or the best of several such measurements.
///
/// @param library what computed, such as `libtorch 2.7.1 (DJL)`
/// @param name the workload
/// @param threads how many threads computed
/// @param steps how many steps were measured
/// @param best the fastest step, in milliseconds: what the program can do when nothing else runs
/// @param median the median step, in milliseconds
/// @param cpu the least time that the calling thread spent on a processor in a step, in milliseconds:
///     with one thread, what a step costs however busy the machine is
/// @param elsewhere how many processors other programs kept busy meanwhile, on average
/// @param parameters how many numbers the network has to learn
/// @param firstLoss the loss of the very first step, warm-up included
/// @param lastLoss the loss of the last step
/// @param peak the most memory that the process ever held, in bytes
public record Measurement(
    String library,
    String name,
    int threads,
    int steps,
    double best,
    double median,
    double cpu,
    double elsewhere,
    long parameters,
    double firstLoss,
    double lastLoss,
    long peak) {
  private static final Pattern FIELD = Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|([-\\w.+]+))");

  /// The better of two measurements of the same: the least times, the quieter machine, the smaller peak.
  public Measurement or(Measurement other) {
    return new Measurement(
        library,
        name,
        threads,
        steps + other.steps,
        Math.min(best, other.best),
        Math.min(median, other.median),
        Math.min(cpu, other.cpu),
        Math.min(elsewhere, other.elsewhere),
        parameters,
        firstLoss,
        other.lastLoss,
        Math.min(peak, other.peak));
  }

  /// One line of JSON. What is no number, such as the loss of a kernel, is left out.
  public String json() {
    return new Json()
        .text("library", library)
        .text("name", name)
        .number("threads", threads)
        .number("steps", steps)
        .number("best", best)
        .number("median", median)
        .number("cpu", cpu)
        .number("elsewhere", elsewhere)
        .number("parameters", parameters)
        .number("firstLoss", firstLoss)
        .number("lastLoss", lastLoss)
        .number("peak", peak)
        .toString();
  }

  /// Reads a line that [#json()] wrote.
  ///
  /// @throws IllegalArgumentException if the line lacks a field
  public static Measurement parse(String json) {
    Map<String, String> fields = new HashMap<>();
    var matcher = FIELD.matcher(json);
    while (matcher.find()) {
      String text = matcher.group(2);
      fields.put(matcher.group(1), text == null ? matcher.group(3) : text);
    }
    for (String needed : new String[] {"library", "name", "threads", "best", "median"}) {
      if (!fields.containsKey(needed)) {
        throw new IllegalArgumentException("not a measurement: " + json);
      }
    }
    return new Measurement(
        fields.getOrDefault("library", ""),
        fields.getOrDefault("name", ""),
        (int) number(fields, "threads"),
        (int) number(fields, "steps"),
        number(fields, "best"),
        number(fields, "median"),
        number(fields, "cpu"),
        number(fields, "elsewhere"),
        (long) number(fields, "parameters"),
        number(fields, "firstLoss"),
        number(fields, "lastLoss"),
        (long) number(fields, "peak"));
  }

  private static double number(Map<String, String> fields, String name) {
    return Double.parseDouble(fields.getOrDefault(name, "NaN"));
  }

  /// Four significant digits: enough for a time, and no noise.
  static String brief(double value) {
    double size = Math.abs(value);
    int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : size >= 1 ? 3 : 6;
    return String.format(Locale.ROOT, "%." + digits + "f", value);
  }
}
