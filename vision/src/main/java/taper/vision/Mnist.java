package taper.vision;

import java.io.InputStream;
import java.util.Objects;
import taper.data.Dataset;
import taper.data.Example;
import taper.tensor.Tensor;

/// MNIST: handwritten digits of 28 by 28 pixels, 60,000 to train on and 10,000 to test with.
///
/// The files come with Taper, so nothing is downloaded. Immutable; threads may share it. The images are
/// decoded once and kept as bytes, 47 MB for the training set, and freed when nothing holds the set.
///
/// ```java
/// var train = Mnist.train(new Compose(new ToTensor(), new Normalize(0.1307, 0.3081)));
/// ```
///
/// - Source: Y. LeCun, C. Cortes, C. Burges, "The MNIST database"; licence CC BY-SA 3.0
public final class Mnist implements Dataset<Example> {
  private static final String FOLDER = "mnist/";

  private final Digits digits;

  private Mnist(boolean train, Transform transform) {
    digits = Digits.read("Mnist", train, Mnist::open, transform);
  }

  /// The training images, each passed through `transform`, with their digits as targets.
  public static Mnist train(Transform transform) {
    return new Mnist(true, transform);
  }

  /// The test images, each passed through `transform`, with their digits as targets.
  public static Mnist test(Transform transform) {
    return new Mnist(false, transform);
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

  /// All digits, `[count]` of `int64`.
  public Tensor labels() {
    return digits.labels();
  }

  private static InputStream open(String file) {
    return Objects.requireNonNull(
        Mnist.class.getResourceAsStream(FOLDER + file + ".gz"), "part of the module");
  }
}
