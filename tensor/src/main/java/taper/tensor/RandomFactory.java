package taper.tensor;

import java.lang.ref.Reference;
import taper.tensor.internal.Context;
import taper.tensor.internal.Sampling;

/// The static methods of [Tensor] that make tensors of random numbers. Without a generator the process-wide one is drawn
/// from.
abstract sealed class RandomFactory extends NumbersFirst permits ProductFactory {

  /// A `float32` tensor of numbers from 0 (included) to 1 (excluded), all equally likely.
  public static Tensor rand(long... sizes) {
    return rand(Generator.global(), DType.defaultFloating(), sizes);
  }

  /// A tensor of equally likely numbers from 0 to 1.
  ///
  /// @throws DTypeException if the type is not floating
  public static Tensor rand(DType dtype, long... sizes) {
    return rand(Generator.global(), dtype, sizes);
  }

  /// A tensor of equally likely numbers from 0 to 1, drawn from `generator`.
  public static Tensor rand(Generator generator, DType dtype, long... sizes) {
    return Tensor.empty(dtype, sizes).uniform_(0, 1, generator);
  }

  /// A tensor of equally likely numbers from 0 to 1, with the sizes, type and device of `like`.
  public static Tensor randLike(Tensor like) {
    return Tensor.emptyLike(like).uniform_();
  }

  /// A tensor of equally likely numbers from 0 to 1, of another type, with the sizes and device of `like`.
  public static Tensor randLike(Tensor like, DType dtype) {
    return Tensor.allocate(Context.current(), dtype, like.sizesInternal(), like.device())
        .uniform_();
  }

  /// A `float32` tensor of numbers of the standard normal distribution.
  public static Tensor randn(long... sizes) {
    return randn(Generator.global(), DType.defaultFloating(), sizes);
  }

  /// A tensor of numbers of the standard normal distribution.
  ///
  /// @throws DTypeException if the type is not floating
  public static Tensor randn(DType dtype, long... sizes) {
    return randn(Generator.global(), dtype, sizes);
  }

  /// A tensor of numbers of the standard normal distribution, drawn from `generator`.
  public static Tensor randn(Generator generator, DType dtype, long... sizes) {
    return Tensor.empty(dtype, sizes).normal_(0, 1, generator);
  }

  /// A tensor of numbers of the standard normal distribution, with the sizes, type and device of `like`.
  public static Tensor randnLike(Tensor like) {
    return Tensor.emptyLike(like).normal_();
  }

  /// A tensor of numbers of the standard normal distribution, of another type, with the sizes and device of `like`.
  public static Tensor randnLike(Tensor like, DType dtype) {
    return Tensor.allocate(Context.current(), dtype, like.sizesInternal(), like.device()).normal_();
  }

  /// A tensor of numbers of normal distributions, one for each pair of elements, which broadcast. No gradient flows to
  /// them.
  ///
  /// @throws ArgumentException if an element of `std` is negative
  public static Tensor normal(Tensor mean, Tensor std) {
    return Random.Operators.NORMAL_OF_TENSORS.on(new Random.Draw(Generator.global()), mean, std);
  }

  /// A tensor of numbers of normal distributions around the elements of `mean`.
  ///
  /// @throws ArgumentException if `std` is negative
  public static Tensor normal(Tensor mean, double std) {
    return Random.Operators.NORMAL_AROUND.on(new Random.Normal(0, std, Generator.global()), mean);
  }

  /// A tensor of numbers of normal distributions that are as wide as the elements of `std` say.
  ///
  /// @throws ArgumentException if an element of `std` is negative
  public static Tensor normal(double mean, Tensor std) {
    return Random.Operators.NORMAL_OF_WIDTH.on(new Random.Normal(mean, 0, Generator.global()), std);
  }

  /// A `float32` tensor of numbers of a normal distribution.
  ///
  /// @throws ArgumentException if `std` is negative
  public static Tensor normal(double mean, double std, long... sizes) {
    return Tensor.empty(DType.defaultFloating(), sizes).normal_(mean, std);
  }

  /// A tensor of numbers of binomial distributions, one for each pair of elements.
  ///
  /// - Shape: `[*], [*] -> [*]`
  /// - Types: floating
  ///
  /// @param count the numbers of trials
  /// @param prob the probabilities of success
  /// @throws ArgumentException if a number of trials is negative, or a probability outside `0..1`
  public static Tensor binomial(Tensor count, Tensor prob) {
    return binomial(count, prob, Generator.global());
  }

  /// A tensor of numbers of binomial distributions, drawn from `generator`.
  public static Tensor binomial(Tensor count, Tensor prob, Generator generator) {
    return Random.Operators.BINOMIAL.on(new Random.Draw(generator), count, prob);
  }

  /// An `int64` tensor of whole numbers from `low` (included) to `high` (excluded), all equally likely.
  ///
  /// @throws ArgumentException if `low` is not below `high`
  public static Tensor randint(long low, long high, long... sizes) {
    return randint(Generator.global(), DType.INT64, low, high, sizes);
  }

  /// A tensor of whole numbers from `low` to `high`, drawn from `generator`.
  public static Tensor randint(
      Generator generator, DType dtype, long low, long high, long... sizes) {
    requireRange("randint", low, high);
    return Tensor.empty(dtype, sizes).random_(low, high, generator);
  }

  /// A tensor of whole numbers from `low` to `high`, with the sizes, type and device of `like`.
  public static Tensor randintLike(Tensor like, long low, long high) {
    requireRange("randintLike", low, high);
    return Tensor.emptyLike(like).random_(low, high);
  }

  /// A tensor of whole numbers from `low` to `high`, of another type, with the sizes and device of `like`.
  public static Tensor randintLike(Tensor like, long low, long high, DType dtype) {
    requireRange("randintLike", low, high);
    return Tensor.emptyLike(like, dtype).random_(low, high);
  }

  private static void requireRange(String op, long low, long high) {
    if (low >= high) {
      throw new ArgumentException(
          "%s: low must be below high, but low is %d and high is %d.".formatted(op, low, high));
    }
  }

  /// The numbers from 0 to `n - 1` in a random order, `int64`.
  ///
  /// @throws ArgumentException if `n` is negative
  public static Tensor randperm(long n) {
    return randperm(n, Generator.global());
  }

  /// The numbers from 0 to `n - 1` in a random order, drawn from `generator`.
  public static Tensor randperm(long n, Generator generator) {
    if (n < 0) {
      throw new ArgumentException("randperm: n must not be negative, but is %d.".formatted(n));
    }
    Tensor result = Tensor.empty(DType.INT64, n);
    Sampling.permutation(result.data(), generator);
    Reference.reachabilityFence(result);
    return result;
  }
}
