package taper.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Times whole processes: to the end of the first training step, and through an epoch of MNIST.
///
/// ```
/// ColdStart [--runs 5] [--peers libtorch,djl] [--epoch FOLDER_WITH_IDX_FILES]
/// ```
///
/// The clock runs in the parent process, so everything counts: the JVM, loading classes and libraries,
/// assembling kernels, building the network, the work. Taper starts as the launcher starts it, first without
/// and then with the cache of loaded classes that the launcher keeps. The epoch is `./taper train mnist
/// --epochs 1`, and a program that does the same with a peer, at the peer's best.
public final class ColdStart {
  private static final String STEP = "mnist-cnn-train";

  private final int runs;
  private final List<Contestant> peers;
  private final @Nullable String data;

  private ColdStart(Map<String, String> options) {
    runs = Integer.parseInt(options.getOrDefault("--runs", "5"));
    peers =
        Arrays.stream(options.getOrDefault("--peers", "libtorch,djl").split(","))
            .filter(name -> !name.equals("none"))
            .map(name -> Contestant.valueOf(name.toUpperCase(Locale.ROOT)))
            .toList();
    data = options.get("--epoch");
  }

  /// Measures and prints the seconds of each series: the best and the median.
  ///
  /// @throws IOException if a JVM cannot be started, or fails
  public static void main(String... arguments) throws IOException, InterruptedException {
    Map<String, String> options = new HashMap<>();
    for (int i = 0; i + 1 < arguments.length; i += 2) {
      options.put(arguments[i], arguments[i + 1]);
    }
    var start = new ColdStart(options);
    if (start.data == null) {
      start.firstSteps();
    } else {
      start.epochs(start.data);
    }
  }

  private void firstSteps() throws IOException, InterruptedException {
    List<String> once = List.of("--steps", "1", STEP);
    series("Taper without a class cache", Contestant.TAPER.command(List.of(), once));
    Path cache = Files.createTempFile("taper", ".aot");
    try {
      Contestant.run(
          Contestant.TAPER.command(
              List.of("-XX:AOTCacheOutput=" + cache), List.of("--steps", "30", STEP)),
          Map.of());
      series(
          "Taper with a class cache",
          Contestant.TAPER.command(List.of("-XX:AOTCache=" + cache), once));
    } finally {
      Files.deleteIfExists(cache);
    }
    for (Contestant peer : peers) {
      series(peer.toString(), peer.command(List.of(), once), peer.environment());
    }
  }

  private void epochs(String folder) throws IOException, InterruptedException {
    series(
        "./taper train mnist --epochs 1",
        List.of(Contestant.root().resolve("taper").toString(), "train", "mnist", "--epochs", "1"));
    for (Contestant peer : peers) {
      series(
          "the same on " + peer,
          peer.command(List.of(), List.of("--data", folder, "train-mnist")),
          peer.environment());
    }
  }

  private void series(String what, List<String> command) throws IOException, InterruptedException {
    series(what, command, Map.of());
  }

  private void series(String what, List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    List<Double> seconds = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      long start = System.nanoTime();
      Contestant.run(command, environment);
      seconds.add((System.nanoTime() - start) / 1e9);
    }
    Collections.sort(seconds);
    System.out.printf(
        Locale.ROOT,
        "%s: %.3f s (best), %.3f s (median of %d)%n",
        what,
        seconds.getFirst(),
        seconds.get(seconds.size() / 2),
        runs);
  }
}
