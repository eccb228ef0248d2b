/// Matrix products and convolutions: all heavy arithmetic of the CPU backend.
///
/// [Products] says what there is. [JavaProducts] runs anywhere; `X86Products` assembles its inner loops.
/// Both cut the work into a partition that does not depend on the number of threads, or in which every
/// element is summed in the same order whatever the partition, so that results never depend on it.
package taper.cpu.products;
