package taper.cpu.separable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.products.Operands;
import taper.tensor.DType;
import taper.tensor.Resizing.Mode;
import taper.tensor.Resizing.Outside;
import taper.tensor.Resizing.Sampling;
import taper.tensor.internal.ReferenceGridSample;
import taper.tensor.spi.SamplingKernel;
import taper.tensor.spi.Strided;

class SampledImagesTest {
  @ParameterizedTest
  @EnumSource(Isa.class)
  void placesInsideAndOutsideGiveWhatTheReferenceGives(Isa isa) {
    CpuFeatures features = CpuFeatures.current();
    if (features.unavailable() != null || isa.ordinal() > features.isa().ordinal()) {
      return;
    }
    var reference = (SamplingKernel) ReferenceGridSample.SAMPLE;
    for (Mode mode : Mode.values()) {
      for (Outside outside : Outside.values()) {
        for (int width : new int[] {1, 7, 16, 17, 300}) {
          try (var operands = new Operands(DType.FLOAT32)) {
            var sampling = new Sampling(mode, outside, false);
            Strided x = operands.random(2, 3, 6, 5);
            Strided grid = operands.random(2, 2, width, 2);
            for (int i = 0; i < width; i += 3) {
              Operands.put(grid, 1.5, 0, 0, i, 0);
              Operands.put(grid, -7, 1, 1, i, 1);
            }
            Strided y = operands.fresh(2, 3, 2, width);
            Strided expected = operands.fresh(2, 3, 2, width);
            Strided[] in = {x, grid};

            new SampledImages(isa, reference).run(sampling, new Strided[] {y}, in);

            reference.run(sampling, new Strided[] {expected}, in);
            long[] index = new long[4];
            for (long i = 0; i < y.numel(); i++) {
              assertThat(Operands.at(y, index))
                  .as("%s %s %s, element %d of rows of %d", isa, mode, outside, i, width)
                  .isCloseTo(Operands.at(expected, index), within(1e-5));
              Operands.next(index, y.sizes());
            }
          }
        }
      }
    }
  }
}
