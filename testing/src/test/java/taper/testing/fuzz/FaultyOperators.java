package taper.testing.fuzz;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import taper.tensor.DTypes;
import taper.tensor.Family;
import taper.tensor.Operator;
import taper.tensor.spi.Strided;

/// Operators of which each lacks one check.
final class FaultyOperators {
  private static final Family FAMILY = new Family("faulty");

  /// Says nothing about the size of its second input, and reads as much of it as of its first.
  static final Operator<Operator.None> READS_BEYOND =
      FAMILY
          .<Operator.None>structured(
              "readsBeyond",
              "self[n], other[*] -> [n]",
              (_, out, in) -> copy(out[0], in[1], in[0].numel()))
          .dtypes(DTypes.SAME_FLOATING)
          .notDifferentiable()
          .own()
          .sample(Operator.None.NONE, "f32[5], f32[5]")
          .declare();

  /// The number of elements that are written past the end of the result.
  record Past(int count) {}

  /// Writes beside its result if the attribute says so.
  static final Operator<Past> WRITES_BEYOND =
      FAMILY
          .<Past>structured(
              "writesBeyond",
              "self[n] -> [n]",
              (attributes, out, in) -> {
                var past = (Past) attributes;
                copy(out[0], in[0], in[0].numel());
                MemorySegment all = everything(out[0].address());
                for (long i = 0; i < past.count(); i++) {
                  all.set(ValueLayout.JAVA_FLOAT_UNALIGNED, 4 * (out[0].numel() + i), 1);
                }
              })
          .dtypes(DTypes.SAME_FLOATING)
          .notDifferentiable()
          .own()
          .sample(new Past(0), "f32[5]")
          .declare();

  /// Uses an input that may be absent.
  static final Operator<Operator.None> FORGETS_ABSENT =
      FAMILY
          .<Operator.None>structured(
              "forgetsAbsent",
              "self[n], bias?[n] -> [n]",
              (_, out, in) -> copy(out[0], in[1], in[1].numel()))
          .dtypes(DTypes.SAME_FLOATING)
          .notDifferentiable()
          .own()
          .sample(Operator.None.NONE, "f32[5], f32[5]")
          .declare();

  /// A number of rounds.
  record Rounds(long count) {}

  /// Never returns for large attributes.
  static final Operator<Rounds> NEVER_RETURNS =
      FAMILY
          .<Rounds>structured(
              "neverReturns",
              "self[n] -> [n]",
              (attributes, out, in) -> {
                var rounds = (Rounds) attributes;
                long count = Math.max(1, rounds.count() - (1L << 61));
                for (long i = 0; i < count; i++) {
                  copy(out[0], in[0], in[0].numel());
                }
              })
          .dtypes(DTypes.SAME_FLOATING)
          .notDifferentiable()
          .own()
          .sample(new Rounds(1), "f32[5]")
          .declare();

  /// Leaves a sign in its input, which it says it only reads.
  static final Operator<Operator.None> SPOILS_INPUT =
      FAMILY
          .<Operator.None>structured(
              "spoilsInput",
              "self[n] -> [n]",
              (_, out, in) -> {
                copy(out[0], in[0], in[0].numel());
                if (in[0].numel() == 3) {
                  copy(in[0], in[0].view(1, new long[] {1}, new long[] {1}), 1);
                }
              })
          .dtypes(DTypes.SAME_FLOATING)
          .notDifferentiable()
          .own()
          .sample(Operator.None.NONE, "f32[5]")
          .declare();

  private FaultyOperators() {}

  @SuppressWarnings("restricted")
  private static MemorySegment everything(long address) {
    return MemorySegment.ofAddress(address).reinterpret(1L << 40);
  }

  private static void copy(Strided to, Strided from, long count) {
    for (long i = 0; i < count; i++) {
      float value = from.memory().get(ValueLayout.JAVA_FLOAT_UNALIGNED, from.byteOffset() + 4 * i);
      to.memory().set(ValueLayout.JAVA_FLOAT_UNALIGNED, to.byteOffset() + 4 * i, value);
    }
  }
}
