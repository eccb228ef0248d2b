package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameter;
import taper.tensor.Tensor;
import tools.jackson.databind.JsonNode;

/// Clips gradients as PyTorch does.
final class GoldenClipTest {

  static Stream<GoldenInitTest.Named> norms() {
    return cases("clip_grad_norm_");
  }

  static Stream<GoldenInitTest.Named> values() {
    return cases("clip_grad_value_");
  }

  private static Stream<GoldenInitTest.Named> cases(String function) {
    return Golden.cases("optim/clip").stream()
        .filter(c -> c.get("fn").asString().equals(function))
        .map(GoldenInitTest.Named::new);
  }

  @ParameterizedTest
  @MethodSource("norms")
  void normsAreClippedAsInPyTorch(GoldenInitTest.Named named) {
    JsonNode c = named.node();
    List<Parameter> parameters = parameters(c);
    double maxNorm = c.get("max_norm").asDouble();
    double order = Golden.number(c.get("norm_type"));
    boolean strict = c.get("error_if_nonfinite").asBoolean();
    if (c.has("raises")) {
      assertThatThrownBy(() -> Gradients.clipGradNorm_(parameters, maxNorm, order, strict))
          .isInstanceOf(ArgumentException.class)
          .hasMessageStartingWith(
              "clipGradNorm_: the norm of order "
                  + order
                  + " of the gradients must be finite, but is ");
      return;
    }

    double total = Gradients.clipGradNorm_(parameters, maxNorm, order, strict);

    near("norm", total, Golden.number(c.get("total_norm")), tolerance(c));
    compare(c, parameters);
  }

  @ParameterizedTest
  @MethodSource("values")
  void valuesAreClippedAsInPyTorch(GoldenInitTest.Named named) {
    JsonNode c = named.node();
    List<Parameter> parameters = parameters(c);

    Gradients.clipGradValue_(parameters, c.get("clip_value").asDouble());

    compare(c, parameters);
  }

  private static double tolerance(JsonNode c) {
    return c.get("dtype").asString().equals("float64")
        ? 1e-12
        : 1e-5; // PyTorch's powf errs by 1e-6
  }

  private static List<Parameter> parameters(JsonNode c) {
    DType dtype = c.get("dtype").asString().equals("float64") ? DType.FLOAT64 : DType.FLOAT32;
    return c.get("grads")
        .valueStream()
        .map(node -> {
          Tensor grad = Tensor.of(Golden.numbers(node)).to(dtype);
          var parameter = new Parameter(Tensor.zeros(dtype, grad.numel()));
          parameter.setGrad(grad);
          return parameter;
        })
        .toList();
  }

  private static void compare(JsonNode c, List<Parameter> parameters) {
    for (int p = 0; p < parameters.size(); p++) {
      double[] expected = Golden.numbers(c.get("clipped").get(p));
      double[] actual = parameters.get(p).grad().toDoubleArray();
      for (int i = 0; i < expected.length; i++) {
        near("gradient %d[%d]".formatted(p, i), actual[i], expected[i], tolerance(c));
      }
    }
  }

  private static void near(String what, double actual, double expected, double tolerance) {
    boolean same =
        Double.isFinite(expected)
            ? Math.abs(actual - expected) <= tolerance * Math.abs(expected)
            : Double.compare(actual, expected) == 0;
    assertThat(same).as("%s: expected %s, but was %s", what, expected, actual).isTrue();
  }
}
