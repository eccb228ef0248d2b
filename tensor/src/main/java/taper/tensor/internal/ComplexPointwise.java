package taper.tensor.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Evaluates a formula over complex numbers, in double precision.
///
/// The formula becomes a list of steps, equal parts of it one step. A step computes a block of elements at a time, from
/// arrays of real and imaginary parts, so that each is a plain loop.
public final class ComplexPointwise implements Kernel {
  private static final int BLOCK = 256;

  private final List<Formula> steps = new ArrayList<>();
  private final Map<Formula, Integer> places = new HashMap<>();

  /// A kernel for the given formula, whose inputs are the kernel's.
  public ComplexPointwise(Formula formula) {
    place(formula);
  }

  private void place(Formula formula) {
    if (places.containsKey(formula)) {
      return;
    }
    switch (formula) {
      case Formula.Input _, Formula.Parameter _, Formula.Constant _ -> {}
      case Formula.Unary(_, var of) -> place(of);
      case Formula.Binary(_, var a, var b) -> {
        place(a);
        place(b);
      }
      case Formula.Select(var a, _, var b, var then, var otherwise) -> {
        place(a);
        place(b);
        place(then);
        place(otherwise);
      }
    }
    places.put(formula, steps.size());
    steps.add(formula);
  }

  @Override
  public boolean anyStrides() {
    return true;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    var parameters = (Parameters) attributes;
    var work = new Work(steps.size(), outputs[0], inputs);
    long numel = outputs[0].numel();
    for (long first = 0; first < numel; first += BLOCK) {
      int count = (int) Math.min(BLOCK, numel - first);
      work.load(first, count);
      for (int s = 0; s < steps.size(); s++) {
        step(s, work, parameters, count);
      }
      work.store(first, work.re[steps.size() - 1], work.im[steps.size() - 1], count);
    }
  }

  private void step(int s, Work work, Parameters parameters, int count) {
    double[] re = work.re[s];
    double[] im = work.im[s];
    switch (steps.get(s)) {
      case Formula.Input(var i) -> { // the step's arrays are the input's
        work.re[s] = work.inputRe[i];
        work.im[s] = work.inputIm[i];
      }
      case Formula.Parameter(var i) -> {
        double[] imaginary = parameters.imaginary();
        Arrays.fill(re, 0, count, parameters.values()[i]);
        Arrays.fill(im, 0, count, i < imaginary.length ? imaginary[i] : 0);
      }
      case Formula.Constant(var value) -> {
        Arrays.fill(re, 0, count, value);
        Arrays.fill(im, 0, count, 0);
      }
      case Formula.Unary(var function, var of) -> {
        int x = placeOf(of);
        ComplexScalars.apply(function, work.re[x], work.im[x], re, im, count);
      }
      case Formula.Binary(var arithmetic, var left, var right) -> {
        int a = placeOf(left);
        int b = placeOf(right);
        ComplexScalars.apply(
            arithmetic, work.re[a], work.im[a], work.re[b], work.im[b], re, im, count);
      }
      case Formula.Select(var left, var comparison, var right, var then, var otherwise) -> {
        int a = placeOf(left);
        int b = placeOf(right);
        int t = placeOf(then);
        int o = placeOf(otherwise);
        for (int i = 0; i < count; i++) {
          boolean holds =
              ComplexScalars.holds(
                  comparison, work.re[a][i], work.im[a][i], work.re[b][i], work.im[b][i]);
          int chosen = holds ? t : o;
          re[i] = work.re[chosen][i];
          im[i] = work.im[chosen][i];
        }
      }
    }
  }

  /// The blocks of one call.
  private static final class Work {
    final double[][] re;
    final double[][] im;
    final double[][] inputRe;
    final double[][] inputIm;
    private final Strided output;
    private final Strided[] inputs;
    private final Elements out;
    private final Elements[] in;
    private final Odometer reads;
    private final Odometer writes;
    private final boolean strided; // whether any input has to be read element by element
    private final float[] floats = new float[2 * BLOCK];
    private final double[] doubles = new double[2 * BLOCK];

    Work(int steps, Strided output, Strided[] inputs) {
      this.output = output;
      this.inputs = inputs;
      re = new double[steps][BLOCK];
      im = new double[steps][BLOCK];
      inputRe = new double[inputs.length][BLOCK];
      inputIm = new double[inputs.length][BLOCK];
      out = new Elements(output);
      in = new Elements[inputs.length];
      long[][] strides = new long[inputs.length][];
      boolean any = false;
      for (int i = 0; i < in.length; i++) {
        in[i] = new Elements(inputs[i]);
        strides[i] = inputs[i].strides();
        any |= !dense(inputs[i]);
      }
      strided = any;
      reads = new Odometer(output.sizes(), strides);
      writes = new Odometer(output.sizes(), output.strides());
    }

    private static boolean dense(Strided x) {
      return x.isContiguous() && (x.dtype() == DType.COMPLEX64 || x.dtype() == DType.COMPLEX128);
    }

    private static boolean denseReal(Strided x) {
      return x.isContiguous() && (x.dtype() == DType.FLOAT32 || x.dtype() == DType.FLOAT64);
    }

    void load(long first, int count) {
      for (int k = 0; k < in.length; k++) {
        if (dense(inputs[k])) {
          loadDense(inputs[k], first, inputRe[k], inputIm[k], count);
        }
      }
      if (!strided) {
        return;
      }
      for (int i = 0; i < count; i++) {
        for (int k = 0; k < in.length; k++) {
          if (!dense(inputs[k])) {
            long at = reads.at(k);
            inputRe[k][i] = in[k].realAtDistance(at);
            inputIm[k][i] = in[k].imaginaryAtDistance(at);
          }
        }
        reads.step();
      }
    }

    private void loadDense(Strided x, long first, double[] re, double[] im, int count) {
      long at = x.byteOffset() + first * x.dtype().byteSize();
      if (x.dtype() == DType.COMPLEX64) {
        MemorySegment.copy(x.memory(), ValueLayout.JAVA_FLOAT_UNALIGNED, at, floats, 0, 2 * count);
        for (int i = 0; i < count; i++) {
          re[i] = floats[2 * i];
          im[i] = floats[2 * i + 1];
        }
      } else {
        MemorySegment.copy(
            x.memory(), ValueLayout.JAVA_DOUBLE_UNALIGNED, at, doubles, 0, 2 * count);
        for (int i = 0; i < count; i++) {
          re[i] = doubles[2 * i];
          im[i] = doubles[2 * i + 1];
        }
      }
    }

    void store(long first, double[] re, double[] im, int count) {
      if (denseReal(output)) {
        storeReal(first, re, count);
        return;
      }
      if (!dense(output)) {
        for (int i = 0; i < count; i++) {
          out.setAtDistance(writes.at(0), re[i], im[i]);
          writes.step();
        }
        return;
      }
      long at = output.byteOffset() + first * output.dtype().byteSize();
      if (output.dtype() == DType.COMPLEX64) {
        for (int i = 0; i < count; i++) {
          floats[2 * i] = (float) re[i];
          floats[2 * i + 1] = (float) im[i];
        }
        MemorySegment.copy(
            floats, 0, output.memory(), ValueLayout.JAVA_FLOAT_UNALIGNED, at, 2 * count);
      } else {
        for (int i = 0; i < count; i++) {
          doubles[2 * i] = re[i];
          doubles[2 * i + 1] = im[i];
        }
        MemorySegment.copy(
            doubles, 0, output.memory(), ValueLayout.JAVA_DOUBLE_UNALIGNED, at, 2 * count);
      }
    }

    private void storeReal(long first, double[] re, int count) {
      long at = output.byteOffset() + first * output.dtype().byteSize();
      if (output.dtype() == DType.FLOAT64) {
        MemorySegment.copy(re, 0, output.memory(), ValueLayout.JAVA_DOUBLE_UNALIGNED, at, count);
        return;
      }
      for (int i = 0; i < count; i++) {
        floats[i] = (float) re[i];
      }
      MemorySegment.copy(floats, 0, output.memory(), ValueLayout.JAVA_FLOAT_UNALIGNED, at, count);
    }
  }

  private int placeOf(Formula formula) {
    return Objects.requireNonNull(places.get(formula));
  }
}
