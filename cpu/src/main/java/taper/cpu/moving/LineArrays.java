package taper.cpu.moving;

/// Arrays of one thread, through which lines pass: the compiler knows the bounds of arrays, not those of memory.
final class LineArrays {
  /// The longest line that is picked from, or added to, in an array.
  static final int LINE = 8192;

  /// How many elements are picked or added at a time.
  static final int CHUNK = 1024;

  private static final ThreadLocal<LineArrays> OF_THREAD = ThreadLocal.withInitial(LineArrays::new);

  final int[] line = new int[LINE];
  final int[] chunk = new int[CHUNK];
  final long[] wideLine = new long[LINE];
  final long[] wideChunk = new long[CHUNK];
  final byte[] bytes = new byte[CHUNK];
  final long[] index = new long[CHUNK];
  final float[] floatLine = new float[LINE];
  final float[] floats = new float[CHUNK];
  final double[] doubleLine = new double[LINE];
  final double[] doubles = new double[CHUNK];

  private LineArrays() {}

  static LineArrays ofThread() {
    return OF_THREAD.get();
  }
}
