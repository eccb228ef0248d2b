package taper.tensor;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.Decompositions.Eigen;
import taper.tensor.Decompositions.Orthogonal;
import taper.tensor.Decompositions.Singular;

/// Linear algebra: decompositions, solutions, norms. What is `torch.linalg` in Python.
///
/// All functions take stacks of matrices: the last two dimensions are rows and columns, those before them number the
/// matrices. Values are computed in double precision, whatever the type of the elements. Where the module `taper.lapack`
/// is present, LAPACK computes them, otherwise plain algorithms do.
///
/// ```java
/// Tensor x = Linalg.solve(a, b);
/// var svd = Linalg.svd(a, false);
/// Tensor again = svd.u().mul(svd.s()).matmul(svd.vh());
/// ```
///
/// A matrix that does not have what a function needs is a [LinearAlgebraException] that names it. The functions whose names
/// end in `Ex` return a code for each matrix instead: 0 if all is well.
public final class Linalg {
  private Linalg() {}

  // Decompositions

  /// Returns the lower triangular L of symmetric or Hermitian positive-definite matrices, which are `L Lᴴ`. Only the lower
  /// triangles are read.
  ///
  /// - Shape: `[*b n n] -> [*b n n]`
  ///
  /// @throws LinearAlgebraException if a matrix is not positive-definite
  public static Tensor cholesky(Tensor a) {
    return cholesky(a, false);
  }

  /// Returns the Cholesky factors of positive-definite matrices.
  ///
  /// @param upper whether to return `Lᴴ`, from the upper triangles, instead of L
  /// @throws LinearAlgebraException if a matrix is not positive-definite
  public static Tensor cholesky(Tensor a, boolean upper) {
    CholeskyEx result = choleskyEx(a, upper);
    LinearSystems.requirePositive(result.info());
    return result.l();
  }

  /// Returns the Cholesky factors and a code for each matrix: the order of its first leading minor that is not positive,
  /// or 0.
  public static CholeskyEx choleskyEx(Tensor a, boolean upper) {
    return LinearSystems.cholesky(a, upper);
  }

  /// Returns the lower Cholesky factors and a code for each matrix.
  public static CholeskyEx choleskyEx(Tensor a) {
    return choleskyEx(a, false);
  }

  /// Returns factors Q, with orthonormal columns, and R, upper triangular, whose product is `a`.
  ///
  /// - Shape: `[*b m n] -> [*b m k], [*b k n]`, where k is the smaller of m and n
  public static Qr qr(Tensor a) {
    return qr(a, "reduced");
  }

  /// Returns factors Q and R whose product is `a`.
  ///
  /// @param mode `reduced`; `complete` for a square Q; `r` for R alone, with an empty Q
  /// @throws ArgumentException if the mode is none of these
  public static Qr qr(Tensor a, String mode) {
    LinearSystems.requireMatrix("qr", a);
    Orthogonal what =
        switch (mode) {
          case "reduced" -> new Orthogonal(true, false);
          case "complete" -> new Orthogonal(true, true);
          case "r" -> new Orthogonal(false, false);
          default ->
              throw new ArgumentException(
                  "qr: mode must be 'reduced', 'complete' or 'r', but is '%s'.".formatted(mode));
        };
    Tensor[] out = Decompositions.Operators.QR.all(what, a);
    return new Qr(out[0], out[1]);
  }

  /// Returns factors whose product is `a`: a permutation P, a lower triangular L with ones on its diagonal, and an upper
  /// triangular U.
  ///
  /// - Shape: `[*b m n] -> [*b m m], [*b m k], [*b k n]`, where k is the smaller of m and n
  public static Lu lu(Tensor a) {
    LuFactorEx factors = luFactorEx(a);
    return luUnpack(factors.lu(), factors.pivots());
  }

  /// Returns the factors that [#luFactor] keeps in one matrix.
  public static Lu luUnpack(Tensor lu, Tensor pivots) {
    LinearSystems.requireMatrix("luUnpack", lu);
    LinearSystems.requirePivots("luUnpack", lu, pivots, false);
    long m = lu.size(-2);
    long n = lu.size(-1);
    long k = Math.min(m, n);
    long[] square = lu.sizes();
    square[square.length - 1] = m;
    Tensor eye = Tensor.eye(lu.dtype(), m, m).expand(square);
    Tensor lower = lu.narrow(-1, 0, k).tril(-1).add(Tensor.eye(lu.dtype(), m, k));
    return new Lu(LinearSystems.rows(eye, pivots, true), lower, lu.narrow(-2, 0, k).triu());
  }

  /// Returns L, below the diagonal, and U in one matrix, and the row exchanges: row `i`, from 1 on, was exchanged with
  /// row `pivots[i]`.
  ///
  /// - Shape: `[*b m n] -> [*b m n], [*b k]`
  /// - Types: pivots are `int32`
  ///
  /// @throws LinearAlgebraException if U has a zero on its diagonal
  public static LuFactor luFactor(Tensor a) {
    LuFactorEx result = luFactorEx(a);
    LinearSystems.requireSuccess(
        "luFactor",
        result.info(),
        "U must have no zero on its diagonal",
        code ->
            "has one at element %d. Use luFactorEx to have the factors all the same"
                .formatted(code));
    return new LuFactor(result.lu(), result.pivots());
  }

  /// As [#luFactor], with a code for each matrix: the position of the first zero on the diagonal of U, or 0.
  public static LuFactorEx luFactorEx(Tensor a) {
    LinearSystems.requireMatrix("luFactor", a);
    Tensor[] out = Decompositions.Operators.LU.all(Operator.None.NONE, a);
    return new LuFactorEx(out[0], out[1], out[2]);
  }

  /// Returns the solutions X of `A X = b`, where `lu` and `pivots` are from [#luFactor] of A.
  public static Tensor luSolve(Tensor lu, Tensor pivots, Tensor b) {
    return luSolve(lu, pivots, b, true, false);
  }

  /// Returns the solutions X of `A X = b`.
  ///
  /// @param left whether A stands on the left of X
  /// @param adjoint whether to solve with `Aᴴ` instead
  public static Tensor luSolve(Tensor lu, Tensor pivots, Tensor b, boolean left, boolean adjoint) {
    LinearSystems.requireSquare("luSolve", lu);
    LinearSystems.requirePivots("luSolve", lu, pivots, false);
    return LinearSystems.luSolve(lu, pivots, b, left, adjoint);
  }

  /// Returns the factors of symmetric matrices, which may be indefinite: `P L D Lᵀ Pᵀ`, in one matrix.
  ///
  /// - Types: pivots are `int32`; a negative pair marks a block of two in D
  public static LdlFactor ldlFactor(Tensor a) {
    return ldlFactor(a, false);
  }

  /// Returns the factors of symmetric matrices, or of Hermitian ones.
  ///
  /// @throws LinearAlgebraException if D is singular
  public static LdlFactor ldlFactor(Tensor a, boolean hermitian) {
    LdlFactorEx result = ldlFactorEx(a, hermitian);
    LinearSystems.requireSuccess(
        "ldlFactor",
        result.info(),
        "D must be invertible",
        code -> "has a zero at element %d".formatted(code));
    return new LdlFactor(result.ld(), result.pivots());
  }

  /// As [#ldlFactor(Tensor, boolean)], with a code for each matrix: the position of the first zero block of D, or 0.
  public static LdlFactorEx ldlFactorEx(Tensor a, boolean hermitian) {
    LinearSystems.requireSquare("ldlFactor", a);
    Tensor[] out = Decompositions.Operators.LDL.all(new Decompositions.Symmetry(hermitian), a);
    return new LdlFactorEx(out[0].tril(), out[1], out[2]);
  }

  /// Returns the solutions X of `A X = b`, where `ld` and `pivots` are from [#ldlFactor] of A.
  public static Tensor ldlSolve(Tensor ld, Tensor pivots, Tensor b, boolean hermitian) {
    LinearSystems.requireSquare("ldlSolve", ld);
    LinearSystems.requirePivots("ldlSolve", ld, pivots, true);
    long[] lead = LinearSystems.lead("ldlSolve", ld, b);
    return Decompositions.Operators.LDL_SOLVE.on(
        new Decompositions.Symmetry(hermitian),
        LinearSystems.expanded(ld, lead),
        LinearSystems.expanded(pivots, lead, 1),
        LinearSystems.expanded(b, lead));
  }

  /// Returns the eigenvalues of symmetric or Hermitian matrices, in ascending order, and their vectors, as columns. Only the
  /// lower triangles are read.
  ///
  /// - Shape: `[*b n n] -> [*b n], [*b n n]`
  /// - Gradient: right for losses that do not depend on the signs or phases of the vectors, and values that differ
  ///
  /// @throws ArgumentException if there are infinities or NaNs
  public static Eigh eigh(Tensor a) {
    return eigh(a, "L");
  }

  /// Returns the eigenvalues of symmetric or Hermitian matrices and their vectors.
  ///
  /// @param uplo which triangles are read: `L` or `U`
  public static Eigh eigh(Tensor a, String uplo) {
    Tensor[] out = eigh("eigh", a, uplo, true);
    return new Eigh(out[0], out[1]);
  }

  private static Tensor[] eigh(String op, Tensor a, String uplo, boolean vectors) {
    LinearSystems.requireSquare(op, a);
    boolean upper = uplo.equals("U") || uplo.equals("u");
    if (!upper && !uplo.equals("L") && !uplo.equals("l")) {
      throw new ArgumentException("%s: uplo must be 'L' or 'U', but is '%s'.".formatted(op, uplo));
    }
    return Decompositions.Operators.EIGH.all(
        new Eigen(vectors || Autograd.isGradEnabled() && a.requiresGrad(), upper), a);
  }

  /// Returns the eigenvalues of symmetric or Hermitian matrices, in ascending order.
  public static Tensor eigvalsh(Tensor a) {
    return eigvalsh(a, "L");
  }

  /// Returns the eigenvalues of symmetric or Hermitian matrices, in ascending order.
  ///
  /// @param uplo which triangles are read: `L` or `U`
  public static Tensor eigvalsh(Tensor a, String uplo) {
    return eigh("eigvalsh", a, uplo, false)[0];
  }

  /// Returns the eigenvalues of square matrices, in no particular order, and their vectors, as columns of length 1.
  ///
  /// - Shape: `[*b n n] -> [*b n], [*b n n]`
  /// - Types: complex, whatever the matrices are
  /// - Gradient: right for losses that do not depend on the phases of the vectors, and values that differ
  ///
  /// @throws ArgumentException if there are infinities or NaNs
  public static Eig eig(Tensor a) {
    LinearSystems.requireSquare("eig", a);
    Tensor[] out = Decompositions.Operators.EIG.all(new Eigen(true, false), a);
    return new Eig(out[0], out[1]);
  }

  /// Returns the eigenvalues of square matrices, in no particular order; they are complex.
  ///
  /// @throws ArgumentException if there are infinities or NaNs
  public static Tensor eigvals(Tensor a) {
    LinearSystems.requireSquare("eigvals", a);
    boolean vectors = Autograd.isGradEnabled() && a.requiresGrad();
    return Decompositions.Operators.EIG.all(new Eigen(vectors, false), a)[0];
  }

  /// Returns the singular values, in descending order, and all singular vectors.
  ///
  /// - Shape: `[*b m n] -> [*b m m], [*b k], [*b n n]`, where k is the smaller of m and n
  public static Svd svd(Tensor a) {
    return svd(a, true);
  }

  /// Returns the singular values, in descending order, and the singular vectors: `a` is `U diag(S) Vᴴ`.
  ///
  /// - Gradient: right for losses that do not depend on the signs or phases of the vectors, and values that differ
  ///
  /// @param fullMatrices whether U and Vᴴ are square, instead of having as many vectors as there are values
  /// @throws ArgumentException if there are infinities or NaNs
  public static Svd svd(Tensor a, boolean fullMatrices) {
    LinearSystems.requireMatrix("svd", a);
    Tensor[] out = Decompositions.Operators.SVD.all(new Singular(true, fullMatrices), a);
    return new Svd(out[0], out[1], out[2]);
  }

  /// Returns the singular values, in descending order.
  public static Tensor svdvals(Tensor a) {
    LinearSystems.requireMatrix("svdvals", a);
    boolean vectors = Autograd.isGradEnabled() && a.requiresGrad();
    return Decompositions.Operators.SVD.all(new Singular(vectors, false), a)[1];
  }

  // Solutions

  /// Returns the solutions X of `a X = b`; `b` holds matrices, or one vector for each matrix of `a`.
  ///
  /// - Shape: `[*b n n], [*b n k] -> [*b n k]`; `[*b n n], [*b n] -> [*b n]`
  ///
  /// @throws LinearAlgebraException if a matrix is singular
  public static Tensor solve(Tensor a, Tensor b) {
    return solve(a, b, true);
  }

  /// Returns the solutions X of `a X = b`, or of `X a = b`.
  ///
  /// @param left whether `a` stands on the left of X
  /// @throws LinearAlgebraException if a matrix is singular
  public static Tensor solve(Tensor a, Tensor b, boolean left) {
    return LinearSystems.solve("solve", a, b, left, true).result();
  }

  /// As [#solve(Tensor, Tensor, boolean)], with a code for each matrix: the position of the zero that makes it singular,
  /// or 0.
  public static SolveEx solveEx(Tensor a, Tensor b, boolean left) {
    return LinearSystems.solve("solve", a, b, left, false);
  }

  /// Returns the solutions X of `a X = b`, where `a` holds triangular matrices; the other triangle is not read.
  ///
  /// @param upper whether they are upper triangular
  public static Tensor solveTriangular(Tensor a, Tensor b, boolean upper) {
    return solveTriangular(a, b, upper, true, false);
  }

  /// Returns the solutions X of `a X = b`, or of `X a = b`, where `a` holds triangular matrices.
  ///
  /// @param upper whether they are upper triangular
  /// @param left whether `a` stands on the left of X
  /// @param unitriangular whether the diagonal is taken to be 1, and not read
  public static Tensor solveTriangular(
      Tensor a, Tensor b, boolean upper, boolean left, boolean unitriangular) {
    return LinearSystems.solveTriangular(a, b, upper, left, unitriangular);
  }

  /// Returns the inverse matrices.
  ///
  /// - Shape: `[*b n n] -> [*b n n]`
  ///
  /// @throws LinearAlgebraException if a matrix is singular
  public static Tensor inv(Tensor a) {
    LinearSystems.requireSquare("inv", a);
    return LinearSystems.solve("inv", a, LinearSystems.eyeLike(a), true, true).result();
  }

  /// As [#inv], with a code for each matrix: the position of the zero that makes it singular, or 0.
  public static InvEx invEx(Tensor a) {
    LinearSystems.requireSquare("inv", a);
    SolveEx result = LinearSystems.solve("inv", a, LinearSystems.eyeLike(a), true, false);
    return new InvEx(result.result(), result.info());
  }

  /// Returns the pseudo-inverse matrices, those of Moore and Penrose.
  ///
  /// - Shape: `[*b m n] -> [*b n m]`
  public static Tensor pinv(Tensor a) {
    return pinv(a, o -> o);
  }

  /// Returns the pseudo-inverse matrices; singular values that are small count as zero.
  ///
  /// @param options what is small: `o -> o.rtol(1e-6)`
  public static Tensor pinv(Tensor a, UnaryOperator<Tolerances> options) {
    LinearSystems.requireMatrix("pinv", a);
    Tolerances o = options.apply(Tolerances.DEFAULTS);
    Tensor atol = o.absolute(a);
    Tensor rtol = o.relative(a);
    if (o.hermitian()) {
      LinearSystems.requireSquare("pinv", a);
    }
    return Decompositions.Operators.PINV.on(
        new Decompositions.Inversion(o.hermitian()), a, atol, rtol);
  }

  /// Returns the determinants.
  ///
  /// - Shape: `[*b n n] -> [*b]`
  public static Tensor det(Tensor a) {
    LinearSystems.requireSquare("det", a);
    return Decompositions.Operators.DET.on(Operator.None.NONE, a);
  }

  /// Returns signs and logarithms of the absolute values of the determinants.
  ///
  /// - Shape: `[*b n n] -> [*b], [*b]`
  public static Slogdet slogdet(Tensor a) {
    return LinearSystems.slogdet(a);
  }

  /// Returns the product of Householder reflectors `I - tau v vᴴ`, as far as its first columns.
  ///
  /// - Shape: `[*b m n], [*b k] -> [*b m n]`
  ///
  /// @param a holds the vectors below its diagonal, where they are 1
  public static Tensor householderProduct(Tensor a, Tensor tau) {
    return Reflectors.product(a, tau);
  }

  /// Returns the matrices multiplied with themselves `n - 1` times; for negative `n`, their inverses.
  public static Tensor matrixPower(Tensor a, long n) {
    return a.matrixPower(n);
  }

  /// Returns the exponentials of square matrices.
  public static Tensor matrixExp(Tensor a) {
    return a.matrixExp();
  }

  /// Returns the ranks, `int64`: how many singular values are not small.
  public static Tensor matrixRank(Tensor a) {
    return matrixRank(a, o -> o);
  }

  /// Returns the ranks, `int64`: how many singular values are not small.
  ///
  /// @param options what is small: `o -> o.atol(1e-6)`
  public static Tensor matrixRank(Tensor a, UnaryOperator<Tolerances> options) {
    LinearSystems.requireMatrix("matrixRank", a);
    Tolerances o = options.apply(Tolerances.DEFAULTS);
    Tensor x = a.detach();
    if (x.numel() == 0) {
      return Tensor.zeros(DType.INT64, Arrays.copyOf(x.sizes(), x.dim() - 2));
    }
    Tensor values = o.hermitian() ? eigvalsh(x).abs() : svdvals(x);
    Tensor bound = LinearSystems.threshold(values, o.absolute(a), o.relative(a));
    return values.gt(bound.unsqueeze(-1)).sum(-1);
  }

  /// Returns the X for which `a X` misses `b` by the least, and what is known of it. With fewer rows than columns there are
  /// many; the one of the smallest norm is returned.
  ///
  /// - Shape: `[*b m n], [*b m k] -> [*b n k]`
  public static Lstsq lstsq(Tensor a, Tensor b) {
    return lstsq(a, b, o -> o);
  }

  /// Returns the X for which `a X` misses `b` by the least.
  ///
  /// @param options what counts as zero, and how much to return: `o -> o.driver("gelsd")`
  public static Lstsq lstsq(Tensor a, Tensor b, UnaryOperator<LstsqOptions> options) {
    return LeastSquares.of(a, b, options.apply(LstsqOptions.DEFAULTS));
  }

  /// Returns the inverse of `a` as a tensor that maps its last dimensions to the first `ind`.
  ///
  /// @throws LinearAlgebraException if there is none
  public static Tensor tensorinv(Tensor a, int ind) {
    return TensorEquations.inverse(a, ind);
  }

  /// Returns the X for which `tensordot(a, X)` over the last dimensions of `a` is `b`.
  ///
  /// @throws LinearAlgebraException if there is none, or more than one
  public static Tensor tensorsolve(Tensor a, Tensor b) {
    return tensorsolve(a, b, new int[0]);
  }

  /// Returns the X for which `tensordot(a, X)` over the last dimensions of `a` is `b`.
  ///
  /// @param dims dimensions of `a` that are moved to its end first
  public static Tensor tensorsolve(Tensor a, Tensor b, int[] dims) {
    return TensorEquations.solve(a, b, dims);
  }

  // Products

  /// Returns the matrix product: [LinearAlgebra#matmul].
  public static Tensor matmul(Tensor a, Tensor b) {
    return a.matmul(b);
  }

  /// Returns the product of two or more matrices, multiplied in the order that costs least. The first and the last may be
  /// vectors.
  ///
  /// @throws ShapeException if neighbours do not fit
  public static Tensor multiDot(Tensor... tensors) {
    return MatrixProducts.multiDot(tensors);
  }

  /// Returns the dot products of vectors along the last dimension, those of `x` conjugated; other dimensions broadcast.
  public static Tensor vecdot(Tensor x, Tensor y) {
    return vecdot(x, y, -1);
  }

  /// Returns the dot products of vectors along `dim`, those of `x` conjugated; other dimensions broadcast.
  public static Tensor vecdot(Tensor x, Tensor y, int dim) {
    Tensor product = x.conj().mul(y);
    return product.sum(dim).to(product.dtype());
  }

  /// Returns the cross products of vectors along the last dimension, whose size must be 3.
  public static Tensor cross(Tensor a, Tensor b) {
    return cross(a, b, -1);
  }

  /// Returns the cross products of vectors along `dim`, whose size must be 3.
  public static Tensor cross(Tensor a, Tensor b, int dim) {
    return a.cross(b, dim);
  }

  /// Returns the matrix of powers 0 to `m - 1`, where m is the number of elements.
  public static Tensor vander(Tensor x) {
    return vander(x, x.dim() == 0 ? 1 : x.size(-1));
  }

  /// Returns the matrices of powers 0 to `n - 1` of vectors.
  ///
  /// - Shape: `[*b m] -> [*b m n]`
  ///
  /// @throws ArgumentException if `n` is less than 2
  public static Tensor vander(Tensor x, long n) {
    if (n < 2) {
      throw new ArgumentException("vander: n must be greater than 1, but is %d.".formatted(n));
    }
    return MatrixProducts.powers(x.dim() == 0 ? x.unsqueeze(0) : x, n);
  }

  /// Returns the diagonals of matrices, as a view.
  public static Tensor diagonal(Tensor a) {
    return diagonal(a, 0, -2, -1);
  }

  /// Returns the diagonals of the matrices that `dim1` and `dim2` make, as a view.
  public static Tensor diagonal(Tensor a, long offset, int dim1, int dim2) {
    return a.diagonal(offset, dim1, dim2);
  }

  // Norms

  /// Returns the Euclidean norm of all elements.
  public static Tensor norm(Tensor a) {
    return MatrixNorms.any(a, null, NormOptions.DEFAULTS);
  }

  /// Returns the Euclidean norm of all elements, or those along one or two dimensions.
  public static Tensor norm(Tensor a, UnaryOperator<NormOptions> options) {
    return MatrixNorms.any(a, null, options.apply(NormOptions.DEFAULTS));
  }

  /// Returns the norm of order `ord` of a vector or a matrix.
  public static Tensor norm(Tensor a, double ord) {
    return norm(a, ord, o -> o);
  }

  /// Returns norms of order `ord`: of matrices if there are two dims, of vectors if there is one.
  public static Tensor norm(Tensor a, double ord, UnaryOperator<NormOptions> options) {
    return MatrixNorms.any(a, ord, options.apply(NormOptions.DEFAULTS));
  }

  /// Returns the norm `fro` or `nuc` of a matrix.
  public static Tensor norm(Tensor a, String ord) {
    return norm(a, ord, o -> o);
  }

  /// Returns the norms `fro` or `nuc` of matrices.
  public static Tensor norm(Tensor a, String ord, UnaryOperator<NormOptions> options) {
    return MatrixNorms.any(a, ord, options.apply(NormOptions.DEFAULTS));
  }

  /// Returns the norm of order `ord` of all elements.
  public static Tensor vectorNorm(Tensor x, double ord) {
    return vectorNorm(x, ord, o -> o);
  }

  /// Returns the norms of order `ord` of vectors; without dims, of all elements.
  public static Tensor vectorNorm(Tensor x, double ord, UnaryOperator<NormOptions> options) {
    return MatrixNorms.vector(x, ord, options.apply(NormOptions.DEFAULTS));
  }

  /// Returns the norms of order `ord` of matrices: 1 and -1 are the largest and smallest sums of columns, the infinities those
  /// of rows, 2 and -2 the largest and smallest singular values.
  ///
  /// @throws ArgumentException if `ord` is another number
  public static Tensor matrixNorm(Tensor a, double ord) {
    return matrixNorm(a, ord, o -> o);
  }

  /// Returns the norms of order `ord` of matrices.
  public static Tensor matrixNorm(Tensor a, double ord, UnaryOperator<NormOptions> options) {
    return MatrixNorms.matrix(a, ord, options.apply(NormOptions.DEFAULTS));
  }

  /// Returns the norms of matrices: `fro` is the root of the sum of squares, `nuc` the sum of singular values.
  public static Tensor matrixNorm(Tensor a, String ord) {
    return matrixNorm(a, ord, o -> o);
  }

  /// Returns the norms `fro` or `nuc` of matrices.
  public static Tensor matrixNorm(Tensor a, String ord, UnaryOperator<NormOptions> options) {
    return MatrixNorms.matrix(a, ord, options.apply(NormOptions.DEFAULTS));
  }

  /// Returns the condition numbers of matrices: the largest singular value divided by the smallest.
  public static Tensor cond(Tensor a) {
    return MatrixNorms.condition(a, null);
  }

  /// Returns the condition numbers by the norm of order `p`: that of the matrix times that of its inverse.
  public static Tensor cond(Tensor a, double p) {
    return MatrixNorms.condition(a, p);
  }

  /// Returns the condition numbers by the norm `fro` or `nuc`.
  public static Tensor cond(Tensor a, String p) {
    return MatrixNorms.condition(a, p);
  }

  // Results

  /// Which elements make a norm. Immutable.
  ///
  /// @param dims the dimensions of the vector or matrix; null for the usual ones
  /// @param keepDim whether they stay, with size 1
  /// @param dtype elements are converted to it first; null for as they are
  public record NormOptions(int @Nullable [] dims, boolean keepDim, @Nullable DType dtype) {
    static final NormOptions DEFAULTS = new NormOptions(null, false, null);
    static final NormOptions MATRIX = new NormOptions(new int[] {-2, -1}, false, null);

    /// The same along other dimensions.
    public NormOptions dims(int... along) {
      return new NormOptions(along, keepDim, dtype);
    }

    /// The same, saying whether the dimensions stay, with size 1.
    public NormOptions keepDim(boolean stay) {
      return new NormOptions(dims, stay, dtype);
    }

    /// The same with elements converted first.
    public NormOptions dtype(@Nullable DType type) {
      return new NormOptions(dims, keepDim, type);
    }
  }

  /// How least squares are found. Immutable.
  ///
  /// @param rcond what counts as zero beside the largest singular value; null for the rounding error of the type times the
  ///     larger dimension
  /// @param driver `gelsy`, the default; `gels` for matrices of full rank; `gelsd` and `gelss` return singular values, too
  public record LstsqOptions(@Nullable Double rcond, String driver) {
    static final LstsqOptions DEFAULTS = new LstsqOptions(null, "gelsy");

    /// The same with another bound of what counts as zero.
    public LstsqOptions rcond(double bound) {
      return new LstsqOptions(bound, driver);
    }

    /// The same by another driver.
    public LstsqOptions driver(String name) {
      return new LstsqOptions(rcond, name);
    }
  }

  /// Solutions of least squares.
  ///
  /// @param solution the solutions
  /// @param residuals the squared distances; empty without full rank or more rows than columns
  /// @param rank the ranks; empty for the driver `gels`
  /// @param singularValues empty for `gels` and `gelsy`
  public record Lstsq(Tensor solution, Tensor residuals, Tensor rank, Tensor singularValues) {}

  /// What counts as zero among singular values or eigenvalues: what is not above the larger of `atol` and `rtol` times the
  /// largest. Immutable.
  ///
  /// @param atol the absolute bound; null for 0
  /// @param rtol the relative bound; null for the rounding error of the type times the larger dimension, or for 0 if
  ///     `atol` is given and not 0
  /// @param hermitian whether the matrices equal their conjugate transposes, so that a faster way is taken
  public record Tolerances(@Nullable Tensor atol, @Nullable Tensor rtol, boolean hermitian) {
    static final Tolerances DEFAULTS = new Tolerances(null, null, false);

    /// The same with another absolute bound.
    public Tolerances atol(double bound) {
      return atol(Tensor.scalar(DType.FLOAT64, bound));
    }

    /// The same with absolute bounds, one for each matrix.
    public Tolerances atol(Tensor bounds) {
      return new Tolerances(bounds, rtol, hermitian);
    }

    /// The same with another relative bound.
    public Tolerances rtol(double bound) {
      return rtol(Tensor.scalar(DType.FLOAT64, bound));
    }

    /// The same with relative bounds, one for each matrix.
    public Tolerances rtol(Tensor bounds) {
      return new Tolerances(atol, bounds, hermitian);
    }

    /// The same, saying whether the matrices equal their conjugate transposes.
    public Tolerances hermitian(boolean symmetric) {
      return new Tolerances(atol, rtol, symmetric);
    }

    Tensor absolute(Tensor a) {
      return atol != null ? atol : Tensor.scalar(DType.FLOAT64, 0);
    }

    Tensor relative(Tensor a) {
      if (rtol != null) {
        return rtol;
      }
      double bound = LinearSystems.epsilon(a.dtype()) * Math.max(a.size(-2), a.size(-1));
      Tensor usual = Tensor.scalar(DType.FLOAT64, bound);
      return atol == null ? usual : usual.where(atol.le(0), 0);
    }
  }

  /// The Cholesky factors and codes.
  ///
  /// @param l the factors
  /// @param info 0 where there is one
  public record CholeskyEx(Tensor l, Tensor info) {}

  /// A QR factorization.
  ///
  /// @param q the factor with orthonormal columns
  /// @param r the upper triangular factor
  public record Qr(Tensor q, Tensor r) {}

  /// An LU factorization.
  ///
  /// @param p the permutation
  /// @param l the lower triangular factor, with ones on its diagonal
  /// @param u the upper triangular factor
  public record Lu(Tensor p, Tensor l, Tensor u) {}

  /// An LU factorization in one matrix.
  ///
  /// @param lu L below the diagonal, and U
  /// @param pivots the row exchanges, counted from 1
  public record LuFactor(Tensor lu, Tensor pivots) {}

  /// An LU factorization in one matrix, with codes.
  ///
  /// @param lu L below the diagonal, and U
  /// @param pivots the row exchanges, counted from 1
  /// @param info 0 where U has no zero on its diagonal
  public record LuFactorEx(Tensor lu, Tensor pivots, Tensor info) {}

  /// An LDL factorization in one matrix.
  ///
  /// @param ld L below the diagonal, and the blocks of D
  /// @param pivots the row exchanges, counted from 1
  public record LdlFactor(Tensor ld, Tensor pivots) {}

  /// An LDL factorization in one matrix, with codes.
  ///
  /// @param ld L below the diagonal, and the blocks of D
  /// @param pivots the row exchanges, counted from 1
  /// @param info 0 where D is invertible
  public record LdlFactorEx(Tensor ld, Tensor pivots, Tensor info) {}

  /// Eigenvalues and eigenvectors of Hermitian matrices.
  ///
  /// @param eigenvalues in ascending order
  /// @param eigenvectors as columns
  public record Eigh(Tensor eigenvalues, Tensor eigenvectors) {}

  /// Eigenvalues and eigenvectors of any square matrices.
  ///
  /// @param eigenvalues in no particular order
  /// @param eigenvectors as columns of length 1
  public record Eig(Tensor eigenvalues, Tensor eigenvectors) {}

  /// Singular values and vectors: `A = U diag(S) Vᴴ`.
  ///
  /// @param u the left vectors, as columns
  /// @param s the values, in descending order
  /// @param vh the right vectors, conjugated, as rows
  public record Svd(Tensor u, Tensor s, Tensor vh) {}

  /// Solutions and codes.
  ///
  /// @param result the solutions
  /// @param info 0 where the matrix is invertible
  public record SolveEx(Tensor result, Tensor info) {}

  /// Inverses and codes.
  ///
  /// @param inverse the inverses
  /// @param info 0 where the matrix is invertible
  public record InvEx(Tensor inverse, Tensor info) {}

  /// Determinants in two parts.
  ///
  /// @param sign the sign, or for complex matrices the phase
  /// @param logabsdet the logarithm of the absolute value
  public record Slogdet(Tensor sign, Tensor logabsdet) {}
}
