/// Maps of images that are one linear map along each dimension: averages of windows, interpolation, and their gradients.
/// [taper.cpu.separable.SeparableMaps] is the kernel of all of them; where there is no assembled code,
/// [taper.cpu.separable.ParallelImages] runs the reference kernels of several images at once.
package taper.cpu.separable;
