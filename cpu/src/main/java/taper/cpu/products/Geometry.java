package taper.cpu.products;

import taper.tensor.spi.Strided;

/// The sizes of a two-dimensional convolution. Immutable.
record Geometry(
    Window window,
    int images,
    int in,
    int inH,
    int inW,
    int out,
    int outH,
    int outW,
    int kernelH,
    int kernelW) {

  static Geometry of(Window window, Strided x, Strided weight, Strided y) {
    Geometry g =
        new Geometry(
            window,
            Math.toIntExact(x.size(0)),
            Math.toIntExact(x.size(1)),
            Math.toIntExact(x.size(2)),
            Math.toIntExact(x.size(3)),
            Math.toIntExact(y.size(1)),
            Math.toIntExact(y.size(2)),
            Math.toIntExact(y.size(3)),
            Math.toIntExact(weight.size(2)),
            Math.toIntExact(weight.size(3)));
    assert g.outH == window.outputHeight(g.inH, g.kernelH);
    assert g.outW == window.outputWidth(g.inW, g.kernelW);
    return g;
  }

  int taps() {
    return kernelH * kernelW;
  }

  int inPerGroup() {
    return in / window.groups();
  }

  int outPerGroup() {
    return out / window.groups();
  }
}
