package taper.nn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import taper.tensor.ArgumentException;
import taper.tensor.Autograd;
import taper.tensor.DType;
import taper.tensor.Memory;
import taper.tensor.ShapeException;
import taper.tensor.Tensor;

final class LayersTest {

  @Test
  void layersPrintAsInPyTorch() {
    assertThat(
            new Sequential(
                new Conv2d(1, 32, 3, o -> o.stride(2).padding(1).dilation(2).bias(false)),
                new BatchNorm2d(32, o -> o.momentum(null)),
                new MaxPool2d(2),
                new AdaptiveAvgPool2d(1, 2),
                new GELU(),
                new ReLU(true),
                new LayerNorm(4, 8),
                new Embedding(10, 4, o -> o.paddingIdx(0)),
                new Dropout(),
                new Softmax(1),
                new MultiheadAttention(8, 2)))
        .hasToString(
            """
            Sequential(
              (0): Conv2d(1, 32, kernel_size=(3, 3), stride=(2, 2), padding=(1, 1), dilation=(2, 2), bias=False)
              (1): BatchNorm2d(32, eps=1e-05, momentum=None, affine=True, track_running_stats=True)
              (2): MaxPool2d(kernel_size=2, stride=2, padding=0, dilation=1, ceil_mode=False)
              (3): AdaptiveAvgPool2d(output_size=(1, 2))
              (4): GELU(approximate='none')
              (5): ReLU(inplace=True)
              (6): LayerNorm((4, 8), eps=1e-05, elementwise_affine=True)
              (7): Embedding(10, 4, padding_idx=0)
              (8): Dropout(p=0.5, inplace=False)
              (9): Softmax(dim=1)
              (10): MultiheadAttention(
                (out_proj): NonDynamicallyQuantizableLinear(in_features=8, out_features=8, bias=True)
              )
            )\
            """);
  }

  @Test
  void aWrongShapeInsideANestedModuleBeginsWithItsPath() {
    var model = new Sequential(new Flatten(), new Sequential(new Linear(8, 4), new Linear(5, 2)));

    assertThatThrownBy(() -> model.call(Tensor.ones(3, 8)))
        .isInstanceOf(ShapeException.class)
        .hasMessageStartingWith("1.1 (Linear): linear: ");
    assertThatThrownBy(() -> new BatchNorm2d(3).call(Tensor.ones(3, 4, 4)))
        .isInstanceOf(ShapeException.class)
        .hasMessage(
            "BatchNorm2d: batchNorm: the input must be [n c h w], but has shape [3, 4, 4]. Use"
                + " unsqueeze(0) for a single image.");
  }

  @Test
  void impossibleOptionsAreRejectedWhenALayerIsMade() {
    assertThatThrownBy(() -> new Conv2d(3, 8, 3, o -> o.groups(2)))
        .isInstanceOf(ArgumentException.class)
        .hasMessage(
            "Conv2d: groups must divide inChannels and outChannels, but there are 2 groups, 3"
                + " inputs and 8 outputs.");
    assertThatThrownBy(() -> new Dropout(1.5))
        .hasMessage("Dropout: p must be a probability from 0 to 1, but is 1.5.");
    assertThatThrownBy(() -> new MultiheadAttention(10, 3))
        .hasMessage(
            "MultiheadAttention: numHeads must divide embedDim, but numHeads is 3 and embedDim"
                + " 10.");
  }

  @Test
  void sequentialReleasesWhatItsLayersHandToEachOther() {
    var model = new Sequential(new Linear(64, 64), new Tanh(), new ReLU(), new Sigmoid());
    Tensor x = Tensor.ones(1000, 64);
    model.eval().requiresGrad_(false);
    long before = Memory.allocated();

    Tensor y = model.call(x);

    // one result, not four
    assertThat(Memory.allocated() - before).isLessThan(2 * y.numel() * 4);
    assertThat(y.isReleased()).isFalse();
  }

  @Test
  void sequentialKeepsWhatTheGraphOrAHookNeeds() {
    var model = new Sequential(new Linear(4, 4), new Tanh(), new Linear(4, 1));
    var seen = new ArrayList<Tensor>();
    var guard =
        model
            .get(1)
            .registerForwardHook((module, inputs, outputs) -> {
              seen.addAll(inputs);
              seen.addAll(outputs);
              return null;
            });

    model.call(Tensor.ones(3, 4)).sum().backward();
    guard.close();
    model.call(Tensor.ones(3, 4)).sum().backward();

    assertThat(seen).hasSize(2).noneMatch(Tensor::isReleased);
    assertThat(model.parameters()).allMatch(p -> p.grad() != null);
  }

  @Test
  void transformersKeepWhatAHookOfTheirLastNormSees() {
    var norm = new LayerNorm(8);
    var encoder = new TransformerEncoder(new TransformerEncoderLayer(8, 2), 1, norm);
    var decoder = new TransformerDecoder(new TransformerDecoderLayer(8, 2), 1, norm);
    var seen = new ArrayList<Tensor>();
    norm.registerForwardHook((module, inputs, outputs) -> {
      seen.addAll(inputs);
      return null;
    });

    Autograd.noGrad(() -> {
      Tensor memory = encoder.call(Tensor.ones(3, 1, 8));
      return decoder.call(Tensor.ones(2, 1, 8), memory);
    });

    assertThat(seen).hasSize(2).noneMatch(Tensor::isReleased);
  }

  @Test
  void batchNormCountsItsBatches() {
    var norm = new BatchNorm2d(2);

    norm.call(Tensor.ones(2, 2, 3, 3));
    norm.eval().call(Tensor.ones(2, 2, 3, 3));

    assertThat(norm.stateDict().keySet())
        .containsExactly("weight", "bias", "running_mean", "running_var", "num_batches_tracked");
    assertThat(norm.stateDict().get("num_batches_tracked").itemLong()).isEqualTo(1);
    assertThat(norm.to(DType.FLOAT64).stateDict().get("num_batches_tracked").dtype())
        .isEqualTo(DType.INT64);
  }
}
