package taper.vision;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import taper.data.Dataset;
import taper.data.Example;
import taper.tensor.ArgumentException;
import taper.tensor.Tensor;

/// Fashion-MNIST: clothes in the format of [Mnist], read from a folder.
///
/// The folder holds the four files `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`,
/// `t10k-images-idx3-ubyte` and `t10k-labels-idx1-ubyte`, plain or with `.gz`. Immutable; threads may
/// share it.
///
/// - Source: Xiao, Rasul, Vollgraf 2017, arXiv:1708.07747
public final class FashionMnist implements Dataset<Example> {
  /// What the classes are called, by their number.
  public static final List<String> CLASSES =
      List.of(
          "T-shirt/top",
          "Trouser",
          "Pullover",
          "Dress",
          "Coat",
          "Sandal",
          "Shirt",
          "Sneaker",
          "Bag",
          "Ankle boot");

  private final Digits digits;

  private FashionMnist(Path folder, boolean train, Transform transform) {
    digits = Digits.read("FashionMnist", train, file -> open(folder, file), transform);
  }

  /// The 60,000 training images, each passed through `transform`.
  ///
  /// @throws ArgumentException if a file is missing
  /// @throws taper.tensor.MalformedFileException if a file is damaged
  public static FashionMnist train(Path folder, Transform transform) {
    return new FashionMnist(folder, true, transform);
  }

  /// The 10,000 test images, each passed through `transform`.
  ///
  /// @throws ArgumentException if a file is missing
  /// @throws taper.tensor.MalformedFileException if a file is damaged
  public static FashionMnist test(Path folder, Transform transform) {
    return new FashionMnist(folder, false, transform);
  }

  @Override
  public long size() {
    return digits.size();
  }

  @Override
  public boolean letsNothingEscape() {
    return digits.transform().letsNothingEscape();
  }

  @Override
  public Example get(long index) {
    return digits.get(index);
  }

  /// All images as they are in the files, `[count, 28, 28]` of `uint8`.
  public Tensor images() {
    return digits.images();
  }

  /// All classes, `[count]` of `int64`.
  public Tensor labels() {
    return digits.labels();
  }

  private static InputStream open(Path folder, String file) throws IOException {
    Path compressed = folder.resolve(file + ".gz");
    if (Files.exists(compressed)) {
      return Files.newInputStream(compressed);
    }
    Path plain = folder.resolve(file);
    if (!Files.exists(plain)) {
      throw new ArgumentException(
          "FashionMnist: the folder must hold %s or %s.gz, but %s has neither. Download the files from github.com/zalandoresearch/fashion-mnist."
              .formatted(file, file, folder.toAbsolutePath()));
    }
    return Files.newInputStream(plain);
  }
}
