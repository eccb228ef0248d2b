package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import taper.tensor.Parameter;
import taper.tensor.Tensor;

/// A transformer's layers are copies of the one that it is given.
final class TransformerCopiesTest {

  @Test
  void frozenParametersAndQuietPartsStaySo() {
    var encoder = new TransformerEncoderLayer(8, 2);
    var decoder = new TransformerDecoderLayer(8, 2);
    for (Module layer : List.of(encoder, decoder)) {
      layer.namedParameters().get("linear1.weight").requiresGrad_(false);
      layer.namedChildren().get("dropout1").eval();
    }

    for (Module copy : List.of(encoder.copy(), decoder.copy())) {
      assertThat(copy.namedParameters().entrySet())
          .allSatisfy(entry ->
              assertThat(entry.getValue().requiresGrad())
                  .as(entry.getKey())
                  .isEqualTo(!entry.getKey().equals("linear1.weight")));
      assertThat(copy.namedChildren().get("dropout1").isTraining()).isFalse();
      assertThat(copy.namedChildren().get("dropout2").isTraining()).isTrue();
      assertThat(copy.isTraining()).isTrue();
    }
  }

  @Test
  void valuesAreTheSameAndNoRandomNumbersAreDrawn() {
    var layer = new TransformerEncoderLayer(8, 2);
    Tensor.manualSeed(3);
    float expected = (float) Tensor.rand(1).item();

    Tensor.manualSeed(3);
    Map<String, Parameter> copied = layer.copy().namedParameters();

    assertThat((float) Tensor.rand(1).item()).isEqualTo(expected);
    layer
        .namedParameters()
        .forEach((name, parameter) ->
            assertThat(copied.get(name).toFloatArray())
                .as(name)
                .isEqualTo(parameter.toFloatArray()));
  }
}
