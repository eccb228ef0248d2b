package taper.cpu.separable;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.tensor.Definition;
import taper.tensor.Operator;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Reference kernels over images that have nothing to do with each other, on several cores: interpolation, sampling at
/// places, pools of volumes. Each core computes some images of a batch or, where channels are independent too, some
/// channels.
public final class ParallelImages {
  private static final long GRAIN = 1 << 13;

  /// A single image that is sampled is cut into so many groups of channels: more would look for the places too often.
  private static final long GROUPS = 4;

  private ParallelImages() {}

  /// The reference kernel of `operator` on several cores, or null if it is not one of these.
  public static @Nullable Kernel kernel(Operator<?> operator) {
    if (!(operator.definition() instanceof Definition.Structured<?> structured)) {
      return null;
    }
    Kernel reference = structured.reference();
    return switch (operator.name()) {
      case "avgPool2d",
          "avgPool2dGradient",
          "adaptiveAvgPool2d",
          "adaptiveAvgPool2dGradient",
          "avgPool3d",
          "avgPool3dGradient",
          "adaptiveAvgPool3d",
          "adaptiveAvgPool3dGradient",
          "maxPool3d",
          "adaptiveMaxPool3d" ->
          byChannel(reference);
      case "gridSample2d", "gridSample3d", "gridSampleInputGradient" -> sampling(reference);
      case "gridSampleGridGradient" -> byImage(reference);
      default -> operator.name().startsWith("upsample") ? byChannel(reference) : null;
    };
  }

  /// All operands are `[n c *]`.
  private static Kernel byChannel(Kernel kernel) {
    return (attributes, out, in) -> {
      long channels = in[0].size(0) * in[0].size(1);
      Parallel.run(
          channels,
          grain(channels, out[0], in[0]),
          (from, to) -> kernel.run(attributes, channels(out, from, to), channels(in, from, to)));
    };
  }

  /// All operands are `[n *]`.
  private static Kernel byImage(Kernel kernel) {
    return (attributes, out, in) ->
        Parallel.run(
            in[0].size(0),
            grain(in[0].size(0), out[0], in[0]),
            (from, to) -> kernel.run(attributes, images(out, from, to), images(in, from, to)));
  }

  /// The result and the first operand are `[n c *]`, the others, which belong to all channels, `[n *]`.
  private static Kernel sampling(Kernel kernel) {
    Kernel several = byImage(kernel);
    return (attributes, out, in) -> {
      long channels = in[0].size(1);
      if (in[0].size(0) != 1 || channels == 1) {
        several.run(attributes, out, in);
        return;
      }
      long groups = Math.min(GROUPS, channels);
      long each = Math.max((channels + groups - 1) / groups, grain(channels, out[0], in[0]));
      Parallel.run(
          channels,
          each,
          (from, to) -> {
            Strided[] some = in.clone();
            some[0] = channels(in[0], from, to);
            kernel.run(attributes, channels(out, from, to), some);
          });
    };
  }

  private static long grain(long parts, Strided y, Strided x) {
    return Math.max(1, GRAIN * parts / Math.max(1, Math.max(y.numel(), x.numel())));
  }

  private static Strided[] channels(Strided[] all, long from, long to) {
    Strided[] some = new Strided[all.length];
    for (int i = 0; i < some.length; i++) {
      some[i] = channels(all[i], from, to);
    }
    return some;
  }

  /// Channels of all images, as those of a single one.
  private static Strided channels(Strided x, long from, long to) {
    long[] sizes = x.sizes();
    long each = 1;
    for (int d = 2; d < sizes.length; d++) {
      each *= sizes[d];
    }
    sizes[0] = 1;
    sizes[1] = to - from;
    return x.view(from * each, sizes, Strided.contiguousStrides(sizes));
  }

  private static Strided[] images(Strided[] all, long from, long to) {
    Strided[] some = new Strided[all.length];
    for (int i = 0; i < some.length; i++) {
      long[] sizes = all[i].sizes();
      sizes[0] = to - from;
      long each = all[i].numel() / all[i].size(0);
      some[i] = all[i].view(from * each, sizes, Strided.contiguousStrides(sizes));
    }
    return some;
  }
}
