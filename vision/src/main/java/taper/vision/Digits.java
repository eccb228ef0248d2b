package taper.vision;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import taper.data.Example;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.Tensor;

/// Images of one size with a class each, decoded once and kept as bytes.
///
/// @param name the data set, for messages
/// @param images `[count, height, width]` of `uint8`
/// @param labels `[count]` of `int64`
/// @param transform what every image passes through
record Digits(String name, Tensor images, Tensor labels, Transform transform) {
  /// Opens one of the files of a data set.
  @FunctionalInterface
  interface Files {
    InputStream open(String file) throws IOException;
  }

  static Digits read(String name, boolean train, Files files, Transform transform) {
    String prefix = train ? "train" : "t10k";
    Tensor images = read(prefix + "-images-idx3-ubyte", files);
    Tensor labels = read(prefix + "-labels-idx1-ubyte", files);
    if (images.dim() != 3 || images.dtype() != DType.UINT8) {
      throw new ArgumentException(
          "%s: images must be [count, height, width] of uint8, but are %s of %s. Do the files belong to this data set?"
              .formatted(name, images.shape(), images.dtype()));
    }
    if (labels.dim() != 1 || labels.size(0) != images.size(0) || labels.dtype() != DType.UINT8) {
      throw new ArgumentException(
          "%s: there must be one uint8 label for each of the %d images, but the labels are %s of %s. Do the files belong together?"
              .formatted(name, images.size(0), labels.shape(), labels.dtype()));
    }
    return new Digits(name, images.keep(), labels.to(DType.INT64).keep(), transform);
  }

  private static Tensor read(String file, Files files) {
    try (InputStream in = files.open(file)) {
      return Idx.tensor(IdxContent.read(file, in));
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read: " + e.getMessage(), e);
    }
  }

  long size() {
    return images.size(0);
  }

  Example get(long index) {
    if (index < 0 || index >= size()) {
      throw new ArgumentException(
          "%s.get: the index must be from 0 to %d, but is %d.".formatted(name, size() - 1, index));
    }
    return new Example(transform.apply(images.select(0, index)), labels.select(0, index));
  }
}
