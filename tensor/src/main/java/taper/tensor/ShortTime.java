package taper.tensor;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Short-time Fourier transforms, made of views, products and transforms.
final class ShortTime {
  private ShortTime() {}

  static Tensor forward(Tensor signal, long nFft, StftOptions options) {
    long hop = hop("stft", nFft, options);
    if (!signal.dtype().isDifferentiable()) {
      throw new DTypeException(
          "stft: the signal must be floating or complex, but is %s. Convert it with .to(DType.FLOAT32)."
              .formatted(signal.dtype()));
    }
    if (signal.dim() != 1 && signal.dim() != 2) {
      throw new ShapeException(
          "stft: the signal must have 1 or 2 dimensions, but has shape %s."
              .formatted(signal.shape()));
    }
    Tensor x = signal.dim() == 1 ? signal.unsqueeze(0) : signal;
    if (options.center()) {
      x = padded(x, nFft / 2, options.padMode());
    }
    long length = x.size(1);
    if (nFft < 1 || nFft > length) {
      throw new ShapeException(
          "stft: nFft must be in 1..%d, the length of the signal%s, but is %d."
              .formatted(length, options.center() ? " with padding" : "", nFft));
    }
    Tensor window = window("stft", nFft, options, x);
    long frames = 1 + (length - nFft) / hop;
    Tensor dense = x.contiguous();
    Tensor pieces =
        dense.asStrided(new long[] {dense.size(0), frames, nFft}, new long[] {length, hop, 1}, 0);
    if (window != null) {
      pieces = pieces.mul(window);
    }
    boolean complex = pieces.isComplex();
    Boolean asked = options.onesided();
    boolean onesided = asked == null ? !complex : asked;
    if (onesided && complex) {
      throw new ArgumentException(
          "stft: the spectrum of a complex signal has two sides, but onesided is true. Leave it"
              + " out.");
    }
    double scale = options.normalized() ? 1 / Math.sqrt(nFft) : 1;
    var transform = new Spectral.Transform(new int[] {2}, true, scale);
    Tensor spectra =
        onesided
            ? Spectral.Operators.FROM_REAL.on(transform, pieces)
            : Spectral.Operators.COMPLEX.on(transform, pieces.to(pieces.dtype().toComplex()));
    Tensor result = spectra.transpose(1, 2);
    return signal.dim() == 1 ? result.squeeze(0) : result;
  }

  static Tensor inverse(Tensor spectra, long nFft, StftOptions options) {
    long hop = hop("istft", nFft, options);
    if (!spectra.isComplex()) {
      throw new DTypeException(
          "istft: the spectra must be complex, but are %s. See viewAsComplex."
              .formatted(spectra.dtype()));
    }
    if (spectra.dim() != 2 && spectra.dim() != 3 || spectra.numel() == 0) {
      throw new ShapeException(
          "istft: the spectra must have 2 or 3 dimensions, none empty, but have shape %s."
              .formatted(spectra.shape()));
    }
    Tensor z = (spectra.dim() == 2 ? spectra.unsqueeze(0) : spectra).transpose(1, 2);
    long frames = z.size(1);
    Boolean asked = options.onesided();
    boolean onesided = asked == null ? z.size(2) != nFft : asked;
    long frequencies = onesided ? nFft / 2 + 1 : nFft;
    if (z.size(2) != frequencies) {
      throw new ShapeException(
          "istft: there must be %d frequencies for nFft %d, but the spectra have shape %s."
              .formatted(frequencies, nFft, spectra.shape()));
    }
    if (options.returnComplex() && onesided) {
      throw new ArgumentException(
          "istft: a complex signal has spectra with two sides, but onesided is true. Use"
              + " returnComplex(false).");
    }
    if (nFft < 1 || hop > winLength(nFft, options)) {
      throw new ArgumentException(
          "istft: hopLength must be in 1..%d, the length of a window, but is %d."
              .formatted(winLength(nFft, options), hop));
    }
    Tensor window = window("istft", nFft, options, z);
    if (window == null) {
      window = Tensor.ones(z.dtype().toReal(), nFft);
    }
    double scale = options.normalized() ? 1 / Math.sqrt(nFft) : 1.0 / nFft;
    int[] last = {2};
    Tensor pieces =
        options.returnComplex()
            ? Spectral.Operators.COMPLEX.on(new Spectral.Transform(last, false, scale), z)
            : Spectral.Operators.TO_REAL.on(
                new Spectral.Transform(last, false, scale, nFft),
                onesided ? z : z.narrow(2, 0, nFft / 2 + 1));
    long covered = Math.addExact(nFft, Math.multiplyExact(hop, frames - 1));
    Tensor sum = overlapped(pieces.mul(window), covered, hop);
    Tensor weight = overlapped(window.mul(window).expand(1, frames, nFft), covered, hop);
    long start = options.center() ? nFft / 2 : 0;
    long wanted = options.length() >= 0 ? options.length() : Math.max(0, covered - 2 * start);
    long kept = Math.max(0, Math.min(wanted, covered - start));
    sum = sum.narrow(1, start, kept);
    weight = weight.narrow(1, start, kept);
    Tensor seen = weight;
    double least = kept == 0 ? 1 : Autograd.noGrad(() -> seen.abs().min().item());
    if (!(least > 1e-11)) {
      throw new ArgumentException(
          "istft: windows must cover the whole signal, but the sum of their squares is %s somewhere. Use a smaller hopLength or another window."
              .formatted(least));
    }
    Tensor signal = sum.div(weight);
    if (wanted > kept) {
      signal = Fft.resized(signal, 1, wanted);
    }
    return spectra.dim() == 2 ? signal.squeeze(0) : signal;
  }

  /// The sum of pieces that begin `hop` apart.
  private static Tensor overlapped(Tensor pieces, long covered, long hop) {
    long lines = pieces.size(0);
    var place = new Shapes.AsStrided(pieces.shape().toArray(), new long[] {covered, hop, 1}, 0);
    return Shapes.Operators.AS_STRIDED_ADD.on(
        place, Tensor.zeros(pieces.dtype(), lines, covered), pieces);
  }

  private static long hop(String op, long nFft, StftOptions options) {
    if (nFft < 1) {
      throw new ArgumentException("%s: nFft must be at least 1, but is %d.".formatted(op, nFft));
    }
    long hop = options.hopLength() == 0 ? nFft / 4 : options.hopLength();
    if (hop < 1) {
      throw new ArgumentException(
          "%s: hopLength must be at least 1, but is %d.".formatted(op, hop));
    }
    return hop;
  }

  private static long winLength(long nFft, StftOptions options) {
    return options.winLength() == 0 ? nFft : options.winLength();
  }

  /// The window with zeros on both sides up to the length of a transform; null for ones.
  private static @Nullable Tensor window(String op, long nFft, StftOptions options, Tensor x) {
    long length = winLength(nFft, options);
    if (length < 1 || length > nFft) {
      throw new ArgumentException(
          "%s: winLength must be in 1..%d, the length of a transform, but is %d."
              .formatted(op, nFft, length));
    }
    Tensor window = options.window();
    if (window != null && (window.dim() != 1 || window.size(0) != length)) {
      throw new ShapeException(
          "%s: the window must have shape [%d], but has %s.".formatted(op, length, window.shape()));
    }
    if (length == nFft) {
      return window;
    }
    Tensor short_ = window == null ? Tensor.ones(x.dtype().toReal(), length) : window;
    long left = (nFft - length) / 2;
    return Tensor.cat(
        List.of(
            Tensor.zeros(short_.dtype(), left),
            short_,
            Tensor.zeros(short_.dtype(), nFft - length - left)));
  }

  private static Tensor padded(Tensor x, long pad, String mode) {
    if (pad == 0) {
      return x;
    }
    long length = x.size(1);
    Tensor[] ends =
        switch (mode) {
          case "constant" -> {
            Tensor zeros = Tensor.zeros(x.dtype(), x.size(0), pad);
            yield new Tensor[] {zeros, zeros};
          }
          case "reflect" -> {
            if (pad >= length) {
              throw new ShapeException(
                  "stft: a signal must be longer than its reflected padding %d, but has %d samples. Use another padMode, or center(false)."
                      .formatted(pad, length));
            }
            yield new Tensor[] {
              x.narrow(1, 1, pad).flip(1), x.narrow(1, length - 1 - pad, pad).flip(1)
            };
          }
          case "replicate" ->
              new Tensor[] {
                x.narrow(1, 0, 1).expand(x.size(0), pad),
                x.narrow(1, length - 1, 1).expand(x.size(0), pad)
              };
          case "circular" -> new Tensor[] {x.narrow(1, length - pad, pad), x.narrow(1, 0, pad)};
          default ->
              throw new ArgumentException(
                  "stft: padMode must be one of %s, but is '%s'."
                      .formatted(
                          Arrays.asList("reflect", "constant", "replicate", "circular"), mode));
        };
    return Tensor.cat(List.of(ends[0], x, ends[1]), 1);
  }
}
