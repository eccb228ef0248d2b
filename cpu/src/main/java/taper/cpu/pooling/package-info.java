/// Maxima and averages over windows of images: [taper.cpu.pooling.JavaPooling] in plain Java, and
/// [taper.cpu.pooling.MaxPool2x2] in assembled code for the window that networks use most.
package taper.cpu.pooling;
