package taper.cpu;

import java.lang.ref.Reference;
import org.jspecify.annotations.Nullable;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Raw;
import taper.cpu.parallel.Scratch;
import taper.cpu.products.Epilogue;
import taper.cpu.products.Products;
import taper.cpu.products.Window;
import taper.cpu.x86.ChannelNorm;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// A convolution whose channels are normalized by statistics that are given, to which an image may be added before what is
/// negative becomes zero: what a residual network does between two convolutions when it is not trained.
///
/// Mean, variance, scale and shift of a channel come down to one factor and one summand, which the convolution applies to
/// its sums while they are in registers. What it cannot do there is done in one pass behind it. Threads may share it.
final class NormalizedConvolution {
  private final Products products;
  private final @Nullable ChannelNorm narrow;
  private final @Nullable ChannelNorm wide;

  NormalizedConvolution(Products products, @Nullable Isa isa) {
    this.products = products;
    this.narrow = isa == null ? null : new ChannelNorm(isa, DType.FLOAT32);
    this.wide = isa == null ? null : new ChannelNorm(isa, DType.FLOAT64);
  }

  /// Inputs: image, weight, bias, scale, shift, mean, variance, addend; bias, scale, shift and addend may be null.
  void run(Window window, double eps, boolean relu, Strided y, @Nullable Strided[] in) {
    Strided x = in[0];
    Strided weight = in[1];
    Strided variance = in[6];
    assert x != null && weight != null && variance != null;
    if (y.numel() == 0) {
      return;
    }
    DType dtype = y.dtype();
    long bytes = variance.numel() * dtype.byteSize();
    // The factors, the summands, and zeros and ones for what is done afterwards.
    var numbers = Scratch.ofThread().memory(Scratch.Use.WEIGHTED, 3 * bytes);
    Strided scale = variance.contiguousIn(numbers, 0, dtype);
    Strided shift = variance.contiguousIn(numbers, bytes, dtype);
    settle(scale.address(), shift.address(), in, eps);
    Strided addend = in[7];
    Epilogue rest =
        products.convolution(window, y, x, weight, new Epilogue(scale, shift, addend, relu));
    if (!rest.isNothing()) {
      finish(y, rest, scale.address(), shift.address(), numbers.address() + 2 * bytes);
    }
    Reference.reachabilityFence(in); // the code sees addresses only
    Reference.reachabilityFence(y);
  }

  private static void settle(long scale, long shift, @Nullable Strided[] in, double eps) {
    Strided bias = in[2];
    Strided weight = in[3];
    Strided offset = in[4];
    Strided mean = in[5];
    Strided variance = in[6];
    assert mean != null && variance != null;
    boolean wide = variance.dtype() == DType.FLOAT64;
    int bytes = variance.dtype().byteSize();
    for (long c = 0; c < variance.numel(); c++) {
      double factor =
          number(weight, c, 1) / Math.sqrt(Raw.element(variance.address() + c * bytes, wide) + eps);
      double centre = number(mean, c, 0) - number(bias, c, 0);
      Raw.put(scale + c * bytes, factor, wide);
      Raw.put(shift + c * bytes, number(offset, c, 0) - centre * factor, wide);
    }
  }

  private static double number(@Nullable Strided numbers, long i, double otherwise) {
    return numbers == null
        ? otherwise
        : Raw.element(
            numbers.address() + i * numbers.dtype().byteSize(), numbers.dtype() == DType.FLOAT64);
  }

  /// Does in one pass what the convolution has left.
  private void finish(Strided y, Epilogue rest, long scale, long shift, long zeros) {
    boolean doubles = y.dtype() == DType.FLOAT64;
    int channels = Math.toIntExact(y.size(1));
    if (rest.scale() == null) {
      Raw.fill(scale, channels, 1, doubles);
      Raw.fill(shift, channels, 0, doubles);
    }
    ChannelNorm pass = doubles ? wide : narrow;
    if (pass == null) {
      finish(y, rest, scale, shift);
      return;
    }
    Raw.fill(zeros, channels, 0, doubles);
    pass.apply(
        y,
        y,
        zeros,
        scale,
        shift,
        new ChannelNorm.After(rest.addend(), rest.relu()),
        y.size(0),
        channels,
        y.size(2) * y.size(3));
  }

  private static void finish(Strided y, Epilogue rest, long scale, long shift) {
    boolean wide = y.dtype() == DType.FLOAT64;
    int bytes = y.dtype().byteSize();
    long pixels = y.size(2) * y.size(3);
    for (long i = 0; i < y.numel(); i++) {
      long channel = i / pixels % y.size(1) * bytes;
      double value =
          Raw.element(y.address() + i * bytes, wide) * Raw.element(scale + channel, wide)
              + Raw.element(shift + channel, wide)
              + number(rest.addend(), i, 0);
      Raw.put(y.address() + i * bytes, rest.relu() && value <= 0 ? 0 : value, wide);
    }
  }
}
