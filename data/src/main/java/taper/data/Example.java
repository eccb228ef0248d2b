package taper.data;

import taper.tensor.Tensor;

/// What a model is shown, and what it should answer. Immutable, as its tensors are by custom.
///
/// @param input what the model sees, such as an image `[channels, height, width]`
/// @param target the right answer, such as the number of a class, `[]` of `int64`
public record Example(Tensor input, Tensor target) {}
