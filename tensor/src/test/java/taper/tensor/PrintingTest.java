package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// The expected texts were printed by PyTorch.
final class PrintingTest {

  static Stream<JsonNode> cases() {
    try (InputStream in = PrintingTest.class.getResourceAsStream("/golden/printing/tensors.json")) {
      List<JsonNode> cases = new ArrayList<>();
      JsonMapper.shared().readTree(in).get("cases").forEach(cases::add);
      return cases.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void textIsThatOfPyTorch(JsonNode example) {
    Tensor x = tensor(example);

    assertThat(x.toString()).isEqualTo(example.get("text").asString());
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void textOfAViewIsThatOfItsElements(JsonNode example) {
    Tensor x = tensor(example);
    if (x.dim() < 2) {
      return;
    }

    Tensor view = x.transpose(0, 1).contiguous().transpose(0, 1);

    assertThat(view.toString()).isEqualTo(example.get("text").asString());
  }

  private static Tensor tensor(JsonNode example) {
    DType dtype = DType.valueOf(example.get("dtype").asString().toUpperCase(Locale.ROOT));
    long[] shape = example.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray();
    if (example.has("arange")) {
      long numel = Shape.of(shape).numel();
      double step = example.get("arange").asDouble();
      double[] values = new double[(int) numel];
      for (int i = 0; i < numel; i++) {
        values[i] = i * step;
      }
      return Tensor.of(values, shape).to(dtype);
    }
    List<JsonNode> data = example.get("data").valueStream().toList();
    if (dtype.isFloatingPoint()) {
      double[] values = data.stream().mapToDouble(PrintingTest::number).toArray();
      return shape.length == 0
          ? Tensor.scalar(DType.FLOAT64, values[0]).to(dtype)
          : Tensor.of(values, shape).to(dtype);
    }
    long[] values = data.stream().mapToLong(JsonNode::asLong).toArray();
    return (shape.length == 0 ? Tensor.scalar(values[0]) : Tensor.of(values, shape)).to(dtype);
  }

  private static double number(JsonNode node) {
    return switch (node.isString() ? node.asString() : "") {
      case "nan" -> Double.NaN;
      case "inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> node.asDouble();
    };
  }

  @Test
  void historyIsNamed() {
    Tensor x = Tensor.of(new float[] {1, 2}, 2).requiresGrad_();

    assertThat(x).hasToString("tensor([1., 2.], requires_grad=True)");
    assertThat(x.add(1.0)).hasToString("tensor([2., 3.], grad_fn=<AddBackward0>)");
    assertThat(x.mul(2.0).sum()).hasToString("tensor(6., grad_fn=<SumBackward0>)");
    assertThat(Tensor.zeros(0, 3).requiresGrad_())
        .hasToString("tensor([], size=(0, 3), requires_grad=True)");
  }

  @Test
  void parametersSayWhatTheyAre() {
    assertThat(new Parameter(Tensor.ones(2)))
        .hasToString("Parameter containing:\ntensor([1., 1.], requires_grad=True)");
  }

  @Test
  void suffixesThatDoNotFitBeginANewLine() {
    Tensor x = Tensor.ones(13).requiresGrad_().mul(1.5);

    assertThat(x)
        .hasToString(
            """
            tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000,
                    1.5000, 1.5000, 1.5000, 1.5000], grad_fn=<MulBackward0>)\
            """);
    assertThat(Tensor.ones(DType.FLOAT64, 9).requiresGrad_().mul(1.5))
        .hasToString(
            """
            tensor([1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000, 1.5000],
                   dtype=torch.float64, grad_fn=<MulBackward0>)\
            """);
  }
}
