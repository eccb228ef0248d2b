package taper.nn;

import java.util.function.Function;
import java.util.function.UnaryOperator;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Initial values of parameters, as `torch.nn.init` draws them.
///
/// Every method overwrites the tensor and returns it; nothing is recorded. Numbers come from [taper.tensor.Generator#global()].
public final class Init {
  private Init() {}

  /// Which connections are counted.
  public enum FanMode {
    /// The inputs of a unit: keeps the variance of activations.
    FAN_IN,
    /// The outputs of a unit: keeps the variance of gradients.
    FAN_OUT
  }

  /// What follows the layer.
  public enum Nonlinearity {
    /// Nothing, or a convolution.
    LINEAR,
    /// `sigmoid`.
    SIGMOID,
    /// `tanh`.
    TANH,
    /// `relu`.
    RELU,
    /// `leakyRelu`.
    LEAKY_RELU,
    /// `selu`.
    SELU
  }

  /// The options of [#kaimingUniform_(Tensor, UnaryOperator)], with PyTorch's defaults. Immutable.
  ///
  /// @param a the negative slope of the nonlinearity
  /// @param mode which connections are counted
  /// @param nonlinearity what follows the layer
  public record Kaiming(double a, FanMode mode, Nonlinearity nonlinearity) {

    /// No slope, inputs, leaky ReLU.
    public static final Kaiming DEFAULT = new Kaiming(0, FanMode.FAN_IN, Nonlinearity.LEAKY_RELU);

    /// With another negative slope.
    public Kaiming a(double a) {
      return new Kaiming(a, mode, nonlinearity);
    }

    /// Counting other connections.
    public Kaiming mode(FanMode mode) {
      return new Kaiming(a, mode, nonlinearity);
    }

    /// With another nonlinearity.
    public Kaiming nonlinearity(Nonlinearity nonlinearity) {
      return new Kaiming(a, mode, nonlinearity);
    }

    private double std(String name, Tensor tensor) {
      Fan fan = fan(name, tensor);
      return calculateGain(nonlinearity, a)
          / Math.sqrt(mode == FanMode.FAN_IN ? fan.in() : fan.out());
    }
  }

  /// Connections of a unit.
  private record Fan(double in, double out) {}

  private static Fan fan(String name, Tensor tensor) {
    if (tensor.dim() < 2) {
      throw new ArgumentException(
          "%s: the tensor must have at least 2 dimensions, outputs and inputs, but has shape %s. Use uniform_ or normal_."
              .formatted(name, tensor.shape()));
    }
    double field = 1;
    for (int d = 2; d < tensor.dim(); d++) {
      field *= tensor.size(d);
    }
    return new Fan(tensor.size(1) * field, tensor.size(0) * field);
  }

  /// By how much the standard deviation of a layer in front of `nonlinearity` is enlarged.
  public static double calculateGain(Nonlinearity nonlinearity) {
    return calculateGain(nonlinearity, 0.01);
  }

  /// By how much the standard deviation of a layer in front of `nonlinearity` is enlarged.
  ///
  /// @param slope the negative slope of leaky ReLU
  public static double calculateGain(Nonlinearity nonlinearity, double slope) {
    return switch (nonlinearity) {
      case LINEAR, SIGMOID -> 1;
      case TANH -> 5.0 / 3;
      case RELU -> Math.sqrt(2);
      case LEAKY_RELU -> Math.sqrt(2 / (1 + slope * slope));
      case SELU -> 3.0 / 4;
    };
  }

  private static Tensor drawn(Tensor tensor, Function<Tensor, Tensor> change) {
    if (!tensor.dtype().isFloatingPoint()) {
      throw new ArgumentException(
          "init: the tensor must be floating, but is %s.".formatted(tensor.dtype()));
    }
    Autograd.noGrad(() -> Memory.tidy(() -> change.apply(tensor)));
    return tensor;
  }

  /// Draws from 0 to 1.
  public static Tensor uniform_(Tensor tensor) {
    return uniform_(tensor, 0, 1);
  }

  /// Draws from `a` to `b`.
  public static Tensor uniform_(Tensor tensor, double a, double b) {
    return drawn(tensor, t -> t.uniform_(a, b));
  }

  /// Draws from the standard normal distribution.
  public static Tensor normal_(Tensor tensor) {
    return normal_(tensor, 0, 1);
  }

  /// Draws from a normal distribution.
  public static Tensor normal_(Tensor tensor, double mean, double std) {
    return drawn(tensor, t -> t.normal_(mean, std));
  }

  /// Draws from the standard normal distribution, within 2 of the mean.
  public static Tensor truncNormal_(Tensor tensor) {
    return truncNormal_(tensor, 0, 1, -2, 2);
  }

  /// Draws from a normal distribution, but only from `a` to `b`.
  public static Tensor truncNormal_(Tensor tensor, double mean, double std, double a, double b) {
    double low = normalCdf((a - mean) / std);
    double high = normalCdf((b - mean) / std);
    return drawn(
        tensor,
        t -> {
          t.uniform_(2 * low - 1, 2 * high - 1);
          Tensor quantiles = inverseErf(t);
          return t.copy_(quantiles.to(t.dtype()).mul_(std * Math.sqrt(2)).add_(mean).clamp_(a, b));
        });
  }

  private static double normalCdf(double x) {
    return (1 + Tensor.full(DType.FLOAT64, x / Math.sqrt(2)).erf_().item()) / 2;
  }

  /// The inverse of the error function, in double precision: a rational approximation, then two steps of Newton's method.
  ///
  /// - Source: Blair, Edwards, Johnson 1976, Rational Chebyshev approximations for the inverse of the error function.
  private static Tensor inverseErf(Tensor y) {
    double[] values = y.toDoubleArray();
    double[] x = new double[values.length];
    for (int i = 0; i < x.length; i++) {
      x[i] = approximateInverseErf(values[i]);
    }
    Tensor exact = y.to(DType.FLOAT64);
    Tensor root = Tensor.of(x).reshape(y.shape().toArray());
    for (int step = 0; step < 2; step++) {
      Tensor slope = root.square().neg_().exp_().mul_(2 / Math.sqrt(Math.PI));
      root = root.sub(root.erf().sub_(exact).div_(slope));
    }
    return root;
  }

  private static double approximateInverseErf(double y) {
    double size = Math.abs(y);
    if (size >= 1) {
      return size == 1 ? Math.copySign(Double.POSITIVE_INFINITY, y) : Double.NaN;
    }
    if (size <= 0.7) {
      double z = y * y;
      double above = ((-0.140543331 * z + 0.914624893) * z - 1.645349621) * z + 0.886226899;
      double below =
          (((0.012229801 * z - 0.329097515) * z + 1.442710462) * z - 2.118377725) * z + 1;
      return y * above / below;
    }
    double z = Math.sqrt(-Math.log((1 - size) / 2));
    double above = ((1.641345311 * z + 3.429567803) * z - 1.62490649) * z - 1.970840454;
    double below = (1.6370678 * z + 3.5438892) * z + 1;
    return Math.copySign(above / below, y);
  }

  /// Sets every element to `value`.
  public static Tensor constant_(Tensor tensor, double value) {
    return drawn(tensor, t -> t.fill_(value));
  }

  /// Sets every element to 1.
  public static Tensor ones_(Tensor tensor) {
    return constant_(tensor, 1);
  }

  /// Sets every element to 0.
  public static Tensor zeros_(Tensor tensor) {
    return constant_(tensor, 0);
  }

  /// Sets a matrix to 1 on its diagonal and 0 elsewhere.
  public static Tensor eye_(Tensor tensor) {
    if (tensor.dim() != 2) {
      throw new ArgumentException(
          "eye_: the tensor must have 2 dimensions, but has shape %s.".formatted(tensor.shape()));
    }
    return drawn(
        tensor,
        t -> {
          t.zero_();
          return t.diagonal().fill_(1);
        });
  }

  /// Sets the weight of a convolution so that it hands its input on.
  ///
  /// @param groups the groups of the convolution
  public static Tensor dirac_(Tensor tensor, int groups) {
    if (tensor.dim() < 3 || tensor.dim() > 5) {
      throw new ArgumentException(
          "dirac_: the tensor must have 3 to 5 dimensions, but has shape %s."
              .formatted(tensor.shape()));
    }
    if (groups < 1 || tensor.size(0) % groups != 0) {
      throw new ArgumentException(
          "dirac_: the groups must divide the outputs, but there are %d groups and %d outputs."
              .formatted(groups, tensor.size(0)));
    }
    return drawn(
        tensor,
        t -> {
          t.zero_();
          long outputs = t.size(0) / groups;
          for (long o = 0; o < t.size(0); o++) {
            long channel = o % outputs;
            if (channel < t.size(1)) {
              Tensor kernel = t.select(0, o).select(0, channel);
              while (kernel.dim() > 0 && kernel.numel() > 0) {
                kernel = kernel.select(0, kernel.size(0) / 2);
              }
              kernel.fill_(1);
            }
          }
          return t;
        });
  }

  /// Draws uniformly, so that activations and gradients keep their variance.
  public static Tensor xavierUniform_(Tensor tensor) {
    return xavierUniform_(tensor, 1);
  }

  /// Draws uniformly, so that activations and gradients keep their variance.
  ///
  /// - Source: Glorot, Bengio 2010, Understanding the difficulty of training deep feedforward neural networks.
  ///
  /// @param gain see [#calculateGain(Nonlinearity)]
  public static Tensor xavierUniform_(Tensor tensor, double gain) {
    Fan fan = fan("xavierUniform_", tensor);
    double bound = Math.sqrt(3.0) * (gain * Math.sqrt(2.0 / (fan.in() + fan.out())));
    return uniform_(tensor, -bound, bound);
  }

  /// Draws normally, so that activations and gradients keep their variance.
  public static Tensor xavierNormal_(Tensor tensor) {
    return xavierNormal_(tensor, 1);
  }

  /// Draws normally, so that activations and gradients keep their variance.
  ///
  /// - Source: Glorot, Bengio 2010, Understanding the difficulty of training deep feedforward neural networks.
  ///
  /// @param gain see [#calculateGain(Nonlinearity)]
  public static Tensor xavierNormal_(Tensor tensor, double gain) {
    Fan fan = fan("xavierNormal_", tensor);
    return normal_(tensor, 0, gain * Math.sqrt(2.0 / (fan.in() + fan.out())));
  }

  /// Draws uniformly, so that activations behind rectifiers keep their variance.
  public static Tensor kaimingUniform_(Tensor tensor) {
    return kaimingUniform_(tensor, o -> o);
  }

  /// Draws uniformly, so that activations behind rectifiers keep their variance.
  ///
  /// - Source: He, Zhang, Ren, Sun 2015, Delving deep into rectifiers, arXiv:1502.01852.
  public static Tensor kaimingUniform_(Tensor tensor, UnaryOperator<Kaiming> options) {
    double bound =
        Math.sqrt(3.0)
            * Sizes.chosen("kaimingUniform_", options, Kaiming.DEFAULT)
                .std("kaimingUniform_", tensor);
    return uniform_(tensor, -bound, bound);
  }

  /// Draws normally, so that activations behind rectifiers keep their variance.
  public static Tensor kaimingNormal_(Tensor tensor) {
    return kaimingNormal_(tensor, o -> o);
  }

  /// Draws normally, so that activations behind rectifiers keep their variance.
  ///
  /// - Source: He, Zhang, Ren, Sun 2015, Delving deep into rectifiers, arXiv:1502.01852.
  public static Tensor kaimingNormal_(Tensor tensor, UnaryOperator<Kaiming> options) {
    return normal_(
        tensor,
        0,
        Sizes.chosen("kaimingNormal_", options, Kaiming.DEFAULT).std("kaimingNormal_", tensor));
  }

  /// Draws a matrix with orthogonal rows or columns, whichever are fewer; further dimensions count as columns.
  public static Tensor orthogonal_(Tensor tensor) {
    return orthogonal_(tensor, 1);
  }

  /// Draws a matrix with orthogonal rows or columns of length `gain`, whichever are fewer; further dimensions count as
  /// columns.
  ///
  /// - Source: Saxe, McClelland, Ganguli 2013, Exact solutions to the nonlinear dynamics of learning in deep linear neural
  ///   networks, arXiv:1312.6120.
  public static Tensor orthogonal_(Tensor tensor, double gain) {
    fan("orthogonal_", tensor);
    if (tensor.numel() == 0) {
      return tensor; // there is nothing to draw
    }
    int rows = (int) tensor.size(0);
    int columns = (int) (tensor.numel() / Math.max(rows, 1));
    return drawn(
        tensor,
        t -> {
          Tensor normal = Tensor.empty(t.dtype(), rows, columns).normal_(0, 1);
          boolean wide = rows < columns;
          double[] vectors = (wide ? normal : normal.t()).toDoubleArray(); // to be made orthogonal
          orthonormalize(vectors, Math.max(rows, columns));
          Tensor q =
              wide
                  ? Tensor.of(vectors).reshape(rows, columns)
                  : Tensor.of(vectors).reshape(columns, rows).t();
          return t.copy_(q.mul(gain).reshape(t.shape().toArray()));
        });
  }

  /// Gram and Schmidt's method, twice, which leaves an error of rounding only. The result is the Q of a QR decomposition
  /// whose R has a positive diagonal, and thereby unique.
  private static void orthonormalize(double[] vectors, int length) {
    for (int v = 0; v + length <= vectors.length; v += length) {
      for (int pass = 0; pass < 2; pass++) {
        for (int u = 0; u < v; u += length) {
          double dot = 0;
          for (int i = 0; i < length; i++) {
            dot += vectors[u + i] * vectors[v + i];
          }
          for (int i = 0; i < length; i++) {
            vectors[v + i] -= dot * vectors[u + i];
          }
        }
        double norm = 0;
        for (int i = 0; i < length; i++) {
          norm += vectors[v + i] * vectors[v + i];
        }
        norm = Math.sqrt(norm);
        for (int i = 0; i < length; i++) {
          vectors[v + i] /= norm;
        }
      }
    }
  }
}
