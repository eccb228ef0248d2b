package taper.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/// The project's Java sources. Tests run in the root of the project.
final class Sources {
  private static final Path ROOT = Path.of("").toAbsolutePath();

  private Sources() {}

  /// One source file; `path` is relative to the root.
  record Source(Path path, String text) {
    /// The folder of the Maven module, such as `tensor`.
    String module() {
      return path.getName(0).toString();
    }

    /// The file's name without `.java`.
    String name() {
      return path.getFileName().toString().replace(".java", "");
    }

    String packageName() {
      return text.lines()
          .filter(line -> line.startsWith("package "))
          .map(line -> line.substring("package ".length(), line.indexOf(';')))
          .findFirst()
          .orElse("");
    }

    boolean isMain() {
      return path.toString().replace('\\', '/').contains("/src/main/java/");
    }

    @Override
    public String toString() {
      return path.toString();
    }
  }

  /// Every `.java` file of every module, tests included.
  static List<Source> all() {
    try (Stream<Path> folders = Files.list(ROOT)) {
      return folders
          .filter(folder -> Files.exists(folder.resolve("pom.xml")))
          .sorted()
          .flatMap(Sources::under)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<Source> under(Path folder) {
    try (Stream<Path> files = Files.walk(folder)) {
      return files
          .filter(file -> file.toString().endsWith(".java"))
          .map(ROOT::relativize)
          .filter(file -> !file.getName(1).toString().equals("target"))
          .sorted()
          .map(Sources::read)
          .toList()
          .stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Source read(Path file) {
    try {
      return new Source(file, Files.readString(ROOT.resolve(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
