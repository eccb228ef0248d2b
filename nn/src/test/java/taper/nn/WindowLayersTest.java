package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Shape;
import taper.tensor.Tensor;

/// Layers that slide windows over rows, images and volumes, pad, resize or shuffle.
final class WindowLayersTest {

  @Test
  void layersPrintAsInPyTorch() {
    List<Module> layers =
        List.of(
            new Conv3d(2, 4, 1, 2, 3, o -> o.stride(2).padding(0, 1, 1).groups(2).bias(false)),
            new ConvTranspose1d(3, 4, 3, o -> o.stride(2).outputPadding(1)),
            new ConvTranspose2d(3, 4, 2, 3, o -> o.padding(1)),
            new ConvTranspose3d(3, 4, 2),
            new MaxPool1d(3, o -> o.stride(2)),
            new MaxPool3d(1, 2, 2, o -> o),
            new AvgPool1d(2),
            new AvgPool3d(2),
            new LPPool2d(1.5, 2, 3, o -> o),
            new AdaptiveMaxPool3d(1, 2, 3),
            new AdaptiveAvgPool1d(4),
            new ConstantPad2d(1, 2.5),
            new ZeroPad2d(1, 2, 3, 4),
            new ReflectionPad1d(2),
            new ReplicationPad3d(1),
            new CircularPad2d(1),
            new Upsample(o -> o.scaleFactor(2).mode("bilinear")),
            new UpsamplingNearest2d(o -> o.size(3, 4)),
            new Unfold(2, 3, o -> o.padding(1)),
            new Fold(4, 5, 2, 2, o -> o),
            new PixelShuffle(2),
            new PixelUnshuffle(3),
            new ChannelShuffle(2),
            new FractionalMaxPool2d(2, o -> o.outputRatio(0.5)));

    assertThat(layers.stream().map(Module::toString).collect(Collectors.joining("\n")))
        .isEqualTo(
            """
            Conv3d(2, 4, kernel_size=(1, 2, 3), stride=(2, 2, 2), padding=(0, 1, 1), groups=2, bias=False)
            ConvTranspose1d(3, 4, kernel_size=(3,), stride=(2,), output_padding=(1,))
            ConvTranspose2d(3, 4, kernel_size=(2, 3), stride=(1, 1), padding=(1, 1))
            ConvTranspose3d(3, 4, kernel_size=(2, 2, 2), stride=(1, 1, 1))
            MaxPool1d(kernel_size=3, stride=2, padding=0, dilation=1, ceil_mode=False)
            MaxPool3d(kernel_size=(1, 2, 2), stride=(1, 2, 2), padding=0, dilation=1, ceil_mode=False)
            AvgPool1d(kernel_size=(2,), stride=(2,), padding=(0,))
            AvgPool3d(kernel_size=2, stride=2, padding=0)
            LPPool2d(norm_type=1.5, kernel_size=(2, 3), stride=None, ceil_mode=False)
            AdaptiveMaxPool3d(output_size=(1, 2, 3))
            AdaptiveAvgPool1d(output_size=4)
            ConstantPad2d(padding=(1, 1, 1, 1), value=2.5)
            ZeroPad2d((1, 2, 3, 4))
            ReflectionPad1d((2, 2))
            ReplicationPad3d((1, 1, 1, 1, 1, 1))
            CircularPad2d((1, 1, 1, 1))
            Upsample(scale_factor=2.0, mode='bilinear')
            UpsamplingNearest2d(size=(3, 4), mode='nearest')
            Unfold(kernel_size=(2, 3), dilation=1, padding=1, stride=1)
            Fold(output_size=(4, 5), kernel_size=2, dilation=1, padding=0, stride=1)
            PixelShuffle(upscale_factor=2)
            PixelUnshuffle(downscale_factor=3)
            ChannelShuffle(groups=2)
            FractionalMaxPool2d()\
            """);
  }

  @Test
  void layersGiveTheShapesThatTheyPromise() {
    Tensor rows = Tensor.ones(2, 4, 8);
    Tensor images = Tensor.ones(2, 4, 8, 6);
    Tensor volumes = Tensor.ones(2, 4, 4, 8, 6);

    assertThat(new ConvTranspose1d(4, 6, 3, o -> o.stride(2)).call(rows).shape())
        .isEqualTo(Shape.of(2, 6, 17));
    assertThat(new ConvTranspose2d(4, 6, 3, o -> o.groups(2)).call(images).shape())
        .isEqualTo(Shape.of(2, 6, 10, 8));
    assertThat(new ConvTranspose3d(4, 6, 2, o -> o.stride(2)).call(volumes).shape())
        .isEqualTo(Shape.of(2, 6, 8, 16, 12));
    assertThat(new Conv3d(4, 6, 3, o -> o.padding("same")).call(volumes).shape())
        .isEqualTo(Shape.of(2, 6, 4, 8, 6));
    assertThat(new MaxPool1d(2).call(rows).shape()).isEqualTo(Shape.of(2, 4, 4));
    assertThat(new AvgPool3d(2).call(volumes).shape()).isEqualTo(Shape.of(2, 4, 2, 4, 3));
    assertThat(new AdaptiveMaxPool2d(3).call(images).shape()).isEqualTo(Shape.of(2, 4, 3, 3));
    assertThat(new ReflectionPad2d(1, 2, 3, 4).call(images).shape())
        .isEqualTo(Shape.of(2, 4, 15, 9));
    assertThat(new UpsamplingBilinear2d(o -> o.scaleFactor(2)).call(images).shape())
        .isEqualTo(Shape.of(2, 4, 16, 12));
    assertThat(new Fold(3, 3, 2, 2, o -> o).call(Tensor.ones(2, 8, 4)).shape())
        .isEqualTo(Shape.of(2, 2, 3, 3));
    assertThat(new PixelShuffle(2).call(images).shape()).isEqualTo(Shape.of(2, 1, 16, 12));
    assertThat(new FractionalMaxPool3d(2, o -> o.outputSize(2)).call(volumes).shape())
        .isEqualTo(Shape.of(2, 4, 2, 2, 2));
  }

  @Test
  void transposedConvolutionsStartWithPyTorchsNumbers() {
    Tensor.manualSeed(0);

    var layer = new ConvTranspose2d(2, 4, 3, o -> o.groups(2));

    assertThat(layer.weight().flatten().narrow(0, 0, 2).toDoubleArray())
        .containsExactly(new double[] {-0.0017646604683250189, 0.12644097208976746}, within(1e-7));
    assertThat(layer.bias()).isNotNull();
    assertThat(layer.bias().toDoubleArray())
        .containsExactly(
            new double[] {
              -0.13758894801139832, 0.20260919630527496, 0.10517467558383942, 0.11423841863870621
            },
            within(1e-7));
    assertThat(layer.stateDict().keySet()).containsExactly("weight", "bias");
  }

  @Test
  void sizesMustBePositive() {
    assertThatThrownBy(() -> new MaxPool3d(2, 0, 2, o -> o))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("MaxPool3d: height must be positive, but is 0.");
    assertThatThrownBy(() -> new ConvTranspose1d(3, 4, 3, o -> o.groups(2)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "ConvTranspose1d: groups must divide inChannels and outChannels, but there are 2"
                + " groups, 3 inputs and 4 outputs.");
  }

  @Test
  void someOptionsAreOfTransposedConvolutionsOrOfTheOthersOnly() {
    assertThatThrownBy(() -> new Conv2d(3, 4, 3, o -> o.outputPadding(1)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "Conv2d: outputPadding must be 0, since only transposed convolutions have one, but is"
                + " 1.");
    assertThatThrownBy(() -> new ConvTranspose2d(3, 4, 3, o -> o.padding("same")))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "ConvTranspose2d: padding must be a number, since only convolutions that are not"
                + " transposed can keep the size, but is 'same'.");
  }
}
