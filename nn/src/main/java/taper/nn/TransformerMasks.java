package taper.nn;

import org.jspecify.annotations.Nullable;
import taper.tensor.Tensor;

/// What transformers must not look at. Immutable; null for nothing.
///
/// Masks of positions are `[l s]` or `[n·heads l s]`, those of padding `[n s]`: true where something is to be left out, or
/// numbers to add. [MultiheadAttention#causalMask(long)] is the mask of what comes later.
///
/// @param srcMask which positions of the source look at which of the source
/// @param tgtMask which positions of the target look at which of the target
/// @param memoryMask which positions of the target look at which of the encoded source
/// @param srcKeyPaddingMask what of the source is padding
/// @param tgtKeyPaddingMask what of the target is padding
/// @param memoryKeyPaddingMask what of the encoded source is padding
public record TransformerMasks(
    @Nullable Tensor srcMask,
    @Nullable Tensor tgtMask,
    @Nullable Tensor memoryMask,
    @Nullable Tensor srcKeyPaddingMask,
    @Nullable Tensor tgtKeyPaddingMask,
    @Nullable Tensor memoryKeyPaddingMask) {

  /// No masks.
  public static final TransformerMasks DEFAULT =
      new TransformerMasks(null, null, null, null, null, null);

  /// Leaving out pairs of positions of the source.
  public TransformerMasks srcMask(@Nullable Tensor mask) {
    return new TransformerMasks(
        mask, tgtMask, memoryMask, srcKeyPaddingMask, tgtKeyPaddingMask, memoryKeyPaddingMask);
  }

  /// Leaving out pairs of positions of the target.
  public TransformerMasks tgtMask(@Nullable Tensor mask) {
    return new TransformerMasks(
        srcMask, mask, memoryMask, srcKeyPaddingMask, tgtKeyPaddingMask, memoryKeyPaddingMask);
  }

  /// Leaving out pairs of positions of target and source.
  public TransformerMasks memoryMask(@Nullable Tensor mask) {
    return new TransformerMasks(
        srcMask, tgtMask, mask, srcKeyPaddingMask, tgtKeyPaddingMask, memoryKeyPaddingMask);
  }

  /// Leaving out positions of the source.
  public TransformerMasks srcKeyPaddingMask(@Nullable Tensor mask) {
    return new TransformerMasks(
        srcMask, tgtMask, memoryMask, mask, tgtKeyPaddingMask, memoryKeyPaddingMask);
  }

  /// Leaving out positions of the target.
  public TransformerMasks tgtKeyPaddingMask(@Nullable Tensor mask) {
    return new TransformerMasks(
        srcMask, tgtMask, memoryMask, srcKeyPaddingMask, mask, memoryKeyPaddingMask);
  }

  /// Leaving out positions of the encoded source.
  public TransformerMasks memoryKeyPaddingMask(@Nullable Tensor mask) {
    return new TransformerMasks(
        srcMask, tgtMask, memoryMask, srcKeyPaddingMask, tgtKeyPaddingMask, mask);
  }
}
