package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.Catalogue;
import taper.tensor.DType;
import taper.tensor.Recurrent.LstmResult;
import taper.tensor.Tensor;
import taper.tensor.Threads;

/// Recurrent layers at awkward sizes, with sequences of different lengths, and on several threads.
final class RecurrentLayersTest {

  /// Features of the input, hidden units, sequences, steps.
  record Sizes(String layer, DType dtype, long in, long hidden, long batch, long steps) {}

  static Stream<Sizes> sizes() {
    return Stream.of("LSTM", "GRU", "TANH", "RELU")
        .flatMap(layer ->
            Stream.of(DType.FLOAT32, DType.FLOAT64)
                .flatMap(dtype ->
                    Stream.of(
                        new Sizes(layer, dtype, 17, 33, 7, 4),
                        new Sizes(layer, dtype, 1, 16, 1, 3),
                        new Sizes(layer, dtype, 40, 37, 30, 2),
                        new Sizes(layer, dtype, 5, 260, 3, 2))));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void valuesAndGradientsAreThoseOfTheReferenceKernels(Sizes s) {
    List<Tensor> fast = valuesAndGradients(s);
    List<Tensor> plain = Catalogue.withReferenceKernels(() -> valuesAndGradients(s));

    double tolerance = s.dtype() == DType.FLOAT64 ? 1e-11 : 2e-4;
    for (int i = 0; i < plain.size(); i++) {
      Tensor difference = fast.get(i).sub(plain.get(i)).abs().max();
      assertThat(difference.item()).as("tensor %d", i).isLessThan(tolerance);
    }
  }

  @Test
  void resultsDoNotDependOnTheNumberOfThreads() {
    var sizes = new Sizes("LSTM", DType.FLOAT32, 64, 96, 9, 12);
    int before = Threads.numThreads();
    try {
      Threads.setNumThreads(1);
      List<Tensor> one = valuesAndGradients(sizes);
      Threads.setNumThreads(4);
      List<Tensor> four = valuesAndGradients(sizes);

      for (int i = 0; i < one.size(); i++) {
        assertThat(four.get(i).toDoubleArray()).isEqualTo(one.get(i).toDoubleArray());
      }
    } finally {
      Threads.setNumThreads(before);
    }
  }

  private static List<Tensor> valuesAndGradients(Sizes s) {
    Tensor.manualSeed(5);
    Module module =
        switch (s.layer()) {
          case "LSTM" -> new LSTM(s.in(), s.hidden(), o -> o.bidirectional(true));
          case "GRU" -> new GRU(s.in(), s.hidden(), o -> o.bidirectional(true));
          default ->
              new RNN(
                  s.in(),
                  s.hidden(),
                  o ->
                      o.bidirectional(true)
                          .nonlinearity(RecurrentLayer.Nonlinearity.valueOf(s.layer())));
        };
    module.to(s.dtype());
    Tensor x = Tensor.randn(s.steps(), s.batch(), s.in()).to(s.dtype()).requiresGrad_();
    Tensor h = Tensor.randn(2, s.batch(), s.hidden()).to(s.dtype()).requiresGrad_();
    Tensor c = Tensor.randn(2, s.batch(), s.hidden()).to(s.dtype());
    var result = new ArrayList<Tensor>();
    switch (module) {
      case LSTM lstm -> {
        LstmResult r = lstm.call(x, h, c);
        result.addAll(List.of(r.output(), r.hidden(), r.cell()));
      }
      case GRU gru -> {
        var r = gru.call(x, h);
        result.addAll(List.of(r.output(), r.hidden()));
      }
      case RNN rnn -> {
        var r = rnn.call(x, h);
        result.addAll(List.of(r.output(), r.hidden()));
      }
      default -> throw new IllegalArgumentException(s.layer());
    }
    Tensor loss = Tensor.zeros(s.dtype());
    for (Tensor each : List.copyOf(result)) {
      Tensor w = Tensor.linspace(DType.FLOAT64, 0.5, 1.5, each.numel()).to(s.dtype());
      loss = loss.add(each.flatten().mul(w).sum());
    }
    List<Tensor> inputs = new ArrayList<>(module.parameters());
    inputs.addAll(List.of(x, h));
    result.addAll(Autograd.grad(loss, inputs.toArray(Tensor[]::new)));
    return result;
  }

  @Test
  void packedSequencesEndWhereTheyAre() {
    LSTM lstm = new LSTM(3, 5);
    Tensor x = Tensor.randn(4, 2, 3);
    PackedSequence packed = PackedSequence.packPaddedSequence(x, new long[] {2, 4}, false, false);

    LSTM.Packed result = lstm.call(packed, null, null);

    PackedSequence.Padded padded = result.output().padPackedSequence();
    Tensor shorter = lstm.call(x.narrow(1, 0, 1).narrow(0, 0, 2));
    assertThat(padded.lengths().toLongArray()).containsExactly(2, 4);
    assertThat(padded.output().narrow(1, 0, 1).narrow(0, 0, 2).sub(shorter).abs().max().item())
        .isLessThan(1e-6);
    assertThat(padded.output().narrow(1, 0, 1).narrow(0, 2, 2).abs().max().item()).isZero();
    assertThat(result.hidden().select(1, 0).sub(shorter.select(0, -1)).abs().max().item())
        .isLessThan(1e-6);
  }

  @Test
  void eachBiasOfAGatedUnitMayBeMissing() {
    Tensor.manualSeed(7);
    Tensor x = Tensor.randn(3, 5);
    Tensor h = Tensor.randn(3, 17);
    Tensor weightIh = Tensor.randn(51, 5);
    Tensor weightHh = Tensor.randn(51, 17);
    Tensor bias = Tensor.randn(51);
    Tensor zeros = Tensor.zeros(51);

    Tensor hiddenOnly = x.gruCell(h, weightIh, weightHh, null, bias);
    Tensor inputOnly = x.gruCell(h, weightIh, weightHh, bias, null);

    Tensor hiddenAndZeros = x.gruCell(h, weightIh, weightHh, zeros, bias);
    Tensor inputAndZeros = x.gruCell(h, weightIh, weightHh, bias, zeros);
    assertThat(hiddenOnly.sub(hiddenAndZeros).abs().max().item()).isLessThan(1e-6);
    assertThat(inputOnly.sub(inputAndZeros).abs().max().item()).isLessThan(1e-6);
  }

  @Test
  void stepsOfPackedSequencesNeverBecomeLarger() {
    Tensor x = Tensor.zeros(3, 2);
    List<Tensor> params = new GRU(2, 4).parameters().stream().map(p -> (Tensor) p).toList();

    assertThatThrownBy(() -> x.gru(Tensor.of(new long[] {1, 2}), null, params, o -> o))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("gru: batchSizes must not be negative and never become more, but are [1, 2].");
    assertThatThrownBy(() -> x.gru(Tensor.of(new long[] {5, -2}), null, params, o -> o))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("gru: batchSizes must not be negative and never become more, but are [5, -2].");
  }

  @Test
  void packingGivesBackWhatWasPadded() {
    Tensor x = Tensor.arange(12).to(DType.FLOAT32).reshape(2, 3, 2);

    PackedSequence packed = PackedSequence.packPaddedSequence(x, new long[] {3, 1}, true, true);

    assertThat(packed.batchSizes().toLongArray()).containsExactly(2, 1, 1);
    assertThat(packed.padPackedSequence(true, -1).output().toDoubleArray())
        .containsExactly(0, 1, 2, 3, 4, 5, 6, 7, -1, -1, -1, -1);
  }

  @Test
  void sequencesMustBeSortedUnlessSaidOtherwise() {
    assertThatThrownBy(() ->
            PackedSequence.packPaddedSequence(
                Tensor.zeros(4, 2, 3), new long[] {2, 4}, false, true))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "packPaddedSequence: the longest sequences must come first, but length 1 is 4 after 2."
                + " Pass false for enforceSorted.");
  }

  @Test
  void onlyLongShortTermMemoryHasProjections() {
    assertThatThrownBy(() -> new GRU(3, 4, o -> o.projSize(2)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage("GRU: projSize must be 0, since only LSTM has projections, but is 2.");
  }
}
