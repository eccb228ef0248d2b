package taper.tensor.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Evaluates a formula element by element, in double precision or in whole numbers: slow and right.
public final class ReferencePointwise implements Kernel {
  private final Formula formula;
  private @Nullable ComplexPointwise
      complex; // made when it is needed; any thread may make it again

  /// A kernel for the given formula, whose inputs are the kernel's.
  public ReferencePointwise(Formula formula) {
    this.formula = formula;
  }

  private ComplexPointwise complex() {
    ComplexPointwise made = complex;
    if (made == null) {
      made = new ComplexPointwise(formula);
      complex = made;
    }
    return made;
  }

  @Override
  public boolean anyStrides() {
    return true;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    Parameters parameters = (Parameters) attributes;
    boolean whole = true;
    for (Strided in : inputs) {
      if (in.dtype().isComplex()) {
        complex().run(attributes, outputs, inputs);
        return;
      }
      whole &= !in.dtype().isFloatingPoint();
    }
    if (outputs[0].dtype().isComplex()) {
      complex().run(attributes, outputs, inputs);
      return;
    }
    // A formula without inputs, or of whole numbers with a fractional parameter, is computed in
    // floating point.
    whole &= inputs.length > 0 && !outputs[0].dtype().isFloatingPoint();
    Elements out = new Elements(outputs[0]);
    Elements[] in = new Elements[inputs.length];
    for (int i = 0; i < in.length; i++) {
      in[i] = new Elements(inputs[i]);
    }
    double[] numbers = numbers(parameters, inputs);
    double[] values = new double[in.length];
    long[] wholes = new long[in.length];
    for (long i = 0, n = out.numel(); i < n; i++) {
      if (whole) {
        for (int k = 0; k < in.length; k++) {
          wholes[k] = in[k].wholeAt(i);
        }
        out.set(i, formula.at(wholes, parameters.wholes()));
      } else {
        for (int k = 0; k < in.length; k++) {
          values[k] = in[k].at(i);
        }
        out.set(i, formula.at(values, numbers));
      }
    }
  }

  /// The parameters as kernels of the inputs' type see them: rounded to `float32` where that is it.
  private static double[] numbers(Parameters parameters, Strided[] inputs) {
    double[] numbers = parameters.values();
    boolean single = inputs.length > 0;
    for (Strided in : inputs) {
      single &= in.dtype().compute() == DType.FLOAT32;
    }
    return single ? Arrays.stream(numbers).map(number -> (float) number).toArray() : numbers;
  }
}
