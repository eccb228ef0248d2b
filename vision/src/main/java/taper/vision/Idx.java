package taper.vision;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// Reads idx files, the format of MNIST and its relatives, plain or compressed with gzip.
public final class Idx {
  private Idx() {}

  /// The content of a file, with its own type and sizes: images are `[count, height, width]` of `uint8`.
  ///
  /// @throws taper.tensor.MalformedFileException if the file is truncated, damaged or of another format;
  ///     the byte offset counts from the start of the uncompressed content
  /// @throws ArgumentException if there is no such file
  /// @throws UncheckedIOException if the file cannot be read
  public static Tensor read(Path path) {
    try (InputStream in = Files.newInputStream(path)) {
      return tensor(IdxContent.read(String.valueOf(path.getFileName()), in));
    } catch (NoSuchFileException _) {
      throw new ArgumentException(
          "Idx.read: the file must exist, but there is no %s.".formatted(path.toAbsolutePath()));
    } catch (IOException e) {
      throw new UncheckedIOException("Idx.read: " + path + " cannot be read: " + e.getMessage(), e);
    }
  }

  static Tensor tensor(IdxContent content) {
    Tensor tensor = Tensor.empty(content.dtype(), content.shape());
    try {
      var region = tensor.strided();
      MemorySegment.copy(
          content.data(),
          0,
          region.memory(),
          ValueLayout.JAVA_BYTE,
          region.byteOffset(),
          content.data().length);
    } finally {
      Reference.reachabilityFence(tensor);
    }
    return tensor;
  }
}
