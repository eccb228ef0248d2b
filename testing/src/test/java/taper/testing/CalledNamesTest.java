package taper.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import taper.tensor.DType;
import taper.tensor.Linalg;
import taper.tensor.TaperException;
import taper.tensor.Tensor;

/// An error names the method that was called, not what it is composed of.
final class CalledNamesTest {
  private static final Tensor X = Tensor.zeros(3, 4);
  private static final Tensor FIVE = Tensor.zeros(5);
  private static final Tensor TRUTHS = Tensor.zeros(DType.BOOL, 3, 4);

  @TestFactory
  Stream<DynamicTest> errorsNameTheMethodThatWasCalled() {
    Map<String, Runnable> calls =
        Map.ofEntries(
            Map.entry("add", () -> X.add(FIVE)),
            Map.entry("sub_", () -> X.clone().sub_(FIVE, 2)),
            Map.entry("subtract", () -> TRUTHS.subtract(TRUTHS)),
            Map.entry("absolute", () -> TRUTHS.absolute()),
            Map.entry("max", () -> X.max(FIVE)),
            Map.entry("l1Loss", () -> X.l1Loss(FIVE)),
            Map.entry("inner", () -> X.inner(FIVE)),
            Map.entry("softmin", () -> TRUTHS.softmin(1)),
            Map.entry("swapaxes", () -> X.swapaxes(0, 7)),
            Map.entry("indexFill", () -> X.indexFill(0, FIVE, 1)),
            Map.entry("take", () -> X.take(Tensor.full(DType.INT64, 99, 2))),
            Map.entry("argsort", () -> X.argsort(7, false)),
            Map.entry("maxPool1d", () -> X.maxPool1d(9)),
            Map.entry("matrixPower", () -> Linalg.matrixPower(X, 2)));
    return calls.entrySet().stream()
        .map(call ->
            DynamicTest.dynamicTest(
                call.getKey(),
                () ->
                    assertThatThrownBy(call.getValue()::run)
                        .isInstanceOf(TaperException.class)
                        .hasMessageStartingWith(call.getKey() + ": ")));
  }
}
