/// Tensors, operators, automatic differentiation, memory and random numbers.
@org.jspecify.annotations.NullMarked
module taper.tensor {
  requires static transitive org.jspecify;

  exports taper.tensor;
  exports taper.tensor.spi;

  uses taper.tensor.spi.KernelLibrary;
}
