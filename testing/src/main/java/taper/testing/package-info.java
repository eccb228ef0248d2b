/// Checks: gradients against finite differences, tensors against tensors.
package taper.testing;
