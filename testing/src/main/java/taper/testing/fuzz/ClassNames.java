package taper.testing.fuzz;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/// Finds classes by name, and those of a package by one of them.
final class ClassNames {
  private ClassNames() {}

  /// The classes called `names`; a name with a star behind it stands for all public ones of its package.
  static List<Class<?>> classes(String... names) throws ClassNotFoundException {
    var result = new ArrayList<Class<?>>();
    for (String name : names) {
      if (name.endsWith("*")) {
        Class<?> anchor = Class.forName(name.substring(0, name.length() - 1));
        for (String member : members(anchor)) {
          Class<?> type = Class.forName(anchor.getPackageName() + "." + member);
          if (Modifier.isPublic(type.getModifiers())) {
            result.add(type);
          }
        }
      } else {
        result.add(Class.forName(name));
      }
    }
    return result;
  }

  /// The simple names of the classes in the package of `anchor`, sorted.
  private static List<String> members(Class<?> anchor) {
    String folder = anchor.getPackageName().replace('.', '/');
    var place =
        new File(URI.create(anchor.getProtectionDomain().getCodeSource().getLocation().toString()));
    try (Stream<String> files = place.isDirectory() ? inFolder(place, folder) : inJar(place)) {
      return files
          .filter(path -> path.matches(folder + "/\\w+\\.class") && !path.contains("package-info"))
          .map(path -> path.substring(folder.length() + 1, path.length() - 6))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Stream<String> inFolder(File place, String folder) {
    String[] names = new File(place, folder).list();
    return names == null ? Stream.of() : Arrays.stream(names).map(name -> folder + "/" + name);
  }

  private static Stream<String> inJar(File place) throws IOException {
    try (var jar = new JarFile(place)) {
      return jar.stream().map(entry -> entry.getName()).toList().stream();
    }
  }
}
