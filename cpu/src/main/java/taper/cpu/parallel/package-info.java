/// Work on several cores: [taper.cpu.parallel.Parallel] splits loops, [taper.cpu.parallel.Scratch] gives
/// each thread memory for intermediate results.
package taper.cpu.parallel;
