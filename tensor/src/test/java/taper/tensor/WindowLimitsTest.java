package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Windows that reach or move far beyond an image, and options that no window can have.
final class WindowLimitsTest {
  private static final int FAR = Integer.MAX_VALUE;

  @Test
  void aTransposedWindowThatEndsBeyondAStrideIsThatOfOneMoreElement() {
    Tensor x = Tensor.of(new float[] {1, 2}, 1, 1, 2).requiresGrad_();
    Tensor weight = Tensor.of(new float[] {3, 5}, 1, 1, 2).requiresGrad_();

    Tensor y = x.convTranspose1d(weight, null, o -> o.stride(2).dilation(5).outputPadding(4));
    y.sum().backward();

    assertThat(y.toFloatArray()).containsExactly(3, 0, 6, 0, 0, 5, 0, 10, 0, 0, 0, 0);
    assertThat(x.grad().toFloatArray()).containsExactly(8, 8);
    assertThat(weight.grad().toFloatArray()).containsExactly(3, 3);
  }

  @Test
  void theSameHoldsOfPlanesAndVolumes() {
    Tensor x = Tensor.ones(1, 1, 2, 2).requiresGrad_();

    Tensor y =
        x.convTranspose2d(
            Tensor.ones(1, 1, 2, 1), null, o -> o.stride(2, 1).dilation(5, 1).outputPadding(4, 0));
    y.sum().backward();
    Tensor z =
        x.detach()
            .unsqueeze(-1)
            .convTranspose3d(
                Tensor.ones(1, 1, 2, 1, 1),
                null,
                o -> o.stride(2, 1, 1).dilation(5, 1, 1).outputPadding(4, 0, 0));

    assertThat(y.sum(3).toFloatArray()).containsExactly(2, 0, 2, 0, 0, 2, 0, 2, 0, 0, 0, 0);
    assertThat(x.grad().toFloatArray()).containsExactly(2, 2, 2, 2);
    assertThat(z.flatten().toFloatArray()).containsExactly(y.flatten().toFloatArray());
  }

  @Test
  void aStrideFarBeyondTheImageTakesNoMoreThanTheImage() {
    Tensor x = Tensor.ones(1, 2, 8, 19).requiresGrad_();
    Tensor weight = Tensor.ones(3, 2, 3, 3).requiresGrad_();

    Tensor y = x.conv2d(weight, null, o -> o.stride(FAR));
    y.sum().backward();

    assertThat(y.toFloatArray()).containsExactly(18, 18, 18);
    assertThat(x.grad().sum().item()).isEqualTo(3 * 18);
    assertThat(weight.grad().sum().item()).isEqualTo(3 * 18);
  }

  @Test
  void paddingFarBeyondTheImageTakesNoMemory() {
    Tensor x = Tensor.ones(1, 1, 3, 3).requiresGrad_();

    Tensor y = x.conv2d(Tensor.ones(1, 1, 1, 1), null, o -> o.padding(1 << 30).stride(1 << 30));
    y.sum().backward();

    assertThat(y.toFloatArray()).containsExactly(0, 0, 0, 0, 1, 0, 0, 0, 0);
    assertThat(x.grad().sum().item()).isEqualTo(1);
  }

  @Test
  void dilationFarBeyondTheImageSeesOneElement() {
    Tensor x = Tensor.ones(1, 1, 2, 2);

    Tensor y = x.conv2d(Tensor.ones(1, 1, 3, 3), null, o -> o.padding(FAR).dilation(FAR));
    Tensor max = x.maxPool2d(3, o -> o.padding(FAR).dilation(FAR).stride(1));
    Tensor average = x.avgPool2d(FAR, o -> o.padding(FAR / 2).countIncludePad(false));

    assertThat(y.toFloatArray()).containsExactly(1, 1, 1, 1);
    assertThat(max.toFloatArray()).containsExactly(1, 1, 1, 1);
    assertThat(average.toFloatArray()).containsExactly(1);
  }

  @Test
  void aWindowWithoutElementsIsRefused() {
    assertThatThrownBy(() -> Tensor.ones(1, 1, 4).conv1d(Tensor.ones(1, 1, 0), null))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "conv1d: only the first two dimensions of weight may be empty, but it has shape [1, 1,"
                + " 1, 0].");
    assertThatThrownBy(() -> Tensor.ones(1, 1, 4, 4, 4).conv3d(Tensor.ones(1, 1, 2, 0, 2), null))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "conv3d: only the first two dimensions of weight may be empty, but it has shape [1, 1,"
                + " 2, 0, 2].");
    assertThatThrownBy(
            () -> Tensor.ones(1, 1, 4, 4).convTranspose2d(Tensor.ones(1, 1, 0, 2), null, o -> o))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "convTranspose2d: only the first two dimensions of weight may be empty, but it has"
                + " shape [1, 1, 0, 2].");
  }

  @Test
  void aTransposedImageOfTooManyRowsIsRefused() {
    assertThatThrownBy(() ->
            Tensor.ones(1)
                .expand(1, 1, 1L << 40)
                .convTranspose1d(Tensor.ones(1, 1, 2), null, o -> o.stride(FAR)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "convTranspose1d: each side of the result must have fewer than 2^61 elements, but"
                + " 1099511627776 elements shall be 2147483647 apart.");
  }

  @Test
  void aPaddingThatKeepsTheSizeMustBeANumber() {
    assertThatThrownBy(() ->
            Tensor.ones(1, 1, 4)
                .conv1d(Tensor.ones(1, 1, 7), null, o -> o.padding("same").dilation(FAR)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "conv1d: padding 'same' must be at most 2147483647 at each side, but the window takes"
                + " 6442450941.");
  }

  @Test
  void unpoolingChecksItsWindow() {
    Tensor x = Tensor.ones(1, 1, 2, 2);
    Tensor places = Tensor.zeros(DType.INT64, 1, 1, 2, 2);

    assertThatThrownBy(() -> x.maxUnpool2d(places, 0, 2, o -> o))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "maxUnpool2d: window and stride must be at least 1 and padding not negative, but are 0,"
                + " 0 and 0.");
  }

  @Test
  void layersOfMemoryCheckEverySize() {
    Tensor x = Tensor.ones(5, 3, 7);
    List<Tensor> params =
        List.of(Tensor.ones(64, 8), Tensor.ones(64, 16), Tensor.ones(64), Tensor.ones(64));

    assertThatThrownBy(() -> x.lstm(List.of(), params, o -> o))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "lstm: the input must have 8 features, as many as the first weight has columns, but has"
                + " shape [5, 3, 7].");
    assertThatThrownBy(() ->
            Tensor.ones(5, 3, 8)
                .lstm(List.of(Tensor.ones(1, 3, 16), Tensor.ones(1, 3, 15)), params, o -> o))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "lstm: dimension h is 16 in hidden [3, 16], but 15 in cell [3, 15]. They must be"
                + " equal; see transpose and reshape.");
    assertThatThrownBy(
            () -> Tensor.ones(3, 8).lstm(Tensor.of(new long[] {2, 2}), List.of(), params, o -> o))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "lstm: the input must have as many rows as batchSizes say together, but has 3 for [2,"
                + " 2].");
  }

  @Test
  void projectionsCheckEverySize() {
    List<Tensor> params =
        List.of(
            Tensor.ones(6, 8),
            Tensor.ones(6, 1),
            Tensor.ones(6),
            Tensor.ones(6),
            Tensor.ones(1, 2));

    assertThatThrownBy(() -> Tensor.ones(5, 3, 8).lstm(List.of(), params, o -> o))
        .isInstanceOf(ShapeException.class)
        .hasMessage("lstm: weightIh must have 4 rows for each of the 2 hidden units, but has 6.");
  }

  @Test
  void cellsCheckEverySize() {
    assertThatThrownBy(() ->
            Tensor.ones(2, 8)
                .gruCell(Tensor.ones(2, 5), Tensor.ones(12, 8), Tensor.ones(12, 4), null, null))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "gruCell: dimension h is 5 in hidden [2, 5], but 4 in weightHh [12, 4]. They must be"
                + " equal; see transpose and reshape.");
  }

  @Test
  void transformsHaveElementsAndHops() {
    assertThatThrownBy(() -> Fft.fft(Tensor.ones(4), o -> o.n(-1)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("fft: n must not be negative, but is -1. Leave it out for all elements.");
    assertThatThrownBy(() -> Tensor.ones(64).stft(16, o -> o.hopLength(0)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "stft: hopLength must be at least 1, but is 0. Leave it out for the usual one.");
  }

  @Test
  void anIndexOfBytesIsAMask() {
    Tensor x = Tensor.of(new float[] {1, 2, 3});
    Tensor mask = Tensor.of(new long[] {0, 2, 1}).to(DType.UINT8);

    assertThat(x.get(Index.of(mask)).toFloatArray()).containsExactly(2, 3);
  }

  @Test
  void batchNormOutsideOfTrainingNeedsStatistics() {
    assertThatThrownBy(() -> Tensor.ones(2, 3).batchNorm(null, null, null, null, false, 0.1, 1e-5))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "batchNorm: runningMean and runningVar must be given outside of training, but at least"
                + " one is null.");
  }

  @Test
  void binomialBroadcasts() {
    Tensor draws =
        Tensor.binomial(Tensor.of(new float[] {7}), Tensor.of(new float[] {0, 1, 1, 0, 1, 1}));

    assertThat(draws.toFloatArray()).containsExactly(0, 7, 7, 0, 7, 7);
  }

  @Test
  void aRowWithoutGradientMustBeInTheTable() {
    Tensor weight = Tensor.ones(5, 3).requiresGrad_();

    assertThatThrownBy(() -> Tensor.of(new long[] {1}).embedding(weight, 6))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("embedding: paddingIdx must be in -5..4, but is 6.");
  }

  @Test
  @Tag("slow")
  void linesLongerThanAnIntAreFollowed() {
    Tensor x = Tensor.zeros(DType.BOOL, 1).expand((1L << 31) + 7);

    assertThat(Tensor.zeros(1).expand((1L << 31) + 7).nonzero().shape()).isEqualTo(Shape.of(0, 1));
    assertThat(x.maskedSelect(x).shape()).isEqualTo(Shape.of(0));
  }
}
