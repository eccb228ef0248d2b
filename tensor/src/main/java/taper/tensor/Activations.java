package taper.tensor;

import static taper.tensor.Operator.None.NONE;
import static taper.tensor.spi.Formula.input;
import static taper.tensor.spi.Formula.parameter;

import java.util.List;
import taper.tensor.Gradient.Keeps;
import taper.tensor.internal.ReferenceSoftmax;
import taper.tensor.internal.Sampling;
import taper.tensor.spi.AlongDims;
import taper.tensor.spi.Formula;
import taper.tensor.spi.Formula.Comparison;

/// Non-linear functions between the layers of a network.
public sealed interface Activations permits Tensor {

  /// Returns this tensor.
  Tensor self();

  /// Returns every element where it is positive, 0 elsewhere.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Gradient: 0 at 0
  default Tensor relu() {
    return Operators.RELU.on(NONE, self());
  }

  /// As [#relu()], in place.
  default Tensor relu_() {
    return Operators.RELU.inPlace(NONE, self());
  }

  /// Returns `1 / (1 + e⁻ˣ)`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor sigmoid() {
    return Operators.SIGMOID.on(NONE, self());
  }

  /// As [#sigmoid()], in place.
  default Tensor sigmoid_() {
    return Operators.SIGMOID.inPlace(NONE, self());
  }

  /// Returns the hyperbolic tangent.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor tanh() {
    return Operators.TANH.on(NONE, self());
  }

  /// As [#tanh()], in place.
  default Tensor tanh_() {
    return Operators.TANH.inPlace(NONE, self());
  }

  /// Returns `x · sigmoid(x)`, the sigmoid linear unit, also called swish.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Elfwing, Uchibe, Doya 2018, arXiv:1702.03118
  default Tensor silu() {
    return Operators.SILU.on(NONE, self());
  }

  /// As [#silu()], in place.
  default Tensor silu_() {
    return Operators.SILU.inPlace(NONE, self());
  }

  /// Returns `x · Φ(x)`, the Gaussian error linear unit; `Φ` is the distribution function of the normal distribution.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Hendrycks, Gimpel 2016, arXiv:1606.08415
  default Tensor gelu() {
    return Operators.GELU.on(NONE, self());
  }

  /// Returns the Gaussian error linear unit, exact or by the tanh formula.
  default Tensor gelu(Approximate approximate) {
    return approximate.operator().on(NONE, self());
  }

  /// As [#gelu()], in place.
  default Tensor gelu_() {
    return Operators.GELU.inPlace(NONE, self());
  }

  /// As [#gelu(Approximate)], in place.
  default Tensor gelu_(Approximate approximate) {
    return approximate.operator().inPlace(NONE, self());
  }

  /// Returns every element where it is positive, `negativeSlope` times it elsewhere.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Maas, Hannun, Ng 2013, Rectifier nonlinearities improve neural network acoustic
  /// models
  default Tensor leakyRelu() {
    return leakyRelu(0.01);
  }

  /// Returns every element where it is positive, `negativeSlope` times it elsewhere.
  default Tensor leakyRelu(double negativeSlope) {
    return Operators.LEAKY_RELU.on(new LeakyRelu(negativeSlope), self());
  }

  /// As [#leakyRelu(double)], in place.
  default Tensor leakyRelu_(double negativeSlope) {
    return Operators.LEAKY_RELU.inPlace(new LeakyRelu(negativeSlope), self());
  }

  /// Returns every element where it is positive, `alpha · (eˣ - 1)` elsewhere.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Clevert, Unterthiner, Hochreiter 2015, arXiv:1511.07289
  default Tensor elu() {
    return elu(1);
  }

  /// Returns every element where it is positive, `alpha · (eˣ - 1)` elsewhere.
  default Tensor elu(double alpha) {
    return Operators.ELU.on(new Elu(alpha), self());
  }

  /// As [#elu(double)], in place.
  default Tensor elu_(double alpha) {
    return Operators.ELU.inPlace(new Elu(alpha), self());
  }

  /// Returns every element where it is positive, `alpha · (exp(x / alpha) - 1)` elsewhere.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Barron 2017, arXiv:1704.07483
  default Tensor celu() {
    return celu(1);
  }

  /// Returns every element where it is positive, `alpha · (exp(x / alpha) - 1)` elsewhere.
  default Tensor celu(double alpha) {
    return Operators.CELU.on(new Celu(alpha), self());
  }

  /// As [#celu(double)], in place.
  default Tensor celu_(double alpha) {
    return Operators.CELU.inPlace(new Celu(alpha), self());
  }

  /// Returns `scale · elu(x, alpha)` with the constants that keep mean 0 and variance 1.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Klambauer et al. 2017, arXiv:1706.02515
  default Tensor selu() {
    return Operators.SELU.on(NONE, self());
  }

  /// As [#selu()], in place.
  default Tensor selu_() {
    return Operators.SELU.inPlace(NONE, self());
  }

  /// Returns `log(1 + exp(beta · x)) / beta`, and `x` where `beta · x` is above `threshold`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor softplus() {
    return softplus(1, 20);
  }

  /// Returns `log(1 + exp(beta · x)) / beta`, and `x` where `beta · x` is above `threshold`.
  default Tensor softplus(double beta, double threshold) {
    return Operators.SOFTPLUS.on(new Softplus(beta, threshold), self());
  }

  /// Returns `log(sigmoid(x))`, without overflow.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor logSigmoid() {
    return Operators.LOG_SIGMOID.on(NONE, self());
  }

  /// Returns `x · tanh(softplus(x))`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Misra 2019, arXiv:1908.08681
  default Tensor mish() {
    return Operators.MISH.on(NONE, self());
  }

  /// As [#mish()], in place.
  default Tensor mish_() {
    return Operators.MISH.inPlace(NONE, self());
  }

  /// Returns the elements limited to `minVal..maxVal`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Gradient: 0 at the limits
  default Tensor hardtanh() {
    return hardtanh(-1, 1);
  }

  /// Returns the elements limited to `minVal..maxVal`.
  default Tensor hardtanh(double minVal, double maxVal) {
    return Operators.HARDTANH.on(new Hardtanh(minVal, maxVal), self());
  }

  /// As [#hardtanh(double, double)], in place.
  default Tensor hardtanh_(double minVal, double maxVal) {
    return Operators.HARDTANH.inPlace(new Hardtanh(minVal, maxVal), self());
  }

  /// Returns the elements limited to `0..6`.
  ///
  /// - Gradient: 0 at the limits
  default Tensor relu6() {
    return hardtanh(0, 6);
  }

  /// As [#relu6()], in place.
  default Tensor relu6_() {
    return hardtanh_(0, 6);
  }

  /// Returns `x · relu6(x + 3) / 6`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Howard et al. 2019, arXiv:1905.02244
  default Tensor hardswish() {
    return Operators.HARDSWISH.on(NONE, self());
  }

  /// As [#hardswish()], in place.
  default Tensor hardswish_() {
    return Operators.HARDSWISH.inPlace(NONE, self());
  }

  /// Returns `relu6(x + 3) / 6`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor hardsigmoid() {
    return Operators.HARDSIGMOID.on(NONE, self());
  }

  /// As [#hardsigmoid()], in place.
  default Tensor hardsigmoid_() {
    return Operators.HARDSIGMOID.inPlace(NONE, self());
  }

  /// Returns `x - tanh(x)`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor tanhshrink() {
    return Operators.TANHSHRINK.on(NONE, self());
  }

  /// Returns `x / (1 + |x|)`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  /// - Source: Bergstra et al. 2009, Quadratic polynomials learn better image features
  default Tensor softsign() {
    return self().dtype().isFloatingPoint()
        ? Operators.SOFTSIGN.on(NONE, self())
        : self().div(self().abs().add(1L)); // whole numbers may wrap around, as in PyTorch
  }

  /// Returns the elements moved by `lambda` towards 0.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor softshrink() {
    return softshrink(0.5);
  }

  /// Returns the elements moved by `lambda` towards 0.
  ///
  /// @throws ArgumentException if `lambda` is negative
  default Tensor softshrink(double lambda) {
    Gates.checkDistance(lambda);
    return Operators.SOFTSHRINK.on(new Softshrink(lambda), self());
  }

  /// Returns the elements, with 0 in the place of those in `-lambda..lambda`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: whole numbers become `float32`
  default Tensor hardshrink() {
    return hardshrink(0.5);
  }

  /// Returns the elements, with 0 in the place of those in `-lambda..lambda`.
  default Tensor hardshrink(double lambda) {
    return Operators.HARDSHRINK.on(new Hardshrink(lambda), self());
  }

  /// Returns the elements above `limit`, `value` in the place of the others.
  ///
  /// - Shape: `[*] -> [*]`
  default Tensor threshold(double limit, double value) {
    Checks.fits("threshold", self().dtype(), value);
    return Operators.THRESHOLD.on(new Threshold(limit, value), self());
  }

  /// As [#threshold(double, double)], in place.
  default Tensor threshold_(double limit, double value) {
    Checks.fits("threshold_", self().dtype(), value);
    return Operators.THRESHOLD.inPlace(new Threshold(limit, value), self());
  }

  /// Returns every element where it is positive, the weight of its channel times it elsewhere. Channels are dimension
  /// 1; one weight serves for all.
  ///
  /// - Shape: `[n c *], weight[c] -> [n c *]`
  /// - Source: He, Zhang, Ren, Sun 2015, arXiv:1502.01852
  ///
  /// @throws ShapeException if there are neither one weight nor as many as channels
  default Tensor prelu(Tensor weight) {
    return Operators.PRELU.on(NONE, self(), Channels.along("prelu", "weight", weight, self()));
  }

  /// Returns the exponentials along `dim`, divided by their sum.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating; half types compute in `float32`
  /// - Gradient: from the output
  ///
  /// @throws ArgumentException if there is no such dimension
  default Tensor softmax(int dim) {
    return Operators.SOFTMAX.on(Along.of("softmax", dim, self()), self());
  }

  /// Returns the softmax along `dim` of the elements, which are converted to `dtype` first.
  default Tensor softmax(int dim, DType dtype) {
    return self().to(dtype).softmax(dim);
  }

  /// Returns the softmax of the negated elements.
  default Tensor softmin(int dim) {
    return self().neg().softmax(dim);
  }

  /// Returns the softmax of the negated elements, which are converted to `dtype` first.
  default Tensor softmin(int dim, DType dtype) {
    return self().neg().softmax(dim, dtype);
  }

  /// Returns the logarithms of the softmax along `dim`, without overflow.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating; half types compute in `float32`
  /// - Gradient: from the output
  ///
  /// @throws ArgumentException if there is no such dimension
  default Tensor logSoftmax(int dim) {
    return Operators.LOG_SOFTMAX.on(Along.of("logSoftmax", dim, self()), self());
  }

  /// Returns the logarithms of the softmax along `dim` of the elements, which are converted to `dtype` first.
  default Tensor logSoftmax(int dim, DType dtype) {
    return self().to(dtype).logSoftmax(dim);
  }

  /// Returns the first half of the last dimension, gated by the second: `a · sigmoid(b)`.
  default Tensor glu() {
    return glu(-1);
  }

  /// Returns the first half along `dim`, gated by the second: `a · sigmoid(b)`.
  ///
  /// - Shape: `[* 2n *] -> [* n *]`
  /// - Source: Dauphin et al. 2016, Language modeling with gated convolutional networks, arXiv:1612.08083
  ///
  /// @throws ArgumentException if there is no such dimension
  /// @throws ShapeException if its size is odd, or there are no dimensions
  default Tensor glu(int dim) {
    return Operators.GLU.on(Gates.along(dim, self()), self());
  }

  /// Returns every element where it is positive; elsewhere times a slope that is the middle of `lower` and `upper`, or, in
  /// training, drawn between them for each element.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Types: floating
  /// - Source: Xu et al. 2015, Empirical evaluation of rectified activations in convolutional network, arXiv:1505.00853
  ///
  /// @throws ArgumentException if `lower` is above `upper`
  default Tensor rrelu(double lower, double upper, boolean training) {
    return rrelu(lower, upper, training, Generator.global());
  }

  /// As [#rrelu(double, double, boolean)], with draws from `generator`.
  default Tensor rrelu(double lower, double upper, boolean training, Generator generator) {
    Gates.checkSlopes(lower, upper);
    return training
        ? Operators.RRELU.on(new Slopes(lower, upper, generator), self())
        : leakyRelu((lower + upper) / 2);
  }

  /// As [#rrelu(double, double, boolean)] in evaluation, with slopes between 1/8 and 1/3.
  default Tensor rrelu() {
    return rrelu(1.0 / 8, 1.0 / 3, false);
  }

  /// As [#rrelu(double, double, boolean)], in place.
  default Tensor rrelu_(double lower, double upper, boolean training) {
    Gates.checkSlopes(lower, upper);
    return training
        ? self()
            .mul_(
                Operators.SLOPES.on(new Slopes(lower, upper, Generator.global()), self().detach()))
        : leakyRelu_((lower + upper) / 2);
  }

  /// Returns a sample of the categories along `dim`, whose logits the elements are, relaxed: the softmax of the elements with
  /// noise, divided by `tau`.
  ///
  /// - Shape: `[*] -> [*]`
  /// - Source: Jang, Gu, Poole 2016, arXiv:1611.01144; Maddison, Mnih, Teh 2016, arXiv:1611.00712
  ///
  /// @param tau the temperature
  /// @param hard whether the result holds zeros and a one, with the gradient of the relaxed sample
  /// @throws ArgumentException if there is no such dimension
  default Tensor gumbelSoftmax(double tau, boolean hard, int dim) {
    return gumbelSoftmax(tau, hard, dim, Generator.global());
  }

  /// As [#gumbelSoftmax(double, boolean, int)], with draws from `generator`.
  default Tensor gumbelSoftmax(double tau, boolean hard, int dim, Generator generator) {
    return Gates.gumbelSoftmax(self(), tau, hard, dim, generator);
  }

  /// Returns a relaxed sample of the categories along the last dimension, with a temperature of 1.
  default Tensor gumbelSoftmax() {
    return gumbelSoftmax(1, false, -1);
  }

  /// How [#gelu(Approximate)] computes the distribution function.
  enum Approximate {
    /// By the error function.
    NONE,
    /// `(1 + tanh(√(2/π) · (x + 0.044715 x³))) / 2`.
    TANH;

    Operator<Operator.None> operator() {
      return this == TANH ? Operators.GELU_TANH : Operators.GELU;
    }
  }

  /// The numbers of [#leakyRelu(double)].
  ///
  /// @param negativeSlope the slope of negative elements
  record LeakyRelu(double negativeSlope) {}

  /// The numbers of [#elu(double)].
  ///
  /// @param alpha the limit of large negative elements, negated
  record Elu(double alpha) {}

  /// The numbers of [#celu(double)].
  ///
  /// @param alpha the limit of large negative elements, negated
  record Celu(double alpha) {}

  /// The numbers of [#softplus(double, double)].
  ///
  /// @param beta the steepness
  /// @param threshold above which the function is linear
  record Softplus(double beta, double threshold) {}

  /// The numbers of [#hardtanh(double, double)].
  ///
  /// @param minVal the lowest value
  /// @param maxVal the highest value
  record Hardtanh(double minVal, double maxVal) {}

  /// The numbers of [#softshrink(double)].
  ///
  /// @param lambda the distance
  record Softshrink(double lambda) {}

  /// The numbers of [#hardshrink(double)].
  ///
  /// @param lambda the limit
  record Hardshrink(double lambda) {}

  /// The numbers of [#threshold(double, double)].
  ///
  /// @param limit what an element must exceed
  /// @param value what takes the place of the others
  record Threshold(double limit, double value) {}

  /// The slopes of [#rrelu(double, double, boolean)].
  ///
  /// @param lower the lowest
  /// @param upper the highest
  /// @param generator the stream
  record Slopes(double lower, double upper, Generator generator) {}

  /// The dimension along which an operator works.
  ///
  /// @param dim counted from 0
  record Along(int dim) implements AlongDims {
    @Override
    public int[] alongDims() {
      return new int[] {dim};
    }

    static Along of(String op, int dim, Tensor x) {
      return new Along(Checks.dim(op, dim, x.dim()));
    }
  }

  /// The declarations behind the methods above, in the same order.
  final class Operators {
    static final Family FAMILY = new Family("activations");

    private static final double SELU_ALPHA = 1.6732632423543772848170429916717;
    private static final double SELU_SCALE = 1.0507009873554804934193349852946;

    static final Operator<Operator.None> RELU =
        FAMILY
            .pointwise("relu", Formula::relu)
            .dtypes(DTypes.NO_TRUTH)
            .torch("aten::relu(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[7] in -800..800")
            .sample(NONE, "i64[3]")
            .declare();

    static final Operator<Operator.None> SIGMOID =
        FAMILY
            .pointwise("sigmoid", Formula::sigmoid)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::sigmoid(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -8..8")
            .sample(NONE, "f32[7] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> TANH =
        FAMILY
            .pointwise("tanh", Formula::tanh)
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::tanh(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -4..4")
            .sample(NONE, "f32[7] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> SILU =
        FAMILY
            .pointwise("silu", x -> x.times(Formula.sigmoid(x)))
            .dtypes(DTypes.FLOATING.complex())
            .torch("aten::silu(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -8..8")
            .sample(NONE, "f32[7] in -800..800")
            .source("Elfwing, Uchibe, Doya 2018, arXiv:1702.03118")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> GELU =
        FAMILY
            .pointwise(
                "gelu", x -> x.times(0.5).times(Formula.erf(x.times(Math.sqrt(0.5))).plus(1)))
            .dtypes(DTypes.FLOATING)
            .torch("aten::gelu(Tensor self, *, str approximate='none') -> Tensor")
            .sample(NONE, "f32[3 4] in -8..8")
            .sample(NONE, "f32[7] in -800..800")
            .source("Hendrycks, Gimpel 2016, arXiv:1606.08415")
            .declare();

    static final Operator<Operator.None> GELU_TANH =
        FAMILY
            .pointwise(
                "geluTanh",
                x ->
                    x.times(0.5)
                        .times(
                            Formula.tanh(
                                    x.plus(x.squared().times(x).times(0.044715))
                                        .times(Math.sqrt(2 / Math.PI)))
                                .plus(1)))
            .dtypes(DTypes.FLOATING)
            .gradientName("GeluBackward0")
            .torch("aten::gelu(Tensor self, *, str approximate='none') -> Tensor")
            .sample(NONE, "f32[3 4] in -8..8")
            .sample(NONE, "f32[7] in -800..800")
            .source("Hendrycks, Gimpel 2016, arXiv:1606.08415")
            .declare();

    static final Operator<LeakyRelu> LEAKY_RELU =
        FAMILY
            .<LeakyRelu>pointwise(
                "leakyRelu",
                List.of("self"),
                Formula.select(
                    input(0),
                    Comparison.GREATER,
                    Formula.constant(0),
                    input(0),
                    input(0).times(parameter(0))),
                a -> Parameters.of(a.negativeSlope()))
            .dtypes(DTypes.FLOATING)
            .torch("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor")
            .sample(new LeakyRelu(0.01), "f32[3 4]")
            .sample(new LeakyRelu(0.01), "f32[7] in -800..800")
            .source(
                "Maas, Hannun, Ng 2013, Rectifier nonlinearities improve neural network acoustic"
                    + " models")
            .declare();

    static final Operator<Elu> ELU =
        FAMILY
            .<Elu>pointwise(
                "elu",
                List.of("self"),
                Formula.select(
                    input(0),
                    Comparison.GREATER,
                    Formula.constant(0),
                    input(0),
                    Formula.expm1(input(0)).times(parameter(0))),
                a -> Parameters.of(a.alpha()))
            .dtypes(DTypes.FLOATING)
            .torch(
                "aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) ->"
                    + " Tensor")
            .sample(new Elu(1), "f32[3 4]")
            .sample(new Elu(1), "f32[7] in -800..800")
            .source("Clevert, Unterthiner, Hochreiter 2015, arXiv:1511.07289")
            .declare();

    static final Operator<Celu> CELU =
        FAMILY
            .<Celu>pointwise(
                "celu",
                List.of("self"),
                Formula.select(
                    input(0),
                    Comparison.GREATER,
                    Formula.constant(0),
                    input(0),
                    Formula.expm1(input(0).dividedBy(parameter(0))).times(parameter(0))),
                a -> Parameters.of(a.alpha(), 1.0 / (float) a.alpha()))
            .dtypes(DTypes.FLOATING)
            .derivative("self", celuSlope())
            .torch("aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor")
            .sample(new Celu(1), "f32[3 4]")
            .sample(new Celu(2.0), "f32[3 4]")
            .sample(new Celu(1), "f32[7] in -800..800")
            .source("Barron 2017, arXiv:1704.07483")
            .declare();

    static final Operator<Operator.None> SELU =
        FAMILY
            .pointwise(
                "selu",
                x ->
                    Formula.select(
                        x,
                        Comparison.GREATER,
                        Formula.constant(0),
                        x.times(SELU_SCALE),
                        Formula.expm1(x).times(SELU_SCALE * SELU_ALPHA)))
            .dtypes(DTypes.FLOATING)
            .gradientName("EluBackward0")
            .torch("aten::selu(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4]")
            .sample(NONE, "f32[7] in -800..800")
            .source("Klambauer et al. 2017, arXiv:1706.02515")
            .declare();

    static final Operator<Softplus> SOFTPLUS =
        FAMILY
            .<Softplus>pointwise(
                "softplus",
                List.of("self"),
                Formula.select(
                    input(0).times(parameter(0)),
                    Comparison.GREATER,
                    parameter(1),
                    input(0),
                    Formula.softplus(input(0).times(parameter(0))).dividedBy(parameter(0))),
                a -> Parameters.of(a.beta(), a.threshold()))
            .dtypes(DTypes.FLOATING)
            .torch("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor")
            .sample(new Softplus(1, 20), "f32[3 4] in -8..8")
            .sample(new Softplus(2.0, 5.0), "f32[3 4] in -8..8")
            .sample(new Softplus(1, 20), "f32[7] in -800..800")
            .declare();

    static final Operator<Operator.None> LOG_SIGMOID =
        FAMILY
            .pointwise("logSigmoid", x -> Formula.softplus(x.negate()).negate())
            .dtypes(DTypes.FLOATING)
            .gradientName("LogSigmoidBackward0")
            .torch("aten::log_sigmoid(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -8..8")
            .sample(NONE, "f32[7] in -800..800")
            .declare();

    static final Operator<Operator.None> MISH =
        FAMILY
            .pointwise("mish", x -> x.times(Formula.tanh(Formula.softplus(x))))
            .dtypes(DTypes.FLOATING)
            .torch("aten::mish(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -8..8")
            .sample(NONE, "f32[7] in -800..800")
            .source("Misra 2019, arXiv:1908.08681")
            .declare();

    static final Operator<Hardtanh> HARDTANH =
        FAMILY
            .<Hardtanh>pointwise(
                "hardtanh",
                List.of("self"),
                Formula.minimum(Formula.maximum(input(0), parameter(0)), parameter(1)),
                a -> Parameters.of(a.minVal(), a.maxVal()))
            .derivative(
                "self",
                Formula.select(
                    input(0),
                    Comparison.LESS_EQUAL,
                    parameter(0),
                    Formula.constant(0),
                    Formula.select(
                        input(0),
                        Comparison.GREATER_EQUAL,
                        parameter(1),
                        Formula.constant(0),
                        Formula.constant(1))))
            .torch("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor")
            .sample(new Hardtanh(-1, 1), "f32[3 4] in -2..2")
            .sample(new Hardtanh(-1, 1), "f32[7] in -800..800")
            .declare();

    static final Operator<Operator.None> HARDSWISH =
        FAMILY
            .pointwise(
                "hardswish",
                x ->
                    Formula.select(
                        x,
                        Comparison.LESS,
                        Formula.constant(-3),
                        Formula.constant(0),
                        Formula.select(
                            x,
                            Comparison.GREATER,
                            Formula.constant(3),
                            x,
                            x.times(x.plus(3)).dividedBy(6))))
            .dtypes(DTypes.FLOATING)
            .torch("aten::hardswish(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -5..5")
            .sample(NONE, "f32[7] in -800..800")
            .source("Howard et al. 2019, arXiv:1905.02244")
            .declare();

    static final Operator<Operator.None> HARDSIGMOID =
        FAMILY
            .pointwise(
                "hardsigmoid",
                x ->
                    Formula.select(
                        x,
                        Comparison.LESS_EQUAL,
                        Formula.constant(-3),
                        Formula.constant(0),
                        Formula.select(
                            x,
                            Comparison.GREATER_EQUAL,
                            Formula.constant(3),
                            Formula.constant(1),
                            x.plus(3).dividedBy(6))))
            .dtypes(DTypes.FLOATING)
            .derivative("self", hardsigmoidSlope())
            .torch("aten::hardsigmoid(Tensor self) -> Tensor")
            .sample(NONE, "f32[3 4] in -5..5")
            .sample(NONE, "f32[7] in -800..800")
            .declare();

    static final Operator<Operator.None> TANHSHRINK =
        FAMILY
            .pointwise("tanhshrink", x -> x.minus(Formula.tanh(x)))
            .dtypes(DTypes.FLOATING.complex())
            .gradientName("SubBackward0")
            .own()
            .sample(NONE, "f32[3 4] in -4..4")
            .sample(NONE, "f32[7] in -800..800")
            .sample(NONE, "c64[3 4]")
            .declare();

    static final Operator<Operator.None> SOFTSIGN =
        FAMILY
            .pointwise("softsign", x -> x.dividedBy(Formula.abs(x).plus(1)))
            .dtypes(DTypes.FLOATING)
            .own()
            .sample(NONE, "f32[3 4] in -20..20")
            .sample(NONE, "f32[7] in -800..800")
            .source("Bergstra et al. 2009, Quadratic polynomials learn better image features")
            .declare();

    static final Operator<Softshrink> SOFTSHRINK =
        FAMILY
            .<Softshrink>pointwise(
                "softshrink",
                List.of("self"),
                Formula.select(
                    input(0),
                    Comparison.GREATER,
                    parameter(0),
                    input(0).minus(parameter(0)),
                    Formula.select(
                        input(0),
                        Comparison.LESS,
                        parameter(0).negate(),
                        input(0).plus(parameter(0)),
                        Formula.constant(0))),
                a -> Parameters.of(a.lambda()))
            .dtypes(DTypes.FLOATING)
            .torch("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor")
            .sample(new Softshrink(0.5), "f32[3 4]")
            .sample(new Softshrink(0.5), "f32[7] in -800..800")
            .declare();

    static final Operator<Hardshrink> HARDSHRINK =
        FAMILY
            .<Hardshrink>pointwise(
                "hardshrink",
                List.of("self"),
                Formula.select(
                    input(0),
                    Comparison.GREATER,
                    parameter(0),
                    input(0),
                    Formula.select(
                        input(0),
                        Comparison.GREATER_EQUAL,
                        parameter(0).negate(),
                        Formula.constant(0),
                        input(0))),
                a -> Parameters.of(a.lambda()))
            .dtypes(DTypes.FLOATING)
            .torch("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor")
            .sample(new Hardshrink(0.5), "f32[3 4]")
            .sample(new Hardshrink(0.5), "f32[7] in -800..800")
            .declare();

    static final Operator<Threshold> THRESHOLD =
        FAMILY
            .<Threshold>pointwise(
                "threshold",
                List.of("self"),
                Formula.select(
                    input(0), Comparison.LESS_EQUAL, parameter(0), parameter(1), input(0)),
                a -> Parameters.of(a.limit(), a.value()))
            .torch("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor")
            .sample(new Threshold(0.1, 20), "f32[3 4]")
            .sample(new Threshold(0, -1), "f32[7] in -800..800")
            .declare();

    static final Operator<Operator.None> PRELU =
        FAMILY
            .pointwise2(
                "prelu",
                (x, weight) ->
                    Formula.select(x, Comparison.GREATER, Formula.constant(0), x, x.times(weight)))
            .torch("aten::prelu(Tensor self, Tensor weight) -> Tensor")
            .sample(NONE, "f32[3 4 2], f32[1 4 1] in 0..1")
            .source("He, Zhang, Ren, Sun 2015, arXiv:1502.01852")
            .declare();

    static final Operator<Along> SOFTMAX =
        FAMILY
            .<Along>structured("softmax", "self[*b] -> [*b]", ReferenceSoftmax.SOFTMAX)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self", Keeps.OUTPUT, b -> softmaxGradient(b.attributes(), b.grad(), b.output()))
            .torch("aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor")
            .torch("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor")
            .sample(new Along(1), "f32[3 4]")
            .sample(new Along(1), "f32[2 5 3]")
            .sample(new Along(0), "f32[7] in -800..800")
            .sample(new Along(0), "f32[]")
            .sample(new Along(1), "f32[0 4]")
            .declare();

    static final Operator<Along> LOG_SOFTMAX =
        FAMILY
            .<Along>structured("logSoftmax", "self[*b] -> [*b]", ReferenceSoftmax.LOG_SOFTMAX)
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self", Keeps.OUTPUT, b -> logSoftmaxGradient(b.attributes(), b.grad(), b.output()))
            .torch("aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor")
            .torch("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor")
            .sample(new Along(1), "f32[3 4]")
            .sample(new Along(1), "f32[2 5 3]")
            .sample(new Along(0), "f32[7] in -800..800")
            .sample(new Along(0), "f32[]")
            .sample(new Along(1), "f32[0 4]")
            .declare();

    static final Operator<Along> GLU =
        FAMILY
            .<Along>composite(
                "glu", "self[*] -> [*]", (a, in) -> Gates.glu(in.get("self"), a.dim()))
            .dtypes(DTypes.SAME_FLOATING)
            .gradient(
                "self",
                Keeps.inputs("self"),
                b -> Gates.gluGradient(b.grad(), b.input("self"), b.attributes().dim()))
            .torch("aten::glu(Tensor self, int dim=-1) -> Tensor")
            .sample(new Along(1), "f32[3 4]")
            .sample(new Along(0), "f32[4 3 2]")
            .sample(new Along(0), "f32[6] in -800..800")
            .source(
                "Dauphin et al. 2016, Language modeling with gated convolutional networks,"
                    + " arXiv:1612.08083")
            .declare();

    static final Operator<Operator.None> GATE =
        FAMILY
            .pointwise2("gate", (x, by) -> x.times(Formula.sigmoid(by)))
            .dtypes(DTypes.FLOATING)
            .own()
            .sample(NONE, "f32[3 4] in -8..8, f32[3 4] in -8..8")
            .declare();

    static final Operator<Slopes> RRELU =
        FAMILY
            .<Slopes>composite(
                "rrelu",
                "self[*] -> [*]",
                (a, in) -> in.get("self").mul(Operators.SLOPES.on(a, in.get("self"))))
            .dtypes(DTypes.SAME_FLOATING)
            .torch(
                "aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool"
                    + " training=False, Generator? generator=None) -> Tensor")
            .sample(new Slopes(0.1, 0.4, Generator.global()), "f32[5 4]")
            .source(
                "Xu et al. 2015, Empirical evaluation of rectified activations in convolutional"
                    + " network, arXiv:1505.00853")
            .declare();

    static final Operator<Slopes> SLOPES =
        FAMILY
            .<Slopes>structured(
                "rreluSlopes",
                "self[*b] -> [*b]",
                (attributes, out, in) -> {
                  var a = (Slopes) attributes;
                  Sampling.rreluSlopes(out[0], in[0], a.lower(), a.upper(), a.generator());
                })
            .dtypes(DTypes.ANY)
            .notDifferentiable()
            .random()
            .own()
            .sample(new Slopes(0.1, 0.4, Generator.global()), "f32[5 4]")
            .declare();

    // The gradients as one kernel each. While they are recorded themselves they are written out in
    // other operators.

    static final Operator<Along> SOFTMAX_GRADIENT =
        FAMILY
            .<Along>structured(
                "softmaxGradient",
                "grad[*b], output[*b] -> [*b]",
                ReferenceSoftmax.SOFTMAX_GRADIENT)
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim,"
                    + " ScalarType input_dtype) -> Tensor")
            .sample(new Along(1), "f32[3 4], f32[3 4] in 0..1")
            .declare();

    static final Operator<Along> LOG_SOFTMAX_GRADIENT =
        FAMILY
            .<Along>structured(
                "logSoftmaxGradient",
                "grad[*b], output[*b] -> [*b]",
                ReferenceSoftmax.LOG_SOFTMAX_GRADIENT)
            .dtypes(DTypes.SAME_FLOATING)
            .notDifferentiable()
            .torch(
                "aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim,"
                    + " ScalarType input_dtype) -> Tensor")
            .sample(new Along(1), "f32[3 4], f32[3 4] in -4..0")
            .declare();

    static Tensor softmaxGradient(Along along, Tensor grad, Tensor output) {
      return Autograd.isGradEnabled()
          ? output.mul(grad.sub(grad.mul(output).sum(along.dim(), true)))
          : SOFTMAX_GRADIENT.on(along, grad, output);
    }

    static Tensor logSoftmaxGradient(Along along, Tensor grad, Tensor output) {
      return Autograd.isGradEnabled()
          ? grad.sub(output.exp().mul(grad.sum(along.dim(), true)))
          : LOG_SOFTMAX_GRADIENT.on(along, grad, output);
    }

    /// PyTorch rounds `alpha` to `float32` for every type, in the gradient alone.
    private static Formula celuSlope() {
      return Formula.select(
          input(0),
          Comparison.GREATER,
          Formula.constant(0),
          Formula.constant(1),
          Formula.exp(input(0).times(parameter(1))).times(parameter(0).times(parameter(1))));
    }

    /// PyTorch rounds the slope to `float32` for every type.
    private static Formula hardsigmoidSlope() {
      Formula slope = Formula.constant(1f / 6f);
      return Formula.select(
          Formula.abs(input(0)), Comparison.LESS, Formula.constant(3), slope, Formula.constant(0));
    }

    private Operators() {}
  }
}
