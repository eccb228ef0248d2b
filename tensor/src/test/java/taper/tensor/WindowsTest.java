package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/// Padding, resizing, sampling, unfolding, and pools of other ranks than two.
final class WindowsTest {

  private static Tensor row(float... values) {
    return Tensor.of(values, 1, values.length);
  }

  @Test
  void bordersReflectRepeatOrGoRound() {
    Tensor x = row(1, 2, 3);
    long[] pad = {2, 1};

    assertThat(x.pad(pad, "reflect").toFloatArray()).containsExactly(3, 2, 1, 2, 3, 2);
    assertThat(x.pad(pad, "replicate").toFloatArray()).containsExactly(1, 1, 1, 2, 3, 3);
    assertThat(x.pad(pad, "circular").toFloatArray()).containsExactly(2, 3, 1, 2, 3, 1);
    assertThat(x.pad(pad, 7).toFloatArray()).containsExactly(7, 7, 1, 2, 3, 7);
  }

  @Test
  void negativePaddingCutsOff() {
    assertThat(row(1, 2, 3, 4).pad(-1, -2).toFloatArray()).containsExactly(2);
  }

  @Test
  void aCircularBorderRepeatsOnlyWhatIsLeft() {
    Tensor y = row(1, 2, 3, 4).pad(new long[] {-1, 2}, "circular");

    assertThat(y.toFloatArray()).containsExactly(2, 3, 4, 2, 3);
  }

  @Test
  void paddingWorksForWholeNumbersAndAnyRank() {
    Tensor x = Tensor.arange(DType.INT64, 0, 4, 1).view(2, 1, 2);

    Tensor y = x.pad(0, 1, 0, 0, 1, 0);

    assertThat(y.shape()).isEqualTo(Shape.of(3, 1, 3));
    assertThat(y.toLongArray()).containsExactly(0, 0, 0, 0, 1, 0, 2, 3, 0);
  }

  @Test
  void gradientsOfCopiesAreSummed() {
    Tensor x = row(1, 2, 3).requiresGrad_();

    x.pad(new long[] {2, 0}, "replicate").sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(3, 1, 1);
  }

  @Test
  void aReflectedBorderIsNarrowerThanTheImage() {
    assertThatThrownBy(() -> row(1, 2, 3).pad(new long[] {3, 0}, "reflect"))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "pad: the border must be at most 2 wide, but pad [3, 0] asks for 3 at"
                + " dimension 1 of self [1, 3].");
  }

  @Test
  void bordersOfManyColumnsAndRowsAreRightInFastKernelsToo() {
    Tensor x = Tensor.arange(DType.FLOAT32, 0, 6 * 19, 1).view(2, 3, 19);
    long[] pad = {9, 17, 2, 1};
    for (String mode : new String[] {"reflect", "replicate", "circular", "constant"}) {
      Tensor expected = Catalogue.withReferenceKernels(() -> x.pad(pad, mode));

      assertThat(x.pad(pad, mode).equal(expected)).as(mode).isTrue();
    }
  }

  @Test
  void nearestAndLinearInterpolationFindTheirPixels() {
    Tensor x = Tensor.of(new float[] {0, 4}, 1, 1, 2);

    assertThat(x.interpolate(o -> o.size(4)).toFloatArray()).containsExactly(0, 0, 4, 4);
    assertThat(x.interpolate(o -> o.size(4).mode("linear")).toFloatArray())
        .containsExactly(0, 1, 3, 4);
    assertThat(x.interpolate(o -> o.size(5).mode("linear").alignCorners(true)).toFloatArray())
        .containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void interpolationTakesASizeOrAFactor() {
    Tensor x = Tensor.ones(1, 1, 4);

    assertThatThrownBy(() -> x.interpolate(o -> o))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("interpolate: either size or scaleFactor must be given, but neither is.");
    assertThatThrownBy(() -> x.interpolate(o -> o.size(3).mode("bilinear")))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "interpolate: mode 'bilinear' takes 4 dimensions, [n c ...], but self has shape [1, 1,"
                + " 4].");
    assertThatThrownBy(() -> x.interpolate(o -> o.size(3).alignCorners(true)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "interpolate: alignCorners goes with linear, bilinear, bicubic and trilinear, but the"
                + " mode is 'nearest'.");
  }

  @Test
  void theGridOfNoMovementGivesTheImageBack() {
    Tensor x = Tensor.arange(DType.FLOAT64, 0, 24, 1).view(1, 2, 3, 4);
    Tensor theta = Tensor.of(new double[] {1, 0, 0, 0, 1, 0}, 1, 2, 3);

    for (boolean align : new boolean[] {true, false}) {
      Tensor grid = theta.affineGrid(new long[] {1, 2, 3, 4}, align);
      Tensor y = x.gridSample(grid, "bilinear", "zeros", align);

      assertThat(y.sub(x).abs().max().item()).isLessThan(1e-12);
    }
  }

  @Test
  void unfoldingGivesWindowsAsColumnsAndFoldingSumsThem() {
    Tensor x = Tensor.arange(DType.FLOAT32, 0, 6, 1).view(1, 1, 2, 3);

    Tensor columns = x.unfold(2, o -> o);

    assertThat(columns.toFloatArray()).containsExactly(0, 1, 1, 2, 3, 4, 4, 5);
    assertThat(columns.fold(2, 3, 2, o -> o).toFloatArray()).containsExactly(0, 2, 2, 3, 8, 5);
  }

  @Test
  void pixelsBecomeChannelsAndBack() {
    Tensor x = Tensor.arange(DType.FLOAT32, 0, 8, 1).view(1, 4, 1, 2);

    Tensor y = x.pixelShuffle(2);

    assertThat(y.toFloatArray()).containsExactly(0, 2, 1, 3, 4, 6, 5, 7);
    assertThat(y.pixelUnshuffle(2).equal(x)).isTrue();
  }

  @Test
  void maximaGoBackToWhereTheyCameFrom() {
    Tensor x = Tensor.of(new float[] {1, 5, 2, 3}, 1, 1, 4);

    var pooled = x.maxPool1dWithIndices(2, o -> o);
    Tensor back = pooled.values().maxUnpool1d(pooled.indices(), 2, o -> o);

    assertThat(pooled.indices().toLongArray()).containsExactly(1, 3);
    assertThat(back.toFloatArray()).containsExactly(0, 5, 0, 3);
  }

  @Test
  void aDilatedWindowThatMissesTheImageIsEmpty() {
    Tensor x = Tensor.ones(1, 1, 1, 1).requiresGrad_();

    Tensor y = x.maxPool2d(2, o -> o.stride(1).padding(1).dilation(2));
    y.sum().backward();

    assertThat(y.item()).isEqualTo(Double.NEGATIVE_INFINITY);
  }

  @Test
  void fractionalPoolsFollowTheGenerator() {
    Tensor x = Tensor.arange(DType.FLOAT32, 0, 49, 1).view(1, 1, 7, 7);
    Tensor.manualSeed(1);
    Tensor samples = Tensor.rand(1, 1, 2);
    Tensor.manualSeed(1);

    Tensor y = x.fractionalMaxPool2d(2, 2, o -> o.outputSize(3, 3));

    Tensor expected = x.fractionalMaxPool2d(2, 2, o -> o.outputSize(3).randomSamples(samples));
    assertThat(y.equal(expected)).isTrue();
    assertThat(y.get(0, 0, 2, 2).item()).isEqualTo(48);
  }

  @Test
  void aTransposedConvolutionUndoesTheShapeOfAConvolution() {
    Tensor x = Tensor.ones(2, 3, 5, 6);
    Tensor weight = Tensor.ones(4, 3, 3, 3);

    Tensor y = x.conv2d(weight, null, o -> o.stride(2).padding(1));
    Tensor z = y.convTranspose2d(weight, null, o -> o.stride(2).padding(1).outputPadding(0, 1));

    assertThat(z.shape()).isEqualTo(x.shape());
    assertThatThrownBy(() -> y.convTranspose2d(weight, null, o -> o.outputPadding(1)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "convTranspose2d: outputPadding must be smaller than stride or dilation, but is 1 × 1 ×"
                + " 1 for stride 1 × 1 × 1 and dilation 1 × 1 × 1.");
  }

  @Test
  void aConvolutionOfVolumesSumsOverAllThreeDimensions() {
    Tensor x = Tensor.ones(1, 2, 3, 3, 3);

    Tensor y =
        x.conv3d(Tensor.ones(1, 2, 2, 2, 2), Tensor.of(new float[] {1}), o -> o.padding("same"));

    assertThat(y.shape()).isEqualTo(Shape.of(1, 1, 3, 3, 3));
    assertThat(y.get(0, 0, 0, 0, 0).item()).isEqualTo(17);
    assertThat(y.get(0, 0, 2, 2, 2).item()).isEqualTo(3);
  }

  @Test
  void averagesOfWholeNumbersAreCutOff() {
    Tensor x = Tensor.of(new long[] {1, 2, -1, -2}, 1, 1, 1, 4);

    assertThat(x.unsqueeze(0).avgPool3d(1, 1, 2, o -> o).toLongArray()).containsExactly(1, -1);
  }
}
