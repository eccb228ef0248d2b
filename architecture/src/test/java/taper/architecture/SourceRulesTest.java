package taper.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import taper.architecture.Sources.Source;

/// What a reader may expect of every file.
final class SourceRulesTest {

  /// Lists of operators may be long: they read as tables of contents.
  private static final Set<String> OPERATOR_FAMILIES =
      Set.of(
          "Activations",
          "Attention",
          "Comparisons",
          "Convolutions",
          "Creation",
          "Indexing",
          "LinearAlgebra",
          "Losses",
          "Normalization",
          "Pointwise",
          "Pooling",
          "Random",
          "Recurrent",
          "Reductions",
          "Shapes",
          "Sorting",
          "SpecialFunctions",
          "Spectral");

  private static final Pattern EMPTY_NAME =
      Pattern.compile("(Abstract|Base)[A-Z].*|.*(Util|Utils|Helper|Helpers|Manager|Impl)");

  private static final Pattern OPEN_TODO = Pattern.compile("\\b(TODO|FIXME)\\b(?!.*#\\d)");

  @Test
  void noFileIsLongerThan800LinesButOperatorFamilies() {
    assertThat(Sources.all())
        .filteredOn(source -> !OPERATOR_FAMILIES.contains(source.name()))
        .filteredOn(source -> source.text().lines().count() > 800)
        .isEmpty();
  }

  @Test
  void noFileHasANameThatSaysNothing() {
    assertThat(Sources.all())
        .filteredOn(source -> EMPTY_NAME.matcher(source.name()).matches())
        .isEmpty();
  }

  @Test
  void aMainSourceIsInThePackageOfItsModule() {
    assertThat(Sources.all())
        .filteredOn(Source::isMain)
        .filteredOn(source -> !source.name().equals("module-info"))
        .allMatch(
            source -> source.packageName().matches("taper\\." + source.module() + "(\\..*)?"));
  }

  @Test
  void aTodoNamesItsIssue() {
    assertThat(Sources.all())
        .filteredOn(source -> !source.name().equals("SourceRulesTest"))
        .filteredOn(source -> OPEN_TODO.matcher(source.text()).find())
        .isEmpty();
  }
}
