package taper.golden.bindings;

import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import taper.golden.Arguments;
import taper.golden.Bindings;
import taper.golden.Bindings.Precision;
import taper.tensor.DType;
import taper.tensor.Fft;
import taper.tensor.StftOptions;
import taper.tensor.Tensor;

/// Fourier transforms and windows.
public final class SpectralBindings {
  private SpectralBindings() {}

  private interface One extends BiFunction<Tensor, UnaryOperator<Fft.Options>, Tensor> {}

  private interface Many extends BiFunction<Tensor, UnaryOperator<Fft.ManyOptions>, Tensor> {}

  /// Adds the bindings to `table`.
  public static void addTo(Bindings table) {
    table.precision(Precision.GENERAL);
    one(table, "fft", Fft::fft);
    one(table, "ifft", Fft::ifft);
    one(table, "rfft", Fft::rfft);
    one(table, "irfft", Fft::irfft);
    one(table, "hfft", Fft::hfft);
    one(table, "ihfft", Fft::ihfft);
    table.precision(Precision.LOOSE); // sums over all elements of a tensor
    many(table, "fft2", Fft::fft2);
    many(table, "ifft2", Fft::ifft2);
    many(table, "rfft2", Fft::rfft2);
    many(table, "irfft2", Fft::irfft2);
    many(table, "hfft2", Fft::hfft2);
    many(table, "ihfft2", Fft::ihfft2);
    many(table, "fftn", Fft::fftn);
    many(table, "ifftn", Fft::ifftn);
    many(table, "rfftn", Fft::rfftn);
    many(table, "irfftn", Fft::irfftn);
    many(table, "hfftn", Fft::hfftn);
    many(table, "ihfftn", Fft::ihfftn);
    table.precision(Precision.GENERAL);
    table.bind("fft.fftshift", "Fft.fftshift(x, dims...)", a -> Fft.fftshift(a.self(), dims(a)));
    table.bind("fft.ifftshift", "Fft.ifftshift(x, dims...)", a -> Fft.ifftshift(a.self(), dims(a)));
    table.bind(
        "fft.fftfreq",
        "Fft.fftfreq(n, d)",
        a -> Fft.fftfreq(type(a), a.integer(0, "n"), a.number(1, "d", 1)));
    table.bind(
        "fft.rfftfreq",
        "Fft.rfftfreq(n, d)",
        a -> Fft.rfftfreq(type(a), a.integer(0, "n"), a.number(1, "d", 1)));
    shortTime(table);
    windows(table);
  }

  private static int[] dims(Arguments a) {
    int[] dims = a.findDims(1, "dim");
    return dims == null ? new int[0] : dims;
  }

  private static DType type(Arguments a) {
    DType dtype = a.dtype(-1, "dtype");
    return dtype == null ? DType.FLOAT32 : dtype;
  }

  private static Fft.Norm norm(Arguments a) {
    String norm = a.text(3, "norm", "backward");
    return switch (norm) {
      case "backward" -> Fft.Norm.BACKWARD;
      case "ortho" -> Fft.Norm.ORTHO;
      case "forward" -> Fft.Norm.FORWARD;
      default -> throw a.unsupported("the norm " + norm);
    };
  }

  private static void one(Bindings table, String name, One call) {
    table.bind(
        "fft." + name,
        "Fft." + name + "(x, o -> o.n(n).dim(dim).norm(norm))",
        a ->
            call.apply(
                a.self(),
                o -> {
                  @Nullable Long n = a.findInteger(1, "n");
                  return (n == null ? o : o.n(n)).dim(a.dim(2, "dim", -1)).norm(norm(a));
                }));
  }

  private static void many(Bindings table, String name, Many call) {
    table.bind(
        "fft." + name,
        "Fft." + name + "(x, o -> o.s(s).dim(dim).norm(norm))",
        a ->
            call.apply(
                a.self(),
                o -> {
                  long @Nullable [] s = a.findLongs(1, "s");
                  int @Nullable [] dim = a.findDims(2, "dim");
                  Fft.ManyOptions sized = s == null ? o : o.s(s);
                  return (dim == null ? sized : sized.dim(dim)).norm(norm(a));
                }));
  }

  private static void shortTime(Bindings table) {
    table
        .bind(
            "stft",
            "stft(nFft, o -> o.hopLength(h).window(w))",
            a -> {
              Tensor spectra =
                  a.self()
                      .stft(
                          a.integer(1, "n_fft"),
                          o -> {
                            StftOptions chosen = lengths(a, o, 2);
                            chosen = chosen.center(a.flag(5, "center", true));
                            chosen = chosen.padMode(a.text(6, "pad_mode", "reflect"));
                            return sides(a, chosen, 7);
                          });
              boolean complex = a.flag(9, "return_complex", a.self().isComplex());
              return complex ? spectra : spectra.viewAsReal();
            })
        .note("always complex; PyTorch's `return_complex=False` is `.viewAsReal()`");
    table.bind(
        "istft",
        "istft(nFft, o -> o.hopLength(h).window(w))",
        a ->
            (a.self().isComplex() ? a.self() : a.self().viewAsComplex())
                .istft(
                    a.integer(1, "n_fft"),
                    o -> {
                      StftOptions chosen = lengths(a, o, 2).center(a.flag(5, "center", true));
                      @Nullable Long length = a.findInteger(8, "length");
                      chosen = length == null ? chosen : chosen.length(length);
                      return sides(a, chosen, 6).returnComplex(a.flag(9, "return_complex", false));
                    }));
  }

  private static StftOptions lengths(Arguments a, StftOptions options, int position) {
    Long hop = a.findInteger(position, "hop_length");
    Long window = a.findInteger(position + 1, "win_length");
    StftOptions chosen = hop == null ? options : options.hopLength(hop);
    return (window == null ? chosen : chosen.winLength(window))
        .window(a.find(position + 2, "window"));
  }

  private static StftOptions sides(Arguments a, StftOptions options, int position) {
    StftOptions normalized = options.normalized(a.flag(position, "normalized", false));
    return a.has(position + 1, "onesided")
        ? normalized.onesided(a.flag(position + 1, "onesided", true))
        : normalized;
  }

  private static void windows(Bindings table) {
    table.bind(
        "hann_window",
        "Tensor.hannWindow(length)",
        a ->
            Tensor.hannWindow(type(a), a.integer(0, "window_length"), a.flag(1, "periodic", true)));
    table.bind(
        "hamming_window",
        "Tensor.hammingWindow(length)",
        a ->
            Tensor.hammingWindow(
                type(a),
                a.integer(0, "window_length"),
                a.flag(1, "periodic", true),
                a.number(2, "alpha", 0.54),
                a.number(3, "beta", 0.46)));
    table.bind(
        "blackman_window",
        "Tensor.blackmanWindow(length)",
        a ->
            Tensor.blackmanWindow(
                type(a), a.integer(0, "window_length"), a.flag(1, "periodic", true)));
    table.bind(
        "bartlett_window",
        "Tensor.bartlettWindow(length)",
        a ->
            Tensor.bartlettWindow(
                type(a), a.integer(0, "window_length"), a.flag(1, "periodic", true)));
    table.bind(
        "kaiser_window",
        "Tensor.kaiserWindow(length, beta)",
        a ->
            Tensor.kaiserWindow(
                type(a),
                a.integer(0, "window_length"),
                a.flag(1, "periodic", true),
                a.number(2, "beta", 12)));
  }
}
