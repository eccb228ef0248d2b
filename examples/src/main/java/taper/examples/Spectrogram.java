package taper.examples;

import static taper.tensor.Index.all;
import static taper.tensor.Index.at;
import static taper.tensor.Index.range;

import module java.base;
import module taper;

/// Looks at a rising tone beside a steady one through short windows.
final class Spectrogram {
  private static final int RATE = 8000;

  private Spectrogram() {}

  static void main(String[] arguments) {
    // One second of a tone that rises from 500 to 1500 hertz, beside a steady one of 2500
    var t = Tensor.arange(DType.FLOAT64, 0, RATE, 1).div(RATE);
    var rising = t.mul(500).add(t.pow(2).mul(500)).mul(2 * Math.PI).sin();
    var steady = t.mul(2 * Math.PI * 2500).sin().mul(0.5);
    var signal = rising.add(steady);

    // Power in windows of 256 samples, every 128 samples
    var window = Tensor.hannWindow(DType.FLOAT64, 256, true);
    var spectrum = signal.stft(256, o -> o.hopLength(128).window(window).returnComplex(true));
    var power = spectrum.abs().pow(2);
    IO.println("%d frequencies, %d times".formatted(power.size(0), power.size(1)));

    // The two loudest frequencies through time
    for (int frame = 5; frame < 60; frame += 10) {
      var column = power.get(all(), at(frame)).clone();
      long first = column.argmax().itemLong();
      column.set(0, range(Math.max(first - 3, 0), first + 4));
      long second = column.argmax().itemLong();
      IO.println(
          "at %.3f s: %.1f and %.1f hertz"
              .formatted(
                  frame * 128.0 / RATE,
                  Math.min(first, second) * RATE / 256.0,
                  Math.max(first, second) * RATE / 256.0));
    }
    IO.println(power.get(range(10, 20), range(20, 24)).add(1e-10).log10().mul(10));

    // The signal again
    var restored = spectrum.istft(256, o -> o.hopLength(128).window(window).length(RATE));
    IO.println("restored: " + (restored.sub(signal).abs().max().item() < 1e-10));
  }
}
