/// Sums, means, variances, norms and extremes along dimensions.
///
/// [taper.cpu.reductions.ReductionKernels] finishes what a [taper.cpu.reductions.Folding] gathers: one
/// number in double precision per element of the result.
package taper.cpu.reductions;
