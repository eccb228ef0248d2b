package taper.cpu.products;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.parallel.Scratch;
import taper.tensor.DType;
import taper.tensor.spi.Strided;

/// The assembled copies, between unreadable pages on both sides.
class CopiesTest {

  private static List<Lanes> allLanes() {
    var all = new ArrayList<Lanes>();
    CpuFeatures features = CpuFeatures.current();
    if (features.unavailable() == null) {
      for (Isa isa : Isa.values()) {
        if (isa.ordinal() <= features.isa().ordinal()) {
          all.add(new Lanes(isa, 4));
          all.add(new Lanes(isa, 8));
        }
      }
    }
    return all;
  }

  private static DType type(Lanes lanes) {
    return lanes.wide() ? DType.FLOAT64 : DType.FLOAT32;
  }

  @Test
  void planesAreCopiedAndNothingElseIsTouched() {
    for (Lanes lanes : allLanes()) {
      int l = lanes.count();
      for (int length : new int[] {1, 2, l - 1, l, l + 1, 2 * l + 3, 4 * l, 6 * l, 6 * l + 1}) {
        try (var operands = new Operands(type(lanes))) {
          Strided from = operands.random(2, 3, length);
          Strided to = operands.fresh(2, 3, length);
          long row = (long) length * lanes.bytes();
          long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);

          PlaneCopy.run(
              block,
              lanes,
              false,
              from.address(),
              row,
              3 * row,
              to.address(),
              row,
              3 * row,
              length,
              3,
              2);

          assertThat(to.memory().mismatch(from.memory())).as("%s %d", lanes, length).isEqualTo(-1);
        }
      }
    }
  }

  @Test
  void stripsAreTransposedWithoutReadingOutside() {
    for (boolean wide : new boolean[] {false, true}) {
      if (allLanes().isEmpty()) {
        return;
      }
      for (int rows = 1; rows <= Transposition.side(wide); rows++) {
        for (int length : new int[] {1, 3, 4, 5, 7, 8, 9, 16, 31}) {
          try (var operands = new Operands(wide ? DType.FLOAT64 : DType.FLOAT32)) {
            int es = wide ? 8 : 4;
            Strided from = operands.random(rows, length);
            // Whole registers are written: a row has room for one.
            Strided to = operands.fresh(length, 8);
            long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);

            Transposition.run(
                block,
                wide,
                rows,
                length,
                from.address(),
                (long) length * es,
                to.address(),
                8 * es);

            for (int r = 0; r < rows; r++) {
              for (int p = 0; p < length; p++) {
                assertThat(Operands.at(to, p, r)).isEqualTo(Operands.at(from, r, p));
              }
            }
          }
        }
      }
    }
  }

  @Test
  void wideStripsAreTransposedWithoutReadingOutside() {
    for (Lanes lanes : allLanes()) {
      if (!lanes.masks()) {
        continue;
      }
      boolean wide = lanes.wide();
      int side = WideTransposition.side(wide);
      for (int rows = 1; rows <= side; rows++) {
        for (int length : new int[] {1, 3, 7, 8, 9, 15, 16, 17, 31, 32, 50}) {
          try (var operands = new Operands(wide ? DType.FLOAT64 : DType.FLOAT32)) {
            int es = lanes.bytes();
            Strided from = operands.random(rows, length);
            // Whole registers are written: a row has room for one.
            Strided to = operands.fresh(length, side);
            long block = Scratch.ofThread().address(Scratch.Use.ARGUMENTS, 4096);

            WideTransposition.run(
                block,
                wide,
                rows,
                length,
                from.address(),
                (long) length * es,
                to.address(),
                (long) side * es);

            for (int r = 0; r < side; r++) {
              for (int p = 0; p < length; p++) {
                double expected = r < rows ? Operands.at(from, r, p) : 0;
                assertThat(Operands.at(to, p, r)).isEqualTo(expected);
              }
            }
          }
        }
      }
    }
  }

  @Test
  void peaksAreMeasured() {
    for (Lanes lanes : allLanes()) {
      assertThat(Peaks.multiplyAdds(lanes.isa(), lanes.wide(), 20)).isPositive();
      assertThat(Peaks.copiedBytes(lanes.isa(), 1 << 16, 20)).isPositive();
    }
  }
}
