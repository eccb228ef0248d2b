package taper.data;

/// The order in which the samples of a data set are visited, anew for every iteration.
///
/// A sampler holds no position of its own: every call of [#iterator()] starts an epoch. Random samplers
/// draw from their generator while the iterator is read, at the moments at which PyTorch's do, so an
/// iterator belongs to one thread; two iterators over one sampler share the generator's stream.
///
/// @param <I> what is visited: `Long` for single samples, `long[]` for batches
public interface Sampler<I> extends Iterable<I> {
  /// How many indices or batches one iteration has.
  long size();
}
