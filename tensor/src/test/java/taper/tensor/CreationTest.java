package taper.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

final class CreationTest {

  @Test
  void nestedArraysGiveShapeAndType() {
    Tensor x = Tensor.of(new double[][][][] {{{{1, 2}, {3, 4}}}, {{{5, 6}, {7, 8}}}});

    assertThat(x.shape()).isEqualTo(Shape.of(2, 1, 2, 2));
    assertThat(x.dtype()).isEqualTo(DType.FLOAT64);
    assertThat(x.toDoubleArray()).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
    assertThat(Tensor.of(new boolean[][] {{true}, {false}}).dtype()).isEqualTo(DType.BOOL);
    assertThat(Tensor.of(new int[0][3]).shape()).isEqualTo(Shape.of(0, 0));
    assertThat(Tensor.of(new byte[] {-1}).item()).isEqualTo(-1);
    assertThat(Tensor.ofUnsigned(new byte[] {-1}).item()).isEqualTo(255);
  }

  @Test
  void nestedArraysComeBack() {
    float[][] values = {{1, 2, 3}, {4, 5, 6}};

    assertThat(Tensor.of(values).toArray()).isEqualTo(values);
    assertThat(Tensor.of(values).mT().toArray()).isEqualTo(new float[][] {{1, 4}, {2, 5}, {3, 6}});
    assertThat(Tensor.scalar(2L).toArray()).isEqualTo(2L);
  }

  @Test
  void copiesConvert() {
    float[] floats = new float[4];
    long[] longs = new long[2];
    MemorySegment segment = MemorySegment.ofArray(new int[2]);
    Tensor x = Tensor.of(new int[] {3, -4}, 2);

    x.copyTo(floats);
    x.copyTo(longs);
    x.copyTo(segment);

    assertThat(floats).containsExactly(3, -4, 0, 0);
    assertThat(longs).containsExactly(3, -4);
    assertThat(Tensor.fromSegment(segment, DType.INT32, 2, 1).toLongArray()).containsExactly(3, -4);
  }

  @Test
  void conversionsCutOffTowardsZero() {
    Tensor x = Tensor.of(new float[] {-1.7f, 0, 2.9f}, 3);

    assertThat(x.toInt64().toLongArray()).containsExactly(-1, 0, 2);
    assertThat(x.toBool().toLongArray()).containsExactly(1, 0, 1);
    assertThat(x.toFloat32()).isSameAs(x);
    assertThat(x.to(DType.FLOAT16, Device.CPU).dtype()).isEqualTo(DType.FLOAT16);
  }

  @Test
  void sequencesAndIdentities() {
    assertThat(Tensor.arange(2, 11, 3).toLongArray()).containsExactly(2, 5, 8);
    assertThat(Tensor.arange(3.0, 0.0, -1.0).toFloatArray()).containsExactly(3, 2, 1);
    assertThat(Tensor.linspace(0, 1, 5).toFloatArray()).containsExactly(0, 0.25f, 0.5f, 0.75f, 1);
    assertThat(Tensor.eye(DType.INT64, 2, 3).toLongArray()).containsExactly(1, 0, 0, 0, 1, 0);
    assertThat(Tensor.onesLike(Tensor.zeros(DType.INT8, 2)).toLongArray()).containsExactly(1, 1);
  }

  @Test
  void mistakesNameWhatWasGiven() {
    assertThatThrownBy(() -> Tensor.of(new float[5], 2, 3))
        .isInstanceOf(ShapeException.class)
        .hasMessage("tensor: there must be 6 elements for shape [2, 3], but there are 5.");
    assertThatThrownBy(() -> Tensor.of(new float[][] {{1, 2}, {3}}))
        .hasMessage(
            "tensor: arrays at one depth must have one length, but one at depth 1 has 1 elements"
                + " and the first has 2 (shape [2, 2]).");
    assertThatThrownBy(() -> Tensor.of("text"))
        .hasMessage(
            "tensor: the values must be arrays of numbers or truth values, but are String. Use"
                + " Tensor.scalar for a single number.");
    assertThatThrownBy(() -> Tensor.arange(0, 5, -1))
        .hasMessage(
            "arange: step must lead from start to end, but start is 0.0, end 5.0 and step -1.0.");
    assertThatThrownBy(() -> Tensor.ones(3).copyTo(new float[2]))
        .hasMessage(
            "copyTo: the target must have room for the 3 elements of shape [3], but has 8 bytes and"
                + " they take 12.");
    assertThatThrownBy(() -> Tensor.ones(3).to(new Device("cuda", 0)))
        .isInstanceOf(DeviceException.class)
        .hasMessage("device: there is no backend for cuda:0 here. Use Device.CPU.");
  }
}
