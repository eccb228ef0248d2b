package taper.golden.bindings;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.golden.Gauge;
import taper.tensor.DType;
import taper.tensor.Linalg;
import taper.tensor.Linalg.NormOptions;
import taper.tensor.Linalg.Tolerances;
import taper.tensor.Tensor;

/// Decompositions and solutions.
public final class LinalgBindings {
  private LinalgBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.LOOSE);
    factorizations(table);
    spectra(table);
    solutions(table);
    norms(table);
    olderNames(table);
  }

  private static void factorizations(Bindings table) {
    table.bind(
        "linalg.cholesky",
        "Linalg.cholesky(a, upper)",
        a -> Linalg.cholesky(a.self(), a.flag(-1, "upper", false)));
    table.bind(
        "linalg.cholesky_ex",
        "Linalg.choleskyEx(a, upper)",
        a -> {
          boolean upper = a.flag(-1, "upper", false);
          return a.flag(-1, "check_errors", false)
              ? List.of(Linalg.cholesky(a.self(), upper), Linalg.choleskyEx(a.self()).info())
              : Linalg.choleskyEx(a.self(), upper);
        });
    table.bind(
        "linalg.qr", "Linalg.qr(a, mode)", a -> Linalg.qr(a.self(), a.text(1, "mode", "reduced")));
    table.bind(
        "linalg.lu",
        "Linalg.lu(a)",
        a -> {
          pivoting(a, -1);
          return Linalg.lu(a.self());
        });
    table.bind(
        "linalg.lu_factor",
        "Linalg.luFactor(a)",
        a -> {
          pivoting(a, -1);
          return Linalg.luFactor(a.self());
        });
    table.bind(
        "linalg.lu_factor_ex",
        "Linalg.luFactorEx(a)",
        a -> {
          pivoting(a, -1);
          a.flag(-1, "check_errors", false);
          return Linalg.luFactorEx(a.self());
        });
    table.bind(
        "linalg.ldl_factor",
        "Linalg.ldlFactor(a, hermitian)",
        a -> Linalg.ldlFactor(a.self(), a.flag(-1, "hermitian", false)));
    table.bind(
        "linalg.ldl_factor_ex",
        "Linalg.ldlFactorEx(a, hermitian)",
        a -> {
          a.flag(-1, "check_errors", false);
          return Linalg.ldlFactorEx(a.self(), a.flag(-1, "hermitian", false));
        });
    table.bind(
        "linalg.ldl_solve",
        "Linalg.ldlSolve(ld, pivots, b, hermitian)",
        a ->
            Linalg.ldlSolve(
                a.self(), a.tensor(1, "pivots"), a.tensor(2, "B"), a.flag(-1, "hermitian", false)));
    table.bind(
        "linalg.householder_product",
        "Linalg.householderProduct(a, tau)",
        a -> Linalg.householderProduct(a.self(), a.tensor(1, "tau")));
  }

  private static void pivoting(Arguments a, int position) {
    if (!a.flag(position, "pivot", true)) {
      throw a.unsupported("LU without pivoting, which PyTorch has on GPUs only");
    }
  }

  private static void spectra(Bindings table) {
    table.bind("linalg.eig", "Linalg.eig(a)", a -> Linalg.eig(a.self())).gauge(Gauge.EIGEN);
    table
        .bind("linalg.eigvals", "Linalg.eigvals(a)", a -> Linalg.eigvals(a.self()))
        .gauge(Gauge.EIGEN);
    table
        .bind(
            "linalg.eigh",
            "Linalg.eigh(a, uplo)",
            a -> Linalg.eigh(a.self(), a.text(1, "UPLO", "L")))
        .gauge(Gauge.HERMITIAN);
    table.bind(
        "linalg.eigvalsh",
        "Linalg.eigvalsh(a, uplo)",
        a -> Linalg.eigvalsh(a.self(), a.text(1, "UPLO", "L")));
    table
        .bind(
            "linalg.svd",
            "Linalg.svd(a, fullMatrices)",
            a -> {
              a.findText(-1, "driver");
              return Linalg.svd(a.self(), a.flag(1, "full_matrices", true));
            })
        .gauge(Gauge.SINGULAR_ADJOINT);
    table.bind(
        "linalg.svdvals",
        "Linalg.svdvals(a)",
        a -> {
          a.findText(-1, "driver");
          return Linalg.svdvals(a.self());
        });
    table.bind(
        "linalg.matrix_rank",
        "Linalg.matrixRank(a, o -> o.rtol(…))",
        a -> {
          UnaryOperator<Tolerances> options = tolerances(a, "tol");
          return Linalg.matrixRank(a.self(), options);
        });
  }

  /// Tolerances by name, or the older one by position.
  private static UnaryOperator<Tolerances> tolerances(Arguments a, String older) {
    boolean hermitian = a.flag(2, "hermitian", false);
    Object atol = a.value(-1, "atol");
    Object rtol = a.value(-1, "rtol");
    Object single = a.value(1, older);
    return o -> {
      Tolerances result = o.hermitian(hermitian);
      if (single != null) {
        result =
            older.equals("tol") ? result.atol(number(single)).rtol(0) : result.rtol(number(single));
      }
      result = atol == null ? result : result.atol(number(atol));
      return rtol == null ? result : result.rtol(number(rtol));
    };
  }

  private static Tensor number(Object value) {
    return value instanceof Tensor x
        ? x
        : Tensor.scalar(DType.FLOAT64, ((Number) value).doubleValue());
  }

  private static void solutions(Bindings table) {
    table.bind(
        "linalg.solve",
        "Linalg.solve(a, b, left)",
        a -> Linalg.solve(a.self(), a.tensor(1, "B"), a.flag(-1, "left", true)));
    table.bind(
        "linalg.solve_ex",
        "Linalg.solveEx(a, b, left)",
        a -> {
          a.flag(-1, "check_errors", false);
          return Linalg.solveEx(a.self(), a.tensor(1, "B"), a.flag(-1, "left", true));
        });
    table.bind(
        "linalg.solve_triangular",
        "Linalg.solveTriangular(a, b, upper, left, unitriangular)",
        a ->
            Linalg.solveTriangular(
                a.self(),
                a.tensor(1, "B"),
                a.flag(-1, "upper", false),
                a.flag(-1, "left", true),
                a.flag(-1, "unitriangular", false)));
    table.bind(
        "linalg.lu_solve",
        "Linalg.luSolve(lu, pivots, b, left, adjoint)",
        a ->
            Linalg.luSolve(
                a.self(),
                a.tensor(1, "pivots"),
                a.tensor(2, "B"),
                a.flag(-1, "left", true),
                a.flag(-1, "adjoint", false)));
    table.bind("linalg.inv", "Linalg.inv(a)", a -> Linalg.inv(a.self()));
    table.bind(
        "linalg.inv_ex",
        "Linalg.invEx(a)",
        a -> {
          a.flag(-1, "check_errors", false);
          return Linalg.invEx(a.self());
        });
    table.bind(
        "linalg.pinv",
        "Linalg.pinv(a, o -> o.rtol(…))",
        a -> {
          if (a.variant().equals("singular")) {
            return Linalg.pinv(a.self().matmul(a.tensor(1, "b").mT()));
          }
          UnaryOperator<Tolerances> options = tolerances(a, "rcond");
          return Linalg.pinv(a.self(), options);
        });
    table.bind("linalg.det", "Linalg.det(a)", a -> Linalg.det(a.self()));
    table.bind("linalg.slogdet", "Linalg.slogdet(a)", a -> Linalg.slogdet(a.self()));
    table.bind("linalg.lstsq", "Linalg.lstsq(a, b, o -> o.driver(…))", LinalgBindings::lstsq);
    table.bind(
        "linalg.tensorinv",
        "Linalg.tensorinv(a, ind)",
        a -> Linalg.tensorinv(a.self(), Math.toIntExact(a.integer(1, "ind", 2))));
    table.bind(
        "linalg.tensorsolve",
        "Linalg.tensorsolve(a, b, dims)",
        a -> {
          int[] dims = a.findDims(2, "dims");
          return Linalg.tensorsolve(a.self(), a.tensor(1, "b"), dims == null ? new int[0] : dims);
        });
    table.bind(
        "linalg.matrix_power",
        "Linalg.matrixPower(a, n)",
        a -> Linalg.matrixPower(a.self(), a.integer(1, "n")));
    table.bind("linalg.matrix_exp", "Linalg.matrixExp(a)", a -> Linalg.matrixExp(a.self()));
  }

  private static Object lstsq(Arguments a) {
    boolean oriented = a.variant().equals("grad_oriented");
    Double rcond = oriented ? null : a.findNumber(2, "rcond");
    String driver = oriented ? a.findText(2, "driver") : a.findText(-1, "driver");
    Linalg.Lstsq result =
        Linalg.lstsq(
            a.self(),
            a.tensor(1, "B"),
            o -> {
              var with = driver == null ? o : o.driver(driver);
              return rcond == null ? with : with.rcond(rcond);
            });
    return oriented ? result.solution() : result;
  }

  private static void norms(Bindings table) {
    table.bind(
        "linalg.norm",
        "Linalg.norm(a, ord, o -> o.dims(…))",
        a -> norm(a, a.value(1, "ord"), options(a, 2)));
    table.bind(
        "linalg.matrix_norm",
        "Linalg.matrixNorm(a, ord, o -> o.dims(…))",
        a -> {
          Object ord = a.value(1, "ord");
          UnaryOperator<NormOptions> options = options(a, 2);
          return switch (ord) {
            case null -> Linalg.matrixNorm(a.self(), "fro", options);
            case String name -> Linalg.matrixNorm(a.self(), name, options);
            default -> Linalg.matrixNorm(a.self(), ((Number) ord).doubleValue(), options);
          };
        });
    table.bind(
        "linalg.vector_norm",
        "Linalg.vectorNorm(x, ord, o -> o.dims(…))",
        a -> Linalg.vectorNorm(a.self(), a.number(1, "ord", 2), options(a, 2)));
    table.bind(
        "linalg.cond",
        "Linalg.cond(a, p)",
        a ->
            switch (a.value(1, "p")) {
              case null -> Linalg.cond(a.self());
              case String name -> Linalg.cond(a.self(), name);
              case Object p -> Linalg.cond(a.self(), ((Number) p).doubleValue());
            });
  }

  private static Tensor norm(
      Arguments a, @Nullable Object ord, UnaryOperator<NormOptions> options) {
    return switch (ord) {
      case null -> Linalg.norm(a.self(), options);
      case String name -> Linalg.norm(a.self(), name, options);
      default -> Linalg.norm(a.self(), ((Number) ord).doubleValue(), options);
    };
  }

  private static UnaryOperator<NormOptions> options(Arguments a, int dimAt) {
    int[] dims = a.findDims(dimAt, "dim");
    boolean keepDim = a.flag(dimAt + 1, "keepdim", false);
    var dtype = a.dtype(-1, "dtype");
    return o -> {
      NormOptions with = dims == null ? o : o.dims(dims);
      return with.keepDim(keepDim).dtype(dtype);
    };
  }

  private static void olderNames(Bindings table) {
    table.bind("cholesky", "cholesky(upper)", a -> a.self().cholesky(a.flag(1, "upper", false)));
    table.bind(
        "cholesky_inverse",
        "choleskyInverse(upper)",
        a -> a.self().choleskyInverse(a.flag(1, "upper", false)));
    table.bind(
        "cholesky_solve",
        "choleskySolve(factor, upper)",
        a -> a.self().choleskySolve(a.tensor(1, "input2"), a.flag(2, "upper", false)));
    table.bind("qr", "qr(some)", a -> a.self().qr(a.flag(1, "some", true)));
    table
        .bind(
            "svd",
            "svd(some, computeUv)",
            a -> a.self().svd(a.flag(1, "some", true), a.flag(2, "compute_uv", true)))
        .gauge(Gauge.SINGULAR);
    table.bind("lu", "lu()", LinalgBindings::lu);
    table.bind(
        "lu_solve",
        "luSolve(lu, pivots)",
        a -> a.self().luSolve(a.tensor(1, "LU_data"), a.tensor(2, "LU_pivots")));
    table.bind(
        "lu_unpack",
        "Linalg.luUnpack(lu, pivots)",
        a -> {
          if (!a.flag(2, "unpack_data", true) || !a.flag(3, "unpack_pivots", true)) {
            throw a.unsupported("half an unpacking");
          }
          return Linalg.luUnpack(a.self(), a.tensor(1, "LU_pivots"));
        });
    table.bind("geqrf", "geqrf()", a -> a.self().geqrf());
    table.bind("orgqr", "orgqr(tau)", a -> a.self().orgqr(a.tensor(1, "input2")));
    table.bind(
        "ormqr",
        "ormqr(tau, other, left, transpose)",
        a ->
            a.self()
                .ormqr(
                    a.tensor(1, "tau"),
                    a.tensor(2, "other"),
                    a.flag(3, "left", true),
                    a.flag(4, "transpose", false)));
    table
        .bind(
            "symeig",
            "symeig(eigenvectors, upper)",
            a -> a.self().symeig(a.flag(1, "eigenvectors", false), a.flag(2, "upper", true)))
        .gauge(Gauge.HERMITIAN);
    table.bind(
        "triangular_solve",
        "triangularSolve(a, upper, transpose, unitriangular)",
        a ->
            a.self()
                .triangularSolve(
                    a.tensor(1, "A"),
                    a.flag(2, "upper", true),
                    a.flag(3, "transpose", false),
                    a.flag(4, "unitriangular", false)));
    table.bind("inverse", "inverse()", a -> a.self().inverse());
    table.bind("pinverse", "pinverse(rcond)", a -> a.self().pinverse(a.number(1, "rcond", 1e-15)));
    table.bind("det", "det()", a -> a.self().det());
    table.bind("logdet", "logdet()", a -> a.self().logdet());
    table.bind("slogdet", "slogdet()", a -> a.self().slogdet());
    table.bind("matrix_power", "matrixPower(n)", a -> a.self().matrixPower(a.integer(1, "n")));
    table.bind("matrix_exp", "matrixExp()", a -> a.self().matrixExp());
    table
        .bind(
            "svd_lowrank",
            "svdLowrank(q, niter, mean)",
            a ->
                product(a)
                    .svdLowrank(
                        a.integer(-1, "q", 6),
                        Math.toIntExact(a.integer(-1, "niter", 2)),
                        a.find(-1, "M")))
        .gauge(Gauge.SINGULAR);
    table
        .bind(
            "pca_lowrank",
            "pcaLowrank(q, center, niter)",
            a ->
                product(a)
                    .pcaLowrank(
                        a.integer(-1, "q", -1),
                        a.flag(-1, "center", true),
                        Math.toIntExact(a.integer(-1, "niter", 2))))
        .gauge(Gauge.SINGULAR);
  }

  /// The matrix of low rank that the set gives as two factors.
  private static Tensor product(Arguments a) {
    return a.self().matmul(a.tensor(1, "b").mT());
  }

  private static Object lu(Arguments a) {
    pivoting(a, 1);
    Linalg.LuFactorEx out = Linalg.luFactorEx(a.self());
    var result = new ArrayList<Tensor>(List.of(out.lu(), out.pivots()));
    if (a.flag(2, "get_infos", false)) {
      result.add(out.info());
    }
    return result;
  }
}
