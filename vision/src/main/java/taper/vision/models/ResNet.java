package taper.vision.models;

import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.nn.AdaptiveAvgPool2d;
import taper.nn.BatchNorm;
import taper.nn.Conv2d;
import taper.nn.GroupNorm;
import taper.nn.Init;
import taper.nn.Linear;
import taper.nn.MaxPool2d;
import taper.nn.Module;
import taper.nn.ReLU;
import taper.nn.Sequential;
import taper.tensor.ArgumentException;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// A residual network: four stages of blocks, each of which adds to its input what some convolutions make of it.
///
/// ```java
/// ResNet model = ResNet.resnet50(o -> o.numClasses(10));
/// ```
///
/// - Shape: `[n 3 h w] -> [n numClasses]`
/// - Initial values: torchvision's. Convolutions are normal with variance 2/n, where n is the number of outputs that an
///   input goes to; norms have scale 1 and shift 0.
/// - Source: He, Zhang, Ren, Sun 2015, Deep residual learning for image recognition, arXiv:1512.03385; with groups Xie et
///   al. 2016, arXiv:1611.05431; with more channels Zagoruyko, Komodakis 2016, arXiv:1605.07146
public final class ResNet extends Module {
  private final Conv2d conv1;
  private final Module bn1;
  private final ReLU relu;
  private final MaxPool2d maxpool;
  private final Sequential layer1;
  private final Sequential layer2;
  private final Sequential layer3;
  private final Sequential layer4;
  private final AdaptiveAvgPool2d avgpool;
  private final Linear fc;

  private ResNet(boolean bottleneck, int[] blocks, ResNetOptions options) {
    if (!bottleneck && (options.groups() != 1 || options.widthPerGroup() != 64)) {
      throw new ArgumentException(
          "ResNet: basic blocks must have one group of width 64, but groups is %d and widthPerGroup is %d."
              .formatted(options.groups(), options.widthPerGroup()));
    }
    if (!bottleneck && options.replaceStrideWithDilation().contains(true)) {
      throw new ArgumentException("ResNet: basic blocks must not be dilated, but some are to be.");
    }
    conv1 = new Conv2d(3, 64, 7, o -> o.stride(2).padding(3).bias(false));
    bn1 = options.normLayer().apply(64);
    relu = new ReLU(true);
    maxpool = new MaxPool2d(3, o -> o.stride(2).padding(1));
    var stages = new Stages(bottleneck, options);
    layer1 = stages.next(64, blocks[0], 1, false);
    layer2 = stages.next(128, blocks[1], 2, options.replaceStrideWithDilation().get(0));
    layer3 = stages.next(256, blocks[2], 2, options.replaceStrideWithDilation().get(1));
    layer4 = stages.next(512, blocks[3], 2, options.replaceStrideWithDilation().get(2));
    avgpool = new AdaptiveAvgPool2d(1);
    fc = new Linear(stages.channels, options.numClasses());
    resetParameters(options);
  }

  /// Makes stage after stage, and keeps in mind what one hands to the next.
  private static final class Stages {
    private final boolean bottleneck;
    private final ResNetOptions options;
    private long channels = 64;
    private int dilation = 1;

    Stages(boolean bottleneck, ResNetOptions options) {
      this.bottleneck = bottleneck;
      this.options = options;
    }

    Sequential next(long planes, int blocks, int stride, boolean dilate) {
      int before = dilation;
      int first = dilate ? 1 : stride;
      if (dilate) {
        dilation *= stride;
      }
      long out = bottleneck ? planes * ResidualBlock.Bottleneck.EXPANSION : planes;
      Sequential downsample =
          first != 1 || channels != out
              ? new Sequential(
                  ResidualBlock.conv1x1(channels, out, first), options.normLayer().apply(out))
              : null;
      var stage = new Sequential(block(planes, first, before, downsample));
      channels = out;
      for (int i = 1; i < blocks; i++) {
        stage.append(block(planes, 1, dilation, null));
      }
      return stage;
    }

    private ResidualBlock block(
        long planes, int stride, int dilation, @Nullable Sequential downsample) {
      var place = new ResidualBlock.Place(channels, planes, stride, dilation, downsample, options);
      return bottleneck ? new ResidualBlock.Bottleneck(place) : new ResidualBlock.Basic(place);
    }
  }

  private void resetParameters(ResNetOptions options) {
    for (Module module : modules()) {
      switch (module) {
        case Conv2d conv ->
            Init.kaimingNormal_(
                conv.weight(),
                o -> o.mode(Init.FanMode.FAN_OUT).nonlinearity(Init.Nonlinearity.RELU));
        case BatchNorm norm -> fill(norm.weight(), norm.bias());
        case GroupNorm norm -> fill(norm.weight(), norm.bias());
        default -> {}
      }
    }
    if (options.zeroInitResidual()) {
      for (Module module : modules()) {
        if (module instanceof ResidualBlock block) {
          zero(block.last());
        }
      }
    }
  }

  private static void fill(@Nullable Parameter weight, @Nullable Parameter bias) {
    if (weight != null) {
      Init.ones_(weight);
    }
    if (bias != null) {
      Init.zeros_(bias);
    }
  }

  private static void zero(Module norm) {
    Parameter weight = norm.namedParameters().get("weight");
    if (weight != null) {
      Init.zeros_(weight);
    }
  }

  @Override
  protected Tensor forward(Tensor input) {
    return tidily(() -> {
      Tensor x = inTurn(input, conv1, bn1, relu, maxpool, layer1, layer2, layer3, layer4);
      return fc.call(avgpool.call(x).flatten(1));
    });
  }

  @Override
  protected boolean letsNothingEscape() {
    return partsLetNothingEscape();
  }

  /// 18 layers, in basic blocks.
  public static ResNet resnet18() {
    return resnet18(o -> o);
  }

  /// 18 layers, in basic blocks.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet resnet18(UnaryOperator<ResNetOptions> options) {
    return basic(options, 2, 2, 2, 2);
  }

  /// 34 layers, in basic blocks.
  public static ResNet resnet34() {
    return resnet34(o -> o);
  }

  /// 34 layers, in basic blocks.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet resnet34(UnaryOperator<ResNetOptions> options) {
    return basic(options, 3, 4, 6, 3);
  }

  /// 50 layers, in bottleneck blocks.
  public static ResNet resnet50() {
    return resnet50(o -> o);
  }

  /// 50 layers, in bottleneck blocks.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet resnet50(UnaryOperator<ResNetOptions> options) {
    return bottleneck(options, 3, 4, 6, 3);
  }

  /// 101 layers, in bottleneck blocks.
  public static ResNet resnet101() {
    return resnet101(o -> o);
  }

  /// 101 layers, in bottleneck blocks.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet resnet101(UnaryOperator<ResNetOptions> options) {
    return bottleneck(options, 3, 4, 23, 3);
  }

  /// 152 layers, in bottleneck blocks.
  public static ResNet resnet152() {
    return resnet152(o -> o);
  }

  /// 152 layers, in bottleneck blocks.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet resnet152(UnaryOperator<ResNetOptions> options) {
    return bottleneck(options, 3, 8, 36, 3);
  }

  /// [#resnet50()] with 32 groups of 4 channels.
  public static ResNet resnext50x32x4d() {
    return resnext50x32x4d(o -> o);
  }

  /// [#resnet50()] with 32 groups of 4 channels; torchvision's `resnext50_32x4d`.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet resnext50x32x4d(UnaryOperator<ResNetOptions> options) {
    return resnet50(o -> options.apply(o.groups(32).widthPerGroup(4)));
  }

  /// [#resnet50()] with twice the channels in the 3×3 convolutions.
  public static ResNet wideResnet50x2() {
    return wideResnet50x2(o -> o);
  }

  /// [#resnet50()] with twice the channels in the 3×3 convolutions; torchvision's `wide_resnet50_2`.
  ///
  /// @param options as in `o -> o.numClasses(10)`
  public static ResNet wideResnet50x2(UnaryOperator<ResNetOptions> options) {
    return resnet50(o -> options.apply(o.widthPerGroup(128)));
  }

  private static ResNet basic(UnaryOperator<ResNetOptions> options, int... blocks) {
    return new ResNet(false, blocks, options.apply(ResNetOptions.DEFAULT));
  }

  private static ResNet bottleneck(UnaryOperator<ResNetOptions> options, int... blocks) {
    return new ResNet(true, blocks, options.apply(ResNetOptions.DEFAULT));
  }
}
