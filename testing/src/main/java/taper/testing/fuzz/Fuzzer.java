package taper.testing.fuzz;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import taper.tensor.Fft;
import taper.tensor.Linalg;
import taper.tensor.Masked;
import taper.tensor.Special;
import taper.tensor.Tensor;

/// Calls operators and methods in ways that nobody thought of, in a process of its own, and reports what no program may see: crashes, hangs,
/// writes beside a tensor, exceptions from inside, and values that differ from those of the reference kernels.
public final class Fuzzer {
  private static final long BATCH = 500;

  private final List<String> flags;
  private final List<String> holders;

  /// A fuzzer of all of Taper's operators.
  ///
  /// @param flags of the virtual machine in which the calls are made, such as `-Dtaper.kernels=java`
  public Fuzzer(String... flags) {
    this(
        List.of(flags),
        Stream.of(Tensor.class, Linalg.class, Fft.class, Special.class, Masked.class)
            .map(Class::getName)
            .toList());
  }

  private Fuzzer(List<String> flags, List<String> holders) {
    this.flags = List.copyOf(flags);
    this.holders = List.copyOf(holders);
  }

  /// A fuzzer of the operators in the static fields of `classes`, instead of Taper's.
  public Fuzzer of(Class<?>... classes) {
    return new Fuzzer(flags, Arrays.stream(classes).map(Class::getName).toList());
  }

  /// A fuzzer of the public classes in the package of `anchor`, instead of Taper's tensors: layers and the like.
  public Fuzzer ofPackage(Class<?> anchor) {
    return new Fuzzer(flags, List.of(anchor.getName() + "*"));
  }

  /// A fuzzer that calls the public classes in the package of `anchor`, too.
  public Fuzzer andPackage(Class<?> anchor) {
    return new Fuzzer(
        flags, Stream.concat(holders.stream(), Stream.of(anchor.getName() + "*")).toList());
  }

  /// Draws calls from `seed`, until there are `calls` or the time is over.
  public FuzzReport run(long seed, long calls, Duration time) throws IOException {
    return run(seed, calls, time, _ -> {});
  }

  /// Draws calls from `seed`, until there are `calls` or the time is over, and tells `listener` each finding at once.
  public FuzzReport run(long seed, long calls, Duration time, Consumer<Finding> listener)
      throws IOException {
    long end = System.nanoTime() + time.toNanos();
    var findings = new ArrayList<Finding>();
    Set<String> known = new HashSet<>();
    var counts = new long[3];
    for (int round = 0; counts[0] < calls && System.nanoTime() < end; round++) {
      try (var worker = new WorkerProcess(flags(round), holders);
          var other = new WorkerProcess(flags(round), holders)) {
        long stop = Math.min(calls, (round + 1L) * 20 * BATCH);
        while (counts[0] < stop && System.nanoTime() < end) {
          var faults = new ArrayList<WorkerProcess.Answer>();
          var indexes = new ArrayList<Long>();
          long before = counts[0];
          worker.serve(
              "draw " + seed + " " + counts[0] + " " + Math.min(stop, counts[0] + BATCH),
              answer -> {
                if (answer.isFault() && known.add(answer.kind())) {
                  faults.add(answer);
                  indexes.add(counts[0]);
                }
                counts[1] += answer.verdict().startsWith("REFUSED") ? 1 : 0;
                counts[2] += answer.verdict().startsWith("SLOW") ? 1 : 0;
                counts[0]++;
              });
          if (counts[0] == before) {
            throw new IOException("the worker ends before it makes a call");
          }
          for (int i = 0; i < faults.size(); i++) {
            WorkerProcess.Answer fault = faults.get(i);
            var found =
                new Finding(
                    new Minimiser(other).minimised(fault),
                    fault.call(),
                    fault.verdict().replaceFirst("FAULT ", ""),
                    seed,
                    indexes.get(i));
            findings.add(found);
            listener.accept(found);
          }
        }
      }
    }
    return new FuzzReport(seed, counts[0], counts[1], counts[2], findings);
  }

  /// Guard pages behind tensors, guard pages before them, and the pool with canaries, in turn.
  private List<String> flags(int round) {
    var all = new ArrayList<String>();
    for (String inherited : List.of("taper.kernels", "taper.isa")) {
      String value = System.getProperty(inherited);
      if (value != null) {
        all.add("-D" + inherited + "=" + value);
      }
    }
    all.addAll(flags);
    all.add("-Dtaper.fuzz.guard=" + List.of("after", "before", "none").get(round % 3));
    return all;
  }

  /// Makes `calls`, a line each, as a report has them.
  public FuzzReport make(List<String> calls) throws IOException {
    var findings = new ArrayList<Finding>();
    var counts = new long[2];
    try (var worker = new WorkerProcess(flags(0), holders)) {
      for (String call : calls) {
        worker.serve(
            "make " + call,
            answer -> {
              counts[0]++;
              counts[1] += answer.verdict().startsWith("REFUSED") ? 1 : 0;
              if (answer.isFault()) {
                findings.add(new Finding(call, call, answer.verdict(), 0, counts[0] - 1));
              }
            });
      }
    }
    return new FuzzReport(0, counts[0], counts[1], 0, findings);
  }
}
