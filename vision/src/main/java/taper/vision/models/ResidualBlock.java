package taper.vision.models;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import taper.nn.Conv2d;
import taper.nn.Module;
import taper.nn.ReLU;
import taper.nn.Sequential;
import taper.tensor.Memory;
import taper.tensor.Tensor;

/// Adds what some convolutions make of the image to the image itself, or to what `downsample` makes of it.
abstract sealed class ResidualBlock extends Module {

  /// Where a block stands.
  record Place(
      long in,
      long planes,
      int stride,
      int dilation,
      @Nullable Sequential downsample,
      ResNetOptions options) {}

  /// The normalization whose scale starts with 0, if blocks are to start as the identity.
  abstract Module last();

  /// The layers whose output is added to the image, and the rectifier of the sum.
  abstract Module[] layers();

  abstract @Nullable Sequential downsample();

  @Override
  protected final Tensor forward(Tensor x) {
    Module[] layers = layers();
    Sequential downsample = downsample();
    if (letsNothingEscape()) {
      return Memory.tidy(() -> inTurn(x, downsample == null ? x : downsample.call(x), layers));
    }
    Tensor residual = inTurn(x, Arrays.copyOf(layers, layers.length - 1));
    Tensor sum = residual.add_(downsample == null ? x : downsample.call(x));
    return layers[layers.length - 1].call(sum);
  }

  @Override
  protected final boolean letsNothingEscape() {
    return partsLetNothingEscape();
  }

  private static Conv2d conv3x3(long in, long out, int stride, int groups, int dilation) {
    return new Conv2d(
        in,
        out,
        3,
        o -> o.stride(stride).padding(dilation).groups(groups).dilation(dilation).bias(false));
  }

  static Conv2d conv1x1(long in, long out, int stride) {
    return new Conv2d(in, out, 1, o -> o.stride(stride).bias(false));
  }

  /// Two 3×3 convolutions.
  static final class Basic extends ResidualBlock {
    private final Conv2d conv1;
    private final Module bn1;
    private final ReLU relu;
    private final Conv2d conv2;
    private final Module bn2;
    private final @Nullable Sequential downsample;

    Basic(Place at) {
      ResNetOptions options = at.options();
      conv1 = conv3x3(at.in(), at.planes(), at.stride(), 1, 1);
      bn1 = options.normLayer().apply(at.planes());
      relu = new ReLU(true);
      conv2 = conv3x3(at.planes(), at.planes(), 1, 1, 1);
      bn2 = options.normLayer().apply(at.planes());
      downsample = at.downsample();
    }

    @Override
    Module[] layers() {
      return new Module[] {conv1, bn1, relu, conv2, bn2, relu};
    }

    @Override
    Module last() {
      return bn2;
    }

    @Override
    @Nullable Sequential downsample() {
      return downsample;
    }
  }

  /// A 1×1 convolution to fewer channels, a 3×3 one, and a 1×1 one to four times as many. The stride is in the second, as
  /// in torchvision.
  static final class Bottleneck extends ResidualBlock {
    static final int EXPANSION = 4;

    private final Conv2d conv1;
    private final Module bn1;
    private final Conv2d conv2;
    private final Module bn2;
    private final Conv2d conv3;
    private final Module bn3;
    private final ReLU relu;
    private final @Nullable Sequential downsample;

    Bottleneck(Place at) {
      ResNetOptions options = at.options();
      long width = at.planes() * options.widthPerGroup() / 64 * options.groups();
      long out = at.planes() * EXPANSION;
      conv1 = conv1x1(at.in(), width, 1);
      bn1 = options.normLayer().apply(width);
      conv2 = conv3x3(width, width, at.stride(), options.groups(), at.dilation());
      bn2 = options.normLayer().apply(width);
      conv3 = conv1x1(width, out, 1);
      bn3 = options.normLayer().apply(out);
      relu = new ReLU(true);
      downsample = at.downsample();
    }

    @Override
    Module[] layers() {
      return new Module[] {conv1, bn1, relu, conv2, bn2, relu, conv3, bn3, relu};
    }

    @Override
    Module last() {
      return bn3;
    }

    @Override
    @Nullable Sequential downsample() {
      return downsample;
    }
  }
}
