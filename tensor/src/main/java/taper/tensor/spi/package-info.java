/// What a backend implements: kernels see [taper.tensor.spi.Strided] memory and numbers, never tensors, and a
/// [taper.tensor.spi.KernelLibrary] hands them out by operator and type.
package taper.tensor.spi;
