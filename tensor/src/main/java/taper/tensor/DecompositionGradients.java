package taper.tensor;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.tensor.Decompositions.Eigen;
import taper.tensor.Decompositions.Orthogonal;
import taper.tensor.Decompositions.Singular;
import taper.tensor.Decompositions.Triangle;
import taper.tensor.Decompositions.TriangularSystem;

/// The gradients of matrix decompositions, as formulas over differentiable operators.
///
/// Written for complex matrices: the gradient by A is the one for which the loss changes by `Re tr(gᴴ dA)`. Vectors are
/// defined up to signs or phases only; a loss that depends on those has no gradient, and gets one that means nothing.
///
/// Sources: Giles 2008, Collected Matrix Derivative Results for Forward and Reverse Mode Algorithmic Differentiation; Roberts
/// and Roberts 2020, QR and LQ Decomposition Matrix Backpropagation Algorithms, arXiv:2009.10071; Murray 2016,
/// Differentiation of the Cholesky decomposition, arXiv:1602.07527; Golub, Pereyra 1973, for the pseudo-inverse.
final class DecompositionGradients {
  private DecompositionGradients() {}

  /// The matrix with `x` on its diagonal.
  static Tensor diagonalMatrix(Tensor x) {
    return x.unsqueeze(-1).mul(eye(x, x.size(-1)));
  }

  /// The identity, of the type of `like`.
  static Tensor eye(Tensor like, long n) {
    return Tensor.eye(like.dtype(), n, n);
  }

  static Tensor cholesky(Backward<Triangle> b) {
    boolean above = b.attributes().upper();
    Tensor lower = above ? b.output(0).mH() : b.output(0);
    Tensor grad = above ? b.grad(0).mH() : b.grad(0);
    Tensor upper = lower.mH();
    Tensor phi = upper.matmul(grad).tril();
    phi = phi.add(phi.tril(-1).mH()).mul(0.5);
    return Linalg.solveTriangular(
        lower, Linalg.solveTriangular(upper, phi, true), false, false, false);
  }

  /// By the factor of the solution; as PyTorch's, it is not cut to the triangle.
  static Tensor choleskyFactor(Backward<Triangle> b) {
    Tensor factor = b.input("factor");
    boolean upper = b.attributes().upper();
    Tensor half = b.grad().choleskySolve(factor, upper).matmul(b.output().mH());
    return throughFactor(factor, half.add(half.mH()), upper);
  }

  static Tensor choleskyInverse(Backward<Triangle> b) {
    Tensor inverse = b.output();
    Tensor both = b.grad().add(b.grad().mH());
    return throughFactor(
        b.input("self"), inverse.matmul(both).matmul(inverse), b.attributes().upper());
  }

  private static Tensor throughFactor(Tensor factor, Tensor common, boolean upper) {
    return (upper ? factor.matmul(common) : common.matmul(factor)).neg();
  }

  static Tensor triangularRight(Backward<TriangularSystem> b) {
    return transposedSolve(b, b.input("a"));
  }

  private static Tensor transposedSolve(Backward<TriangularSystem> b, Tensor a) {
    TriangularSystem how = b.attributes();
    return Decompositions.Operators.SOLVE_TRIANGULAR.on(
        new TriangularSystem(!how.upper(), how.unitriangular()), a.mH(), b.grad());
  }

  static Tensor triangularMatrix(Backward<TriangularSystem> b) {
    TriangularSystem how = b.attributes();
    Tensor whole = transposedSolve(b, b.input("a")).matmul(b.output().mH()).neg();
    int skip = how.unitriangular() ? 1 : 0;
    return how.upper() ? whole.triu(skip) : whole.tril(-skip);
  }

  static Tensor lu(Backward<Operator.None> b) {
    Tensor lu = b.output(0);
    Tensor grad = b.grad(0);
    long m = lu.size(-2);
    long n = lu.size(-1);
    long k = Math.min(m, n);
    Tensor square = lu.narrow(-2, 0, k).narrow(-1, 0, k);
    Tensor lower = square.tril(-1).add(eye(lu, k));
    Tensor upper = square.triu();
    Tensor head = grad.narrow(-2, 0, k).narrow(-1, 0, k);
    Tensor phiLower = lower.mH().matmul(head.tril(-1));
    Tensor phiUpper = head.triu().matmul(upper.mH());
    if (n > k) {
      Tensor rest = grad.narrow(-1, k, n - k).matmul(lu.narrow(-1, k, n - k).mH());
      phiLower = phiLower.sub(rest);
    } else if (m > k) {
      Tensor rest = lu.narrow(-2, k, m - k).mH().matmul(grad.narrow(-2, k, m - k));
      phiUpper = phiUpper.sub(rest);
    }
    Tensor phi = phiLower.tril(-1).add(phiUpper.triu());
    // phi U⁻ᴴ, then L⁻ᴴ from the left
    Tensor first = Linalg.solveTriangular(upper.mH(), phi, false, false, false);
    Tensor result = Linalg.solveTriangular(lower.mH(), first, true, true, true);
    if (n > k) {
      Tensor wide =
          Linalg.solveTriangular(
              lower.mH(), grad.narrow(-1, k, n - k).contiguous(), true, true, true);
      result = Tensor.cat(List.of(result, wide), -1);
    } else if (m > k) {
      Tensor tall =
          Linalg.solveTriangular(
              upper.mH(), grad.narrow(-2, k, m - k).contiguous(), false, false, false);
      result = Tensor.cat(List.of(result, tall), -2);
    }
    return LinearSystems.rows(result, b.output(1), true);
  }

  static Tensor qr(Backward<Orthogonal> b) {
    Orthogonal how = b.attributes();
    if (!how.vectors()) {
      throw new AutogradException(
          "qr: a gradient needs Q, but the mode is 'r'. Use the mode 'reduced'.");
    }
    Tensor q = b.output(0);
    Tensor r = b.output(1);
    long m = q.size(-2);
    long n = r.size(-1);
    if (how.complete() && m > n) {
      throw new AutogradException(
          "qr: a gradient needs at least as many columns as rows in mode 'complete', but the matrix is %d by %d. Use the mode 'reduced'."
              .formatted(m, n));
    }
    Tensor gq = b.hasGrad(0) ? b.grad(0) : null;
    Tensor gr = b.hasGrad(1) ? b.grad(1) : null;
    Tensor inner = gr == null ? null : gr.matmul(r.mH());
    if (gq != null) {
      Tensor part = q.mH().matmul(gq).neg();
      inner = inner == null ? part : inner.add(part);
    }
    assert inner != null;
    if (m >= n) {
      Tensor strict = inner.triu(1);
      Tensor ga = q.matmul(strict.add(strict.mH()).add(realDiagonal(inner)));
      if (gq != null) {
        ga = ga.add(gq);
      }
      return Linalg.solveTriangular(r.mH(), ga, false, false, false);
    }
    Tensor minus = inner.neg();
    Tensor ga = q.matmul(minus.sub(minus.mH()).tril(-1).add(imaginaryDiagonal(minus)));
    ga = Linalg.solveTriangular(r.narrow(-1, 0, m).mH(), ga, false, false, false);
    Tensor rest = Tensor.zerosLike(r.narrow(-1, m, n - m));
    ga = Tensor.cat(List.of(ga, rest), -1);
    return gr == null ? ga : ga.add(q.matmul(gr));
  }

  private static Tensor realDiagonal(Tensor x) {
    Tensor diagonal = x.diagonal(0, -2, -1);
    return diagonalMatrix(x.isComplex() ? diagonal.real().to(x.dtype()) : diagonal);
  }

  private static Tensor imaginaryDiagonal(Tensor x) {
    if (!x.isComplex()) {
      return Tensor.zerosLike(x);
    }
    Tensor part = x.diagonal(0, -2, -1).imag();
    return diagonalMatrix(Tensor.complex(Tensor.zerosLike(part), part));
  }

  static Tensor eig(Backward<Eigen> b) {
    requireVectors("eig", b.attributes().vectors());
    Tensor values = b.output(0);
    Tensor vectors = b.output(1);
    Tensor adjoint = vectors.mH();
    Tensor inner = b.hasGrad(0) ? diagonalMatrix(b.grad(0)) : null;
    if (b.hasGrad(1)) {
      Tensor eye = eye(values, values.size(-1));
      Tensor gap = values.unsqueeze(-2).sub(values.unsqueeze(-1)).conj().add(eye);
      Tensor turned = adjoint.matmul(b.grad(1));
      // columns have length 1: what would change it does not count
      Tensor lengths = turned.diagonal(0, -2, -1).real().unsqueeze(-2);
      turned = turned.sub(adjoint.matmul(vectors.mul(lengths)));
      turned = turned.div(gap).mul(Tensor.onesLike(eye).sub(eye));
      inner = inner == null ? turned : inner.add(turned);
    }
    assert inner != null;
    return Linalg.solve(adjoint, inner.matmul(adjoint));
  }

  static Tensor eigh(Backward<Eigen> b) {
    requireVectors("eigh", b.attributes().vectors());
    Tensor values = b.output(0);
    Tensor vectors = b.output(1);
    Tensor inner = b.hasGrad(0) ? diagonalMatrix(b.grad(0)).to(vectors.dtype()) : null;
    if (b.hasGrad(1)) {
      Tensor eye = eye(values, values.size(-1));
      Tensor gap = values.unsqueeze(-2).sub(values.unsqueeze(-1)).add(eye);
      Tensor turned = vectors.mH().matmul(b.grad(1)).div(gap).mul(Tensor.onesLike(eye).sub(eye));
      inner = inner == null ? turned : inner.add(turned);
    }
    assert inner != null;
    return vectors.matmul(inner).matmul(vectors.mH());
  }

  private static void requireVectors(String op, boolean present) {
    if (!present) {
      throw new AutogradException(
          op + ": a gradient needs the vectors, but only the values were computed.");
    }
  }

  static Tensor svd(Backward<Singular> b) {
    requireVectors("svd", b.attributes().vectors());
    Tensor s = b.output(1);
    long k = s.size(-1);
    Tensor u = b.output(0).narrow(-1, 0, k);
    Tensor vh = b.output(2).narrow(-2, 0, k);
    Tensor gu = b.hasGrad(0) ? b.grad(0).narrow(-1, 0, k) : null;
    Tensor gvh = b.hasGrad(2) ? b.grad(2).narrow(-2, 0, k) : null;
    Tensor gs = b.hasGrad(1) ? b.grad(1) : null;
    if (gu == null && gvh == null) {
      assert gs != null;
      return u.matmul(vh.mul(gs.unsqueeze(-1)));
    }
    Tensor inner = svdInner(u, s, vh, gu, gvh);
    if (gs != null) {
      inner = inner.add(diagonalMatrix(gs).to(inner.dtype()));
    }
    long m = u.size(-2);
    long n = vh.size(-1);
    Tensor result = u.matmul(inner).matmul(vh);
    if (m > k && gu != null) {
      Tensor scaled = gu.div(s.unsqueeze(-2));
      result = result.add(scaled.sub(u.matmul(u.mH().matmul(scaled))).matmul(vh));
    }
    if (n > k && gvh != null) {
      Tensor scaled = gvh.div(s.unsqueeze(-1));
      result = result.add(u.matmul(scaled.sub(scaled.matmul(vh.mH()).matmul(vh))));
    }
    return result;
  }

  /// What changes of the singular vectors among themselves mean for A, seen from those vectors.
  private static Tensor svdInner(
      Tensor u, Tensor s, Tensor vh, @Nullable Tensor gu, @Nullable Tensor gvh) {
    Tensor eye = eye(s, s.size(-1));
    Tensor squares = s.mul(s);
    Tensor gap = squares.unsqueeze(-2).sub(squares.unsqueeze(-1)).add(eye);
    Tensor off = Tensor.onesLike(eye).sub(eye).div(gap);
    Tensor left = gu == null ? null : skew(u.mH().matmul(gu));
    Tensor right = gvh == null ? null : skew(vh.matmul(gvh.mH()));
    Tensor sum = left == null ? null : left.mul(s.unsqueeze(-2));
    if (right != null) {
      Tensor more = right.mul(s.unsqueeze(-1));
      sum = sum == null ? more : sum.add(more);
    }
    assert sum != null;
    Tensor inner = sum.mul(off);
    if (left != null && right != null && u.isComplex()) {
      inner = inner.add(diagonalMatrix(left.diagonal(0, -2, -1).div(s.mul(2))));
    }
    return inner;
  }

  private static Tensor skew(Tensor x) {
    return x.sub(x.mH());
  }

  /// The conjugate transpose of the matrix of cofactors: the gradient of the determinant.
  static Tensor determinant(Tensor grad, Tensor a, Tensor det) {
    if (a.size(-1) == 0) {
      return Tensor.zerosLike(a);
    }
    Tensor g = grad.unsqueeze(-1).unsqueeze(-1);
    if (!det.eq(0).any().itemBoolean()) {
      Tensor factor = g.mul(det.conj().unsqueeze(-1).unsqueeze(-1));
      return Linalg.inv(a).mH().mul(factor);
    }
    Linalg.Svd svd = Linalg.svd(a, true);
    Tensor signs = Linalg.det(svd.u()).mul(Linalg.det(svd.vh())).conj();
    Tensor others = productsOfOthers(svd.s());
    return svd.u()
        .mul(others.unsqueeze(-2))
        .matmul(svd.vh())
        .mul(signs.unsqueeze(-1).unsqueeze(-1))
        .mul(g);
  }

  private static Tensor productsOfOthers(Tensor s) {
    long n = s.size(-1);
    // row i holds all values but the i-th, which is 1
    Tensor eye = eye(s, n);
    Tensor all = s.unsqueeze(-2).mul(Tensor.onesLike(eye).sub(eye)).add(eye);
    return all.prod(-1);
  }

  static Tensor pseudoInverse(Tensor grad, Tensor a, Tensor p) {
    Tensor gh = grad.mH();
    Tensor ph = p.mH();
    if (a.size(-2) <= a.size(-1)) {
      Tensor k = gh.matmul(p);
      Tensor kph = k.matmul(ph);
      return kph.sub(p.matmul(k).mH())
          .sub(a.matmul(p).matmul(kph))
          .add(ph.matmul(p).matmul(gh.sub(k.matmul(a))));
    }
    Tensor k = p.matmul(gh);
    Tensor phk = ph.matmul(k);
    return phk.sub(k.matmul(p).mH())
        .add(gh.sub(a.matmul(k)).matmul(p).matmul(ph))
        .sub(phk.matmul(p).matmul(a));
  }

  /// The derivative of the exponential stands beside it in the exponential of a matrix of blocks.
  static Tensor exponential(Tensor grad, Tensor a) {
    long n = a.size(-1);
    Tensor ah = a.mH();
    Tensor above = Tensor.cat(List.of(ah, grad), -1);
    Tensor below = Tensor.cat(List.of(Tensor.zerosLike(ah), ah), -1);
    Tensor exp = Tensor.cat(List.of(above, below), -2).matrixExp();
    return exp.narrow(-2, 0, n).narrow(-1, n, n);
  }
}
