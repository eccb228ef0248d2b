package taper.tensor;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.tensor.internal.Context;

/// How tensors are printed: `x.toString(o -> o.precision(8))`, or for all of a block,
/// `try (var _ = PrintOptions.use(o -> o.precision(8)))`. Immutable.
///
/// @param precision digits after the point
/// @param threshold up to how many elements a tensor is printed whole
/// @param edgeItems how many indices at either end of a dimension are printed of larger ones
/// @param lineWidth in characters
/// @param sciMode whether numbers have exponents; null to decide by their size
public record PrintOptions(
    int precision, long threshold, int edgeItems, int lineWidth, @Nullable Boolean sciMode) {
  /// PyTorch's: 4 digits, 1000 elements, 3 at the edges, 80 characters.
  public static final PrintOptions DEFAULT = new PrintOptions(4, 1000, 3, 80, null);

  /// Checks the numbers.
  ///
  /// @throws ArgumentException if one of them is negative, or a line is empty
  public PrintOptions {
    if (precision < 0 || threshold < 0 || edgeItems < 0 || lineWidth < 1) {
      throw new ArgumentException(
          "PrintOptions: precision, threshold and edgeItems must not be negative and lineWidth must"
              + " be"
              + " positive, but they are %d, %d, %d and %d."
                  .formatted(precision, threshold, edgeItems, lineWidth));
    }
  }

  /// Those in force on this thread.
  public static PrintOptions current() {
    Object options = Context.current().printOptions;
    return options == null ? DEFAULT : (PrintOptions) options;
  }

  /// Changes those in force on this thread until the guard is closed.
  public static Guard use(UnaryOperator<PrintOptions> options) {
    return Setting.of("PrintOptions.use", Setting.Mode.PRINTING, options.apply(current()));
  }

  /// The same with that many digits after the point.
  public PrintOptions precision(int digits) {
    return new PrintOptions(digits, threshold, edgeItems, lineWidth, sciMode);
  }

  /// The same, printing tensors of up to that many elements whole.
  public PrintOptions threshold(long elements) {
    return new PrintOptions(precision, elements, edgeItems, lineWidth, sciMode);
  }

  /// The same with that many indices at either end of a dimension.
  public PrintOptions edgeItems(int indices) {
    return new PrintOptions(precision, threshold, indices, lineWidth, sciMode);
  }

  /// The same with lines of that many characters.
  public PrintOptions lineWidth(int characters) {
    return new PrintOptions(precision, threshold, edgeItems, characters, sciMode);
  }

  /// The same with exponents always, or never.
  public PrintOptions sciMode(boolean on) {
    return new PrintOptions(precision, threshold, edgeItems, lineWidth, on);
  }
}
