package taper.tensor;

import static taper.tensor.Operator.None.NONE;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceDecompositions;

/// Matrix decompositions, and what rests on them: solutions, inverses, determinants.
///
/// What PyTorch has in `torch.linalg` stands in [Linalg]; here are the methods of tensors, most of which are the older
/// names of the same.
public sealed interface Decompositions permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns the lower triangular L of positive-definite matrices, which are `L Lᴴ`: [Linalg#cholesky(Tensor)].
  default Tensor cholesky() {
    return Linalg.cholesky(self());
  }

  /// Returns the Cholesky factors of positive-definite matrices.
  ///
  /// @param upper whether to return `Lᴴ`, from the upper triangles, instead of L
  /// @throws LinearAlgebraException if a matrix is not positive-definite
  default Tensor cholesky(boolean upper) {
    return Linalg.cholesky(self(), upper);
  }

  /// Returns the inverses of the matrices whose Cholesky factors these are.
  ///
  /// @param upper whether they are upper triangular
  default Tensor choleskyInverse(boolean upper) {
    LinearSystems.requireSquare("choleskyInverse", self());
    return Operators.CHOLESKY_INVERSE.on(new Triangle(upper), self());
  }

  /// Returns the inverses of the matrices whose lower Cholesky factors these are.
  default Tensor choleskyInverse() {
    return choleskyInverse(false);
  }

  /// Returns the solutions X of `A X = self`, where `factor` is the Cholesky factor of A.
  ///
  /// - Shape: `[*b n k], [*b n n] -> [*b n k]`
  ///
  /// @param upper whether the factor is upper triangular
  default Tensor choleskySolve(Tensor factor, boolean upper) {
    return LinearSystems.checkedCholeskySolve(self(), factor, upper);
  }

  /// Returns the solutions X of `A X = self`, where `factor` is the lower Cholesky factor of A.
  default Tensor choleskySolve(Tensor factor) {
    return choleskySolve(factor, false);
  }

  /// Returns factors Q, with orthonormal columns, and R, upper triangular: [Linalg#qr(Tensor)].
  default Linalg.Qr qr() {
    return Linalg.qr(self());
  }

  /// Returns factors Q, with orthonormal columns, and R, upper triangular.
  ///
  /// @param some whether Q has as many columns as the smaller dimension, instead of being square
  default Linalg.Qr qr(boolean some) {
    return Linalg.qr(self(), some ? "reduced" : "complete");
  }

  /// Returns the singular values and vectors. Unlike [Linalg#svd(Tensor)] it returns V, not its conjugate transpose.
  default Svd svd() {
    return svd(true, true);
  }

  /// Returns the singular values and vectors.
  ///
  /// @param some whether there are as many vectors as the smaller dimension, instead of all
  /// @param computeUv whether vectors are computed; zeros are returned if not
  default Svd svd(boolean some, boolean computeUv) {
    return LinearSystems.svd(self(), some, computeUv);
  }

  /// Returns the factors L and U in one matrix, with the row exchanges: [Linalg#luFactor(Tensor)].
  default Linalg.LuFactor lu() {
    return Linalg.luFactor(self());
  }

  /// Returns the solutions X of `A X = self`, where `lu` and `pivots` are from [#lu()] of A.
  default Tensor luSolve(Tensor lu, Tensor pivots) {
    return Linalg.luSolve(lu, pivots, self());
  }

  /// Returns the reflectors and R of a QR factorization, as LAPACK keeps them; see [Linalg#householderProduct].
  default Geqrf geqrf() {
    Tensor[] out = Operators.GEQRF.all(NONE, self());
    return new Geqrf(out[0], out[1]);
  }

  /// Returns the product of reflectors: [Linalg#householderProduct].
  default Tensor orgqr(Tensor tau) {
    return Linalg.householderProduct(self(), tau);
  }

  /// Returns `Q other`, where Q is the square unitary matrix that these reflectors make.
  default Tensor ormqr(Tensor tau, Tensor other) {
    return ormqr(tau, other, true, false);
  }

  /// Returns the product of `other` with the square unitary matrix Q that these reflectors make.
  ///
  /// @param left whether Q stands on the left
  /// @param transpose whether to use `Qᴴ` instead
  default Tensor ormqr(Tensor tau, Tensor other, boolean left, boolean transpose) {
    return Reflectors.apply(self(), tau, other, left, transpose);
  }

  /// Returns the eigenvalues of symmetric or Hermitian matrices, and their vectors: [Linalg#eigh(Tensor)].
  ///
  /// @param eigenvectors whether vectors are computed; an empty tensor is returned if not
  /// @param upper whether the upper triangles are read
  default Linalg.Eigh symeig(boolean eigenvectors, boolean upper) {
    String triangle = upper ? "U" : "L";
    return eigenvectors
        ? Linalg.eigh(self(), triangle)
        : new Linalg.Eigh(Linalg.eigvalsh(self(), triangle), Tensor.empty(self().dtype(), 0));
  }

  /// Returns the solutions X of `A X = self`, where `a` holds triangular matrices, and a copy of `a`.
  ///
  /// @param upper whether they are upper triangular
  /// @param transpose whether to solve `Aᵀ X = self` instead
  /// @param unitriangular whether the diagonal is taken to be 1
  default TriangularSolution triangularSolve(
      Tensor a, boolean upper, boolean transpose, boolean unitriangular) {
    Tensor matrix = transpose ? a.mT() : a;
    return new TriangularSolution(
        Linalg.solveTriangular(matrix, self(), upper != transpose, true, unitriangular), a.clone());
  }

  /// Returns the solutions X of `A X = self`, where `a` holds upper triangular matrices, and a copy of `a`.
  default TriangularSolution triangularSolve(Tensor a) {
    return triangularSolve(a, true, false, false);
  }

  /// Returns the inverse matrices: [Linalg#inv(Tensor)].
  default Tensor inverse() {
    return Linalg.inv(self());
  }

  /// Returns the pseudo-inverse matrices: [Linalg#pinv(Tensor)].
  default Tensor pinverse() {
    return pinverse(1e-15);
  }

  /// Returns the pseudo-inverse matrices; singular values up to `rcond` times the largest count as zero.
  default Tensor pinverse(double rcond) {
    return Linalg.pinv(self(), o -> o.rtol(rcond));
  }

  /// Returns the determinants.
  default Tensor det() {
    return Linalg.det(self());
  }

  /// Returns the logarithms of the determinants; NaN where they are negative.
  default Tensor logdet() {
    return LinearSystems.logdet(self());
  }

  /// Returns signs and logarithms of the absolute values of the determinants: [Linalg#slogdet].
  default Linalg.Slogdet slogdet() {
    return Linalg.slogdet(self());
  }

  /// Returns the matrices multiplied with themselves `n - 1` times; for negative `n`, their inverses.
  ///
  /// @throws LinearAlgebraException if `n` is negative and a matrix is singular
  default Tensor matrixPower(long n) {
    return LinearSystems.power(self(), n);
  }

  /// Returns the exponentials of square matrices, the sums of `Aᵏ / k!`.
  ///
  /// - Shape: `[*b n n] -> [*b n n]`
  /// - Source: Higham 2005, The Scaling and Squaring Method for the Matrix Exponential Revisited
  default Tensor matrixExp() {
    LinearSystems.requireSquare("matrixExp", self());
    return Operators.MATRIX_EXP.on(NONE, self());
  }

  /// Returns the `q` largest singular values and their vectors, nearly, found from products with random vectors.
  ///
  /// - Source: Halko, Martinsson, Tropp 2009, Finding structure with randomness, arXiv:0909.4061
  ///
  /// @param q how many, at most
  /// @param niter how many times the error is reduced
  /// @param mean is taken off first; may be null
  default Svd svdLowrank(long q, int niter, @Nullable Tensor mean) {
    return LowRank.svd(self(), q, niter, mean);
  }

  /// Returns the 6 largest singular values and their vectors, nearly.
  default Svd svdLowrank() {
    return svdLowrank(6, 2, null);
  }

  /// Returns the principal components of the rows: their directions are the columns of V.
  ///
  /// @param q how many; -1 for 6 or as many as there are
  /// @param center whether the mean is taken off first
  /// @param niter how many times the error is reduced
  default Svd pcaLowrank(long q, boolean center, int niter) {
    return LowRank.pca(self(), q, center, niter);
  }

  /// Returns the principal components of the rows.
  default Svd pcaLowrank() {
    return pcaLowrank(-1, true, 2);
  }

  /// Singular values and vectors: `A = U diag(S) Vᴴ`.
  ///
  /// @param u the left vectors, as columns
  /// @param s the values, in descending order
  /// @param v the right vectors, as columns
  record Svd(Tensor u, Tensor s, Tensor v) {}

  /// A QR factorization as LAPACK keeps it.
  ///
  /// @param a R in the upper triangle, the reflectors below it
  /// @param tau the factors of the reflectors
  record Geqrf(Tensor a, Tensor tau) {}

  /// The solution of a triangular system.
  ///
  /// @param solution the solution
  /// @param clonedCoefficient a copy of the matrices
  record TriangularSolution(Tensor solution, Tensor clonedCoefficient) {}

  /// Which triangle is meant.
  ///
  /// @param upper whether the upper one
  record Triangle(boolean upper) {}

  /// What triangular system to solve.
  ///
  /// @param upper whether the matrix is upper triangular
  /// @param unitriangular whether its diagonal is taken to be 1
  record TriangularSystem(boolean upper, boolean unitriangular) {}

  /// What to compute of a QR factorization.
  ///
  /// @param vectors whether Q is asked for
  /// @param complete whether Q is square
  record Orthogonal(boolean vectors, boolean complete) {}

  /// What eigenvalues to compute.
  ///
  /// @param vectors whether vectors are asked for
  /// @param upper whether the upper triangle is read
  record Eigen(boolean vectors, boolean upper) {}

  /// What singular values to compute.
  ///
  /// @param vectors whether vectors are asked for
  /// @param full whether all of them
  record Singular(boolean vectors, boolean full) {}

  /// Which symmetry a matrix has.
  ///
  /// @param hermitian whether it equals its conjugate transpose, instead of its transpose
  record Symmetry(boolean hermitian) {}

  /// How rows are exchanged.
  ///
  /// @param rows how many there are
  /// @param inverse whether to undo the exchanges
  record Permutation(long rows, boolean inverse) {}

  /// How to find a pseudo-inverse.
  ///
  /// @param hermitian whether the matrices equal their conjugate transposes, so that eigenvalues do
  record Inversion(boolean hermitian) {}

  /// The declarations behind the methods above.
  final class Operators {
    static final Family FAMILY = new Family("decompositions");

    private static final DTypes INFO =
        DTypes.SAME_FLOATING.complex().results(DTypes.Result.COMPUTED, DTypes.Result.INT32);
    private static final DTypes PIVOTS =
        DTypes.SAME_FLOATING
            .complex()
            .results(DTypes.Result.COMPUTED, DTypes.Result.INT32, DTypes.Result.INT32);
    private static final DTypes NUMBERS = DTypes.SAME_FLOATING.complex();

    static final Operator<Triangle> CHOLESKY =
        FAMILY
            .<Triangle>structured(
                "cholesky", "self[*b n n] -> [*b n n], [*b]", ReferenceDecompositions.CHOLESKY)
            .dtypes(INFO)
            .gradient("self", Keeps.OUTPUT, DecompositionGradients::cholesky)
            .gradientName("LinalgCholeskyExBackward0")
            .torch(
                "aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool"
                    + " check_errors=False) -> (Tensor L, Tensor info)")
            .sample(new Triangle(false), "f32[3 3] definite")
            .sample(new Triangle(false), "f32[2 5 5] definite")
            .sample(new Triangle(false), "c64[3 3] definite")
            .sample(new Triangle(true), "f32[3 3] definite")
            .sample(new Triangle(true), "c64[3 3] definite")
            .sample(new Triangle(false), "f32[1 1] in 1..2")
            .sample(new Triangle(false), "f32[0 0]")
            .sample(new Triangle(false), "f32[0 3 3]")
            .declare();

    static final Operator<Operator.None> LU =
        FAMILY
            .<Operator.None>structured(
                "luFactor", "self[*b m n] -> [*b m n], [*b k], [*b]", ReferenceDecompositions.LU)
            .sizes((a, in) -> Map.of("k", smaller(in.get(0))))
            .dtypes(PIVOTS)
            .gradient("self", Keeps.OUTPUT.andOutputs(0, 1), DecompositionGradients::lu)
            .gradientName("LinalgLuFactorExBackward0")
            .torch(
                "aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False)"
                    + " -> (Tensor LU, Tensor pivots, Tensor info)")
            .sample(NONE, "f32[3 3] regular")
            .sample(NONE, "f32[2 4 3] regular")
            .sample(NONE, "c64[3 3] regular")
            .sample(NONE, "f32[2 3 5] regular")
            .sample(NONE, "f32[0 0]")
            .sample(NONE, "f32[2 0 3]")
            .declare();

    static final Operator<Permutation> PERMUTATION =
        FAMILY
            .<Permutation>structured(
                "rowsExchanged", "pivots[*b k] -> [*b m]", ReferenceDecompositions.PERMUTATION)
            .sizes((a, in) -> Map.of("m", a.rows()))
            .check((a, in) -> LinearSystems.checkPivots("rowsExchanged", in[0], a.rows(), false))
            .dtypes(DTypes.ANY.results(DTypes.Result.INT64))
            .notDifferentiable()
            .own()
            .sample(new Permutation(5, false), "i32[2 3] in 3..4")
            .sample(new Permutation(5, true), "i32[3] in 3..5")
            .declare();

    static final Operator<TriangularSystem> SOLVE_TRIANGULAR =
        FAMILY
            .<TriangularSystem>structured(
                "solveTriangular",
                "a[*b n n], b[*b n k] -> [*b n k]",
                ReferenceDecompositions.SOLVE_TRIANGULAR)
            .dtypes(NUMBERS)
            .gradient(
                "a", Keeps.inputs("a").andOutputs(0), DecompositionGradients::triangularMatrix)
            .gradient("b", Keeps.inputs("a"), DecompositionGradients::triangularRight)
            .gradientName("LinalgSolveTriangularBackward0")
            .torch(
                "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool"
                    + " left=True, bool unitriangular=False) -> Tensor")
            .sample(new TriangularSystem(true, false), "f32[3 3] regular, f32[3 2]")
            .sample(new TriangularSystem(false, false), "f32[2 4 4] regular, f32[2 4 3]")
            .sample(new TriangularSystem(false, true), "f32[4 4], f32[4 1]")
            .sample(new TriangularSystem(false, false), "c64[3 3] regular, c64[3 2]")
            .sample(new TriangularSystem(true, true), "f32[4 4], f32[4 1]")
            .sample(new TriangularSystem(true, true), "f32[0 0], f32[0 2]")
            .sample(new TriangularSystem(true, false), "f32[3 3] regular, f32[3 0]")
            .declare();

    static final Operator<Orthogonal> QR =
        FAMILY
            .<Orthogonal>structured(
                "qr", "self[*b m n] -> [*b m k], [*b k n]", ReferenceDecompositions.QR)
            .shape(Operators::qrShapes)
            .dtypes(NUMBERS)
            .gradient("self", Keeps.OUTPUT.andOutputs(0, 1), DecompositionGradients::qr)
            .gradientName("LinalgQrBackward0")
            .torch("aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)")
            .sample(new Orthogonal(true, false), "f32[4 3] regular")
            .sample(new Orthogonal(true, false), "f32[2 3 3] regular")
            .sample(new Orthogonal(true, false), "f32[3 5] regular")
            .sample(new Orthogonal(true, false), "c64[4 3] regular")
            .sample(new Orthogonal(true, false), "c64[3 4] regular")
            .sample(new Orthogonal(true, true), "f32[3 5] regular")
            .sample(new Orthogonal(true, false), "f32[0 3]")
            .sample(new Orthogonal(true, false), "f32[2 3 0]")
            .declare();

    static final Operator<Operator.None> GEQRF =
        FAMILY
            .<Operator.None>structured(
                "geqrf", "self[*b m n] -> [*b m n], [*b k]", ReferenceDecompositions.GEQRF)
            .sizes((a, in) -> Map.of("k", smaller(in.get(0))))
            .dtypes(NUMBERS)
            .notDifferentiable()
            .torch("aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)")
            .sample(NONE, "f32[4 3] regular")
            .sample(NONE, "f32[2 3 5] regular")
            .sample(NONE, "f32[0 3]")
            .declare();

    static final Operator<Eigen> EIGH =
        FAMILY
            .<Eigen>structured(
                "eigh", "self[*b n n] -> [*b n], [*b n n]", ReferenceDecompositions.EIGH)
            .shape((a, in) -> eigenShapes(Operators.EIGH, a, in))
            .dtypes(NUMBERS.results(DTypes.Result.REAL, DTypes.Result.COMPUTED))
            .check((a, in) -> LinearSystems.requireFinite("eigh", in))
            .gradient("self", Keeps.OUTPUT.andOutputs(0, 1), DecompositionGradients::eigh)
            .ambiguous(1)
            .gradientName("LinalgEighBackward0")
            .torch(
                "aten::linalg_eigh(Tensor self, str UPLO=\"L\") -> (Tensor eigenvalues, Tensor"
                    + " eigenvectors)")
            .sample(new Eigen(true, false), "f32[4 4] symmetric")
            .sample(new Eigen(true, true), "f32[2 3 3] symmetric")
            .sample(new Eigen(true, false), "c64[3 3] symmetric")
            .sample(new Eigen(true, false), "f32[0 0]")
            .declare();

    static final Operator<Eigen> EIG =
        FAMILY
            .<Eigen>structured(
                "eig", "self[*b n n] -> [*b n], [*b n n]", ReferenceDecompositions.EIG)
            .shape((a, in) -> eigenShapes(Operators.EIG, a, in))
            .dtypes(NUMBERS.results(DTypes.Result.COMPLEX, DTypes.Result.COMPLEX))
            .check((a, in) -> LinearSystems.requireFinite("eig", in))
            .gradient("self", Keeps.OUTPUT.andOutputs(0, 1), DecompositionGradients::eig)
            .ambiguous(1)
            .gradientName("LinalgEigBackward0")
            .torch("aten::linalg_eig(Tensor self) -> (Tensor eigenvalues, Tensor eigenvectors)")
            .sample(new Eigen(true, false), "f32[4 4]")
            .sample(new Eigen(true, false), "c64[2 3 3]")
            .declare();

    static final Operator<Singular> SVD =
        FAMILY
            .<Singular>structured(
                "svd", "self[*b m n] -> [*b m k], [*b k], [*b k n]", ReferenceDecompositions.SVD)
            .shape(Operators::svdShapes)
            .dtypes(
                NUMBERS.results(DTypes.Result.COMPUTED, DTypes.Result.REAL, DTypes.Result.COMPUTED))
            .check((a, in) -> LinearSystems.requireFinite("svd", in))
            .gradient("self", Keeps.OUTPUT.andOutputs(0, 1, 2), DecompositionGradients::svd)
            .ambiguous(0, 2)
            .gradientName("LinalgSvdBackward0")
            .torch(
                "aten::linalg_svd(Tensor A, bool full_matrices=True, *, str? driver=None) ->"
                    + " (Tensor U, Tensor S, Tensor Vh)")
            .sample(new Singular(true, false), "f32[3 3]")
            .sample(new Singular(true, false), "f32[2 4 3]")
            .sample(new Singular(true, false), "f32[3 5]")
            .sample(new Singular(true, false), "c64[3 3]")
            .sample(new Singular(true, false), "f32[0 3]")
            .declare();

    static final Operator<Symmetry> LDL =
        FAMILY
            .<Symmetry>structured(
                "ldlFactor", "self[*b n n] -> [*b n n], [*b n], [*b]", ReferenceDecompositions.LDL)
            .dtypes(PIVOTS)
            .notDifferentiable()
            .torch(
                "aten::linalg_ldl_factor_ex(Tensor self, *, bool hermitian=False, bool"
                    + " check_errors=False) -> (Tensor LD, Tensor pivots, Tensor info)")
            .sample(new Symmetry(false), "f32[5 5] symmetric")
            .sample(new Symmetry(true), "f32[2 4 4] symmetric")
            .sample(new Symmetry(false), "f32[0 0]")
            .declare();

    static final Operator<Symmetry> LDL_SOLVE =
        FAMILY
            .<Symmetry>structured(
                "ldlSolve",
                "ld[*b n n], pivots[*b n], b[*b n k] -> [*b n k]",
                ReferenceDecompositions.LDL_SOLVE)
            .dtypes(NUMBERS.fixed("pivots", DType.INT32))
            .check((a, in) -> LinearSystems.checkPivots("ldlSolve", in[1], -1, true))
            .notDifferentiable()
            .torch(
                "aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool"
                    + " hermitian=False) -> Tensor")
            .sample(new Symmetry(false), "f32[3 3] regular, i32[3] in 3..4, f32[3 2]")
            .declare();

    static final Operator<Operator.None> DET =
        FAMILY
            .<Operator.None>composite(
                "det", "self[*b n n] -> [*b]", (a, in) -> LinearSystems.determinant(in.get("self")))
            .dtypes(NUMBERS)
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> DecompositionGradients.determinant(b.grad(), b.input("self"), b.output()))
            .gradientName("LinalgDetBackward0")
            .torch("aten::linalg_det(Tensor A) -> Tensor")
            .sample(NONE, "f32[3 3] regular")
            .sample(NONE, "f32[2 4 4] regular")
            .sample(NONE, "c64[3 3] regular")
            .sample(NONE, "f32[0 0]")
            .declare();

    static final Operator<Inversion> PINV =
        FAMILY
            .<Inversion>composite(
                "pinv",
                "self[*b m n], atol[*], rtol[*] -> [*b n m]",
                (a, in) ->
                    a.hermitian()
                        ? LinearSystems.pseudoInverseHermitian(
                            in.get("self"), in.get("atol"), in.get("rtol"))
                        : LinearSystems.pseudoInverse(
                            in.get("self"), in.get("atol"), in.get("rtol")))
            .dtypes(DTypes.PROMOTE.complex())
            .constant("atol", "rtol")
            .gradient(
                "self",
                Keeps.inputs("self").andOutputs(0),
                b -> DecompositionGradients.pseudoInverse(b.grad(), b.input("self"), b.output()))
            .gradientName("LinalgPinvBackward0")
            .torch(
                "aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor?"
                    + " rtol=None, bool hermitian=False) -> Tensor")
            .sample(new Inversion(false), "f32[3 3] regular, f32[] in 0..0, f32[] in 0..0")
            .sample(new Inversion(false), "f32[2 4 3] regular, f32[] in 0..0, f32[] in 0..0")
            .sample(new Inversion(true), "f32[3 3] definite, f32[] in 0..0, f32[] in 0..0")
            .sample(new Inversion(false), "c64[3 4] regular, f32[] in 0..0, f32[] in 0..0")
            .sample(new Inversion(false), "f32[3 5] regular, f32[] in 0..0, f32[] in 0..0")
            .declare();

    static final Operator<Operator.None> MATRIX_EXP =
        FAMILY
            .<Operator.None>composite(
                "matrixExp",
                "self[*b n n] -> [*b n n]",
                (a, in) -> MatrixExponential.of(in.get("self")))
            .dtypes(NUMBERS)
            .gradient(
                "self",
                Keeps.inputs("self"),
                b -> DecompositionGradients.exponential(b.grad(), b.input("self")))
            .gradientName("LinalgMatrixExpBackward0")
            .torch("aten::linalg_matrix_exp(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 3]")
            .sample(NONE, "c64[3 3]")
            .sample(NONE, "f32[2 2 2] in -6..6")
            .sample(NONE, "f32[1 1]")
            .sample(NONE, "f32[0 0]")
            .declare();

    static final Operator<Triangle> CHOLESKY_SOLVE =
        FAMILY
            .<Triangle>composite(
                "choleskySolve",
                "self[*b n k], factor[*b n n] -> [*b n k]",
                (a, in) -> LinearSystems.choleskySolve(in.get("self"), in.get("factor"), a.upper()))
            .dtypes(NUMBERS)
            .gradient(
                "self",
                Keeps.inputs("factor"),
                b -> b.grad().choleskySolve(b.input("factor"), b.attributes().upper()))
            .gradient(
                "factor",
                Keeps.inputs("factor").andOutputs(0),
                DecompositionGradients::choleskyFactor)
            .torch("aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor")
            .sample(new Triangle(false), "f32[3 2], f32[3 3] lower")
            .sample(new Triangle(true), "f32[2 3 1], f32[2 3 3] upper")
            .sample(new Triangle(false), "c64[3 2], c64[3 3] lower")
            .declare();

    static final Operator<Triangle> CHOLESKY_INVERSE =
        FAMILY
            .<Triangle>composite(
                "choleskyInverse",
                "self[*b n n] -> [*b n n]",
                (a, in) -> LinearSystems.choleskyInverse(in.get("self"), a.upper()))
            .dtypes(NUMBERS)
            .gradient(
                "self", Keeps.inputs("self").andOutputs(0), DecompositionGradients::choleskyInverse)
            .torch("aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor")
            .sample(new Triangle(false), "f32[3 3] lower")
            .sample(new Triangle(true), "f32[2 3 3] upper")
            .sample(new Triangle(true), "c64[3 3] upper")
            .declare();

    private static long smaller(long @Nullable [] sizes) {
      assert sizes != null;
      return sizes.length < 2 ? 0 : Math.min(sizes[sizes.length - 2], sizes[sizes.length - 1]);
    }

    private static List<long[]> qrShapes(Orthogonal a, List<long @Nullable []> in) {
      long[] x = in.get(0);
      assert x != null;
      long m = x.length < 2 ? 0 : x[x.length - 2];
      long k = a.complete() ? m : smaller(x);
      List<long[]> shapes = QR.signature().apply(in, () -> Map.of("k", k));
      return a.vectors() ? shapes : List.of(new long[] {0}, shapes.get(1));
    }

    private static List<long[]> eigenShapes(
        Operator<Eigen> op, Eigen a, List<long @Nullable []> in) {
      List<long[]> shapes = op.signature().apply(in);
      return a.vectors() ? shapes : List.of(shapes.get(0), new long[] {0});
    }

    private static List<long[]> svdShapes(Singular a, List<long @Nullable []> in) {
      long[] x = in.get(0);
      assert x != null;
      long k = smaller(x);
      List<long[]> shapes = SVD.signature().apply(in, () -> Map.of("k", k));
      if (!a.vectors()) {
        return List.of(new long[] {0}, shapes.get(1), new long[] {0});
      }
      if (!a.full()) {
        return shapes;
      }
      long[] u = Arrays.copyOf(x, x.length);
      u[u.length - 1] = u[u.length - 2];
      long[] vh = Arrays.copyOf(x, x.length);
      vh[vh.length - 2] = vh[vh.length - 1];
      return List.of(u, shapes.get(1), vh);
    }

    private Operators() {}
  }
}
