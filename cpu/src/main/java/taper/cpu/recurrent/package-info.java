/// Recurrent layers: all steps of a layer in one kernel.
@org.jspecify.annotations.NullMarked
package taper.cpu.recurrent;
