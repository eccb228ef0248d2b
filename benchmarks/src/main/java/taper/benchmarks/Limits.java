package taper.benchmarks;

import static taper.cpu.assembler.Condition.NOT_EQUAL;
import static taper.cpu.assembler.Instruction.VFMADD231PS;
import static taper.cpu.assembler.Instruction.VXORPS;
import static taper.cpu.assembler.Register.RDI;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import taper.cpu.assembler.Assembler;
import taper.cpu.assembler.Code;
import taper.cpu.assembler.CodeMemory;
import taper.cpu.assembler.CpuFeatures;
import taper.cpu.assembler.Isa;
import taper.cpu.assembler.Label;
import taper.cpu.assembler.Vector;

/// What the machine can do at most, measured: the best of some short runs.
///
/// @param gflops the peak of float32 multiply-adds in registers, by the number of threads, from one on
/// @param copyGigabytes the bytes that copying between large buffers reads and writes, in 10⁹ bytes a
///     second, by the number of threads
record Limits(List<Double> gflops, List<Double> copyGigabytes) {
  private static final int RUNS = 60;
  private static final long ROUNDS = 300_000;
  private static final long COPIED_BYTES = 128L << 20;

  /// Measures with up to that many threads.
  static Limits measure(int threads) throws InterruptedException {
    List<Double> gflops = new ArrayList<>();
    List<Double> copies = new ArrayList<>();
    for (int count = 1; count <= threads; count++) {
      gflops.add(peak(count));
      copies.add(copy(count));
    }
    return new Limits(gflops, copies);
  }

  double gflops(int threads) {
    return gflops.get(Math.min(threads, gflops.size()) - 1);
  }

  double copyGigabytes(int threads) {
    return copyGigabytes.get(Math.min(threads, copyGigabytes.size()) - 1);
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < gflops.size(); i++) {
      text.append(
          String.format(
              Locale.ROOT,
              "%d thread%s: %.0f GFLOP/s of multiply-adds, %.1f GB/s of copying%n",
              i + 1,
              i == 0 ? "" : "s",
              gflops.get(i),
              copyGigabytes.get(i)));
    }
    return text.toString();
  }

  /// A loop of multiply-adds on as many registers as hide their latency, and nothing else.
  private static double peak(int threads) throws InterruptedException {
    if (CpuFeatures.current().unavailable() != null) {
      return Double.NaN;
    }
    Isa isa = CpuFeatures.current().isa();
    int chains = isa.registers() - 4;
    var assembler = new Assembler();
    for (int i = 0; i < chains + 2; i++) {
      Vector register = isa.vector(i);
      assembler.emit(VXORPS, register, register, register);
    }
    var loop = new Label();
    assembler.bind(loop);
    for (int i = 0; i < chains; i++) {
      assembler.emit(VFMADD231PS, isa.vector(i), isa.vector(chains), isa.vector(chains + 1));
    }
    assembler.dec(RDI);
    assembler.jump(NOT_EQUAL, loop);
    assembler.vzeroupper();
    assembler.ret();
    Code code = CodeMemory.install(assembler.toBytes());
    double seconds = best(threads, _ -> () -> code.run(ROUNDS));
    return 2.0 * chains * isa.lanes(4) * ROUNDS * threads / seconds / 1e9;
  }

  private static double copy(int threads) throws InterruptedException {
    long part = COPIED_BYTES / threads;
    try (var arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate(COPIED_BYTES).fill((byte) 1);
      MemorySegment to = arena.allocate(COPIED_BYTES).fill((byte) 2);
      double seconds =
          best(threads, i -> () -> MemorySegment.copy(from, i * part, to, i * part, part));
      return 2.0 * part * threads / seconds / 1e9;
    }
  }

  private interface Parts {
    Runnable part(int thread);
  }

  /// The seconds until the last of the threads is done, in the quickest run.
  private static double best(int threads, Parts parts) throws InterruptedException {
    double best = Double.MAX_VALUE;
    try (var pool = Executors.newFixedThreadPool(threads)) {
      List<Callable<Object>> tasks = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        tasks.add(Executors.callable(parts.part(i)));
      }
      for (int run = 0; run < RUNS; run++) {
        long start = System.nanoTime();
        for (var done : pool.invokeAll(tasks)) {
          done.get();
        }
        best = Math.min(best, (System.nanoTime() - start) / 1e9);
      }
    } catch (ExecutionException e) {
      throw new AssertionError("neither of the loops throws", e);
    }
    return best;
  }
}
