package taper.vision;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import taper.tensor.DType;
import taper.tensor.Tensor;
import taper.tensor.spi.Strided;

/// Several transforms, one after the other. Immutable; threads share it.
///
/// [ToTensor] followed by nothing but [Normalize] with one mean turns each byte into a number that depends
/// on that byte alone. Then the 256 possible results are computed once, by those very transforms, and an
/// image of bytes is looked up in them: the same bits for a tenth of the time.
public final class Compose implements Transform {
  private static final int BYTES = 256;
  private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT;

  private final List<Transform> transforms;
  private final float @Nullable [] table;

  /// The transforms in this order.
  public Compose(List<? extends Transform> transforms) {
    this.transforms = List.copyOf(transforms);
    this.table = dependsOnEachByteAlone() ? table() : null;
  }

  /// The transforms in this order.
  public Compose(Transform... transforms) {
    this(List.of(transforms));
  }

  /// The transforms, the first one first.
  public List<Transform> transforms() {
    return transforms;
  }

  @Override
  public Tensor apply(Tensor image) {
    float[] known = table;
    if (known != null && image.dim() == 2 && image.dtype() == DType.UINT8 && image.isContiguous()) {
      return lookUp(known, image);
    }
    return inTurn(image);
  }

  @Override
  public boolean letsNothingEscape() {
    return transforms.stream().allMatch(Transform::letsNothingEscape);
  }

  @Override
  public String toString() {
    return transforms.stream()
        .map(transform -> "    " + transform)
        .collect(Collectors.joining("\n", "Compose(\n", "\n)"));
  }

  private Tensor inTurn(Tensor image) {
    Tensor result = image;
    for (Transform transform : transforms) {
      result = transform.apply(result);
    }
    return result;
  }

  private boolean dependsOnEachByteAlone() {
    return !transforms.isEmpty()
        && transforms.getFirst() instanceof ToTensor
        && transforms.stream()
            .skip(1)
            .allMatch(each -> each instanceof Normalize normalize && normalize.channels() == 1);
  }

  private float[] table() {
    byte[] bytes = new byte[BYTES];
    for (int i = 0; i < BYTES; i++) {
      bytes[i] = (byte) i;
    }
    return inTurn(Tensor.of(bytes, 1, BYTES).to(DType.UINT8)).toFloatArray();
  }

  private static Tensor lookUp(float[] table, Tensor image) {
    Tensor result = Tensor.empty(DType.FLOAT32, 1, image.size(0), image.size(1));
    return image.whileHeld(pixels -> {
      MemorySegment from = bytes(pixels, 1);
      MemorySegment to = bytes(result.strided(), Float.BYTES);
      long count = Math.min(pixels.numel(), result.numel());
      for (long i = 0; i < count; i++) {
        to.setAtIndex(FLOAT, i, table[from.get(ValueLayout.JAVA_BYTE, i) & 0xff]);
      }
      return result;
    });
  }

  private static MemorySegment bytes(Strided region, int size) {
    return region.memory().asSlice(region.byteOffset(), region.numel() * size);
  }
}
