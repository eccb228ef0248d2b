/// Side-by-side measurements: the same training steps by Taper and by its peers, in one run.
///
/// [taper.benchmarks.SideBySide] starts every contestant in a JVM of its own, in turns, so that what
/// else the machine does hits all alike; [taper.benchmarks.FirstStep] times a cold start. A contestant
/// is a [taper.benchmarks.Workload]; all of them run through [taper.benchmarks.StepClock].
///
/// The peers (libtorch) live in `benchmarks/peers`, outside the build: they are large, and resolved only
/// when a comparison is asked for.
@NullMarked
package taper.benchmarks;

import org.jspecify.annotations.NullMarked;
