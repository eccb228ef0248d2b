package taper.benchmarks.work;

import java.util.List;
import java.util.function.Supplier;

/// What kernels and the peers' networks are made of. A library that lacks an operator throws an
/// [UnsupportedOperationException], and is left out where it is needed.
///
/// @param <T> the library's tensors
public interface Operators<T> {
  /// Numbers of the shape.
  T floats(float[] values, long... shape);

  /// Whole numbers of 64 bits of the shape.
  T integers(long[] values, long... shape);

  /// The same numbers, asking for a gradient.
  T parameter(T value);

  /// Computes a loss, its gradients and an update, and frees all that came up meanwhile.
  ///
  /// @return the loss
  float train(Supplier<T> loss, Update update);

  /// Computes without gradients, and frees all that came up meanwhile.
  ///
  /// @return the first number of the result
  float infer(Supplier<T> output);

  /// Computes without gradients, and frees all that came up meanwhile.
  void run(Supplier<T> kernel);

  /// Computes, keeping in mind how to go back, and frees all that came up meanwhile.
  void track(Supplier<T> kernel);

  /// What computes the gradient of `parameter`, over and over, from a graph that is made once.
  ///
  /// @param gradient that of the output
  Runnable backward(Supplier<T> output, T parameter, T gradient);

  /// How parameters change.
  interface Update extends AutoCloseable {
    /// Forgets the gradients.
    void zero();

    /// Changes the parameters by their gradients.
    void step();

    @Override
    void close();
  }

  /// Stochastic gradient descent with momentum 0.9.
  Update sgd(List<T> parameters, double lr);

  /// AdamW with the usual options.
  Update adamW(List<T> parameters, double lr);

  T add(T a, T b);

  T add(T a, double number);

  T mul(T a, T b);

  T sum(T x);

  T sum(T x, int dim);

  T mean(T x, int dim);

  /// The largest along a dimension; with their indices where the library cannot do without.
  T max(T x, int dim);

  T cumsum(T x, int dim);

  /// With indices.
  T sort(T x);

  /// The largest of the last dimension, with indices.
  T topk(T x, int k);

  T cat(T a, T b, int dim);

  /// A copy whose last two dimensions have changed places.
  T transposedCopy(T x);

  T indexSelect(T x, int dim, T index);

  T scatterAdd(T x, int dim, T index, T source);

  T randn(long... shape);

  T matmul(T a, T b);

  /// `x wᵀ + b`.
  T linear(T x, T weight, T bias);

  T conv2d(T x, T weight, Window window);

  T conv2d(T x, T weight, T bias, Window window);

  T maxPool2d(T x, int size, int stride, int padding);

  /// The mean of each plane, `[n, c]`.
  T meanOfPlanes(T x);

  T relu(T x);

  T gelu(T x);

  T dropout(T x, double p);

  /// With statistics of the batch, updating the running ones, if `training`.
  T batchNorm(T x, T weight, T bias, T runningMean, T runningVar, boolean training);

  /// Over the last dimension.
  T layerNorm(T x, T weight, T bias);

  /// Over the last dimension.
  T softmax(T x);

  T embedding(T table, T indices);

  /// The mean over all rows of `x`.
  T crossEntropy(T x, T targets);

  /// How many rows of `x` have their largest number where the targets say.
  T right(T x, T targets);

  /// The only number in a tensor.
  double number(T x);

  /// Frees a tensor that was made outside of all steps.
  void free(T x);

  T reshape(T x, long... shape);

  T transpose(T x, int a, int b);

  /// Equal parts along the last dimension.
  List<T> chunk(T x, int parts);

  /// Of `[batch, heads, time, size]`.
  T attention(T query, T key, T value, boolean causal);

  /// The outputs `[time, batch, hidden]` of layers with the weights as PyTorch has them, four a layer, from
  /// a state of zeros.
  T lstm(T x, List<T> weights, int hidden, int layers);

  /// What a convolution sees.
  record Window(int stride, int padding, int dilation, int groups) {
    /// One step at a time.
    public static Window padding(int padding) {
      return new Window(1, padding, 1, 1);
    }
  }
}
