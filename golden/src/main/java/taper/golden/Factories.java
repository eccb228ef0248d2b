package taper.golden;

import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// What the expressions of the set `inference` are in Taper.
final class Factories {
  private static final Map<String, Supplier<Tensor>> EXPRESSIONS =
      Map.ofEntries(
          Map.entry("tensor(True)", () -> Tensor.scalar(true)),
          Map.entry("tensor(1)", () -> Tensor.scalar(1)),
          Map.entry("tensor(1.0)", () -> Tensor.scalar(1.0)),
          Map.entry("arange(3)", () -> Tensor.arange(3)),
          Map.entry("arange(3.0)", () -> Tensor.arange(0, 3.0, 1)),
          Map.entry("zeros(2)", () -> Tensor.zeros(2)),
          Map.entry("ones(2)", () -> Tensor.ones(2)),
          Map.entry("eye(2)", () -> Tensor.eye(2)),
          Map.entry("linspace(0, 1, 3)", () -> Tensor.linspace(0, 1, 3)),
          Map.entry("randperm(0)", () -> Tensor.randperm(0)),
          Map.entry("FloatTensor([1])", () -> Tensor.of(new float[] {1})),
          Map.entry("int / int", () -> whole(1).div(whole(2))),
          Map.entry("int tensor * 2.5", () -> whole(1).mul(2.5)),
          Map.entry("sqrt(int)", () -> whole(4).sqrt()));

  private Factories() {}

  private static Tensor whole(long value) {
    return Tensor.of(new long[] {value});
  }

  static Outcome run(
      String expression, DType byDefault, Function<Supplier<@Nullable Object>, Outcome> run) {
    Supplier<Tensor> ours = EXPRESSIONS.get(expression);
    if (ours == null || byDefault != DType.FLOAT32) {
      return new Outcome.Unsupported(expression + " with " + byDefault + " as the default");
    }
    return run.apply(ours::get);
  }
}
