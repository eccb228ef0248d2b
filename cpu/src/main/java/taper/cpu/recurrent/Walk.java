package taper.cpu.recurrent;

import org.jspecify.annotations.Nullable;
import taper.cpu.parallel.Parallel;
import taper.cpu.parallel.Raw;
import taper.tensor.Recurrent.Schedule;

/// The way through the steps of a layer, on several threads.
///
/// Each thread takes some of the sequences through all steps and never waits for another. With few sequences, however, most
/// of the time goes into reading the weight; then each takes some of the hidden units through all steps, so that its part of
/// the weight stays in its own cache [1], and threads meet after every step to exchange states. What is computed for a unit
/// of a sequence does not depend on the others.
///
/// [1] Diamos et al. 2016, "Persistent RNNs: Stashing Recurrent Weights On-Chip", ICML
final class Walk {
  /// Less arithmetic than this is not worth a second thread.
  private static final long WORTHWHILE = 1 << 21;

  /// A smaller weight stays in the second cache, together with what passes through.
  private static final long KEPT = 384 << 10;

  /// With more sequences a thread than this, meetings cost more than reading the whole weight.
  private static final long FEW = 2;

  private final Schedule schedule;
  private final int[] sizes;
  private final long[] offsets;
  private final long operations;
  private final long weightBytes;
  private final int units;
  private final int unit;

  /// Some hidden units of neighbouring rows of one step.
  @FunctionalInterface
  interface Part {
    /// Does something in one step for some sequences and units.
    ///
    /// @param row the first row in the data
    /// @param before the row that it continues, or -1 if these sequences begin here
    /// @param sequence the first sequence
    /// @param count how many there are
    /// @param from the first unit
    /// @param to the unit behind the last
    /// @param odd whether an odd number of steps has been taken
    void run(long row, long before, long sequence, int count, int from, int to, boolean odd);
  }

  /// @param operations the arithmetic operations of one row
  /// @param weightBytes the size of what is read in every step
  /// @param units the hidden units
  /// @param unit how many of them stay together
  Walk(Schedule schedule, long operations, long weightBytes, int units, int unit) {
    this.schedule = schedule;
    long[] all = schedule.sizes();
    this.sizes = new int[all.length];
    for (int t = 0; t < sizes.length; t++) {
      sizes[t] = Math.toIntExact(all[t]);
    }
    this.offsets = schedule.offsets();
    this.operations = operations;
    this.weightBytes = weightBytes;
    this.units = units;
    this.unit = unit;
  }

  /// Goes from the first step computed to the last, or back.
  ///
  /// @param own needs all units of the step before
  /// @param then needs all units of what `own` has computed in the same step
  void run(boolean back, Part own, @Nullable Part then) {
    long n = schedule.batch();
    int threads = n * sizes.length * operations < WORTHWHILE ? 1 : Parallel.threads();
    if (threads > 1 && Parallel.mayMeet() && weightBytes > KEPT && n <= FEW * threads) {
      int blocks = Math.ceilDiv(units, unit);
      int parts = Math.min(threads, blocks);
      Parallel.phases(
          parts,
          then == null ? sizes.length : sizes.length + 1,
          (part, phase) -> {
            int from = blocks * part / parts * unit;
            int to = Math.min(units, blocks * (part + 1) / parts * unit);
            if (phase > 0 && then != null) {
              step(back, phase - 1, 0, n, from, to, then);
            }
            if (phase < sizes.length) {
              step(back, phase, 0, n, from, to, own);
            }
          });
      return;
    }
    Parallel.run(
        n,
        Math.ceilDiv(n, threads),
        (from, to) -> {
          for (int i = 0; i < sizes.length; i++) {
            step(back, i, from, to, 0, units, own);
            if (then != null) {
              step(back, i, from, to, 0, units, then);
            }
          }
        });
  }

  /// Runs `part` for some sequences and units in the step that is number `i` on the way.
  private void step(boolean back, int i, long first, long last, int from, int to, Part part) {
    int t = schedule.step(back ? sizes.length - 1 - i : i);
    boolean odd = i % 2 != 0;
    int before = schedule.reverse() ? t + 1 : t - 1;
    long continued = before >= 0 && before < sizes.length ? sizes[before] : 0;
    long end = Math.min(last, sizes[t]);
    long split = Math.max(first, Math.min(end, continued));
    if (first < split) {
      int count = (int) (split - first);
      part.run(offsets[t] + first, offsets[before] + first, first, count, from, to, odd);
    }
    if (split < end) {
      part.run(offsets[t] + split, -1, split, (int) (end - split), from, to, odd);
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
