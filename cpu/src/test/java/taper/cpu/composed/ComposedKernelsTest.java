package taper.cpu.composed;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.Guarded;
import taper.cpu.GuardedMemory;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.tensor.Activations.Along;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Losses.ClassLoss;
import taper.tensor.Normalization.BatchNorm;
import taper.tensor.Normalization.LayerNorm;
import taper.tensor.Operator;
import taper.tensor.OptimizerSteps.Adam;
import taper.tensor.OptimizerSteps.Sgd;
import taper.tensor.Reduction;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Composed kernels over guarded memory against the reference kernels of their operators.
class ComposedKernelsTest {
  private static final int[] SIZES = {1, 7, 8, 9, 16, 17, 31, 33, 67};

  /// One call: the shapes of inputs and outputs, empty arrays for numbers, null for absent inputs.
  record Call(
      String operator,
      Record attributes,
      List<Integer> positive,
      long @Nullable [][] inputs,
      long[][] outputs) {}

  private static Call call(
      String operator, Record attributes, long @Nullable [][] inputs, long[]... outputs) {
    return new Call(operator, attributes, List.of(), inputs, outputs);
  }

  private static long[] of(long... sizes) {
    return sizes;
  }

  private static List<Call> calls(int n) {
    var mean = new ClassLoss(-100, Reduction.MEAN, 0);
    var smooth = new ClassLoss(1, Reduction.NONE, 0.1);
    long[] x = of(3, 2, n);
    long[] rows = of(5, n);
    long[] c = of(2);
    long[] number = {};
    var layer = new LayerNorm(of(n), 1e-5);
    var batch = new BatchNorm(0.1, 1e-5);
    var calls = new ArrayList<Call>();
    calls.add(
        call(
            "sgdStep",
            new Sgd(0.1, 0.9, 0, 0.01, true, false, false),
            new long[][] {of(n), of(n), of(n)}));
    calls.add(
        new Call(
            "adamStep",
            new Adam(1e-3, 0.9, 0.999, 1e-8, 0.01, true, false, 3),
            List.of(3, 4),
            new long[][] {of(n), of(n), of(n), of(n), of(n)},
            new long[0][]));
    calls.add(
        call(
            "sgdStep",
            new Sgd(0.1, 0.9, 0, 0.01, true, false, false),
            new long[][] {of(n), of(2, n), of(n), of(2, n), of(n), of(2, n)}));
    calls.add(
        call(
            "sgdStep",
            new Sgd(0.1, 0, 0, 0, false, false, true),
            new long[][] {of(n), of(2, n), of(), of(n), of(2, n), of(), null, null, null}));
    calls.add(call("batchNorm", batch, new long[][] {x, c, c, c, c}, x, c, c));
    calls.add(call("batchNorm", batch, new long[][] {x, null, c, null, null}, x, c, c));
    calls.add(
        call(
            "batchNorm",
            batch,
            new long[][] {of(n, 3), null, null, null, null},
            of(n, 3),
            of(3),
            of(3)));
    calls.add(call("batchNormGradient", batch, new long[][] {x, x, c, c, c}, x, c, c));
    calls.add(
        call("layerNorm", layer, new long[][] {rows, of(n), of(n)}, rows, of(5, 1), of(5, 1)));
    calls.add(call("layerNorm", layer, new long[][] {rows, of(n), null}, rows, of(5, 1), of(5, 1)));
    calls.add(
        call(
            "layerNormGradient",
            layer,
            new long[][] {rows, rows, of(n), of(5, 1), of(5, 1)},
            rows,
            of(n),
            of(n)));
    calls.add(call("softmax", new Along(1), new long[][] {rows}, rows));
    calls.add(call("logSoftmax", new Along(1), new long[][] {x}, x));
    calls.add(call("softmaxGradient", new Along(1), new long[][] {rows, rows}, rows));
    calls.add(call("softmaxGradient", new Along(1), new long[][] {x, x}, x));
    calls.add(call("crossEntropy", mean, new long[][] {rows, of(5), null}, number, rows, number));
    calls.add(call("crossEntropy", smooth, new long[][] {rows, of(5), of(n)}, of(5), rows, number));
    calls.add(
        call(
            "crossEntropyGradient",
            smooth,
            new long[][] {of(5), rows, of(5), of(n), number},
            rows));
    calls.add(call("nllLoss", mean, new long[][] {rows, of(5), null}, number, number));
    return calls;
  }

  static Stream<Arguments> engines() {
    var engines = new ArrayList<>(List.of(Arguments.of("java", Engine.java())));
    CpuFeatures features = CpuFeatures.current();
    if (features.unavailable() == null) {
      engines.add(Arguments.of("avx2", Engine.x86(Isa.AVX2)));
      if (features.isa() == Isa.AVX512) {
        engines.add(Arguments.of("avx512", Engine.x86(Isa.AVX512)));
      }
    }
    return engines.stream();
  }

  @ParameterizedTest
  @MethodSource("engines")
  void agreeWithTheReferenceAndStayInTheirMemory(String name, Engine engine) {
    var kernels = new ComposedKernels(engine);
    for (int n : SIZES) {
      for (Call call : calls(n)) {
        for (GuardedMemory.Side side : GuardedMemory.Side.values()) {
          check(kernels, call, side, n);
        }
      }
    }
  }

  private static void check(ComposedKernels kernels, Call call, GuardedMemory.Side side, int n) {
    Operator<?> operator = Objects.requireNonNull(Catalogue.find(call.operator));
    Kernel kernel = Objects.requireNonNull(kernels.kernel(operator, DType.FLOAT32));
    Kernel reference = ((Definition.Structured<?>) operator.definition()).reference();
    @Nullable Guarded[] in = operands(call, side, n);
    @Nullable Guarded[] expectedIn = operands(call, side, n);
    Guarded[] out = outputs(call, side);
    Guarded[] expectedOut = outputs(call, side);

    kernel.run(call.attributes, strided(out), strided(in));
    reference.run(call.attributes, strided(expectedOut), strided(expectedIn));

    for (int i = 0; i < out.length; i++) {
      compare(call + " output " + i, out[i], expectedOut[i]);
    }
    for (int i = 0; i < in.length; i++) {
      if (in[i] != null && expectedIn[i] != null) {
        compare(call + " input " + i, in[i], expectedIn[i]);
      }
    }
    for (Guarded[] all : new Guarded[][] {in, expectedIn, out, expectedOut}) {
      for (Guarded guarded : all) {
        if (guarded != null) {
          guarded.close();
        }
      }
    }
  }

  private static @Nullable Guarded[] operands(Call call, GuardedMemory.Side side, int n) {
    var random = new Random(n);
    var operands = new Guarded[call.inputs.length];
    boolean loss = call.attributes instanceof ClassLoss;
    for (int i = 0; i < operands.length; i++) {
      long[] sizes = call.inputs[i];
      if (sizes == null) {
        continue;
      }
      boolean labels = loss && i == (call.operator.equals("crossEntropyGradient") ? 2 : 1);
      DType dtype = labels ? DType.INT64 : DType.FLOAT32;
      operands[i] = Guarded.of(dtype, side, 0, sizes, Strided.contiguousStrides(sizes));
      var elements = new Elements(operands[i].strided());
      for (long k = 0; k < elements.numel(); k++) {
        double value = random.nextGaussian();
        elements.set(
            k, labels ? random.nextInt(n) : call.positive.contains(i) ? Math.abs(value) : value);
      }
    }
    return operands;
  }

  private static Guarded[] outputs(Call call, GuardedMemory.Side side) {
    var outputs = new Guarded[call.outputs.length];
    for (int i = 0; i < outputs.length; i++) {
      long[] sizes = call.outputs[i];
      outputs[i] = Guarded.of(DType.FLOAT32, side, 0, sizes, Strided.contiguousStrides(sizes));
    }
    return outputs;
  }

  private static Strided[] strided(@Nullable Guarded[] operands) {
    var strided = new Strided[operands.length];
    for (int i = 0; i < operands.length; i++) {
      Guarded operand = operands[i];
      strided[i] = operand == null ? null : operand.strided();
    }
    return strided;
  }

  private static void compare(String what, Guarded actual, Guarded expected) {
    for (long i = 0; i < expected.strided().numel(); i++) {
      double e = expected.at(i);
      double a = actual.at(i);
      if (Double.compare(a, e) != 0) {
        assertThat(Math.abs(a - e))
            .as("%s, element %s: %s, not %s", what, i, a, e)
            .isLessThanOrEqualTo(2e-5 * (1 + Math.abs(e)));
      }
    }
  }
}
