package taper.cpu.pooling;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.products.Operands;
import taper.cpu.x86.WindowMaxima;
import taper.tensor.DType;
import taper.tensor.Operator;
import taper.tensor.Pooling.AvgPool2d;
import taper.tensor.Pooling.AvgPool2dInput;
import taper.tensor.Pooling.MaxPool2d;
import taper.tensor.internal.ReferencePooling;
import taper.tensor.spi.Strided;

class PoolingTest {
  private static final MaxPool2d TWO = new MaxPool2d(2, 2, 2, 2, 0, 0, 1, 1, false);

  /// Maximum and place of one window, by the definition.
  private static double[] maximum(MaxPool2d a, Strided x, long n, long c, long r, long q) {
    double best = Double.NaN;
    long place = -1;
    for (int i = 0; i < a.kernelH(); i++) {
      for (int j = 0; j < a.kernelW(); j++) {
        long y = r * a.strideH() - a.paddingH() + i * a.dilationH();
        long v = q * a.strideW() - a.paddingW() + j * a.dilationW();
        if (y >= 0 && y < x.size(2) && v >= 0 && v < x.size(3)) {
          double value = Operands.at(x, n, c, y, v);
          if (place < 0 || value > best || Double.isNaN(value)) {
            best = value;
            place = y * x.size(3) + v;
          }
        }
      }
    }
    return new double[] {best, place};
  }

  private static void checkMaximum(MaxPool2d a, Strided y, Strided places, Strided x) {
    for (long n = 0; n < y.size(0); n++) {
      for (long c = 0; c < y.size(1); c++) {
        for (long r = 0; r < y.size(2); r++) {
          for (long q = 0; q < y.size(3); q++) {
            double[] expected = maximum(a, x, n, c, r, q);
            assertThat(Operands.at(y, n, c, r, q))
                .as("value at %d %d %d %d of %s", n, c, r, q, x)
                .isEqualTo(Double.valueOf(expected[0]));
            assertThat(Operands.at(places, n, c, r, q))
                .as("place at %d %d %d %d of %s", n, c, r, q, x)
                .isEqualTo(expected[1]);
          }
        }
      }
    }
  }

  private static void addTiesAndNaNs(Strided x) {
    long[] index = new long[4];
    for (long i = 0; i < x.numel(); i++) {
      if (i % 7 < 3) {
        Operands.put(x, 0.5, index);
      } else if (i % 23 == 0) {
        Operands.put(x, Double.NaN, index);
      } else if (i % 29 == 0) {
        Operands.put(x, Double.NEGATIVE_INFINITY, index);
      }
      Operands.next(index, x.sizes());
    }
  }

  private static List<Isa> instructionSets() {
    var found = new ArrayList<Isa>();
    CpuFeatures features = CpuFeatures.current();
    if (features.unavailable() == null) {
      for (Isa isa : Isa.values()) {
        if (isa.ordinal() <= features.isa().ordinal()) {
          found.add(isa);
        }
      }
    }
    return found;
  }

  @ParameterizedTest
  @ValueSource(
      ints = {2, 3, 4, 7, 8, 14, 15, 16, 17, 18, 28, 30, 31, 32, 33, 34, 46, 62, 64, 66, 100, 256})
  void assembledWindowsOfTwoByTwoAgreeWithTheDefinition(int width) {
    for (Isa isa : instructionSets()) {
      for (int height : new int[] {1, 2, 5, 8}) {
        try (var operands = new Operands(DType.FLOAT32)) {
          Strided x = operands.random(2, 3, height, width);
          addTiesAndNaNs(x);
          Strided y = operands.fresh(2, 3, height / 2, width / 2);
          Strided corners = operands.fresh(DType.UINT8, 2, 3, height / 2, width / 2);
          Strided expected = operands.fresh(2, 3, height / 2, width / 2);
          Strided expectedCorners = operands.fresh(DType.UINT8, 2, 3, height / 2, width / 2);
          ReferencePooling.MAX_OF_CORNERS.run(
              Operator.None.NONE, new Strided[] {expected, expectedCorners}, new Strided[] {x});

          assertThat(MaxPool2x2.covers(isa, width)).isTrue();
          MaxPool2x2.run(isa, y, corners, x);

          assertThat(y.memory().mismatch(expected.memory())).isEqualTo(-1);
          assertThat(corners.memory().mismatch(expectedCorners.memory())).isEqualTo(-1);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4, 8, 14, 16, 18, 28, 30, 32, 34, 46, 62, 64, 66, 100, 256})
  void assembledGradientsGoToThePlacesOfMaxima(int width) {
    for (Isa isa : instructionSets()) {
      try (var operands = new Operands(DType.FLOAT32)) {
        Strided x = operands.random(2, 3, 6, width);
        Strided y = operands.fresh(2, 3, 3, width / 2);
        Strided corners = operands.fresh(DType.UINT8, 2, 3, 3, width / 2);
        Strided dy = operands.random(2, 3, 3, width / 2);
        Strided dx = operands.fresh(2, 3, 6, width);
        Strided expected = operands.fresh(2, 3, 6, width);
        JavaPooling.maxOfCorners(y, corners, x);
        JavaPooling.cornerGradient(expected, dy, corners);

        MaxPool2x2.gradient(isa, dx, dy, corners);

        assertThat(dx.memory().mismatch(expected.memory())).isEqualTo(-1);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "FLOAT64"})
  void maximaAgreeWithTheDefinition(DType dtype) {
    MaxPool2d[] pools = {
      TWO,
      new MaxPool2d(3, 3, 2, 2, 1, 1, 1, 1, false),
      new MaxPool2d(2, 3, 1, 2, 1, 0, 2, 1, false),
      new MaxPool2d(3, 2, 3, 2, 1, 1, 1, 2, true)
    };
    for (MaxPool2d a : pools) {
      try (var operands = new Operands(dtype)) {
        Strided x = operands.random(2, 3, 9, 8);
        addTiesAndNaNs(x);
        long oh = outputs(9, a.kernelH(), a.strideH(), a.paddingH(), a.dilationH(), a.ceilMode());
        long ow = outputs(8, a.kernelW(), a.strideW(), a.paddingW(), a.dilationW(), a.ceilMode());
        Strided y = operands.fresh(2, 3, oh, ow);
        Strided places = operands.fresh(DType.INT64, 2, 3, oh, ow);

        JavaPooling.max(a, y, places, x);

        checkMaximum(a, y, places, x);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "FLOAT64"})
  void zerosAreEqualAndInfinitiesCount(DType dtype) {
    double[] values = {
      -0.0, 0.0, Double.NEGATIVE_INFINITY, Double.NaN, Double.POSITIVE_INFINITY, -1, -1e-42
    };
    for (double often : values) {
      for (double rare : values) {
        try (var operands = new Operands(dtype)) {
          Strided x = operands.fresh(2, 3, 7, 8);
          long[] index = new long[4];
          for (long i = 0; i < x.numel(); i++) {
            Operands.put(x, i % 5 == 3 ? rare : often, index);
            Operands.next(index, x.sizes());
          }
          var a = new MaxPool2d(3, 3, 2, 2, 1, 1, 1, 1, false);
          Strided y = operands.fresh(2, 3, 4, 4);
          Strided places = operands.fresh(DType.INT64, 2, 3, 4, 4);
          Strided windows = operands.fresh(2, 3, 3, 5);
          Strided inWindows = operands.fresh(DType.INT64, 2, 3, 3, 5);
          Strided expected = operands.fresh(2, 3, 3, 5);
          Strided expectedIn = operands.fresh(DType.INT64, 2, 3, 3, 5);
          ReferencePooling.ADAPTIVE_MAX.run(
              Operator.None.NONE, new Strided[] {expected, expectedIn}, new Strided[] {x});

          JavaPooling.max(a, y, places, x);
          JavaPooling.adaptiveMax(windows, inWindows, x);

          checkMaximum(a, y, places, x);
          assertThat(windows.memory().mismatch(expected.memory())).isEqualTo(-1);
          assertThat(inWindows.memory().mismatch(expectedIn.memory())).isEqualTo(-1);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 15, 16, 31, 32, 33, 34, 63, 112})
  void assembledMaximaAgreeWithTheDefinition(int width) {
    MaxPool2d[] pools = {
      TWO,
      new MaxPool2d(3, 3, 2, 2, 1, 1, 1, 1, false),
      new MaxPool2d(3, 3, 1, 1, 1, 1, 1, 1, false),
      new MaxPool2d(5, 4, 3, 2, 2, 2, 1, 1, true),
      new MaxPool2d(1, 2, 1, 1, 0, 1, 1, 1, false)
    };
    for (MaxPool2d a : pools) {
      long oh = outputs(7, a.kernelH(), a.strideH(), a.paddingH(), a.dilationH(), a.ceilMode());
      long ow = outputs(width, a.kernelW(), a.strideW(), a.paddingW(), 1, a.ceilMode());
      if (ow < 1 || !instructionSets().contains(Isa.AVX512)) {
        continue;
      }
      try (var operands = new Operands(DType.FLOAT32)) {
        Strided x = operands.random(2, 3, 7, width);
        addTiesAndNaNs(x);
        Strided y = operands.fresh(2, 3, oh, ow);
        Strided places = operands.fresh(DType.INT64, 2, 3, oh, ow);

        assertThat(WindowMaxima.covers(Isa.AVX512, a, y, x)).isTrue();
        WindowMaxima.run(a, y, places, x);

        checkMaximum(a, y, places, x);
      }
    }
  }

  private static long outputs(
      int size, int kernel, int stride, int padding, int dilation, boolean ceil) {
    int room = size + 2 * padding - dilation * (kernel - 1) - 1;
    int count = (ceil ? Math.ceilDiv(room, stride) : room / stride) + 1;
    return ceil && (count - 1) * stride >= size + padding ? count - 1 : count;
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "FLOAT64"})
  void gradientsOfMaximaAddUpAtTheirPlaces(DType dtype) {
    try (var operands = new Operands(dtype)) {
      var a = new MaxPool2d(3, 3, 1, 1, 1, 1, 1, 1, false);
      Strided x = operands.random(2, 3, 5, 6);
      Strided y = operands.fresh(2, 3, 5, 6);
      Strided places = operands.fresh(DType.INT64, 2, 3, 5, 6);
      Strided dy = operands.random(2, 3, 5, 6);
      Strided dx = operands.fresh(2, 3, 5, 6);
      JavaPooling.max(a, y, places, x);

      JavaPooling.maxGradient(dx, dy, places);

      double[][] expected = new double[6][30];
      each(
          dy,
          (n, c, r, q) ->
              expected[n * 3 + c][(int) Operands.at(places, n, c, r, q)] +=
                  Operands.at(dy, n, c, r, q));
      each(
          dx,
          (n, c, r, q) ->
              assertThat(Operands.at(dx, n, c, r, q))
                  .isCloseTo(expected[n * 3 + c][r * 6 + q], within(1e-6)));
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "FLOAT64"})
  void averagesAndTheirGradientsAgreeWithTheDefinition(DType dtype) {
    AvgPool2d[] pools = {
      new AvgPool2d(2, 2, 2, 2, 0, 0, false, true, 0),
      new AvgPool2d(3, 2, 2, 1, 1, 1, false, true, 0),
      new AvgPool2d(3, 3, 2, 2, 1, 1, true, true, 0),
      new AvgPool2d(3, 3, 2, 3, 1, 1, true, false, 0),
      new AvgPool2d(2, 3, 1, 2, 0, 1, false, true, 5)
    };
    for (AvgPool2d a : pools) {
      try (var operands = new Operands(dtype)) {
        int oh = (int) outputs(8, a.kernelH(), a.strideH(), a.paddingH(), 1, a.ceilMode());
        int ow = (int) outputs(9, a.kernelW(), a.strideW(), a.paddingW(), 1, a.ceilMode());
        Strided x = operands.random(2, 2, 8, 9);
        Strided y = operands.fresh(2, 2, oh, ow);
        Strided dy = operands.random(2, 2, oh, ow);
        Strided dx = operands.fresh(2, 2, 8, 9);
        double[][][] expected = new double[4][8][9];

        JavaPooling.average(a, y, x);
        JavaPooling.averageGradient(new AvgPool2dInput(a, 8, 9), dx, dy);

        each(
            y,
            (n, c, r, q) -> {
              int top = r * a.strideH() - a.paddingH();
              int left = q * a.strideW() - a.paddingW();
              double sum = 0;
              int inside = 0;
              int padded = 0;
              for (int i = top; i < top + a.kernelH(); i++) {
                for (int j = left; j < left + a.kernelW(); j++) {
                  padded += i < 8 + a.paddingH() && j < 9 + a.paddingW() ? 1 : 0;
                  if (i >= 0 && i < 8 && j >= 0 && j < 9) {
                    inside++;
                    sum += Operands.at(x, n, c, i, j);
                  }
                }
              }
              int divisor =
                  a.divisorOverride() != 0
                      ? a.divisorOverride()
                      : a.countIncludePad() ? padded : inside;
              assertThat(Operands.at(y, n, c, r, q)).isCloseTo(sum / divisor, within(1e-6));
              for (int i = Math.max(0, top); i < Math.min(8, top + a.kernelH()); i++) {
                for (int j = Math.max(0, left); j < Math.min(9, left + a.kernelW()); j++) {
                  expected[n * 2 + c][i][j] += Operands.at(dy, n, c, r, q) / divisor;
                }
              }
            });
        each(
            dx,
            (n, c, r, q) ->
                assertThat(Operands.at(dx, n, c, r, q))
                    .isCloseTo(expected[n * 2 + c][r][q], within(1e-6)));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"FLOAT32", "FLOAT64"})
  void adaptiveWindowsCoverTheImage(DType dtype) {
    int[][] sizes = {{1, 1}, {3, 2}, {7, 5}, {9, 11}};
    for (int[] size : sizes) {
      try (var operands = new Operands(dtype)) {
        Strided x = operands.random(2, 2, 7, 5);
        Strided y = operands.fresh(2, 2, size[0], size[1]);
        Strided best = operands.fresh(2, 2, size[0], size[1]);
        Strided places = operands.fresh(DType.INT64, 2, 2, size[0], size[1]);
        Strided dy = operands.random(2, 2, size[0], size[1]);
        Strided dx = operands.fresh(2, 2, 7, 5);
        double[][][] expected = new double[4][7][5];

        JavaPooling.adaptiveAverage(y, x);
        JavaPooling.adaptiveMax(best, places, x);
        JavaPooling.adaptiveAverageGradient(dx, dy);

        each(
            y,
            (n, c, r, q) -> {
              int top = r * 7 / size[0];
              int bottom = ((r + 1) * 7 + size[0] - 1) / size[0];
              int left = q * 5 / size[1];
              int right = ((q + 1) * 5 + size[1] - 1) / size[1];
              double sum = 0;
              double most = Double.NEGATIVE_INFINITY;
              int count = (bottom - top) * (right - left);
              for (int i = top; i < bottom; i++) {
                for (int j = left; j < right; j++) {
                  sum += Operands.at(x, n, c, i, j);
                  most = Math.max(most, Operands.at(x, n, c, i, j));
                  expected[n * 2 + c][i][j] += Operands.at(dy, n, c, r, q) / count;
                }
              }
              assertThat(Operands.at(y, n, c, r, q)).isCloseTo(sum / count, within(1e-6));
              assertThat(Operands.at(best, n, c, r, q)).isEqualTo(most);
              long place = (long) Operands.at(places, n, c, r, q);
              assertThat(Operands.at(x, n, c, place / 5, place % 5)).isEqualTo(most);
            });
        each(
            dx,
            (n, c, r, q) ->
                assertThat(Operands.at(dx, n, c, r, q))
                    .isCloseTo(expected[n * 2 + c][r][q], within(1e-6)));
      }
    }
  }

  private interface Element {
    void at(int n, int c, int r, int q);
  }

  private static void each(Strided x, Element element) {
    for (int n = 0; n < x.size(0); n++) {
      for (int c = 0; c < x.size(1); c++) {
        for (int r = 0; r < x.size(2); r++) {
          for (int q = 0; q < x.size(3); q++) {
            element.at(n, c, r, q);
          }
        }
      }
    }
  }

  private static org.assertj.core.data.Offset<Double> within(double distance) {
    return org.assertj.core.data.Offset.offset(distance);
  }
}
