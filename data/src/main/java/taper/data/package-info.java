/// Data sets and the loaders that cut them into batches.
///
/// ```java
/// var loader = new DataLoader<>(Mnist.train(transform), o -> o.batchSize(64).shuffle(true).workers(2));
/// for (var batch : loader) { … }
/// ```
///
/// - A [taper.data.Dataset] has samples, reached by their number.
/// - A [taper.data.Sampler] says in which order they are visited.
/// - A [taper.data.Collation] makes a batch of several samples.
package taper.data;
