package taper.tensor;

import taper.tensor.internal.Context;
import taper.tensor.internal.Sampling;

/// The static methods of [Tensor] that make tensors of random numbers. Without a generator the process-wide one is drawn
/// from.
abstract sealed class RandomFactory permits WindowFactory {

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

  /// A tensor of numbers of normal distributions, one for each pair of elements, which broadcast.
  public static Tensor normal(Tensor mean, Tensor std) {
    Tensor result = Tensor.randnLike(Autograd.noGrad(() -> mean.add(std)));
    return result.mul(std).add(mean);
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
    return Tensor.empty(dtype, sizes).random_(low, high, generator);
  }

  /// A tensor of whole numbers from `low` to `high`, with the sizes, type and device of `like`.
  public static Tensor randintLike(Tensor like, long low, long high) {
    return Tensor.emptyLike(like).random_(low, high);
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
    java.lang.ref.Reference.reachabilityFence(result);
    return result;
  }
}
