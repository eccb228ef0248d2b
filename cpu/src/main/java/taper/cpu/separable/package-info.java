/// Maps of images that are one linear map along each dimension: averages of windows, interpolation, and their gradients.
/// [taper.cpu.separable.SeparableMaps] is the kernel of all of them.
package taper.cpu.separable;
