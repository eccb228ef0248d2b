package taper.tensor;

/// Prints tensors as PyTorch does.
final class Printing {
  private Printing() {}

  static String print(Tensor x) {
    return "tensor(" + java.util.Arrays.toString(x.toDoubleArray()) + ", shape=" + x.shape() + ")";
  }
}
