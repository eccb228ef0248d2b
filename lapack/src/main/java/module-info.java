/// Kernels for matrix decompositions, by LAPACK. Exports nothing: the framework finds them as a service.
@SuppressWarnings("requires-automatic") // the translation of LAPACK is older than modules
@org.jspecify.annotations.NullMarked
module taper.lapack {
  requires static transitive org.jspecify;
  requires arpack.combined.all;
  requires taper.tensor;

  provides taper.tensor.spi.KernelLibrary with
      taper.lapack.LapackLibrary;
}
