/// Index spaces: what the kernels of all emitters iterate over.
package taper.cpu.loops;
