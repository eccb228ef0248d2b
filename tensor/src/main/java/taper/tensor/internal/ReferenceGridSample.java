package taper.tensor.internal;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Resizing;
import taper.tensor.Resizing.Outside;
import taper.tensor.Resizing.Sampling;
import taper.tensor.Resizing.SamplingInput;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.SamplingKernel;
import taper.tensor.spi.Strided;
import taper.tensor.spi.Truncation;

/// Images and volumes read at arbitrary places.
///
/// Every element of the result is a sum over a few pixels. Their indices, weights and the derivatives of the weights by
/// the coordinates are found once for a block of places, then used for all channels. Positions are computed as PyTorch
/// does, in `float32` unless the elements are `float64`.
public final class ReferenceGridSample {
  private static final int BLOCK_TAPS = 1 << 16;

  private ReferenceGridSample() {}

  /// `input[n c *], grid[n * r] -> [n c *]`: the values at the places of the grid.
  public static final Kernel SAMPLE =
      new SamplingKernel() {
        @Override
        public SamplingKernel.Places places(
            Record attributes, Strided image, Strided grid, int most) {
          return new ReferenceGridSample.Places((Sampling) attributes, image, grid, null, 0, most);
        }

        @Override
        public void run(Record attributes, Strided[] out, Strided[] in) {
          var places = new ReferenceGridSample.Places((Sampling) attributes, in[0], in[1], null, 0);
          read(places, out[0], in[0]);
        }
      };

  /// `grad[n c *], grid[n * r] -> [n c *]`: each gradient goes to the pixels that its own was made of.
  public static final Kernel INPUT_GRADIENT =
      (attributes, out, in) -> {
        Sampling a = ((SamplingInput) attributes).sampling();
        spread(new Places(a, out[0], in[1], null, 0), out[0], in[0]);
      };

  /// `grad[n c *], input[n c *], grid[n * r] -> [n * r]`: the derivatives by the coordinates.
  public static final Kernel GRID_GRADIENT =
      (attributes, out, in) -> {
        var places = new Places((Sampling) attributes, in[1], in[2], null, 1);
        slopes(places, out[0], in[0], in[1]);
      };

  /// `input[n c *], grid[n * r], direction[n * r] -> [n c *]`: how fast the values change when the places move.
  public static final Kernel SLOPE =
      (attributes, out, in) -> {
        var places = new Places((Sampling) attributes, in[0], in[1], in[2], 1);
        read(places, out[0], in[0]);
      };

  /// `grad[n c *], grid[n * r], direction[n * r] -> [n c *]`: the gradients of [#SLOPE] by the pixels.
  public static final Kernel SLOPE_INPUT_GRADIENT =
      (attributes, out, in) -> {
        Sampling a = ((SamplingInput) attributes).sampling();
        spread(new Places(a, out[0], in[1], in[2], 1), out[0], in[0]);
      };

  /// `grad[n c *], input[n c *], grid[n * r], direction[n * r] -> [n * r]`: the gradients of [#SLOPE] by the coordinates.
  public static final Kernel SLOPE_GRID_GRADIENT =
      (attributes, out, in) -> {
        var places = new Places((Sampling) attributes, in[1], in[2], in[3], 2);
        slopes(places, out[0], in[0], in[1]);
      };

  private static void read(Places places, Strided y, Strided x) {
    int pixels = places.pixels;
    int points = places.points;
    double[] image = new double[pixels + 1]; // the last stands for what is outside
    double[] values = new double[places.block];
    for (long n = 0; n < x.size(0); n++) {
      for (int p = 0; p < points; p += places.block) {
        int count = Math.min(places.block, points - p);
        places.find(n, p, count);
        for (long c = 0; c < x.size(1); c++) {
          long slice = n * x.size(1) + c;
          Ranges.read(x, slice * pixels, pixels, image);
          places.sums(image, values, count);
          Ranges.write(y, slice * points + p, count, values);
        }
      }
    }
  }

  private static void spread(Places places, Strided dx, Strided dy) {
    int pixels = places.pixels;
    int points = places.points;
    double[] image = new double[pixels + 1]; // the last stands for what is outside
    double[] values = new double[places.block];
    long channels = dx.size(1);
    for (long slice = 0; slice < dx.size(0) * channels; slice++) {
      Arrays.fill(image, 0);
      for (int p = 0; p < points; p += places.block) {
        int count = Math.min(places.block, points - p);
        if (points > places.block || slice % channels == 0) {
          places.find(slice / channels, p, count);
        }
        Ranges.read(dy, slice * points + p, count, values);
        places.spread(values, image, count);
      }
      Ranges.write(dx, slice * pixels, pixels, image);
    }
  }

  private static void slopes(Places places, Strided dgrid, Strided dy, Strided x) {
    int pixels = places.pixels;
    int points = places.points;
    double[] image = new double[pixels + 1]; // the last stands for what is outside
    double[] values = new double[places.block];
    double[] slopes = new double[places.block * places.rank];
    for (long n = 0; n < x.size(0); n++) {
      for (int p = 0; p < points; p += places.block) {
        int count = Math.min(places.block, points - p);
        places.find(n, p, count);
        Arrays.fill(slopes, 0);
        for (long c = 0; c < x.size(1); c++) {
          long slice = n * x.size(1) + c;
          Ranges.read(x, slice * pixels, pixels, image);
          Ranges.read(dy, slice * points + p, count, values);
          places.slopes(image, values, slopes, count);
        }
        Ranges.write(dgrid, (n * points + p) * places.rank, count * places.rank, slopes);
      }
    }
  }

  /// The pixels that a block of places is made of.
  private static final class Places implements SamplingKernel.Places {
    private final Sampling a;
    private final int rank;
    private final int[] size; // of the image; depth, height, width
    private final int pixels;
    private final int points;
    private final int taps; // of a place
    private final int side; // taps along one dimension
    private final int block; // places at a time
    private final boolean single;
    private final Strided grid;
    private final int[] index; // the number of pixels: outside, where everything is 0
    private final double[] weight;
    private final double[][] slope; // by coordinate, in the order of the grid: width first

    // Along each dimension, for the place at hand.
    private final int[][] at;
    private final double[][] part;
    private final double[][] steep;
    private final double[][] bend;
    private final @Nullable Strided direction;
    private final int order;

    /// @param direction where the places move, for the derivatives of the weights instead of the weights; null for none
    /// @param order how often weights are differentiated, in all
    Places(Sampling a, Strided image, Strided grid, @Nullable Strided direction, int order) {
      this(a, image, grid, direction, order, Integer.MAX_VALUE);
    }

    /// @param most how many places are looked for at a time, if memory allows
    Places(
        Sampling a, Strided image, Strided grid, @Nullable Strided direction, int order, int most) {
      this.a = a;
      this.rank = image.rank() - 2;
      this.size = ReferencePooling3d.sizes(image, 2);
      int n = 1;
      for (int s : size) {
        n = Math.multiplyExact(n, s);
      }
      this.pixels = n;
      long m = 1;
      for (int d = 1; d <= rank; d++) {
        m *= grid.size(d);
      }
      this.points = Math.toIntExact(m);
      this.side =
          switch (a.mode()) {
            case NEAREST -> 1;
            case BILINEAR -> 2;
            case BICUBIC -> 4;
          };
      int t = 1;
      for (int d = 0; d < rank; d++) {
        t *= side;
      }
      this.taps = t;
      this.block = Math.max(1, Math.min(Math.min(most, points), BLOCK_TAPS / taps));
      this.single = image.dtype() != DType.FLOAT64;
      this.grid = grid;
      this.index = new int[block * taps];
      this.weight = new double[block * taps];
      this.slope = order > 0 ? new double[rank][block * taps] : new double[0][];
      this.direction = direction;
      this.order = order;
      this.at = new int[rank][side];
      this.part = new double[rank][side];
      this.steep = new double[rank][side];
      this.bend = new double[rank][side];
    }

    @Override
    public int taps() {
      return taps;
    }

    @Override
    public int[] index() {
      return index;
    }

    @Override
    public double[] weight() {
      return weight;
    }

    @Override
    public void find(long n, int from, int count) {
      double[] coordinates = new double[count * rank];
      Ranges.read(grid, (n * points + from) * rank, count * rank, coordinates);
      if (taps == 4 && rank == 2 && slope.length == 0) {
        bilinear(coordinates, count);
        return;
      }
      double[] directions = new double[direction == null ? 0 : count * rank];
      if (direction != null) {
        Ranges.read(direction, (n * points + from) * rank, count * rank, directions);
      }
      for (int p = 0; p < count; p++) {
        for (int d = 0; d < rank; d++) {
          along(d, coordinates[p * rank + rank - 1 - d]);
        }
        combine(p * taps);
        if (directions.length > 0) {
          turn(p * taps, directions, p * rank);
        }
      }
    }

    /// Replaces weights by how fast they change along the direction, and slopes likewise.
    private void turn(int to, double[] directions, int at) {
      double[] turned = new double[rank];
      for (int t = 0; t < taps; t++) {
        double sum = 0;
        for (int s = 0; s < rank; s++) {
          sum += directions[at + s] * slope[s][to + t];
        }
        weight[to + t] = sum;
        if (order == 2 && index[to + t] < pixels) {
          for (int s = 0; s < rank; s++) {
            turned[s] = 0;
            for (int v = 0; v < rank; v++) {
              turned[s] += directions[at + v] * curvature(rank - 1 - s, rank - 1 - v, t);
            }
          }
          for (int s = 0; s < rank; s++) {
            slope[s][to + t] = turned[s];
          }
        }
      }
    }

    /// The second derivative of the weight of tap `t` along dimensions `first` and `second`.
    private double curvature(int first, int second, int t) {
      int rest = t;
      double product = 1;
      for (int d = rank - 1; d >= 0; d--) {
        int k = rest % side;
        rest /= side;
        int times = (d == first ? 1 : 0) + (d == second ? 1 : 0);
        product *= times == 0 ? part[d][k] : times == 1 ? steep[d][k] : bend[d][k];
      }
      return product;
    }

    /// The four pixels around each place of an image: what [#along] and [#combine] do, without detours.
    private void bilinear(double[] coordinates, int count) {
      int h = size[0];
      int w = size[1];
      for (int p = 0, t = 0; p < count; p++, t += 4) {
        double x = inside(pixel(coordinates[2 * p], w), w);
        double y = inside(pixel(coordinates[2 * p + 1], h), h);
        double left = Math.floor(x);
        double top = Math.floor(y);
        double byColumn = x - left;
        double byRow = y - top;
        weight[t] = (1 - byColumn) * (1 - byRow);
        weight[t + 1] = byColumn * (1 - byRow);
        weight[t + 2] = (1 - byColumn) * byRow;
        weight[t + 3] = byColumn * byRow;
        if (left >= 0 && left < w - 1 && top >= 0 && top < h - 1) {
          int at = ((int) top) * w + (int) left;
          index[t] = at;
          index[t + 1] = at + 1;
          index[t + 2] = at + w;
          index[t + 3] = at + w + 1;
        } else {
          for (int k = 0; k < 4; k++) {
            int row = inside((long) top + k / 2, h);
            int column = inside((long) left + k % 2, w);
            index[t + k] = row < 0 || column < 0 ? pixels : row * w + column;
          }
        }
      }
    }

    /// Where a place outside the image is looked up.
    private double inside(double x, int n) {
      if (a.outside() == Outside.ZEROS) {
        return x;
      }
      double within =
          a.outside() == Outside.REFLECTION
              ? reflected(x, a.alignCorners() ? 0 : -0.5, a.alignCorners() ? n - 1 : n - 0.5)
              : x;
      return Math.clamp(within, 0.0, n - 1.0);
    }

    private void combine(int to) {
      if (rank == 2 && slope.length == 0) {
        combine2d(to);
        return;
      }
      for (int t = 0; t < taps; t++) {
        int rest = t;
        int where = 0;
        int scale = 1;
        double product = 1;
        for (int d = rank - 1; d >= 0; d--) {
          int k = rest % side;
          rest /= side;
          where = where < 0 || at[d][k] < 0 ? -1 : where + at[d][k] * scale;
          scale *= size[d];
          product *= part[d][k];
        }
        index[to + t] = where < 0 ? pixels : where;
        weight[to + t] = product;
        for (int s = 0; s < slope.length; s++) {
          slope[s][to + t] = where < 0 ? 0 : steepness(rank - 1 - s, t);
        }
      }
    }

    private void combine2d(int to) {
      int w = size[1];
      int t = to;
      for (int i = 0; i < side; i++) {
        int row = at[0][i];
        double byRow = part[0][i];
        for (int j = 0; j < side; j++, t++) {
          int column = at[1][j];
          index[t] = row < 0 || column < 0 ? pixels : row * w + column;
          weight[t] = byRow * part[1][j];
        }
      }
    }

    /// The derivative of the weight of tap `t` along dimension `by`.
    private double steepness(int by, int t) {
      int rest = t;
      double product = 1;
      for (int d = rank - 1; d >= 0; d--) {
        int k = rest % side;
        rest /= side;
        product *= d == by ? steep[d][k] : part[d][k];
      }
      return product;
    }

    private void along(int d, double coordinate) {
      int n = size[d];
      double x = pixel(coordinate, n);
      double factor = a.alignCorners() ? (n - 1) / 2.0 : n / 2.0;
      if (a.mode() == Resizing.Mode.BICUBIC) {
        cubic(d, x, factor);
        return;
      }
      if (a.outside() == Outside.REFLECTION) {
        double low = a.alignCorners() ? 0 : -0.5;
        double high = a.alignCorners() ? n - 1 : n - 0.5;
        factor *= reflectedSlope(x, low, high);
        x = reflected(x, low, high);
      }
      if (a.outside() != Outside.ZEROS) {
        factor = x <= 0 || x >= n - 1 ? 0 : factor;
        x = Math.clamp(x, 0.0, n - 1.0);
      }
      if (side == 1) {
        at[d][0] = inside(Truncation.toInt64(Math.rint(x)), n);
        part[d][0] = 1;
        steep[d][0] = 0;
        return;
      }
      double floor = Math.floor(x);
      long first = Truncation.toInt64(floor);
      at[d][0] = inside(first, n);
      at[d][1] = inside(first + 1, n);
      part[d][1] = x - floor;
      part[d][0] = 1 - part[d][1];
      steep[d][0] = -factor;
      steep[d][1] = factor;
    }

    private void cubic(int d, double x, double factor) {
      int n = size[d];
      double floor = Math.floor(x);
      double t = x - floor;
      for (int k = 0; k < 4; k++) {
        at[d][k] = bounded(floor + k - 1, n);
        double distance = t + 1 - k;
        part[d][k] = ReferenceResizing.keys(Math.abs(distance), -0.75);
        steep[d][k] = factor * keysSlope(distance);
        bend[d][k] = factor * factor * keysBend(Math.abs(distance));
      }
    }

    private static double keysSlope(double signed) {
      double x = Math.abs(signed);
      double a = -0.75;
      double slope =
          x <= 1
              ? (3 * (a + 2) * x - 2 * (a + 3)) * x
              : x < 2 ? (3 * a * x - 10 * a) * x + 8 * a : 0;
      return signed < 0 ? -slope : slope;
    }

    private static double keysBend(double x) {
      double a = -0.75;
      return x <= 1 ? 6 * (a + 2) * x - 2 * (a + 3) : x < 2 ? 6 * a * x - 10 * a : 0;
    }

    private int bounded(double x, int n) {
      return switch (a.outside()) {
        case ZEROS -> inside(Truncation.toInt64(x), n);
        case BORDER -> (int) Math.clamp(x, 0.0, n - 1.0);
        case REFLECTION ->
            (int)
                Math.clamp(
                    reflected(x, a.alignCorners() ? 0 : -0.5, a.alignCorners() ? n - 1 : n - 0.5),
                    0.0,
                    n - 1.0);
      };
    }

    private static int inside(long i, int n) {
      return i >= 0 && i < n ? (int) i : -1;
    }

    /// From -1 … 1 to pixels.
    private double pixel(double x, int n) {
      if (single) {
        return a.alignCorners()
            ? ((float) x + 1) * ((n - 1) / 2f)
            : ((float) x + 1) * (n / 2f) - 0.5f;
      }
      return a.alignCorners() ? (x + 1) / 2 * (n - 1) : ((x + 1) * n - 1) / 2;
    }

    private static double reflected(double x, double low, double high) {
      double span = high - low;
      if (span == 0) {
        return 0;
      }
      double distance = Math.abs(x - low);
      double extra = distance % span;
      return isOdd(Math.floor(distance / span)) ? high - extra : extra + low;
    }

    private static double reflectedSlope(double x, double low, double high) {
      double span = high - low;
      if (span == 0) {
        return 0;
      }
      double sign = x < low ? -1 : 1;
      return isOdd(Math.floor(Math.abs(x - low) / span)) ? -sign : sign;
    }

    private static boolean isOdd(double whole) {
      return whole % 2 != 0;
    }

    void sums(double[] image, double[] values, int count) {
      if (taps == 4) {
        four(index, weight, image, values, count);
        return;
      }
      for (int p = 0, t = 0; p < count; p++) {
        double sum = 0;
        for (int end = t + taps; t < end; t++) {
          sum += weight[t] * image[index[t]];
        }
        values[p] = sum;
      }
    }

    private static void four(
        int[] index, double[] weight, double[] image, double[] values, int count) {
      for (int p = 0, t = 0; p < count; p++, t += 4) {
        values[p] =
            weight[t] * image[index[t]]
                + weight[t + 1] * image[index[t + 1]]
                + weight[t + 2] * image[index[t + 2]]
                + weight[t + 3] * image[index[t + 3]];
      }
    }

    void spread(double[] values, double[] image, int count) {
      for (int p = 0, t = 0; p < count; p++) {
        for (int end = t + taps; t < end; t++) {
          image[index[t]] += weight[t] * values[p];
        }
      }
    }

    void slopes(double[] image, double[] values, double[] sums, int count) {
      for (int s = 0; s < rank; s++) {
        double[] by = slope[s];
        for (int p = 0, t = 0; p < count; p++) {
          double sum = 0;
          for (int end = t + taps; t < end; t++) {
            sum += by[t] * image[index[t]];
          }
          sums[p * rank + s] += sum * values[p];
        }
      }
    }
  }
}
