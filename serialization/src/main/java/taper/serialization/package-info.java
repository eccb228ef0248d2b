/// Model files: named tensors, read and written.
package taper.serialization;
