/// Layers, losses, and what holds them together.
///
/// ```java
/// var model = new Sequential(new Linear(784, 128), new ReLU(), new Linear(128, 10));
/// Tensor logits = model.call(images.flatten(1));
/// Tensor loss = logits.crossEntropy(labels);
/// ```
///
/// - A [taper.nn.Module] is a part of a network. It registers its fields by itself, and is called with
///   [taper.nn.Module#call(taper.tensor.Tensor)].
/// - A state dict names every parameter and buffer as PyTorch does: [taper.nn.Module#stateDict()].
/// - Options are lambdas over immutable records: `new Conv2d(1, 32, 3, o -> o.padding(1))`.
///
/// Initial values are in [taper.nn.Init], clipping is in [taper.nn.Gradients]. What trains a model is in `taper.optim`.
package taper.nn;
