package taper.tensor;

import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// The options of a maximum over windows that begin at random, with PyTorch's names. Immutable.
///
/// One number counts for all dimensions; otherwise there is one for each, depth first. Either the size or the ratio must be
/// given.
///
/// @param outputSize the size of the result, without batch and channels; empty if `outputRatio` says it
/// @param outputRatio the size of the result by that of the input, between 0 and 1; empty if `outputSize` says it
/// @param randomSamples a number from 0 to 1 for each image, channel and dimension; null to draw them
/// @param generator what they are drawn from; null for the global one
public record FractionalPoolingOptions(
    List<Long> outputSize,
    List<Double> outputRatio,
    @Nullable Tensor randomSamples,
    @Nullable Generator generator) {

  /// Neither size nor ratio.
  public static final FractionalPoolingOptions DEFAULT =
      new FractionalPoolingOptions(List.of(), List.of(), null, null);

  /// Copies the lists.
  public FractionalPoolingOptions {
    outputSize = List.copyOf(outputSize);
    outputRatio = List.copyOf(outputRatio);
  }

  /// With the size of the result, without batch and channels.
  public FractionalPoolingOptions outputSize(long... sizes) {
    return new FractionalPoolingOptions(
        LongStream.of(Checks.given("fractionalMaxPool", "outputSize", sizes)).boxed().toList(),
        outputRatio,
        randomSamples,
        generator);
  }

  /// With the size of the result by that of the input.
  public FractionalPoolingOptions outputRatio(double... ratios) {
    return new FractionalPoolingOptions(
        outputSize,
        Arrays.stream(Checks.given("fractionalMaxPool", "outputRatio", ratios)).boxed().toList(),
        randomSamples,
        generator);
  }

  /// With the random numbers.
  public FractionalPoolingOptions randomSamples(Tensor samples) {
    return new FractionalPoolingOptions(outputSize, outputRatio, samples, generator);
  }

  /// With the generator that the random numbers are drawn from.
  public FractionalPoolingOptions generator(Generator source) {
    return new FractionalPoolingOptions(outputSize, outputRatio, randomSamples, source);
  }
}
