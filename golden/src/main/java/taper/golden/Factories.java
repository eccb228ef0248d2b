package taper.golden;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.Complex;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// What the expressions of the set `inference` are in Taper.
final class Factories {
  private static final Map<String, Supplier<Tensor>> EXPRESSIONS =
      Map.ofEntries(
          Map.entry("tensor(True)", () -> Tensor.scalar(true)),
          Map.entry("tensor(1)", () -> Tensor.scalar(1)),
          Map.entry("tensor(1.0)", () -> Tensor.scalar(1.0)),
          Map.entry("tensor(1j)", () -> Tensor.scalar(Complex.I)),
          Map.entry("tensor([])", () -> Tensor.empty(DType.defaultFloating(), 0)),
          Map.entry("tensor([True, 2])", () -> Tensor.of(new long[] {1, 2})),
          Map.entry("as_tensor([1, 2])", () -> Tensor.of(new long[] {1, 2})),
          Map.entry("tensor([True, 1.5])", () -> ofNumbers(1, 1.5)),
          Map.entry("tensor([1, 2.5])", () -> ofNumbers(1, 2.5)),
          Map.entry(
              "tensor([1.0, 1j])",
              () ->
                  Tensor.of(new Complex[] {Complex.of(1), Complex.I})
                      .to(DType.defaultFloating().toComplex())),
          Map.entry("full((2,), 1)", () -> Tensor.full(DType.INT64, 1, 2)),
          Map.entry("full((2,), 1.5)", () -> Tensor.full(DType.defaultFloating(), 1.5, 2)),
          Map.entry("full((2,), True)", () -> Tensor.full(DType.BOOL, 1, 2)),
          Map.entry(
              "full((2,), 1j)",
              () -> Tensor.full(DType.defaultFloating().toComplex(), Complex.I, 2)),
          Map.entry("scalar_tensor(1)", () -> Tensor.scalar(1.0)),
          Map.entry("Tensor([1])", () -> ofNumbers(1)),
          Map.entry("float tensor * 1j", () -> Tensor.ones(1).mul(Complex.I)),
          Map.entry("complex(f32, f32)", () -> Tensor.complex(Tensor.ones(1), Tensor.ones(1))),
          Map.entry("arange(3)", () -> Tensor.arange(3)),
          Map.entry("arange(3.0)", () -> Tensor.arange(0, 3.0, 1)),
          Map.entry("zeros(2)", () -> Tensor.zeros(2)),
          Map.entry("ones(2)", () -> Tensor.ones(2)),
          Map.entry("eye(2)", () -> Tensor.eye(2)),
          Map.entry("linspace(0, 1, 3)", () -> Tensor.linspace(0, 1, 3)),
          Map.entry("logspace(0, 1, 3)", () -> Tensor.logspace(0, 1, 3)),
          Map.entry("bartlett_window(4)", () -> Tensor.bartlettWindow(4)),
          Map.entry("hann_window(4)", () -> Tensor.hannWindow(4)),
          Map.entry("one_hot", () -> whole(1).oneHot(2)),
          Map.entry("bucketize", () -> Tensor.ones(1).bucketize(ofNumbers(0, 2))),
          Map.entry("randperm(0)", () -> Tensor.randperm(0)),
          Map.entry("FloatTensor([1])", () -> Tensor.of(new float[] {1})),
          Map.entry("int / int", () -> whole(1).div(whole(2))),
          Map.entry("int tensor * 2.5", () -> whole(1).mul(2.5)),
          Map.entry("sqrt(int)", () -> whole(4).sqrt()));

  private Factories() {}

  private static Tensor whole(long value) {
    return Tensor.of(new long[] {value});
  }

  /// Python's floating numbers, which have the default type.
  private static Tensor ofNumbers(double... values) {
    return Tensor.of(values).to(DType.defaultFloating());
  }

  static Outcome run(
      String expression, DType byDefault, Function<Supplier<@Nullable Object>, Outcome> run) {
    Supplier<Tensor> ours = EXPRESSIONS.get(expression);
    if (ours == null) {
      return new Outcome.Unsupported(expression + " with " + byDefault + " as the default");
    }
    return run.apply(() -> {
      try (var _ = DType.withDefault(byDefault)) {
        return ours.get();
      }
    });
  }
}
