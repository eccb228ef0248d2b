package taper.cpu.plain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.cpu.Guarded;
import taper.cpu.GuardedMemory;
import taper.cpu.parallel.Parallel;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Formulas in plain Java over guarded memory, of all types, functions, sizes and strides.
class BlockKernelTest {
  private static final Formula X = Formula.input(0);
  private static final Formula Y = Formula.input(1);
  private static final Formula MIXED =
      Formula.select(X, Comparison.LESS, Y, X.times(Formula.parameter(0)), X.plus(Y.squared()));

  private static final String WHOLE_NUMBERS_ONLY = "BIT_.*|SHIFT_.*|GCD|LCM";
  private static final String POLYNOMIALS = ".*CHEBYSHEV.*|HERMITE.*|LAGUERRE|LEGENDRE";

  private final int threads = Parallel.threads();

  @AfterEach
  void restore() {
    Parallel.setThreads(threads);
  }

  private static void check(Formula f, DType dtype, double parameter, Guarded out, Guarded... in) {
    Strided[] inputs = new Strided[in.length];
    for (int i = 0; i < in.length; i++) {
      inputs[i] = in[i].strided();
    }
    new BlockKernel(f, in.length, dtype)
        .run(Parameters.of(parameter), new Strided[] {out.strided()}, inputs);
    double precision = dtype == DType.FLOAT64 ? 1e-15 : 2e-7;
    for (long i = 0; i < out.strided().numel(); i++) {
      if (!dtype.isFloatingPoint()) {
        long[] x = new long[in.length];
        for (int k = 0; k < x.length; k++) {
          x[k] = new Elements(inputs[k]).wholeAt(i);
        }
        long expected = f.at(x, new long[] {(long) parameter});
        int unused = 64 - 8 * out.strided().dtype().byteSize();
        boolean signed = out.strided().dtype() != DType.UINT8;
        expected = signed ? expected << unused >> unused : expected & 255;
        assertThat(new Elements(out.strided()).wholeAt(i)).isEqualTo(expected);
      } else {
        double[] x = new double[in.length];
        for (int k = 0; k < x.length; k++) {
          x[k] = in[k].at(i);
        }
        double expected = f.at(x, new double[] {parameter});
        double actual = out.at(i);
        if (Double.compare(expected, actual) != 0
            && !(dtype == DType.FLOAT32 && (float) expected == actual)) {
          assertThat(Math.abs(actual - expected))
              .as("%s at %s", f, x[0])
              .isLessThanOrEqualTo(precision * (1 + Math.abs(expected)));
        }
      }
    }
  }

  @Test
  void allSizesAndTypes() {
    var random = new Random(1);
    for (DType dtype :
        new DType[] {
          DType.FLOAT32,
          DType.FLOAT64,
          DType.INT64,
          DType.INT32,
          DType.INT16,
          DType.INT8,
          DType.UINT8
        }) {
      for (int n : new int[] {0, 1, 7, 64, 1023, 1024, 1025, 5003}) {
        for (GuardedMemory.Side side : GuardedMemory.Side.values()) {
          long[] sizes = {n};
          long[] strides = {1};
          try (Guarded x = Guarded.of(dtype, side, 1, sizes, strides).fill(random);
              Guarded y = Guarded.of(dtype, side, 0, sizes, strides).fill(random);
              Guarded out = Guarded.of(dtype, side, 2, sizes, strides)) {
            check(MIXED, dtype, 3, out, x, y);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(value = Function.class, mode = EnumSource.Mode.EXCLUDE, names = "BIT_NOT")
  void allFunctions(Function function) {
    try (Guarded x = Guarded.of(DType.FLOAT32, 97).fill(new Random(2));
        Guarded out = Guarded.of(DType.FLOAT32, 97);
        Guarded wide = Guarded.of(DType.FLOAT64, 97).fill(new Random(3));
        Guarded wideOut = Guarded.of(DType.FLOAT64, 97)) {
      check(Formula.apply(function, X), DType.FLOAT32, 0, out, x);
      check(Formula.apply(function, X), DType.FLOAT64, 0, wideOut, wide);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Arithmetic.class,
      mode = EnumSource.Mode.MATCH_NONE,
      names = {WHOLE_NUMBERS_ONLY, POLYNOMIALS})
  void allArithmetic(Arithmetic arithmetic) {
    try (Guarded x = Guarded.of(DType.FLOAT32, 97).fill(new Random(2));
        Guarded y = Guarded.of(DType.FLOAT32, 97).fill(new Random(3));
        Guarded out = Guarded.of(DType.FLOAT32, 97)) {
      check(Formula.apply(arithmetic, X, Y), DType.FLOAT32, 0, out, x, y);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Arithmetic.class,
      mode = EnumSource.Mode.MATCH_ANY,
      names = WHOLE_NUMBERS_ONLY)
  void arithmeticOfWholeNumbersOnly(Arithmetic arithmetic) {
    try (Guarded x = Guarded.of(DType.INT64, 97).fill(new Random(2));
        Guarded y = Guarded.of(DType.INT64, 97).fill(new Random(3));
        Guarded out = Guarded.of(DType.INT64, 97)) {
      check(Formula.apply(arithmetic, X, Y), DType.INT64, 0, out, x, y);
    }
  }

  @ParameterizedTest
  @EnumSource(value = Arithmetic.class, mode = EnumSource.Mode.MATCH_ANY, names = POLYNOMIALS)
  void polynomials(Arithmetic polynomial) {
    try (Guarded x = Guarded.of(DType.FLOAT64, 97).fill(new Random(2));
        Guarded degree = Guarded.of(DType.FLOAT64, 97);
        Guarded out = Guarded.of(DType.FLOAT64, 97)) {
      for (int i = 0; i < 97; i++) {
        new Elements(degree.strided()).set(i, i % 12);
      }

      check(Formula.apply(polynomial, X, Y), DType.FLOAT64, 0, out, x, degree);
    }
  }

  @Test
  void anyStrides() {
    var random = new Random(5);
    long[] sizes = {3, 5, 17};
    long[][] layouts = {
      {85, 17, 1}, {0, 0, 1}, {0, 1, 0}, {1, 3, 15}, {170, 34, 2}, {0, 0, 0}, {17, 51, 1}
    };
    for (long[] first : layouts) {
      for (long[] second : layouts) {
        for (long[] result : new long[][] {layouts[0], layouts[3], layouts[4], layouts[6]}) {
          try (Guarded x =
                  Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 1, sizes, first)
                      .fill(random);
              Guarded y =
                  Guarded.of(DType.FLOAT32, GuardedMemory.Side.BEFORE, 0, sizes, second)
                      .fill(random);
              Guarded out = Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, result)) {
            check(MIXED, DType.FLOAT32, 2, out, x, y);
          }
        }
      }
    }
  }

  @Test
  void resultsDoNotDependOnTheNumberOfThreads() {
    try (Guarded x = Guarded.of(DType.FLOAT32, 50_003).fill(new Random(6));
        Guarded once = Guarded.of(DType.FLOAT32, 50_003);
        Guarded again = Guarded.of(DType.FLOAT32, 50_003)) {
      Kernel kernel = new BlockKernel(Formula.sin(X), 1, DType.FLOAT32);
      Parallel.setThreads(1);
      kernel.run(Parameters.NONE, new Strided[] {once.strided()}, new Strided[] {x.strided()});
      Parallel.setThreads(3);
      kernel.run(Parameters.NONE, new Strided[] {again.strided()}, new Strided[] {x.strided()});

      assertThat(once.memory().segment().mismatch(again.memory().segment())).isEqualTo(-1);
    }
  }

  @Test
  void conversionsRoundAndWrap() {
    var real = Stream.of(DType.values()).filter(dtype -> !dtype.isComplex()).toList();
    for (DType from : real) {
      for (DType to : real) {
        try (Guarded x = Guarded.of(from, 37).fill(new Random(7));
            Guarded out = Guarded.of(to, 37);
            Guarded one = Guarded.of(to, 1)) {
          BlockKernel.conversion(from)
              .run(Parameters.NONE, new Strided[] {out.strided()}, new Strided[] {x.strided()});

          for (int i = 0; i < 37; i++) {
            new Elements(one.strided()).set(0, x.at(i));
            assertThat(out.at(i)).as("%s to %s", from, to).isEqualTo(one.at(0));
          }
        }
      }
    }
  }

  @Test
  void divisionOfWholeNumbersByZeroSurfaces() {
    try (Guarded x = Guarded.of(DType.INT64, 5);
        Guarded out = Guarded.of(DType.INT64, 5)) {
      var kernel = new BlockKernel(Formula.apply(Arithmetic.REMAINDER, X, Y), 2, DType.INT64);

      assertThatThrownBy(() ->
              kernel.run(
                  Parameters.NONE,
                  new Strided[] {out.strided()},
                  new Strided[] {x.strided(), x.strided()}))
          .isInstanceOf(ArgumentException.class)
          .hasMessage(
              "remainder: whole numbers must not be divided by 0, but a divisor is 0. Convert the"
                  + " tensors with .to(DType.FLOAT32) for infinities.");
    }
  }
}
