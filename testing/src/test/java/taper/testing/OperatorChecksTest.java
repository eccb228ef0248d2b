package taper.testing;

import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import taper.tensor.Catalogue;
import taper.tensor.Operator;

/// Runs the tests that follow from the declarations, for the kernels that `taper.kernels` selects; with
/// `-Dtaper.operators=REGEX` only those of the operators with such names.
final class OperatorChecksTest {
  private static final String CHOSEN = System.getProperty("taper.operators", ".*");

  @TestFactory
  Stream<DynamicNode> everyDeclarationHolds() {
    return Catalogue.families().stream()
        .map(family ->
            DynamicContainer.dynamicContainer(
                family.name(),
                family.operators().stream()
                    .filter(operator -> operator.name().matches(CHOSEN))
                    .map(OperatorChecksTest::tests)));
  }

  private static DynamicNode tests(Operator<?> operator) {
    return DynamicContainer.dynamicContainer(
        operator.name(),
        OperatorChecks.of(operator).stream()
            .map(check -> DynamicTest.dynamicTest(check.name(), check.body()::run)));
  }
}
