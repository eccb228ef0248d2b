package taper.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/// Times a cold start: from starting the JVM to the end of the first training step, without and with the
/// cache of loaded classes that the launcher keeps.
///
/// ```
/// FirstStep [RUNS] [JVM FLAG ...]
/// ```
///
/// The clock runs in the parent process, so everything counts: the JVM, loading classes, assembling
/// kernels, building the network, the step.
public final class FirstStep {
  private FirstStep() {}

  /// Measures and prints the seconds of each run and their median.
  ///
  /// @throws IOException if the JVM cannot be started
  public static void main(String... arguments) throws IOException, InterruptedException {
    int runs = arguments.length == 0 ? 5 : Integer.parseInt(arguments[0]);
    List<String> flags =
        arguments.length == 0 ? List.of() : Arrays.asList(arguments).subList(1, arguments.length);
    Path cache = Files.createTempFile("taper", ".aot");
    try {
      series("without a class cache", runs, flags);
      List<String> recording = new ArrayList<>(flags);
      recording.add("-XX:AOTCacheOutput=" + cache);
      once(recording, 30);
      List<String> cached = new ArrayList<>(flags);
      cached.add("-XX:AOTCache=" + cache);
      series("with a class cache", runs, cached);
    } finally {
      Files.deleteIfExists(cache);
    }
  }

  private static void series(String what, int runs, List<String> flags)
      throws IOException, InterruptedException {
    List<Double> seconds = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      seconds.add(once(flags, 1));
    }
    List<Double> sorted = seconds.stream().sorted().toList();
    System.out.printf(
        Locale.ROOT,
        "%s: first training step done after %.3f s (median of %d), %.3f s (best)%n",
        what,
        sorted.get(sorted.size() / 2),
        runs,
        sorted.getFirst());
  }

  /// The seconds from starting a JVM until it reports its steps.
  private static double once(List<String> flags, int steps)
      throws IOException, InterruptedException {
    List<String> command =
        Contestant.TAPER.command(flags, List.of("--steps", "" + steps, "mnist-cnn-train"));
    long start = System.nanoTime();
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader lines = process.inputReader()) {
      String line = lines.readLine();
      long end = System.nanoTime();
      lines.transferTo(Writer.nullWriter());
      if (line == null || process.waitFor() != 0) {
        throw new IOException("a first step must end well, but this did not: " + command);
      }
      return (end - start) / 1e9;
    }
  }
}
