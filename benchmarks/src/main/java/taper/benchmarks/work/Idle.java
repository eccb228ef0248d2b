package taper.benchmarks.work;

/// A program that does nothing but say how many bytes its JVM ever held.
public final class Idle {
  private Idle() {}

  /// Prints the number.
  public static void main(String... arguments) {
    System.out.println(Machine.peakBytes());
  }
}
