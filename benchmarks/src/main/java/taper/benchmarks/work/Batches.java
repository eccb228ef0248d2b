package taper.benchmarks.work;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.GZIPInputStream;

/// Normalised images with their labels, cut into batches; the same for every library.
///
/// The images are never all zero: zeros make libtorch's maxima and branches cheaper than they are.
///
/// @param size the number of images in a batch
/// @param images per batch, the pixels of its images one after the other
/// @param labels per batch, the class of each image
public record Batches(int size, float[][] images, long[][] labels) {
  private static final int PERIOD = 65_537;
  private static final int PIXELS = 28 * 28;
  private static final float MEAN = 0.1307f;
  private static final float DEVIATION = 0.3081f;

  /// How many batches there are.
  public int count() {
    return images.length;
  }

  /// The first `count` batches of the MNIST training images in a folder.
  ///
  /// @throws IOException if the folder lacks the files, or they are shorter than that
  public static Batches mnist(Path folder, int count, int size) throws IOException {
    Batches batches = new Batches(size, new float[count][size * PIXELS], new long[count][size]);
    try (var images = open(folder.resolve("train-images-idx3-ubyte.gz"), 16);
        var labels = open(folder.resolve("train-labels-idx1-ubyte.gz"), 8)) {
      byte[] pixels = new byte[size * PIXELS];
      for (int batch = 0; batch < count; batch++) {
        images.readFully(pixels);
        for (int i = 0; i < pixels.length; i++) {
          batches.images[batch][i] = ((pixels[i] & 0xff) / 255f - MEAN) / DEVIATION;
        }
        for (int i = 0; i < size; i++) {
          batches.labels[batch][i] = labels.readUnsignedByte();
        }
      }
    }
    return batches;
  }

  /// Seeded noise with the statistics of normalised images, and classes at random.
  ///
  /// @param pixels the number of pixels in an image
  public static Batches random(int count, int size, int pixels, int classes) {
    Random random = new Random(20250916);
    Batches batches = new Batches(size, new float[count][size * pixels], new long[count][size]);
    for (int batch = 0; batch < count; batch++) {
      for (int i = 0; i < size * pixels; i++) {
        batches.images[batch][i] = (float) random.nextGaussian();
      }
      Arrays.setAll(batches.labels[batch], _ -> random.nextInt(classes));
    }
    return batches;
  }

  /// Batches of digits: real ones if the setting has a folder with them, else noise.
  public static Batches digits(Setting setting, int size) {
    try {
      return setting.data() == null ? random(8, size, PIXELS, 10) : mnist(setting.data(), 40, size);
    } catch (IOException e) {
      throw new UncheckedIOException("--data %s: %s".formatted(setting.data(), e), e);
    }
  }

  /// Seeded whole numbers from 0 to `limit`, exclusive, such as tokens.
  public static long[] tokens(int seed, int count, int limit) {
    return new Random(seed).longs(count, 0, limit).toArray();
  }

  /// Seeded numbers of a normal distribution, which repeat after some time.
  public static float[] noise(int seed, int count) {
    Random random = new Random(seed);
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = i < PERIOD ? (float) random.nextGaussian() : values[i - PERIOD];
    }
    return values;
  }

  private static DataInputStream open(Path file, int header) throws IOException {
    var in = new DataInputStream(new GZIPInputStream(Files.newInputStream(file), 1 << 16));
    in.skipNBytes(header);
    return in;
  }
}
