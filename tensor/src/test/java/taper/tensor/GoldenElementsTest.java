package taper.tensor;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.Activations.Approximate;
import taper.tensor.Pointwise.Rounding;
import taper.tensor.Reductions.Extremes;
import tools.jackson.databind.json.JsonMapper;

/// Repeats calls of arithmetic, activations, comparisons, reductions, normalizations, losses and random operators that
/// were recorded with PyTorch, and compares results, gradients and what the call has changed.
final class GoldenElementsTest {
  private static final Map<String, Function<RecordedCall, List<Tensor>>> CALLS = new HashMap<>();

  static Stream<RecordedCall> cases() {
    try (InputStream in =
        new GZIPInputStream(
            GoldenElementsTest.class.getResourceAsStream("/golden/opinfo/elements.json.gz"))) {
      return JsonMapper.shared().readTree(in).get("cases").valueStream().map(RecordedCall::new);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void resultsAndGradientsAreThoseOfPyTorch(RecordedCall call) {
    List<Tensor> out = CALLS.get(call.operator()).apply(call);

    call.compareResults(out);
    call.compareGradients(out);
  }

  private static void call(String operator, Function<RecordedCall, Tensor> body) {
    CALLS.put(operator, call -> List.of(body.apply(call)));
  }

  private static void unary(String operator, UnaryOperator<Tensor> body) {
    call(operator, c -> body.apply(c.x()));
  }

  private interface WithDouble {
    Tensor apply(Tensor x, double number);
  }

  private interface WithLong {
    Tensor apply(Tensor x, long number);
  }

  private static Tensor binary(
      RecordedCall c,
      BiFunction<Tensor, Tensor, Tensor> tensors,
      WithDouble doubles,
      WithLong longs) {
    return switch (c.find(0, "other")) {
      case Tensor other -> tensors.apply(c.x(), other);
      case Long whole -> longs.apply(c.x(), whole);
      case Double number -> doubles.apply(c.x(), number);
      case null, default -> throw new AssertionError(c);
    };
  }

  private static void binary(
      String operator,
      BiFunction<Tensor, Tensor, Tensor> tensors,
      WithDouble doubles,
      WithLong longs) {
    call(operator, c -> binary(c, tensors, doubles, longs));
  }

  private static void binary(String operator, BiFunction<Tensor, Tensor, Tensor> tensors) {
    call(operator, c -> tensors.apply(c.x(), c.other()));
  }

  private interface AlongDims {
    Tensor apply(Tensor x, int[] dims, boolean keepDim);
  }

  private static void reduction(String operator, UnaryOperator<Tensor> all, AlongDims along) {
    call(
        operator,
        c -> {
          DType dtype = c.dtype();
          Tensor x = dtype == null ? c.x() : c.x().to(dtype);
          boolean keepDim = c.flag(1, "keepdim", false);
          return c.find(0, "dim") == null && !keepDim
              ? all.apply(x)
              : along.apply(x, c.dims(0, "dim"), keepDim);
        });
  }

  static {
    arithmetic();
    functions();
    activations();
    comparisons();
    reductions();
    normalizations();
    losses();
    random();
  }

  private static void arithmetic() {
    call(
        "add",
        c ->
            c.find(9, "alpha") == null
                ? binary(c, Tensor::add, Tensor::add, Tensor::add)
                : c.x().add(c.other(), c.number(9, "alpha", 1)));
    call(
        "sub",
        c ->
            c.find(9, "alpha") == null
                ? binary(c, Tensor::sub, Tensor::sub, Tensor::sub)
                : c.x().sub(c.other(), c.number(9, "alpha", 1)));
    binary("rsub", Tensor::rsub, Tensor::rsub, Tensor::rsub);
    binary("mul", Tensor::mul, Tensor::mul, Tensor::mul);
    binary("true_divide", Tensor::div, Tensor::div, Tensor::div);
    call("div", GoldenElementsTest::divided);
    binary("floor_divide", Tensor::floorDivide, Tensor::floorDivide, Tensor::floorDivide);
    binary("remainder", Tensor::remainder, Tensor::remainder, Tensor::remainder);
    binary("fmod", Tensor::fmod, Tensor::fmod, Tensor::fmod);
    binary("pow", Tensor::pow, Tensor::pow, Tensor::pow);
    binary("__radd__", (a, b) -> b.add(a), Tensor::add, Tensor::add);
    binary("__rmul__", (a, b) -> b.mul(a), Tensor::mul, Tensor::mul);
    binary("__rsub__", Tensor::rsub, Tensor::rsub, Tensor::rsub);
    binary("maximum", Tensor::maximum);
    binary("minimum", Tensor::minimum);
    binary("atan2", Tensor::atan2);
    call("clamp", GoldenElementsTest::clamped);
    binary("clamp_min", (x, min) -> x.clamp(min, null), Tensor::clampMin, Tensor::clampMin);
    binary("clamp_max", (x, max) -> x.clamp(null, max), Tensor::clampMax, Tensor::clampMax);
    call(
        "lerp",
        c ->
            c.find(1, "weight") instanceof Tensor weight
                ? c.x().lerp(c.other(), weight)
                : c.x().lerp(c.other(), c.number(1, "weight", 0)));
    call("addcmul", c -> c.x().addcmul(c.other(), present(c, 1, ""), c.number(9, "value", 1)));
    call("addcdiv", c -> c.x().addcdiv(c.other(), present(c, 1, ""), c.number(9, "value", 1)));
    call("where", c -> c.x().where(c.other(), present(c, 1, "")));
    call(
        "masked_fill",
        c ->
            switch (c.find(1, "value")) {
              case Tensor value -> c.x().maskedFill(c.other(), value);
              case Long value -> c.x().maskedFill(c.other(), value);
              case null, default -> c.x().maskedFill(c.other(), c.number(1, "value", 0));
            });
  }

  private static Tensor divided(RecordedCall c) {
    Object mode = c.find(9, "rounding_mode");
    if (mode == null) {
      return binary(c, Tensor::div, Tensor::div, Tensor::div);
    }
    Rounding rounding = mode.equals("trunc") ? Rounding.TRUNC : Rounding.FLOOR;
    return binary(
        c,
        (a, b) -> a.div(b, rounding),
        (a, b) -> a.div(b, rounding),
        (a, b) -> a.div(b, rounding));
  }

  private static Tensor clamped(RecordedCall c) {
    Object min = c.find(0, "min");
    Object max = c.find(1, "max");
    if (min instanceof Tensor || max instanceof Tensor) {
      return c.x().clamp((Tensor) min, (Tensor) max);
    }
    if (min instanceof Long low && max instanceof Long high) {
      return c.x().clamp(low, high);
    }
    return min == null
        ? c.x().clampMax(c.number(1, "max", 0))
        : max == null
            ? c.x().clampMin(c.number(0, "min", 0))
            : c.x().clamp(c.number(0, "min", 0), c.number(1, "max", 0));
  }

  private static Tensor present(RecordedCall c, int position, String name) {
    Tensor found = c.tensor(position, name);
    if (found == null) {
      throw new AssertionError(c);
    }
    return found;
  }

  private static void functions() {
    unary("neg", Tensor::neg);
    unary("abs", Tensor::abs);
    unary("sign", Tensor::sign);
    unary("sgn", Tensor::sign);
    unary("square", Tensor::square);
    unary("reciprocal", Tensor::reciprocal);
    unary("sqrt", Tensor::sqrt);
    unary("rsqrt", Tensor::rsqrt);
    unary("exp", Tensor::exp);
    unary("exp2", Tensor::exp2);
    unary("expm1", Tensor::expm1);
    unary("log", Tensor::log);
    unary("log1p", Tensor::log1p);
    unary("log2", Tensor::log2);
    unary("log10", Tensor::log10);
    unary("sin", Tensor::sin);
    unary("cos", Tensor::cos);
    unary("tan", Tensor::tan);
    unary("asin", Tensor::asin);
    unary("acos", Tensor::acos);
    unary("atan", Tensor::atan);
    unary("sinh", Tensor::sinh);
    unary("cosh", Tensor::cosh);
    unary("asinh", Tensor::asinh);
    unary("acosh", Tensor::acosh);
    unary("atanh", Tensor::atanh);
    unary("erf", Tensor::erf);
    unary("erfc", Tensor::erfc);
    unary("floor", Tensor::floor);
    unary("ceil", Tensor::ceil);
    unary("round", Tensor::round);
    unary("trunc", Tensor::trunc);
    unary("frac", Tensor::frac);
  }

  private static void activations() {
    unary("nn.functional.relu", Tensor::relu);
    unary("nn.functional.relu6", Tensor::relu6);
    unary("sigmoid", Tensor::sigmoid);
    unary("tanh", Tensor::tanh);
    unary("nn.functional.silu", Tensor::silu);
    unary("nn.functional.logsigmoid", Tensor::logSigmoid);
    unary("nn.functional.mish", Tensor::mish);
    unary("nn.functional.selu", Tensor::selu);
    unary("nn.functional.hardswish", Tensor::hardswish);
    unary("nn.functional.hardsigmoid", Tensor::hardsigmoid);
    unary("nn.functional.tanhshrink", Tensor::tanhshrink);
    call(
        "nn.functional.gelu",
        c ->
            c.x()
                .gelu(
                    "tanh".equals(c.find(9, "approximate")) ? Approximate.TANH : Approximate.NONE));
    call("nn.functional.leaky_relu", c -> c.x().leakyRelu(c.number(0, "negative_slope", 0.01)));
    call("nn.functional.elu", c -> c.x().elu(c.number(0, "alpha", 1)));
    call("nn.functional.celu", c -> c.x().celu(c.number(0, "alpha", 1)));
    call(
        "nn.functional.softplus",
        c -> c.x().softplus(c.number(0, "beta", 1), c.number(1, "threshold", 20)));
    call(
        "nn.functional.hardtanh",
        c -> c.x().hardtanh(c.number(0, "min_val", -1), c.number(1, "max_val", 1)));
    call("nn.functional.softshrink", c -> c.x().softshrink(c.number(0, "lambd", 0.5)));
    call("nn.functional.hardshrink", c -> c.x().hardshrink(c.number(0, "lambd", 0.5)));
    call(
        "nn.functional.threshold",
        c -> c.x().threshold(c.number(0, "threshold", 0), c.number(1, "value", 0)));
    call("nn.functional.prelu", c -> c.x().prelu(present(c, 0, "weight")));
    alongOne("softmax", Tensor::softmax);
    alongOne("log_softmax", Tensor::logSoftmax);
    alongOne("nn.functional.softmin", Tensor::softmin);
    alongOne("cumsum", Tensor::cumsum);
  }

  private static void alongOne(String operator, BiFunction<Tensor, Integer, Tensor> body) {
    call(
        operator,
        c -> {
          DType dtype = c.dtype();
          return body.apply(dtype == null ? c.x() : c.x().to(dtype), c.whole(0, "dim", 0));
        });
  }

  private static void comparisons() {
    binary("eq", Tensor::eq, Tensor::eq, Tensor::eq);
    binary("ne", Tensor::ne, Tensor::ne, Tensor::ne);
    binary("lt", Tensor::lt, Tensor::lt, Tensor::lt);
    binary("le", Tensor::le, Tensor::le, Tensor::le);
    binary("gt", Tensor::gt, Tensor::gt, Tensor::gt);
    binary("ge", Tensor::ge, Tensor::ge, Tensor::ge);
    binary("logical_and", Tensor::logicalAnd);
    binary("logical_or", Tensor::logicalOr);
    binary("logical_xor", Tensor::logicalXor);
    unary("logical_not", Tensor::logicalNot);
    unary("isnan", Tensor::isnan);
    unary("isinf", Tensor::isinf);
    unary("isfinite", Tensor::isfinite);
    call(
        "isclose",
        c ->
            c.x()
                .isclose(
                    c.other(),
                    c.number(1, "rtol", 1e-5),
                    c.number(2, "atol", 1e-8),
                    c.flag(3, "equal_nan", false)));
  }

  private static void reductions() {
    reduction("sum", Tensor::sum, Tensor::sum);
    reduction("mean", Tensor::mean, Tensor::mean);
    reduction("prod", Tensor::prod, (x, dims, keepDim) -> x.prod(dims[0], keepDim));
    reduction("amax", Tensor::amax, Tensor::amax);
    reduction("amin", Tensor::amin, Tensor::amin);
    reduction("argmax", Tensor::argmax, (x, dims, keepDim) -> x.argmax(dims[0], keepDim));
    reduction("argmin", Tensor::argmin, (x, dims, keepDim) -> x.argmin(dims[0], keepDim));
    reduction("any", Tensor::any, Tensor::any);
    reduction("all", Tensor::all, Tensor::all);
    reduction("logsumexp", UnaryOperator.identity(), Tensor::logsumexp);
    extreme("max", Tensor::max, Tensor::max, Tensor::max);
    extreme("min", Tensor::min, Tensor::min, Tensor::min);
    call("var", c -> c.x().var(spreadDims(c), correction(c), spreadKeepDim(c)));
    call("std", c -> c.x().std(spreadDims(c), correction(c), spreadKeepDim(c)));
  }

  private interface AlongDim {
    Extremes apply(Tensor x, int dim, boolean keepDim);
  }

  private static void extreme(
      String operator,
      UnaryOperator<Tensor> all,
      BiFunction<Tensor, Tensor, Tensor> elements,
      AlongDim along) {
    CALLS.put(
        operator,
        c -> {
          Object first = c.find(0, "other") != null ? c.find(0, "other") : c.find(0, "dim");
          if (first == null) {
            return List.of(all.apply(c.x()));
          }
          if (first instanceof Tensor other) {
            return List.of(elements.apply(c.x(), other));
          }
          Extremes found =
              along.apply(c.x(), ((Long) first).intValue(), c.flag(1, "keepdim", false));
          return List.of(found.values(), found.indices());
        });
  }

  // PyTorch's var(unbiased), var(dim, unbiased, keepdim) and var(dim, *, correction, keepdim)

  private static int[] spreadDims(RecordedCall c) {
    return c.find(0, "dim") instanceof Boolean ? new int[0] : c.dims(0, "dim");
  }

  private static double correction(RecordedCall c) {
    Object unbiased = c.find(0, "dim") instanceof Boolean b ? b : c.find(1, "unbiased");
    return unbiased instanceof Boolean b ? (b ? 1 : 0) : c.number(9, "correction", 1);
  }

  private static boolean spreadKeepDim(RecordedCall c) {
    return c.flag(2, "keepdim", false);
  }

  private static void normalizations() {
    call(
        "nn.functional.batch_norm",
        c ->
            c.x()
                .batchNorm(
                    c.tensor(0, "running_mean"),
                    c.tensor(1, "running_var"),
                    c.tensor(2, "weight"),
                    c.tensor(3, "bias"),
                    c.flag(4, "training", false),
                    c.number(5, "momentum", 0.1),
                    c.number(6, "eps", 1e-5)));
    call(
        "nn.functional.instance_norm",
        c ->
            c.x()
                .instanceNorm(
                    c.tensor(0, "running_mean"),
                    c.tensor(1, "running_var"),
                    c.tensor(2, "weight"),
                    c.tensor(3, "bias"),
                    c.flag(4, "use_input_stats", true),
                    c.number(5, "momentum", 0.1),
                    c.number(6, "eps", 1e-5)));
    call(
        "nn.functional.layer_norm",
        c ->
            c.x()
                .layerNorm(
                    c.wholes(0, "normalized_shape"),
                    c.tensor(1, "weight"),
                    c.tensor(2, "bias"),
                    c.number(3, "eps", 1e-5)));
    call(
        "nn.functional.group_norm",
        c ->
            c.x()
                .groupNorm(
                    c.whole(0, "num_groups", 1),
                    c.tensor(1, "weight"),
                    c.tensor(2, "bias"),
                    c.number(3, "eps", 1e-5)));
    call(
        "nn.functional.normalize",
        c -> c.x().normalize(c.number(0, "p", 2), c.whole(1, "dim", 1), c.number(2, "eps", 1e-12)));
  }

  private static void losses() {
    call(
        "nn.functional.cross_entropy",
        c ->
            c.x()
                .crossEntropy(
                    c.other(),
                    o ->
                        o.weight(c.tensor(9, "weight"))
                            .ignoreIndex(c.whole(9, "ignore_index", -100))
                            .reduction(c.reduction())
                            .labelSmoothing(c.number(9, "label_smoothing", 0))));
    call(
        "nn.functional.nll_loss",
        c ->
            c.x()
                .nllLoss(
                    c.other(),
                    o ->
                        o.weight(c.tensor(9, "weight"))
                            .ignoreIndex(c.whole(9, "ignore_index", -100))
                            .reduction(c.reduction())));
    call("nn.functional.mse_loss", c -> c.x().mseLoss(c.other(), c.reduction()));
    call("nn.functional.l1_loss", c -> c.x().l1Loss(c.other(), c.reduction()));
    call(
        "nn.functional.smooth_l1_loss",
        c -> c.x().smoothL1Loss(c.other(), c.number(9, "beta", 1), c.reduction()));
    call(
        "nn.functional.huber_loss",
        c -> c.x().huberLoss(c.other(), c.number(9, "delta", 1), c.reduction()));
    call(
        "nn.functional.binary_cross_entropy",
        c ->
            c.x()
                .binaryCrossEntropy(
                    c.other(), o -> o.weight(c.tensor(9, "weight")).reduction(c.reduction())));
    call(
        "nn.functional.binary_cross_entropy_with_logits",
        c ->
            c.x()
                .binaryCrossEntropyWithLogits(
                    c.other(),
                    o ->
                        o.weight(c.tensor(9, "weight"))
                            .posWeight(c.tensor(9, "pos_weight"))
                            .reduction(c.reduction())));
    call(
        "nn.functional.kl_div",
        c ->
            c.x()
                .klDiv(
                    c.other(),
                    o -> {
                      var how = o.logTarget(c.flag(9, "log_target", false));
                      return "batchmean".equals(c.find(9, "reduction"))
                          ? how.batchMean()
                          : how.reduction(c.reduction());
                    }));
  }

  private static void random() {
    call(
        "nn.functional.dropout",
        c -> c.x().dropout(c.number(0, "p", 0.5), c.flag(1, "training", true)));
    call(
        "nn.functional.dropout2d",
        c -> c.x().featureDropout(c.number(0, "p", 0.5), c.flag(1, "training", true)));
    unary("bernoulli", Tensor::bernoulli);
    call(
        "multinomial",
        c -> c.x().multinomial(c.whole(0, "num_samples", 1), c.flag(1, "replacement", false)));
  }
}
