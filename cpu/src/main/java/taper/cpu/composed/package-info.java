/// Kernels that are made of formulas and foldings: optimizer steps, normalizations, losses, gradients of
/// softmax. They run on whichever [taper.cpu.composed.Engine] there is.
package taper.cpu.composed;
