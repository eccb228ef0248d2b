package taper.cpu.reductions;

/// Arrays of one thread that runs of elements are read into; their content is undefined.
final class Runs {
  /// How many elements are read at a time.
  static final int LENGTH = 512;

  private static final ThreadLocal<Runs> OF_THREAD = ThreadLocal.withInitial(Runs::new);

  final boolean[] truths = new boolean[LENGTH];
  final boolean[] truthResults = new boolean[LENGTH];
  final int[] bits = new int[LENGTH];
  final int[] places = new int[LENGTH];
  final long[] longs = new long[LENGTH];
  final long[] longResults = new long[LENGTH];
  final float[] floats = new float[LENGTH];
  final float[] floatResults = new float[LENGTH];
  final double[] doubles = new double[LENGTH];
  final double[] doubleResults = new double[LENGTH];

  private Runs() {}

  static Runs ofThread() {
    return OF_THREAD.get();
  }
}
