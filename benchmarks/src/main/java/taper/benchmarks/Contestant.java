package taper.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import taper.benchmarks.work.Measurement;
import taper.benchmarks.work.Setting;

/// A library, which measures in JVMs of its own.
enum Contestant {
  /// Taper with the kernels it chooses, started as the launcher does it.
  TAPER("taper.benchmarks.TaperSide", "-XX:+UseSerialGC", "-Xmn16m"),
  /// The newer libtorch of the JavaCPP presets.
  LIBTORCH("taper.benchmarks.peers.LibtorchSide"),
  /// Official libtorch through DJL.
  DJL("taper.benchmarks.peers.DjlSide");

  private static final Map<String, String> KEEPING_MEMORY =
      Map.of("MALLOC_TRIM_THRESHOLD_", "4000000000", "MALLOC_MMAP_THRESHOLD_", "4000000000");

  private final String main;
  private final List<String> flags;

  Contestant(String main, String... flags) {
    this.main = main;
    this.flags = List.of(flags);
  }

  boolean isPeer() {
    return main.contains(".peers.");
  }

  /// The command that starts it.
  ///
  /// @param flags more JVM flags
  /// @param arguments as [taper.benchmarks.work.Setting#of(String...)] reads them
  List<String> command(List<String> flags, List<String> arguments)
      throws IOException, InterruptedException {
    return command(main, flags, arguments);
  }

  /// The command that starts another program of the same side.
  List<String> command(String main, List<String> flags, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.add("--sun-misc-unsafe-memory-access=allow");
    command.addAll(this.flags);
    command.addAll(flags);
    command.add("-cp");
    command.add(isPeer() ? peerClassPath() : System.getProperty("java.class.path"));
    command.add(main);
    command.addAll(arguments);
    return command;
  }

  /// The root of the source tree.
  static Path root() {
    return Path.of(System.getProperty("taper.root", "")).toAbsolutePath();
  }

  /// Compiles the peers and resolves what they need, unless that was done after their last change.
  private static synchronized String peerClassPath() throws IOException, InterruptedException {
    String given = System.getProperty("taper.peers.classPath");
    if (given != null) {
      return given;
    }
    Path project = root().resolve("benchmarks/peers");
    Path list = project.resolve("target/classpath.txt");
    if (isOlderThanSources(list, project)) {
      System.err.println("Resolving libtorch (some 400 MB the first time) ...");
      var builder =
          new ProcessBuilder(
                  "mvn",
                  "-q",
                  "-B",
                  "-f",
                  project.resolve("pom.xml").toString(),
                  "compile",
                  "dependency:build-classpath",
                  "-Dmdep.outputFile=" + list)
              .inheritIO();
      builder.environment().put("MAVEN_OPTS", "--sun-misc-unsafe-memory-access=allow");
      int status = builder.start().waitFor();
      if (status != 0) {
        throw new IOException(
            "the peers must be resolved with Maven, but mvn -f %s/pom.xml ended with %d"
                .formatted(project, status));
      }
    }
    return project.resolve("target/classes") + ":" + Files.readString(list).strip();
  }

  /// Measures workloads in a JVM of its own, at the library's best. Those that the library cannot run are missing from the
  /// result.
  ///
  /// @throws IOException if that JVM cannot be started, or fails
  List<Measurement> measure(Setting setting) throws IOException, InterruptedException {
    return measured(run(command(List.of(), setting.words()), environment()));
  }

  /// The same as a user would start it.
  ///
  /// @throws IOException if that JVM cannot be started, or fails
  List<Measurement> measureAsUsual(Setting setting) throws IOException, InterruptedException {
    return measured(run(command(List.of(), setting.words()), Map.of()));
  }

  /// The bytes that a JVM with this contestant's flags holds when it does nothing.
  ///
  /// @throws IOException if that JVM cannot be started, or fails
  String idle() throws IOException, InterruptedException {
    return run(command("taper.benchmarks.work.Idle", List.of(), List.of()), Map.of()).strip();
  }

  private static List<Measurement> measured(String out) {
    return out.lines().filter(line -> line.startsWith("{")).map(Measurement::parse).toList();
  }

  /// Runs a program to its end and returns what it printed.
  ///
  /// @throws IOException if the program cannot be started, or fails
  static String run(List<String> command, Map<String, String> environment)
      throws IOException, InterruptedException {
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process process = builder.start();
    Thread.ofVirtual().start(() -> complaints(process));
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    if (process.waitFor() != 0) {
      throw new IOException(
          "a contestant must end well, but this did not: " + String.join(" ", command));
    }
    return out;
  }

  /// What shows the peers at their best. glibc would give freed memory back and have it zeroed again in each step, which
  /// takes an LSTM of libtorch four times as long here; and OpenBLAS's threads would compete with libtorch's own, which
  /// takes a transformer five times as long.
  Map<String, String> environment() {
    return switch (this) {
      case TAPER -> Map.of();
      case DJL -> KEEPING_MEMORY;
      case LIBTORCH -> {
        var both = new HashMap<>(KEEPING_MEMORY);
        both.put("OPENBLAS_NUM_THREADS", "1");
        yield both;
      }
    };
  }

  // libtorch complains at each convolution that NNPACK, which it does not need, knows not this
  // processor.
  private static void complaints(Process process) {
    try (var errors = process.errorReader()) {
      errors.lines().filter(line -> !line.contains("NNPACK")).forEach(System.err::println);
    } catch (IOException | UncheckedIOException _) {
      return; // it has ended
    }
  }

  private static boolean isOlderThanSources(Path list, Path project) throws IOException {
    if (!Files.exists(list)) {
      return true;
    }
    FileTime built = Files.getLastModifiedTime(list);
    for (Path folder : List.of(project.resolve("src"), project.resolveSibling("src/main"))) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          if (Files.getLastModifiedTime(file).compareTo(built) > 0) {
            return true;
          }
        }
      }
    }
    return false;
  }
}
