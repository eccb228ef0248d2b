/// Kernels assembled for x86-64.
///
/// [taper.cpu.x86.Program] is the straight-line part of a loop, on whole vectors: values without
/// registers, which are given out when it is emitted. [taper.cpu.x86.Functions] writes the scalar algebra
/// as programs, [taper.cpu.x86.Elements] the loads and stores of every type.
package taper.cpu.x86;
