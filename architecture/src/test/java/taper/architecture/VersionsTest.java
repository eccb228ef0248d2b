package taper.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// The bill of materials has no parent, so nothing else keeps its version in step.
final class VersionsTest {
  private static final Pattern VERSION =
      Pattern.compile(
          "<artifactId>taper-(?:parent|bom)</artifactId>\\s*<version>([^<]*)</version>");

  @Test
  void theBillOfMaterialsHasTheVersionOfTheProject() throws IOException {
    assertThat(version("bom/pom.xml")).isEqualTo(version("pom.xml"));
  }

  private static String version(String pom) throws IOException {
    var matcher = VERSION.matcher(Files.readString(Path.of(pom)));
    assertThat(matcher.find()).as(pom).isTrue();
    return matcher.group(1);
  }
}
