/// Optimizers: they change parameters by their gradients, step by step.
package taper.optim;
