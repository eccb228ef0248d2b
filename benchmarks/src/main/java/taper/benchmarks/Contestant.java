package taper.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/// A program that takes the MNIST training steps in a JVM of its own.
enum Contestant {
  /// Official libtorch through DJL: the one that ratios refer to.
  LIBTORCH("taper.benchmarks.peers.DjlLibtorch"),
  /// The newer libtorch of the JavaCPP presets.
  LIBTORCH_NEW("taper.benchmarks.peers.BytedecoLibtorch"),
  /// Taper with the kernels it chooses.
  TAPER("taper.benchmarks.TaperMnist", "-XX:+UseSerialGC"),
  /// Taper with its plain-Java kernels.
  TAPER_JAVA("taper.benchmarks.TaperMnist", "-XX:+UseSerialGC", "-Dtaper.kernels=java");

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
  /// @param arguments as [StepClock.Task#of(String...)] reads them
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

  /// Compiles the peers and resolves what they need, unless that was done after their last change.
  private static synchronized String peerClassPath() throws IOException, InterruptedException {
    Path project = Path.of(System.getProperty("taper.peers", "benchmarks/peers"));
    Path list = project.resolve("target/classpath.txt");
    if (isOlderThanSources(list, project)) {
      System.err.println("Resolving libtorch (some 400 MB the first time) ...");
      int status =
          new ProcessBuilder(
                  "mvn",
                  "-q",
                  "-B",
                  "-f",
                  project.resolve("pom.xml").toString(),
                  "compile",
                  "dependency:build-classpath",
                  "-Dmdep.outputFile=" + list.toAbsolutePath())
              .inheritIO()
              .start()
              .waitFor();
      if (status != 0) {
        throw new IOException(
            "the peers must be resolved with Maven, but mvn -f %s/pom.xml ended with %d"
                .formatted(project, status));
      }
    }
    return project.resolve("target/classes") + ":" + Files.readString(list).strip();
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
