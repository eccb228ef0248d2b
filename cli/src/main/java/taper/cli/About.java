package taper.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Properties;
import taper.tensor.Threads;

/// What this build and this machine are, for run records.
final class About {
  private About() {}

  /// The version of Taper.
  static String version() {
    var properties = new Properties();
    try (var in = About.class.getResourceAsStream("version.properties")) {
      properties.load(Objects.requireNonNull(in, "part of the module"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return properties.getProperty("version");
  }

  /// The processor, the number of its cores, the system, the JVM and the kernels in use, in one line.
  static String machine() {
    return "%s, %d cores, %s %s, Java %s, kernels %s"
        .formatted(
            processor(),
            Runtime.getRuntime().availableProcessors(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"),
            Runtime.version(),
            String.join("+", Threads.kernelLibraries()));
  }

  private static String processor() {
    Path info = Path.of("/proc/cpuinfo");
    try (var lines = Files.lines(info, StandardCharsets.UTF_8)) {
      return lines
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException | UncheckedIOException e) {
      return System.getProperty("os.arch"); // not Linux
    }
  }
}
