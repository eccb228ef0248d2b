package taper.cpu.x86;

import static taper.tensor.spi.Formula.input;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Powers whose exponent is a number: for a few that are frequent, products, roots and quotients take the place of
/// logarithm and exponential, as in PyTorch.
public final class Powers implements Kernel {
  private static final double[] EXPONENTS = {0.5, 1, 2, 3, -0.5, -1, -2};

  private final Kernel general;
  private final Kernel[] special;

  private Powers(Kernel general, Kernel[] special) {
    this.general = general;
    this.special = special;
  }

  /// Whether `formula` is a power of the kind that [#of] makes faster.
  public static boolean covers(Formula formula) {
    return formula instanceof Formula.Binary(var arithmetic, var x, var y)
        && arithmetic == Formula.Arithmetic.POWER
        && x.equals(input(0))
        && y.equals(Formula.parameter(0));
  }

  /// `general`, a kernel of powers of `type` whose exponent is parameter 0, but for frequent exponents.
  public static Kernel of(Isa isa, DType type, Kernel general) {
    var special = new Kernel[EXPONENTS.length];
    for (int i = 0; i < special.length; i++) {
      @Nullable Kernel kernel =
          PointwiseKernel.of(
              isa, formula(EXPONENTS[i]), type == DType.FLOAT64, List.of(type), type);
      special[i] = Objects.requireNonNull(kernel);
    }
    return new Powers(general, special);
  }

  private static Formula formula(double exponent) {
    Formula x = input(0);
    if (exponent < 0) {
      Formula positive = formula(-exponent);
      return Formula.constant(1).dividedBy(positive);
    }
    if (exponent == 0.5) {
      // as the general power: the root of -0 is 0, that of -infinity infinity
      Formula infinity = Formula.constant(Double.POSITIVE_INFINITY);
      return Formula.select(
          x, Formula.Comparison.EQUAL, infinity.negate(), infinity, Formula.abs(Formula.sqrt(x)));
    }
    return exponent == 1 ? x : x.times(formula(exponent - 1));
  }

  @Override
  public boolean anyStrides() {
    return true;
  }

  @Override
  public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
    double exponent = ((Parameters) attributes).values()[0];
    for (int i = 0; i < special.length; i++) {
      if (EXPONENTS[i] == exponent) {
        special[i].run(Parameters.NONE, outputs, inputs);
        return;
      }
    }
    general.run(attributes, outputs, inputs);
  }
}
