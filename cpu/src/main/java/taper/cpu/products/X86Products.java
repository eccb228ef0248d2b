package taper.cpu.products;

import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.tensor.spi.Strided;

/// Matrix products and convolutions in assembled code; see [MatrixProduct] and [X86Convolution].
public final class X86Products implements Products {
  private final Isa isa;

  /// Creates products for a processor that has `isa`; they hold no other state.
  public X86Products(Isa isa) {
    this.isa = isa;
  }

  private Lanes lanes(Strided any) {
    return new Lanes(isa, any.dtype().byteSize());
  }

  @Override
  public void matmul(
      Strided c,
      Strided a,
      Strided b,
      Bias where,
      @Nullable Strided bias,
      boolean accumulate,
      boolean relu) {
    int d = c.rank() - 2;
    Lanes lanes = lanes(c);
    long es = lanes.bytes();
    int m = Math.toIntExact(c.size(d));
    int n = Math.toIntExact(c.size(d + 1));
    int k = Math.toIntExact(a.size(d + 1));
    long biasAddress = bias == null ? 0 : bias.address();
    if (n == 1 && c.stride(d) == 1) {
      // A single column is a single row of the transpose, along which vectors can run.
      MatrixProduct product =
          new MatrixProduct(
              lanes,
              1,
              m,
              k,
              0,
              b.stride(d) * es,
              a.stride(d + 1) * es,
              a.stride(d) * es,
              m * es,
              where == Bias.ROWS ? Bias.COLUMNS : where == Bias.COLUMNS ? Bias.ROWS : where,
              accumulate,
              relu);
      run(product, new Batch(c, b, a), b, a, c, biasAddress);
      return;
    }
    MatrixProduct product =
        new MatrixProduct(
            lanes,
            m,
            n,
            k,
            a.stride(d) * es,
            a.stride(d + 1) * es,
            b.stride(d) * es,
            b.stride(d + 1) * es,
            c.stride(d) * es,
            where,
            accumulate,
            relu);
    run(product, new Batch(c, a, b), a, b, c, biasAddress);
  }

  private static void run(
      MatrixProduct product, Batch batch, Strided a, Strided b, Strided c, long bias) {
    ProductTasks.run(
        product, batch, a.memory().address(), b.memory().address(), c.memory().address(), bias);
  }

  @Override
  public Epilogue convolution(Window window, Strided y, Strided x, Strided weight, Epilogue end) {
    return new X86Convolution(lanes(y), Geometry.of(window, x, weight, y))
        .forward(y, x, weight, end);
  }

  @Override
  public void convolutionInputGradient(Window window, Strided dx, Strided dy, Strided weight) {
    new X86Convolution(lanes(dx), Geometry.of(window, dx, weight, dy))
        .inputGradient(dx, dy, weight);
  }

  @Override
  public void convolutionWeightGradient(Window window, Strided dweight, Strided dy, Strided x) {
    new X86Convolution(lanes(x), Geometry.of(window, x, dweight, dy))
        .weightGradient(dweight, dy, x);
  }
}
