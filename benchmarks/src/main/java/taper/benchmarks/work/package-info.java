/// What is measured and how, the same for every library: Taper's side and the peers' sides are all
/// compiled against this package, and it knows none of them.
///
/// A [taper.benchmarks.work.Workload] is a training step, an inference or a kernel, ready to run;
/// [taper.benchmarks.work.Side] is the program of a JVM that runs some of them through
/// [taper.benchmarks.work.Clock] and prints a [taper.benchmarks.work.Measurement] for each.
@NullMarked
package taper.benchmarks.work;

import org.jspecify.annotations.NullMarked;
