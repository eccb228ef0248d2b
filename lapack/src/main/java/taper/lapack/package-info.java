/// The kernel library that computes decompositions of real matrices with LAPACK, translated to Java.
///
/// [taper.lapack.LapackLibrary] is asked for a kernel by the operator's name. The kernels stand in
/// [taper.lapack.SystemKernels], for factorizations that solve systems, and [taper.lapack.SpectralKernels], for eigenvalues and
/// singular values; [taper.lapack.Columns] brings matrices into LAPACK's order and back. What is not here, complex numbers
/// first of all, is computed by the framework's own plain algorithms.
package taper.lapack;
