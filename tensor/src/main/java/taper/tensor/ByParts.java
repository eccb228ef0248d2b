package taper.tensor;

import java.util.function.BiConsumer;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Kernels for complex numbers that are made of an operator's kernels for real ones.
///
/// What moves and adds elements treats real and imaginary parts alike: one run each. A product of two operands is four
/// products of their parts.
final class ByParts {
  private ByParts() {}

  /// The kernel of `operator` for complex numbers.
  static Kernel kernel(Operator<?> operator, DType compute, DType result) {
    return switch (operator.dtypes().complexity()) {
      case BY_PARTS -> new Parts(operator, compute.toReal(), result.toReal());
      case PRODUCT -> new Product(operator, compute.toReal());
      case NONE -> Libraries.reference(operator);
      case OWN, OWN_WITH_HALF ->
          operator.definition() instanceof Definition.Pointwise<?> pointwise
                  && isLinear(pointwise.formula())
              ? new Sum(operator, compute.toReal(), Libraries.reference(operator))
              : Libraries.reference(operator);
    };
  }

  /// Whether the formula adds multiples of its inputs, and nothing else.
  private static boolean isLinear(Formula formula) {
    return switch (formula) {
      case Formula.Input _ -> true;
      case Formula.Parameter _, Formula.Constant _, Formula.Select _ -> false;
      case Formula.Unary(var function, var of) ->
          function == Formula.Function.NEGATE && isLinear(of);
      case Formula.Binary(var arithmetic, var a, var b) ->
          switch (arithmetic) {
            case PLUS, MINUS -> isLinear(a) && isLinear(b);
            case TIMES -> isFactor(a) && isLinear(b) || isLinear(a) && isFactor(b);
            default -> false;
          };
    };
  }

  private static boolean isFactor(Formula formula) {
    return formula instanceof Formula.Parameter || formula instanceof Formula.Constant;
  }

  /// Multiples of inputs, added: the same for both parts, which lie side by side.
  private record Sum(Operator<?> operator, DType real, Kernel reference) implements Kernel {
    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      boolean alike = ((Parameters) attributes).imaginary().length == 0;
      for (Strided x : inputs) {
        alike &= x.dtype() == outputs[0].dtype();
      }
      if (!alike) {
        reference.run(attributes, outputs, inputs);
        return;
      }
      Strided[] in = new Strided[inputs.length];
      for (int i = 0; i < in.length; i++) {
        in[i] = inputs[i].parts();
      }
      operator.kernel(real, real).run(attributes, new Strided[] {outputs[0].parts()}, in);
    }
  }

  private static Strided part(Strided x, int which) {
    return x.dtype().isComplex() ? x.part(which) : x;
  }

  /// Runs the real kernel on parts, which lie two apart, by way of dense copies if it has to.
  private static void run(Kernel kernel, Record attributes, Strided[] outputs, Strided[] inputs) {
    if (kernel.anyStrides()) {
      kernel.run(attributes, outputs, inputs);
      return;
    }
    Tensor[] copies = new Tensor[inputs.length];
    Strided[] dense = inputs.clone();
    for (int i = 0; i < inputs.length; i++) {
      if (inputs[i] != null && !inputs[i].isContiguous()) {
        copies[i] = Tensor.empty(inputs[i].dtype(), inputs[i].sizes());
        Copies.raw(copies[i].data(), inputs[i]);
        dense[i] = copies[i].data();
      }
    }
    Tensor[] results = new Tensor[outputs.length];
    Strided[] written = outputs.clone();
    for (int o = 0; o < outputs.length; o++) {
      if (!outputs[o].isContiguous()) {
        results[o] = Tensor.empty(outputs[o].dtype(), outputs[o].sizes());
        written[o] = results[o].data();
      }
    }
    kernel.run(attributes, written, dense);
    for (int o = 0; o < outputs.length; o++) {
      if (results[o] != null) {
        Copies.raw(outputs[o], written[o]);
        results[o].releaseNow();
      }
    }
    for (Tensor copy : copies) {
      if (copy != null) {
        copy.releaseNow();
      }
    }
  }

  private record Parts(Operator<?> operator, DType compute, DType result) implements Kernel {
    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      Kernel kernel = operator.kernel(compute, result);
      for (int which = 0; which < 2; which++) {
        Strided[] out = new Strided[outputs.length];
        for (int o = 0; o < out.length; o++) {
          out[o] = part(outputs[o], which);
        }
        Strided[] in = inputs.clone();
        for (int i = 0; i < in.length; i++) {
          if (in[i] != null) {
            in[i] = part(in[i], which);
          }
        }
        ByParts.run(kernel, attributes, out, in);
      }
    }
  }

  /// `(a + bi)(c + di)`, where products are those of the operator's first two inputs.
  private record Product(Operator<?> operator, DType compute) implements Kernel {
    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      Kernel kernel = operator.kernel(compute, compute);
      Tensor more = Tensor.empty(compute, outputs[0].sizes());
      BiConsumer<int[], Strided> product =
          (parts, to) -> {
            Strided[] in = inputs.clone();
            in[0] = part(inputs[0], parts[0]);
            in[1] = part(inputs[1], parts[1]);
            ByParts.run(kernel, attributes, new Strided[] {to}, in);
          };
      Strided re = outputs[0].part(0);
      Strided im = outputs[0].part(1);
      product.accept(new int[] {0, 0}, re);
      product.accept(new int[] {1, 1}, more.data());
      combine(Pointwise.Operators.SUB, re, more.data());
      product.accept(new int[] {0, 1}, im);
      product.accept(new int[] {1, 0}, more.data());
      combine(Pointwise.Operators.ADD, im, more.data());
      more.releaseNow();
    }

    private void combine(Operator<?> sum, Strided to, Strided more) {
      sum.kernel(compute, compute)
          .run(Parameters.NONE, new Strided[] {to}, new Strided[] {to, more});
    }
  }
}
