package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the reductions of [Masked] take into account. Immutable.
///
/// @param mask which elements count: `bool`, of a shape that broadcasts to that of the elements; null for all
/// @param dims the dimensions that are reduced; none means all
/// @param keepDim whether reduced dimensions stay, with size 1
/// @param dtype the type of the result, or null for the usual one
/// @param unbiased whether variances are taken with Bessel's correction
public record MaskedOptions(
    @Nullable Tensor mask,
    List<Integer> dims,
    boolean keepDim,
    @Nullable DType dtype,
    boolean unbiased) {

  /// All elements, reduced to one.
  public static final MaskedOptions DEFAULT =
      new MaskedOptions(null, List.of(), false, null, false);

  /// Which elements count.
  public MaskedOptions mask(@Nullable Tensor value) {
    return new MaskedOptions(value, dims, keepDim, dtype, unbiased);
  }

  /// The dimensions that are reduced; none means all.
  public MaskedOptions dim(int... values) {
    return new MaskedOptions(
        mask, Arrays.stream(values).boxed().toList(), keepDim, dtype, unbiased);
  }

  /// Whether reduced dimensions stay, with size 1.
  public MaskedOptions keepDim(boolean value) {
    return new MaskedOptions(mask, dims, value, dtype, unbiased);
  }

  /// The type of the result.
  public MaskedOptions dtype(@Nullable DType value) {
    return new MaskedOptions(mask, dims, keepDim, value, unbiased);
  }

  /// Whether variances are taken with Bessel's correction.
  public MaskedOptions unbiased(boolean value) {
    return new MaskedOptions(mask, dims, keepDim, dtype, value);
  }

  int[] dimensions() {
    return dims.stream().mapToInt(Integer::intValue).toArray();
  }
}
