/// Attention in tiles: products of [taper.cpu.products] around a running softmax of [taper.cpu.x86].
package taper.cpu.attention;
