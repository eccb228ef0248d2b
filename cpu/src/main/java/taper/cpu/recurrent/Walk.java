package taper.cpu.recurrent;

import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.tensor.Recurrent.Schedule;

/// The way through the steps of a layer. Each thread takes some of the sequences through all steps, so that threads never
/// wait for each other; what is computed for a sequence does not depend on the others.
final class Walk {
  /// Less arithmetic than this is not worth a second thread.
  private static final long WORTHWHILE = 1 << 21;

  private final Schedule schedule;
  private final long[] sizes;
  private final long[] offsets;

  /// Neighbouring rows of one step.
  @FunctionalInterface
  interface Part {
    /// Does one step of some sequences.
    ///
    /// @param row the first row in the data
    /// @param before the row that it continues, or -1 if these sequences begin here
    /// @param sequence the first sequence
    /// @param count how many there are
    /// @param odd whether an odd number of steps has been taken
    void run(long row, long before, long sequence, int count, boolean odd);
  }

  Walk(Schedule schedule) {
    this.schedule = schedule;
    this.sizes = schedule.sizes();
    this.offsets = schedule.offsets();
  }

  /// Runs `part` for all rows of all steps, from the first step computed to the last, or back.
  ///
  /// @param operations the number of arithmetic operations of one row
  void run(boolean back, long operations, Part part) {
    long n = schedule.batch();
    long threads = n * sizes.length * operations < WORTHWHILE ? 1 : Parallel.threads();
    Parallel.run(n, Math.ceilDiv(n, threads), (from, to) -> steps(back, from, to, part));
  }

  private void steps(boolean back, long from, long to, Part part) {
    for (int i = 0; i < sizes.length; i++) {
      int t = schedule.step(back ? sizes.length - 1 - i : i);
      boolean odd = i % 2 != 0;
      int before = schedule.reverse() ? t + 1 : t - 1;
      long continued = before >= 0 && before < sizes.length ? sizes[before] : 0;
      long end = Math.min(to, sizes[t]);
      long split = Math.max(from, Math.min(end, continued));
      if (from < split) {
        part.run(offsets[t] + from, offsets[before] + from, from, (int) (split - from), odd);
      }
      if (split < end) {
        part.run(offsets[t] + split, -1, split, (int) (end - split), odd);
      }
    }
  }

  /// Copies the rows after which sequences end to `to`.
  void last(long from, long to, long rowBytes) {
    int t = schedule.reverse() ? 0 : sizes.length - 1;
    for (long r = 0; r < schedule.batch(); r++) {
      while (sizes[t] <= r) {
        t--;
      }
      Raw.copy(from + (offsets[t] + r) * rowBytes, to + r * rowBytes, rowBytes);
    }
  }
}
