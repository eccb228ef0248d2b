package taper.cpu.products;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.tensor.DType;

/// One implementation of [Products] under test, for one type.
record Implementation(String name, Products products, DType dtype) {

  static Stream<Arguments> all() {
    return Stream.of(DType.FLOAT32, DType.FLOAT64)
        .flatMap(dtype -> of(dtype).stream())
        .map(Arguments::of);
  }

  private static List<Implementation> of(DType dtype) {
    var all = new ArrayList<Implementation>();
    all.add(new Implementation("java", new JavaProducts(), dtype));
    CpuFeatures features = CpuFeatures.current();
    if (features.unavailable() == null) {
      for (Isa isa : Isa.values()) {
        if (isa.ordinal() <= features.isa().ordinal()) {
          all.add(new Implementation(isa.name(), new X86Products(isa), dtype));
        }
      }
    }
    return all;
  }

  /// How far a sum of `terms` products of numbers up to 1 may be off.
  double tolerance(long terms) {
    return (dtype == DType.FLOAT32 ? 2e-7 : 4e-16) * (terms + 4);
  }

  @Override
  public String toString() {
    return name + " " + dtype;
  }
}
