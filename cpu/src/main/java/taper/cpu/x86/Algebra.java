package taper.cpu.x86;

import org.jspecify.annotations.Nullable;
import taper.cpu.x86.Program.Value;
import taper.tensor.spi.Formula.Arithmetic;
import taper.tensor.spi.Formula.Comparison;
import taper.tensor.spi.Formula.Function;

/// What a [Translation] needs to know of the lanes of a program: numbers and what is done with them.
sealed interface Algebra permits Lane, WholeLane {

  /// `value` in all lanes.
  Value constant(double value);

  /// `function` of `x`, or null if it exists in Java only.
  @Nullable Value one(Function function, Value x);

  /// `arithmetic` of `x` and `y`, or null if it exists in Java only.
  @Nullable Value two(Arithmetic arithmetic, Value x, Value y);

  /// `then` where the comparison holds, `otherwise` elsewhere.
  Value select(Value x, Comparison comparison, Value y, Value then, Value otherwise);

  /// `x · y + z`.
  Value fma(Value x, Value y, Value z);

  /// `x · y - z`.
  Value fms(Value x, Value y, Value z);

  /// `z - x · y`.
  Value fnma(Value x, Value y, Value z);
}
