package taper.cpu.x86;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import taper.cpu.Guarded;
import taper.cpu.GuardedMemory;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Parallel;
import taper.tensor.Creation;
import taper.tensor.DType;
import taper.tensor.Parameters;
import taper.tensor.internal.Elements;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Kernel;
import taper.tensor.spi.Strided;

/// Formulas over guarded memory, of every size around the vector widths, stride, offset and type.
class PointwiseKernelTest {
  private static final int[] SIZES = {0, 1, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 67, 131, 1009};
  private static final Formula X = Formula.input(0);
  private static final Formula Y = Formula.input(1);
  private static final Formula MIXED =
      Formula.select(X, Comparison.LESS, Y, X.times(Formula.parameter(0)), X.plus(Y.squared()));

  private final int threads = Parallel.threads();

  @AfterEach
  void restore() {
    Parallel.setThreads(threads);
  }

  static Stream<Isa> isas() {
    return FunctionsTest.isas().stream();
  }

  private static Kernel kernel(Isa isa, Formula f, boolean wide, List<DType> in, DType out) {
    return Objects.requireNonNull(PointwiseKernel.of(isa, f, wide, in, out));
  }

  private static void expect(
      Formula f, double[] parameters, Strided out, double tolerance, Strided... in) {
    var y = new Elements(out);
    Elements[] x = Arrays.stream(in).map(Elements::new).toArray(Elements[]::new);
    for (long i = 0; i < out.numel(); i++) {
      long at = i;
      double[] values = Arrays.stream(x).mapToDouble(e -> e.at(at)).toArray();
      double expected = f.at(values, parameters);
      assertThat(Math.abs(y.at(i) - expected))
          .as("element %s of %s: %s, expected %s", i, out, y.at(i), expected)
          .isLessThanOrEqualTo(tolerance * (1 + Math.abs(expected)));
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void contiguousOperandsOfAllSizes(Isa isa) {
    var random = new Random(3);
    for (boolean wide : new boolean[] {false, true}) {
      DType type = wide ? DType.FLOAT64 : DType.FLOAT32;
      Kernel kernel = kernel(isa, MIXED, wide, List.of(type, type), type);
      for (int n : SIZES) {
        for (GuardedMemory.Side side : GuardedMemory.Side.values()) {
          for (int offset : new int[] {0, 1, 3}) {
            long[] sizes = {n};
            long[] strides = {1};
            try (Guarded x = Guarded.of(type, side, offset, sizes, strides).fill(random);
                Guarded y = Guarded.of(type, side, 0, sizes, strides).fill(random);
                Guarded out = Guarded.of(type, side, 2 * offset, sizes, strides)) {
              kernel.run(
                  Parameters.of(0.5),
                  new Strided[] {out.strided()},
                  new Strided[] {x.strided(), y.strided()});

              expect(MIXED, new double[] {0.5}, out.strided(), 1e-6, x.strided(), y.strided());
            }
          }
        }
      }
    }
  }

  private static Stream<DType> realTypes() {
    return Stream.of(DType.values()).filter(dtype -> !dtype.isComplex());
  }

  static Stream<Arguments> conversions() {
    return isas()
        .flatMap(isa ->
            realTypes()
                .flatMap(from ->
                    realTypes()
                        .filter(to -> Conversions.to(isa, from, to) != null)
                        .map(to -> Arguments.of(isa, from, to))));
  }

  @ParameterizedTest
  @MethodSource("conversions")
  void conversionsOfAllTypes(Isa isa, DType from, DType to) {
    var random = new Random(4);
    Kernel kernel = Objects.requireNonNull(Conversions.to(isa, from, to));
    for (int n : SIZES) {
      for (GuardedMemory.Side side : GuardedMemory.Side.values()) {
        try (Guarded x = Guarded.of(from, side, 1, new long[] {n}, new long[] {1}).fill(random);
            Guarded out = Guarded.of(to, side, 0, new long[] {n}, new long[] {1})) {
          kernel.run(Parameters.NONE, new Strided[] {out.strided()}, new Strided[] {x.strided()});

          var read = new Elements(x.strided());
          var written = new Elements(out.strided());
          try (Guarded expected =
              Guarded.of(to, GuardedMemory.Side.AFTER, 0, new long[] {1}, new long[] {1})) {
            var one = new Elements(expected.strided());
            for (int i = 0; i < n; i++) {
              one.set(0, read.at(i));
              assertThat(written.at(i)).as("%s of %s", i, n).isEqualTo(one.at(0));
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void fillingsOfAllTypes(Isa isa) {
    for (DType dtype : realTypes().toList()) {
      Kernel kernel = Objects.requireNonNull(Conversions.fill(isa, dtype));
      for (int n : SIZES) {
        try (Guarded out =
            Guarded.of(dtype, GuardedMemory.Side.AFTER, 0, new long[] {n}, new long[] {1})) {
          kernel.run(new Creation.Fill(1, 1), new Strided[] {out.strided()}, new Strided[0]);

          var written = new Elements(out.strided());
          for (int i = 0; i < n; i++) {
            assertThat(written.at(i)).isEqualTo(1);
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void wholeNumbersAreFilledExactly(Isa isa) {
    long value = 0x7F812345_7FF01234L;
    for (DType dtype : new DType[] {DType.INT64, DType.INT32, DType.INT16, DType.INT8}) {
      Kernel kernel = Objects.requireNonNull(Conversions.fill(isa, dtype));
      try (Guarded out =
          Guarded.of(dtype, GuardedMemory.Side.AFTER, 0, new long[] {5}, new long[] {1})) {
        kernel.run(new Creation.Fill(value, value), new Strided[] {out.strided()}, new Strided[0]);

        long kept = value << 64 - 8 * dtype.byteSize() >> 64 - 8 * dtype.byteSize();
        assertThat(new Elements(out.strided()).wholeAt(4)).isEqualTo(kept);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void anyStrides(Isa isa) {
    var random = new Random(5);
    long[] sizes = {3, 5, 17};
    long[][] layouts = {
      {85, 17, 1},
      {0, 0, 1},
      {0, 1, 0},
      {1, 3, 15},
      {170, 34, 2},
      {0, 0, 0},
      {90, 18, 1},
      {17, 51, 1}
    };
    for (DType type : new DType[] {DType.FLOAT32, DType.FLOAT64}) {
      Kernel kernel = kernel(isa, MIXED, type == DType.FLOAT64, List.of(type, type), type);
      for (long[] first : layouts) {
        for (long[] second : layouts) {
          for (long[] result : new long[][] {layouts[0], layouts[3], layouts[4], layouts[7]}) {
            try (Guarded x =
                    Guarded.of(type, GuardedMemory.Side.AFTER, 1, sizes, first).fill(random);
                Guarded y =
                    Guarded.of(type, GuardedMemory.Side.BEFORE, 0, sizes, second).fill(random);
                Guarded out = Guarded.of(type, GuardedMemory.Side.AFTER, 0, sizes, result)) {
              kernel.run(
                  Parameters.of(2),
                  new Strided[] {out.strided()},
                  new Strided[] {x.strided(), y.strided()});

              expect(MIXED, new double[] {2}, out.strided(), 1e-6, x.strided(), y.strided());
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void comparisonsGiveTruthValues(Isa isa) {
    var random = new Random(6);
    for (Comparison comparison : Comparison.values()) {
      Formula f = Formula.compare(X, comparison, Y);
      Kernel kernel = kernel(isa, f, false, List.of(DType.FLOAT32, DType.FLOAT32), DType.BOOL);
      long[] sizes = {37};
      try (Guarded x =
              Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, new long[] {1})
                  .fill(random);
          Guarded y =
              Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, new long[] {0});
          Guarded out =
              Guarded.of(DType.BOOL, GuardedMemory.Side.AFTER, 0, sizes, new long[] {1})) {
        new Elements(x.strided()).set(3, Double.NaN);
        new Elements(x.strided()).set(4, 0.0);
        kernel.run(
            Parameters.NONE,
            new Strided[] {out.strided()},
            new Strided[] {x.strided(), y.strided()});

        expect(f, new double[0], out.strided(), 0, x.strided(), y.strided());
      }
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void resultsDoNotDependOnTheNumberOfThreads(Isa isa) {
    Formula f = Formula.tanh(X).times(Formula.sigmoid(Y));
    Kernel kernel = kernel(isa, f, false, List.of(DType.FLOAT32, DType.FLOAT32), DType.FLOAT32);
    var random = new Random(7);
    int rows = 61;
    int columns = 2003;
    long[] sizes = {rows, columns};
    try (Guarded x =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, new long[] {columns, 1})
                .fill(random);
        Guarded y =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, new long[] {1, 0})
                .fill(random);
        Guarded once =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, new long[] {columns, 1});
        Guarded again =
            Guarded.of(
                DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, new long[] {columns, 1})) {
      Parallel.setThreads(1);
      kernel.run(
          Parameters.NONE,
          new Strided[] {once.strided()},
          new Strided[] {x.strided(), y.strided()});
      Parallel.setThreads(3);
      kernel.run(
          Parameters.NONE,
          new Strided[] {again.strided()},
          new Strided[] {x.strided(), y.strided()});

      assertThat(once.memory().segment().mismatch(again.memory().segment())).isEqualTo(-1);
      expect(f, new double[0], once.strided(), 1e-6, x.strided(), y.strided());
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void deepFormulasSpillToTheStack(Isa isa) {
    // Forty inputs of a sum that are all alive until the last is known.
    Formula[] parts =
        IntStream.range(1, 40).mapToObj(i -> X.times(i).plus(Y)).toArray(Formula[]::new);
    Formula product = parts[0];
    for (Formula part : parts) {
      product = Formula.maximum(product, part);
    }
    Formula f = product;
    for (int i = parts.length - 1; i >= 0; i--) {
      f = f.plus(parts[i]);
    }
    PointwiseKernel kernel =
        PointwiseKernel.of(isa, f, false, List.of(DType.FLOAT32, DType.FLOAT32), DType.FLOAT32);
    if (kernel == null) {
      assertThat(isa).isEqualTo(Isa.AVX2); // too many for its registers and the stack frame: Java's
      return;
    }
    var random = new Random(8);
    long[] sizes = {37};
    long[] strides = {1};
    try (Guarded x =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, strides).fill(random);
        Guarded y =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, strides).fill(random);
        Guarded out = Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, strides)) {
      kernel.run(
          Parameters.NONE, new Strided[] {out.strided()}, new Strided[] {x.strided(), y.strided()});

      expect(f, new double[0], out.strided(), 1e-5, x.strided(), y.strided());
    }
  }

  @ParameterizedTest
  @MethodSource("isas")
  void anOutputMayBeItsInput(Isa isa) {
    Kernel kernel =
        kernel(isa, X.times(Y), false, List.of(DType.FLOAT32, DType.FLOAT32), DType.FLOAT32);
    var random = new Random(9);
    long[] sizes = {211};
    long[] strides = {1};
    try (Guarded x =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, strides).fill(random);
        Guarded copy = Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, strides);
        Guarded y =
            Guarded.of(DType.FLOAT32, GuardedMemory.Side.AFTER, 0, sizes, strides).fill(random)) {
      copy.memory().segment().copyFrom(x.memory().segment());
      kernel.run(
          Parameters.NONE, new Strided[] {x.strided()}, new Strided[] {x.strided(), y.strided()});

      expect(X.times(Y), new double[0], x.strided(), 1e-6, copy.strided(), y.strided());
    }
  }
}
