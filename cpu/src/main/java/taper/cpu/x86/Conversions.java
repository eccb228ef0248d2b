package taper.cpu.x86;

import java.util.List;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.tensor.Creation;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Copies that convert, and fillings: pointwise kernels without arithmetic.
///
/// Elements pass through `float32` or `float64` lanes, which is exact where no rounding is asked for: whole
/// numbers of up to 16 bits fit the one, of 32 bits the other. Copies of 32- and 64-bit elements that
/// convert nothing move the bits.
public final class Conversions {
  private static final Formula IDENTITY = Formula.input(0);

  private Conversions() {}

  /// A kernel that copies and converts, or null if that needs whole-number arithmetic.
  public static @Nullable Kernel to(Isa isa, DType from, DType to) {
    if (from == to) {
      DType bits = bits(from);
      Kernel copy = PointwiseKernel.of(isa, IDENTITY, bits == DType.FLOAT64, List.of(bits), bits);
      return copy == null ? null : new AsBits(copy, bits);
    }
    @Nullable Kernel whole = PointwiseKernel.ofWhole(isa, IDENTITY, List.of(from), from, to);
    if (whole != null || from == DType.INT64 && to.isIntegral()) {
      return whole;
    }
    if (from == DType.FLOAT64 && to == DType.UINT8) {
      return null; // the low bits of 64-bit integers, which AVX2 cannot convert to
    }
    boolean wide =
        from == DType.FLOAT64 || to == DType.FLOAT64 || from == DType.INT32 && to.isIntegral();
    return PointwiseKernel.of(isa, IDENTITY, wide, List.of(from), to);
  }

  /// A type of the same size whose elements pass through lanes unchanged.
  private static DType bits(DType dtype) {
    return switch (dtype.byteSize()) {
      case 8 -> DType.FLOAT64;
      case 4 -> DType.FLOAT32;
      case 2 -> DType.INT16;
      default -> DType.UINT8;
    };
  }

  private static Strided as(Strided x, DType dtype) {
    return x.dtype() == dtype
        ? x
        : Strided.of(x.memory(), x.byteOffset(), dtype, x.sizes(), x.strides());
  }

  private record AsBits(Kernel copy, DType bits) implements Kernel {
    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      copy.run(
          Parameters.NONE,
          new Strided[] {as(outputs[0], bits)},
          new Strided[] {as(inputs[0], bits)});
    }
  }

  /// A kernel that writes one number everywhere.
  public static @Nullable Kernel fill(Isa isa, DType dtype) {
    DType stored = dtype == DType.INT64 ? DType.FLOAT64 : dtype;
    boolean wide = stored == DType.FLOAT64 || stored == DType.INT32;
    Kernel kernel = PointwiseKernel.of(isa, Formula.parameter(0), wide, List.of(), stored);
    return kernel == null ? null : new Filling(kernel, dtype, stored);
  }

  private record Filling(Kernel kernel, DType dtype, DType stored) implements Kernel {
    @Override
    public boolean anyStrides() {
      return true;
    }

    @Override
    public void run(Record attributes, Strided[] outputs, Strided[] inputs) {
      var fill = (Creation.Fill) attributes;
      double value =
          switch (dtype) {
            case FLOAT32, FLOAT64, BFLOAT16, FLOAT16 -> fill.value();
            case BOOL -> fill.whole() != 0 || fill.value() != 0 ? 1 : 0;
            case INT64 -> Double.longBitsToDouble(fill.whole());
            case INT32 -> (int) fill.whole();
            case INT16 -> (short) fill.whole();
            case INT8, UINT8 -> fill.whole() & 255;
            case COMPLEX32, COMPLEX64, COMPLEX128 -> throw new AssertionError(dtype);
          };
      kernel.run(Parameters.of(value), new Strided[] {as(outputs[0], stored)}, new Strided[0]);
    }
  }
}
