/// Kernels for the CPU: machine code assembled in Java, and plain Java where that cannot run.
package taper.cpu;
