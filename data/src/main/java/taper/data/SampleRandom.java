package taper.data;

import taper.tensor.Generator;

/// Where a random transform draws from.
///
/// While a [DataLoader] loads a sample, that is a stream of the sample's own, which follows from the seed, the epoch and
/// the index of the sample: the number of workers never changes the data. Random operators, such as
/// [taper.tensor.Tensor#rand], draw from it by themselves. Elsewhere it is the generator of the process.
public final class SampleRandom {
  private SampleRandom() {}

  /// The generator for the sample that this thread is loading: [Generator#global()].
  public static Generator generator() {
    return Generator.global();
  }
}
