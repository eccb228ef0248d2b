package taper.tensor.internal;

import taper.tensor.Generator;

/// Work space of one thread for random numbers, large enough for one chunk of them.
final class DrawSpace {
  // no lambda: linking one costs more than ten milliseconds of the first training step
  private static final ThreadLocal<DrawSpace> OF_THREAD =
      new ThreadLocal<>() {
        @Override
        protected DrawSpace initialValue() {
          return new DrawSpace();
        }
      };

  final int[] draws = new int[2 * Normals.CHUNK];
  final float[] floats = new float[Normals.CHUNK];
  final float[] work = new float[Normals.WORK];
  final double[] doubles = new double[Normals.CHUNK];
  final long[] longs = new long[Normals.CHUNK];
  final int[] bits = new int[Normals.CHUNK];
  final byte[] bytes = new byte[Normals.CHUNK];

  /// Goes on from another generator while all threads draw for a call of this one.
  final Generator stream = new Generator(0);

  private int[] batch = {};

  private DrawSpace() {}

  /// Room for the draws of several chunks.
  int[] batch() {
    if (batch.length == 0) {
      batch = new int[DrawnChunks.BATCH * draws.length];
    }
    return batch;
  }

  static DrawSpace ofThread() {
    return OF_THREAD.get();
  }
}
