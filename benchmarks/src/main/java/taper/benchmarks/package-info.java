/// Side-by-side measurements: the same networks and kernels by Taper and by its peers, in one run.
///
/// [taper.benchmarks.Bench] starts every contestant in a JVM of its own, in turns, so that what else the
/// machine does hits all alike; [taper.benchmarks.ColdStart] times whole processes,
/// [taper.benchmarks.PeakMemory] their memory, [taper.benchmarks.Growth] larger batches and networks, and
/// [taper.benchmarks.StepProfile] says where a step goes. What is measured, and how, is in
/// [taper.benchmarks.work].
///
/// The peers (libtorch) live in `benchmarks/peers`, outside the build: they are large, and resolved only
/// when a comparison is asked for.
@NullMarked
package taper.benchmarks;

import org.jspecify.annotations.NullMarked;
