package taper.tensor.spi;

/// A kernel that reads images `[n c *]` at places `[n * r]`: every element of the result is a sum over a few pixels, the same
/// ones for all channels.
public interface SamplingKernel extends Kernel {

  /// Who finds the pixels of the places in `grid`; for one thread.
  ///
  /// @param most how many places are asked for at a time
  Places places(Record attributes, Strided image, Strided grid, int most);

  /// Finds the pixels that places are made of.
  interface Places {

    /// The pixels of a place.
    int taps();

    /// Looks for those of `count` places of an image, from `from` on.
    void find(long image, int from, int count);

    /// Their places in a channel, one place's after the other's; the number of pixels stands for what is outside, where
    /// everything is 0. The array is used again.
    int[] index();

    /// What they count. The array is used again.
    double[] weight();
  }
}
