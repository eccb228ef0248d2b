/// Kernels in plain Java, for every type and every function of the scalar algebra.
///
/// [taper.cpu.plain.BlockKernel] evaluates a formula a block of elements at a time. Every operation is one
/// loop over arrays, which the compiler turns into vector code, and all formulas share these loops, so they
/// are hot after the first few calls of anything.
package taper.cpu.plain;
