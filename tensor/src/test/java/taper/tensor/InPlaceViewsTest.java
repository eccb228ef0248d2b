package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Random programs of views and in-place operators do what they do in PyTorch: values, gradients, refusals. The programs
/// and PyTorch's results are written by the script beside the resource. `-Dtaper.inPlaceViews=FILE` runs others.
final class InPlaceViewsTest {

  @TestFactory
  Stream<DynamicTest> programsDoWhatTheyDoInPyTorch() throws IOException {
    var tests = new ArrayList<DynamicTest>();
    try (var lines = new BufferedReader(new InputStreamReader(open(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode program = JsonMapper.shared().readTree(line);
        tests.add(
            DynamicTest.dynamicTest(
                "program " + program.get("seed").asInt(), () -> new Run(program).check()));
      }
    }
    return tests.stream();
  }

  private static InputStream open() throws IOException {
    String file = System.getProperty("taper.inPlaceViews");
    return file != null
        ? Files.newInputStream(Path.of(file))
        : new GZIPInputStream(
            InPlaceViewsTest.class.getResourceAsStream("in-place-views.jsonl.gz"));
  }

  private static final class Run {
    private final JsonNode program;
    private final List<Tensor> leaves = new ArrayList<>();
    private final List<Tensor> values = new ArrayList<>();

    Run(JsonNode program) {
      this.program = program;
    }

    void check() {
      JsonNode error = program.get("error");
      String thrown = null;
      try {
        run();
      } catch (TaperException e) {
        thrown = e.getMessage();
      }
      if (error != null) {
        assertThat(thrown)
            .as("PyTorch refuses: %s; steps %s", error, program.get("steps"))
            .isNotNull();
        return;
      }
      assertThat(thrown).as("PyTorch runs %s", program.get("steps")).isNull();
      for (int v = 0; v < values.size(); v++) {
        assertClose("value " + v, values.get(v), program.get("values").get(v));
      }
      for (int l = 0; l < leaves.size(); l++) {
        Tensor grad = leaves.get(l).isLeaf() ? leaves.get(l).grad() : null;
        assertClose("gradient " + l, grad, program.get("results").get(l));
      }
    }

    private void assertClose(String what, Tensor actual, JsonNode expected) {
      if (expected.isNull()) {
        assertThat(actual).as("%s of %s", what, program.get("steps")).isNull();
        return;
      }
      assertThat(actual).as("%s of %s", what, program.get("steps")).isNotNull();
      double[] numbers = actual.toDoubleArray();
      for (int i = 0; i < numbers.length; i++) {
        double wanted = expected.get(i).asDouble();
        boolean close =
            Math.abs(numbers[i] - wanted) <= 1e-9 * (1 + Math.abs(wanted))
                || numbers[i] == wanted
                || Double.isNaN(numbers[i]) && Double.isNaN(wanted);
        assertThat(close)
            .as(
                "%s[%d] is %s, in PyTorch %s: %s",
                what, i, numbers[i], wanted, program.get("steps"))
            .isTrue();
      }
    }

    private void run() {
      for (int l = 0; l < 2; l++) {
        double[] numbers =
            program.get("leaves").get(l).valueStream().mapToDouble(JsonNode::asDouble).toArray();
        Tensor leaf = Tensor.of(numbers, 2, 3);
        leaves.add(program.get("grads").get(l).asBoolean() ? leaf.requiresGrad_() : leaf);
      }
      values.addAll(leaves);
      for (JsonNode step : program.get("steps")) {
        boolean fails = step.get(0).asString().equals("fails");
        int first = fails ? 1 : 0;
        try (var _ = Autograd.setGradEnabled(!step.get(first + 1).asBoolean())) {
          step(step, first);
          assertThat(fails).as("PyTorch refuses %s in %s", step, program.get("steps")).isFalse();
        } catch (TaperException e) {
          if (!fails) {
            throw e;
          }
        }
      }
      Tensor loss = Tensor.zeros(DType.FLOAT64);
      for (int v = 0; v < values.size(); v++) {
        loss = loss.add(values.get(v).mul(0.5 + 0.25 * v).sum());
      }
      if (program.has("second")) {
        Tensor gradient =
            Autograd.grad(loss, List.of(leaves.getFirst()), o -> o.createGraph(true)).getFirst();
        loss = gradient.pow(2).sum();
      }
      loss.backward();
    }

    private void step(JsonNode step, int first) {
      Tensor x = values.get(step.get(first + 2).asInt());
      JsonNode a = step.get(first + 3);
      JsonNode b = step.get(first + 4);
      JsonNode c = step.get(first + 5);
      Tensor made =
          switch (step.get(first).asString()) {
            case "sin" -> x.sin();
            case "exp" -> x.exp();
            case "neg" -> x.neg();
            case "clone" -> x.clone();
            case "add" -> x.add(values.get(a.asInt()));
            case "mul" -> x.mul(values.get(a.asInt()));
            case "flatten" -> x.reshape(-1);
            case "unsqueeze" -> x.unsqueeze(0);
            case "detach" -> x.detach();
            case "transpose" -> x.transpose(0, 1);
            case "diagonal" -> x.diagonal();
            case "expand" -> x.unsqueeze(0).expand(expanded(x));
            case "select" -> x.select(a.asInt(), b.asInt());
            case "unbind" -> x.unbind(a.asInt()).get(b.asInt());
            case "narrow" -> x.narrow(a.asInt(), b.asInt(), c.asInt());
            case "mul_" -> x.mul_(a.asDouble());
            case "fill_" -> x.fill_(a.asDouble());
            case "zero_" -> x.zero_();
            case "sin_" -> x.sin_();
            case "exp_" -> x.exp_();
            case "add_" -> x.add_(values.get(a.asInt()));
            case "copy_" -> x.copy_(values.get(a.asInt()));
            case "mulBy_" -> x.mul_(values.get(a.asInt()));
            default -> throw new AssertionError(step);
          };
      if (!step.get(first).asString().endsWith("_")) {
        values.add(made);
      }
    }

    private static long[] expanded(Tensor x) {
      long[] sizes = new long[x.dim() + 1];
      sizes[0] = 2;
      System.arraycopy(x.shape().toArray(), 0, sizes, 1, x.dim());
      return sizes;
    }
  }
}
