package taper.benchmarks;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import taper.benchmarks.work.Setting;

/// Shows how the time of Taper's steps grows with the batch, or with the width of the network.
///
/// ```
/// Growth [--threads 2] [--only mlp-train] [--seconds 3] [--batch 16,32,64,128,256,512] [--width 128,256,512,1024]
/// ```
///
/// For each size: the best step, the time for an example, and the exponent between it and the size before.
public final class Growth {
  private Growth() {}

  /// Measures and prints a table.
  ///
  /// @throws IOException if a JVM cannot be started, or fails
  public static void main(String... arguments) throws IOException, InterruptedException {
    Map<String, String> options = new LinkedHashMap<>();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      options.put(arguments[i], arguments[i + 1]);
    }
    List<String> shared =
        List.of(
            "--threads",
            options.getOrDefault("--threads", "2"),
            "--seconds",
            options.getOrDefault("--seconds", "3"));
    String only = options.getOrDefault("--only", ".*");
    String batches = options.getOrDefault("--batch", "16,32,64,128,256,512");
    String widths = options.getOrDefault("--width", "128,256,512,1024");
    for (String name : List.of("mnist-cnn-train", "mlp-train")) {
      if (name.matches(only)) {
        curve(name, "--batch", batches, shared);
      }
    }
    for (String name : List.of("mlp-train", "gpt-small-train")) {
      if (name.matches(only)) {
        curve(name, "--width", widths, shared);
      }
    }
  }

  private static void curve(String name, String option, String sizes, List<String> shared)
      throws IOException, InterruptedException {
    System.out.printf("%s by %s%n", name, option.substring(2));
    double before = Double.NaN;
    int smaller = 0;
    for (int size : Arrays.stream(sizes.split(",")).mapToInt(Integer::parseInt).toArray()) {
      List<String> words = new ArrayList<>(shared);
      words.addAll(List.of(option, "" + size, name));
      var setting = Setting.of(words.toArray(String[]::new));
      double millis = Contestant.TAPER.measure(setting).getFirst().best();
      System.out.printf(
          Locale.ROOT,
          "%6d  %10.3f ms  %10.4f ms each  exponent %5.2f%n",
          size,
          millis,
          millis / size,
          exponent(smaller, before, size, millis));
      before = millis;
      smaller = size;
    }
  }

  /// By which power of the size the time grows between two measurements; NaN for the first.
  static double exponent(int smaller, double before, int size, double millis) {
    return Math.log(millis / before) / Math.log((double) size / smaller);
  }
}
