package taper.testing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.TaperException;
import taper.tensor.Tensor;
import taper.tensor.UnsupportedException;

/// The tests that follow from an operator's declaration.
///
/// For every sample: values against the reference kernel in double precision, for each type; shapes and types of the
/// outputs; first and second derivatives against difference quotients; finite gradients; results that do not depend on
/// strides and offsets; inputs that stay as they are. For every rejection: the whole message.
public final class OperatorChecks {
  private OperatorChecks() {}

  /// One test.
  ///
  /// @param name what it shows
  /// @param body throws if it does not hold
  public record Check(String name, Runnable body) {}

  /// The tests of `operator`.
  public static <A extends Record> List<Check> of(Operator<A> operator) {
    var checks = new ArrayList<Check>();
    for (Operator.Sample<A> sample : operator.samples()) {
      String at = operator.name() + "(" + sample.inputs() + ") " + shown(sample.attributes());
      var call = new Call<>(operator, sample);
      if (!operator.ambiguous().isEmpty()) {
        // kernels may differ: their results are tested for what they must fulfil
        checks.addAll(call.gradients(at));
      } else if (!call.isFloating() || operator.isRandom()) {
        checks.add(new Check(at + " agrees with the reference", call::agreesWithReference));
      } else {
        for (DType type : List.of(DType.FLOAT32, DType.FLOAT64, DType.BFLOAT16, DType.FLOAT16)) {
          if (type.isHalf() && !operator.dtypes().takesHalf()) {
            continue;
          }
          checks.add(
              new Check(at + " agrees with double precision in " + type, () -> call.agrees(type)));
        }
        checks.addAll(call.gradients(at));
      }
      // nonzero is told beforehand how many it will find
      if (operator.ambiguous().isEmpty() && !operator.name().equals("nonzero")) {
        for (DType type :
            call.isFloating() ? List.of(DType.FLOAT32, DType.FLOAT64) : List.of(DType.INT64)) {
          for (boolean huge : new boolean[] {false, true}) {
            if (huge && operator.name().equals("trigamma")) {
              continue; // its reflection takes the sine of π x, which is as inexact as x is large
            }
            checks.add(
                new Check(
                    "%s agrees with the reference on %s values in %s"
                        .formatted(at, huge ? "huge" : "special", type),
                    () -> call.agreesOnSpecialValues(type, huge)));
          }
        }
      }
      checks.add(new Check(at + " does not depend on strides", call::stridesDoNotMatter));
      checks.add(new Check(at + " leaves its inputs alone", call::inputsUntouched));
    }
    for (Operator.Rejection<A> rejection : operator.rejections()) {
      checks.add(
          new Check(
              operator.name() + "(" + rejection.inputs() + ") is rejected",
              () -> rejects(operator, rejection)));
    }
    return checks;
  }

  private static String shown(Record attributes) {
    StringBuilder text = new StringBuilder();
    for (var component : attributes.getClass().getRecordComponents()) {
      try {
        var accessor = component.getAccessor();
        accessor.setAccessible(true);
        Object value = accessor.invoke(attributes);
        text.append(text.isEmpty() ? "" : ", ").append(component.getName()).append('=');
        text.append(
            value instanceof long[] longs
                ? Arrays.toString(longs)
                : value instanceof int[] ints ? Arrays.toString(ints) : String.valueOf(value));
      } catch (ReflectiveOperationException e) {
        text.append(component.getName()).append("=?");
      }
    }
    return text.toString();
  }

  private static <A extends Record> void rejects(
      Operator<A> operator, Operator.Rejection<A> rejection) {
    try {
      operator.all(rejection.attributes(), SampleInputs.parse(rejection.inputs(), null));
    } catch (TaperException e) {
      if (!rejection.message().equals(e.getMessage())) {
        throw new AssertionError(
            "the message is\n  %s\nexpected\n  %s".formatted(e.getMessage(), rejection.message()),
            e);
      }
      return;
    }
    throw new AssertionError("the call was not rejected; expected: " + rejection.message());
  }

  private static final class Call<A extends Record> {
    private final Operator<A> operator;
    private final Operator.Sample<A> sample;

    Call(Operator<A> operator, Operator.Sample<A> sample) {
      this.operator = operator;
      this.sample = sample;
    }

    boolean isFloating() {
      return sample.inputs().matches("(?s).*\\b(b?f(16|32|64)|c(64|128))\\[.*");
    }

    /// Whether gradients can be compared: mutation and fresh random numbers at each call stand in the way.
    boolean gradientsApply() {
      @Nullable Tensor[] in = inputs(null);
      return IntStream.range(0, in.length)
              .noneMatch(i -> in[i] != null && operator.mutates(i, in.length))
          && !(operator.name().endsWith("_")
              && operator.definition() instanceof Definition.Structured);
    }

    List<Check> gradients(String at) {
      return operator.isDifferentiable() && gradientsApply()
          ? List.of(
              new Check(at + " has the right gradient", this::gradient),
              new Check(at + " has the right second derivative", this::secondDerivative),
              new Check(at + " has finite gradients", this::finiteGradients))
          : List.of();
    }

    Tensor[] run(@Nullable Tensor[] inputs) {
      Tensor.manualSeed(7);
      return operator.all(sample.attributes(), inputs);
    }

    /// All that a call writes: the outputs, then the inputs that it overwrites.
    private Tensor[] effects(@Nullable Tensor[] inputs) {
      List<Tensor> effects = new ArrayList<>(List.of(run(inputs)));
      for (int i = 0; i < inputs.length; i++) {
        Tensor x = inputs[i];
        if (x != null && operator.mutates(i, inputs.length)) {
          effects.add(x);
        }
      }
      return effects.toArray(Tensor[]::new);
    }

    @Nullable Tensor[] inputs(@Nullable DType floating) {
      return SampleInputs.parse(sample.inputs(), floating);
    }

    void agrees(DType type) {
      @Nullable Tensor[] in = inputs(type);
      @Nullable Tensor[] doubles = new Tensor[in.length];
      for (int i = 0; i < in.length; i++) {
        Tensor x = in[i];
        doubles[i] =
            !isTensor(x)
                ? x
                : x.isComplex()
                    ? x.to(DType.COMPLEX128)
                    : x.isFloatingPoint() ? x.to(DType.FLOAT64) : x.clone();
      }
      Tensor[] expected = Catalogue.withReferenceKernels(() -> effects(doubles));
      Tensor[] actual = effects(in);
      compare(actual, expected, type);
    }

    void agreesWithReference() {
      Tensor[] expected = Catalogue.withReferenceKernels(() -> effects(inputs(null)));
      compare(effects(inputs(null)), expected, null);
    }

    /// NaN, infinities, zeros of both signs and subnormal or huge numbers, for whole numbers the least and the largest, in
    /// some places of the inputs. What is refused must be refused in the same words.
    void agreesOnSpecialValues(DType type, boolean huge) {
      int factors = operator.name().endsWith("Gradient") ? 4 : 2;
      for (int seed = 0; seed < 4; seed++) {
        @Nullable Tensor[] in = inputs(type.isFloatingPoint() ? type : null);
        @Nullable Tensor[] same = inputs(type.isFloatingPoint() ? type : null);
        for (int i = 0; i < in.length; i++) {
          Tensor x = in[i];
          Tensor y = same[i];
          if (x != null && y != null && isTensor(x) && mayBeSpecial(i, x)) {
            Double number = huge ? SpecialValues.huge(type, factors) / (i + 1) : null;
            in[i] = SpecialValues.sprinkled(x, number, seed * 31 + i);
            same[i] = SpecialValues.sprinkled(y, number, seed * 31 + i);
          }
        }
        String given = shownInputs(in);
        Object expected = Catalogue.withReferenceKernels(() -> effectsOrError(same));
        Object actual = effectsOrError(in);
        if (expected instanceof Tensor[] right && actual instanceof Tensor[] found) {
          try {
            compare(found, right, null);
          } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + "; the inputs are " + given, e);
          }
        } else if (!expected.equals(actual)) {
          throw new AssertionError(
              "the result is %s, expected %s; the inputs are %s"
                  .formatted(shownEffect(actual), shownEffect(expected), given));
        }
      }
    }

    private static String shownInputs(@Nullable Tensor[] inputs) {
      return Arrays.stream(inputs)
          .map(x -> x != null && isTensor(x) ? x.toString() : "-")
          .collect(Collectors.joining(", "));
    }

    private boolean mayBeSpecial(int i, Tensor x) {
      var operands = operator.signature().inputs();
      String name = operands.get(Math.min(i, operands.size() - 1)).name();
      // positions that a gradient gets are what its operator has found
      boolean found = !x.isFloatingPoint() && operator.name().matches(".*(Gradient|Pick)");
      return !found && !operator.spreading().contains(name);
    }

    private static String shownEffect(Object effect) {
      return effect instanceof Tensor[] tensors ? Arrays.toString(tensors) : effect.toString();
    }

    private Object effectsOrError(@Nullable Tensor[] inputs) {
      try {
        return effects(inputs);
      } catch (TaperException e) {
        return e.toString();
      }
    }

    private void compare(Tensor[] actual, Tensor[] expected, @Nullable DType type) {
      if (actual.length != expected.length) {
        throw new AssertionError(actual.length + " outputs, expected " + expected.length);
      }
      for (int o = 0; o < actual.length; o++) {
        boolean floating = expected[o].dtype().isDifferentiable();
        if (floating != actual[o].dtype().isDifferentiable()
            || expected[o].isComplex() != actual[o].isComplex()
            || !floating && expected[o].dtype() != actual[o].dtype()) {
          throw new AssertionError(
              "output " + o + " is " + actual[o].dtype() + ", expected " + expected[o].dtype());
        }
        TensorAssertions.assertClose(
            actual[o],
            expected[o],
            floating ? Tolerance.of(type == null ? actual[o].dtype() : type) : Tolerance.EXACT);
      }
    }

    /// One output, of the inputs that are there.
    private Tensor output(int o, List<Tensor> present) {
      @Nullable Tensor[] in = inputs(DType.FLOAT64);
      for (int i = 0, k = 0; i < in.length; i++) {
        if (varies(i, in[i])) {
          in[i] = ofItsKind(i, present.get(k++));
        }
      }
      return run(in)[o];
    }

    /// An input whose matrices are symmetric or triangular stays so when a difference quotient moves one element.
    private Tensor ofItsKind(int i, Tensor x) {
      String[] texts = sample.inputs().split(",");
      return i < texts.length ? SampleInputs.ofItsKind(texts[i], x) : x;
    }

    /// The positions of the outputs that gradients flow through.
    private int[] differentiable() {
      Tensor[] leaves = present();
      for (Tensor leaf : leaves) {
        if (leaf.dtype().isDifferentiable()) {
          leaf.requiresGrad_();
        }
      }
      @Nullable Tensor[] in = inputs(DType.FLOAT64);
      for (int i = 0, k = 0; i < in.length; i++) {
        if (varies(i, in[i])) {
          in[i] = leaves[k++];
        }
      }
      Tensor[] out = run(in);
      // complex vectors may turn their phase, which a gradient does not follow
      return IntStream.range(0, out.length)
          .filter(o -> out[o].requiresGrad())
          .filter(o -> !(out[o].isComplex() && operator.ambiguous().contains(o)))
          .toArray();
    }

    private static boolean isTensor(@Nullable Tensor x) {
      return x != null && !Catalogue.isNumber(x);
    }

    /// Whether gradients by the input are to be compared.
    private boolean varies(int i, @Nullable Tensor x) {
      var operands = operator.signature().inputs();
      String name = operands.get(Math.min(i, operands.size() - 1)).name();
      return isTensor(x) && !operator.constants().contains(name);
    }

    private Tensor[] present() {
      @Nullable Tensor[] in = inputs(DType.FLOAT64);
      return IntStream.range(0, in.length)
          .filter(i -> varies(i, in[i]))
          .mapToObj(i -> in[i])
          .toArray(Tensor[]::new);
    }

    void gradient() {
      int[] outputs = differentiable();
      if (outputs.length == 0) {
        throw new AssertionError(
            "no output requires grad, though the operator is declared to be differentiable");
      }
      for (int o : outputs) {
        GradCheck.check(in -> output(o, in), present());
      }
    }

    void secondDerivative() {
      for (int o : differentiable()) {
        try {
          GradCheck.checkSecond(in -> output(o, in), present());
        } catch (UnsupportedException e) {
          // the operator refuses: that is no wrong number
        }
      }
    }

    void finiteGradients() {
      @Nullable Tensor[] in = inputs(DType.FLOAT32);
      for (Tensor x : in) {
        if (isTensor(x) && x.dtype().isDifferentiable()) {
          x.requiresGrad_();
        }
      }
      for (Tensor out : run(in)) {
        if (!out.requiresGrad()) {
          continue;
        }
        Tensors.parts(out).sum().backward(null, true, false);
        for (double value : Tensors.parts(out.detach()).toDoubleArray()) {
          if (!Double.isFinite(value)) {
            return; // the sample goes to where the values themselves are not finite
          }
        }
      }
      for (Tensor x : in) {
        Tensor grad = x == null ? null : x.grad();
        if (grad != null) {
          for (double value : Tensors.parts(grad.detach()).toDoubleArray()) {
            if (!Double.isFinite(value)) {
              throw new AssertionError("a gradient is " + value + " though all values are finite");
            }
          }
        }
      }
    }

    void stridesDoNotMatter() {
      if (operator.definition() instanceof Definition.View) {
        return; // what a view sees depends on the strides by its nature
      }
      Tensor[] expected = effects(inputs(null));
      @Nullable Tensor[] plain = inputs(null);
      @Nullable Tensor[] scattered = Arrays.copyOf(plain, plain.length);
      for (int i = 0; i < plain.length; i++) {
        Tensor x = plain[i];
        scattered[i] = isTensor(x) ? Tensors.scattered(x) : x;
      }
      Tensor[] actual = effects(scattered);
      for (int o = 0; o < expected.length; o++) {
        TensorAssertions.assertClose(actual[o], expected[o]);
      }
    }

    void inputsUntouched() {
      @Nullable Tensor[] in = inputs(null);
      @Nullable Tensor[] before = inputs(null);
      run(in);
      for (int i = 0; i < in.length; i++) {
        Tensor x = in[i];
        Tensor y = before[i];
        if (isTensor(x) && y != null && !operator.mutates(i, in.length)) {
          try {
            TensorAssertions.assertClose(x, y, Tolerance.EXACT);
          } catch (AssertionError e) {
            throw new AssertionError("input " + i + " was changed: " + e.getMessage(), e);
          }
        }
      }
    }
  }
}
