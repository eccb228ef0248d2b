package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/// Repeats calls that were recorded with PyTorch, and compares results and gradients.
final class GoldenShapesAndProductsTest {

  static Stream<JsonNode> cases() {
    try (InputStream in =
        new GZIPInputStream(
            GoldenShapesAndProductsTest.class.getResourceAsStream(
                "/golden/opinfo/shapes-and-products.json.gz"))) {
      List<JsonNode> cases = new ArrayList<>();
      JsonMapper.shared().readTree(in).get("cases").forEach(cases::add);
      return cases.stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest(name = "{index}")
  @MethodSource("cases")
  void resultsAndGradientsAreThoseOfPyTorch(JsonNode recorded) {
    var call = new Recorded(recorded);

    List<Tensor> out = call.run();

    call.compareResults(out);
    call.compareGradients(out);
  }

  private static final class Recorded {
    private final JsonNode node;
    private final String id;
    private final String op;
    private final List<Tensor> inputs = new ArrayList<>();
    private final List<Tensor> args = new ArrayList<>();
    private final @Nullable Tensor input;

    Recorded(JsonNode node) {
      this.node = node;
      this.id = node.get("id").asString();
      this.op = node.get("op").asString();
      JsonNode first = node.path("input");
      input = first.has("tensor") ? tensor(first) : null;
      if (first.has("$list")) {
        first.get("$list").forEach(x -> inputs.add(tensor(x)));
      } else if (input != null) {
        inputs.add(input);
      }
      for (JsonNode arg : node.get("args")) {
        if (arg.has("tensor")) {
          args.add(tensor(arg));
        }
      }
    }

    private Tensor x() {
      assert input != null;
      return input;
    }

    private JsonNode arg(int i) {
      return node.get("args").path(i);
    }

    private boolean has(String name) {
      return node.get("kwargs").has(name) && !node.get("kwargs").get(name).isNull();
    }

    private JsonNode option(String name) {
      return node.get("kwargs").path(name);
    }

    private int whole(int i, String name, int otherwise) {
      JsonNode at = arg(i).isMissingNode() ? option(name) : arg(i);
      return at.isMissingNode() || at.isNull() ? otherwise : (int) number(at);
    }

    List<Tensor> run() {
      return switch (op) {
        case "matmul" -> one(x().matmul(args.get(0)));
        case "mm" -> one(x().mm(args.get(0)));
        case "bmm" -> one(x().bmm(args.get(0)));
        case "mv" -> one(x().mv(args.get(0)));
        case "dot" -> one(x().dot(args.get(0)));
        case "outer" -> one(x().outer(args.get(0)));
        case "addmm" -> one(x().addmm(args.get(0), args.get(1), scale("beta"), scale("alpha")));
        case "baddbmm" -> one(x().baddbmm(args.get(0), args.get(1), scale("beta"), scale("alpha")));
        case "nn.functional.linear" ->
            one(x().linear(args.get(0), args.size() > 1 ? args.get(1) : null));
        case "nn.functional.conv1d" ->
            one(x().conv1d(args.get(0), args.size() > 1 ? args.get(1) : null, convolution()));
        case "nn.functional.conv2d" ->
            one(x().conv2d(args.get(0), args.size() > 1 ? args.get(1) : null, convolution()));
        case "nn.functional.embedding" -> one(args.get(0).embedding(x()));
        case "eye", "arange", "linspace" -> one(created());
        default -> op.contains("pool") ? pooled() : indexed();
      };
    }

    private double scale(String name) {
      return has(name) ? number(option(name)) : 1;
    }

    private UnaryOperator<ConvolutionOptions> convolution() {
      int[] stride = pair("stride", 1);
      int[] dilation = pair("dilation", 1);
      int groups = has("groups") ? option("groups").asInt() : 1;
      JsonNode padding = option("padding");
      int[] size = padding.isString() ? new int[2] : pair("padding", 0);
      return o -> {
        var result =
            o.stride(stride[0], stride[1]).dilation(dilation[0], dilation[1]).groups(groups);
        return padding.isString()
            ? result.padding(padding.asString())
            : result.padding(size[0], size[1]);
      };
    }

    private int[] pair(String name, int otherwise) {
      return has(name) ? pair(option(name)) : new int[] {otherwise, otherwise};
    }

    private static int[] pair(JsonNode node) {
      long[] values = wholes(node);
      return new int[] {(int) values[0], (int) values[values.length - 1]};
    }

    private List<Tensor> pooled() {
      return switch (op) {
        case "nn.functional.max_pool2d", "nn.functional.max_pool1d" -> {
          int[] kernel = pair("kernel_size", 0);
          int[] stride = pair("stride", 0);
          int[] padding = pair("padding", 0);
          int[] dilation = pair("dilation", 1);
          UnaryOperator<PoolingOptions> options =
              o ->
                  strided(o, stride)
                      .padding(padding[0], padding[1])
                      .dilation(dilation[0], dilation[1])
                      .ceilMode(option("ceil_mode").asBoolean());
          boolean flat = op.endsWith("1d");
          var both =
              flat
                  ? x().maxPool1dWithIndices(kernel[0], options)
                  : x().maxPool2dWithIndices(kernel[0], kernel[1], options);
          yield option("return_indices").asBoolean()
              ? List.of(both.values(), both.indices())
              : one(both.values());
        }
        case "nn.functional.avg_pool1d", "nn.functional.avg_pool2d" -> average();
        default -> {
          int[] size = pair(arg(0));
          JsonNode given = arg(0).path("$tuple");
          long height = given.path(0).isNull() ? x().size(-2) : size[0];
          long width = given.path(given.size() - 1).isNull() ? x().size(-1) : size[1];
          yield one(
              op.contains("max")
                  ? x().adaptiveMaxPool2d(height, width)
                  : x().adaptiveAvgPool2d(height, width));
        }
      };
    }

    private List<Tensor> average() {
      int[] kernel = pair(arg(0));
      int[] stride = arg(1).isMissingNode() ? pair("stride", 0) : pairOr(arg(1), 0);
      int[] padding = arg(2).isMissingNode() ? pair("padding", 0) : pairOr(arg(2), 0);
      JsonNode ceil = arg(3).isMissingNode() ? option("ceil_mode") : arg(3);
      JsonNode include = arg(4).isMissingNode() ? option("count_include_pad") : arg(4);
      int divisor = whole(5, "divisor_override", 0);
      UnaryOperator<PoolingOptions> options =
          o ->
              divided(
                  strided(o, stride)
                      .padding(padding[0], padding[1])
                      .ceilMode(ceil.asBoolean(false))
                      .countIncludePad(include.asBoolean(true)),
                  divisor);
      return one(
          op.endsWith("1d")
              ? x().avgPool1d(kernel[0], options)
              : x().avgPool2d(kernel[0], kernel[1], options));
    }

    private static PoolingOptions strided(PoolingOptions o, int[] stride) {
      return stride[0] == 0 ? o : o.stride(stride[0], stride[1]);
    }

    private static PoolingOptions divided(PoolingOptions o, int divisor) {
      return divisor == 0 ? o : o.divisorOverride(divisor);
    }

    private static int[] pairOr(JsonNode node, int otherwise) {
      return node.isNull() || wholes(node).length == 0
          ? new int[] {otherwise, otherwise}
          : pair(node);
    }

    private List<Tensor> indexed() {
      return switch (op) {
        case "view" -> one(x().view(wholes(arg(0))));
        case "reshape" -> one(x().reshape(wholes(arg(0))));
        case "expand" -> one(x().expand(wholes(arg(0))));
        case "permute" -> one(x().permute(dims(arg(0))));
        case "transpose" -> one(x().transpose(arg(0).asInt(), arg(1).asInt()));
        case "squeeze" -> one(arg(0).isMissingNode() ? x().squeeze() : x().squeeze(arg(0).asInt()));
        case "unsqueeze" -> one(x().unsqueeze(arg(0).asInt()));
        case "flatten" -> one(x().flatten(whole(0, "start_dim", 0), whole(1, "end_dim", -1)));
        case "unflatten" -> one(x().unflatten(arg(0).asInt(), wholes(arg(1))));
        case "narrow" ->
            one(
                x().narrow(
                        arg(0).asInt(),
                        arg(1).has("tensor") ? args.get(0).itemLong() : arg(1).asLong(),
                        arg(2).asLong()));
        case "select" -> one(x().select(arg(0).asInt(), arg(1).asLong()));
        case "split", "split_with_sizes" -> {
          int dim = whole(1, "dim", 0);
          yield arg(0).isNumber()
              ? x().split(arg(0).asLong(), dim)
              : x().split(wholes(arg(0)), dim);
        }
        case "chunk" -> x().chunk(arg(0).asInt(), whole(1, "dim", 0));
        case "unbind" -> x().unbind(whole(0, "dim", 0));
        case "diagonal" ->
            one(x().diagonal(whole(0, "offset", 0), whole(1, "dim1", 0), whole(2, "dim2", 1)));
        case "movedim" -> one(x().movedim(dims(arg(0)), dims(arg(1))));
        case "cat" -> one(Tensor.cat(inputs, whole(0, "dim", 0)));
        case "stack" -> one(Tensor.stack(inputs, whole(0, "dim", 0)));
        case "triu" -> one(x().triu(whole(0, "diagonal", 0)));
        case "tril" -> one(x().tril(whole(0, "diagonal", 0)));
        case "repeat" -> one(x().repeat(wholes(arg(0))));
        case "repeat_interleave" ->
            one(
                has("dim")
                    ? x().repeatInterleave(option("repeats").asLong(), option("dim").asInt())
                    : x().flatten().repeatInterleave(option("repeats").asLong(), 0));
        case "flip" -> one(x().flip(dims(option("dims"))));
        case "roll" ->
            one(
                arg(1).isMissingNode()
                    ? x().roll(arg(0).asLong())
                    : x().roll(wholes(arg(0)), dims(arg(1))));
        case "t" -> one(x().t());
        case "mT" -> one(x().mT());
        case "slice" -> one(x().get(Index.from(arg(0).asLong())));
        case "as_strided" ->
            one(x().asStrided(wholes(arg(0)), wholes(arg(1)), option("storage_offset").asLong(0)));
        case "meshgrid" -> {
          var all = new ArrayList<>(inputs);
          all.addAll(args);
          yield Tensor.meshgrid(option("indexing").asString(), all.toArray(Tensor[]::new));
        }
        default -> picked();
      };
    }

    private List<Tensor> picked() {
      return switch (op) {
        case "gather" -> one(x().gather(arg(0).asInt(), args.get(0)));
        case "scatter" -> one(x().scatter(arg(0).asInt(), args.get(0), args.get(1)));
        case "scatter_add" -> one(x().scatterAdd(arg(0).asInt(), args.get(0), args.get(1)));
        case "index_select" -> one(x().indexSelect(arg(0).asInt(), args.get(0)));
        case "index_add" ->
            one(x().indexAdd(arg(0).asInt(), args.get(0), args.get(1), scale("alpha")));
        case "masked_select" -> one(x().maskedSelect(args.get(0)));
        case "nonzero" ->
            option("as_tuple").asBoolean()
                ? (x().dim() == 0 ? x().unsqueeze(0) : x()).nonzero().unbind(1)
                : one(x().nonzero());
        case "index_put" -> {
          Tensor copy = x().clone();
          Index index = Index.of(tensor(arg(0).get("$tuple").get(0)));
          yield one(
              option("accumulate").asBoolean()
                  ? copy.accumulate(args.get(0), index)
                  : copy.set(args.get(0), index));
        }
        case "__getitem__" -> one(x().get(index(arg(0))));
        default -> throw new AssertionError("no such operator: " + op);
      };
    }

    private static Index[] index(JsonNode node) {
      if (node.has("tensor")) {
        return new Index[] {Index.of(tensor(node))};
      }
      List<JsonNode> parts = node.get("$list").valueStream().toList();
      if (parts.stream().allMatch(JsonNode::isNumber)) { // in Python a list of numbers is a tensor
        return new Index[] {Index.of(wholes(node))};
      }
      return parts.stream().map(Recorded::part).toArray(Index[]::new);
    }

    private static Index part(JsonNode node) {
      if (node.isNumber()) {
        return Index.at(node.asLong());
      }
      if (node.has("$slice")) {
        JsonNode slice = node.get("$slice");
        return new Index.Range(
            slice.get(0).isNull() ? null : slice.get(0).asLong(),
            slice.get(1).isNull() ? null : slice.get(1).asLong(),
            slice.get(2).isNull() ? 1 : slice.get(2).asLong());
      }
      if (node.has("$e")) {
        return Index.ellipsis();
      }
      return Index.of(wholes(node));
    }

    private Tensor created() {
      DType dtype =
          has("dtype")
              ? DType.valueOf(
                  option("dtype").get("$e").asString().substring(6).toUpperCase(Locale.ROOT))
              : null;
      double[] numbers =
          Stream.concat(Stream.of(node.get("input")), node.get("args").valueStream())
              .mapToDouble(Recorded::number)
              .toArray();
      if (op.equals("eye")) {
        return Tensor.eye(
            dtype == null ? DType.FLOAT32 : dtype,
            (long) numbers[0],
            (long) numbers[numbers.length - 1]);
      }
      if (op.equals("linspace")) {
        return Tensor.linspace(
            dtype == null ? DType.FLOAT32 : dtype, numbers[0], numbers[1], (long) numbers[2]);
      }
      double start = numbers.length == 1 && !has("end") ? 0 : numbers[0];
      double end = has("end") ? number(option("end")) : numbers[numbers.length == 1 ? 0 : 1];
      double step = numbers.length > 2 ? numbers[2] : 1;
      return dtype == null
          ? Tensor.arange((long) start, (long) end, (long) step)
          : Tensor.arange(dtype, start, end, step);
    }

    void compareResults(List<Tensor> out) {
      List<JsonNode> expected = flat(node.get("output"));
      boolean first = op.contains("pool") && out.size() < expected.size();
      assertThat(out).as(id).hasSize(first ? 1 : expected.size());
      for (int o = 0; o < out.size(); o++) {
        compare(id + " output " + o, out.get(o), tensor(expected.get(o)));
      }
    }

    void compareGradients(List<Tensor> out) {
      if (!node.has("grads") || out.stream().noneMatch(Tensor::requiresGrad)) {
        return;
      }
      Tensor loss = Tensor.scalar(DType.FLOAT64, 0);
      for (JsonNode o : node.get("grad_outputs")) {
        Tensor y = out.get(o.asInt());
        Tensor weights = Tensor.linspace(DType.FLOAT64, 0.5, 1.5, y.numel()).to(y.dtype());
        loss = loss.add(y.mul(weights.reshape(y.sizes())).sum());
      }
      loss.backward();
      for (JsonNode grad : node.get("grads")) {
        Tensor of = named(grad.get("of").asString());
        if (grad.get("grad").isNull()) {
          assertThat(of.grad()).as(id).isNull();
        } else {
          assertThat(of.grad()).as(id + " " + grad.get("of")).isNotNull();
          compare(id + " gradient of " + grad.get("of"), of.grad(), tensor(grad.get("grad")));
        }
      }
    }

    private Tensor named(String name) {
      int position = name.contains("[") ? Integer.parseInt(name.replaceAll("\\D", "")) : 0;
      if (name.startsWith("input")) {
        return inputs.get(position);
      }
      int before = 0;
      for (int i = 0; i < position; i++) {
        before += arg(i).has("tensor") ? 1 : 0;
      }
      return args.get(before);
    }

    private static void compare(String what, Tensor actual, Tensor expected) {
      assertThat(actual.shape()).as(what).isEqualTo(expected.shape());
      assertThat(actual.dtype()).as(what).isEqualTo(expected.dtype());
      double[] a = actual.toDoubleArray();
      double[] e = expected.toDoubleArray();
      boolean single = actual.dtype() == DType.FLOAT32;
      for (int i = 0; i < a.length; i++) {
        if (Double.isFinite(e[i])) {
          double tolerance =
              actual.dtype().isFloatingPoint() ? (single ? 1e-5 : 1e-11) * (1 + Math.abs(e[i])) : 0;
          assertThat(a[i]).as(what + " at " + i).isCloseTo(e[i], within(tolerance));
        } else {
          assertThat(a[i]).as(what + " at " + i).isEqualTo(e[i]);
        }
      }
    }

    private static List<Tensor> one(Tensor x) {
      return List.of(x);
    }

    private static List<JsonNode> flat(JsonNode output) {
      JsonNode list = output.has("$tuple") ? output.get("$tuple") : output.path("$list");
      return list.isMissingNode() ? List.of(output) : list.valueStream().toList();
    }

    private static int[] dims(JsonNode node) {
      return Arrays.stream(wholes(node)).mapToInt(i -> (int) i).toArray();
    }

    private static long[] wholes(JsonNode node) {
      JsonNode list = node.has("$tuple") ? node.get("$tuple") : node.path("$list");
      return list.isMissingNode()
          ? new long[] {node.asLong()}
          : list.valueStream().mapToLong(n -> n.isNull() ? -1 : n.asLong()).toArray();
    }

    private static double number(JsonNode node) {
      return node.has("$f")
          ? Double.parseDouble(node.get("$f").asString())
          : node.isBoolean() ? (node.asBoolean() ? 1 : 0) : node.asDouble();
    }

    private static Tensor tensor(JsonNode holder) {
      JsonNode t = holder.get("tensor");
      DType dtype =
          switch (t.get("dtype").asString()) {
            case "F64" -> DType.FLOAT64;
            case "F32" -> DType.FLOAT32;
            case "I64" -> DType.INT64;
            case "I32" -> DType.INT32;
            case "I16" -> DType.INT16;
            case "I8" -> DType.INT8;
            case "U8" -> DType.UINT8;
            case "BOOL" -> DType.BOOL;
            default -> throw new AssertionError(t.get("dtype"));
          };
      long[] shape = t.get("shape").valueStream().mapToLong(JsonNode::asLong).toArray();
      List<JsonNode> data = t.get("data").valueStream().toList();
      Tensor result;
      if (dtype.isFloatingPoint()) {
        double[] values =
            data.stream()
                .mapToDouble(
                    n -> n.isString() ? Double.parseDouble(java(n.asString())) : n.asDouble())
                .toArray();
        result = Tensor.of(values, values.length).to(dtype).view(shape);
      } else {
        long[] values = data.stream().mapToLong(JsonNode::asLong).toArray();
        result = Tensor.of(values, values.length).to(dtype).view(shape);
      }
      result = result.detach();
      if (t.has("stride")) {
        result = strided(result);
      }
      return t.has("rg") ? result.requiresGrad_() : result;
    }

    /// The same elements, not contiguous.
    private static Tensor strided(Tensor x) {
      Tensor twice = Tensor.stack(List.of(x, x), -1);
      return twice.select(-1, 0).detach();
    }

    private static String java(String number) {
      return number.replace("inf", "Infinity").replace("nan", "NaN");
    }
  }
}
