package taper.golden;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class CompatibilityTest {

  @Test
  void thePageInTheDocumentationIsUpToDate() throws IOException {
    String written = Files.readString(Path.of("docs/compatibility.md"));

    assertThat(Compatibility.markdown())
        .as("run ./taper compatibility > docs/compatibility.md")
        .isEqualTo(written);
  }

  @Test
  void everyNameThatMostOrManyProjectsUseIsThere() {
    var bindings = Bindings.all();

    var missing =
        Compatibility.names().entrySet().stream()
            .filter(section -> !section.getKey().startsWith("special"))
            .map(Map.Entry::getValue)
            .flatMap(List::stream)
            .filter(name ->
                bindings.find(name) == null && bindings.find(name.replace("Tensor.", "")) == null)
            .toList();

    assertThat(missing).isEmpty();
  }
}
