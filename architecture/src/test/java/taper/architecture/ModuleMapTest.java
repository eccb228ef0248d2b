package taper.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.net.URI;
import java.net.URL;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/// Keeps the table of modules in `docs/architecture.md` true: which module may require which.
final class ModuleMapTest {

  /// What each module may require, beside java.base, JSpecify and what its requirements bring along.
  private static final Map<String, Set<String>> MAY_REQUIRE =
      Map.ofEntries(
          Map.entry("taper.tensor", Set.of()),
          Map.entry("taper.cpu", Set.of("taper.tensor", "jdk.incubator.vector")),
          Map.entry("taper.nn", Set.of("taper.tensor")),
          Map.entry("taper.optim", Set.of("taper.tensor")),
          Map.entry("taper.data", Set.of("taper.tensor")),
          Map.entry("taper.vision", Set.of("taper.tensor", "taper.nn", "taper.data")),
          Map.entry("taper.serialization", Set.of("taper.tensor", "tools.jackson.databind")),
          Map.entry("taper.lapack", Set.of("taper.tensor", "arpack.combined.all")),
          Map.entry("taper.examples", Set.of("taper")),
          Map.entry("taper.testing", Set.of("taper.tensor", "taper.nn", "org.assertj.core")),
          Map.entry(
              "taper.golden",
              Set.of("taper.tensor", "taper.serialization", "tools.jackson.databind")),
          Map.entry(
              "taper",
              Set.of(
                  "taper.tensor",
                  "taper.cpu",
                  "taper.lapack",
                  "taper.nn",
                  "taper.optim",
                  "taper.data",
                  "taper.vision",
                  "taper.serialization")),
          Map.entry(
              "taper.cli",
              Set.of(
                  "taper",
                  "taper.tensor",
                  "taper.cpu",
                  "taper.nn",
                  "taper.optim",
                  "taper.data",
                  "taper.vision",
                  "taper.serialization",
                  "taper.golden",
                  "taper.testing",
                  "info.picocli",
                  "tools.jackson.databind",
                  "jdk.compiler",
                  "jdk.jshell")));

  @TestFactory
  Iterable<DynamicTest> aModuleRequiresNoMoreThanItsRowAllows() throws IOException {
    return modules().values().stream()
        .map(module ->
            DynamicTest.dynamicTest(
                module.name(),
                () -> {
                  var required =
                      module.requires().stream()
                          .map(ModuleDescriptor.Requires::name)
                          .filter(name -> !name.equals("java.base"))
                          .filter(name -> !name.equals("org.jspecify"))
                          .collect(toCollection(TreeSet::new));

                  assertThat(MAY_REQUIRE.get(module.name())).containsAll(required);
                }))
        .toList();
  }

  @Test
  void everyModuleHasARow() throws IOException {
    assertThat(modules().keySet()).isEqualTo(new TreeSet<>(MAY_REQUIRE.keySet()));
  }

  @Test
  void everyPackageStartsWithTheNameOfItsModule() throws IOException {
    assertThat(modules().values())
        .allSatisfy(module ->
            assertThat(module.packages())
                .allMatch(
                    name -> name.equals(module.name()) || name.startsWith(module.name() + ".")));
  }

  @Test
  void internalPackagesAreNotExported() throws IOException {
    assertThat(modules().values())
        .allSatisfy(module ->
            assertThat(module.exports())
                .filteredOn(export -> !export.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .noneMatch(name -> name.contains(".internal")));
  }

  @Test
  void theBackendsExportNothing() throws IOException {
    assertThat(modules().get("taper.cpu").exports()).isEmpty();
    assertThat(modules().get("taper.lapack").exports()).isEmpty();
  }

  /// Our modules on the class path, by name.
  private static Map<String, ModuleDescriptor> modules() throws IOException {
    var found = new TreeMap<String, ModuleDescriptor>();
    var loader = ModuleMapTest.class.getClassLoader();
    for (var url : Collections.list(loader.getResources("module-info.class"))) {
      for (var reference : ModuleFinder.of(root(url)).findAll()) {
        var module = reference.descriptor();
        if (module.name().equals("taper") || module.name().startsWith("taper.")) {
          found.put(module.name(), module);
        }
      }
    }
    return found;
  }

  /// The jar or class folder that holds the resource.
  private static Path root(URL resource) {
    var text = resource.toString();
    return text.startsWith("jar:")
        ? Path.of(URI.create(text.substring("jar:".length(), text.indexOf("!/"))))
        : Path.of(URI.create(text)).resolveSibling("");
  }
}
