package taper.vision;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import taper.data.Example;
import taper.tensor.ArgumentException;
import taper.tensor.DType;
import taper.tensor.DTypeException;
import taper.tensor.MalformedFileException;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

class MnistTest {
  private static final Path GOLDEN = Path.of("vision/src/test/resources/golden/files");

  @TempDir Path folder;

  @Test
  void holdsTheRealDigits() throws Exception {
    Mnist train = Mnist.train(Transform.none());
    Mnist test = Mnist.test(Transform.none());

    assertThat(train.size()).isEqualTo(60_000);
    assertThat(test.size()).isEqualTo(10_000);
    assertThat(md5("00000803 0000ea60 0000001c 0000001c", train.images()))
        .isEqualTo("6bbc9ace898e44ae57da46a324031adb");
    assertThat(md5("00000803 00002710 0000001c 0000001c", test.images()))
        .isEqualTo("2646ac647ad5339dbf082846283269ea");
    assertThat(md5("00000801 0000ea60", train.labels().to(DType.UINT8)))
        .isEqualTo("a25bea736e30d166cdddb491f175f624");
    assertThat(md5("00000801 00002710", test.labels().to(DType.UINT8)))
        .isEqualTo("27ae3e4e09519cfbb04c329615203637");
  }

  @Test
  void givesAnImageAndItsDigit() {
    Mnist train = Mnist.train(Transform.none());

    Example third = train.get(2);

    assertThat(third.input().shape()).hasToString("[28, 28]");
    assertThat(third.input().dtype()).isEqualTo(DType.UINT8);
    assertThat(third.target().shape()).hasToString("[]");
    assertThat(third.target().dtype()).isEqualTo(DType.INT64);
    assertThat(third.target().itemLong()).isEqualTo(4);
  }

  @Test
  void passesEveryImageThroughTheTransform() {
    Mnist test = Mnist.test(new Compose(new ToTensor(), new Normalize(0.1307, 0.3081)));

    float[] pixels = test.get(0).input().toFloatArray();

    assertThat(test.get(0).input().shape()).hasToString("[1, 28, 28]");
    assertThat(pixels[0]).isEqualTo((0f - 0.1307f) / 0.3081f);
    // The brightest pixel of the first test image is 255.
    float brightest = Float.NEGATIVE_INFINITY;
    for (float pixel : pixels) {
      brightest = Math.max(brightest, pixel);
    }
    assertThat(brightest).isCloseTo((1f - 0.1307f) / 0.3081f, within(1e-6f));
  }

  @Test
  void lookingPixelsUpGivesTheBitsOfTheTransformsInTurn() {
    byte[] pixels = new byte[512];
    new java.util.Random(3).nextBytes(pixels);
    Tensor image = Tensor.of(pixels, 16, 32).to(DType.UINT8);
    Tensor whole = Tensor.cat(List.of(image, image), 1);
    var transforms = List.of(new ToTensor(), new Normalize(0.1307, 0.3081), new Normalize(2, 3));

    for (Tensor each : List.of(image, whole.narrow(1, 8, 17), image.transpose(0, 1))) {
      Tensor inTurn = each;
      for (Transform transform : transforms) {
        inTurn = transform.apply(inTurn);
      }
      Tensor composed = new Compose(transforms).apply(each);

      assertThat(composed.shape()).isEqualTo(inTurn.shape());
      assertThat(composed.toFloatArray()).isEqualTo(inTurn.toFloatArray());
    }
  }

  @Test
  void rejectsAnIndexBeyondTheEnd() {
    Mnist test = Mnist.test(Transform.none());

    assertThatThrownBy(() -> test.get(10_000))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Mnist.get: the index must be from 0 to 9999, but is 10000.");
    assertThatThrownBy(() -> test.get(-1))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Mnist.get: the index must be from 0 to 9999, but is -1.");
  }

  @Test
  void fashionIsReadFromAFolderPlainOrCompressed() throws IOException {
    Files.copy(GOLDEN.resolve("t4-images-idx3-ubyte"), folder.resolve("train-images-idx3-ubyte"));
    Files.copy(GOLDEN.resolve("t4-labels-idx1-ubyte"), folder.resolve("train-labels-idx1-ubyte"));
    Files.copy(
        GOLDEN.resolve("t50-images-idx3-ubyte.gz"), folder.resolve("t10k-images-idx3-ubyte.gz"));
    Files.copy(
        GOLDEN.resolve("t50-labels-idx1-ubyte.gz"), folder.resolve("t10k-labels-idx1-ubyte.gz"));

    assertThat(FashionMnist.train(folder, Transform.none()).size()).isEqualTo(4);
    FashionMnist test = FashionMnist.test(folder, Transform.none());
    assertThat(test.size()).isEqualTo(50);
    assertThat(test.get(3).target().itemLong()).isZero();
    assertThat(FashionMnist.CLASSES).hasSize(10);
  }

  @Test
  void fashionSaysWhichFileIsMissing() {
    assertThatThrownBy(() -> FashionMnist.train(folder, Transform.none()))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "FashionMnist: the folder must hold train-images-idx3-ubyte or"
                + " train-images-idx3-ubyte.gz, but %s has neither. Download the files from"
                + " github.com/zalandoresearch/fashion-mnist.",
            folder);
  }

  @Test
  void fashionRejectsATruncatedFile() throws IOException {
    byte[] whole = Files.readAllBytes(GOLDEN.resolve("t4-images-idx3-ubyte"));
    Files.write(folder.resolve("train-images-idx3-ubyte"), java.util.Arrays.copyOf(whole, 1000));

    assertThatThrownBy(() -> FashionMnist.train(folder, Transform.none()))
        .isInstanceOf(MalformedFileException.class)
        .hasMessage(
            "train-images-idx3-ubyte: the data must have 3,136 bytes, [4, 28, 28] of uint8, but the"
                + " file ends after 984 of them (at byte 1000). The file was cut off: download or"
                + " copy it again.");
  }

  @Test
  void fashionRejectsLabelsOfAnotherSet() throws IOException {
    Files.copy(GOLDEN.resolve("t4-images-idx3-ubyte"), folder.resolve("train-images-idx3-ubyte"));
    Files.copy(
        GOLDEN.resolve("t50-labels-idx1-ubyte.gz"), folder.resolve("train-labels-idx1-ubyte.gz"));

    assertThatThrownBy(() -> FashionMnist.train(folder, Transform.none()))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "FashionMnist: there must be one uint8 label for each of the 4 images, but the labels"
                + " are [50] of uint8. Do the files belong together?");
  }

  @Test
  void readsAnIdxFileAsATensor() {
    Tensor values = Idx.read(GOLDEN.resolve("values-int16.idx"));

    assertThat(values.dtype()).isEqualTo(DType.INT16);
    assertThat(values.shape()).hasToString("[3, 4]");
    assertThat(values.toLongArray())
        .containsExactly(-34, 11, 40, 35, 65, 54, -84, -10, -17, 23, -20, 3);
    assertThatThrownBy(() -> Idx.read(folder.resolve("none")))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "Idx.read: the file must exist, but there is no " + folder.resolve("none") + ".");
  }

  @Test
  void toTensorPutsChannelsFirstAndScalesBytesOnly() {
    Tensor image = Tensor.of(new float[] {0, 51, 102, 153, 204, 255}, 1, 2, 3);

    assertThat(new ToTensor().apply(image.to(DType.UINT8)).toFloatArray())
        .containsExactly(0f, 153f / 255, 51f / 255, 204f / 255, 102f / 255, 1f);
    assertThat(new ToTensor().apply(image).toFloatArray())
        .containsExactly(0, 153, 51, 204, 102, 255);
    assertThatThrownBy(() -> new ToTensor().apply(Tensor.ones(3)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "ToTensor: an image must be [height, width] or [height, width, channels], but is [3].");
  }

  @Test
  void normalizeTreatsEachChannelByItself() {
    Tensor image = Tensor.of(new float[] {1, 2, 3, 4}, 2, 1, 2);
    Normalize normalize = new Normalize(new double[] {1, 2}, new double[] {0.5, 2});

    assertThat(normalize.apply(image).toFloatArray()).containsExactly(0, 2, 0.5f, 1);
    assertThat(normalize).hasToString("Normalize(mean=[1.0, 2.0], std=[0.5, 2.0])");
    assertThatThrownBy(() -> normalize.apply(Tensor.ones(3, 1, 2)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "Normalize: an image must have 2 channels, one for each mean, but is [3, 1, 2].");
    assertThatThrownBy(() -> normalize.apply(Tensor.ones(DType.UINT8, 2, 1, 2)))
        .isInstanceOf(DTypeException.class)
        .hasMessage("Normalize: an image must be floating, but is uint8. Put ToTensor before it.");
    assertThatThrownBy(() -> new Normalize(0.5, 0))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("Normalize: deviations must not be 0, but are [0.0].");
  }

  private static String md5(String header, Tensor bytes) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("MD5");
    digest.update(HexFormat.of().parseHex(header.replace(" ", "")));
    var region = bytes.strided();
    digest.update(
        region.memory().asSlice(region.byteOffset(), bytes.numel()).toArray(ValueLayout.JAVA_BYTE));
    return HexFormat.of().formatHex(digest.digest());
  }
}
