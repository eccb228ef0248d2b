package taper.tensor;

import java.util.List;

/// The static methods of [Tensor] that multiply several tensors.
abstract sealed class ProductFactory extends RandomFactory permits WindowFactory {

  /// Returns the sum of products that `equation` describes: a letter for each dimension of each operand, and after `->` those of
  /// the result; what is not in the result is summed.
  ///
  /// ```java
  /// Tensor.einsum("bij,bjk->bik", a, b)   // batches of matrix products
  /// Tensor.einsum("ii->i", a)             // a diagonal
  /// Tensor.einsum("...ij->...ji", a)      // transposition of the last two dimensions
  /// ```
  ///
  /// Without `->` the result has the letters that appear once, in alphabetical order. An ellipsis stands for any number of
  /// dimensions, which broadcast. With three or more operands the order of the products is the one that costs least.
  ///
  /// @throws ArgumentException if the equation is malformed
  /// @throws ShapeException if a letter stands for different sizes
  public static Tensor einsum(String equation, Tensor... operands) {
    return Einsum.of(equation, List.of(operands));
  }

  /// Returns the sum of products that `equation` describes.
  public static Tensor einsum(String equation, List<Tensor> operands) {
    return Einsum.of(equation, operands);
  }

  /// Returns the products summed over the last `dims` dimensions of `a` and the first of `b`.
  ///
  /// @throws ShapeException if they differ
  public static Tensor tensordot(Tensor a, Tensor b, int dims) {
    return MatrixProducts.tensordot(a, b, dims);
  }

  /// Returns the products summed over the dimensions `dimsA` of `a` and `dimsB` of `b`, in pairs.
  ///
  /// @throws ShapeException if their sizes differ
  public static Tensor tensordot(Tensor a, Tensor b, int[] dimsA, int[] dimsB) {
    return MatrixProducts.tensordot(a, b, dimsA, dimsB);
  }

  /// Returns the product of matrices, multiplied in the order that costs least: [Linalg#multiDot].
  public static Tensor chainMatmul(Tensor... matrices) {
    return matrices.length == 1 ? matrices[0] : Linalg.multiDot(matrices);
  }

  ProductFactory() {}
}
