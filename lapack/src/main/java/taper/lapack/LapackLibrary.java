package taper.lapack;

import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.KernelLibrary;

/// LAPACK for `float32` and `float64`, computed in double precision. Immutable.
public final class LapackLibrary implements KernelLibrary {

  /// Created by the service loader.
  public LapackLibrary() {}

  @Override
  public String name() {
    return "lapack";
  }

  @Override
  public int priority() {
    return 50;
  }

  @Override
  public @Nullable String unavailable() {
    return null;
  }

  @Override
  public boolean knowsComplex() {
    return true; // eigenvalues of real matrices are complex
  }

  @Override
  public @Nullable Kernel kernel(Operator<?> operator, DType compute, DType result) {
    if (!(operator.definition() instanceof Definition.Structured<?> structured)
        || compute != DType.FLOAT32 && compute != DType.FLOAT64) {
      return null;
    }
    return switch (operator.name()) {
      case "cholesky" -> SystemKernels.CHOLESKY;
      case "luFactor" -> SystemKernels.LU;
      case "solveTriangular" -> SystemKernels.SOLVE_TRIANGULAR;
      case "qr" -> SystemKernels.QR;
      case "geqrf" -> SystemKernels.GEQRF;
      case "ldlFactor" -> SystemKernels.LDL;
      case "eigh" -> below(4, structured.reference(), SpectralKernels.EIGH);
      case "eig" -> SpectralKernels.EIG;
      case "svd" -> below(8, structured.reference(), SpectralKernels.SVD);
      default -> null;
    };
  }

  /// The plain algorithm for matrices of up to `size` rows and columns, for which calling LAPACK costs more.
  private static Kernel below(int size, Kernel plain, Kernel lapack) {
    return (attributes, out, in) -> {
      int larger = Math.max(Columns.rows(in[0]), Columns.columns(in[0]));
      (larger <= size ? plain : lapack).run(attributes, out, in);
    };
  }
}
