package taper.benchmarks.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import taper.benchmarks.work.Batches;

/// The digits of one of the MNIST files, as bytes.
record Images(byte[] pixels, byte[] labels) {
  private static final int PIXELS = 28 * 28;

  /// Those in a folder; `train` or `t10k`.
  static Images of(Path folder, String set) throws IOException {
    return new Images(
        content(folder.resolve(set + "-images-idx3-ubyte.gz"), 16),
        content(folder.resolve(set + "-labels-idx1-ubyte.gz"), 8));
  }

  private static byte[] content(Path file, int header) throws IOException {
    try (var in = new GZIPInputStream(Files.newInputStream(file), 1 << 16)) {
      in.skipNBytes(header);
      return in.readAllBytes();
    }
  }

  int[] inOrder() {
    return IntStream.range(0, labels.length).toArray();
  }

  int[] shuffled() {
    int[] order = inOrder();
    var random = new Random(0);
    for (int i = order.length - 1; i > 0; i--) {
      int j = random.nextInt(i + 1);
      int kept = order[i];
      order[i] = order[j];
      order[j] = kept;
    }
    return order;
  }

  /// One normalized batch.
  Batches batch(int[] order, int from, int to) {
    float[] values = new float[(to - from) * PIXELS];
    long[] classes = new long[to - from];
    for (int i = from; i < to; i++) {
      classes[i - from] = labels[order[i]];
      for (int p = 0; p < PIXELS; p++) {
        values[(i - from) * PIXELS + p] =
            ((pixels[order[i] * PIXELS + p] & 0xff) / 255f - 0.1307f) / 0.3081f;
      }
    }
    return new Batches(to - from, new float[][] {values}, new long[][] {classes});
  }
}
