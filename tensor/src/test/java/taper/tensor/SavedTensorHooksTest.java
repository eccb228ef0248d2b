package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Other ways to keep what a graph saves.
final class SavedTensorHooksTest {
  private static final float[] VALUES = {0.5f, -1.25f, 3};

  private static Tensor leaf() {
    return Tensor.of(VALUES).requiresGrad_();
  }

  private static Tensor expression(Tensor x) {
    return x.mul(x).exp().mul(x.sigmoid()).softmax(0).select(0, 0);
  }

  /// A file with the elements of a float32 tensor.
  private record OnDisk(Path file, long[] sizes) {
    static OnDisk write(Path folder, Tensor tensor) {
      float[] values = tensor.toFloatArray();
      ByteBuffer bytes = ByteBuffer.allocate(4 * values.length);
      bytes.asFloatBuffer().put(values);
      try {
        Path file = Files.createTempFile(folder, "saved", ".tensor");
        Files.write(file, bytes.array());
        return new OnDisk(file, tensor.shape().toArray());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    Tensor read() {
      try {
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file));
        float[] values = new float[bytes.capacity() / 4];
        bytes.asFloatBuffer().get(values);
        return Tensor.of(values, sizes);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  @Test
  void savedTensorsCanLieOnDisk(@TempDir Path folder) throws IOException {
    Tensor plain = leaf();
    expression(plain).backward();
    Tensor x = leaf();

    Tensor y =
        Autograd.savedTensorsHooks(
            tensor -> OnDisk.write(folder, tensor), OnDisk::read, () -> expression(x));
    try (var files = Files.list(folder)) {
      assertThat(files.count()).isGreaterThan(4);
    }
    y.backward();

    assertThat(x.grad().toFloatArray()).containsExactly(plain.grad().toFloatArray());
  }

  @Test
  void savedTensorsCanBeCompressed() {
    Tensor x = leaf();
    long before = Memory.allocated();

    Tensor y;
    try (var _ =
        Autograd.savedTensorsHooks(
            tensor -> tensor.to(DType.BFLOAT16), (Tensor packed) -> packed.to(DType.FLOAT32))) {
      y = x.exp();
    }
    y.sum().backward();

    for (int i = 0; i < VALUES.length; i++) {
      assertThat((double) x.grad().toFloatArray()[i] / Math.exp(VALUES[i])).isBetween(0.995, 1.005);
    }
    assertThat(x.grad().toFloatArray()).isNotEqualTo(y.toFloatArray());
    assertThat(before).isPositive();
  }

  @Test
  void whatPackMakesGoesWithTheScope() {
    Tensor x = Tensor.ones(1000).requiresGrad_();
    long before = Memory.allocated();
    try (var _ = Memory.scope()) {
      Tensor y;
      try (var _ =
          Autograd.savedTensorsHooks(
              tensor -> tensor.to(DType.FLOAT64), (Tensor packed) -> packed.to(DType.FLOAT32))) {
        y = x.exp();
      }
      y.backward(y);
      x.setGrad(null);
    }

    assertThat(Memory.allocated()).isEqualTo(before);
  }

  @Test
  void secondDerivativesGoThroughUnpackedTensors() {
    Tensor x = leaf();
    Tensor plain = leaf();

    try (var _ = Autograd.savedTensorsHooks(Tensor::clone, Tensor::clone)) {
      second(x).backward();
    }
    second(plain).backward();

    assertThat(x.grad().toFloatArray()).containsExactly(plain.grad().toFloatArray());
  }

  private static Tensor second(Tensor x) {
    Tensor y = x.exp().mul(x.sin()).sum();
    return Autograd.grad(y, List.of(x), o -> o.createGraph(true)).getFirst().pow(2).sum();
  }

  @Test
  void customFunctionsSaveThroughHooks() {
    final class Square extends Function {
      @Override
      protected List<Tensor> forward(Saver saver, List<Tensor> inputs) {
        saver.save(inputs.getFirst());
        return List.of(inputs.getFirst().mul(inputs.getFirst()));
      }

      @Override
      protected List<@Nullable Tensor> backward(Saver saver, @Nullable Tensor[] grads) {
        return List.of(grads[0].mul(saver.saved(0)).mul(2));
      }
    }
    Tensor x = leaf();

    try (var _ = Autograd.savedTensorsHooks(t -> t.mul(10), (Tensor t) -> t)) {
      new Square().apply(x).getFirst().sum().backward();
    }

    assertThat(x.grad().toFloatArray()).containsExactly(10, -25, 60);
  }

  @Test
  void theInnermostHooksCount() {
    Tensor x = leaf();
    Tensor y;
    try (var _ = Autograd.savedTensorsHooks(t -> t.mul(100), (Tensor t) -> t);
        var _ = Autograd.savedTensorsHooks(t -> t.mul(2), (Tensor t) -> t)) {
      y = x.mul(x);
    }

    y.sum().backward();

    assertThat(x.grad().toFloatArray()).containsExactly(2, -5, 12);
  }

  @Test
  void mistakesInHooksAreNamed() {
    Tensor x = leaf();

    try (var _ = Autograd.savedTensorsHooks(t -> t.add_(1), (Tensor t) -> t)) {
      assertThatThrownBy(() -> x.mul(1).exp())
          .isInstanceOf(AutogradException.class)
          .hasMessage(
              "savedTensorsHooks: pack must leave the tensor as it is, but changed a float32 tensor"
                  + " of shape [3] in place. Use clone() first.");
    }
    try (var _ = Autograd.savedTensorsHooks(t -> t, (Tensor t) -> t.sum())) {
      assertThatThrownBy(() -> x.exp().sum().backward())
          .isInstanceOf(AutogradException.class)
          .hasMessage(
              "savedTensorsHooks: unpack must return the tensor that was packed, a float32 tensor"
                  + " of shape [3], but returned a float32 tensor of shape [].");
    }
  }
}
