/// Kernels for the CPU. Exports nothing: the framework finds them as a service.
@org.jspecify.annotations.NullMarked
module taper.cpu {
  requires static transitive org.jspecify;
  requires taper.tensor;

  provides taper.tensor.spi.KernelLibrary with
      taper.cpu.X86Library,
      taper.cpu.JavaLibrary;
}
