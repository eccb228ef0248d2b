package taper.vision;

import java.util.List;
import java.util.stream.Collectors;
import taper.tensor.Tensor;

/// Several transforms, one after the other.
///
/// @param transforms the transforms, the first one first
public record Compose(List<Transform> transforms) implements Transform {
  /// Copies the list.
  public Compose {
    transforms = List.copyOf(transforms);
  }

  /// The transforms in this order.
  public Compose(Transform... transforms) {
    this(List.of(transforms));
  }

  @Override
  public Tensor apply(Tensor image) {
    Tensor result = image;
    for (Transform transform : transforms) {
      result = transform.apply(result);
    }
    return result;
  }

  @Override
  public String toString() {
    return transforms.stream()
        .map(transform -> "    " + transform)
        .collect(Collectors.joining("\n", "Compose(\n", "\n)"));
  }
}
