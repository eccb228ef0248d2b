package taper.lapack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import taper.tensor.ArgumentException;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Linalg;
import taper.tensor.LinearAlgebraException;
import taper.tensor.Operator;
import taper.tensor.Tensor;
import taper.testing.TensorAssertions;

/// What decompositions must fulfil, by LAPACK and by the framework's own algorithms.
final class DecompositionsTest {
  private static final List<String> OPERATORS =
      List.of(
          "cholesky",
          "luFactor",
          "solveTriangular",
          "qr",
          "geqrf",
          "ldlFactor",
          "eigh",
          "eig",
          "svd");
  private static final int[][] SIZES = {
    {1, 1}, {2, 2}, {3, 3}, {7, 7}, {33, 33}, {5, 3}, {3, 5}, {40, 9}, {9, 40}, {6, 1}, {1, 6}
  };

  @Test
  void theLibraryHasAKernelForEveryDecomposition() {
    var library = new LapackLibrary();

    for (String name : OPERATORS) {
      Operator<?> operator = Catalogue.find(name);
      assertThat(operator).as(name).isNotNull();
      assertThat(library.kernel(operator, DType.FLOAT32, DType.FLOAT32)).as(name).isNotNull();
      assertThat(library.kernel(operator, DType.COMPLEX64, DType.COMPLEX64)).as(name).isNull();
    }
  }

  @Test
  void matricesWithNaNAreNotPositiveDefinite() {
    Tensor a = Tensor.of(new double[] {Double.NaN, 1, 1, 3}, 2, 2);
    Tensor b = Tensor.of(new double[] {1, Double.NaN, Double.NaN, 3}, 2, 2);

    assertThatThrownBy(() -> Linalg.cholesky(a)).isInstanceOf(LinearAlgebraException.class);
    assertThatThrownBy(() -> Linalg.cholesky(b)).isInstanceOf(LinearAlgebraException.class);
  }

  @TestFactory
  List<DynamicTest> factorsMakeTheMatrixAgain() {
    var tests = new ArrayList<DynamicTest>();
    for (DType type : List.of(DType.FLOAT32, DType.FLOAT64, DType.COMPLEX64, DType.COMPLEX128)) {
      for (int[] size : SIZES) {
        String at = type + " " + size[0] + "x" + size[1];
        Tensor a = random(type, size[0], size[1]);
        tests.add(DynamicTest.dynamicTest(at, () -> check(a)));
        if (!type.isComplex()) {
          tests.add(
              DynamicTest.dynamicTest(
                  at + " plain",
                  () ->
                      Catalogue.withReferenceKernels(
                          (Supplier<Boolean>)
                              () -> {
                                check(a);
                                return true;
                              })));
        }
      }
    }
    return tests;
  }

  private static Tensor random(DType type, long m, long n) {
    Tensor.manualSeed(m * 100 + n);
    Tensor x = Tensor.randn(2, m, n).to(type);
    return type.isComplex()
        ? x.add(Tensor.complex(Tensor.zeros(2, m, n), Tensor.randn(2, m, n)).to(type))
        : x;
  }

  private static void check(Tensor a) {
    svd(a, false);
    svd(a, true);
    Linalg.Qr qr = Linalg.qr(a);
    same(qr.q().matmul(qr.r()), a);
    orthonormal(qr.q());
    Linalg.Qr complete = Linalg.qr(a, "complete");
    same(complete.q().matmul(complete.r()), a);
    orthonormal(complete.q());
    Linalg.Lu lu = Linalg.lu(a);
    same(lu.p().matmul(lu.l()).matmul(lu.u()), a);
    if (a.size(-1) == a.size(-2)) {
      square(a);
    }
  }

  private static void svd(Tensor a, boolean full) {
    Linalg.Svd svd = Linalg.svd(a, full);
    long k = svd.s().size(-1);
    orthonormal(svd.u());
    orthonormal(svd.vh().mH());
    same(
        svd.u()
            .narrow(-1, 0, k)
            .mul(svd.s().unsqueeze(-2).to(a.dtype()))
            .matmul(svd.vh().narrow(-2, 0, k)),
        a);
  }

  private static void square(Tensor a) {
    long n = a.size(-1);
    Tensor hermitian = a.add(a.mH());
    Linalg.Eigh eigh = Linalg.eigh(hermitian);
    orthonormal(eigh.eigenvectors());
    same(
        eigh.eigenvectors()
            .mul(eigh.eigenvalues().unsqueeze(-2).to(a.dtype()))
            .matmul(eigh.eigenvectors().mH()),
        hermitian);
    Tensor definite = a.matmul(a.mH()).add(Tensor.eye(a.dtype(), n, n).mul(n));
    Tensor lower = Linalg.cholesky(definite);
    same(lower.matmul(lower.mH()), definite);
    Tensor upper = Linalg.cholesky(definite, true);
    same(upper.mH().matmul(upper), definite);
    Linalg.Eig eig = Linalg.eig(a);
    same(
        a.to(a.dtype().toComplex()).matmul(eig.eigenvectors()),
        eig.eigenvectors().mul(eig.eigenvalues().unsqueeze(-2)));
    Linalg.LdlFactor ldl = Linalg.ldlFactor(hermitian, true);
    same(hermitian.matmul(Linalg.ldlSolve(ldl.ld(), ldl.pivots(), a, true)), a);
    Tensor symmetric = a.add(a.mT());
    Linalg.LdlFactor plain = Linalg.ldlFactor(symmetric, false);
    same(symmetric.matmul(Linalg.ldlSolve(plain.ld(), plain.pivots(), a, false)), a);
    same(
        definite.matmul(Linalg.inv(definite)),
        Tensor.eye(a.dtype(), n, n).expand(a.shape().toArray()));
  }

  private static void orthonormal(Tensor q) {
    Tensor product = q.mH().matmul(q);
    same(product, Tensor.eye(q.dtype(), q.size(-1), q.size(-1)).expand(product.shape().toArray()));
  }

  private static void same(Tensor actual, Tensor expected) {
    double scale = Math.max(1, expected.abs().max().item());
    double bound = expected.dtype().toReal() == DType.FLOAT64 ? 1e-10 : 3e-3;
    assertThat(actual.shape()).isEqualTo(expected.shape());
    assertThat(actual.sub(expected).abs().max().item()).isLessThan(bound * scale);
  }

  @Test
  void aSingularMatrixIsNamed() {
    Tensor a = Tensor.stack(List.of(Tensor.eye(3), Tensor.ones(3, 3)));

    assertThatThrownBy(() -> Linalg.inv(a))
        .isInstanceOf(LinearAlgebraException.class)
        .hasMessage(
            "inv: matrices must be invertible, but that at [1] is singular (diagonal element 2 of U"
                + " is 0).");
    assertThat(Linalg.invEx(a).info().toLongArray()).containsExactly(0, 2);
  }

  @Test
  void aMatrixThatIsNotPositiveDefiniteIsNamed() {
    Tensor a = Tensor.of(new double[] {4, 0, 0, -1}, 2, 2);

    assertThatThrownBy(() -> Linalg.cholesky(a))
        .isInstanceOf(LinearAlgebraException.class)
        .hasMessage(
            "cholesky: matrices must be positive-definite, but the matrix is not (its leading minor"
                + " of order 2 is not positive).");
  }

  @Test
  void infinitiesHaveNoEigenvalues() {
    Tensor a = Tensor.full(DType.FLOAT32, Double.NaN, 2, 2);

    assertThatThrownBy(() -> Linalg.eigh(a))
        .isInstanceOf(ArgumentException.class)
        .hasMessageStartingWith("eigh: all elements must be finite");
    assertThatThrownBy(() -> Linalg.svd(a)).isInstanceOf(ArgumentException.class);
    assertThatThrownBy(() -> Linalg.eig(a)).isInstanceOf(ArgumentException.class);
  }

  @Test
  void matricesThatAreNotSquareHaveNoDeterminant() {
    assertThatThrownBy(() -> Linalg.det(Tensor.ones(2, 3)))
        .hasMessage("det: matrices must be square, but self has shape [2, 3].");
  }

  @Test
  void aMatrixWithoutFullRankHasAllSingularVectors() {
    Tensor a = Tensor.ones(4, 3);

    svd(a, true);
    Catalogue.withReferenceKernels(
        (Supplier<Boolean>)
            () -> {
              svd(a, true);
              return true;
            });
  }

  @Test
  void theExponentialOfLargeMatricesIsScaled() {
    Tensor a = Tensor.of(new double[] {0, -40, 40, 0}, 2, 2);

    Tensor turned = Linalg.matrixExp(a);

    TensorAssertions.assertClose(
        turned,
        Tensor.of(new double[] {Math.cos(40), -Math.sin(40), Math.sin(40), Math.cos(40)}, 2, 2));
  }
}
