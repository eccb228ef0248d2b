package taper.tensor;

/// The exponential of square matrices, by Padé's approximation of degree 13 after scaling, and repeated squaring.
///
/// Each matrix of a stack is scaled for itself: those that need fewer squarings stay as they are in the last ones.
///
/// Source: Higham 2005, The Scaling and Squaring Method for the Matrix Exponential Revisited, algorithm 2.3
final class MatrixExponential {
  private static final double BOUND = 5.371920351148152;
  private static final double[] PADE = {
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0
  };

  private MatrixExponential() {}

  static Tensor of(Tensor a) {
    if (a.numel() == 0) {
      return a.clone();
    }
    if (a.size(-1) == 1) {
      return a.exp();
    }
    DType type = a.dtype();
    if (type.isHalf()) {
      return of(a.to(DType.FLOAT32)).to(type);
    }
    Tensor norm = a.abs().sum(-2).amax(-1, true).unsqueeze(-1);
    Tensor halvings = norm.div(BOUND).log2().ceil().clamp(0.0, 1100.0);
    Tensor x = a.mul(halvings.neg().exp2());
    Tensor result = pade(x);
    double most = halvings.max().item();
    for (int step = 0; step < most; step++) {
      result = result.matmul(result).where(halvings.gt(step), result);
    }
    return result;
  }

  private static Tensor pade(Tensor a) {
    Tensor eye = LinearSystems.eyeLike(a);
    Tensor a2 = a.matmul(a);
    Tensor a4 = a2.matmul(a2);
    Tensor a6 = a4.matmul(a2);
    // divided by the first coefficient, so that float32 does not overflow
    Tensor odd =
        a.matmul(
            a6.matmul(sum(a6, 13, a4, 11, a2, 9))
                .add(sum(a6, 7, a4, 5, a2, 3))
                .add(eye.mul(coefficient(1))));
    Tensor even = a6.matmul(sum(a6, 12, a4, 10, a2, 8)).add(sum(a6, 6, a4, 4, a2, 2)).add(eye);
    return Linalg.solve(even.sub(odd), even.add(odd));
  }

  private static Tensor sum(Tensor a, int i, Tensor b, int j, Tensor c, int k) {
    return a.mul(coefficient(i)).add(b.mul(coefficient(j))).add(c.mul(coefficient(k)));
  }

  private static double coefficient(int i) {
    return PADE[i] / PADE[0];
  }
}
