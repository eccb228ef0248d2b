package taper.tensor.internal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
      work.load(count);
      for (int s = 0; s < steps.size(); s++) {
        step(s, work, parameters, count);
      }
      work.store(work.re[steps.size() - 1], work.im[steps.size() - 1], count);
    }
  }

  private void step(int s, Work work, Parameters parameters, int count) {
    double[] re = work.re[s];
    double[] im = work.im[s];
    switch (steps.get(s)) {
      case Formula.Input(var i) -> {
        System.arraycopy(work.inputRe[i], 0, re, 0, count);
        System.arraycopy(work.inputIm[i], 0, im, 0, count);
      }
      case Formula.Parameter(var i) -> {
        double[] imaginary = parameters.imaginary();
        java.util.Arrays.fill(re, 0, count, parameters.values()[i]);
        java.util.Arrays.fill(im, 0, count, i < imaginary.length ? imaginary[i] : 0);
      }
      case Formula.Constant(var value) -> {
        java.util.Arrays.fill(re, 0, count, value);
        java.util.Arrays.fill(im, 0, count, 0);
      }
      case Formula.Unary(var function, var of) -> {
        int x = places.get(of);
        ComplexScalars.apply(function, work.re[x], work.im[x], re, im, count);
      }
      case Formula.Binary(var arithmetic, var left, var right) -> {
        int a = places.get(left);
        int b = places.get(right);
        ComplexScalars.apply(
            arithmetic, work.re[a], work.im[a], work.re[b], work.im[b], re, im, count);
      }
      case Formula.Select(var left, var comparison, var right, var then, var otherwise) -> {
        int a = places.get(left);
        int b = places.get(right);
        int t = places.get(then);
        int o = places.get(otherwise);
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
    private final Elements out;
    private final Elements[] in;
    private final Odometer reads;
    private final Odometer writes;

    Work(int steps, Strided output, Strided[] inputs) {
      re = new double[steps][BLOCK];
      im = new double[steps][BLOCK];
      inputRe = new double[inputs.length][BLOCK];
      inputIm = new double[inputs.length][BLOCK];
      out = new Elements(output);
      in = new Elements[inputs.length];
      long[][] strides = new long[inputs.length][];
      for (int i = 0; i < in.length; i++) {
        in[i] = new Elements(inputs[i]);
        strides[i] = inputs[i].strides();
      }
      reads = new Odometer(output.sizes(), strides);
      writes = new Odometer(output.sizes(), output.strides());
    }

    void load(int count) {
      for (int i = 0; i < count; i++) {
        for (int k = 0; k < in.length; k++) {
          long at = reads.at(k);
          inputRe[k][i] = in[k].realAtDistance(at);
          inputIm[k][i] = in[k].imaginaryAtDistance(at);
        }
        reads.step();
      }
    }

    void store(double[] re, double[] im, int count) {
      for (int i = 0; i < count; i++) {
        out.setAtDistance(writes.at(0), re[i], im[i]);
        writes.step();
      }
    }
  }
}
