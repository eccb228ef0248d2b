package taper.benchmarks;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import taper.benchmarks.work.Setting;
import taper.benchmarks.work.Workload;
import taper.tensor.Threads;

/// Kernels of Taper alone, timed by the JVM's own harness: `-p kernel=relu,softmax -p threads=1 -prof gc`.
///
/// The names are those of `./taper bench --list` without their `kernel/`. [Benchmark] methods measure what
/// `./taper bench` does, without a peer, but with the spread of the times and what a call leaves on the heap.
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class KernelBenchmark {
  /// How many threads the kernel may use.
  @Param({"1", "2"})
  public int threads;

  /// Which kernel.
  @Param({
    "matmul-512",
    "conv2d-3x3",
    "conv2d-3x3-weight-gradient",
    "max-pool-2x2",
    "batch-norm",
    "layer-norm",
    "softmax",
    "relu",
    "add",
    "add-one-element",
    "sum-dim1",
    "embedding",
    "cat-dim1",
    "sort"
  })
  public String kernel;

  private Workload workload;
  private int step;

  /// Makes the operands.
  @Setup
  public void prepare() {
    Threads.setNumThreads(threads);
    workload = new TaperSide().workload("kernel/" + kernel, Setting.of("--threads", "" + threads));
  }

  /// One call.
  @Benchmark
  public float call() {
    return workload.run(step++);
  }

  /// Frees the operands.
  @TearDown
  public void release() {
    workload.close();
  }
}
