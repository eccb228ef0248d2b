package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/// What [Linalg] and [Decompositions] make of factorizations: solutions, inverses, determinants, powers.
final class LinearSystems {
  private LinearSystems() {}

  // Checks

  /// Checks that the last two dimensions of `a` are equal.
  static void requireSquare(String op, Tensor a) {
    requireMatrix(op, a);
    if (a.size(-1) != a.size(-2)) {
      throw new ShapeException(
          "%s: matrices must be square, but self has shape %s.".formatted(op, a.shape()));
    }
  }

  /// Checks that `a` has at least two dimensions.
  static void requireMatrix(String op, Tensor a) {
    if (a.dim() < 2) {
      throw new ShapeException(
          "%s: there must be at least 2 dimensions, but self has shape %s."
              .formatted(op, a.shape()));
    }
  }

  static void requireFinite(String op, @Nullable Tensor[] in) {
    Tensor a = in[0];
    assert a != null;
    if (a.numel() > 0 && !a.detach().isfinite().all().itemBoolean()) {
      throw new ArgumentException(
          op
              + ": all elements must be finite, but self has infinities or NaNs. Look for where"
              + " they come from with Autograd.anomalyDetection().");
    }
  }

  /// Checks that all of `info` is 0.
  ///
  /// @param what says what is wrong, given the code
  static void requireSuccess(String op, Tensor info, String must, IntFunction<String> what) {
    if (info.numel() == 0 || !info.ne(0).any().itemBoolean()) {
      return;
    }
    long[] codes = info.toLongArray();
    int first = 0;
    while (codes[first] == 0) {
      first++;
    }
    throw new LinearAlgebraException(
        "%s: %s, but %s %s."
            .formatted(op, must, place(info.sizes(), first), what.apply((int) codes[first])));
  }

  private static String place(long[] sizes, int index) {
    if (sizes.length == 0) {
      return "the matrix";
    }
    long[] at = new long[sizes.length];
    long rest = index;
    for (int d = sizes.length - 1; d >= 0; d--) {
      at[d] = rest % sizes[d];
      rest /= sizes[d];
    }
    return "that at " + Arrays.toString(at);
  }

  static void requireRegular(String op, Tensor info) {
    requireSuccess(
        op,
        info,
        "matrices must be invertible",
        code -> "is singular (diagonal element %d of U is 0)".formatted(code));
  }

  // Stacks

  /// The sizes to which the leading dimensions of two stacks of matrices broadcast.
  static long[] lead(String op, Tensor a, Tensor b) {
    return Signature.parse(op, "self[*b n m], other[*b k l] -> [*b]")
        .apply(Arrays.asList(a.sizesInternal(), b.sizesInternal()))
        .getFirst();
  }

  /// The stack `x` of matrices with the leading dimensions `lead`.
  static Tensor expanded(Tensor x, long[] lead) {
    return expanded(x, lead, 2);
  }

  /// The stack `x` with the leading dimensions `lead`, of which the last `kept` dimensions stay.
  static Tensor expanded(Tensor x, long[] lead, int kept) {
    long[] own = x.sizes();
    long[] sizes = Arrays.copyOf(lead, lead.length + kept);
    System.arraycopy(own, own.length - kept, sizes, lead.length, kept);
    return Arrays.equals(own, sizes) ? x : x.expand(sizes);
  }

  // Systems

  /// Whether `b` is taken as vectors, one for each matrix of `a`.
  static boolean isVector(Tensor a, Tensor b) {
    return b.dim() == 1
        || a.dim() - 1 == b.dim()
            && Arrays.equals(Arrays.copyOf(a.sizes(), a.dim() - 1), b.sizes());
  }

  static Linalg.SolveEx solve(String op, Tensor a, Tensor b, boolean left, boolean check) {
    requireSquare(op, a);
    if (b.dim() == 0) {
      throw new ShapeException(
          op + ": the right side must have at least 1 dimension, but has shape [].");
    }
    boolean vector = left && isVector(a, b);
    Tensor right = vector ? b.unsqueeze(-1) : b;
    if (right.dim() < 2 || right.size(left ? -2 : -1) != a.size(-1)) {
      throw new ShapeException(
          "%s: the matrices must have as many %s as the right side has %s, but self has shape %s and the right side %s."
              .formatted(
                  op, left ? "rows" : "columns", left ? "rows" : "columns", a.shape(), b.shape()));
    }
    Linalg.LuFactorEx lu = Linalg.luFactorEx(a);
    if (check) {
      requireRegular(op, lu.info());
    }
    Tensor x = luSolve(lu.lu(), lu.pivots(), right, left, false);
    return new Linalg.SolveEx(vector ? x.squeeze(-1) : x, lu.info());
  }

  static Tensor luSolve(Tensor lu, Tensor pivots, Tensor b, boolean left, boolean adjoint) {
    requireSquare("luSolve", lu);
    if (!left) {
      return luSolve(lu, pivots, b.mH(), true, !adjoint).mH();
    }
    long[] lead = lead("luSolve", lu, b);
    Tensor factors = expanded(lu, lead);
    Tensor exchanges = expanded(pivots, lead, 1);
    Tensor right = expanded(b, lead);
    if (adjoint) {
      Tensor first = Linalg.solveTriangular(factors.mH(), right, false, true, false);
      Tensor second = Linalg.solveTriangular(factors.mH(), first, true, true, true);
      return rows(second, exchanges, true);
    }
    Tensor first =
        Linalg.solveTriangular(factors, rows(right, exchanges, false), false, true, true);
    return Linalg.solveTriangular(factors, first, true, true, false);
  }

  /// Refuses exchanges with rows that are not there. Where `pairs` are allowed, two equal negative pivots in a row mean a
  /// block of 2 x 2.
  static void requirePivots(String op, Tensor factors, Tensor pivots, boolean pairs) {
    long rows = factors.size(-2);
    long count = Math.min(rows, factors.size(-1));
    if (pivots.dtype() != DType.INT32) {
      throw new DTypeException(
          "%s: pivots must be int32, but are %s. Convert them with .to(DType.INT32)."
              .formatted(op, pivots.dtype()));
    }
    if (pivots.dim() < 1 || pivots.size(-1) != count) {
      throw new ShapeException(
          "%s: there must be %d pivots for each matrix of shape %s, but pivots have shape %s."
              .formatted(op, count, factors.shape(), pivots.shape()));
    }
    checkPivots(op, pivots, rows, pairs);
  }

  /// Checks the numbers of rows that are exchanged.
  ///
  /// @param given how many rows there are; -1 for as many as pivots
  static void checkPivots(String op, @Nullable Tensor pivots, long given, boolean pairs) {
    if (pivots == null || pivots.numel() == 0) {
      return;
    }
    long count = pivots.dim() == 0 ? 1 : pivots.size(-1);
    long rows = given < 0 ? count : given;
    long[] values = pivots.toLongArray();
    for (int i = 0; i < values.length; i++) {
      long pivot = values[i];
      boolean pair = pairs && pivot < 0 && (i + 1) % count != 0 && values[i + 1] == pivot;
      long row = pair ? -pivot : pivot;
      if (row < 1 || row > rows) {
        throw new ArgumentException(
            "%s: pivots must be in 1..%d%s, but one is %d."
                .formatted(op, rows, pairs ? ", or negative in equal pairs" : "", pivot));
      }
      i += pair ? 1 : 0;
    }
  }

  /// The rows of `x` exchanged as `pivots` say, or back if `inverse`.
  static Tensor rows(Tensor x, Tensor pivots, boolean inverse) {
    Tensor order =
        Decompositions.Operators.PERMUTATION.on(
            new Decompositions.Permutation(x.size(-2), inverse), pivots);
    return x.gather(x.dim() - 2, order.unsqueeze(-1).expand(x.sizes()));
  }

  static Tensor solveTriangular(
      Tensor a, Tensor b, boolean upper, boolean left, boolean unitriangular) {
    requireSquare("solveTriangular", a);
    requireMatrix("solveTriangular", b);
    if (!left) {
      return solveTriangular(a.mT(), b.mT(), !upper, true, unitriangular).mT();
    }
    long[] lead = lead("solveTriangular", a, b);
    return Decompositions.Operators.SOLVE_TRIANGULAR.on(
        new Decompositions.TriangularSystem(upper, unitriangular),
        expanded(a, lead),
        expanded(b, lead));
  }

  /// The identity matrices that have the sizes of the square matrices `a`.
  static Tensor eyeLike(Tensor a) {
    return Tensor.eye(a.dtype(), a.size(-1), a.size(-1)).expand(a.sizes());
  }

  // Cholesky

  static Linalg.CholeskyEx cholesky(Tensor a, boolean upper) {
    requireSquare("cholesky", a);
    Tensor[] out = Decompositions.Operators.CHOLESKY.all(new Decompositions.Triangle(upper), a);
    return new Linalg.CholeskyEx(out[0], out[1]);
  }

  static void requirePositive(Tensor info) {
    requireSuccess(
        "cholesky",
        info,
        "matrices must be positive-definite",
        code -> "is not (its leading minor of order %d is not positive)".formatted(code));
  }

  static Tensor checkedCholeskySolve(Tensor b, Tensor factor, boolean upper) {
    requireMatrix("choleskySolve", b);
    requireSquare("choleskySolve", factor);
    long[] lead = lead("choleskySolve", b, factor);
    return Decompositions.Operators.CHOLESKY_SOLVE.on(
        new Decompositions.Triangle(upper), expanded(b, lead), expanded(factor, lead));
  }

  static Tensor choleskySolve(Tensor b, Tensor factor, boolean upper) {
    Tensor lower = upper ? factor.mH() : factor;
    Tensor first = solveTriangular(lower, b, false, true, false);
    return solveTriangular(lower.mH(), first, true, true, false);
  }

  static Tensor choleskyInverse(Tensor factor, boolean upper) {
    return choleskySolve(eyeLike(factor), factor, upper);
  }

  // Determinants and powers

  /// 1 or -1, by the number of row exchanges, in the type of `like`.
  private static Tensor parity(Tensor pivots, Tensor like) {
    Tensor own = Tensor.arange(1, pivots.size(-1) + 1).to(DType.INT32);
    Tensor count = pivots.ne(own).sum(-1);
    return count.remainder(2).mul(-2).add(1).to(like.dtype());
  }

  /// The products along the last dimension, by halves.
  private static Tensor product(Tensor x) {
    if (!x.isComplex() || x.size(-1) == 0) {
      return x.isComplex() ? x.sum(-1).add(1) : x.prod(-1);
    }
    Tensor rest = x;
    for (long n = x.size(-1); n > 1; n = n - n / 2) {
      Tensor pairs = rest.narrow(-1, 0, n / 2).mul(rest.narrow(-1, n - n / 2, n / 2));
      rest = n % 2 == 0 ? pairs : Tensor.cat(List.of(pairs, rest.narrow(-1, n / 2, 1)), -1);
    }
    return rest.squeeze(-1);
  }

  static Tensor determinant(Tensor a) {
    requireSquare("det", a);
    Linalg.LuFactorEx lu = Linalg.luFactorEx(a);
    return product(lu.lu().diagonal(0, -2, -1)).mul(parity(lu.pivots(), a));
  }

  static Linalg.Slogdet slogdet(Tensor a) {
    requireSquare("slogdet", a);
    Linalg.LuFactorEx lu = Linalg.luFactorEx(a);
    Tensor diagonal = lu.lu().diagonal(0, -2, -1);
    Tensor sign = product(diagonal.sgn()).mul(parity(lu.pivots(), a));
    return new Linalg.Slogdet(sign, diagonal.abs().log().sum(-1));
  }

  static Tensor logdet(Tensor a) {
    requireSquare("logdet", a);
    Linalg.Slogdet parts = slogdet(a);
    return a.isComplex()
        ? parts.sign().log().add(parts.logabsdet())
        : parts.logabsdet().maskedFill(parts.sign().eq(-1), Double.NaN);
  }

  static Tensor power(Tensor a, long n) {
    requireSquare("matrixPower", a);
    if (n == 0) {
      return a.maskedFill(Tensor.scalar(true), 0).add(eyeLike(a));
    }
    if (n == Long.MIN_VALUE) {
      throw new ArgumentException("matrixPower: n must be above -2^63, but is " + n + ".");
    }
    Tensor square = n < 0 ? Linalg.inv(a) : a;
    Tensor result = null;
    for (long rest = Math.abs(n); rest > 0; rest /= 2) {
      if (rest % 2 == 1) {
        result = result == null ? square : result.matmul(square);
      }
      if (rest > 1) {
        square = square.matmul(square);
      }
    }
    assert result != null;
    return result == a ? a.clone() : result;
  }

  // Singular values

  static Decompositions.Svd svd(Tensor a, boolean some, boolean computeUv) {
    requireMatrix("svd", a);
    if (!computeUv) {
      long[] sizes = a.sizes();
      sizes[sizes.length - 1] = a.size(-2);
      Tensor u = Tensor.zeros(a.dtype(), sizes);
      sizes[sizes.length - 1] = a.size(-1);
      sizes[sizes.length - 2] = a.size(-1);
      return new Decompositions.Svd(u, Linalg.svdvals(a), Tensor.zeros(a.dtype(), sizes));
    }
    Linalg.Svd out = Linalg.svd(a, !some);
    return new Decompositions.Svd(out.u(), out.s(), out.vh().mH());
  }

  /// The distance from 1 to the next larger number of the type.
  static double epsilon(DType type) {
    return type.toReal() == DType.FLOAT64 ? 0x1p-52 : 0x1p-23;
  }

  /// What counts as zero beside the largest of `values`, which are not negative.
  static Tensor threshold(Tensor values, Tensor atol, Tensor rtol) {
    Tensor largest = values.amax(-1, false);
    return atol.maximum(rtol.mul(largest)).to(values.dtype());
  }

  static Tensor pseudoInverse(Tensor a, Tensor atol, Tensor rtol) {
    long m = a.size(-2);
    long n = a.size(-1);
    if (a.numel() == 0) {
      long[] sizes = a.sizes();
      sizes[sizes.length - 2] = n;
      sizes[sizes.length - 1] = m;
      return Tensor.zeros(a.dtype(), sizes);
    }
    Linalg.Svd svd = Linalg.svd(a, false);
    Tensor bound = threshold(svd.s(), atol, rtol).unsqueeze(-1);
    Tensor inverse = svd.s().reciprocal().maskedFill(svd.s().le(bound), 0);
    return svd.vh().mH().mul(inverse.unsqueeze(-2)).matmul(svd.u().mH());
  }

  static Tensor pseudoInverseHermitian(Tensor a, Tensor atol, Tensor rtol) {
    requireSquare("pinv", a);
    if (a.numel() == 0) {
      return Tensor.zerosLike(a);
    }
    Linalg.Eigh eigh = Linalg.eigh(a);
    Tensor values = eigh.eigenvalues();
    Tensor size = values.abs();
    Tensor bound = threshold(size.detach(), atol, rtol).unsqueeze(-1);
    Tensor inverse = values.reciprocal().maskedFill(size.detach().le(bound), 0);
    Tensor vectors = eigh.eigenvectors();
    return vectors.mul(inverse.unsqueeze(-2)).matmul(vectors.mH());
  }
}
