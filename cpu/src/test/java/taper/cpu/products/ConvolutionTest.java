package taper.cpu.products;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.spi.Strided;

class ConvolutionTest {

  /// Images, channels in and out, height and width of the image and of the filter.
  private record Sample(
      int n, int in, int out, int h, int w, int kernelH, int kernelW, Window window) {}

  private static Window window(
      int strideH, int strideW, int padH, int padW, int dilationH, int dilationW, int groups) {
    return new Window(strideH, strideW, padH, padW, dilationH, dilationW, groups);
  }

  private static final Sample[] SAMPLES = {
    new Sample(2, 1, 1, 1, 1, 1, 1, Window.plain()),
    new Sample(2, 3, 5, 7, 6, 1, 1, Window.plain()),
    new Sample(3, 17, 33, 5, 9, 1, 1, Window.plain()),
    new Sample(2, 1, 32, 28, 28, 3, 3, Window.plain().padded(1)),
    new Sample(3, 32, 64, 14, 14, 3, 3, Window.plain().padded(1)),
    new Sample(9, 5, 15, 7, 7, 3, 3, Window.plain().padded(1)),
    new Sample(2, 3, 4, 9, 11, 3, 3, Window.plain()),
    new Sample(1, 2, 3, 8, 5, 5, 3, window(1, 1, 2, 1, 1, 1, 1)),
    new Sample(2, 2, 3, 8, 5, 5, 3, window(1, 1, 4, 0, 1, 1, 1)),
    new Sample(2, 4, 6, 9, 8, 3, 3, window(2, 2, 1, 1, 1, 1, 1)),
    new Sample(2, 4, 6, 10, 13, 3, 2, window(2, 3, 1, 0, 1, 1, 1)),
    new Sample(2, 3, 7, 15, 15, 7, 7, window(2, 2, 3, 3, 1, 1, 1)),
    new Sample(2, 3, 7, 8, 8, 1, 1, window(2, 2, 0, 0, 1, 1, 1)),
    new Sample(2, 4, 6, 9, 8, 3, 3, window(1, 1, 2, 3, 2, 3, 1)),
    new Sample(2, 4, 6, 12, 11, 3, 3, window(2, 1, 2, 1, 3, 2, 2)),
    new Sample(2, 6, 6, 7, 8, 3, 3, window(1, 1, 1, 1, 1, 1, 6)),
    new Sample(2, 4, 8, 7, 8, 3, 3, window(2, 2, 1, 1, 1, 1, 4)),
    new Sample(2, 6, 9, 5, 17, 3, 3, window(1, 1, 1, 1, 1, 1, 3)),
    new Sample(1, 3, 2, 3, 40, 1, 5, window(1, 1, 0, 2, 1, 1, 1)),
    new Sample(1, 3, 2, 2, 2, 2, 2, Window.plain()),
    new Sample(1, 1, 2, 3, 3, 5, 5, window(3, 3, 3, 3, 1, 1, 1)),
    new Sample(0, 3, 2, 4, 4, 3, 3, Window.plain().padded(1)),
    new Sample(1, 70, 30, 6, 6, 3, 3, Window.plain().padded(1)),
    new Sample(1, 31, 20, 9, 10, 3, 3, window(2, 1, 1, 1, 1, 1, 1)),
    new Sample(2, 20, 37, 9, 10, 3, 3, Window.plain().padded(1)),
    new Sample(1, 48, 100, 5, 14, 3, 3, Window.plain().padded(1)),
    new Sample(2, 20, 36, 9, 14, 3, 3, window(2, 2, 1, 1, 1, 1, 2)),
    new Sample(1, 20, 24, 9, 11, 5, 5, window(1, 1, 2, 2, 1, 1, 1)),
    new Sample(2, 24, 40, 8, 9, 1, 1, window(2, 2, 0, 0, 1, 1, 1)),
    new Sample(9, 48, 16, 4, 4, 3, 3, Window.plain().padded(1)),
    new Sample(1, 16, 19, 17, 33, 3, 3, Window.plain()),
    new Sample(2, 33, 64, 7, 12, 3, 3, Window.plain().padded(2)),
    new Sample(2, 70, 36, 8, 8, 3, 3, window(1, 1, 0, 2, 1, 1, 1)),
    // Rows so wide that their even and odd elements are split by registers.
    new Sample(1, 3, 7, 9, 37, 7, 7, window(2, 2, 3, 3, 1, 1, 1)),
    new Sample(2, 2, 17, 10, 50, 3, 3, window(3, 2, 1, 0, 1, 1, 1)),
    // Tiles that mesh, filters of five, and so many channels that they are summed in blocks.
    new Sample(2, 20, 24, 13, 17, 3, 3, window(1, 1, 2, 2, 2, 2, 1)),
    new Sample(1, 16, 33, 20, 21, 3, 3, window(1, 1, 3, 1, 3, 2, 1)),
    new Sample(2, 20, 36, 9, 10, 5, 5, window(1, 1, 2, 2, 1, 1, 1)),
    new Sample(1, 17, 16, 13, 8, 5, 5, window(1, 1, 4, 0, 1, 1, 1)),
    new Sample(1, 33, 17, 14, 20, 5, 5, window(1, 1, 0, 4, 1, 2, 1)),
    new Sample(8, 210, 130, 4, 4, 3, 3, Window.plain().padded(1)),
    new Sample(9, 18, 40, 7, 8, 1, 1, Window.plain()),
    new Sample(1, 32, 60, 6, 6, 1, 1, window(1, 1, 0, 0, 1, 1, 2)),
    // The gradient of an image in several strips; with more padding than the filter is long; of
    // results that have more channels than others of the same rows and columns.
    new Sample(1, 3, 16, 150, 130, 3, 3, window(2, 2, 1, 1, 1, 1, 1)),
    new Sample(2, 3, 4, 7, 9, 1, 1, window(2, 2, 3, 3, 1, 1, 1)),
    new Sample(1, 3, 5, 8, 8, 2, 3, window(3, 2, 2, 4, 1, 1, 1)),
    new Sample(1, 2, 3, 8, 8, 3, 3, window(2, 2, 1, 1, 1, 1, 1)),
    new Sample(1, 2, 6, 8, 8, 3, 3, window(2, 2, 1, 1, 1, 1, 1)),
    // Results of one size from images of two widths, one after the other: what the wider one left
    // must not be read.
    new Sample(1, 16, 16, 8, 8, 3, 3, window(2, 2, 1, 1, 1, 1, 1)),
    new Sample(1, 16, 16, 8, 7, 3, 3, window(2, 2, 1, 1, 1, 1, 1)),
  };

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void convolves(Implementation it) {
    for (Sample s : SAMPLES) {
      for (int variant = 0; variant < 3; variant++) {
        try (var operands = new Operands(it.dtype())) {
          Window w = s.window;
          int outH = w.outputHeight(s.h, s.kernelH);
          int outW = w.outputWidth(s.w, s.kernelW);
          int inGroup = s.in / w.groups();
          Strided x = operands.random(s.n, s.in, s.h, s.w);
          Strided weight = operands.random(s.out, inGroup, s.kernelH, s.kernelW);
          Strided bias = operands.random(s.out);
          Strided y = operands.fresh(s.n, s.out, outH, outW);
          boolean relu = variant == 2;
          double[] expected = new double[(int) y.numel()];
          double[] xs = values(x);
          double[] weights = values(weight);
          each(s, (out, in, filter) -> expected[out] += xs[in] * weights[filter]);

          it.products()
              .convolution(
                  w, y, x, weight, new Epilogue(null, variant == 0 ? null : bias, null, relu));

          long[] index = new long[4];
          double worst = 0;
          for (double e : expected) {
            double sum = variant == 0 ? e : e + Operands.at(bias, index[1]);
            sum = relu ? Math.max(0, sum) : sum;
            worst = worse(worst, Operands.at(y, index) - sum);
            Operands.next(index, y.sizes());
          }
          assertThat(worst)
              .as("%s %s variant %d", it, s, variant)
              .isLessThan(it.tolerance((long) inGroup * s.kernelH * s.kernelW));
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void scalesShiftsAddsAndRectifies(Implementation it) {
    for (Sample s : SAMPLES) {
      for (int variant = 0; variant < 4; variant++) {
        try (var operands = new Operands(it.dtype())) {
          Window w = s.window;
          int outH = w.outputHeight(s.h, s.kernelH);
          int outW = w.outputWidth(s.w, s.kernelW);
          int inGroup = s.in / w.groups();
          Strided x = operands.random(s.n, s.in, s.h, s.w);
          Strided weight = operands.random(s.out, inGroup, s.kernelH, s.kernelW);
          Strided scale = operands.random(s.out);
          Strided shift = operands.random(s.out);
          Strided addend = variant < 2 ? null : operands.random(s.n, s.out, outH, outW);
          Strided y = operands.fresh(s.n, s.out, outH, outW);
          boolean relu = variant % 2 == 1;
          double[] expected = new double[(int) y.numel()];
          double[] xs = values(x);
          double[] weights = values(weight);
          each(s, (out, in, filter) -> expected[out] += xs[in] * weights[filter]);

          Epilogue rest =
              it.products().convolution(w, y, x, weight, new Epilogue(scale, shift, addend, relu));

          long[] index = new long[4];
          double worst = 0;
          for (double e : expected) {
            double sum = e * Operands.at(scale, index[1]) + Operands.at(shift, index[1]);
            sum += addend == null ? 0 : Operands.at(addend, index);
            sum = relu ? Math.max(0, sum) : sum;
            worst = worse(worst, end(rest, index, Operands.at(y, index)) - sum);
            Operands.next(index, y.sizes());
          }
          assertThat(worst)
              .as("%s %s variant %d", it, s, variant)
              .isLessThan(2 * it.tolerance((long) inGroup * s.kernelH * s.kernelW));
        }
      }
    }
  }

  private static double end(Epilogue rest, long[] index, double sum) {
    Strided scale = rest.scale();
    Strided shift = rest.shift();
    Strided addend = rest.addend();
    double scaled = scale == null ? sum : sum * Operands.at(scale, index[1]);
    double shifted = shift == null ? scaled : scaled + Operands.at(shift, index[1]);
    double all = addend == null ? shifted : shifted + Operands.at(addend, index);
    return rest.relu() ? Math.max(0, all) : all;
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void findsTheInputGradient(Implementation it) {
    for (Sample s : SAMPLES) {
      try (var operands = new Operands(it.dtype())) {
        Window w = s.window;
        int outH = w.outputHeight(s.h, s.kernelH);
        int outW = w.outputWidth(s.w, s.kernelW);
        int inGroup = s.in / w.groups();
        Strided weight = operands.random(s.out, inGroup, s.kernelH, s.kernelW);
        Strided dy = operands.random(s.n, s.out, outH, outW);
        Strided dx = operands.fresh(s.n, s.in, s.h, s.w);
        double[] expected = new double[(int) dx.numel()];
        double[] dys = values(dy);
        double[] weights = values(weight);
        each(s, (out, in, filter) -> expected[in] += dys[out] * weights[filter]);

        it.products().convolutionInputGradient(w, dx, dy, weight);

        compare(it, s, dx, expected, (long) s.out * s.kernelH * s.kernelW);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("taper.cpu.products.Implementation#all")
  void findsTheWeightGradient(Implementation it) {
    for (Sample s : SAMPLES) {
      try (var operands = new Operands(it.dtype())) {
        Window w = s.window;
        int outH = w.outputHeight(s.h, s.kernelH);
        int outW = w.outputWidth(s.w, s.kernelW);
        int inGroup = s.in / w.groups();
        Strided x = operands.random(s.n, s.in, s.h, s.w);
        Strided dy = operands.random(s.n, s.out, outH, outW);
        Strided dweight = operands.fresh(s.out, inGroup, s.kernelH, s.kernelW);
        double[] expected = new double[(int) dweight.numel()];
        double[] dys = values(dy);
        double[] xs = values(x);
        each(s, (out, in, filter) -> expected[filter] += dys[out] * xs[in]);

        it.products().convolutionWeightGradient(w, dweight, dy, x);

        compare(it, s, dweight, expected, (long) s.n * outH * outW);
      }
    }
  }

  private static void compare(
      Implementation it, Sample s, Strided actual, double[] expected, long terms) {
    long[] index = new long[4];
    double worst = 0;
    for (double e : expected) {
      worst = worse(worst, Operands.at(actual, index) - e);
      Operands.next(index, actual.sizes());
    }
    assertThat(worst).as("%s %s", it, s).isLessThan(it.tolerance(terms));
  }

  private static double worse(double worst, double difference) {
    return Double.isNaN(difference)
        ? Double.POSITIVE_INFINITY
        : Math.max(worst, Math.abs(difference));
  }

  /// The elements of `x`, in order.
  private static double[] values(Strided x) {
    double[] values = new double[Math.toIntExact(x.numel())];
    long[] index = new long[x.rank()];
    for (int i = 0; i < values.length; i++) {
      values[i] = Operands.at(x, index);
      Operands.next(index, x.sizes());
    }
    return values;
  }

  /// A product that counts, by the places of its pixel of the result, of the image, and of its tap.
  private interface Term {
    void of(int out, int in, int filter);
  }

  private static void each(Sample s, Term term) {
    Window w = s.window;
    int inGroup = s.in / w.groups();
    int outGroup = s.out / w.groups();
    int outH = w.outputHeight(s.h, s.kernelH);
    int outW = w.outputWidth(s.w, s.kernelW);
    for (int n = 0; n < s.n; n++) {
      for (int o = 0; o < s.out; o++) {
        for (int c = 0; c < inGroup; c++) {
          int i = o / outGroup * inGroup + c;
          for (int ky = 0; ky < s.kernelH; ky++) {
            for (int kx = 0; kx < s.kernelW; kx++) {
              int filter = ((o * inGroup + c) * s.kernelH + ky) * s.kernelW + kx;
              for (int oy = 0; oy < outH; oy++) {
                int iy = oy * w.strideH() + ky * w.dilationH() - w.padH();
                if (iy < 0 || iy >= s.h) {
                  continue;
                }
                for (int ox = 0; ox < outW; ox++) {
                  int ix = ox * w.strideW() + kx * w.dilationW() - w.padW();
                  if (ix >= 0 && ix < s.w) {
                    int out = ((n * s.out + o) * outH + oy) * outW + ox;
                    term.of(out, ((n * s.in + i) * s.h + iy) * s.w + ix, filter);
                  }
                }
              }
            }
          }
        }
      }
    }
  }
}
