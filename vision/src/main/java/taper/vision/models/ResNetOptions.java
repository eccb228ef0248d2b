package taper.vision.models;

import java.util.List;
import java.util.function.LongFunction;
import taper.nn.BatchNorm2d;
import taper.nn.Module;
import taper.tensor.ArgumentException;

/// The options of a [ResNet], with torchvision's names and defaults. Immutable.
///
/// @param numClasses the number of outputs
/// @param zeroInitResidual whether the last norm of each block starts with scale 0, so that each block starts as the identity
/// @param groups groups of the 3×3 convolutions; more than one for bottleneck blocks only
/// @param widthPerGroup channels of a group in the first stage, out of 64; another number for bottleneck blocks only
/// @param replaceStrideWithDilation for each of the last three stages, whether it dilates its windows instead of halving
///     the image; for bottleneck blocks only
/// @param normLayer makes the normalization of so many channels
public record ResNetOptions(
    long numClasses,
    boolean zeroInitResidual,
    int groups,
    int widthPerGroup,
    List<Boolean> replaceStrideWithDilation,
    LongFunction<Module> normLayer) {

  /// A thousand classes, ordinary initial values, one group of 64, strides, batch norm.
  public static final ResNetOptions DEFAULT =
      new ResNetOptions(1000, false, 1, 64, List.of(false, false, false), BatchNorm2d::new);

  /// @throws ArgumentException if a number is not positive, or there are not three choices of dilation
  public ResNetOptions {
    replaceStrideWithDilation = List.copyOf(replaceStrideWithDilation);
    if (numClasses <= 0 || groups <= 0 || widthPerGroup <= 0) {
      throw new ArgumentException(
          "ResNet: numClasses, groups and widthPerGroup must be positive, but are %d, %d and %d."
              .formatted(numClasses, groups, widthPerGroup));
    }
    if (replaceStrideWithDilation.size() != 3) {
      throw new ArgumentException(
          "ResNet: replaceStrideWithDilation must say it for three stages, but has %d values."
              .formatted(replaceStrideWithDilation.size()));
    }
  }

  /// With another number of outputs.
  public ResNetOptions numClasses(long numClasses) {
    return new ResNetOptions(
        numClasses, zeroInitResidual, groups, widthPerGroup, replaceStrideWithDilation, normLayer);
  }

  /// With blocks that start as the identity, or not.
  public ResNetOptions zeroInitResidual(boolean zeroInitResidual) {
    return new ResNetOptions(
        numClasses, zeroInitResidual, groups, widthPerGroup, replaceStrideWithDilation, normLayer);
  }

  /// With the 3×3 convolutions split into groups.
  public ResNetOptions groups(int groups) {
    return new ResNetOptions(
        numClasses, zeroInitResidual, groups, widthPerGroup, replaceStrideWithDilation, normLayer);
  }

  /// With another number of channels a group.
  public ResNetOptions widthPerGroup(int widthPerGroup) {
    return new ResNetOptions(
        numClasses, zeroInitResidual, groups, widthPerGroup, replaceStrideWithDilation, normLayer);
  }

  /// With dilation in place of strides in some of the last three stages.
  public ResNetOptions replaceStrideWithDilation(boolean second, boolean third, boolean fourth) {
    return new ResNetOptions(
        numClasses,
        zeroInitResidual,
        groups,
        widthPerGroup,
        List.of(second, third, fourth),
        normLayer);
  }

  /// With another normalization, made for a number of channels.
  public ResNetOptions normLayer(LongFunction<Module> normLayer) {
    return new ResNetOptions(
        numClasses, zeroInitResidual, groups, widthPerGroup, replaceStrideWithDilation, normLayer);
  }
}
