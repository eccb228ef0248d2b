package taper.benchmarks;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/// The times of the training steps of one workload in one JVM.
///
/// @param name what computed
/// @param threads how many threads computed
/// @param batchSize the number of images in a step
/// @param stepMillis the time of each measured step, in milliseconds, in order
/// @param cpuMillis the median time that the calling thread spent on a processor in a step, in
///     milliseconds: with one thread, what a step costs however busy the machine is
/// @param firstLoss the loss of the very first step, warm-up included
/// @param lastLoss the loss of the last step: lower than the first, or nothing was learned
public record Measurement(
    String name,
    int threads,
    int batchSize,
    List<Double> stepMillis,
    double cpuMillis,
    float firstLoss,
    float lastLoss) {
  private static final Pattern FIELD =
      Pattern.compile("\"(\\w+)\":(?:\"([^\"]*)\"|\\[([^]]*)]|([-\\w.+]+))");

  /// Copies the list.
  public Measurement {
    stepMillis = List.copyOf(stepMillis);
  }

  static Measurement of(
      String name,
      int threads,
      int batchSize,
      long[] nanos,
      long[] cpuNanos,
      float firstLoss,
      float lastLoss) {
    return new Measurement(
        name, threads, batchSize, millis(nanos), median(millis(cpuNanos)), firstLoss, lastLoss);
  }

  private static List<Double> millis(long[] nanos) {
    return Arrays.stream(nanos).mapToObj(each -> each / 1e6).toList();
  }

  /// The median step, in milliseconds.
  public double median() {
    return median(stepMillis);
  }

  private static double median(List<Double> times) {
    List<Double> sorted = times.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /// The fastest step, in milliseconds: what the program can do when nothing else runs.
  public double min() {
    return stepMillis.stream().mapToDouble(Double::doubleValue).min().orElse(Double.NaN);
  }

  /// The time of an epoch of 60,000 images at the median step, in seconds.
  public double epochEstimate() {
    return median() * Math.ceilDiv(60_000, batchSize) / 1e3;
  }

  /// The same times with those of another run appended.
  Measurement and(Measurement more) {
    List<Double> both = new ArrayList<>(stepMillis);
    both.addAll(more.stepMillis);
    return new Measurement(
        name,
        threads,
        batchSize,
        both,
        Math.min(cpuMillis, more.cpuMillis),
        firstLoss,
        more.lastLoss);
  }

  /// One line of JSON with the times and what follows from them.
  public String json() {
    String steps =
        stepMillis.stream().map(Measurement::thousandths).collect(Collectors.joining(","));
    return "{\"name\":\"%s\",\"threads\":%d,\"batchSize\":%d,\"stepMillis\":[%s],\"median\":%s,\"min\":%s,\"epochEstimate\":%s,\"cpuMillis\":%s,\"firstLoss\":%s,\"lastLoss\":%s}"
        .formatted(
            name,
            threads,
            batchSize,
            steps,
            thousandths(median()),
            thousandths(min()),
            thousandths(epochEstimate()),
            thousandths(cpuMillis),
            firstLoss,
            lastLoss);
  }

  /// Reads a line that [#json()] wrote.
  ///
  /// @throws IllegalArgumentException if the line lacks a field
  static Measurement parse(String json) {
    String name = null;
    int threads = 0;
    int batchSize = 0;
    List<Double> steps = new ArrayList<>();
    double cpuMillis = Double.NaN;
    float firstLoss = Float.NaN;
    float lastLoss = Float.NaN;
    var fields = FIELD.matcher(json);
    while (fields.find()) {
      switch (fields.group(1)) {
        case "name" -> name = fields.group(2);
        case "threads" -> threads = Integer.parseInt(fields.group(4));
        case "batchSize" -> batchSize = Integer.parseInt(fields.group(4));
        case "cpuMillis" -> cpuMillis = Double.parseDouble(fields.group(4));
        case "firstLoss" -> firstLoss = Float.parseFloat(fields.group(4));
        case "lastLoss" -> lastLoss = Float.parseFloat(fields.group(4));
        case "stepMillis" -> {
          for (String step : fields.group(3).split(",")) {
            steps.add(Double.parseDouble(step));
          }
        }
        default -> {} // follows from the times
      }
    }
    if (name == null || threads == 0 || batchSize == 0 || steps.isEmpty()) {
      throw new IllegalArgumentException("not a measurement: " + json);
    }
    return new Measurement(name, threads, batchSize, steps, cpuMillis, firstLoss, lastLoss);
  }

  private static String thousandths(double value) {
    return String.format(Locale.ROOT, "%.3f", value);
  }
}
