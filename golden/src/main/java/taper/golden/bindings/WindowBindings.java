package taper.golden.bindings;

import java.util.Arrays;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.tensor.Complex;
import taper.tensor.ConvolutionOptions;
import taper.tensor.FractionalPoolingOptions;
import taper.tensor.InterpolationOptions;
import taper.tensor.PoolingOptions;
import taper.tensor.Reductions.Extremes;
import taper.tensor.Tensor;
import taper.tensor.UnpoolingOptions;

/// Convolutions, pools, padding and resizing.
public final class WindowBindings {
  private WindowBindings() {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Bindings.Precision.GENERAL);
    addConvolutions(table);
    addMaxima(table);
    addAverages(table);
    addAdaptivePools(table);
    addUnpooling(table);
    addPadding(table);
    addResizing(table);
    addUnfolding(table);
  }

  // Convolutions

  private static void addConvolutions(Bindings table) {
    for (int rank = 1; rank <= 3; rank++) {
      int r = rank;
      String name = "conv" + rank + "d";
      bindBoth(
          table,
          name,
          name + "(weight, bias, o -> o.stride(…).padding(…).dilation(…).groups(…))",
          a -> {
            Tensor weight = a.tensor(1, "weight");
            Tensor bias = a.find(2, "bias");
            UnaryOperator<ConvolutionOptions> options = convolution(a, r, 3, 4, 5, 6);
            return switch (r) {
              case 1 -> a.self().conv1d(weight, bias, options);
              case 2 -> a.self().conv2d(weight, bias, options);
              default -> a.self().conv3d(weight, bias, options);
            };
          });
      bindBoth(
          table,
          "conv_transpose" + rank + "d",
          "convTranspose%dd(weight, bias, o -> o.stride(…).padding(…).outputPadding(…).groups(…).dilation(…))"
              .formatted(rank),
          a -> {
            Tensor weight = a.tensor(1, "weight");
            Tensor bias = a.find(2, "bias");
            int[] extra = steps(a, 5, "output_padding", r, 0);
            UnaryOperator<ConvolutionOptions> options = convolution(a, r, 3, 4, 7, 6);
            UnaryOperator<ConvolutionOptions> all =
                o -> options.apply(o).outputPadding(extra[0], extra[1], extra[2]);
            return switch (r) {
              case 1 -> a.self().convTranspose1d(weight, bias, all);
              case 2 -> a.self().convTranspose2d(weight, bias, all);
              default -> a.self().convTranspose3d(weight, bias, all);
            };
          });
    }
  }

  private static void bindBoth(Bindings table, String name, String ours, Bindings.Call call) {
    table.bind(name, ours, call);
    table.bind("nn.functional." + name, ours, call);
  }

  private static UnaryOperator<ConvolutionOptions> convolution(
      Arguments a, int rank, int stride, int padding, int dilation, int groups) {
    int[] s = steps(a, stride, "stride", rank, 1);
    int[] d = steps(a, dilation, "dilation", rank, 1);
    int g = a.dim(groups, "groups", 1);
    if (a.value(padding, "padding") instanceof String mode) {
      return o -> o.stride(s[0], s[1], s[2]).dilation(d[0], d[1], d[2]).groups(g).padding(mode);
    }
    int[] p = steps(a, padding, "padding", rank, 0);
    return o ->
        o.stride(s[0], s[1], s[2]).padding(p[0], p[1], p[2]).dilation(d[0], d[1], d[2]).groups(g);
  }

  /// Three numbers, of one for all, or one for each of the last `rank` dimensions.
  private static int[] steps(Arguments a, int position, String name, int rank, int otherwise) {
    int[] given = a.findDims(position, name);
    return given == null ? new int[] {otherwise, otherwise, otherwise} : three(a, given, rank);
  }

  private static int[] three(Arguments a, int[] given, int rank) {
    if (given.length != 1 && given.length != rank) {
      throw a.unsupported("%d numbers for %d dimensions".formatted(given.length, rank));
    }
    int[] all = new int[3];
    for (int d = 0; d < 3; d++) {
      all[d] = given.length == 1 ? given[0] : given[Math.max(0, d - 3 + rank)];
    }
    return all;
  }

  // Pools

  private static void addMaxima(Bindings table) {
    for (int rank = 1; rank <= 3; rank++) {
      int r = rank;
      String ours =
          "maxPool%dd(kernel, o -> o.stride(…).padding(…).dilation(…).ceilMode(…))".formatted(rank);
      String name = "max_pool" + rank + "d";
      table.bind("nn.functional." + name, ours, a -> maximum(a, r, 5, 6));
      table.bind(name, ours, a -> maximum(a, r, 5, -1));
      table.bind(
          "nn.functional." + name + "_with_indices",
          "maxPool%ddWithIndices(kernel, o -> o.stride(…).padding(…).dilation(…).ceilMode(…))"
              .formatted(rank),
          a -> maxima(a, r, 5));
    }
    for (int rank = 2; rank <= 3; rank++) {
      int r = rank;
      table.bind(
          "nn.functional.fractional_max_pool%dd".formatted(rank),
          "fractionalMaxPool%dd(kernel, o -> o.outputSize(…).outputRatio(…).randomSamples(…))"
              .formatted(rank),
          a -> fractional(a, r));
      table.bind(
          "nn.functional.fractional_max_pool%dd_with_indices".formatted(rank),
          "fractionalMaxPool%ddWithIndices(kernel, o -> o.outputSize(…).outputRatio(…).randomSamples(…))"
              .formatted(rank),
          a -> fractionalChoice(a, r));
    }
  }

  private static Object maximum(Arguments a, int rank, int ceilMode, int returnIndices) {
    if (a.flag(returnIndices, "return_indices", false)) {
      return maxima(a, rank, ceilMode);
    }
    int[] k = steps(a, 1, "kernel_size", rank, 0);
    UnaryOperator<PoolingOptions> options = pool(a, rank, ceilMode);
    return switch (rank) {
      case 1 -> a.self().maxPool1d(k[2], options);
      case 2 -> a.self().maxPool2d(k[1], k[2], options);
      default -> a.self().maxPool3d(k[0], k[1], k[2], options);
    };
  }

  private static Extremes maxima(Arguments a, int rank, int ceilMode) {
    a.flag(6, "return_indices", true);
    int[] k = steps(a, 1, "kernel_size", rank, 0);
    UnaryOperator<PoolingOptions> options = pool(a, rank, ceilMode);
    return switch (rank) {
      case 1 -> a.self().maxPool1dWithIndices(k[2], options);
      case 2 -> a.self().maxPool2dWithIndices(k[1], k[2], options);
      default -> a.self().maxPool3dWithIndices(k[0], k[1], k[2], options);
    };
  }

  private static UnaryOperator<PoolingOptions> pool(Arguments a, int rank, int ceilMode) {
    int @Nullable [] stride = stride(a, rank);
    int[] p = steps(a, 3, "padding", rank, 0);
    int[] d = steps(a, 4, "dilation", rank, 1);
    boolean ceil = a.flag(ceilMode, "ceil_mode", false);
    return o -> {
      PoolingOptions result = o.padding(p[0], p[1], p[2]).dilation(d[0], d[1], d[2]).ceilMode(ceil);
      return stride == null ? result : result.stride(stride[0], stride[1], stride[2]);
    };
  }

  /// The strides; null where none are given, or an empty list.
  private static int @Nullable [] stride(Arguments a, int rank) {
    int[] given = a.findDims(2, "stride");
    return given == null || given.length == 0 ? null : three(a, given, rank);
  }

  private static Object fractional(Arguments a, int rank) {
    if (a.flag(4, "return_indices", false)) {
      return fractionalChoice(a, rank);
    }
    int[] k = steps(a, 1, "kernel_size", rank, 0);
    return rank == 2
        ? a.self().fractionalMaxPool2d(k[1], k[2], fractions(a))
        : a.self().fractionalMaxPool3d(k[0], k[1], k[2], fractions(a));
  }

  private static Extremes fractionalChoice(Arguments a, int rank) {
    a.flag(4, "return_indices", true);
    int[] k = steps(a, 1, "kernel_size", rank, 0);
    return rank == 2
        ? a.self().fractionalMaxPool2dWithIndices(k[1], k[2], fractions(a))
        : a.self().fractionalMaxPool3dWithIndices(k[0], k[1], k[2], fractions(a));
  }

  private static UnaryOperator<FractionalPoolingOptions> fractions(Arguments a) {
    long[] size = a.findLongs(2, "output_size");
    double[] ratio = a.has(3, "output_ratio") ? a.numbers(3, "output_ratio") : null;
    Tensor samples = a.find(5, "_random_samples");
    return o -> {
      FractionalPoolingOptions result = size == null ? o : o.outputSize(size);
      result = ratio == null ? result : result.outputRatio(ratio);
      return samples == null ? result : result.randomSamples(samples);
    };
  }

  private static void addAverages(Bindings table) {
    for (int rank = 1; rank <= 3; rank++) {
      int r = rank;
      String ours =
          "avgPool%dd(kernel, o -> o.stride(…).padding(…).ceilMode(…).countIncludePad(…)%s)"
              .formatted(rank, rank == 1 ? "" : ".divisorOverride(…)");
      String name = "avg_pool" + rank + "d";
      table.bind("nn.functional." + name, ours, a -> average(a, r));
      if (rank == 1) {
        table.bind(name, ours, a -> average(a, r));
      }
      table.bind(
          "nn.functional.lp_pool%dd".formatted(rank),
          "lpPool%dd(p, kernel, o -> o.stride(…).ceilMode(…))".formatted(rank),
          a -> norm(a, r));
    }
  }

  private static Tensor average(Arguments a, int rank) {
    int[] k = steps(a, 1, "kernel_size", rank, 0);
    int @Nullable [] stride = stride(a, rank);
    int[] p = steps(a, 3, "padding", rank, 0);
    boolean ceil = a.flag(4, "ceil_mode", false);
    boolean count = a.flag(5, "count_include_pad", true);
    Long divisor = a.findInteger(6, "divisor_override");
    UnaryOperator<PoolingOptions> options =
        o -> {
          PoolingOptions result = o.padding(p[0], p[1], p[2]).ceilMode(ceil).countIncludePad(count);
          result = stride == null ? result : result.stride(stride[0], stride[1], stride[2]);
          return divisor == null ? result : result.divisorOverride(Math.toIntExact(divisor));
        };
    return switch (rank) {
      case 1 -> a.self().avgPool1d(k[2], options);
      case 2 -> a.self().avgPool2d(k[1], k[2], options);
      default -> a.self().avgPool3d(k[0], k[1], k[2], options);
    };
  }

  private static Tensor norm(Arguments a, int rank) {
    double p = a.number(1, "norm_type");
    int[] k = steps(a, 2, "kernel_size", rank, 0);
    int[] given = a.findDims(3, "stride");
    int @Nullable [] stride = given == null || given.length == 0 ? null : three(a, given, rank);
    boolean ceil = a.flag(4, "ceil_mode", false);
    UnaryOperator<PoolingOptions> options =
        o ->
            stride == null
                ? o.ceilMode(ceil)
                : o.ceilMode(ceil).stride(stride[0], stride[1], stride[2]);
    return switch (rank) {
      case 1 -> a.self().lpPool1d(p, k[2], options);
      case 2 -> a.self().lpPool2d(p, k[1], k[2], options);
      default -> a.self().lpPool3d(p, k[0], k[1], k[2], options);
    };
  }

  private static void addAdaptivePools(Bindings table) {
    for (int rank = 1; rank <= 3; rank++) {
      int r = rank;
      String sizes = List.of("length", "height, width", "depth, height, width").get(rank - 1);
      String average = "adaptiveAvgPool%dd(%s)".formatted(rank, sizes);
      String maximum = "adaptiveMaxPool%dd(%s)".formatted(rank, sizes);
      table.bind(
          "nn.functional.adaptive_avg_pool%dd".formatted(rank),
          average,
          a -> adaptiveAverage(a, r));
      table.bind(
          "nn.functional.adaptive_max_pool%dd".formatted(rank),
          maximum,
          a -> adaptiveMaximum(a, r));
      table.bind(
          "nn.functional.adaptive_max_pool%dd_with_indices".formatted(rank),
          "adaptiveMaxPool%ddWithIndices(%s)".formatted(rank, sizes),
          a -> adaptiveMaxima(a, r));
      if (rank == 1) {
        table.bind("adaptive_avg_pool1d", average, a -> adaptiveAverage(a, r));
        table.bind(
            "adaptive_max_pool1d",
            "adaptiveMaxPool1dWithIndices(length)",
            a -> adaptiveMaxima(a, r));
      }
    }
  }

  /// The size of the result; None stands for that of the input.
  private static long[] size(Arguments a, int rank) {
    Object given = a.value(1, "output_size");
    long[] size = new long[rank];
    for (int d = 0; d < rank; d++) {
      Object one = given instanceof List<?> list ? list.get(list.size() == 1 ? 0 : d) : given;
      size[d] = one instanceof Long n ? n : a.self().size(d - rank);
    }
    return size;
  }

  private static Tensor adaptiveAverage(Arguments a, int rank) {
    long[] s = size(a, rank);
    return switch (rank) {
      case 1 -> a.self().adaptiveAvgPool1d(s[0]);
      case 2 -> a.self().adaptiveAvgPool2d(s[0], s[1]);
      default -> a.self().adaptiveAvgPool3d(s[0], s[1], s[2]);
    };
  }

  private static Object adaptiveMaximum(Arguments a, int rank) {
    if (a.flag(2, "return_indices", false)) {
      return adaptiveMaxima(a, rank);
    }
    long[] s = size(a, rank);
    return switch (rank) {
      case 1 -> a.self().adaptiveMaxPool1d(s[0]);
      case 2 -> a.self().adaptiveMaxPool2d(s[0], s[1]);
      default -> a.self().adaptiveMaxPool3d(s[0], s[1], s[2]);
    };
  }

  private static Extremes adaptiveMaxima(Arguments a, int rank) {
    a.flag(2, "return_indices", true);
    long[] s = size(a, rank);
    return switch (rank) {
      case 1 -> a.self().adaptiveMaxPool1dWithIndices(s[0]);
      case 2 -> a.self().adaptiveMaxPool2dWithIndices(s[0], s[1]);
      default -> a.self().adaptiveMaxPool3dWithIndices(s[0], s[1], s[2]);
    };
  }

  private static void addUnpooling(Bindings table) {
    for (int rank = 1; rank <= 3; rank++) {
      int r = rank;
      table.bind(
          "nn.functional.max_unpool%dd".formatted(rank),
          "maxUnpool%dd(indices, kernel, o -> o.stride(…).padding(…).outputSize(…))"
              .formatted(rank),
          a -> unpool(a, r));
    }
  }

  private static Tensor unpool(Arguments a, int rank) {
    Tensor indices = a.tensor(1, "indices");
    int[] k = steps(a, 2, "kernel_size", rank, 0);
    int[] given = a.findDims(3, "stride");
    int @Nullable [] stride = given == null || given.length == 0 ? null : three(a, given, rank);
    int[] p = steps(a, 4, "padding", rank, 0);
    long[] size = a.findLongs(5, "output_size");
    UnaryOperator<UnpoolingOptions> options =
        o -> {
          UnpoolingOptions result = o.padding(p[0], p[1], p[2]);
          result = stride == null ? result : result.stride(stride[0], stride[1], stride[2]);
          return size == null
              ? result
              : result.outputSize(
                  Arrays.copyOfRange(size, Math.max(0, size.length - rank), size.length));
        };
    return switch (rank) {
      case 1 -> a.self().maxUnpool1d(indices, k[2], options);
      case 2 -> a.self().maxUnpool2d(indices, k[1], k[2], options);
      default -> a.self().maxUnpool3d(indices, k[0], k[1], k[2], options);
    };
  }

  // Padding and resizing

  private static void addPadding(Bindings table) {
    table.bind(
        "constant_pad_nd",
        "constantPadNd(pad, value)",
        a ->
            a.value(2, "value") instanceof Complex z
                ? a.self().constantPadNd(a.longs(1, "pad"), z)
                : a.self().constantPadNd(a.longs(1, "pad"), a.number(2, "value", 0)));
    table
        .bind(
            "nn.functional.pad",
            "pad(pad, mode)",
            a -> {
              String mode = a.text(2, "mode", "constant");
              double value = a.number(3, "value", 0);
              return mode.equals("constant")
                  ? a.self().pad(a.longs(1, "pad"), value)
                  : a.self().pad(a.longs(1, "pad"), mode);
            })
        .note("With a value: pad(pad, value).");
  }

  private static void addResizing(Bindings table) {
    table.bind(
        "nn.functional.interpolate",
        "interpolate(o -> o.size(…).scaleFactor(…).mode(…).alignCorners(…))",
        a -> a.self().interpolate(interpolation(a)));
    table.bind(
        "nn.functional.upsample",
        "upsample(o -> o.size(…).scaleFactor(…).mode(…).alignCorners(…))",
        a -> a.self().upsample(interpolation(a)));
    table.bind(
        "nn.functional.upsample_nearest",
        "upsampleNearest(o -> o.size(…).scaleFactor(…))",
        a -> a.self().upsampleNearest(o -> sizes(a, o)));
    table.bind(
        "nn.functional.upsample_bilinear",
        "upsampleBilinear(o -> o.size(…).scaleFactor(…))",
        a -> a.self().upsampleBilinear(o -> sizes(a, o)));
    table.bind(
        "nn.functional.grid_sample",
        "gridSample(grid, mode, paddingMode, alignCorners)",
        a ->
            a.self()
                .gridSample(
                    a.tensor(1, "grid"),
                    a.text(2, "mode", "bilinear"),
                    a.text(3, "padding_mode", "zeros"),
                    a.flag(4, "align_corners", false)));
    table.bind(
        "nn.functional.affine_grid",
        "affineGrid(size, alignCorners)",
        a -> a.self().affineGrid(a.longs(1, "size"), a.flag(2, "align_corners", false)));
  }

  private static InterpolationOptions sizes(Arguments a, InterpolationOptions o) {
    long[] size = a.findLongs(1, "size");
    double[] factor = a.has(2, "scale_factor") ? a.numbers(2, "scale_factor") : null;
    InterpolationOptions result = size == null ? o : o.size(size);
    return factor == null ? result : result.scaleFactor(factor);
  }

  private static UnaryOperator<InterpolationOptions> interpolation(Arguments a) {
    String mode = a.text(3, "mode", "nearest");
    Boolean align = a.has(4, "align_corners") ? a.flag(4, "align_corners", false) : null;
    boolean recompute = a.flag(5, "recompute_scale_factor", false);
    boolean antialias = a.flag(6, "antialias", false);
    return o -> {
      InterpolationOptions result =
          sizes(a, o).mode(mode).recomputeScaleFactor(recompute).antialias(antialias);
      return align == null ? result : result.alignCorners(align);
    };
  }

  private static void addUnfolding(Bindings table) {
    table.bind(
        "nn.functional.unfold",
        "unfold(kernel, o -> o.dilation(…).padding(…).stride(…))",
        a -> {
          int[] k = steps(a, 1, "kernel_size", 2, 0);
          return a.self().unfold(k[1], k[2], blocks(a, 2));
        });
    table.bind(
        "nn.functional.fold",
        "fold(height, width, kernel, o -> o.dilation(…).padding(…).stride(…))",
        a -> {
          int[] size = steps(a, 1, "output_size", 2, 0);
          int[] k = steps(a, 2, "kernel_size", 2, 0);
          return a.self().fold(size[1], size[2], k[1], k[2], blocks(a, 3));
        });
    bindBoth(
        table,
        "pixel_shuffle",
        "pixelShuffle(factor)",
        a -> a.self().pixelShuffle(a.dim(1, "upscale_factor")));
    bindBoth(
        table,
        "pixel_unshuffle",
        "pixelUnshuffle(factor)",
        a -> a.self().pixelUnshuffle(a.dim(1, "downscale_factor")));
    bindBoth(
        table,
        "channel_shuffle",
        "channelShuffle(groups)",
        a -> a.self().channelShuffle(a.dim(1, "groups")));
  }

  private static UnaryOperator<ConvolutionOptions> blocks(Arguments a, int dilation) {
    int[] d = steps(a, dilation, "dilation", 2, 1);
    int[] p = steps(a, dilation + 1, "padding", 2, 0);
    int[] s = steps(a, dilation + 2, "stride", 2, 1);
    return o -> o.dilation(d[1], d[2]).padding(p[1], p[2]).stride(s[1], s[2]);
  }
}
